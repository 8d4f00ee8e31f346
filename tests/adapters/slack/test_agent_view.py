"""Slack's view of agents: what is at work and on what, and what can be said in direct messages."""

from __future__ import annotations

import pytest

from adapters.chat import Button, Conversation, Outgoing
from adapters.editing import SendingPace
from adapters.slack.slack_adapter import SlackAdapter
from bot.wording.labels import RATING, WORDS
from tests.adapters.slack.test_adapter import connected
from tests.fakes import FakeBackend
from tests.stand_ins.slack_agents import Message
from tests.stand_ins.slack_workspace import Slack

STOP = (Button("Stop", "stop:s:1", "stop"),)
CARD = (
    Button("Search with these", "ok:s:2", "ok"),
    Button("Edit", "edit:s:2", "", asks=True),
    *(Button(f"Choose {n}", f"choose {n}:s:2", str(n)) for n in range(1, 6)),
)


async def test_what_can_be_said_is_suggested_by_state_and_the_work_is_named(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        await slack.event({"type": "app_home_opened", "tab": "messages", "user": "U1", "channel": "D1"})
        await slack.until(lambda: slack.prompts.get("D1") == [(words, words) for words in WORDS.examples])
        at = Conversation("slack", "T1", "D1", await slack.say("survey graphs", channel="D1"))
        await adapter.send(Outgoing(at, "Looking for keywords", "started", STOP, job="j", title="graphs"))
        await slack.until(lambda: slack.prompts["D1"] == [("Stop", "stop")])
        await slack.until(lambda: slack.statuses == [(at.thread, "processing")])
        await slack.until(lambda: slack.titles == {at.thread: "graphs"})
        await adapter.send(Outgoing(at, "The keywords", buttons=CARD, job="j", slot="card"))
        said = [("Search with these", "ok"), *((f"Choose {n}", str(n)) for n in range(1, 4))]
        await slack.until(lambda: slack.prompts["D1"] == said)
        await slack.until(lambda: slack.statuses[-1] == (at.thread, "suspended"))
        await adapter.send(Outgoing(at, "Looking", "started", STOP, job="k"))
        await slack.until(lambda: slack.prompts["D1"] == [("Stop", "stop")])
        await adapter.send(Outgoing(at, "An answer.", job="k"))
        await slack.until(lambda: slack.prompts["D1"] == said)  # nothing runs that could be stopped
    assert slack.refused == []


@pytest.mark.parametrize("why", ["no agents", "missing scope"])
async def test_a_workspace_without_agents_is_asked_once(slack: Slack, why: str) -> None:
    slack.has_agents = why != "no agents"
    slack.missing_scopes |= {"assistant:write"} if slack.has_agents else set()
    async with connected(slack, FakeBackend()) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("survey graphs", channel="D1"))
        for number in range(2):
            await adapter.send(Outgoing(at, f"The keywords {number}", buttons=CARD))
            await slack.until(lambda: slack.refused)
        await adapter.send(Outgoing(at, "Working", "started", STOP, job="j"))
        await slack.until(lambda: len(slack.refused) == 2)
    assert len(slack.messages) == 3
    assert slack.calls["assistant.threads.setSuggestedPrompts"] == 1


