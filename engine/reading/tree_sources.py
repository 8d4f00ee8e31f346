"""What of a paper's text a tree is made from, within a bound: the abstract, then the openings of all its sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from engine.limits import CHARACTERS_PER_TOKEN
from engine.reading.attribute_trees import Level, Source
from engine.reading.full_text import FullText
from engine.text import clean, sentences
from engine.values import Paper, Passage

LONGEST_SENTENCE = 1_200
"""Characters of a sentence that are shown; what is longer is a table or a formula that was read as one."""


def source_of(paper: Paper, text: FullText | None, tokens: int) -> Source:
    """Numbered sentences of the abstract and, where the text was read, of its main body, ``tokens`` in all."""
    own = paper.abstract or (text.abstract if text else "")
    told: Level = "abstract" if own else "summary"
    abstract = [Passage(s, told.capitalize()) for s in _sentences(own or paper.summary)]
    body = list(_openings(text)) if text else []
    room = tokens * CHARACTERS_PER_TOKEN - sum(len(s.text) for s in abstract)
    chosen: list[tuple[int, Passage]] = []
    for place, passage in body:
        if len(passage.text) > room:
            break
        room -= len(passage.text)
        chosen.append((place, passage))
    chosen.sort(key=lambda item: item[0])
    read = [
        Passage(sentence, passage.section, passage.page)
        for _, passage in chosen
        for sentence in _sentences(passage.text)
    ]
    return Source(paper.key, clean(paper.title), "full text" if read else told, (*abstract, *read))


def _sentences(text: str) -> list[str]:
    return [sentence[:LONGEST_SENTENCE] for sentence in sentences(clean(text))]


def _openings(text: FullText) -> Iterator[tuple[int, Passage]]:
    """Passages of the main text with their places: the first of every section, then the second of every, and so on."""
    sections: dict[str, list[tuple[int, Passage]]] = {}
    for place, passage in enumerate(_main(text)):
        sections.setdefault(passage.section, []).append((place, passage))
    for row in zip_longest(*sections.values()):
        yield from (item for item in row if item is not None)


def _main(text: FullText) -> Sequence[Passage]:
    return list(text.body()) or [p for p in text.passages if p.section.casefold() not in {"abstract", "references"}]
