"""Conversations in a terminal: a person's own, one with every answer yes, and the demonstration."""

from __future__ import annotations

import getpass
import os
import re
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from adapters.chat import Conversation, Outgoing
from adapters.terminal import TerminalAdapter, read_edited_lines, read_typed_lines
from bot.app import App, open_app
from bot.cli.running import read_text
from bot.commands.briefs import ONLINE, Defaults
from bot.serving.bundled import BUNDLED
from bot.serving.service import Service, run_service
from bot.settings import not_writable
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.rendering.files import FORMATS
from engine.retrieval.libraries.combined import SURVEYS
from engine.retrieval.paper_keys import arxiv_key, identifiers_in
from engine.session.state import PHASES
from engine.text import clean

WRITING_STEP = 3
"""The answer that starts the writing: topic, keywords and papers come before it."""

COMPLETED = (*dict.fromkeys(re.findall(r"`([a-z]+:?(?: [a-z]+)* ?)", wording.HELP)), "quit")
"""What Tab completes: the commands of the help, up to what a person fills in."""

DEMO = (
    "survey retrieval-augmented generation",
    "add dense retrieval",
    "ok",
    "ok",
    "rename 3 to Dense Retrieval",
    "ok",
    "how is retrieval combined with generation?",
    "why [3]",
    "what do the papers say about the price of coffee?",
    "export",
)
"""What the demonstration says."""

_Script = Callable[[App, Service, Conversation], AsyncIterator[str]]
"""What is said in a conversation, one line after the other."""


async def chat(console: Console, library: str, output: Path | None, name: str) -> int:
    """Talk until the person leaves; goes on where the last conversation that no other terminal has open was left."""
    async with open_app() as app:
        person = load_terminal_person(app.settings.home, name)
        with _lock_conversation(app, person) as here:
            typed = sys.stdin.isatty()
            edits = typed and sys.stdout.isatty()  # with editing and history where there is a terminal on both ends
            history = app.settings.home / "terminals" / "history"
            lines = read_edited_lines("you › ", history, COMPLETED) if edits else read_typed_lines("you › ")
            adapter = TerminalAdapter(console, lines, here, person.name, echo=not typed)
            async with _serve_terminal(app, console, adapter, library, output) as service:
                await service.dispatcher.greet(here)
                await service.run()
        console.print(wording.GOODBYE)
        return 0


def _divide_words(verb: str, words: Sequence[str], options: Mapping[str, str]) -> tuple[str, str]:
    """The library, and the command with all other options; those among the words (``recipe=surveyx``) come first."""
    named = [word for word in words if re.match(r"[a-z]+=\S", word)]
    said = {**options, **dict(word.split("=", 1) for word in named)}
    library = said.pop("library", "")
    topic = " ".join(word for word in words if word not in named).split()
    return library, " ".join((verb, *topic, *(f'{name}="{value}"' for name, value in said.items() if value)))


def read_excluded(path: Path) -> str:
    """The papers that a file names, one on each line, as the option ``without``. Raises `UserError`."""
    named: list[str] = []
    for line in filter(str.strip, read_text(path).splitlines()):
        alone = SURVEYS if line.strip().lower() == SURVEYS else arxiv_key(line)
        found: Sequence[str] = identifiers_in(line) or ([alone] if alone else [])
        if not found:
            raise UserError(f"{path.name}: “{line[:80]}” names no DOI and no arXiv id.")
        named += found
    return ",".join(named)


async def write(
    console: Console,
    words: Sequence[str],
    options: Mapping[str, str],
    output: Path | None,
    name: str,
    *,
    accept_cost: bool,
) -> int:
    """Every answer yes; all files come with the survey. 1 where it was not finished.

    The option ``without`` is a file as `read_excluded` reads it. Where a language model would cost something and that
    is not accepted beforehand, the person is asked once.
    """
    if options["without"]:
        options = {**options, "without": read_excluded(Path(options["without"]))}
    library, begin = _divide_words("survey", words, options)

    async def say(app: App, service: Service, here: Conversation) -> AsyncIterator[str]:
        for step, line in enumerate([begin, "ok", "ok", "ok"]):
            # After answer n the phase is at least n; anything less means that a step failed and said why.
            state = (await service.store.load_conversation(here)).session.state
            if PHASES.index(state.phase) < step:
                return
            if step == WRITING_STEP and state.outline and state.outline.is_grouping:
                yield "ok"
                state = (await service.store.load_conversation(here)).session.state
            if step == WRITING_STEP and not accept_cost and state.brief and app.recipes[state.brief.recipe].needs_model:
                console.print(wording.ACCEPT_COST)
                line = await anext(read_typed_lines("you › "), "stop")
            yield line

    return await _play(console, say, library, output, name, tuple(FORMATS))


