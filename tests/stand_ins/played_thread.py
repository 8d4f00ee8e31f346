"""The command `bench thread`: one survey in a thread of Slack or Discord, as people there see it, and how long it is.

The platforms are stand-ins on this machine; the adapters, the service and the survey are the real ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeVar

import sqlalchemy as sa
from rich.console import Console

from adapters.chat import ChatAdapter, Conversation
from adapters.discord.discord_adapter import DiscordAdapter
from adapters.slack.slack_adapter import SlackAccess, SlackAdapter
from bot.app import App
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.schema import events
from bot.store.sessions import open_store
from bot.wording.labels import WORDS
from engine.errors import UserError
from engine.session.state import SurveySession
from engine.survey import walk
from tests.stand_ins import discord_guild, discord_server, slack_server, slack_workspace

Platform = Literal["slack", "discord"]
SAID = "survey retrieval-augmented generation recipe=cluster sections=6 words=220"
KEYWORD, TITLE = "dense retrieval", "Learning to Retrieve"
QUESTION = "how is retrieval combined with generation?"
STEP_S = 600.0
MINUTE_S = 6.0
"""How long a minute of the stand-in's rate limits takes."""

Pressed = TypeVar("Pressed")
Do = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Shown:
    """One message as it stands at the end; ``alone`` says that only one person sees it."""

    text: str
    buttons: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    edits: int = 0
    alone: bool = False


@dataclass(frozen=True)
class ThreadFigures:
    """How much a survey takes in a thread: messages and characters that everybody sees, what the platform refused."""

    platform: str
    messages: int
    characters: int
    alone: int
    edits: int
    files: int
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Player:
    """A person in a thread: says something, presses the last button that does it."""

    service: Service
    at: Conversation
    say: Do
    press: Do

    async def do(self, doing: Awaitable[None], *, changes: bool = True) -> None:
        """Do something, and wait until it is answered; where it ``changes`` the survey, until that is shown."""
        before, answered = await self.session(), await self.count_answered()
        await doing
        async with asyncio.timeout(STEP_S):
            while True:
                await self.service.dispatcher.drain()
                now = await self.session()
                is_changed = now.revision > before.revision or not changes
                if now.job is None and is_changed and await self.count_answered() > answered:
                    break
                await asyncio.sleep(0.05)
        await self.service.outbox.drain(STEP_S)

    async def session(self) -> SurveySession:
        """The survey's session as it is by now."""
        return (await self.service.store.load_conversation(self.at)).session

    async def count_answered(self) -> int:
        """How much of what was said and pressed is answered."""
        query = sa.select(sa.func.count()).where(events.c.handled_at.is_not(None))
        async with self.service.store.connect() as connection:
            return int((await connection.execute(query)).scalar_one())


async def thread(console: Console, platform: Platform, *, as_json: bool, questions: bool) -> int:
    """Play the survey and print the thread, or the figures alone; 1 where the platform refused something."""
    with tempfile.TemporaryDirectory(prefix="scholium-thread-") as home:
        os.environ.update({"SCHOLIUM_HOME": home, "SCHOLIUM_OUTPUT": home, "SCHOLIUM_ONLINE": "never"})
        play = _on_slack if platform == "slack" else _on_discord
        shown, refused = await play(questions=questions)
    public = [message for message in shown if not message.alone]
    figures = ThreadFigures(
        platform,
        len(public),
        sum(len(message.text) for message in public),
        len(shown) - len(public),
        sum(message.edits for message in public),
        sum(len(message.files) for message in public),
        refused,
    )
    if as_json:
        console.print_json(json.dumps(asdict(figures)))
    else:
        for message in shown:
            _print(console, message)
        line = (
            f"{figures.messages} messages, {figures.characters:,} characters; {figures.alone} more for one person alone"
        )
        console.print(line, highlight=False)
    return int(bool(refused))


def _print(console: Console, message: Shown) -> None:
    edits = f", edited {message.edits} times" if message.edits else ""
    head = f"── {'for one person alone' if message.alone else 'to all'}, {len(message.text)} characters{edits} "
    console.print(head.ljust(78, "─"), style="dim", markup=False, highlight=False)
    console.print(message.text, markup=False, highlight=False, soft_wrap=True)
    below = [f"[{label}]" for label in message.buttons] + [f"📎 {name}" for name in message.files]
    if below:
        console.print("  ".join(below), style="bold", markup=False, highlight=False)


