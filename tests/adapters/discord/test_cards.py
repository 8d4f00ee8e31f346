"""Messages that are edited in place: an answer in its status, a card until it is decided."""

from __future__ import annotations

from adapters.chat import Button, Outgoing
from tests.adapters.discord.test_adapter import AT, connected
from tests.fakes import FakeBackend
from tests.stand_ins.discord_guild import Discord


async def test_an_answer_takes_the_place_of_its_status_and_a_card_is_edited_until_it_closes(discord: Discord) -> None:
    backend, more = FakeBackend(), (Button("More", "m:s:1", "more"),)
    async with connected(discord, backend) as adapter:
        await adapter.send(Outgoing(AT, "Looking …", "started", job="j1", key="1"))
        await adapter.send(Outgoing(AT, "One.", "growing", job="j1"))
        await discord.message("One.")
        await adapter.send(Outgoing(AT, "One. Two.", job="j1", key="2"))
        assert [m.content.strip() for m in discord.messages] == ["One. Two."]
        await adapter.send(Outgoing(AT, "Card 1", slot="card", buttons=more, hints=("add WORDS",), key="3"))
        assert "or mention me and say `add WORDS`" in discord.messages[1].content
    async with connected(discord, backend) as adapter:  # whoever showed it
        await adapter.send(Outgoing(AT, "Three. " + "word " * 900, slot="card", buttons=more, key="4"))
        assert "".join(m.content for m in discord.messages).count("word") == 900
        assert [bool(m.buttons) for m in discord.messages[1:]] == [False] * (len(discord.messages) - 2) + [True]
        await adapter.send(Outgoing(AT, "Approved.", slot="card", closes=True, key="5"))
        assert [m.content.strip() for m in discord.messages[1:]] == ["Approved."]
        assert not discord.messages[1].buttons
    assert {name for at, name in backend.notes if backend.notes[at, name] and at == AT} == set()
