"""Markers of citations by number, and brackets with numbers that are none."""

from __future__ import annotations

import re

NUMBERED = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;–—-]\s*\d{1,4})*)\s*\](?!\()")
"""``[3]``, ``[1, 2]`` or ``[3–5]``, but no link."""


def round_brackets(text: str) -> str:
    """The text with ``(0, 1)`` for ``[0, 1]``: it cites nothing, and no reader takes it for a citation any more."""
    return NUMBERED.sub(r"(\1)", text)
