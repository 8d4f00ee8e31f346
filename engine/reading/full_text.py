"""The full text of a paper: sections, passages with their pages, references; from a PDF or from arXiv's HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import lxml.html

from engine.errors import UserError
from engine.limits import CHARACTERS_PER_TOKEN
from engine.reading.pdf import PdfText
from engine.retrieval.paper_text import clean_passage
from engine.text import clean, fold, sentences
from engine.values import Passage

OPENING_TOKENS = 1_500
"""What of the main body a writer is given (AutoSurvey's drafting)."""

PASSAGE_CHARACTERS = 1_000
HEADING_CHARACTERS = 90
MOST_PASSAGES = 2_000

_KNOWN_HEADINGS = frozenset(
    fold(name)
    for name in (
        "abstract", "introduction", "background", "related work", "preliminaries", "methods", "method", "methodology",
        "approach", "materials and methods", "experiments", "experimental setup", "results", "evaluation", "analysis",
        "discussion", "limitations", "conclusion", "conclusions", "conclusion and future work", "acknowledgments",
        "acknowledgements", "references", "bibliography", "appendix",
    )
)  # fmt: skip
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,2}\.?|[IVX]{1,4}\.|[A-H]\.)\s+(\S.*)$")
_NO_TITLE = re.compile(r"@|arxiv:|https?:|published|proceedings|conference|\d{4}", re.I)
_BEFORE_BODY = {"", "abstract"}
_AFTER_BODY = {fold(name) for name in ("references", "bibliography", "acknowledgments", "acknowledgements", "appendix")}


@dataclass(frozen=True, slots=True)
class FullText:
    """A paper as it was read; ``title`` is what the file says, which need not be true."""

    title: str
    abstract: str
    passages: tuple[Passage, ...]
    references: tuple[str, ...] = ()
    source: str = ""
    """Where the text was taken from: an address, or the name of a file."""

    def body(self) -> Iterator[Passage]:
        """The main text: without abstract, references and what follows them."""
        for passage in self.passages:
            name = fold(passage.section)
            if name in _AFTER_BODY:
                return
            if name not in _BEFORE_BODY:
                yield passage

    def opening(self, tokens: int = OPENING_TOKENS) -> tuple[Passage, ...]:
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
    """Sections by their headings; each passage with its page (from 1)."""
    section = ""
    passages: list[Passage] = []
    references: list[str] = []
    last: tuple[str, ...] = ()
    before = ""
    for number, page in enumerate(pdf.pages, start=1):
        held: list[str] = []
        lines = [line.strip() for line in _whole_words(page).split("\n")]
        for line, after in zip(lines, [*lines[1:], ""], strict=True):
            heading = _heading(line)
            counted = _number_of(line)
            in_place = fold(heading or "") in _KNOWN_HEADINGS or (_follows(counted, last) and _is_alone(before, after))
            before = line or before
            if heading is None or not in_place:
                held.append(line)
                continue
            passages += _passages(section, number, held)
            held, section, last, before = [], heading, counted or last, ""
        if fold(section) in {"references", "bibliography"}:
            references += held
        passages += _passages(section, number, held)
    abstract = " ".join(p.text for p in passages if fold(p.section) == "abstract")
    return FullText(title_of(pdf), abstract, tuple(passages[:MOST_PASSAGES]), tuple(_entries(references)), source)


def from_html(page: str, source: str) -> FullText:
    """A paper as arXiv's HTML (LaTeXML) has it. Raises `UserError` where the page holds none."""
    parser = lxml.html.HTMLParser(no_network=True, huge_tree=False)
    try:
        document: Any = lxml.html.document_fromstring(page, parser=parser)
    except (lxml.etree.ParserError, ValueError) as error:
        raise UserError(f"The page {source} holds no paper.") from error
    for unwanted in document.xpath("//script|//style|//nav|//annotation|//annotation-xml"):
        unwanted.drop_tree()
    for formula in document.xpath("//math[@alttext]"):
        formula.text, formula[:] = formula.get("alttext"), []
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
    return FullText(title, abstract, tuple(passages[:MOST_PASSAGES]), tuple(references), source)


def title_of(pdf: PdfText) -> str:
    """What is likely the title: the file's own, where the first page says it too, else a line of that page."""
    return next(iter(titles_of(pdf)), clean(pdf.title))


