"""Headings as models write them, without markup and without what they assert: nothing checks a heading."""

from __future__ import annotations

import html
import re
from typing import Annotated

from pydantic import AfterValidator

from engine.text import clean, remove_bare_numbers, sentences

NEUTRAL = "Results"
"""What a heading says of which nothing is left without its assertion."""

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
_VERBS = "outperform|surpass|beat|exceed|defeat|solve|eliminate|replace|prove|guarantee|dominate|revolutioni[sz]e"
_ASSERTING = re.compile(
    r"^(?:(?:how|why|when|that)\s+)?(?P<subject>.+?)\s+(?:(?:always|never|now|clearly|consistently|fully|finally|can|will|"
    rf"has|have)\s+)*(?:(?:(?:{_VERBS})(?:s|es)|(?<=[a-zA-Z]s\s)(?:{_VERBS}))\s+"
    r"(?!(?:for|in|of|on|with|from|to|and|or|as|at|under|by|via|through)\b)\S|"
    r"(?:is|are|was|were)\s+(?:not|no|the (?:best|only|first)|better|best|superior|worse|solved|dead|faster|cheaper|"
    r"enough|necessary|sufficient|essential|useless|more)\b|cannot\b|(?:does|do) not\b).*$",
    re.I,
)
_CLAIMING = re.compile(r"^(?:the\s+)?(?:best|first|only|superior|ultimate|definitive|undisputed|winning)\s+\S", re.I)
_AMOUNT = re.compile(
    r"(?:^|\s)(?:\b(?:by|of|to|over|up to|at least|more than|reach(?:es)?|with|at)\s+)*\d[\d.,]*\s?"
    r"(?:%|percent\b|x\b|×|times\b|points\b|-?fold\b).*$",
    re.I,
)


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


def read_heading(text: str) -> str:
    """The bare heading without what it asserts: "Graph Encoders Outperform All Others" is "Graph Encoders".

    A question stays, since it asserts nothing; of two parts with a colon the one that asserts is left out.
    """
    heading = bare_heading(text)
    if heading.endswith("?"):
        return heading
    parts = [part.strip() for part in re.split(r":\s+|\s[–—]\s", heading)]
    kept = [part for part in parts if not (_ASSERTING.match(part) or _AMOUNT.search(part) or _CLAIMING.match(part))]
    if len(kept) == len(parts):
        return heading
    return ": ".join(kept) or _subject_of(parts[0]) or NEUTRAL


def _subject_of(heading: str) -> str:
    match = _ASSERTING.match(heading)
    return _AMOUNT.sub("", match["subject"] if match else "" if _CLAIMING.match(heading) else heading).strip(" ,;")


HeadingText = Annotated[str, AfterValidator(read_heading)]
"""A heading in a typed answer, as `read_heading` reads it."""