async def _play(player: Player, *, questions: bool) -> None:
    """The survey: a keyword more, a section renamed, all approved by buttons; then perhaps what is asked of it."""
    await player.do(player.say(SAID))
    await player.do(player.say(f"add {KEYWORD}"))
    for _ in ("keywords", "papers"):
        await player.do(player.press("ok"))
    await player.do(player.say(f"rename 2 to {TITLE}"))
    await player.do(player.press("ok"))
    if not questions:
        return
    written = (await player.session()).state.survey
    whole = [place for place, section in walk(written.sections) if not section.sections] if written else []
    shorten = f"shorten {whole[1]}"  # the introduction is the first
    for words in (f"ask {QUESTION}", "why 2", "show papers", shorten, "cost", "status", "lunch at 12?"):
        await player.do(player.say(words), changes=words.startswith("shorten"))
    for verb in ("references", "show 2", "show papers"):
        await player.do(player.press(verb), changes=False)


@asynccontextmanager
async def _serve(adapter: ChatAdapter, is_ready: Callable[[], Awaitable[object]]) -> AsyncIterator[Service]:
    """The service of a platform with the bundled library, while the block runs."""
    app = App(load_settings())
    await app.libraries.install_bundled()
    async with open_store(app.settings.store_url()) as store, run_service(app, adapter, store=store) as service:
        serving = asyncio.create_task(service.run())
        await is_ready()
        try:
            yield service
        finally:
            serving.cancel()
            await asyncio.wait([serving])


async def _on_slack(*, questions: bool) -> tuple[list[Shown], list[str]]:
    async with slack_workspace.serve_slack(slack_workspace.Slack(minute_s=MINUTE_S)) as slack:
        access = SlackAccess("xoxb-T1", slack_server.APP_TOKEN, api_url=f"{slack.url}/api/")
        adapter = SlackAdapter(access, WORDS, MINUTE_S / 40, MINUTE_S / 40)
        async with _serve(adapter, lambda: slack.until(lambda: len(slack.sockets) == 2)) as service:
            stamp = slack.stamp()

            async def say(text: str) -> None:
                first = text == SAID
                await slack.say(f"<@UBOT> {text}" if first else text, **{"ts" if first else "thread": stamp})

            async def press(verb: str) -> None:
                found = (
                    (message, label)
                    for message in reversed(slack.messages)
                    for label, button in message.buttons.items()
                    if _does(str(button.get("value", "")), verb)
                )
                await slack.press(*_first(found, verb))

            await _play(Player(service, Conversation("slack", "T1", "C1", stamp), say, press), questions=questions)
        shown = [
            Shown(m.text, tuple(m.buttons), tuple(m.files), m.edits, alone=bool(m.only_for)) for m in slack.messages
        ]
        return shown, [f"{method}: {error}" for method, error in slack.refused]


async def _on_discord(*, questions: bool) -> tuple[list[Shown], list[str]]:
    async with discord_guild.serve_discord(discord_guild.Discord()) as discord:
        adapter = DiscordAdapter("token", WORDS, edit_s=0.3)
        async with _serve(adapter, lambda: discord.until(lambda: discord.identified > 0)) as service:
            name = discord.snowflake()

            async def say(text: str) -> None:
                where = {"id": name} if text == SAID else {"channel": name}
                await discord.say(f"<@{discord_server.BOT}> {text}", **where)

            async def press(verb: str) -> None:
                found = (
                    (message, label)
                    for message in reversed(discord.messages)
                    for label, action in message.buttons.items()
                    if _does(action.split(":", 1)[1], verb)
                )
                await discord.press(*_first(found, verb))

            at = Conversation("discord", discord_server.GUILD, discord_server.CHANNEL, name)
            await _play(Player(service, at, say, press), questions=questions)
        shown = [Shown(m.content, tuple(m.buttons), tuple(n for n, _ in m.files), m.edits) for m in discord.messages]
        alone = [Shown(text, alone=True) for made in discord.interactions.values() for text in made.answers]
        return [*shown, *alone], discord.refused


def _first(found: Iterator[Pressed], verb: str) -> Pressed:
    """The button of that verb; raises `UserError` where nobody offers it."""
    for one in found:
        return one
    raise UserError(f"No message has a button “{verb}”.")


def _does(action: str, verb: str) -> bool:
    """Whether a button's action is this verb, with or without what it is about."""
    return action == verb or action.startswith((f"{verb}:", f"{verb} "))
