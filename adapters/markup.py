"""Our Markdown as blocks that platforms render in their own way, and splitting at a platform's length.

What is not structure of ours was escaped before it came here, so after parsing every text is literal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")

_UNIT = re.compile(r"\[[^\[\]\n]{1,400}\][^\s\[]*|[^\s\[]+|\[|\s+")
"""What is never cut: a citation in brackets, a word."""
_WORD = re.compile(r"\S(?=\s)")
_CUTS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"(?<=[.!?…])|(?<=[.!?…][\])”\"'’])")))
"""What follows, or stands before, a good place to cut, the best first."""


@dataclass(frozen=True, slots=True)
class Span:
    """Literal text in one style; ``link`` is an http(s) address or empty, ``person`` whom it mentions."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""
    person: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, list item (``depth`` from 0, ``number`` where it has one), quote, code, or table."""

    kind: Literal["heading", "paragraph", "item", "quote", "code", "table"]
    line: Line = ()
    depth: int = 0
    number: int | None = None
    rows: tuple[tuple[Line, ...], ...] = ()

    def text(self) -> str:
        """Its characters without any markup, as platforms count them."""
        if self.kind == "table":
            return "\n".join(" | ".join(plain(cell) for cell in row) for row in self.rows)
        return plain(self.line)


def plain(line: Line) -> str:
    """The text of the spans; an address that its text does not show follows it."""
    return "".join(s.text if not s.link or s.link in s.text else f"{s.text} ({s.link})" for s in line)


def remove_controls(text: str) -> str:
    """The text without control characters (a terminal obeys some of them) and without direction changes."""
    return "".join(
        ch for ch in text if ch in "\n\t" or unicodedata.category(ch) not in {"Cc", "Cf", "Cs", "Co"} or ch == "\u00ad"
    )


def blocks(markdown: str, people: Collection[str] = ()) -> list[Block]:
    """The text as blocks, in order; each mention (``@U1``) of one of these people is a span of its own."""
    tree = SyntaxTreeNode(_PARSER.parse(remove_controls(markdown)))
    kept = [block for block in _read(tree, Block("paragraph")) if block.text().strip()]
    return [_find_people(block, people) for block in kept] if people else kept


def _read(parent: SyntaxTreeNode, plain_one: Block) -> Iterator[Block]:
    """The blocks in a part of the text; a paragraph there is such a block as ``plain_one``."""
    for node in parent.children:
        match node.type:
            case "heading":
                yield Block("heading", _spans(node.children[0]))
            case "paragraph":
                yield replace(plain_one, line=_spans(node.children[0]))
            case "fence" | "code_block":
                yield Block("code", (Span(node.content.rstrip("\n")),))
            case "table":
                rows = (row for part in node.children for row in part.children)
                yield Block(
                    "table", rows=tuple(tuple(_spans(cell.children[0]) for cell in row.children) for row in rows)
                )
            case "bullet_list" | "ordered_list":
                depth = plain_one.depth + 1 if plain_one.kind == "item" else 0
                first = int(node.attrs.get("start", 1)) or 1
                for number, item in enumerate(node.children, start=first):
                    yield from _read(item, Block("item", (), depth, number if node.type == "ordered_list" else None))
            case "blockquote":
                yield from _read(node, plain_one if plain_one.kind == "item" else Block("quote"))


def _find_people(block: Block, people: Collection[str]) -> Block:
    mention = re.compile(rf"(@(?:{'|'.join(map(re.escape, people))})\b)")

    def divide(line: Line) -> Line:
        parts = [(span, part) for span in line for part in ([span.text] if span.link else mention.split(span.text))]
        named = ((span, part, part[1:] if mention.fullmatch(part) else "") for span, part in parts if part)
        return tuple(replace(span, text=part, person=person) for span, part, person in named)

    return replace(block, line=divide(block.line), rows=tuple(tuple(map(divide, row)) for row in block.rows))


def _spans(parent: SyntaxTreeNode, style: Span = Span("")) -> Line:
    spans: list[Span] = []
    for node in parent.children:
        match node.type:
            case "strong":
                spans += _spans(node, replace(style, bold=True))
            case "em":
                spans += _spans(node, replace(style, italic=True))
            case "link":
                address = str(node.attrs.get("href") or "")
                link = address if re.match(r"https?://", address, re.I) else ""
                spans += _spans(node, replace(style, link=link))
            case "softbreak" | "hardbreak":
                spans.append(Span("\n"))
            case kind if node.content:
                spans.append(replace(style, text=node.content, code=kind == "code_inline"))
    return tuple(spans)


def divide_block(block: Block, limit: int) -> list[Block]:
    """The block in parts of at most ``limit`` characters: no sentence, word, citation or row is cut that fits in one.

    Each part of a table has its head.
    """
    if len(block.text()) <= limit:
        return [block]
    if block.kind == "table":
        return _divide_rows(block, limit)
    text = "".join(span.text for span in block.line)
    return [replace(block, line=_take(block.line, start, stop)) for start, stop in _cut(text, limit)]


def _take(line: Line, start: int, stop: int) -> Line:
    """The characters of a line between two places."""
    taken, at = list[Span](), 0
    for span in line:
        if part := span.text[max(0, start - at) : max(0, stop - at)]:
            taken.append(replace(span, text=part))
        at += len(span.text)
    return tuple(taken)


def _divide_rows(block: Block, limit: int) -> list[Block]:
    head, *rest = block.rows
    groups: list[tuple[tuple[Line, ...], ...]] = [(head,)]
    for row in rest:
        if len(groups[-1]) > 1 and len(replace(block, rows=(*groups[-1], row)).text()) > limit:
            groups.append((head,))
        groups[-1] += (row,)
    return [replace(block, rows=group) for group in groups]


def pages(found: Sequence[Block], characters: int, count: int) -> list[list[Block]]:
    """The blocks as messages of at most so many characters and blocks; a table has a message of its own."""
    result: list[list[Block]] = [[]]
    for block in (part for whole in found for part in divide_block(whole, characters)):
        page = result[-1]
        used = sum(len(b.text()) + 1 for b in page)
        alone = block.kind == "table" or any(b.kind == "table" for b in page)
        if page and (alone or used + len(block.text()) > characters or len(page) >= count):
            # A heading stays with what it is the heading of.
            result.append([page.pop()] if page[-1].kind == "heading" and len(page) > 1 else [])
        result[-1].append(block)
    return [page for page in result if page]


def split(text: str, limit: int) -> list[str]:
    """Parts of at most ``limit`` characters, cut between paragraphs, else lines, sentences, words.

    A single word longer than the limit is cut, nothing else is. Raises `ValueError` for a limit under 1.
    """
    if limit < 1:
        raise ValueError("the limit must be at least one character")
    return [text[start:stop] for start, stop in _cut(text, limit)] or [""]


def _cut(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """Where each part begins and ends."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    while start < end:
        stop = end if end - start <= limit else _find_cut(text, start, start + limit)
        yield start, stop
        start = end - len(text[stop:end].lstrip())


def _find_cut(text: str, start: int, most: int) -> int:
    """The last place to cut up to ``most``; paragraphs, lines and sentences count if they end in the latter half."""
    units = takewhile(lambda unit: unit.end() <= most, _UNIT.finditer(text, start))
    ends = [unit.end() for unit in units if not unit[0].isspace() and text[unit.end()].isspace()]
    ends = ends or [word.end() for word in _WORD.finditer(text, start, most + 1)] or [most]
    late = [end for end in ends if 2 * (end - start) >= most - start]
    return next((end for cut in _CUTS for end in reversed(late) if cut.match(text, end)), ends[-1])
