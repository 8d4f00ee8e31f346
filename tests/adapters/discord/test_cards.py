"""Messages that are edited in place: an answer in its status, a card until it is decided."""

from __future__ import annotations

from adapters.chat import Button, Outgoing
from tests.adapters.discord.test_adapter import AT, connected, heard
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


async def test_a_page_of_a_section_is_one_card_that_is_turned(discord: Discord) -> None:
    turn = (Button("More →", "show 2 page 2:s:1", "show 2 page 2"), Button("Evidence", "why 2:s:1", "why 2"))
    page = "\n\n".join(f"Paragraph {n} says @everyone " + "word " * 80 for n in range(6))
    backend = FakeBackend()
    async with connected(discord, backend) as adapter:
        await adapter.send(Outgoing(AT, page, slot="reading", buttons=turn, anew=True, key="1"))
        (shown,) = discord.messages  # which two of the older kind would take
        assert shown.is_v2
        assert 2_000 < len(shown.content) <= 4_000
    async with connected(discord, backend) as adapter:
        await discord.press(shown, "More →")
        assert (await heard(discord, backend, 1))[-1].button == "show 2 page 2:s:1"
        await adapter.send(Outgoing(AT, "The second page.", slot="reading", buttons=turn[1:], key="2"))
        assert [m.content for m in discord.messages] == ["The second page."]
        assert list(shown.buttons) == ["Evidence"]
        await adapter.send(Outgoing(AT, "Writing …", "started", job="j", key="3"))
        await adapter.send(Outgoing(AT, "✓ Finished", slot="card", job="j", buttons=turn, key="4"))
        assert [m.content for m in discord.messages] == ["The second page.", "✓ Finished"]
        await adapter.send(Outgoing(AT, "word " * 1_200, slot="reading", key="5"))
    assert [m.content.count("word") > 0 for m in discord.messages] == [True, False, True]
    assert sum(m.content.count("word") for m in discord.messages) == 1_200
    assert discord.refused == discord.unsafe == []
