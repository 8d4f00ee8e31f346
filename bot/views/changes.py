"""What a change of a finished survey did to its sections, as values: sentence by sentence, counted in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from engine.citations import remove_citations
from engine.survey import ClaimTally, Section, SectionChange, Survey, walk
from engine.text import all_sentences, clean

REWORDED = 60.0
"""Likeness (0 to 100) from which a new sentence says an old one in other words."""


@dataclass(frozen=True, slots=True)
class ChangedSection:
    """A section that is new or differs: its sentences that were ``reworded`` (old, new), ``added``, ``removed``.

    ``words`` and ``rows`` (of tables) are counted before and after. ``left_out`` are sentences of the new text that the
    papers were not found to say, ``unchecked`` those that could not be held against them.
    """

    place: str
    title: str
    words: tuple[int, int]
    rows: tuple[int, int]
    reworded: tuple[tuple[str, str], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    left_out: int = 0
    unchecked: int = 0


def list_changed_places(before: Survey, after: Survey) -> list[str]:
    """Numbers of the sections that are new or whose text or tables differ."""
    old, new = dict(walk(before.sections)), dict(walk(after.sections))
    was = {place: (section.text, section.tables) for place, section in old.items()}
    return [place for place, section in new.items() if was.get(place) != (section.text, section.tables)]


def view_changes(before: Survey, after: Survey, change: SectionChange | None) -> list[ChangedSection]:
    """Every section that is new or differs, in order; ``change`` is what was asked for, where it was one section's."""
    old, new = dict(walk(before.sections)), dict(walk(after.sections))
    return [_compare(place, old.get(place), new[place], change) for place in list_changed_places(before, after)]


def _compare(place: str, old: Section | None, new: Section, change: SectionChange | None) -> ChangedSection:
    was, now = all_sentences(old.text) if old else [], all_sentences(new.text)
    gone, came = [s for s in was if s not in now], [s for s in now if s not in was]
    is_translated = change is not None and change.way == "translate" and len(gone) == len(came)
    reworded = dict(zip(gone, came, strict=True)) if is_translated else _pair_reworded(gone, came)
    before, after = (sum(len(table.rows) for table in section.tables) for section in (old or new, new))
    left_out, unchecked = _count_unsupported(old, new, change)
    return ChangedSection(
        place,
        clean(new.title),
        (_count_words(was), _count_words(now)),
        (before, after),
        tuple(reworded.items()),
        tuple(sentence for sentence in came if sentence not in reworded.values()),
        tuple(sentence for sentence in gone if sentence not in reworded),
        left_out,
        unchecked,
    )


def _count_unsupported(old: Section | None, new: Section, change: SectionChange | None) -> tuple[int, int]:
    """Sentences of what was written anew that were left out and that are unchecked; none where nothing was written."""
    if change is None or change.way in {"remove", "cite"} or new.tally is None:
        return 0, 0
    earlier = old.tally if old and old.tally and change.way == "paragraph" else ClaimTally()
    return new.tally.removed - earlier.removed, new.tally.unchecked - earlier.unchecked


def _count_words(sentences: Sequence[str]) -> int:
    return sum(len(sentence.split()) for sentence in sentences)


def _pair_reworded(gone: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Old sentence → the new one that is most like it, where they are alike; in the order of the new text."""
    plain = {sentence: remove_citations(sentence) for sentence in (*gone, *new)}
    pairs: dict[str, str] = {}
    for after in new:
        left = {before: plain[before] for before in gone if before not in pairs}
        found = process.extractOne(plain[after], left, scorer=fuzz.token_sort_ratio, score_cutoff=REWORDED)
        if found:
            pairs[found[2]] = after
    return pairs
