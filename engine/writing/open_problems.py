"""What papers say remains to be done after them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.values import Paper
from engine.writing.extractive import AbstractSentence, read_abstract


def find_open_problems(papers: Sequence[Paper]) -> list[AbstractSentence]:
    """Sentences in which a paper says what remains to be done after it, newest papers first.

    What an abstract says before its own contribution is the gap that the paper closes, and is none.
    """
    found = [s for paper in papers for s in _open_problems(paper)]
    return sorted(found, key=lambda s: (-(s.paper.year or 0), -(s.paper.citations or 0)))


_REMAINS = re.compile(
    r"\b(?:remains?|is still|are still|still) (?:an? |the |largely |highly |very |significant |substantial |major )*"
    r"(?:open|challeng\w+|unsolved|unresolved|difficult|unclear|elusive|hard|limited|underexplored|behind)|"
    r"\b(?:still|far) (?:lag|struggle|fall|fail|suffer)\w*|\bfar (?:behind|below)\b|"
    r"\bfar from (?:being |a )?(?:solved|perfect|human|satisf|ideal|optimal|saturat|complete|over|reliable|ready)\w*|"
    r"\b(?:models?|[LV]LMs?|systems?|methods|algorithms|metrics|approaches|agents|parsers|networks|"
    r"GPT-\w+)\b[^.;]{0,60}?\b(?:struggles?|fails?) (?:to|with|on|in|at)\b|\b(?:considerable|substantial|"
    r"significant|large|much|ample) "
    r"(?:room for improvement|gap (?:to|with|behind|between [^.]{0,40}(?:human|machine|people)))|"
    r"\broom for improvement\b|\bopen (?:problems?|questions?|challenges?)\b.{0,20}"
    r"(?::|such as|including|namely)|"
    r"\b(?:need|needs|call|calls) for (?:further|more|better|future|new|improved|robust|stronger)\b|"
    r"\bfuture (?:research|work|directions?) (?:should|must|could|needs?|includ)",
    re.I,
)
_CLOSED = re.compile(
    r"\b(?:we|our|to) (?:\w+ )?(?:solve|close|overcome|fill|bridge|address|tackle|alleviate|resolve|mitigate)|"
    r"\b(?:this|our|proposed) (?:\w+ )?(?:method|approach|framework|model|work|paper)\b|\bour\b|\bwe propose|existing "
    r"(?:methods|approaches|work)|previous|prior|hope|baselines?|unlike|without|does not|do not need|no need|"
    r"\bwhere (?:current|existing)\b|\b(?:when|while|whereas|where) [^.]{0,80}\bfails? to\b|"
    r"\bwe (?:make|release|provide|present|introduce|offer)\b|"
    r"\bin (?:this|these) (?:area|direction|field|cases)\b|"
    r"\bif\b|\bwe (?:answer|settle|establish|prove)\b|\b(?:was|were) (?:still )?far\b|\b(?:is|"
    r"are) (?:\w+ )?discussed\b",
    re.I,
)


def _open_problems(paper: Paper) -> list[AbstractSentence]:
    sentences = read_abstract(paper)
    proposed = next((s.position for s in sentences if s.statement == "contribution"), len(sentences))
    return [
        s
        for s in sentences
        if s.position > proposed
        and s.statement == "finding"
        and s.stands_alone
        and not s.text.startswith("However")
        and _REMAINS.search(s.text)
        and not _CLOSED.search(s.text)
    ]
