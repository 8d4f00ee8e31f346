"""The text of a PDF, page by page, read in a process of its own, with limits."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.bounded_process import TOO_MUCH, ProcessLimits, call_bounded
from engine.errors import UserError

LARGEST_BYTES = 50 * 2**20
MOST_PAGES = 500
MOST_CHARACTERS = 5_000_000
LIMITS = ProcessLimits(memory_bytes=2**30, cpu_s=20, silence_s=120)
"""A page that needs more is a bomb."""
LEAST_WORDS_PER_PAGE = 5
"""A PDF with fewer is made of pictures."""


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How a line is set: where it begins and ends and its baseline, in points from the page's top left; its type."""

    left: float
    right: float
    baseline: float
    size: float
    """Height of the type in points."""
    is_bold: bool = False
    is_italic: bool = False
    is_upright: bool = True


PLAIN = LineStyle(0.0, 0.0, 0.0, 0.0)
"""That of plain text, of which nothing is known: its type has no size."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page (from 1); one that ends with U+00AD ends inside a word."""

    text: str
    page: int
    style: LineStyle = PLAIN


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says: its own title (often empty or wrong) and its lines."""

    title: str
    lines: tuple[Line, ...]

    @property
    def first_page(self) -> str:
        """The lines of the first page."""
        return "\n".join(line.text for line in self.lines if line.page == 1)


def read_plain(*pages: str) -> PdfText:
    """The same of plain text."""
    lines = ((number, text) for number, page in enumerate(pages, start=1) for text in _END.sub("\n", page).split("\n"))
    return PdfText("", tuple(Line(text.strip(), number) for number, text in lines))


def read_pdf(name: str, content: bytes, limits: ProcessLimits = LIMITS) -> PdfText:
    """The text; blocks: call it in a thread. Raises `UserError` for what is no PDF, scanned, or takes too much."""
    if len(content) > LARGEST_BYTES:
        raise UserError(f"“{name}” is larger than {LARGEST_BYTES // 2**20} MB. Send a smaller PDF.")
    if not content[:1024].lstrip().startswith(b"%PDF-"):
        raise UserError(f"“{name}” is not a PDF, whatever its name says.")
    try:
        return call_bounded(extract_text, content, limits, f"{TOO_MUCH}. It was not read.")
    except UserError as error:
        raise UserError(f"“{name}” {error}") from error


SAMPLED = 12
"""Letters of a line whose type is looked at."""
_HYPHENS = "\x02\ufffe\u00ad"
"""What PDFium gives for the hyphen of a divided word, after which it begins no new line."""
_END = re.compile(rf"(?<=[{_HYPHENS}])(?!\n)")
_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|cmb\d|cmssbx", re.I)
_ITALIC = re.compile(r"ital|obli|slant|cmti|cmsl", re.I)
MARK_SIZE = 0.8
"""A figure so much smaller than its line is the mark of a footnote, or an exponent."""


def extract_text(content: bytes) -> PdfText:
    """What the PDF says. Raises `UserError` with what is wrong, to be said of the file."""
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UserError("is encrypted. Save it without a password and send it again.") from error
        raise UserError("is damaged: it cannot be opened as a PDF. Fetch it again.") from error
    total = len(pdf)
    if total > MOST_PAGES:
        raise UserError(f"has {total:,} pages; at most {MOST_PAGES} are read.")
    lines: list[Line] = []
    left = MOST_CHARACTERS
    for number in range(total):
        try:
            page = pdf[number]
            text, height = page.get_textpage(), page.get_height()
        except pypdfium2.PdfiumError:
            continue  # the others can be read
        left -= text.count_chars()
        if left < 0:
            raise UserError("has more text than a book; it was not read.")
        lines += _read_page(text, number + 1, height)
    if sum(len(line.text.split()) for line in lines) < LEAST_WORDS_PER_PAGE * max(1, total):
        raise UserError("has no text; it seems to be scanned. Run text recognition (OCR) on it first.")
    return PdfText(pdf.get_metadata_dict().get("Title", "")[:500], tuple(lines))


def _read_page(text: Any, page: int, height: float) -> Iterator[Line]:
    import pypdfium2.raw as pdfium

    characters = [pdfium.FPDFText_GetUnicode(text, at) for at in range(text.count_chars())]
    first = 0
    for at, code in enumerate([*characters, 10]):
        is_hyphen = chr(code) in _HYPHENS
        if code not in {10, 13} and not is_hyphen:
            continue
        places = [n for n in range(first, at) if characters[n]]
        if shown := [n for n in places if not chr(characters[n]).isspace()]:
            style = _read_style(text, characters, shown, height)
            kept = [characters[n] for n in places if not _is_mark(text, characters, style.size, n)]
            yield Line(_decode(kept).strip() + ("\u00ad" if is_hyphen else ""), page, style)
        first = at + 1


def _read_style(text: Any, characters: Sequence[int], shown: Sequence[int], height: float) -> LineStyle:
    import pypdfium2.raw as pdfium

    letters = [n for n in shown if chr(characters[n]).isalpha()] or shown
    sample = letters[:: max(1, len(letters) // SAMPLED)]
    sizes = sorted(_size(text, n) for n in sample)
    size = sizes[len(sizes) // 2]
    names = [_font(text, n) for n in sample]
    x, y, left, right = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharOrigin(text, shown[0], x, y)
    pdfium.FPDFText_GetCharBox(text, shown[-1], left, right, ctypes.c_double(), ctypes.c_double())
    upright = abs(math.sin(pdfium.FPDFText_GetCharAngle(text, shown[0]))) < 0.1
    bold = sum(bool(_BOLD.search(name)) for name in names) >= 0.9 * len(names)
    italic = sum(bool(_ITALIC.search(name)) for name in names) >= 0.9 * len(names)
    measured = (x.value, right.value, height - y.value, size)
    begins, ends, baseline, size = (round(value, 1) if math.isfinite(value) else 0.0 for value in measured)
    return LineStyle(begins, ends, baseline, size, bold, italic, upright)


def _is_mark(text: Any, characters: Sequence[int], size: float, at: int) -> bool:
    """Whether a character is a small figure behind a word, which is the mark of a footnote."""
    if not (chr(characters[at]).isdigit() and at):
        return False
    before = next((chr(c) for c in reversed(characters[max(0, at - 3) : at]) if not chr(c).isdigit()), "")
    return (before.isalpha() or before in '.,;:)]”"') and _size(text, at) < MARK_SIZE * size


def _size(text: Any, at: int) -> float:
    """The height of the type in points: what the font is set to, as its matrix stretches it."""
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(text, at, matrix)
    size = float(pdfium.FPDFText_GetFontSize(text, at)) * (math.hypot(matrix.c, matrix.d) or 1.0)
    return size if math.isfinite(size) else 0.0


def _font(text: Any, at: int) -> str:
    import pypdfium2.raw as pdfium

    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text, at, name, len(name), flags)
    return name.value.decode("utf-8", "replace")


def _decode(codes: Sequence[int]) -> str:
    """The characters; a pair of surrogates is one."""
    raw = "".join(map(chr, codes)).encode("utf-16-le", "surrogatepass")
    return raw.decode("utf-16-le", "replace")
