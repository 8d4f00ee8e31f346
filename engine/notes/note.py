"""A note: what one paper says to one question, how that was shown, and the sentences of the paper that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from engine.addresses import number_sentences, sentences_at
from engine.values import Paper, PaperKey

How = Literal["simulation", "hardware", "field", "clinical", "theory", "data", "survey", "unclear"]
"""What a finding was shown by: in simulation, on a machine, in the field, on patients, by proof, on data sets, from
other papers; ``unclear`` where its sentences do not say."""

MANNERS: tuple[How, ...] = get_args(How)

_PARTS = ("task", "method", "shown", "limit")

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


def ground(note: Note, papers: Sequence[Paper]) -> Note | None:
    """The note with every sentence that it rests on: those it names, and the first that holds each other figure of it.

    A setting and its result often stand in different sentences of an abstract. A part with a figure that stands nowhere
    in the paper is left out. ``None`` where nothing is left, or it names a sentence that none of the papers has.
    """
    own = next((paper for paper in papers if paper.key == note.key), None)
    if own is None or not note.sentences or len(sentences_at(own, note.sentences)) != len(set(note.sentences)):
        return None
    places: dict[str, list[int]] = {}
    for sentence in number_sentences(own):
        for figure in _figures(sentence.text):
            places.setdefault(figure, []).append(sentence.number)
    parts = {name: text for name in _PARTS if _figures(text := getattr(note, name)) <= set(places)}
    kept = replace(note, **{name: parts.get(name, "") for name in _PARTS})
    further = {places[figure][0] for figure in _figures(kept.text) if not set(places[figure]) & set(note.sentences)}
    return replace(kept, sentences=(*note.sentences, *sorted(further))) if kept.shown or kept.method else None


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text.replace("·", ".")))
