"""What each sentence of one abstract states: as its labels say where it has some, else as the model judges. Pure.

Labels ("RESULTS: …", "Methods—…") are a format, obeyed as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.reading.sentence_roles import STATEMENTS, Role, Statement, role_model, statement_probabilities
from engine.text import sentences

_ROLE_OF: dict[str, Role] = {
    **dict.fromkeys(("background", "introduction", "context", "rationale", "importance"), "background"),
    **dict.fromkeys(
        ("objective", "objectives", "aim", "aims", "purpose", "purposes", "goal", "goals", "hypothesis"), "objective"
    ),
    **dict.fromkeys(
        (
            "method", "methods", "methodology", "materials", "material", "design", "setting", "settings", "patients",
            "participants", "subjects", "population", "animals", "intervention", "interventions", "exposure",
            "exposures", "measurements", "measures", "outcome", "outcomes", "sources", "extraction", "selection",
            "procedure", "procedures", "analysis", "approach",
        ),
        "method",
    ),
    **dict.fromkeys(
        (
            "result", "results", "finding", "findings", "conclusion", "conclusions", "interpretation", "discussion",
            "implications", "significance", "relevance", "limitations",
        ),
        "result",
    ),
}  # fmt: skip
"""Heads of labels, as the National Library of Medicine groups them; a conclusion is a finding here."""

_BESIDE = frozenset(
    ("and", "of", "the", "main", "study", "primary", "secondary", "key", "principal", "research", "data", "major")
)
"""Words of a label that do not tell its role."""

_LABEL = re.compile(
    r"(?:^|(?<=[.!?;)\]]\s)|(?<=\n))\s*(?P<label>[A-Z][A-Za-z&/ ]{2,60}?)\s*(?:[:：]\s*|\s?[—–]\s?|\s-\s|\n+)(?=\S)"
)
_CAPITALS = re.compile(r"(?:^|(?<=[.!?)\]]\s))(?P<label>[A-Z]{3,}(?:[ &/]+[A-Z]+){0,5})[.]?\s+(?=[A-Z0-9])")


@dataclass(frozen=True, slots=True)
class LabelledPart:
    """What stands behind one label, or before the first (``role`` is ``None``)."""

    role: Role | None
    text: str


def role_of_label(label: str) -> Role | None:
    """The role that a label states; ``None`` for what is no label, or one of parts with several roles.

    "MEASUREMENTS AND MAIN RESULTS" is a result, as the National Library of Medicine reads it.
    """
    said = [word for word in re.split(r"[\s/&,]+", label.lower().strip(" .:")) if word and word not in _BESIDE]
    roles = {_ROLE_OF.get(word) for word in said}
    if roles == {"method", "result"} and said[0].startswith("measure"):
        return "result"
    return roles.pop() if len(roles) == 1 else None


def divide_by_labels(abstract: str) -> list[LabelledPart]:
    """The parts of an abstract as its labels divide it, without the labels; one part where it states none."""
    found = [match for match in _LABEL.finditer(abstract) if role_of_label(match["label"])]
    bare = [match for match in _CAPITALS.finditer(abstract) if role_of_label(match["label"])]
    if len(found) < 2 <= len(bare):
        found = bare
    return list(_cut(abstract, found))


def _cut(abstract: str, labels: list[re.Match[str]]) -> Iterator[LabelledPart]:
    before = abstract[: labels[0].start()] if labels else abstract
    if before.strip():
        yield LabelledPart(None, before.strip())
    ends = [match.start() for match in labels[1:]] + [len(abstract)]
    for match, end in zip(labels, ends, strict=False):
        if text := abstract[match.end() : end].strip():
            yield LabelledPart(role_of_label(match["label"]), text)


def remove_label(sentence: str) -> str:
    """The sentence without a label of its part that it begins with."""
    found = _LABEL.match(sentence)
    return sentence[found.end() :] if found and role_of_label(found["label"]) else sentence


_STATEMENT_OF: dict[Role, Statement] = {
    "background": "problem",
    "objective": "contribution",
    "method": "contribution",
    "result": "finding",
}


@dataclass(frozen=True, slots=True)
class StatedSentence:
    """A sentence, what it states, and how sure that is (1.0 where the abstract itself says so)."""

    text: str
    statement: Statement
    probability: float


@lru_cache(maxsize=4_096)
def read_statements(abstract: str) -> tuple[StatedSentence, ...]:
    """The sentences of an abstract in order, without its labels, each in the abstract letter for letter."""
    said = [(part.role, text) for part in divide_by_labels(abstract) for text in sentences(part.text)]
    judged = statement_probabilities(role_model().probabilities([text for _, text in said]))
    found = []
    for (role, text), row in zip(said, judged, strict=True):
        stated = _STATEMENT_OF.get(role) if role else None
        probability = 1.0 if stated else float(row.max())
        found.append(StatedSentence(text, stated or STATEMENTS[int(row.argmax())], probability))
    return tuple(found)
