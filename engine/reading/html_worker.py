"""Reads a paper from arXiv's HTML; run by `engine.bounded_process`, with the page on standard input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import BinaryIO

from pydantic import TypeAdapter

from engine.errors import UserError
from engine.reading.full_text import FullText, from_html

TEXT = TypeAdapter(FullText)


def serve(arguments: Sequence[str], content: BinaryIO, answer: BinaryIO) -> None:
    """Answer with the `FullText` as JSON, or with what is wrong; the argument is the page's address."""
    page = content.read().decode("utf-8", "replace")
    try:
        answer.write(TEXT.dump_json(from_html(page, arguments[0])))
    except UserError as error:
        answer.write(json.dumps({"wrong": str(error)}).encode())
