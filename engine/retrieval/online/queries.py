"""A search in the operators of each service: groups of alternatives, all of which must match, and filters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from engine.options import PaperKind
from engine.text import words
from engine.values import ALL_YEARS, Paper, YearRange

Field = Literal[
    "computer science", "medicine", "biology", "chemistry", "physics", "materials science", "engineering",
    "environmental science", "mathematics", "psychology", "sociology", "political science", "economics", "business",
    "education", "law", "history", "philosophy", "linguistics",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class BooleanQuery:
    """``groups`` must all match, each by any of its phrases; empty filters restrict nothing."""

    groups: tuple[tuple[str, ...], ...]
    years: YearRange = ALL_YEARS
    kinds: tuple[PaperKind, ...] = ()
    fields: tuple[Field, ...] = ()
    text: str = ""
    """What somebody wrote without operators, if that is all: its words are the groups."""

    def words(self) -> str:
        """The text, or the first phrase of each group, for services that know no operators, and for libraries."""
        if self.text:
            return self.text
        if len(self.groups) == 1:
            return " ".join(self.groups[0])
        return " ".join(group[0] for group in self.groups)

    def render(self, field: str = "") -> str:
        """With operators; ``field`` goes before each phrase: ``(all:"a" OR all:"b") AND all:"c"``."""
        parts = [[f'{field}"{plain_phrase(phrase)}"' for phrase in group] for group in self.groups]
        whole = [f"({' OR '.join(part)})" if len(part) > 1 and len(parts) > 1 else " OR ".join(part) for part in parts]
        return " AND ".join(whole)

    def names(self, paper: Paper) -> bool:
        """Whether title and abstract have one phrase of each group, letter for letter but for case."""
        said = f" {' '.join(words(f'{paper.title} {paper.content}'))} "
        return all(any(f" {' '.join(words(phrase))} " in said for phrase in group) for group in self.groups)

    def __str__(self) -> str:
        """As a person reads it, filters included."""
        filters = [f"years {self.years}"] if self.years != ALL_YEARS else []
        filters += [*self.kinds, *self.fields]
        return self.render() + (f" [{'; '.join(filters)}]" if filters else "")


def query_of(text: str, years: YearRange = ALL_YEARS, kinds: tuple[PaperKind, ...] = ()) -> BooleanQuery:
    """All words of a text."""
    found = [word for word in plain_phrase(text).split() if re.search(r"\w", word)]
    return BooleanQuery(tuple((word,) for word in found), years, kinds, text=text)


def plain_phrase(text: str) -> str:
    """Words in which no service reads an operator, a field or a quotation mark."""
    bare = re.sub(r"[^\w\s.+#'’/-]|_", " ", text)
    return " ".join(w.lower() if w in {"AND", "OR", "NOT"} else w for w in bare.split())