async def review(
    console: Console, words: Sequence[str], options: Mapping[str, str], output: Path | None, name: str
) -> int:
    """A quick review, then all files; 1 where there is none."""
    library, begin = _divide_words("quick", words, options)

    async def say(_: App, service: Service, here: Conversation) -> AsyncIterator[str]:
        yield begin
        if await _exit_code_of(service, here) == 0:
            yield "export"

    return await _play(console, say, library, output, name)


async def _play(
    console: Console,
    say: _Script,
    library: str,
    output: Path | None,
    name: str,
    delivered: tuple[str, ...] = Defaults.delivered,
) -> int:
    """Say the lines in a new conversation, one after the other; 1 where there is no survey at their end."""
    async with open_app() as app:
        person = load_terminal_person(app.settings.home, name)
        here = Conversation("terminal", person.workspace, "terminal", secrets.token_hex(8))

        async def lines() -> AsyncIterator[str]:
            async for line in say(app, service, here):
                yield line

        adapter = TerminalAdapter(console, lines(), here, person.name, echo=True)
        async with _serve_terminal(app, console, adapter, library, output, delivered) as service:
            await adapter.send(Outgoing(here, "", awaits=True))
            await service.run()
            return await _exit_code_of(service, here)


async def demo(console: Console, output: Path) -> int:
    """The demonstration: topic, keywords, papers, an edited outline, writing, questions, files."""

    async def say(_: App, service: Service, here: Conversation) -> AsyncIterator[str]:
        await service.dispatcher.greet(here)
        for line in DEMO:
            yield line

    code = await _play(console, say, BUNDLED, output, "")
    if code == 0:
        console.print("That was the demonstration. To talk yourself: scholium chat")
    return code


async def _exit_code_of(service: Service, here: Conversation) -> int:
    state = (await service.store.load_conversation(here)).session.state
    return 0 if state.phase == "discussion" else 1


@asynccontextmanager
async def _serve_terminal(
    app: App,
    console: Console,
    adapter: TerminalAdapter,
    library: str,
    output: Path | None,
    delivered: tuple[str, ...] = Defaults.delivered,
) -> AsyncIterator[Service]:
    """A service whose library exists: the one named, the one of the settings, or the bundled one."""
    name = library or app.default_library()
    await prepare_library(console, app, name)
    if name == BUNDLED and not library and app.settings.library != BUNDLED:
        await adapter.send(Outgoing(adapter.only, wording.word_bundled_library(app.settings.library, BUNDLED)))
    defaults = replace(app.defaults_for(name, output or app.settings.output), delivered=delivered)
    async with run_service(app, adapter, defaults) as service:
        yield service


async def prepare_library(console: Console, app: App, name: str) -> None:
    """Have the library before anybody asks for it; what cannot be used of the settings is said."""
    if name == BUNDLED:
        with console.status(wording.PREPARING_BUNDLED):
            await app.libraries.install_bundled()
    # One that exists is opened by the first job: that takes a second, in which the person can begin to type.
    if name != ONLINE and (name not in app.libraries.names() or app.settings.embedder != "lsa"):
        await app.libraries.library(name)
    for note in await app.libraries.list_failed_models():
        console.print(note, style="yellow", soft_wrap=True)


@contextmanager
def _lock_conversation(app: App, person: TerminalPerson) -> Iterator[Conversation]:
    """The first of this person's conversations that no other terminal has open.

    Raises `UserError` where the home folder cannot be written.
    """
    folder = app.settings.home / "terminals"
    for number in count(1):
        lock = FileLock(folder / f"{number}.lock")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout:
            continue
        except OSError as error:
            raise not_writable(app.settings.home, error) from error
        try:
            yield Conversation("terminal", person.workspace, "terminal", str(number))
        finally:
            lock.release()
        return


LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class TerminalPerson:
    """A person and the workspace of their conversations, as the store knows them."""

    name: str
    workspace: str


def load_terminal_person(home: Path, named: str = "") -> TerminalPerson:
    """The person called ``named``; else the user of this machine with the id that this installation made once.

    An installation whose store is older than these ids goes on with the names that are in it. Raises `UserError`
    where the name cannot be one, or the home cannot be written.
    """
    if named:
        if len(named) > LONGEST_NAME or clean(named) != named or named == "you":
            raise UserError(f"A name after --as is one line of at most {LONGEST_NAME} characters, and not “you”.")
        return TerminalPerson(named, named)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no account, as in some clusters' containers; the latter from Python 3.13 on
        user = f"uid{os.getuid()}"
    file = home / "terminals" / "installation"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("" if (home / "store.sqlite").exists() else secrets.token_hex(4), encoding="ascii")
        made = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise not_writable(home, error) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is damaged. Delete it, and say with --as NAME who you were.") from error
    return TerminalPerson(f"{user}-{made}", f"{user}-{made}") if made else TerminalPerson("you", user)
