"""A finished survey to be read in a chat, as values: its sections by pages, its sources by pages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from bot.views.actions import Action
from engine.citations import list_cited_keys
from engine.errors import UserError
from engine.evidence import section_at
from engine.survey import Section, Survey, Table, walk
from engine.text import clean
from engine.values import Paper

PAGE_CHARACTERS = 2_400
"""About a screen; a paragraph or a row of a table is never divided."""

SOURCES_PER_PAGE = 12
"""With long titles and their addresses about 4,000 characters, which is what the shortest card holds."""


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a section or of a part of it."""

    place: str
    title: str


Piece = Heading | str | Table
"""A heading, a paragraph with the keys of its citations, or a table."""


@dataclass(frozen=True, slots=True)
class SectionPage:
    """A page, from 1, of a section, with the way to its neighbours and to its evidence."""

    heading: Heading
    pieces: tuple[Piece, ...]
    page: int
    pages: int
    actions: tuple[Action, ...]

    def list_cited(self) -> set[str]:
        """Keys of the papers that are cited on it."""
        tables = (cell for piece in self.pieces if isinstance(piece, Table) for row in piece.rows for cell in row)
        texts = (*(piece for piece in self.pieces if isinstance(piece, str)), *tables)
        return {key for text in texts for key in list_cited_keys(text)}


def view_section(survey: Survey, place: str, page: int) -> SectionPage:
    """The page; raises `UserError` where there is no such section or page."""
    found = section_at(survey, place)
    pages = _divide(found, place)
    (pieces,) = take_page(pages, page, 1, f"section {place} has").items
    beside = [number for number, _ in walk(survey.sections) if number.count(".") == place.count(".")]
    at = beside.index(place) if place in beside else -1
    before = f"{place} page {page - 1}" if page > 1 else f"{beside[at - 1]} page 1" if at > 0 else ""
    after = f"{place} page {page + 1}" if page < len(pages) else ""
    after = after or (f"{beside[at + 1]} page 1" if 0 <= at < len(beside) - 1 else "")
    turns = [Action("earlier", f"show {before}", typed=False)] if before else []
    turns += [Action("later", f"show {after}", typed=False)] if after else []
    actions = (*turns, Action("evidence", f"why {place}"))
    return SectionPage(Heading(place, clean(found.title)), pieces, page, len(pages), actions)


def _divide(section: Section, place: str) -> list[tuple[Piece, ...]]:
    """Its text in pages; a heading stands with what follows it."""
    pages: list[list[Piece]] = [[]]
    size = 0
    for piece in _list_pieces(section, place):
        cells = [cell for row in piece.rows for cell in row] if isinstance(piece, Table) else []
        length = len(piece) if isinstance(piece, str) else sum(map(len, cells))
        if pages[-1] and size + length > PAGE_CHARACTERS:
            heading = pages[-1].pop() if isinstance(pages[-1][-1], Heading) else None
            pages.append([heading] if heading else [])
            size = 0
        last = pages[-1][-1] if pages[-1] else None
        if isinstance(piece, Table) and isinstance(last, Table) and piece.caption == last.caption:
            pages[-1][-1] = replace(last, rows=(*last.rows, *piece.rows))
        else:
            pages[-1].append(piece)
        size += length
    return [tuple(page) for page in pages if page] or [()]


def _list_pieces(section: Section, place: str) -> Iterator[Piece]:
    """Paragraphs, rows of tables, and the headings between them."""
    for number, part in (("", section), *walk(section.sections, f"{place}.")):
        if number:
            yield Heading(number, clean(part.title))
        yield from (paragraph for paragraph in part.text.split("\n\n") if paragraph.strip())
        yield from (replace(table, rows=(row,)) for table in part.tables for row in table.rows)


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
