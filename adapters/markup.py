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
from markdown_it.token import Token

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
    found: list[Block] = []
    lists: list[list[int | None]] = []  # of the lists around: the next number
    quoted = 0
    tokens = iter(_PARSER.parse(remove_controls(markdown)))
    for token in tokens:
        if token.type in {"bullet_list_open", "ordered_list_open"}:
            lists.append([int(token.attrGet("start") or 1) if token.tag == "ol" else None])
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            lists.pop()
        elif token.type == "list_item_close":
            lists[-1][0] = lists[-1][0] and lists[-1][0] + 1
        elif token.type in {"blockquote_open", "blockquote_close"}:
            quoted += token.nesting
        elif token.type == "paragraph_open" and lists:
            found.append(Block("item", _spans(next(tokens)), len(lists) - 1, lists[-1][0]))
        else:
            found += _leaf(token, tokens, "quote" if quoted else "paragraph")
    kept = [block for block in found if block.text().strip()]
    return [_find_people(block, people) for block in kept] if people else kept


def _find_people(block: Block, people: Collection[str]) -> Block:
    mention = re.compile(rf"(@(?:{'|'.join(map(re.escape, people))})\b)")

    def divide(line: Line) -> Line:
        parts = [(span, part) for span in line for part in ([span.text] if span.link else mention.split(span.text))]
        named = ((span, part, part[1:] if mention.fullmatch(part) else "") for span, part in parts if part)
        return tuple(replace(span, text=part, person=person) for span, part, person in named)

    return replace(block, line=divide(block.line), rows=tuple(tuple(map(divide, row)) for row in block.rows))


def _leaf(token: Token, tokens: Iterator[Token], kind: Literal["quote", "paragraph"]) -> list[Block]:
    """What holds no other block."""
    match token.type:
        case "heading_open":
            return [Block("heading", _spans(next(tokens)))]
        case "paragraph_open":
            return [Block(kind, _spans(next(tokens)))]
        case "fence" | "code_block":
            return [Block("code", (Span(token.content.rstrip("\n")),))]
        case "table_open":
            return [Block("table", rows=tuple(_rows(tokens)))]
        case _:
            return []


def _spans(inline: Token) -> Line:
    spans: list[Span] = []
    bold = italic = 0
    link = ""
    for token in inline.children or ():
        match token.type:
            case "strong_open" | "strong_close":
                bold += token.nesting
            case "em_open" | "em_close":
                italic += token.nesting
            case "link_open":
                address = str(token.attrGet("href") or "")
                link = address if re.match(r"https?://", address, re.I) else ""
            case "link_close":
                link = ""
            case "softbreak" | "hardbreak":
                spans.append(Span("\n"))
            case _ if token.content:
                spans.append(Span(token.content, bold > 0, italic > 0, token.type == "code_inline", link))
    return tuple(spans)


def _rows(tokens: Iterator[Token]) -> Iterator[tuple[Line, ...]]:
    row: list[Line] = []
    for token in tokens:
        match token.type:
            case "inline":
                row.append(_spans(token))
            case "tr_close":
                yield tuple(row)
                row = []
            case "table_close":
                return


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
