"""A survey's HTML page as lines with their headings, as the reader of Markdown has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.reading.html_page import parse_page

NUMBERED = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;–—-]\s*\d{1,4})*)\s*\](?!\()")
"""``[3]``, ``[1, 2]`` or ``[3–5]``, but no link."""

_HEADING = re.compile(r"h([1-6])")

_INLINE = frozenset(("img", "br", "code", "strong"))
_CAPTION = re.compile(r"(?:Table|Figure) \d+\.")
_NUMBERED_ITEM = re.compile(r"\[\d{1,4}\](?=\s|$)")

_BLOCKS = frozenset(
    (
        *("address", "article", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "figcaption"),
        *("header", "hr", "main", "ol", "p", "section", "summary", "table", "td", "th", "tr", "ul"),
    )
)
"""Elements that begin and end a paragraph."""

_ASIDE = frozenset(
    (
        "aside",
        "button",
        "dialog",
        "footer",
        "form",
        "head",
        "noscript",
        "object",
        "pre",
        "select",
        "svg",
        "template",
        "textarea",
    )
)
"""Elements that are no running text."""

_TABLE, IMAGE = "<table>{}</table>", "![](image)"
"""What stands for a table, with its citations by number alone, and for an image."""


def round_brackets(text: str) -> str:
    """The text with ``(0, 1)`` for ``[0, 1]``: it cites nothing, and no reader takes it for a citation any more."""
    return NUMBERED.sub(r"(\1)", text)


def read_lines(page: str) -> Iterator[tuple[int, str]]:
    """Headings with their level, from 1, and lines of text with level 0; an empty line ends a paragraph.

    Items of an ordered list begin with their number where they have none in brackets, those of another with a dash.
    Raises `UserError` where the page holds no element.
    """
    document = parse_page(page, "of this survey")
    for card in document.xpath("//*[@data-key]/*[@class='card']"):
        card.drop_tree()  # our own page's notes below a reference
    if own := document.xpath("//span[@class='cites']"):
        _round_other_brackets(document, own)
    roots = document.xpath("//main") or document.xpath("//article[not(ancestor::article)]") or [document]
    ended = True
    for root in roots:
        for level, line in _join(_flow(root)):
            if line or not ended:  # one empty line ends a paragraph, as in Markdown
                yield level, line
            ended = not line


def _round_other_brackets(document: Any, citations: Sequence[Any]) -> None:
    """In our own page, where every citation is marked, brackets elsewhere cite nothing."""
    inside = {element for citation in citations for element in citation.iter()}
    for element in document.iter():
        if element not in inside:
            element.text = element.text and round_brackets(element.text)
        if element not in inside or element in citations:
            element.tail = element.tail and round_brackets(element.tail)


def _join(pieces: Iterator[tuple[int, str] | str]) -> Iterator[tuple[int, str]]:
    """Pieces of running text put together up to the next line that stands alone."""
    running = ""
    for piece in pieces:
        if isinstance(piece, str):
            running += piece
            continue
        yield from ((0, text) for line in running.split("\n") if (text := " ".join(line.split())))
        running = ""
        yield piece
    yield from ((0, " ".join(line.split())) for line in running.split("\n"))


_END: tuple[int, str] = (0, "")


def _flow(element: Any) -> Iterator[tuple[int, str] | str]:
    """Text as it runs, and between it whatever stands on a line of its own."""
    yield " ".join((element.text or "").split("\n"))
    counted = int(start) - 1 if (start := element.get("start", "")).isdecimal() else 0
    for child in element:
        if isinstance(child.tag, str):  # no comment
            if child.tag == "li":
                counted = int(value) if (value := child.get("value", "")).isdecimal() else counted + 1
                yield from _item(child, counted if element.tag == "ol" else 0)
            else:
                yield from _element(child)
        yield " ".join((child.tail or "").split("\n"))


def _element(element: Any) -> Iterator[tuple[int, str] | str]:
    tag = element.tag
    if heading := _HEADING.fullmatch(tag):
        yield from (_END, (int(heading[1]), " ".join(element.text_content().split())), _END)
    elif tag == "figure":
        # The caption first, as our Markdown has it.
        for caption in element.xpath("./figcaption"):
            yield from _set_apart(_caption(caption))
            caption.drop_tree()
        yield from _set_apart(iter([IMAGE] * len(element.xpath(".//svg[not(ancestor::svg)]"))))
        yield from _set_apart(_flow(element))
    elif tag == "table" and not element.xpath(".//h1|.//h2|.//h3|.//table"):
        # LaTeXML sets formulas as tables.
        cited = " ".join(match[0] for match in NUMBERED.finditer(element.text_content()))
        yield from (_END, (0, "" if "ltx_eq" in element.get("class", "") else _TABLE.format(cited)), _END)
    elif tag in _INLINE:
        yield from _read_inline(element)
    elif tag in _BLOCKS:
        yield from _set_apart(_flow(element))
    elif tag not in _ASIDE:
        yield from _flow(element)


def _read_inline(element: Any) -> Iterator[str]:
    """What stands within a line for an image, a break, code (in which brackets cite nothing) and words in bold."""
    text = element.text_content()
    match element.tag:
        case "img":
            yield IMAGE
        case "br":
            yield "\n"
        case "code":
            yield round_brackets(text)
        case _:
            yield f"**{text}**" if _CAPTION.fullmatch(text) else text


def _caption(caption: Any) -> Iterator[tuple[int, str] | str]:
    """A caption with its label, as our own page has it, in bold."""
    for label in caption.xpath("./b[1]"):
        label.text = f"**{label.text_content()}**"
        label[:] = []
    yield from _flow(caption)


def _item(item: Any, number: int) -> Iterator[tuple[int, str] | str]:
    lines = [line for line in _join(_flow(item)) if line[1]]
    mark = f"{number}. " if number else "- "
    if lines and not lines[0][0] and not _NUMBERED_ITEM.match(lines[0][1]):
        lines[0] = (0, mark + lines[0][1])
    if key := item.get("data-key"):
        lines.append((0, f"`{key}`"))
    yield from lines


def _set_apart(inside: Iterator[tuple[int, str] | str]) -> Iterator[tuple[int, str] | str]:
    yield _END
    yield from inside
    yield _END
