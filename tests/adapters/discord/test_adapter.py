"""The Discord adapter over the real wire: what comes in, what is shown, and Discord's rules."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.chat import (
    Attachment,
    Button,
    Conversation,
    Form,
    FormFault,
    FormField,
    Incoming,
    Outgoing,
    PlatformError,
    ProgressBar,
)
from adapters.discord.components import read_filled_form
from adapters.discord.discord_adapter import DiscordAdapter
from adapters.discord.discord_sender import PERMISSIONS
from bot.wording.labels import WORDS
from tests.fakes import FakeBackend
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_rules import No
from tests.stand_ins.discord_server import BOT, CHANNEL, GUILD, OTHER_GUILD

AT = Conversation("discord", GUILD, CHANNEL, "300")
EDIT_S = 0.2


@asynccontextmanager
async def connected(
    discord: Discord, backend: FakeBackend, edit_s: float = EDIT_S, *, reads: bool = False
) -> AsyncIterator[DiscordAdapter]:
    """The adapter, listening while the block runs."""
    adapter = DiscordAdapter("token", WORDS, edit_s, reads_messages=reads)
    before = discord.identified
    await adapter.open(backend)
    listening = asyncio.create_task(adapter.run())
    await discord.until(lambda: discord.identified > before)
    try:
        yield adapter
    finally:
        listening.cancel()
        await asyncio.wait([listening])
        await adapter.close()


async def heard(discord: Discord, backend: FakeBackend, count: int) -> list[Incoming]:
    """What came in, once there is so much."""
    await happened(lambda: len(backend.received) >= count)
    return backend.received


async def happened(found: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("reads", [False, True])
async def test_what_is_said_to_us_comes_in(discord: Discord, reads: bool) -> None:  # noqa: FBT001
    backend = FakeBackend(known={AT})
    async with connected(discord, backend, reads=reads):
        mention = await discord.say(f"<@{BOT}> survey graphs")
        await discord.say("nobody's business")
        await discord.say("ok", channel="300")
        await discord.say(f"<@{BOT}> back", channel="300")
        await discord.say("a bot", channel="300", bot=True)
        await discord.say("joined", channel="300", type=7)
        await discord.say("hello", channel="71")
        await discord.say(f"<@{BOT}>", channel="300")
        received = await heard(discord, backend, 5 if reads else 4)
    opening = Conversation("discord", GUILD, CHANNEL, mention)
    direct = Conversation("discord", "dm-1", "71")
    expected = [(opening, "survey graphs", True), (AT, "ok", False), (AT, "back", False), (direct, "hello", False)]
    expected += [(AT, "help", False)]
    assert [(i.conversation, i.text, i.opens) for i in received] == [e for e in expected if reads or e[1] != "ok"]


async def test_a_missing_intent_and_a_wrong_token_are_said(discord: Discord) -> None:
    discord.allows_content = False
    adapter = DiscordAdapter("token", WORDS, reads_messages=True)
    await adapter.open(FakeBackend())
    with pytest.raises(PlatformError, match="Message Content Intent"):
        await adapter.run()
    await adapter.close()
    wrong = DiscordAdapter("another", WORDS)
    with pytest.raises(PlatformError, match="does not accept the token"):
        await wrong.open(FakeBackend())
    await wrong.close()


async def test_commands_are_registered_when_they_have_changed_and_only_then(discord: Discord) -> None:
    backend = FakeBackend()
    for _ in range(2):
        async with connected(discord, backend):
            discord.dispatch("READY", {})
    assert discord.syncs == 1
    (survey,) = [c for c in discord.commands if c["name"] == "survey"]
    names = {"start", "quick", "show", "why", "ask", "change", "status", "list", "stop", "export", "cost", "help"}
    assert {o["name"] for o in survey["options"]} == names
    for command in survey["options"]:
        assert 1 <= len(command["description"]) <= 100
        assert all(1 <= len(option["description"]) <= 100 for option in command["options"])
    for key in backend.notes:
        backend.notes[key] = "another"
    async with connected(discord, backend):
        pass
    assert discord.syncs == 2


FORM = Form(
    "New survey",
    "start",
    "Begin",
    (
        FormField("topic", "Topic", "", "graphs"),
        FormField("recipe", "Method", "b", kind="choice", choices=(("a", "A"), ("b", "B"))),
        FormField("notes", "Notes", "", kind="text", optional=True),
    ),
)


async def test_commands_forms_and_the_menu(discord: Discord) -> None:
    survey = Outgoing(AT, "**Graphs** (outline, your turn)", buttons=(Button("Export", "export:s", "export"),))
    backend = FakeBackend(asked=FORM, surveys=[survey] * 30, known={AT})
    async with connected(discord, backend):
        begun = await discord.command("start", topic="graphs", years="2020..")
        await discord.until(lambda: begun.answers == [WORDS.begun])
        assert (begun.callback or {})["type"] == 5
        assert backend.received[-1].values == (("topic", "graphs"), ("years", "2020.."))
        assert backend.received[-1].opens
        backend.wrong = FormFault("years", "Not a *year*.")
        refused = await discord.command("start", topic="graphs", years="soon")
        await discord.until(lambda: refused.answers != [])
        assert "Not a" in refused.answers[0]
        asked = await discord.command("start")
        again = await discord.submit(asked, CHANNEL, topic="x`y", notes="long thoughts")
        assert "long thoughts" in again.answers[0]  # what was written is given back
        backend.wrong = None
        await discord.submit(asked, CHANNEL, topic="nets", recipe="a")
        assert dict((await heard(discord, backend, 2))[-1].values) == {"topic": "nets", "recipe": "a", "notes": ""}
        menu = await discord.menu("777", "a long message")
        await discord.submit(menu, CHANNEL, topic="other")
        assert (await heard(discord, backend, 3))[-1].conversation == Conversation("discord", GUILD, CHANNEL, "777")
        assert await discord.type_option("start", "recipe", "b") == ["b"]
        assert await discord.type_option("status", "survey", "gra") == [f"{CHANNEL}/300"] * 25
        said = await discord.command("stop", survey=f"{CHANNEL}/300")
        await discord.until(lambda: said.answers == [f"{WORDS.noted} <#300>"])
        for number, name in enumerate(("status", "cost"), start=5):  # answered to this person alone
            await discord.command(name, survey=f"{CHANNEL}/300")
            heard_now = (await heard(discord, backend, number))[-1]
            assert (heard_now.conversation, heard_now.text, heard_now.alone) == (AT, name, True)
        await discord.command("export", channel="300", formats="pdf bib")
        assert (await heard(discord, backend, 7))[-1].text == "export pdf bib"
        backend.known = {AT}
        lost = await discord.command("status")
        await discord.until(lambda: lost.answers == [WORDS.nothing_here])
        listed = await discord.command("list")
        await discord.until(lambda: listed.answers != [])
        assert "<#300>" in listed.answers[0]
        assert discord.refused == []


async def test_what_cannot_be_typed_is_a_command(discord: Discord) -> None:
    backend = FakeBackend(known={AT})
    spoken = {
        "show": ("what", "2.1"),
        "why": ("what", "[3]"),
        "ask": ("question", "how?"),
        "change": ("words", "drop 3"),
    }
    async with connected(discord, backend):
        for number, (name, (option, value)) in enumerate(spoken.items(), start=1):
            await discord.command(name, channel="300", **{option: value})
            text = value if name == "change" else f"{name} {value}"
            assert (await heard(discord, backend, number))[-1].text == text
    assert [incoming.alone for incoming in backend.received] == [True, True, False, False]


async def test_buttons_work_whoever_showed_them_and_what_is_private_stays_so(discord: Discord) -> None:
    backend = FakeBackend(asked=Form("Edit", "edit:s:1", "Save", (FormField("x", "X", "y"),)))
    buttons = (Button("Go on", "ok:s:1", "ok"), Button("Edit", "edit:s:1", "", asks=True))
    async with connected(discord, backend) as adapter:
        await adapter.send(Outgoing(AT, "Proposal", buttons=buttons, key="1"))
    async with connected(discord, backend) as adapter:
        pressed = await discord.press(discord.messages[0], "Go on", user="5")
        (incoming,) = await heard(discord, backend, 1)
        assert (incoming.person, incoming.button, incoming.conversation) == ("5", "ok:s:1", AT)
        await adapter.send(Outgoing(AT, "Only @9 may.", only_for="5", people=("9",)))
        assert pressed.followups == [("Only <@9> may.", True)]
        await adapter.send(Outgoing(AT, "Only you.", only_for="6"))
        assert discord.messages[-1].channel == "76"  # who did nothing here just now is written to directly
        discord.closed_dms.add("7")
        await adapter.send(Outgoing(AT, "Only you.", only_for="7"))
        assert discord.messages[-1].channel == "300"
        form = await discord.press(discord.messages[0], "Edit")
    async with connected(discord, backend):
        await discord.submit(form, "300", x="z")
        assert (await heard(discord, backend, 2))[-1].values == (("x", "z"),)
        backend.asked = Outgoing(AT, "No.", only_for="1")
        assert (await discord.press(discord.messages[0], "Edit")).answers == ["No."]
    assert discord.refused == [f"POST channels {No(403, 50007)}"]


async def test_what_cannot_be_stored_is_said(discord: Discord) -> None:
    async def fails(_: Incoming) -> None:
        raise OSError("disk full")

    async with connected(discord, FakeBackend(fails)) as adapter:
        await adapter.send(Outgoing(AT, "Proposal", buttons=(Button("Go on", "ok:s:1", "ok"),)))
        pressed = await discord.press(discord.messages[0], "Go on")
        await discord.until(lambda: pressed.followups == [(WORDS.failed, True)])


async def test_an_old_token_is_not_used_for_long_work(discord: Discord) -> None:
    discord.token_s = 0.0
    async with connected(discord, FakeBackend()) as adapter:
        await adapter.send(Outgoing(AT, "Proposal", buttons=(Button("Go on", "ok:s:1", "ok"),)))
        await discord.press(discord.messages[0], "Go on", user="5")
        await adapter.send(Outgoing(AT, "A result."))
        await adapter.send(Outgoing(AT, "For you.", only_for="5"))
    assert [m.content.strip() for m in discord.messages[1:]] == ["A result.", "For you."]


async def test_one_status_message_edited_seldom_and_ended(discord: Discord) -> None:
    backend = FakeBackend()
    async with connected(discord, backend) as adapter:
        stop = (Button("Stop", "stop:s:1", "stop"),)
        await adapter.send(Outgoing(AT, "Writing …", "started", buttons=stop, key="1"))
        began = time.monotonic()
        for number in range(300):  # a job does not wait for it
            facts = (f"{number} of 300", "3 s")
            await adapter.send(
                Outgoing(AT, f"Writing: {number}", "progress", bar=ProgressBar(number, 300), facts=facts)
            )
        await discord.until(lambda: "299 of 300" in discord.messages[0].content)
        assert discord.messages[0].edits <= 3 + (time.monotonic() - began) / EDIT_S
        await adapter.send(Outgoing(AT, "✓ Written", "ended", facts=("4 s",)))
        assert discord.messages[0].content == "✓ Written\n-# 4 s"
        assert not discord.messages[0].buttons
        assert len(discord.messages) == 1


async def test_an_archived_thread_is_posted_to_and_a_locked_one_stops(discord: Discord) -> None:
    backend = FakeBackend(known={AT})
    async with connected(discord, backend) as adapter:
        await adapter.send(Outgoing(AT, "Writing …", "started"))
        discord.threads["300"]["archived"] = True
        await adapter.send(Outgoing(AT, "✓ Written", "ended"))
        assert discord.threads["300"]["archived"]
        await adapter.send(Outgoing(AT, "A result."))
        assert not discord.threads["300"]["archived"]
        discord.lock("300")
        await happened(lambda: backend.closed_places)
        assert backend.closed_places == [AT]
        with pytest.raises(PlatformError) as refused:
            await adapter.send(Outgoing(AT, "too late"))
        assert not refused.value.retryable


async def test_the_same_message_again_is_one_message(discord: Discord) -> None:
    async with connected(discord, FakeBackend()) as adapter:
        for _ in range(2):
            await adapter.send(Outgoing(AT, "Once. " + "word " * 900, key="41"))
        await adapter.send(Outgoing(AT, "Once. " + "word " * 900, key="42"))
        discord.next_errors.append(No(500, 0))
        await adapter.send(Outgoing(AT, "patience", key="43"))
    contents = [m.content for m in discord.messages]
    assert "".join(contents).count("Once") == 2
    assert "".join(contents).count("patience") == 1


async def test_threads_are_opened_once_and_missing_permissions_are_named(discord: Discord) -> None:
    async with connected(discord, FakeBackend()) as adapter:
        asked = Incoming(Conversation("discord", GUILD, CHANNEL), "1", "interaction:1", opens=True)
        starter = Outgoing(asked.conversation, f"A survey on **{'long topic ' * 20}**, asked for by @1", people=("1",))
        opened = await adapter.open_thread(asked, starter)
        assert await adapter.open_thread(asked, starter) == opened
        assert len(discord.threads[opened.thread]["name"]) <= 100
        assert "<@1>" in discord.messages[0].content
        mention = replace(asked, conversation=replace(asked.conversation, thread="555"), key="message:555")
        assert (await adapter.open_thread(mention, starter)).thread == "555"
        direct = replace(asked, conversation=Conversation("discord", "dm-1", "71"), key="k3")
        assert (await adapter.open_thread(direct, starter)).thread == ""
        discord.permissions.create_public_threads = False
        before = len(discord.messages)
        with pytest.raises(PlatformError, match="create public threads"):
            await adapter.open_thread(replace(asked, key="k4"), starter)
        assert len(discord.messages) == before  # no beginning of a thread that there is not
        discord.permissions.send_messages_in_threads = False
        with pytest.raises(PlatformError, match="send messages in threads") as refused:
            await adapter.send(Outgoing(AT, "x"))
        assert not refused.value.retryable
        assert refused.value.gone


async def test_files_go_up_in_pieces_and_come_down(discord: Discord, tmp_path: Path) -> None:
    discord.file_limit = 10 * 2**20
    sizes = {"a.md": 9 * 2**20, "b.md": 9 * 2**20, "c.md": 9 * 2**20, "zeros.json": 12 * 2**20}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"0" * size)
    many = [tmp_path / f"{i}.txt" for i in range(12)]
    for path in many:
        path.write_text("x")
    async with connected(discord, FakeBackend()) as adapter:
        await adapter.send(Outgoing(AT, "Files:", files=tuple(tmp_path / name for name in sizes), key="1"))
        await adapter.send(Outgoing(AT, "Many:", files=tuple(many), key="2"))
        sent = [name for m in discord.messages for name, _ in m.files]
        assert sorted(sent) == sorted(["a.md", "b.md", "c.md", "zeros.json.zip", *(p.name for p in many)])
        url = f"{discord.url}/files/own.bib"
        assert (await adapter.fetch(AT, Attachment("own.bib", source=url))).startswith(b"@misc")
        for elsewhere in ("https://evil.example/x", "http://cdn.discordapp.com/x", "https://cdn.discordapp.com.evil/x"):
            with pytest.raises(PlatformError, match="not kept at Discord"):
                await adapter.fetch(AT, Attachment("own.bib", source=elsewhere))


async def test_a_dropped_connection_is_resumed_without_double_work(discord: Discord) -> None:
    backend = FakeBackend()
    async with connected(discord, backend):
        await discord.say("one", channel="71")
        await heard(discord, backend, 1)
        await discord.drop()
        await discord.say("two", channel="71")
        await heard(discord, backend, 2)
        assert discord.resumed == 1
    assert [i.text for i in backend.received] == ["one", "two"]
    assert discord.identified == 1


async def test_an_invalid_session_begins_anew_without_registering_again(discord: Discord) -> None:
    backend = FakeBackend()
    async with connected(discord, backend):
        await discord.sockets["now"].send_json({"op": 9, "d": False})
        await discord.until(lambda: discord.identified == 2)
        await discord.say("still there?", channel="71")
        assert [i.text for i in await heard(discord, backend, 1)] == ["still there?"]
    assert discord.syncs == 1


async def test_what_discord_py_still_dispatches_after_the_end_is_not_handled(discord: Discord) -> None:
    backend = FakeBackend()
    async with connected(discord, backend) as adapter:
        pass
    backend.is_listening = False
    adapter.client.dispatch("ready")  # its own task does so two seconds after the last server came
    await asyncio.sleep(0)
    assert not backend.is_listening


async def test_a_server_that_removes_us_and_events_of_another_server(discord: Discord) -> None:
    backend = FakeBackend(known={AT})
    async with connected(discord, backend):
        await discord.say(f"<@{BOT}> show", channel="400", guild=OTHER_GUILD)
        discord.dispatch("GUILD_DELETE", {"id": OTHER_GUILD})
        (incoming,) = await heard(discord, backend, 1)
        assert incoming.conversation.tenant == OTHER_GUILD
        await happened(lambda: backend.left_by)
    assert backend.left_by == [OTHER_GUILD]


def test_the_guide_names_what_the_code_uses() -> None:
    guide = (Path(__file__).parents[3] / "deploy" / "discord.md").read_text()
    assert f"permissions={PERMISSIONS.value}" in guide
    assert "scope=bot+applications.commands" in guide
    made = (DiscordAdapter("t", WORDS, reads_messages=reads) for reads in (False, True))
    plain, reading = (adapter.client.intents for adapter in made)
    privileged = ("presences", "members", "message_content")
    assert not any(getattr(plain, name) for name in privileged)
    assert [name for name in privileged if getattr(reading, name)] == ["message_content"]
    assert "Message Content Intent" in guide


async def test_shards_by_setting(discord: Discord) -> None:
    backend = FakeBackend()
    adapter = DiscordAdapter("token", WORDS, shards=2)
    await adapter.open(backend)
    assert adapter.client.shard_count == 2
    await adapter.close()


def test_the_last_field_of_a_form_is_read_line_by_line() -> None:
    lines = "years: 2018..2025\nsections 4\nbudget:\nlanguage = en\nred\n\n"
    shown = {"components": [{"component": {"custom_id": "rest", "value": lines}}]}
    assert read_filled_form(shown) == (
        ("years", "2018..2025"), ("sections", "4"), ("language", "en"), ("red", "red"),
    )  # fmt: skip
