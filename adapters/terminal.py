"""A conversation in a terminal: readable width, colour and a live bar only where there is a terminal."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shlex
import signal
import sys
import textwrap
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from adapters.chat import Attachment, ChatAdapter, Conversation, Incoming, Outgoing, PlatformError
from adapters.markup import remove_controls

READABLE_WIDTH = 100
_NO_SIGNALS = (NotImplementedError, RuntimeError, ValueError)
"""What asking for signals raises on Windows and outside the main thread."""

_UNBROKEN = "\u00a0"
_LINE_END = re.compile(r"(?: |\x1b\[[\d;]*m)+$", re.M)
"""Spaces, and the codes of colours between them."""

HERE = Conversation("terminal", "local", "terminal")
"""The conversation of a terminal that nobody named otherwise."""


class TerminalAdapter(ChatAdapter):
    """Reads a line when it is the person's turn; Ctrl-C stops what runs, and at the prompt ends."""

    platform = "terminal"

    def __init__(
        self,
        console: Console,
        lines: AsyncIterator[str],
        conversation: Conversation = HERE,
        person: str = "you",
        *,
        echo: bool = False,
    ) -> None:
        self.only: Conversation = conversation
        self._person = person
        # Markdown may escape signs in a name.
        self._mention = re.compile("@" + r"\\?".join(map(re.escape, person)))
        self._console = console
        self._lines = lines
        self._echo = echo
        self._turn = asyncio.Event()
        self._moving: Progress | Live | None = None
        """A bar, or a text that grows."""
        self._newest = ""
        self._stage = ""
        self._slots: set[str] = set()
        # No number may come twice in a conversation, in this process or a later one.
        self._numbers = (f"{secrets.token_hex(8)}-{n}" for n in count(1))

    async def run(self) -> None:
        interrupted = asyncio.Event()
        loop = asyncio.get_running_loop()
        with suppress(*_NO_SIGNALS):
            loop.add_signal_handler(signal.SIGINT, interrupted.set)
        try:
            while (line := await self._next_line(interrupted)) is not None:
                if not line.strip():
                    continue
                try:
                    incoming = self._make_incoming(line)
                except PlatformError as error:
                    self._console.print(f"{error}\n", markup=False, highlight=False)
                    continue
                self._turn.clear()
                await self.backend.handle(incoming)
        finally:
            self._end_bar()
            with suppress(*_NO_SIGNALS):
                loop.remove_signal_handler(signal.SIGINT)

    async def send(self, outgoing: Outgoing) -> None:
        """Print it; progress moves one line."""
        if outgoing.kind == "progress":
            self._show_bar(outgoing)
            return
        if outgoing.kind == "growing":
            self._show_growing(outgoing)
            return
        self._end_bar()
        if outgoing.kind == "started" and self._console.is_terminal:
            self._show_bar(outgoing)  # a sign of life from the first second
            return
        if outgoing.kind != "ended" and not self._stands(outgoing):  # the bar is gone, which says it
            await self._show(outgoing)
        if outgoing.awaits:
            self._turn.set()

    def _stands(self, outgoing: Outgoing) -> bool:
        """Whether it only edits what was printed already, or closes it; what has changed is said besides."""
        stood = outgoing.slot in self._slots and not outgoing.job
        self._slots -= {outgoing.slot} if outgoing.closes else set()
        self._slots |= {outgoing.slot} if outgoing.slot and not outgoing.closes else set()
        return stood or outgoing.closes

    async def _show(self, outgoing: Outgoing) -> None:
        self._print_markdown(remove_controls(self._mention.sub("you", outgoing.text)))
        for path in outgoing.files:
            self._console.print(f" • {path}", markup=False, highlight=False, soft_wrap=True)
        hints = (*(f"{b.typed}: {b.label}" for b in outgoing.buttons if b.typed), *outgoing.hints)
        if outgoing.kind == "message" and hints:
            wrapped = _wrap_hints(hints, min(READABLE_WIDTH, self._console.width))
            self._console.print(wrapped, style="dim", markup=False, highlight=False, soft_wrap=True)
        self._console.print()

    def _print_markdown(self, text: str) -> None:
        """Print it without the spaces that fill each line up to the width, which a copied text would keep."""
        with self._console.capture() as printed:
            # A theme without a background of its own, which would end where the words do.
            shown = Markdown(text, code_theme="ansi_dark")
            self._console.print(shown, width=min(READABLE_WIDTH, self._console.width))
        self._console.file.write(_LINE_END.sub(lambda end: end[0].replace(" ", ""), printed.get()))

    def _make_incoming(self, text: str) -> Incoming:
        """The line; files that it names are sent, as a terminal types the names of files dropped on it."""
        said, files = divide_files(text)
        attached = tuple(map(attach, files))
        return Incoming(self.only, self._person, next(self._numbers), said, attachments=attached)

    async def _next_line(self, interrupted: asyncio.Event) -> str | None:
        """What the person says in their turn, ``None`` where they leave; an interrupt before it means stop."""
        while not self._turn.is_set():
            if not await _comes_first(asyncio.ensure_future(self._turn.wait()), interrupted):
                interrupted.clear()
                await self.backend.handle(self._make_incoming("stop"))
        interrupted.clear()
        reading = asyncio.ensure_future(anext(self._lines, None))
        line = reading.result() if await _comes_first(reading, interrupted) else None
        if line is not None and self._echo:
            self._console.print(f"you › {remove_controls(line)}", style="bold cyan", markup=False, highlight=False)
            self._console.print()
        return None if line is None or line.strip().lower() in {"quit", "exit", "bye"} else line

    def _show_bar(self, outgoing: Outgoing) -> None:
        text, *below = remove_controls(outgoing.text).split("\n\n")
        text = text.split("\n", 1)[0]
        if not self._console.is_terminal:
            stage = text.split(":", 1)[0]
            if stage != self._stage:  # a log wants one line for each stage, not for each step
                self._console.print(f"… {stage}", markup=False, highlight=False)
                self._stage = stage
            return
        if not isinstance(self._moving, Progress):
            self._end_bar()
            description = TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True))
            columns = (SpinnerColumn(), description, BarColumn(bar_width=20), TimeElapsedColumn())
            self._moving = Progress(*columns, console=self._console, transient=True, expand=True)
            self._moving.start()
            self._moving.add_task(text, total=None)
        if bar := outgoing.bar:
            self._moving.update(TaskID(0), description=text, completed=bar.done, total=bar.total or None)
        if len(below) > 1 and below[-1] != self._newest:  # what is done, and the newest of it
            self._newest = below[-1]
            self._console.print(Markdown(self._newest))

    def _show_growing(self, outgoing: Outgoing) -> None:
        if not self._console.is_terminal:
            return  # a log wants the whole answer, once
        if not isinstance(self._moving, Live):
            self._end_bar()
            self._moving = Live(console=self._console, transient=True)
            self._moving.start()
        self._moving.update(Markdown(remove_controls(outgoing.text)), refresh=True)

    def _end_bar(self) -> None:
        self._stage = ""
        if self._moving is not None:
            self._moving.stop()
            self._moving = None


