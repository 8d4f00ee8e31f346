"""What each sentence of one abstract states: as its labels say where it has some, else as the model judges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.reading.roles import STATEMENTS, Role, Statement, role_model, statement_probabilities
from engine.reading.stated_labels import divide_by_labels
from engine.text import sentences

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
