"""Conversations in a terminal: a person's own, one with every answer yes, and the demonstration."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

from rich.console import Console

from adapters.chat import Outgoing
from adapters.terminal import HERE, TerminalAdapter, scripted, typed
from bot import wording
from bot.app import BUNDLED, App
from bot.briefs import NEEDS_MODEL
from bot.dispatcher import Dispatcher
from bot.settings import load_settings
from engine.session import PHASES

WRITING_STEP = 3
"""The answer that starts the writing: topic, keywords and papers come before it."""

DEMO = (
    "survey retrieval-augmented generation sections=6 words=220",
    "add knowledge-intensive tasks",
    "ok",
    "ok",
    "rename 2 to Learning to Retrieve",
    "ok",
    "how is retrieval combined with generation?",
    "why [3]",
    "what do the papers say about the price of coffee?",
    "export",
)


async def chat(console: Console, library: str, output: Path | None) -> int:
    """Talk until the person leaves."""
    app = App(load_settings())
    lines = typed("you › ")
    adapter = TerminalAdapter(console, lines, echo=not sys.stdin.isatty())
    dispatcher = await _ready(app, console, adapter, library, output)
    await dispatcher.greet(HERE)
    await _talk(app, adapter, dispatcher)
    console.print(wording.GOODBYE)
    return 0


async def write(
    console: Console, topic: str, options: dict[str, str], output: Path | None, *, accept_cost: bool
) -> int:
    """Every answer yes, then all files; 1 where the survey was not finished.

    Where a language model would cost something and that is not accepted beforehand, the person is asked once.
    """
    app = App(load_settings())
    library = options.pop("library", "")
    named = " ".join(f'{name}="{value}"' for name, value in options.items())
    lines = [f"survey {' '.join(topic.split())} {named}".rstrip(), "ok", "ok", "ok", "export"]
    dispatchers: list[Dispatcher] = []

    async def answers() -> AsyncIterator[str]:
        for step, line in enumerate(lines):
            # After answer n the phase is at least n; anything less means that a step failed and said why.
            reached = PHASES.index(dispatchers[0].session(HERE).state.phase)
            if reached < (step if step < 4 else 5):
                return
            brief = dispatchers[0].session(HERE).state.brief
            if step == WRITING_STEP and not accept_cost and brief and brief.recipe in NEEDS_MODEL:
                console.print(wording.ACCEPT_COST, markup=False, highlight=False)
                line = await anext(typed("you › "), "stop")
            yield line

    adapter = TerminalAdapter(console, answers(), echo=True)
    dispatchers.append(await _ready(app, console, adapter, library, output))
    await adapter.send(Outgoing(HERE, "", awaits=True))
    await _talk(app, adapter, dispatchers[0])
    return 0 if dispatchers[0].session(HERE).state.phase == "discussion" else 1


async def demo(console: Console, output: Path) -> int:
    """The demonstration: topic, keywords, papers, an edited outline, writing, questions, files."""
    app = App(load_settings())
    adapter = TerminalAdapter(console, scripted(DEMO), echo=True)
    dispatcher = await _ready(app, console, adapter, BUNDLED, output)
    await dispatcher.greet(HERE)
    await _talk(app, adapter, dispatcher)
    if dispatcher.session(HERE).state.phase != "discussion":
        return 1
    console.print("That was the demonstration. To talk yourself: scholium chat", markup=False, highlight=False)
    return 0


async def _ready(app: App, console: Console, adapter: TerminalAdapter, library: str, output: Path | None) -> Dispatcher:
    """A dispatcher whose library exists: the one named, the one of the settings, or the bundled one."""
    name = library or app.default_library()
    if name == BUNDLED:
        await app.install_bundled(lambda _: None)
        if not library and app.settings.library != BUNDLED:
            await adapter.send(Outgoing(HERE, wording.bundled(app.settings.library, BUNDLED)))
    await app.library(name)
    for note in app.notes:
        console.print(note, markup=False, highlight=False, style="yellow")
    return app.dispatcher(adapter, app.defaults_for(name, output or app.settings.output))


async def _talk(app: App, adapter: TerminalAdapter, dispatcher: Dispatcher) -> None:
    """Take turns to the end, then let go of the connections."""
    try:
        await adapter.run(dispatcher.handle)
    finally:
        await app.close()