async def test_in_channels_nothing_is_suggested(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        at = Conversation("slack", "T1", "C1", await slack.say("<@UBOT> survey graphs"))
        await adapter.send(Outgoing(at, "The keywords", buttons=CARD))
        await adapter.send(Outgoing(at, "Working", "started", STOP, job="j", title="graphs"))
        await slack.until(lambda: slack.titles)
    assert slack.calls["assistant.threads.setSuggestedPrompts"] == 0


async def test_what_people_think_of_an_answer_is_kept(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        at = Conversation("slack", "T1", "C1", await slack.say("<@UBOT> survey graphs"))
        await adapter.send(Outgoing(at, "By their records: 3", job="j", rating=RATING))
        answer = await slack.message("By their records")
        await slack.rate(answer, "positive_button", user="U2")
        await slack.rate(answer, "negative_button")
    assert backend.ratings == [(answer.ts, "U2", True), (answer.ts, "U1", False)]
    assert slack.refused == slack.late == []


async def test_a_name_that_a_person_gave_stays_until_the_topic_is_another(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("survey graphs", channel="D1"))
        for job, title in enumerate(("graphs", "graphs", "trees")):
            await adapter.send(Outgoing(at, "Working", "started", STOP, job=str(job), title=title))
            await slack.until(lambda n=job: slack.calls["agents.sessions.setStatus"] == n + 1)
            if job == 0:
                await slack.until(lambda: slack.titles[at.thread] == "graphs")
                slack.titles[at.thread] = "My graphs"
        await slack.until(lambda: slack.titles[at.thread] == "trees")
    assert slack.calls["agents.sessions.rename"] == 2
    assert slack.refused == []


ANSWER = ("From the papers, each sentence checked:", "- One [1].", "- Two [2].", "- Three [3].")


async def grow(slack: Slack, adapter: SlackAdapter, at: Conversation, count: int = 3) -> Message:
    """An answer of so many sentences, each shown before the next comes."""
    await adapter.send(Outgoing(at, "Looking …", "started", STOP, job="j"))
    for known in range(2, 2 + count):
        await adapter.send(Outgoing(at, "\n".join(ANSWER[:known]), "growing", job="j"))
        shown = await slack.message(ANSWER[known - 1][2:])
    return shown


async def test_an_answer_is_streamed_and_its_message_stays(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("which?", channel="D1"))
        shown = await grow(slack, adapter, at)
        assert shown.is_streamed
        assert (shown.appended, shown.edits) == (2, 0)
        assert [shown.text.count(line[2:]) for line in ANSWER] == [1, 1, 1, 1]
        await slack.until(lambda: slack.messages == [shown])  # the status went when the answer came
        await adapter.send(Outgoing(at, "Still checking", "progress", STOP, job="j"))
        more = (Button("Sources", "references:s:1", "references"),)
        await adapter.send(Outgoing(at, "\n".join(ANSWER[1:]), job="j", buttons=more, rating=RATING))
        assert slack.messages == [shown]
        assert not shown.is_streamed
        assert "From the papers" not in shown.text  # what it says in the end is what stands
        assert set(shown.buttons) == {"Sources"}
        await slack.until(lambda: slack.statuses[-1] == (at.thread, "suspended"))
    assert "active" not in dict(slack.statuses).values()
    assert slack.calls["chat.update"] == 1
    assert {value for (_, name), value in backend.notes.items() if name != "title"} == {""}
    assert slack.refused == []


async def test_a_stream_begins_at_once_whatever_else_waits(slack: Slack) -> None:
    slow = SendingPace(0.01, 60.0)  # no second edit has room while the test runs
    async with connected(slack, FakeBackend(), pace=slow) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("which?", channel="D1"))
        await adapter.send(Outgoing(at, "Looking …", "started", STOP, job="j", title="graphs"))
        await slack.until(lambda: slack.statuses or slack.prompts)
        await adapter.send(Outgoing(at, "Still looking", "progress", STOP, job="j"))
        await adapter.send(Outgoing(at, "One [1].", "growing", job="j"))
        assert (await slack.message("One")).is_streamed


@pytest.mark.parametrize("why", ["five minutes", "stopped by a person", "another process"])
async def test_an_answer_goes_on_whatever_becomes_of_its_stream(slack: Slack, why: str) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("which?", channel="D1"))
        shown = await grow(slack, adapter, at, count=2)
        if why != "another process":
            shown.streams_until = 0.0  # Slack has closed it
            await adapter.send(Outgoing(at, "\n".join(ANSWER), "growing", job="j"))
            await slack.message("Three")
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(at, "Three in the end.", job="j"))
    assert [(m.text.strip(), m.is_streamed) for m in slack.messages] == [("Three in the end.", False)]


async def test_where_nothing_is_streamed_the_status_is_edited(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        for channel in ("C1", "D1"):
            at = Conversation("slack", "T1", channel, await slack.say("<@UBOT> which?", channel=channel))
            slack.has_streams = channel == "C1"
            shown = await grow(slack, adapter, at)
            assert (shown.edits, shown.is_streamed) == (3, False)
            slack.messages.remove(shown)
    assert slack.calls["chat.startStream"] == 1
    assert slack.calls["chat.appendStream"] == 0


async def test_a_long_text_is_streamed_as_far_as_a_stream_goes(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        at = Conversation("slack", "T1", "D1", await slack.say("quick does it?", channel="D1"))
        lines = [f"- study {n}\n" for n in range(70)]
        await adapter.send(Outgoing(at, "Looking …", "started", STOP, job="j"))
        for known in range(1, 70, 3):
            text = "\n".join([f"Answered {known}", "", *lines[:known]])  # what is new may stand above
            await adapter.send(Outgoing(at, text, "growing", job="j"))
            await slack.until(
                lambda n=known: slack.calls["chat.startStream"] and (n > 30 or f"study {n - 1}" in _all(slack))
            )
        await adapter.send(Outgoing(at, "\n".join(lines), job="j"))
    assert all(f"study {n}" in _all(slack) for n in range(70))
    assert slack.refused == []


def _all(slack: Slack) -> str:
    return "\n".join(m.text for m in slack.messages)
