"""Headings as models write them, without markup, numbers and citations."""

from __future__ import annotations

import html
import re
from typing import Annotated

from pydantic import AfterValidator

from engine.text import clean, remove_bare_numbers, sentences

_EMPHASIS = re.compile(
    r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__|(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])|`([^`\n]+)`|"
    r"(?<![\w:@./-])_(?=[^\s_])([^_\n\[\]]+?)(?<=[^\s_])_(?![\w_])",
    re.S,
)
_NUMBER = re.compile(
    r"^(?:(?:section|chapter|part|subsection)\s+)?(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,4}(?=[.):]))\s*[.):–—-]?\s+(?=\S)",
    re.I,
)
_CITATION = re.compile(r"\s*\[\s*@[^\]]*\]?")


def remove_emphasis(text: str) -> str:
    """The text without the marks of bold, italic and code."""
    return _EMPHASIS.sub(lambda match: next(group for group in match.groups() if group), text)


def bare_heading(text: str) -> str:
    """A heading without number, markup, quotation marks or full stop: "3. Conclusion" is "Conclusion".

    Citations and what follows the first sentence are left out.
    """
    line = clean(html.unescape(remove_emphasis(text))).lstrip("# ").strip()
    line = _NUMBER.sub("", line)
    line = " ".join(_CITATION.sub("", remove_bare_numbers(line)).split())
    first = next(iter(sentences(line)), "")
    return first.strip(" \"“”'*_").rstrip(".:") or clean(text)


HeadingText = Annotated[str, AfterValidator(bare_heading)]
"""A heading in a typed answer, as `bare_heading` reads it."""
