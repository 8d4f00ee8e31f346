"""How the pages of a PDF are laid out: running heads, columns, what stands aside; lines come as papers are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from statistics import median, quantiles

from engine.reading.pdf_text import Line, LineStyle, PdfText

SMALL = 0.93
"""Type that is so much smaller than the text's is a footnote's, a caption's or a table's."""
DIRECTLY = 1.6
"""Distance of baselines, in the text's own, up to which a line stands directly below another."""
LARGEST = 1.15
"""Type that is so much larger than the text's may be the title's."""
LEAST_TITLE_WORDS = 2
_ABSTRACT = re.compile(r"\W*(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|(?:1|I)?\.?\s*introduction)\b", re.I)
INDENT = 2.5
"""Widths of the type's height up to which a line of the text is indented."""
CAPTION = re.compile(r"(?:(?:Figure|Fig\.|Table|Tab\.|Algorithm|Listing)\s+(?:\d+|[IVX]+)\s*[.:|—–]|TABLE [IVX]+$)")
_PAGE_NUMBER = re.compile(r"(?:page\s*)?[-–—|\s]*(?:\d{1,5}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,5})?[-–—|\s]*", re.I)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """How the running text is set, in points: its type, the distance of its baselines, its columns and their width."""

    size: float
    pitch: float
    lefts: tuple[float, ...]
    width: float

    def is_in_column(self, style: LineStyle) -> bool:
        """Whether a line begins and ends as lines of the text do."""
        return any(
            left - self.size <= style.left <= left + INDENT * self.size and style.right <= left + self.width + self.size
            for left in self.lefts
        )

    def is_directly_below(self, style: LineStyle, above: LineStyle) -> bool:
        """Whether two lines of a page are neighbours in a column."""
        overlap = style.left < above.right and above.left < style.right
        return overlap and 0 < style.baseline - above.baseline <= DIRECTLY * self.pitch


def read_lines(pdf: PdfText) -> list[Line]:
    """The lines of all pages, without running heads, page numbers, and what is turned."""
    level = [line for line in pdf.lines if line.style.is_upright]
    running = _find_running(level)
    return [line for line in level if line not in running]


def measure_text(lines: Sequence[Line]) -> TextBlock | None:
    """How the running text is set; ``None`` of plain text, or where too few lines tell."""
    size = _text_size(lines)
    styles = [line.style for line in lines if _round_size(line.style.size) == size and len(line.text) > 20]
    if not size or len(styles) < 4:
        return None
    steps = [b.baseline - a.baseline for a, b in pairwise(styles)]
    pitch = median([step for step in steps if 0 < step < 2.5 * size] or [1.2 * size])
    width = quantiles([style.right - style.left for style in styles], n=20)[16]
    full = Counter(round(s.left) for s in styles if s.right - s.left >= 0.75 * width)
    edges = sorted(left for left, count in full.items() if count >= max(2, 0.03 * full.total())) or sorted(full)
    lefts = [left for left in edges if not any(0 < left - other <= INDENT * size for other in edges)]
    return TextBlock(size, pitch, tuple(lefts), width)


def title_texts(pdf: PdfText) -> list[str]:
    """What is set apart on the first page, above its abstract: what is larger than the text, the largest first.

    There a paper has its title, and perhaps the name of its journal. Where nothing is larger, as in the journals of the
    American Mathematical Society, it is what is first set in bold type; empty where nothing is.
    """
    lines = read_lines(pdf)
    size_of_text = _text_size(lines)
    above = takewhile(lambda line: line.page == 1 and not _ABSTRACT.match(line.text), lines)
    larger, bold = list[tuple[float, str]](), list[str]()
    for (size, is_bold), group in groupby(above, lambda line: (round(line.style.size), line.style.is_bold)):
        text = join_lines([line.text for line in group])
        if size_of_text and size >= LARGEST * size_of_text and len(text.split()) >= LEAST_TITLE_WORDS:
            larger.append((size, text))
        elif is_bold and len(text.split()) > LEAST_TITLE_WORDS:
            bold.append(text)
    return [text for _, text in sorted(larger, key=lambda item: -item[0])] or bold[:1]


def join_lines(lines: Sequence[str]) -> str:
    """The text of lines, with words whole that were divided at a line's end."""
    joined = "\n".join(line for line in lines if line)
    joined = re.sub(r"[\ufffe\u00ad\x02]\n?", "", joined)
    return re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", joined).replace("\n", " ")


def put_aside_last(lines: Sequence[Line], text: TextBlock) -> tuple[list[Line], list[Line]]:
    """The running text of a section, and what interrupts it: captions, and what is set small, such as footnotes."""
    aside = {at for at, line in enumerate(lines) if line.style.size < SMALL * text.size}
    for at, line in enumerate(lines):
        if CAPTION.match(line.text):
            aside.add(at)
            for other in range(at + 1, len(lines)):
                is_below = text.is_directly_below(lines[other].style, lines[other - 1].style)
                if lines[other].page != line.page or not is_below:
                    break
                aside.add(other)
    if 2 * sum(len(lines[at].text) for at in aside) > sum(len(line.text) for line in lines):
        return list(lines), []  # the whole section is set small, as a list of references is
    return [line for at, line in enumerate(lines) if at not in aside], [lines[at] for at in sorted(aside)]


def _find_running(lines: Sequence[Line]) -> set[Line]:
    """Lines at the very head or foot of their pages that are there on others too, or are the number of the page."""
    edges: list[tuple[Line, tuple[str, int]]] = []
    for _, page in groupby(lines, lambda line: line.page):
        at = {line: line.style.baseline for line in page if line.style.size}
        ends = [round(end(at.values())) for end in (min, max) if at]
        for line, baseline in at.items():
            if round(baseline) in ends:  # what heads have in common: their words without numbers, and their place
                edges.append((line, (re.sub(r"[\W\d_]+", "", line.text).casefold(), round(baseline / 3))))
    often = Counter(signature for _, signature in edges)
    return {line for line, place in edges if _PAGE_NUMBER.fullmatch(line.text) or (place[0] and often[place] >= 2)}


def _text_size(lines: Sequence[Line]) -> float:
    """The size of type in which most letters are set, in half points; 0 of plain text."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[_round_size(line.style.size)] += len(line.text)
    return max(letters, key=lambda size: letters[size], default=0.0)


def _round_size(size: float) -> float:
    return round(size * 2) / 2
