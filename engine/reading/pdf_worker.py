"""Reads the text of a PDF; run by `engine.bounded_process`, with the PDF on standard input, the answer as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO


def serve(arguments: Sequence[str], content: BinaryIO, answer: BinaryIO) -> None:
    """Answer with title and pages, or with what is wrong; the arguments are the most pages and characters."""
    pages, characters = map(int, arguments)
    answer.write(json.dumps(_read(content.read(), pages, characters)).encode())


def _read(content: bytes, most_pages: int, most_characters: int) -> dict[str, Any]:
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        return {"wrong": "encrypted" if "password" in str(error).lower() else "broken"}
    total = len(pdf)
    if total > most_pages:
        return {"wrong": "pages", "pages": total}
    texts: list[str] = []
    left = most_characters
    for number in range(total):
        try:
            text = pdf[number].get_textpage().get_text_range()
        except pypdfium2.PdfiumError:
            text = ""  # one page that cannot be read; the others can
        if len(text) > left:
            return {"wrong": "characters"}
        left -= len(text)
        texts.append(text)
    title = pdf.get_metadata_dict().get("Title", "")
    return {"title": title[:500], "texts": texts}
