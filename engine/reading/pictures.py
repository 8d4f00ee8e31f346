"""A picture that others made, drawn again in a process of its own, so that nothing but its pixels is kept."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter

from engine.bounded_process import ProcessLimits, call_bounded
from engine.errors import LimitExceeded, UserError

LIMITS = ProcessLimits(memory_bytes=2**30, cpu_s=20, silence_s=120)
_WORKER = "engine.reading.picture_worker"


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG or JPEG as base64, with its size in pixels."""

    kind: str
    width: int
    height: int
    base64: str


def redraw_picture(content: bytes, limits: ProcessLimits = LIMITS) -> Picture:
    """The picture; blocks for up to ``limits.silence_s``, so call it in a thread.

    Raises `UserError` for what is no picture (PNG, JPEG, GIF or WebP), or a bomb.
    """
    try:
        answer = call_bounded(_WORKER, content, limits)
    except LimitExceeded as error:
        raise UserError("The picture takes too much time or memory to read.") from error
    if not answer:
        raise UserError("The picture is damaged, too large, or of a kind that is not read.")
    return TypeAdapter(Picture).validate_json(answer)
