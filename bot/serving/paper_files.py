"""Files that are papers themselves, as PDF or plain text: what they say, and which paper each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import RetrievalError, UserError
from engine.reading.full_text import FullText, from_pdf, title_page_of, titles_of
from engine.reading.pdf import MOST_CHARACTERS, PdfText, read_pdf
from engine.retrieval.libraries.library import Library
from engine.retrieval.matching import recognise_document
from engine.retrieval.online.sources import Online
from engine.values import Paper

TEXTS = (".pdf", ".txt")


@dataclass(frozen=True, slots=True)
class PaperFile:
    """A file as it was read: its pages, and its text in sections."""

    pages: PdfText
    text: FullText

    @property
    def title_page(self) -> str:
        """Where its title stands."""
        return title_page_of(self.pages)


def read_paper_file(name: str, content: bytes) -> PaperFile:
    """What a file says; blocks, so call it in a thread. Raises `UserError` where it cannot be read."""
    if Path(name).suffix.lower() == ".pdf":
        pages = read_pdf(name, content)
    else:
        pages = PdfText("", (content.decode("utf-8", "replace")[:MOST_CHARACTERS],))
    return PaperFile(pages, from_pdf(pages, name))


async def find_paper(file: PaperFile, library: Library, online: Online | None) -> Paper | None:
    """The paper that a file is, with its true metadata; ``None`` where nobody knows it: they are never made up.

    Raises `UserError` where that could not be looked up.
    """
    try:
        return await recognise_document(file.pages.pages[0], file.title_page, titles_of(file.pages), library, online)
    except RetrievalError as error:
        raise UserError(
            f"I read “{file.text.source}”, but could not look up which paper it is ({error}) "
            "Send it again later, or with a BibTeX file that has its DOI."
        ) from error


def say_unknown(file: PaperFile) -> str:
    """That nobody knows the paper."""
    return (
        f"I read “{file.text.source}”, but found no paper with its DOI, arXiv id or title "
        f"(“{file.text.title[:120]}”), and I do not make up references."
    )
