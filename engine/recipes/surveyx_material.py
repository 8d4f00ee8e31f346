"""What SurveyX's steps read: the papers with their attribute trees, as notes in prompts and as evidence for a check."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.prompting import data
from engine.reading.attribute_trees import AttributeTree
from engine.retrieval.identity import surname
from engine.values import Paper, PaperKey, Passage

ABSTRACT_TOKENS = 300
"""Longest abstract that stands in for a tree."""

GIST_FIELDS = frozenset(
    {
        "problem.definition",
        "idea.opinion",
        "idea.innovation",
        "method.description",
        "dataset.content",
        "metrics.aspect",
        "theory.opinion",
        "background.scope",
        "architecture.fields/stages",
        "conclusion",
        "conclusion.results",
    }
)
"""What says where a paper belongs in a field; the rest is for writing."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What a paper brings to a place of the outline (its number), and the fields of its tree it is taken from."""

    key: PaperKey
    place: str
    text: str
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Material:
    """The papers of a survey, best first, and the trees of those that have one."""

    papers: Mapping[PaperKey, Paper]
    trees: Mapping[PaperKey, AttributeTree]

    def notes(self, keys: Iterable[PaperKey], fields: Collection[str] | None = None) -> str:
        """Papers as quoted data: their trees' values (of these fields), else their abstracts."""
        return "\n".join(self._entry(key, fields) for key in keys)

    def quote_hinted(self, hints: Sequence[Hint], quote_tokens: int) -> str:
        """Papers as quoted data with what they bring to one place, and their own sentences behind it."""
        by_paper: dict[PaperKey, list[Hint]] = {}
        for hint in hints:
            by_paper.setdefault(hint.key, []).append(hint)
        return "\n".join(self._hints(key, some, quote_tokens) for key, some in by_paper.items())

    def evidence(self, key: PaperKey) -> Paper:
        """The paper with the sentences of its full text that its tree stands on, for a check against them."""
        tree = self.trees.get(key)
        read = [v for _, v in tree.list_known() if v.level == "full text"] if tree else []
        passages = dict.fromkeys(Passage(value.quote, value.section, value.page) for value in read)
        return replace(self.papers[key], body=(*self.papers[key].body, *passages))

    def _entry(self, key: PaperKey, fields: Collection[str] | None) -> str:
        tree = self.trees.get(key)
        if tree is None:
            paper = self.papers[key]
            abstract = paper.content[: ABSTRACT_TOKENS * CHARACTERS_PER_TOKEN]
            return self._fence(key, data("\n".join((abstract, *(passage.text for passage in paper.body)))))
        known = [(name, value.text) for name, value in tree.list_known() if fields is None or name in fields]
        known = known or [(name, value.text) for name, value in tree.list_known()]
        return self._fence(key, "\n".join(f"{name}: {data(text)}" for name, text in known))

    def _hints(self, key: PaperKey, hints: Sequence[Hint], quote_tokens: int) -> str:
        tree = self.trees.get(key)
        values = [tree.get(name) for hint in hints for name in hint.fields] if tree else []
        quotes = dict.fromkeys(value.quote for value in values if value)
        room = quote_tokens * CHARACTERS_PER_TOKEN
        shown = [quote[:room] for quote in quotes] or [self.papers[key].content[: 2 * room]]
        lines = [*(data(hint.text) for hint in hints), *(f"“{data(quote)}”" for quote in shown)]
        return self._fence(key, "\n".join(lines))

    def _fence(self, key: PaperKey, inside: str) -> str:
        paper = self.papers[key]
        return f'<paper key="{key}">\n{data(paper.title)} ({data(author_and_year(paper))})\n{inside}\n</paper>'


def author_and_year(paper: Paper) -> str:
    """“Lewis et al. 2020”; what is not known is left out."""
    others = " et al." if len(paper.authors) > 1 else ""
    who = f"{surname(paper.authors[0])}{others}" if paper.authors else ""
    return " ".join(part for part in (who, str(paper.year or "")) if part) or "no author given"
