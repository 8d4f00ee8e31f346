"""The full text of a paper: its sections as passages with their pages, from a PDF; and what may be its title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

from engine.limits import CHARACTERS_PER_TOKEN
from engine.reading.page_layout import join_lines, measure_text, put_aside_last, read_lines, title_texts
from engine.reading.paper_figures import PaperFigure
from engine.reading.pdf_text import Line, PdfText
from engine.reading.section_headings import AFTER_BODY, Section, divide
from engine.retrieval.paper_text import clean_passage
from engine.text import clean, fold, sentences
from engine.values import Passage

OPENING_TOKENS = 1_500
"""What of the main body a writer is given (AutoSurvey's drafting)."""

_MARK = re.compile(r"\[?(\d{1,3})(?:[\].]\s|(?=[A-Z]))")
"""How an entry of a list of references begins: [1], 1., or 1 as an exponent."""
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
LEAST_ENTRIES = 5
"""Entries without a heading above them that are a list of references."""

PASSAGE_CHARACTERS = 1_000
MOST_PASSAGES = 2_000

_NO_TITLE = re.compile(r"@|arxiv:|https?:|\bpublished|proceedings|conference|\d{4}", re.I)
_BEFORE_BODY = {"", "abstract", "keywords"}


@dataclass(frozen=True, slots=True)
class FullText:
    """A paper as it was read; ``title`` is what the file says, which need not be true."""

    title: str
    abstract: str
    passages: tuple[Passage, ...]
    source: str = ""
    """Where the text was taken from: an address, or the name of a file."""
    licence: str = ""
    """What the page says that the paper may be used for; empty where it says nothing."""
    figures: tuple[PaperFigure, ...] = ()

    def body(self) -> Iterator[Passage]:
        """The main text: without abstract, references and what follows them; of a text without headings, everything."""
        headed = takewhile(lambda passage: fold(passage.section) not in AFTER_BODY, self.passages)
        main = [passage for passage in headed if fold(passage.section) not in _BEFORE_BODY]
        yield from main or (passage for passage in self.passages if not passage.section)

    def take_opening(self, tokens: int = OPENING_TOKENS) -> tuple[Passage, ...]:
        """The first passages of the main text, at most so many tokens together."""
        return tuple(take_fitting(self.body(), tokens * CHARACTERS_PER_TOKEN))


def take_fitting(passages: Iterable[Passage], characters: int) -> Iterator[Passage]:
    """The first passages that have at most so many characters together."""
    left = characters
    for passage in passages:
        left -= len(passage.text)
        if left < 0:
            return
        yield passage


def from_pdf(pdf: PdfText, source: str) -> FullText:
    """Sections by their headings; each passage with the page (from 1) on which it begins."""
    lines = read_lines(pdf)
    text = measure_text(lines)
    passages: list[Passage] = []
    for heading, said in _divide_list(divide(lines, text)):
        running, aside = put_aside_last(said, text) if text else (said, [])
        passages += _divide_pages(heading, running) + _divide_pages(heading, aside)
    abstract = " ".join(p.text for p in passages if fold(p.section) == "abstract")
    title = next(iter(titles_of(pdf)), clean(pdf.title))
    return FullText(title, abstract, tuple(passages[:MOST_PASSAGES]), source)


def _divide_list(sections: list[Section]) -> list[Section]:
    """The sections with a list of references at the end that has no heading, as journals of physics set it, as one."""
    heading, lines = sections[-1]
    marks = {int(mark[1]): at for at, line in enumerate(lines) if (mark := _MARK.match(line.text))}
    begins = [marks.get(number, -1) for number in range(1, LEAST_ENTRIES + 1)]
    entries = lines[begins[0] :]
    dated = sum(bool(_YEAR.search(line.text)) for line in entries)
    if begins[0] < 0 or begins != sorted(begins) or 2 * dated < len(marks):
        return sections
    return [*sections[:-1], (heading, lines[: begins[0]]), ("References", entries)]


def title_page_of(pdf: PdfText) -> str:
    """What of the first page may hold its title: what is set apart from the text, or all where nothing is."""
    return "\n\n".join(title_texts(pdf)) or pdf.first_page


def titles_of(pdf: PdfText) -> tuple[str, ...]:
    """What may be the title, the likeliest first: what the file says, what is largest or bold, the first lines."""
    first = pdf.first_page
    own = clean(pdf.title)
    found = [own] if len(own.split()) >= 3 and fold(own) in fold(first) else []
    found += map(clean, title_texts(pdf))
    lines = [clean(line) for line in first.split("\n")[:20]]
    start = next((i for i, line in enumerate(lines) if len(line.split()) >= 3 and not _NO_TITLE.search(line)), None)
    if start is not None:
        found += [" ".join(lines[start : start + count]) for count in (1, 2, 3)]
    return tuple(dict.fromkeys(found))


def _divide_pages(section: str, lines: Sequence[Line]) -> list[Passage]:
    """The passages of each page; a sentence that goes on on the next page belongs to the one on which it begins."""
    pages = {page: join_lines([line.text for line in group]) for page, group in groupby(lines, lambda ln: ln.page)}
    for page, after in pairwise(pages):
        if sentences(f"{pages[page][-PASSAGE_CHARACTERS:]} Next")[-1] != "Next":
            rest = next(iter(sentences(pages[after])), "")
            pages[page] = join_lines([pages[page], rest])
            pages[after] = pages[after][len(rest) :].strip()
    return [passage for page, text in pages.items() for passage in make_passages(section, page, [text])]


def make_passages(section: str, page: int | None, lines: Sequence[str]) -> list[Passage]:
    """The lines as passages of at most `PASSAGE_CHARACTERS`, ended where a sentence ends."""
    found: list[str] = []
    for sentence in sentences(clean_passage(" ".join(lines))):
        if found and len(found[-1]) + len(sentence) < PASSAGE_CHARACTERS:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence[: 4 * PASSAGE_CHARACTERS])
    return [Passage(text, clean(section), page) for text in found]
