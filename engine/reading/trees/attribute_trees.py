"""Attribute trees: what a paper says, in the fields that its kind of paper has (SurveyX, 3.1.2 and appendix B).

There are four kinds, each with exactly the published fields. A value names the sentences of the paper, as
`engine.addresses` numbers them, that it stands in; `trace_value` decides by program whether they say it. What a paper
does not say is ``None``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from engine.addresses import Level, number_sentences, sentences_at
from engine.text import clean, fold, stem, terms
from engine.values import Paper, PaperKey

TreeKind = Literal["method", "benchmark", "theory", "survey"]

_PROBLEM = {
    "problem.definition": "the problem, stated precisely",
    "problem.key obstacle": "what makes the problem hard",
}
_OTHER = {"other info": "anything else that a survey of the field would want"}
_BEGINNING = {
    "background": "the state of affairs before the paper, and why something new was needed",
    **_PROBLEM,
    "idea.intuition": "what suggested the idea",
    "idea.opinion": "the idea itself",
    "idea.innovation": "how it differs from earlier work, or where it improves most",
}
_TRIALS = {
    "experiments.setting": "data sets, baselines, models and measures",
    "experiments.progress": "how it was evaluated, step by step",
}
_END = {
    "conclusion": "what the experiments or the paper conclude, with figures",
    "discussion.advantage": "strengths",
    "discussion.limitation": "weaknesses",
    "discussion.future work": "what could be done next",
    **_OTHER,
}

TEMPLATES: Mapping[TreeKind, Mapping[str, str]] = {
    "method": {
        **_BEGINNING,
        "method.definition": "the method, defined for the problem",
        "method.description": "the method in one sentence",
        "method.steps": "its steps in order",
        "method.principle": "why it works",
        **_TRIALS,
        **_END,
    },
    "benchmark": {
        **_BEGINNING,
        "dataset.source": "how the data were made or collected",
        "dataset.desc": "size, availability, diversity and quality",
        "dataset.content": "what the data consist of",
        "metrics.aspect": "which abilities are measured",
        "metrics.principle": "the reasoning behind the measures",
        "metrics.procedure": "how a model is scored",
        "experiments.model": "the models tested",
        "experiments.procedure": "how the experiments were run",
        "experiments.result": "how the models did, and whether it is statistically significant",
        "experiments.variability": "how variation of the results was handled",
        **_END,
    },
    "theory": {
        **_BEGINNING,
        "theory.perspective": "the point of view and how it is built up",
        "theory.opinion": "the assumption or position taken",
        "theory.proof": "the proof or derivation",
        **_TRIALS,
        **_END,
    },
    "survey": {
        "background.purpose": "what the survey is for",
        "background.scope": "what it covers and what it leaves out",
        **_PROBLEM,
        "architecture.perspective": "the view under which it orders the field",
        "architecture.fields/stages": "the fields or stages into which it divides the work",
        "conclusion.comparisons": "how the works compare",
        "conclusion.results": "its main findings",
        "discussion.advantage": "strengths of existing research",
        "discussion.limitation": "weaknesses of existing research",
        "discussion.gaps": "what is missing",
        "discussion.future work/trends": "where the field goes",
        **_OTHER,
    },
}
"""For each kind of paper its fields in order (figures 13 to 16), and what each asks for, in our words."""


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """What a paper says for one field, and its sentences that say it; ``page`` counts from 1, where there are pages."""

    text: str
    quote: str
    level: Level
    section: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class AttributeTree:
    """One paper's attributes: every field of its kind in the published order, ``None`` where the paper says nothing.

    ``digest`` identifies the text it was made from: the tree of another text is made again.
    """

    key: PaperKey
    kind: TreeKind
    level: Level
    digest: str
    values: tuple[tuple[str, AttributeValue | None], ...]

    def __post_init__(self) -> None:
        if [name for name, _ in self.values] != list(TEMPLATES[self.kind]):
            raise ValueError("this is no attribute tree of this version")

    def list_known(self) -> Iterator[tuple[str, AttributeValue]]:
        """The fields that have a value, in order."""
        for name, value in self.values:
            if value is not None:
                yield name, value

    def get(self, name: str) -> AttributeValue | None:
        """The value of a field; ``None`` also where this kind has no such field."""
        return dict(self.values).get(name)

    def text(self) -> str:
        """All that is known, as one text to search."""
        return " ".join(f"{name.replace('.', ' ')}: {value.text}" for name, value in self.list_known())


def find_level(paper: Paper) -> Level:
    """What was read of a paper."""
    return "full text" if paper.body else "abstract" if paper.abstract else "summary"


def digest_text(paper: Paper) -> str:
    """The same for the same text."""
    content = "\n".join((paper.title, find_level(paper), *(said.text for said in number_sentences(paper))))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def complete_tree(paper: Paper, kind: TreeKind, values: Mapping[str, AttributeValue]) -> AttributeTree:
    """The tree with every field of its kind."""
    fields = tuple((name, values.get(name)) for name in TEMPLATES[kind])
    return AttributeTree(paper.key, kind, find_level(paper), digest_text(paper), fields)


COMMON_WORDS = 0.5
"""Least share of a value's content words that its sentences must have: a paraphrase keeps the terms of the matter."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b(?:[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}\w*|[A-Za-z]+\d\w*)\b")


def trace_value(text: str, numbers: Sequence[int], paper: Paper) -> AttributeValue | None:
    """The value with the sentences it stands in; ``None`` where they are not there or do not say it.

    Every number and every name (mixed case, capitals or with a digit) of the value stands in the sentences or the
    paper's title, and so do `COMMON_WORDS` of its content words.
    """
    said, cited = clean(text), sentences_at(paper, numbers)
    if not said or not cited or len(cited) < len(set(numbers)):
        return None
    quote = " … ".join(sentence.text for sentence in cited)
    around = f"{paper.title} {quote}"
    if not set(_figures(said)) <= set(_figures(around)):
        return None
    whole = fold(around)
    if any(fold(name) not in whole for name in _NAME.findall(said)):
        return None
    wanted, there = set(terms(said)), set(terms(around)) | {stem(word) for word in fold(around).split()}
    if not wanted or len(wanted & there) < COMMON_WORDS * len(wanted):
        return None
    return AttributeValue(said, quote, find_level(paper), cited[0].section, cited[0].page)


def _figures(text: str) -> list[str]:
    return [number.replace(",", "").rstrip(".") for number in _NUMBER.findall(text)]


TREE_JSON = TypeAdapter(AttributeTree)
"""Writes trees as JSON, what a paper does not say as null; reading anything else raises `ValueError`."""


def read_trees(documents: Iterable[str], keys: Sequence[PaperKey]) -> dict[PaperKey, AttributeTree]:
    """The trees in the order of their papers' keys, without those that another version wrote: they are made again."""
    found: dict[PaperKey, AttributeTree] = {}
    for document in documents:
        with suppress(ValueError):
            tree = TREE_JSON.validate_json(document)
            found[tree.key] = tree
    return {key: found[key] for key in keys if key in found}
