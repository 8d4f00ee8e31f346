"""What is shown in Discord: our Markdown as Discord's, within its lengths, all that is literal made harmless. Pure.

Nobody is notified whatever a text holds, because the client allows no mentions; it must not look so either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.chat import Conversation, Outgoing
from adapters.markup import Block, Line, Span, blocks, divide_block, plain

MESSAGE_CHARACTERS, CARD_CHARACTERS = 2_000, 4_000
PART_CHARACTERS = 850
"""Of a block before escaping, which at worst doubles it."""

NAME_CHARACTERS = 90

_SPECIAL = re.compile(r"([\\*_~`|\[\]()<>#])")
_LINE_START = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)", re.M)
_MENTION = re.compile(r"@(?=everyone|here|[!&]?\d)")
_INVITE = re.compile(r"(?<=discord)(?=(?:app)?\.(?:gg|com|me|io|li))", re.I)
_ADDRESS = re.compile(r"(?<=:)(?=//)")
_BREAK = "\u200b"
"""A character without width: what it stands in is no mention and no address any more."""


def literal(text: str) -> str:
    """Text in which Discord reads no markup, mention, invitation or address."""
    for pattern in (_MENTION, _INVITE, _ADDRESS):
        text = pattern.sub(lambda m: m.group() + _BREAK, text)
    return _LINE_START.sub(r"\1\\\2\3", _SPECIAL.sub(r"\\\1", text))


def messages(outgoing: Outgoing, say: str = "") -> list[str]:
    """The text, the facts, and what can be typed (``say``), in messages that Discord takes; a card is longer."""
    most = CARD_CHARACTERS if outgoing.slot else MESSAGE_CHARACTERS
    found = blocks(outgoing.text, outgoing.people)
    parts: list[tuple[str, str]] = [(block.kind, part) for block in found for part in _parts(block)]
    if outgoing.facts:
        parts.append(("facts", f"-# {literal(' · '.join(outgoing.facts))[: MESSAGE_CHARACTERS // 2]}"))
    if say and outgoing.hints and not outgoing.closes:
        typed = " · ".join(f"`{hint.replace('`', 'ˋ')}`" for hint in outgoing.hints)
        parts.append(("hints", f"-# {say.format(typed)}"[:MESSAGE_CHARACTERS]))
    made: list[list[tuple[str, str]]] = [[]]
    for kind, part in parts:
        page = made[-1]
        if page and sum(len(text) + 1 for _, text in page) + len(part) > most:
            # A heading stays with what it is the heading of.
            made.append([page.pop()] if page[-1][0] == "heading" and len(page) > 1 else [])
        made[-1].append((kind, part))
    return ["\n".join(text for _, text in page).lstrip("\n") for page in made if page] or ["…"]


def link(at: Conversation) -> str:
    """What leads to a conversation."""
    return (
        f"<#{at.thread or at.channel}>" if at.tenant.isdigit() else f"<https://discord.com/channels/@me/{at.channel}>"
    )


def thread_name(outgoing: Outgoing) -> str:
    """What a thread is called that begins with this: its first words that stand out, else its first words."""
    first = blocks(outgoing.text)[:1]
    bold = "".join(span.text for block in first for span in block.line if span.bold)
    name = " ".join((bold or "".join(block.text() for block in first)).replace(_BREAK, "").split())
    return name[:NAME_CHARACTERS] or "Survey"


def _parts(block: Block) -> list[str]:
    if block.kind == "table":
        names = [plain(cell).strip() for cell in block.rows[0]]
        return [_row(row, names) for row in block.rows[1:]]
    if block.kind == "code":
        # A fence in the text would end ours.
        texts = [part.text().replace("`", f"`{_BREAK}") for part in divide_block(block, PART_CHARACTERS)]
        return [f"```\n{text}\n```" for text in texts]
    return [_prefix(block) + _inline(part.line) for part in divide_block(block, PART_CHARACTERS)]


def _prefix(block: Block) -> str:
    if block.kind == "item":
        marker = "-" if block.number is None else f"{block.number}."
        return f"{'  ' * min(block.depth, 5)}{marker} "
    return {"heading": "### ", "quote": "> ", "paragraph": "\n"}.get(block.kind, "")


def _row(row: Sequence[Line], names: Sequence[str]) -> str:
    """A row of a table, which Discord has not: the first cell, then those that hold something, where many by name."""
    first, *others = map(_inline, row)
    said = [(name, cell.strip()) for name, cell in zip(names[1:], others, strict=False) if cell.strip(" –-")]
    rest = [
        cell if len(names) < 3 or not name or cell.isdecimal() else f"{literal(name)}: {cell}" for name, cell in said
    ]
    shown = f"- **{first}**: {' · '.join(rest)}" if plain(row[0]).strip() else f"- {' · '.join(rest)}"
    return shown if len(shown) <= MESSAGE_CHARACTERS else f"{shown[: MESSAGE_CHARACTERS - 1]}…"


def _inline(line: Line) -> str:
    return "".join(map(_span, line))


def _span(span: Span) -> str:
    if span.person:
        return f"<@{span.person}>"
    if span.link:
        address = span.link.replace(">", "%3E").replace("<", "%3C").replace(" ", "%20")
        return f"<{address}>" if "://" in span.text else f"[{literal(span.text)}](<{address}>)"
    if span.code:
        return f"`{span.text.replace('`', 'ˋ')}`"
    text = literal(span.text)
    outer = f"{'**' if span.bold else ''}{'*' if span.italic else ''}"
    if not outer or not text.strip():
        return text
    left, middle, right = re.match(r"(\s*)(.*?)(\s*)\Z", text, re.S).groups()  # type: ignore[union-attr]
    return f"{left}{outer}{middle}{outer[::-1]}{right}"
