"""A note: what one paper says to one question, how that was shown, and the sentences of the paper that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from engine.addresses import sentences_at
from engine.values import Paper, PaperKey

How = Literal["simulation", "hardware", "field", "clinical", "theory", "data", "survey", "unclear"]
"""What a finding was shown by: in simulation, on a machine, in the field, on patients, by proof, on data sets, from
other papers; ``unclear`` where its sentences do not say."""

MANNERS: tuple[How, ...] = get_args(How)

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Note:
    """What a paper says to a question; ``sentences`` are numbers, from 1, of those that it rests on.

    Text is empty where these sentences do not say it.
    """

    key: PaperKey
    sentences: tuple[int, ...]
    how: How
    task: str
    """What it is about, or on whom."""
    method: str
    """By which method, on which data."""
    shown: str
    """What was found, with its figure, the unit, and what it is compared with."""
    limit: str

    @property
    def text(self) -> str:
        """All that it says, on one line."""
        said = (self.task, self.method, self.shown, f"limit: {self.limit}" if self.limit else "")
        return "; ".join(filter(None, (part.rstrip(" .;") for part in said)))


def is_grounded(note: Note, papers: Sequence[Paper]) -> bool:
    """Whether it rests on sentences that one of the papers has, and every figure in it stands in one of them."""
    own = next((paper for paper in papers if paper.key == note.key), None)
    found = sentences_at(own, note.sentences) if own else ()
    if not note.sentences or len(found) != len(set(note.sentences)):
        return False
    there = set(_FIGURE.findall(" ".join(sentence.text for sentence in found)))
    return bool(note.shown or note.method) and set(_FIGURE.findall(note.text)) <= there
