"""The text of a PDF, page by page, read in a process of its own with limits on size, pages, time and memory."""

from __future__ import annotations

import json
from dataclasses import dataclass

from engine.bounded_process import ProcessLimits, call_bounded
from engine.errors import LimitExceeded, UserError

LARGEST_BYTES = 50 * 2**20
MOST_PAGES = 500
MOST_CHARACTERS = 5_000_000
LIMITS = ProcessLimits(memory_bytes=2**30, cpu_s=20, silence_s=120)
"""A page that needs more is a bomb."""
LEAST_WORDS_PER_PAGE = 5
"""A PDF with fewer is made of pictures."""
_WORKER = "engine.reading.pdf_worker"


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


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says: its own title (often empty or wrong) and the text of each page, lines divided by one newline.

    A line that ends with a soft hyphen (U+00AD) ends inside a word.
    """

    title: str
    pages: tuple[str, ...]
    styles: tuple[tuple[LineStyle, ...], ...] = ()
    """For each line of each page; empty where the file has none, as plain text."""


def read_pdf(name: str, content: bytes, limits: ProcessLimits = LIMITS) -> PdfText:
    """The text; blocks for up to ``limits.silence_s``, so call it in a thread.

    Raises `UserError` with one sentence for a file that is too large, broken, encrypted, scanned, or takes too much.
    """
    if len(content) > LARGEST_BYTES:
        raise UserError(f"“{name}” is larger than {LARGEST_BYTES // 2**20} MB. Send a smaller PDF.")
    if not content[:1024].lstrip().startswith(b"%PDF-"):
        raise UserError(f"“{name}” is not a PDF, whatever its name says.")
    try:
        done = call_bounded(_WORKER, content, limits, str(MOST_PAGES), str(MOST_CHARACTERS))
    except LimitExceeded as error:
        raise UserError(
            f"“{name}” takes too much time or memory to read, as damaged and hostile PDFs do. It was not read."
        ) from error
    answer = json.loads(done)
    match answer.get("wrong"):
        case "encrypted":
            raise UserError(f"“{name}” is encrypted. Save it without a password and send it again.")
        case "broken":
            raise UserError(f"“{name}” is damaged: it cannot be opened as a PDF. Fetch it again.")
        case "pages":
            raise UserError(f"“{name}” has {answer['pages']:,} pages; at most {MOST_PAGES} are read.")
        case "characters":
            raise UserError(f"“{name}” has more text than a book; it was not read.")
    pages = tuple("\n".join(line[0] for line in page) for page in answer["pages"])
    if sum(len(page.split()) for page in pages) < LEAST_WORDS_PER_PAGE * max(1, len(pages)):
        raise UserError(f"“{name}” has no text; it seems to be scanned. Run text recognition (OCR) on it first.")
    styles = tuple(tuple(LineStyle(*line[1:]) for line in page) for page in answer["pages"])
    return PdfText(str(answer["title"]), pages, styles)
