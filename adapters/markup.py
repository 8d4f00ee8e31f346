"""Our Markdown as blocks that platforms render in their own way, and splitting at a platform's length.

What is not structure of ours was escaped before it came here, so after parsing every text is literal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")

_UNIT = re.compile(r"\[[^\[\]\n]{1,400}\][^\s\[]*|[^\s\[]+|\[|\s+")
"""What is never cut: a citation in brackets, a word."""


@dataclass(frozen=True, slots=True)
class Span:
    """Literal text in one style; ``link`` is an http(s) address or empty."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""


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


def blocks(markdown: str) -> list[Block]:
    """The text as blocks, in order."""
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
    return [block for block in found if block.text().strip()]


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
    if block.kind == "code":
        return [replace(block, line=(Span(part),)) for part in split(block.text(), limit)]
    parts: list[Line] = [()]
    for piece in _pieces(block.line, limit):
        if _length(parts[-1]) + len(piece.text) > limit:
            kept = _sentences_end(parts[-1])
            parts[-1:] = [parts[-1][:kept], _strip_space(parts[-1][kept:])]
        if parts[-1] or not piece.text.isspace():
            parts[-1] += (piece,)
    return [replace(block, line=join_spans(part)) for part in parts if part]


_SENTENCE_END = re.compile(r"[.!?…][\])”\"'’]*\Z")


def _length(line: Line) -> int:
    return sum(len(span.text) for span in line)


def _sentences_end(line: Line) -> int:
    """How many of the pieces are whole sentences; all where there is no end of a sentence in the latter half."""
    ends = [n for n, piece in enumerate(line, start=1) if _SENTENCE_END.search(piece.text)]
    return ends[-1] if ends and _length(line[: ends[-1]]) * 2 >= _length(line) else len(line)


def _strip_space(line: Line) -> Line:
    return line[1:] if line and line[0].text.isspace() else line


def _pieces(line: Line, limit: int) -> Iterator[Span]:
    for span in line:
        for unit in _UNIT.findall(span.text):
            for piece in [unit] if len(unit) <= limit or unit.isspace() else split(unit, limit):
                yield replace(span, text=piece[:limit])


def _divide_rows(block: Block, limit: int) -> list[Block]:
    head, *rest = block.rows
    groups: list[tuple[tuple[Line, ...], ...]] = [(head,)]
    for row in rest:
        if len(groups[-1]) > 1 and len(replace(block, rows=(*groups[-1], row)).text()) > limit:
            groups.append((head,))
        groups[-1] += (row,)
    return [replace(block, rows=group) for group in groups]


def join_spans(line: Iterable[Span]) -> Line:
    """Neighbours in the same style as one."""
    joined: list[Span] = []
    for span in line:
        if joined and replace(joined[-1], text="") == replace(span, text=""):
            joined[-1] = replace(span, text=joined[-1].text + span.text)
        else:
            joined.append(span)
    return tuple(joined)


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
