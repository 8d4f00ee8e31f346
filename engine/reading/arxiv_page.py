"""A paper from arXiv's HTML, read in a process of its own (`serve`) with limits on time and memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import BinaryIO

from pydantic import TypeAdapter

from engine.bounded_process import ProcessLimits, call_bounded
from engine.errors import LimitExceeded, UserError
from engine.reading.full_text import FullText, from_html

LIMITS = ProcessLimits(memory_bytes=2**30, cpu_s=20, silence_s=120)


def read_html(content: bytes, url: str, limits: ProcessLimits = LIMITS) -> FullText:
    """The paper; blocks for up to ``limits.silence_s``, so call it in a thread.

    Raises `UserError` where the page holds none, or takes too much to read.
    """
    try:
        answer = json.loads(call_bounded("engine.reading.arxiv_page", content, limits, url))
    except LimitExceeded as error:
        raise UserError(f"The page {url[:200]} takes too much time or memory to read. It was not read.") from error
    if wrong := answer.get("wrong"):
        raise UserError(wrong)
    return TEXT.validate_python(answer)


TEXT = TypeAdapter(FullText)


def serve(arguments: Sequence[str], content: BinaryIO, answer: BinaryIO) -> None:
    """Answer with the `FullText` as JSON, or with what is wrong; the argument is the page's address."""
    page = content.read().decode("utf-8", "replace")
    try:
        answer.write(TEXT.dump_json(from_html(page, arguments[0])))
    except UserError as error:
        answer.write(json.dumps({"wrong": str(error)}).encode())
