"""A finished survey to be read in a chat, as values: its sections by pages, its sources by pages. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.views.actions import Action
from engine.citations import list_cited_keys, numbers
from engine.errors import UserError
from engine.evidence import section_at
from engine.survey import Section, Survey, walk
from engine.text import clean
from engine.values import Paper

PAGE_CHARACTERS = 2_400
"""About a screen; a paragraph or a row of a table is never divided."""

SOURCES_PER_PAGE = 12
"""With long titles and their addresses about 4,000 characters, which is what the shortest card holds."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """Some of ``total`` items; ``start`` are before them."""

    items: Sequence[Item]
    start: int
    total: int
    number: int
    last: int


def take_page(items: Sequence[Item], number: int, size: int, what: str) -> Page[Item]:
    """The page, from 1. Raises `UserError` where there is no such page."""
    last = max(1, -(-len(items) // size))
    if not 1 <= number <= last:
        raise UserError(f"There is no page {number}; {what} pages 1 to {last}.")
    start = (number - 1) * size
    return Page(items[start : start + size], start, len(items), number, last)


def view_sources(survey: Survey, wanted: tuple[int, ...], page: int) -> Page[tuple[int, Paper]]:
    """A page, from 1, of the references of these numbers, of all where none is wanted. Raises `UserError`."""
    chosen = [(n, paper) for n, paper in enumerate(survey.references, start=1) if not wanted or n in wanted]
    return take_page(chosen, page, SOURCES_PER_PAGE, "the sources have")


def offer_sources(cited: Iterable[str], survey: Survey) -> tuple[Action, ...]:
    """What lists the sources of a message by their keys; nothing where it cites none."""
    known = {str(key): number for key, number in numbers(survey).items()}
    wanted = sorted({known[key] for key in cited if key in known})
    listed = " ".join(map(str, wanted))
    command = f"references {listed} of {checksum(survey, wanted)}" if len(listed) <= 50 else "references"
    return (Action("sources", command, typed=False),) if wanted else ()


def checksum(survey: Survey, wanted: Sequence[int]) -> int:
    """Which papers these numbers are: another figure where a change of the survey has numbered others so."""
    keys = (survey.references[number - 1].key for number in wanted if 1 <= number <= len(survey.references))
    return zlib.crc32(" ".join(keys).encode()) % 1_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph below the heading of its part, or the ``row`` (column and cell) of a table below its caption.

    Citations are keys; the section's own paragraphs have no heading.
    """

    number: str
    heading: str
    text: str = ""
    row: tuple[tuple[str, str], ...] = ()

    @property
    def whole(self) -> str:
        """All that is read of it."""
        return self.text or " ".join(cell for _, cell in self.row)


@dataclass(frozen=True, slots=True)
class SectionPage:
    """A page, from 1, of a section, with the way to its neighbours and to its evidence."""

    place: str
    title: str
    pieces: Sequence[Piece]
    page: int
    pages: int
    actions: tuple[Action, ...]

    def list_cited(self) -> set[str]:
        """Keys of the papers that are cited on it."""
        return {key for piece in self.pieces for key in list_cited_keys(piece.whole)}


def view_section(survey: Survey, place: str, number: int) -> SectionPage:
    """The page; raises `UserError` where there is no such section or page."""
    section = section_at(survey, place)
    page = take_page(_divide(section, place), number, 1, f"section {place} has")
    beside = [other for other, _ in walk(survey.sections) if other.count(".") == place.count(".")]
    at = beside.index(place)
    before = [*(f"{other} page 1" for other in beside[:at]), *(f"{place} page {n}" for n in range(1, number))]
    after = [f"{place} page {n}" for n in range(number + 1, page.last + 1)]
    after += [f"{other} page 1" for other in beside[at + 1 :]]
    turns = [Action("earlier", f"show {there}", typed=False) for there in before[-1:]]
    turns += [Action("later", f"show {there}", typed=False) for there in after[:1]]
    actions = (*turns, Action("evidence", f"why {place}"))
    return SectionPage(place, clean(section.title), page.items[0], number, page.last, actions)


def _divide(section: Section, place: str) -> list[list[Piece]]:
    """Its text in pages."""
    pages: list[list[Piece]] = [[]]
    size = 0
    for piece in _list_pieces(section, place):
        size += len(piece.whole)
        if pages[-1] and size > PAGE_CHARACTERS:
            pages.append([])
            size = len(piece.whole)
        pages[-1].append(piece)
    return pages


def _list_pieces(section: Section, place: str) -> Iterator[Piece]:
    for number, part in (("", section), *walk(section.sections, f"{place}.")):
        heading = clean(part.title) if number else ""
        yield from (Piece(number, heading, text) for text in part.text.split("\n\n") if text.strip() or number)
        for table in part.tables:
            named = (tuple(zip(table.header, row, strict=False)) for row in table.rows)
            yield from (Piece("", clean(table.caption), row=cells) for cells in named)
