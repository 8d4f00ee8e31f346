"""A note holds only where the sentences that it names exist, and its figures stand in the paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.addresses import number_sentences, sentences_at
from engine.survey import Note
from engine.values import Paper

_PARTS = ("task", "method", "shown", "limit")

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


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
