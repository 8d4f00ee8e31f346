"""Text for platforms: control characters out, splitting at a platform's length."""

from __future__ import annotations

import unicodedata


def without_controls(text: str) -> str:
    """The text without control characters (a terminal obeys some of them) and without direction changes."""
    return "".join(
        ch for ch in text if ch in "\n\t" or unicodedata.category(ch) not in {"Cc", "Cf", "Cs", "Co"} or ch == "\u00ad"
    )


def split(text: str, limit: int) -> list[str]:
    """Parts of at most ``limit`` characters, cut between paragraphs, else lines, else words.

    A single word longer than the limit is cut, nothing else is. Raises `ValueError` for a limit under 1.
    """
    if limit < 1:
        raise ValueError("the limit must be at least one character")
    parts: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        head = rest[: limit + 1]
        cut = next((at for mark in ("\n\n", "\n", " ") if (at := head.rfind(mark)) > 0), 0)
        cut = cut or max((at for at, ch in enumerate(head) if ch.isspace()), default=limit)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*parts, rest] if rest or not parts else parts
