"""What adding papers to a library changes: pure, the same for every kind of library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.retrieval.identity import fingerprint, merge_records
from engine.values import Paper, PaperKey


@dataclass(frozen=True, slots=True)
class Changes:
    """Papers to be written, those among them that are new, and how many of the batch changed nothing."""

    write: dict[PaperKey, Paper]
    fresh: frozenset[PaperKey]
    unchanged: int

    def updated(self, given: int) -> int:
        """How many of the ``given`` papers completed one that was there."""
        return given - self.unchanged - len(self.fresh)


def to_columns(paper: Paper, fields: Sequence[str]) -> dict[str, Any]:
    """The fields of a paper as a database takes them: lists for tuples, ``field=source`` for its origins."""
    values = {name: getattr(paper, name) for name in fields}
    return {
        **values,
        "authors": list(paper.authors),
        "identifiers": list(paper.identifiers),
        "origins": [f"{field}={source}" for field, source in paper.origins],
    }


def from_stored(values: Mapping[str, Any], fields: Sequence[str]) -> Paper:
    """The paper of what `to_columns` gave; a field that is missing or empty there has its default."""
    known = {name: values[name] for name in fields if values.get(name) is not None}
    known |= {name: tuple(known.get(name, ())) for name in ("authors", "identifiers")}
    known["origins"] = tuple((f, source) for o in known.get("origins", ()) for f, _, source in [o.partition("=")])
    return Paper(**known)


def identities(paper: Paper) -> list[str]:
    """Everything by which the same paper may be recognised, strongest first."""
    described = fingerprint(paper) if paper.authors else ""
    return list(dict.fromkeys([*paper.identifiers, paper.key, *([described] if described else [])]))


def find_known_key(paper: Paper, known: Mapping[str, PaperKey]) -> PaperKey | None:
    """The key under which the library has this paper; ``None`` for one it does not have."""
    return next((known[i] for i in identities(paper) if i in known), None)


def remember(known: dict[str, PaperKey], paper: Paper) -> None:
    """Enter a stored paper into what is known."""
    for identity in identities(paper):
        known.setdefault(identity, paper.key)


def changes(batch: Sequence[Paper], known: dict[str, PaperKey], stored: Mapping[PaperKey, Paper]) -> Changes:
    """What the batch changes; ``known`` (identity → key) grows by it, ``stored`` holds the papers it meets."""
    write: dict[PaperKey, Paper] = {}
    fresh: set[PaperKey] = set()
    unchanged = 0
    for paper in batch:
        target = find_known_key(paper, known)
        old = (write.get(target) or stored.get(target)) if target else None
        new = merge_records(old, paper) if old else paper
        if new == old:
            unchanged += 1
        else:
            write[new.key] = new
            fresh |= {new.key} if old is None else set()
        remember(known, new)
    return Changes(write, frozenset(fresh), unchanged)
