"""Messages that are edited in place: an answer in its status, a card until it is decided."""

from __future__ import annotations

import asyncio

from adapters.chat import Button, Outgoing, SurveyList
from adapters.slack.blocks import home
from tests.adapters.slack.test_adapter import AT, connected
from tests.fakes import FakeBackend
from tests.stand_ins.slack_workspace import Slack


async def test_an_answer_takes_the_place_of_its_status_and_a_card_is_edited_until_it_closes(slack: Slack) -> None:
    more = (Button("More", "m:s:1", "more"),)
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(AT, "Looking …", "started", job="j1"))
        await adapter.send(Outgoing(AT, "One.", "growing", job="j1"))
        await slack.message("One.")
        await adapter.send(Outgoing(AT, "One. Two.", job="j1", buttons=more))
        assert [m.text.split("\n")[0] for m in slack.messages] == ["One. Two."]
        assert slack.messages[0].buttons
        await adapter.send(Outgoing(AT, "Searching …", "started", job="j2"))
        await adapter.send(Outgoing(AT, "Card 1", job="j2", slot="card", buttons=more, hints=("add WORDS",)))
        assert slack.messages[1].text.endswith("or say `add WORDS`")  # [More] says itself what can be said
    async with connected(slack, backend) as adapter:  # whoever showed it
        long = "\n\n".join(f"Paragraph {i} " + "word " * 300 for i in range(12))
        await adapter.send(Outgoing(AT, long, slot="card", buttons=more))
        assert len(slack.messages) > 2
        assert [bool(m.buttons) for m in slack.messages[1:]] == [False] * (len(slack.messages) - 2) + [True]
        assert slack.messages[-1].body["text"].endswith("…\nor say `more`")  # what is read out has no buttons
        await adapter.send(Outgoing(AT, "Approved.", slot="card", closes=True))
        assert [m.text.strip() for m in slack.messages[1:]] == ["Approved."]
        assert not slack.messages[1].buttons
        await adapter.send(Outgoing(AT, "Approved again.", slot="card", closes=True))
        assert len(slack.messages) == 2
        await adapter.send(Outgoing(AT, "Card 2", slot="card"))
        assert len(slack.messages) == 3
    assert {name for _, name in backend.notes if backend.notes[_, name]} == {"card"}


async def test_a_text_that_grows_stands_beside_how_far_it_is(slack: Slack) -> None:
    stop = (Button("Stop", "stop:s:1", "stop"),)
    async with connected(slack, FakeBackend()) as adapter:
        await adapter.send(Outgoing(AT, "Looking …", "started", job="j"))
        await adapter.send(Outgoing(AT, "Looking at papers", "progress", job="j", facts=("3 s",), buttons=stop))
        await adapter.send(Outgoing(AT, "One.", "growing", job="j"))
        shown = await slack.message("One.")
        assert "3 s" in shown.text
        assert shown.text.lower().count("stop") == 1
        await adapter.send(Outgoing(AT, "Looking at papers", "progress", job="j", facts=("11 s",), buttons=stop))
        await slack.message("11 s")
        assert "One." in shown.text  # what is there already does not go away
        assert "Looking" not in shown.text
        await adapter.send(Outgoing(AT, "One. Two.", job="j"))
    assert [m.text for m in slack.messages] == ["One. Two.\n"]


def test_the_home_page_names_each_block_once_though_a_thread_holds_two_surveys() -> None:
    both = tuple(Outgoing(AT, title, buttons=(Button("Continue", "show:s", "show"),)) for title in ("One", "Two"))
    page = home(SurveyList("Yours", Button("New", "start", "", asks=True), "Open", "None.", both), {})
    named = [block["block_id"] for block in page["blocks"] if "block_id" in block]
    assert len(named) == len({*named}) == 3


async def test_answers_never_wait_for_edits_and_what_they_replace_is_removed_later(slack: Slack) -> None:
    backend, slow = FakeBackend(), (0.01, 60.0)  # after the first few no edit has room
    async with connected(slack, backend, pace=slow) as adapter:
        for job in map(str, range(12)):
            await adapter.send(Outgoing(AT, "Looking …", "started", job=job))
            async with asyncio.timeout(20):
                await adapter.send(Outgoing(AT, f"Card {job}", job=job, slot="card"))
                await adapter.send(Outgoing(AT, "Approved.", slot="card", closes=True))
        assert all(any(f"Card {job}" in m.text or "Approved" in m.text for m in slack.messages) for job in range(12))
        assert "Card 11" in slack.messages[-1].text
        assert slack.calls["chat.update"] < 12


async def test_without_agents_the_same_messages_and_no_second_attempt(slack: Slack) -> None:
    slack.has_agents = False
    async with connected(slack, FakeBackend()) as adapter:
        for _ in range(3):
            await adapter.send(Outgoing(AT, "Writing …", "started"))
            await adapter.send(Outgoing(AT, "✓ Written", "ended"))
        await slack.until(lambda: slack.calls["agents.sessions.setStatus"] == 1)
    assert [m.text for m in slack.messages] == ["✓ Written\n"] * 3