def titles_of(pdf: PdfText) -> tuple[str, ...]:
    """What may be the title, the likeliest first: a long one is set in two lines or three."""
    first = pdf.pages[0] if pdf.pages else ""
    own = clean(pdf.title)
    found = [own] if len(own.split()) >= 3 and fold(own) in fold(first) else []
    lines = [clean(line) for line in first.split("\n")[:20]]
    start = next((i for i, line in enumerate(lines) if len(line.split()) >= 3 and not _NO_TITLE.search(line)), None)
    if start is not None:
        found += [" ".join(lines[start : start + count]) for count in (1, 2, 3)]
    return tuple(dict.fromkeys(found))


def _heading(line: str) -> str | None:
    if not 3 <= len(line) <= HEADING_CHARACTERS:
        return None
    numbered = _NUMBERED.match(line)
    bare = numbered[1] if numbered else line
    if fold(bare) in _KNOWN_HEADINGS:
        return bare
    if re.match(r"(?:We|It|They|This|These|Our|Then|In this)\b", bare) or re.search(r",\s+[A-Z]\.", bare):
        return None  # a wrapped sentence, or names with initials
    is_title = bare[:1].isupper() and not bare.endswith((".", ",", ";", ":")) and 1 <= len(bare.split()) <= 10
    return bare if numbered and is_title and sum(ch.isalpha() for ch in bare) > len(bare) / 2 else None


def _number_of(line: str) -> tuple[str, ...]:
    """The parts of a heading's number: ``("2", "1")`` of “2.1 Models”; empty where it has none."""
    match = re.match(r"(\d{1,2}(?:\.\d{1,2}){0,2}|[IVX]{1,4}|[A-H])\.?\s", line)
    return tuple(match[1].split(".")) if match else ()


MOST_SKIPPED = 2
"""Headings that may be missing between two numbers, because they were not recognised."""


def _follows(number: tuple[str, ...], last: tuple[str, ...]) -> bool:
    """Whether a number comes after the last one: “3. We” after section 5 and “D. Mitchell” are no headings."""
    places = [[_place(part) for part in parts] for parts in (number, last)]
    now, then = places
    if not now or not now[-1]:
        return False
    if len(now) > 1:
        return not then or now[0] in range(then[0], then[0] + MOST_SKIPPED + 1)
    if not then or number[0].isdigit() != last[0].isdigit():
        return now[0] <= 1 + (MOST_SKIPPED if number[0].isdigit() and not then else 0)
    return 0 < now[0] - then[0] <= MOST_SKIPPED


def _place(part: str) -> int:
    if part.isdigit():
        return int(part)
    romans = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
    return romans.index(part) + 1 if part in romans else ord(part[0]) - ord("A") + 1 if len(part) == 1 else 0


def _is_alone(before: str, after: str) -> bool:
    """Whether a line stands between two texts: the one before is at its end, the one after is at its beginning."""
    return not re.search(r"[a-z,;(–-]$", before) and not re.match(r"[a-z(),;]", after)


def _whole_words(page: str) -> str:
    """The page with words that were divided at a line's end made whole."""
    joined = re.sub(r"[\ufffe\u00ad\x02]\n?", "", page)
    return re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", joined)


def _passages(section: str, page: int | None, lines: Sequence[str]) -> list[Passage]:
    """The lines as passages of at most `PASSAGE_CHARACTERS`, ended where a sentence ends."""
    found: list[str] = []
    for sentence in sentences(clean_passage(" ".join(lines))):
        if found and len(found[-1]) + len(sentence) < PASSAGE_CHARACTERS:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence[: 4 * PASSAGE_CHARACTERS])
    return [Passage(text, clean(section), page) for text in found]


def _entries(lines: Sequence[str]) -> list[str]:
    """Entries of a list of references: each begins with [n] or n., or, where none does, each line is one."""
    text = "\n".join(line for line in lines if line)
    parts = re.split(r"\n?(?=\[\d{1,3}\]\s)", text)
    if len(parts) < 3:
        parts = re.split(r"\n(?=\d{1,3}\.\s+[A-Z])", text)
    return [entry for part in parts if (entry := clean(part))]


def _texts(element: Any, path: str) -> list[str]:
    return [text for found in element.xpath(path) if (text := clean(found.text_content()))]
