"""A survey's HTML page as lines with their headings, as the reader of Markdown has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import defs

from engine.reading.html_page import parse_page

NUMBERED = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;–—-]\s*\d{1,4})*)\s*\](?!\()")
"""``[3]``, ``[1, 2]`` or ``[3–5]``, but no link."""

_NUMBERED_ITEM = re.compile(r"\s*\[\d{1,4}\](?=\s|$)")
_BREAK, _TITLE = "\ue000", "\ue001"
"""What divides lines, and what begins a heading, until the text is divided: characters that no page has."""

_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ue000\ue001\ufffe\uffff]")

_BLOCKS = (defs.block_tags - {"li"}) | {
    *("article", "body", "details", "figcaption", "figure", "header", "main", "section", "summary"),
}
"""Elements that begin and end a paragraph."""

_ASIDE = (
    *("aside", "button", "dialog", "footer", "form", "head", "noscript", "object", "pre", "select", "template"),
    "textarea",
)
"""Elements that are no running text."""

_TABLE, IMAGE = "<table>{}</table>", "![](image)"
"""What stands for a table, with its citations by number alone, and for an image."""


def round_brackets(text: str) -> str:
    """The text with ``(0, 1)`` for ``[0, 1]``: it cites nothing, and no reader takes it for a citation any more."""
    return NUMBERED.sub(r"(\1)", text)


def read_lines(page: str) -> Iterator[tuple[int, str]]:
    """Headings with their level, from 1, and lines with 0, an empty one behind each paragraph; raises `UserError`."""
    document = parse_page(_UNUSABLE.sub(" ", page), "of this survey")
    etree.strip_elements(document, *_ASIDE, with_tail=False)
    for element in list(document.iter("*")):
        _mark(element)
        if element.tag in _BLOCKS:
            _surround(element, _BREAK if element.xpath("ancestor::li") else 2 * _BREAK)
    roots = document.xpath("//main") or document.xpath("//article[not(ancestor::article)]") or [document]
    ended = True
    for line in (2 * _BREAK).join(root.text_content() for root in roots).split(_BREAK):
        text = " ".join(line.split())
        if text or not ended:  # one empty line ends a paragraph, as in Markdown
            yield (int(text[1]), text[2:]) if text.startswith(_TITLE) else (0, text)
        ended = not text


def _mark(element: Any) -> None:
    """Put into the text what the element says by its tag: headings, breaks, images, items, tables."""
    text = element.text_content()
    match element.tag:
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            _replace(element, f"{_TITLE}{element.tag[1]}{text}")
        case "img" | "svg":
            is_icon = element.tag == "svg" and not element.xpath("ancestor::figure")
            _replace(element, "" if is_icon else IMAGE)
        case "br":
            _replace(element, _BREAK)
        case "code":
            _replace(element, round_brackets(text))
        case "table":
            _mark_table(element, text)
        case "li":
            _mark_item(element, text)


def _replace(element: Any, text: str) -> None:
    element.text, element[:] = text, []


def _surround(element: Any, sign: str) -> None:
    element.text, element.tail = f"{sign}{element.text or ''}", f"{sign}{element.tail or ''}"


def _mark_table(table: Any, text: str) -> None:
    """What stands for a table; one that holds headings or tables is there for its layout, and runs as text."""
    if not table.xpath(".//h1|.//h2|.//h3|.//table"):
        cited = " ".join(match[0] for match in NUMBERED.finditer(text))
        is_formula = "ltx_eq" in table.get("class", "")  # as LaTeXML sets them
        _replace(table, "" if is_formula else _TABLE.format(cited))


def _mark_item(item: Any, text: str) -> None:
    """The item on a line of its own, behind its number or a dash where it has no number in brackets."""
    listed, mark = item.getparent(), "- "
    if listed.tag == "ol":
        start, value = (
            given if given.isdecimal() else "" for given in (listed.get("start", ""), item.get("value", ""))
        )
        mark = f"{value or int(item.xpath('count(preceding-sibling::li)')) + int(start or 1)}. "
    if not _NUMBERED_ITEM.match(text):
        begins = item[0] if len(item) and item[0].tag == "p" and not (item.text or "").strip() else item
        begins.text = f"{mark}{begins.text or ''}"
    _surround(item, _BREAK)
