"""Reads the text of a PDF in a process of its own, which may use so much time and memory and no more.

Run as ``python -I -m engine.reading.pdf_worker PAGES CHARACTERS MEMORY_BYTES CPU_S`` with the PDF on standard
input; the answer is JSON on standard output. It imports nothing of ours: whatever a hostile file does to it,
nothing else is in reach.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Answer with title and pages, or with what is wrong."""
    pages, characters, memory, seconds = map(int, sys.argv[1:5])
    _limit_resources(memory, seconds)
    answer = _read(sys.stdin.buffer.read(), pages, characters)
    sys.stdout.write(json.dumps(answer))


def _limit_resources(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's time limit still holds
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


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


if __name__ == "__main__":
    main()
