"""Where surveys are in Discord besides the threads of a channel: the posts of a forum, and where we are no member."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.chat import Button, Conversation, Incoming, Outgoing
from bot.wording.labels import WORDS
from tests.adapters.discord.test_adapter import FORM, connected, happened, heard
from tests.fakes import FakeBackend
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_rules import Json
from tests.stand_ins.discord_server import BOT, FOREIGN, FORUM, GUILD, message_json


@pytest.mark.parametrize("requires_tag", [False, True])
async def test_in_a_forum_each_survey_is_a_post(discord: Discord, requires_tag: bool) -> None:  # noqa: FBT001
    discord.requires_tag = requires_tag
    backend = FakeBackend(asked=FORM)
    async with connected(discord, backend) as adapter:
        await happened(lambda: adapter.client.get_channel(int(FORUM)))
        asked = Incoming(Conversation("discord", GUILD, FORUM), "1", "interaction:1", opens=True)
        starter = Outgoing(asked.conversation, "A survey on **graphs**, asked for by @1", people=("1",))
        opened = await adapter.open_thread(asked, starter)
        assert await adapter.open_thread(asked, starter) == opened
        assert (discord.threads[opened.thread]["name"], discord.messages[0].channel) == ("graphs", opened.thread)
        await adapter.send(Outgoing(opened, "The keywords", slot="card", key="1"))
        assert [m.channel for m in discord.messages] == [opened.thread] * 2
        backend.known.add(opened)
        await discord.command("start", channel=opened.thread, topic="nets")  # where a survey is, another gets its own
        assert (await heard(discord, backend, 1))[-1].conversation == asked.conversation
        form = await discord.command("start", channel=opened.thread)
        await discord.submit(form, opened.thread, topic="trees")
        assert (await heard(discord, backend, 2))[-1].conversation == asked.conversation
        post = discord.snowflake()  # of a person
        discord.threads[post] = {"id": post, "parent": FORUM, "name": "Reading", "archived": False, "locked": False}
        discord.dispatch("THREAD_CREATE", discord.thread_json(post))
        await discord.say(f"<@{BOT}> survey forests", channel=post)
        assert (await heard(discord, backend, 3))[-1].conversation == replace(opened, thread=post)
        backend.known.discard(replace(opened, thread=post))
        await discord.command("start", channel=post, topic="forests")
        incoming = (await heard(discord, backend, 4))[-1]
        assert (incoming.conversation, incoming.opens) == (replace(opened, thread=post), True)
        assert await adapter.open_thread(incoming, starter) == replace(opened, thread=post)
    assert len(discord.messages) == 2
    assert discord.refused == []


def _command(name: str, **options: str) -> Json:
    given = [{"name": option, "type": 3, "value": value} for option, value in options.items()]
    return {"id": "1", "name": "survey", "type": 1, "options": [{"name": name, "type": 1, "options": given}]}


BUTTON = {"type": 2, "label": "Go on", "style": 2, "custom_id": "act0:ok:s:1"}
SHOWN = {
    **message_json("7", FOREIGN, "Your turn.", {"id": BOT, "username": "s", "discriminator": "0", "avatar": None}),
    "components": [{"type": 1, "components": [BUTTON]}],
}


async def test_where_we_are_no_member_a_person_is_answered_alone_and_the_survey_is_with_them(discord: Discord) -> None:
    backend, directly = FakeBackend(asked=FORM), Conversation("discord", "dm-5", "75")
    foreign: Json = {"channel": FOREIGN, "user": "5", "guild": "555"}
    async with connected(discord, backend) as adapter:
        assert all(command["integration_types"] == [0, 1] for command in discord.commands)
        assert all(command["contexts"] == [0, 1, 2] for command in discord.commands)
        begun = await discord.interact(2, _command("start", topic="graphs"), **foreign)
        (incoming,) = await heard(discord, backend, 1)
        assert (incoming.conversation, incoming.opens) == (directly, True)
        await discord.until(lambda: begun.answers == [f"{WORDS.directly} <https://discord.com/channels/@me/75>"])
        opened = await adapter.open_thread(incoming, Outgoing(directly, "A survey on **graphs**"))
        assert [(m.channel, m.content.strip()) for m in discord.messages] == [("75", "A survey on **graphs**")]
        status = await discord.interact(2, _command("status"), **foreign)
        assert (await heard(discord, backend, 2))[-1].conversation == opened
        await adapter.send(Outgoing(opened, "Your turn.", buttons=(Button("Go on", "ok:s:1", "ok"),), only_for="5"))
        assert status.answers == ["Your turn."]
        await adapter.send(Outgoing(opened, "\n\n".join(["word " * 300] * 8), only_for="5"))  # more than may follow
        assert sum(m.content.count("word") for m in discord.messages) == 2_400
        answered = (begun.callback or {}, status.callback or {})
        assert all(callback["data"]["flags"] & 64 for callback in answered)
        pressed = await discord.interact(3, {"custom_id": "act0:ok:s:1", "component_type": 2}, **foreign, message=SHOWN)
        assert ((await heard(discord, backend, 3))[-1].button, backend.received[-1].conversation) == ("ok:s:1", opened)
        form = await discord.interact(2, _command("start"), **foreign)
        await discord.submit(form, FOREIGN, user="5", topic="nets")
        assert (await heard(discord, backend, 4))[-1].conversation == directly
        assert pressed.callback
    assert not any(m.channel == FOREIGN for m in discord.messages)
    assert discord.refused == ["POST webhooks 400/40094"]
