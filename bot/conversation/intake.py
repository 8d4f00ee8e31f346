"""The door: what a person sends is cut and collapsed once; what is computed from it takes a bounded time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import ParamSpec, TypeVar

from adapters.chat import Incoming
from bot.commands.grammar import is_list
from engine.errors import UserError
from engine.text import storable

LONGEST_MESSAGE = 4_000
"""Characters of a message that are read: Discord sends no longer ones, and no wish needs more."""

LONGEST_LIST = 40_000
"""Characters of a list of papers, or of a form's field: some 400 titles, and the longest message that Slack sends."""

LONGEST_NAME = 255
"""Characters of a file's name, as file systems have it."""

READING_S = 10.0
"""Most seconds that reading a message, or drawing a form, may take; tests hold it to a fiftieth of that."""

_SPACES = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n(?: ?\n){2,}")

P = ParamSpec("P")
T = TypeVar("T")


def admit(incoming: Incoming) -> Incoming:
    """The same, bounded: runs of white space are collapsed, long texts are cut, which ``left_out`` counts."""
    text = _EMPTY_LINES.sub("\n\n", _SPACES.sub(" ", storable(incoming.text))).strip()
    kept = text[: LONGEST_LIST if is_list(text) else LONGEST_MESSAGE].rstrip()
    return replace(
        incoming,
        text=kept,
        left_out=incoming.left_out + len(text) - len(kept),
        button=storable(incoming.button[:LONGEST_MESSAGE]),
        values=tuple(
            (storable(name[:LONGEST_NAME]), storable(value)[:LONGEST_LIST]) for name, value in incoming.values
        ),
        attachments=tuple(replace(a, name=storable(a.name)[:LONGEST_NAME]) for a in incoming.attachments),
    )


@cache
def _readers() -> ThreadPoolExecutor:
    """Threads of their own: searches and drawings fill the others for seconds."""
    return ThreadPoolExecutor(2, thread_name_prefix="reading")


async def compute(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the work gives, computed beside the loop. Raises `UserError` where it takes longer than `READING_S`."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(READING_S):
            return await loop.run_in_executor(_readers(), lambda: work(*args, **kwargs))
    except TimeoutError as error:
        raise UserError("That took me too long to read. Please say it in fewer words.") from error
