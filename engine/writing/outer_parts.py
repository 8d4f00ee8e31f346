"""What stands around the sections, written last from their finished text: introduction, conclusion, abstract."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.checking.back_references import begins_with_reference, remove_connective
from engine.checking.check import CheckedText, CheckTask, check_section, check_without_model
from engine.checking.sentence_state import LostClaim
from engine.citations import list_cited_keys, remove_citations
from engine.errors import LanguageModelError
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill
from engine.survey import Section, SurveyWarning, walk
from engine.values import OutlineNode, Paper, PaperKey
from engine.writing.drafting import (
    Assignment,
    Draft,
    settle_citations,
    word_problem,
)
from engine.writing.lost_claims import word_lost_claims, write_again_if_lost
from engine.writing.model_text import read_prose

FRAME_WORDS = 220
ABSTRACT_WORDS = 130
FINDINGS_EACH = 5
"""Claims of each finished subsection that are shown: its first ones and its last."""

_COUNT_OF_PAPERS = re.compile(r"\bThis survey cites [^.]*\.\s*")
"""A count of papers that the model gives of the survey: the program counts them."""

PURPOSES: Mapping[str, str] = {
    "introduction": "It introduces the survey: what the subject is and why it is worked on, as the sections show it, "
    "and what each section covers. It gives no results in detail.",
    "conclusion": "It concludes the survey: what the sections found when they are read together, where the works agree "
    "and disagree, and what they themselves call open. It predicts nothing and recommends nothing of its own.",
    "abstract": "It is the survey's abstract, one paragraph: it says what was found, not which headings there are.",
}


@dataclass(frozen=True)
class Framing:
    """The parts around the ``sections`` of one trial; every claim in them is checked against its papers."""

    model: LanguageModel
    task: Assignment
    sections: Sequence[Section]
    papers: Mapping[PaperKey, Paper]
    check: bool

    async def write_part(self, node: OutlineNode) -> tuple[Section, tuple[SurveyWarning, ...]]:
        """The introduction or the conclusion, and what a reader should know of it.

        Raises `LanguageModelError` where nothing of it holds.
        """
        found = await self._write(node.title, node.role, min(self.task.words, FRAME_WORDS))
        return Section(node.title, found.text, found.claims, tally=found.tally), found.warnings

    async def write_abstract(self) -> CheckedText:
        """What was found, checked; its text has no citations, as abstracts have none."""
        found = await self._write("Abstract", "abstract", ABSTRACT_WORDS)
        bare = remove_citations(found.text)
        return CheckedText(bare, found.claims, found.tally, found.warnings)

    async def _write(self, title: str, purpose: str, words: int) -> CheckedText:
        """The part as it holds; one that loses too many of its claims is written once more, the better one is taken."""

        async def write_again(lost: Sequence[LostClaim]) -> CheckedText:
            return await self._draft(title, purpose, words, word_problem(word_lost_claims(lost)))

        found = await self._draft(title, purpose, words)
        if self.check:
            found = await write_again_if_lost(found, write_again)
        if not found.text:
            raise LanguageModelError("no sentence of it holds", retryable=True)
        return found

    async def _draft(self, title: str, purpose: str, words: int, problem: str = "") -> CheckedText:
        findings = self.list_findings()
        cited = dict.fromkeys(key for line in findings for key in list_cited_keys(line) if key in self.papers)
        papers = tuple(self.papers[key] for key in cited)
        prompt = fill(
            "autosurvey/frame",
            topic=data(self.task.topic),
            findings="\n".join(data(line) for line in findings),
            title=data(title),
            purpose=PURPOSES[purpose],
            words=str(words),
            problem=problem,
        )
        step = f"{title}/again" if problem else title
        request = Request("drafting", f"frame/{self.task.trial}/{step}", prompt, max(1_024, words * 4), 0.7)
        prose = read_prose(await self.model.text(request), title)
        draft = settle_citations(Draft(OutlineNode(title), papers, _COUNT_OF_PAPERS.sub("", prose)))
        task = CheckTask(title, draft.text, papers, self.task.topic, step, is_summary=True)
        found = await check_section(self.model, task) if self.check else check_without_model(task)
        return replace(found, warnings=(*draft.warnings, *found.warnings))

    def list_findings(self) -> list[str]:
        """Headings of the finished sections, and under each its first claims and its last."""
        lines: list[str] = []
        introduction = Section("Introduction", "")  # it comes first and has the number 1
        for number, section in walk((introduction, *self.sections)):
            if section is introduction:
                continue
            lines.append(f"{number} {section.title}")
            written = [claim.text for claim in section.claims_in_text()]
            claims = [remove_connective(text) for text in written if not begins_with_reference(text)] or written
            shown = claims if len(claims) <= FINDINGS_EACH else [*claims[: FINDINGS_EACH - 1], claims[-1]]
            lines += [f"- {claim}" for claim in shown]
        return lines
