"""What a change did to a survey, sentence by sentence. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from rapidfuzz import fuzz, process

from bot.wording.sentences import pluralize
from bot.wording.survey import survey_text
from engine.citations import remove_citations
from engine.rendering.markdown import escape_markdown
from engine.survey import ClaimTally, Section, SectionChange, Survey, walk
from engine.text import all_sentences, clean, shorten

CHANGES_SHOWN = 6


def word_revision(before: Survey, after: Survey, change: SectionChange | None) -> str:
    """What became of the section that was changed, sentence by sentence; the other sections are as they were."""
    old, new = dict(walk(before.sections)), dict(walk(after.sections))
    places = list_changed_places(before, after)
    if not places:
        return f"Section {change.place} is as it was." if change else "The survey is as it was."
    parts = []
    for place in places:
        was = all_sentences(old[place].text) if place in old else []
        now = all_sentences(new[place].text)
        size = f"{sum(len(s.split()) for s in was):,} → {sum(len(s.split()) for s in now):,} words"
        rows = [_count_rows(section) for section in (old.get(place), new[place]) if section]
        size += f", {rows[0]:,} → {rows[-1]:,} rows" if len(set(rows)) > 1 else ""
        difference = _difference(was, now, after, is_translated=bool(change and change.way == "translate"))
        check = _word_check(old.get(place), new[place], change)
        parts.append(f"### {place} {escape_markdown(clean(new[place].title))}, changed: {size}")
        parts.append("\n".join(filter(None, (difference, check))))
    return "\n\n".join(parts)


def list_changed_places(before: Survey, after: Survey) -> list[str]:
    """Numbers of the sections that are new or whose text or tables differ."""
    old, new = dict(walk(before.sections)), dict(walk(after.sections))
    return [place for place in new if place not in old or _contents(old[place]) != _contents(new[place])]


def _contents(section: Section) -> tuple[object, ...]:
    return section.text, section.tables


def _count_rows(section: Section) -> int:
    return sum(len(table.rows) for table in section.tables)


def _word_check(old: Section | None, new: Section, change: SectionChange | None) -> str:
    """What of a new text was left out because it did not hold, and what of it nobody checked."""
    if change is None or change.way in {"remove", "cite"} or new.tally is None:
        return ""
    earlier = old.tally if old and old.tally and change.way == "paragraph" else ClaimTally()
    removed, unchecked = new.tally.removed - earlier.removed, new.tally.unchecked - earlier.unchecked
    lines = []
    if removed:
        lines.append(
            f"- left out of the new text: {pluralize(removed, 'sentence')} that the papers were not found to say"
        )
    if unchecked:
        was_or_were = "was" if unchecked == 1 else "were"
        lines.append(
            f"- {pluralize(unchecked, 'sentence')} of the new text {was_or_were} not checked against the papers"
        )
    return "\n".join(lines)


def _difference(was: Sequence[str], now: Sequence[str], survey: Survey, *, is_translated: bool) -> str:
    matcher = difflib.SequenceMatcher(a=was, b=now, autojunk=False)
    gone: list[str] = []
    new: list[str] = []
    for _, i, k, j, m in (step for step in matcher.get_opcodes() if step[0] != "equal"):
        gone += was[i:k]
        new += now[j:m]
    moved = set(gone) & set(new)
    gone, new = [s for s in gone if s not in moved], [s for s in new if s not in moved]
    is_paired = is_translated and len(gone) == len(new)
    reworded = dict(zip(gone, new, strict=True)) if is_paired else _pair_reworded(gone, new)
    changed = [f"- was: {_show_old(old)} → now: {survey_text(now, survey)}" for old, now in reworded.items()]
    added = [f"- added: {survey_text(sentence, survey)}" for sentence in new if sentence not in reworded.values()]
    removed = [f"- removed: {_show_old(sentence)}" for sentence in gone if sentence not in reworded]
    return "\n".join(
        [*_shorten_list(changed, "reworded"), *_shorten_list(added, "added"), *_shorten_list(removed, "removed")]
    )


def _shorten_list(lines: Sequence[str], what: str) -> list[str]:
    """The first few lines, and how many more there are."""
    rest = len(lines) - CHANGES_SHOWN
    more = [f"- … and {pluralize(rest, 'sentence')} more {what}"] if rest > 0 else []
    return [*lines[:CHANGES_SHOWN], *more]


def _show_old(sentence: str) -> str:
    return escape_markdown(shorten(clean(remove_citations(sentence)), OLD_SHOWN))


OLD_SHOWN = 160
"""Characters of a sentence that is gone."""

REWORDED = 60.0
"""Likeness (0 to 100) from which a new sentence says an old one in other words."""


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
