"""Slack's view of agents: what is at work, and what can be said; what people think of an answer, and how it grows."""

from __future__ import annotations

import pytest

from adapters.chat import Button, Conversation, Outgoing
from bot.wording.labels import RATING, WORDS
from tests.adapters.slack.test_adapter import connected
from tests.fakes import FakeBackend
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


@pytest.mark.parametrize("channel", ["C1", "D1"])
async def test_an_answer_grows_in_its_status_and_takes_its_place(slack: Slack, channel: str) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        at = Conversation("slack", "T1", channel, await slack.say("<@UBOT> which?", channel=channel))
        await adapter.send(Outgoing(at, "Looking …", "started", STOP, job="j"))
        for known in range(2, 5):  # each sentence is shown before the next comes
            await adapter.send(Outgoing(at, "\n".join(ANSWER[:known]), "growing", job="j"))
            shown = await slack.message(ANSWER[known - 1][2:])
        assert shown.edits == 3
        assert [shown.text.count(line[2:]) for line in ANSWER] == [1, 1, 1, 1]
        more = (Button("Sources", "references:s:1", "references"),)
        await adapter.send(Outgoing(at, "\n".join(ANSWER[1:]), job="j", buttons=more, rating=RATING))
        assert slack.messages == [shown]
        assert "From the papers" not in shown.text  # what it says in the end is what stands
        assert set(shown.buttons) == {"Sources"}
        await slack.until(lambda: slack.statuses[-1] == (at.thread, "suspended"))
    assert set(backend.notes.values()) == {""}
    assert slack.refused == []