async def _comes_first(awaited: asyncio.Future[Any], interrupted: asyncio.Event) -> bool:
    """Whether it comes before an interrupt, which cancels it."""
    stop = asyncio.create_task(interrupted.wait())
    await asyncio.wait({awaited, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    return awaited.done() or not awaited.cancel()


def _wrap_hints(hints: Sequence[str], width: int) -> str:
    """What can be typed, in brackets; a line breaks between two hints, never inside one."""
    kept = f"{_UNBROKEN}· ".join(hint.replace(" ", _UNBROKEN) for hint in hints)
    wrapped = textwrap.fill(f"[{kept}]", width, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False)
    return wrapped.replace(_UNBROKEN, " ")


async def read_typed_lines(prompt: str) -> AsyncIterator[str]:
    """Lines from standard input; a thread waits for them, so that jobs go on meanwhile."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        try:
            line: str | None = input(prompt if sys.stdin.isatty() else "")
        except (EOFError, KeyboardInterrupt):
            line = None
        except UnicodeDecodeError:
            line = "?"  # not text in this terminal's encoding; the grammar answers with help
        with suppress(RuntimeError):  # the loop has ended while we waited for a key
            loop.call_soon_threadsafe(lines.put_nowait, line)

    while True:
        threading.Thread(target=read, daemon=True).start()
        line = await lines.get()
        if line is None:
            return
        yield line


MOST_FILES = 50
MOST_BYTES = 32 * 2**20
"""What is read of a file: more than may be sent, so that one that is too large is refused as such."""


def attach(path: Path) -> Attachment:
    """A file as what is sent."""
    with path.open("rb") as file:
        return Attachment(path.name, file.read(MOST_BYTES))


_FILES = re.compile(r"(?:(papers):?\s+)?(.*)", re.I | re.S)
"""Names of files, and what may stand before them, where a chat has words beside the files that are sent."""

_PATH = re.compile(r"(?:~|\.{1,2})?/(?:[^\s/]+/)*[^\s/]+\.[A-Za-z]{2,5}")
"""A line that can only be the path of a file."""


def divide_files(line: str) -> tuple[str, list[Path]]:
    """What a line says, and the files that it names; a line that names none is words as a whole.

    Raises `PlatformError` where it is the path of a file that is not there.
    """
    said = _FILES.fullmatch(line.strip())
    if said and (files := find_named_files(said[2])):
        return said[1] or "", files
    if _PATH.fullmatch(line.strip()):
        raise PlatformError(f"There is no file {line.strip()}, or I may not read it. Check the path.")
    return line, []


def find_named_files(line: str) -> list[Path]:
    """The files that a line names and nothing else, and those directly in folders that it names; at most 50."""
    try:
        paths = [Path(word).expanduser() for word in shlex.split(line)]
        # The name of a folder alone is a word like any other.
        folders = {path for path in paths if os.sep in line and path.is_dir()}
        if not paths or not all(path in folders or (path.suffix and path.is_file()) for path in paths):
            return []
        inside = [sorted(path.iterdir()) if path in folders else [path] for path in paths]
    except (ValueError, RuntimeError, OSError):  # an apostrophe, no such home, too long for a name: words, no files
        return []
    return [path for files in inside for path in files if path.is_file() and path.suffix][:MOST_FILES]


_LIST_BEGUN = re.compile(r"(?:.*\s)?(?:papers|articles|list)\s*:\s*", re.I)


async def read_edited_lines(prompt: str, history: Path, words: Sequence[str]) -> AsyncIterator[str]:
    """Lines from a real terminal until the person leaves by Ctrl-D, or by Ctrl-C on an empty line.

    Ctrl-C clears what was typed; Tab completes ``words``; a paste of several lines is one, and after a line such as
    “papers:” the lines up to an empty one belong to it.
    """
    # Imported here, because commands that ask nobody anything start faster without it.
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(history)),
        completer=WordCompleter(list(words), ignore_case=True, sentence=True),
        complete_while_typing=False,
        enable_history_search=True,
    )

    async def ask(text: str) -> str | None:
        """One line; ``None`` where the person leaves."""
        while True:
            try:
                return await session.prompt_async(text, handle_sigint=False)
            except KeyboardInterrupt:
                if not session.default_buffer.text:
                    return None
            except EOFError:
                return None

    while (line := await ask(prompt)) is not None:
        lines = [line]
        while _LIST_BEGUN.fullmatch(lines[0]) and (more := await ask("    … ")):
            lines.append(more)
        yield "\n".join(lines)
