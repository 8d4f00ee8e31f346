"""Where surveys are in Discord besides the threads of a channel: the posts of a forum, and where we are no member."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.chat import Conversation, Incoming, Outgoing
from tests.adapters.discord.test_adapter import FORM, connected, happened, heard
from tests.fakes import FakeBackend
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_server import BOT, FORUM, GUILD


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
