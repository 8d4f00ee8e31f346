"""The full text of a paper: sections, passages with their pages, references; from a PDF or from arXiv's HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from engine.errors import UserError
from engine.limits import CHARACTERS_PER_TOKEN
from engine.reading.html_page import parse_page
from engine.reading.page_layout import (
    Line,
    boldest_text,
    join_lines,
    largest_texts,
    measure_text,
    put_aside_last,
    read_lines,
)
from engine.reading.paper_figures import PaperFigure, read_figures, read_licence
from engine.reading.pdf_text import PdfText
from engine.reading.reference_list import find_list, read_entries
from engine.reading.section_headings import SectionLines, divide
from engine.retrieval.paper_text import clean_passage
from engine.text import clean, fold, sentences
from engine.values import Passage

OPENING_TOKENS = 1_500
"""What of the main body a writer is given (AutoSurvey's drafting)."""

PASSAGE_CHARACTERS = 1_000
MOST_PASSAGES = 2_000

_NO_TITLE = re.compile(r"@|arxiv:|https?:|\bpublished|proceedings|conference|\d{4}", re.I)
_ENDED = re.compile(r"(?<=[.!?])\s+")
_BEFORE_BODY = {"", "abstract", "keywords"}
_REFERENCES = {"references", "bibliography"}
_AFTER_BODY = {
    fold(name)
    for name in (
        "references",
        "bibliography",
        "acknowledgment",
        "acknowledgments",
        "acknowledgement",
        "acknowledgements",
        "appendix",
    )
}


@dataclass(frozen=True, slots=True)
class FullText:
    """A paper as it was read; ``title`` is what the file says, which need not be true."""

    title: str
    abstract: str
    passages: tuple[Passage, ...]
    references: tuple[str, ...] = ()
    source: str = ""
    """Where the text was taken from: an address, or the name of a file."""
    licence: str = ""
    """What the page says that the paper may be used for; empty where it says nothing."""
    figures: tuple[PaperFigure, ...] = ()

    def body(self) -> Iterator[Passage]:
        """The main text: without abstract, references and what follows them."""
        for passage in self.passages:
            name = fold(passage.section)
            if name in _AFTER_BODY:
                return
            if name not in _BEFORE_BODY:
                yield passage

    def take_opening(self, tokens: int = OPENING_TOKENS) -> tuple[Passage, ...]:
        """The first passages of the main text, at most so many tokens together."""
        room = tokens * CHARACTERS_PER_TOKEN
        taken: list[Passage] = []
        for passage in list(self.body()) or [p for p in self.passages if fold(p.section) not in _AFTER_BODY]:
            if len(passage.text) > room:
                break
            room -= len(passage.text)
            taken.append(passage)
        return tuple(taken)


def from_pdf(pdf: PdfText, source: str) -> FullText:
    """Sections by their headings; each passage with the page (from 1) on which it begins."""
    lines = read_lines(pdf)
    text = measure_text(lines)
    passages: list[Passage] = []
    references: list[str] = []
    sections = divide(lines, text)
    if not any(fold(section.heading) in _REFERENCES for section in sections):
        sections = _divide_references(sections)
    for section in sections:
        is_list = fold(section.heading) in _REFERENCES
        block = (is_list and measure_text(section.lines)) or text
        running, aside = put_aside_last(section.lines, block) if block else (section.lines, ())
        if is_list:
            references += read_entries(running)
        passages += _divide_pages(section.heading, running) + _divide_pages(section.heading, aside)
    abstract = " ".join(p.text for p in passages if fold(p.section) == "abstract")
    return FullText(title_of(pdf), abstract, tuple(passages[:MOST_PASSAGES]), tuple(references), source)


def _divide_references(sections: Sequence[SectionLines]) -> list[SectionLines]:
    """The sections with a list of references without a heading, as the American Physical Society sets it, as one."""
    divided: list[SectionLines] = []
    for section in sections:
        found = find_list(section.lines)
        if found is None:
            divided.append(section)
            continue
        before, after = section.lines[: found.start], section.lines[found.stop :]
        divided += [SectionLines(section.heading, before), SectionLines("References", section.lines[found])]
        if after:
            divided.append(SectionLines("", after))
    return divided


def from_html(page: str, source: str) -> FullText:
    """A paper as arXiv's HTML (LaTeXML) has it. Raises `UserError` where the page holds none."""
    document = parse_page(page, source)
    article = next(iter(document.xpath("//article[contains(@class, 'ltx_document')]")), None)
    if article is None:
        raise UserError(f"The page {source} holds no paper.")
    passages: list[Passage] = []
    abstract = clean(" ".join(_texts(article, ".//div[contains(@class,'ltx_abstract')]//p")))
    if abstract:
        passages += _passages("Abstract", None, [abstract])
    for part in article.xpath(".//section[contains(@class,'ltx_section') or contains(@class,'ltx_subsection')]"):
        title = next(iter(_texts(part, "./*[contains(@class,'ltx_title')]")), "")
        own = "./div[contains(@class,'ltx_para')]//p|./p"
        passages += _passages(re.sub(r"^[\d.\s]+", "", title), None, _texts(part, own))
    title = next(iter(_texts(article, "./h1[contains(@class,'ltx_title')]")), "")
    references = _texts(article, ".//li[contains(@class,'ltx_bibitem')]")
    if not any(passage.section != "Abstract" for passage in passages):
        raise UserError(f"The page {source} holds no text of a paper.")
    kept, figures = tuple(passages[:MOST_PASSAGES]), tuple(read_figures(article, source, passages))
    return FullText(title, abstract, kept, tuple(references), source, read_licence(document), figures)


def title_of(pdf: PdfText) -> str:
    """What is likely the title: the file's own, where the first page says it too, else a line of that page."""
    return next(iter(titles_of(pdf)), clean(pdf.title))


def title_page_of(pdf: PdfText) -> str:
    """What of the first page may hold its title: what is set larger than the text, or all where nothing is."""
    return "\n\n".join(largest_texts(pdf)) or (pdf.pages[0] if pdf.pages else "")


def titles_of(pdf: PdfText) -> tuple[str, ...]:
    """What may be the title, the likeliest first: what the file says, what is largest or bold, the first lines."""
    first = pdf.pages[0] if pdf.pages else ""
    own = clean(pdf.title)
    found = [own] if len(own.split()) >= 3 and fold(own) in fold(first) else []
    found += [clean(text) for text in largest_texts(pdf) or filter(None, [boldest_text(pdf)])]
    lines = [clean(line) for line in first.split("\n")[:20]]
    start = next((i for i, line in enumerate(lines) if len(line.split()) >= 3 and not _NO_TITLE.search(line)), None)
    if start is not None:
        found += [" ".join(lines[start : start + count]) for count in (1, 2, 3)]
    return tuple(dict.fromkeys(found))


def _divide_pages(section: str, lines: Sequence[Line]) -> list[Passage]:
    """The passages of each page; a sentence that goes on on the next page belongs to the one on which it begins."""
    pages = [(page, join_lines([line.text for line in group])) for page, group in groupby(lines, lambda ln: ln.page)]
    found: list[Passage] = []
    for at, (page, text) in enumerate(pages):
        over = ""
        if at + 1 < len(pages):
            after, rest = pages[at + 1]
            over, rest = _carry_over(text, rest)
            pages[at + 1] = after, rest
        found += _passages(section, page, [join_lines([text, over])])
    return found


def _carry_over(text: str, rest: str) -> tuple[str, str]:
    """What the next page has of the last sentence of this one, and the rest of it."""
    last = next(iter(sentences(text)[-1:]), "")
    last = _ENDED.split(last)[-1]  # “3) We …” and other unpaired brackets are not divided
    joined = join_lines([last, rest])
    whole = next(iter(sentences(joined)), "")
    if len(whole) <= len(last):
        return "", rest
    left = joined[len(whole) :].strip()
    return rest[: len(rest) - len(left)].strip(), left


def _passages(section: str, page: int | None, lines: Sequence[str]) -> list[Passage]:
    """The lines as passages of at most `PASSAGE_CHARACTERS`, ended where a sentence ends."""
    found: list[str] = []
    for sentence in sentences(clean_passage(" ".join(lines))):
        if found and len(found[-1]) + len(sentence) < PASSAGE_CHARACTERS:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence[: 4 * PASSAGE_CHARACTERS])
    return [Passage(text, clean(section), page) for text in found]


def _texts(element: Any, path: str) -> list[str]:
    return [text for found in element.xpath(path) if (text := clean(found.text_content()))]
