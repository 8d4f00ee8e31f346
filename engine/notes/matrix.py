"""The matrix of papers and aspects, computed from notes: what can be counted over neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.llm.prompting import data
from engine.survey import MANNERS, How, Note


def describe_matrix(parts: Mapping[str, Sequence[Note]], titles: Mapping[str, str]) -> str:
    """One line for each part by its number: its title, how many papers were noted, by what they showed findings."""
    lines = [f"{n} {data(titles.get(n, ''))}: {count_manners(notes)}" for n, notes in parts.items() if notes]
    everything = [note for part in parts.values() for note in part]
    return "\n".join([*lines, f"All parts together: {count_manners(everything)}"]) if lines else "(none)"


def count_manners(notes: Sequence[Note]) -> str:
    """How many papers the notes are of, and how many of them showed something by each means."""
    papers = {note.key for note in notes}
    shown: Counter[How] = Counter(how for _, how in {(note.key, note.how) for note in notes})
    by = "; ".join(f"{how}: {shown[how]}" for how in MANNERS if shown[how] and how != "unclear")
    return f"{len(papers)} {'paper' if len(papers) == 1 else 'papers'}" + (f" ({by})" if by else "")
