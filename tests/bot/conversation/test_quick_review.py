"""A quick review in the chat: typed, by buttons, growing, and what comes after it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.store.ledger import usage_by_step
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import FakeChat
from tests.lab import Lab, opened
from tests.stand_ins.changes import PATIENCE_S
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

ASKED = "quick how does dense retrieval use a passage index?"


@asynccontextmanager
async def thinking(monkeypatch: pytest.MonkeyPatch, chat: FakeChat | None = None) -> AsyncIterator[Lab]:
    async with run_simulated_service(SimulatedService(pace=0.01)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened(chat) as lab:
            yield lab


async def test_a_question_is_answered_with_sources_and_buttons(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with thinking(monkeypatch) as lab:
        said = await lab.chat.say(ASKED)
        assert said[0].text.startswith("A quick review takes about ")
        steps = await usage_by_step(lab.service.store, (await lab.session()).id)
        used = sum(usage.input_tokens for usage in steps.values())
        expected = re.search(r"about \d+ calls, ([\d,]+) tokens to read", said[0].text)
        assert expected
        assert 0.8 < int(expected[1].replace(",", "")) / used < 1.2
        assert said[1].text.startswith("Reviewing.")
        review = said[-1]
        assert "**References**" in review.text
        assert "cited:" in review.text
        assert "studies)" in review.text  # how many support a conclusion
        assert "| Study | Questions |" in review.text
        assert [b.typed for b in review.buttons] == ["follow 1", "follow 2", "follow 3", "full survey", "export"]
        assert all(len(b.label) <= 75 for b in review.buttons)
        growing = [o.text for o in lab.chat.sent if o.kind == "growing"]
        assert [text.count("cited:") for text in growing] == sorted(text.count("cited:") for text in growing)
        answered = [text for text in growing if "What do studies find" in text]
        assert answered and all(re.search(r"\w \[\d[\d, –]*\]\.", text) and " ." not in text for text in answered)
        await lab.chat.say("why 3.1")
        assert "checked: supported" in lab.chat.last
        await lab.chat.say("sources")
        assert "It shares words with the questions" in lab.chat.last or "Papers gathered" in lab.chat.last


async def test_a_follow_up_starts_the_next_review_with_the_papers_carried_over(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with thinking(monkeypatch) as lab:
        review = (await lab.chat.say(ASKED))[-1]
        before = await lab.state()
        assert before.survey and before.papers
        await lab.chat.say(button=review.buttons[1].action)
        after = await lab.state()
        assert after.brief and after.survey
        assert after.brief.topic == before.survey.follow_up[1]
        carried = {p.key for p in before.papers.list_included()}
        used = {p.key for p in after.papers.list_included()} if after.papers else set()
        assert carried & used
        await lab.chat.say("follow 9")
        assert "no follow-up question 9" in lab.chat.last
        await lab.chat.say("undo 2")
        assert (await lab.state()).survey == before.survey


async def test_a_full_survey_goes_on_from_the_papers(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    async with thinking(monkeypatch) as lab:
        await lab.chat.say(ASKED)
        found = (await lab.state()).papers
        await lab.chat.say("full survey recipe=autosurvey sections=3 words=60")
        state = await lab.state()
        assert state.phase == "papers"
        assert state.papers == found
        assert state.brief and state.brief.recipe == "autosurvey" and state.brief.quick is None
        await lab.talk("ok")
        assert (await lab.state()).phase == "outline"


async def test_search_shows_papers_without_a_review_and_without_a_model(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.chat.say("search dense retrieval papers=10")
        said = lab.chat.messages()[-1]
        assert "| Study | Title |" in said.text
        assert "Findings" not in said.text
        state = await lab.state()
        assert state.papers and len(state.papers.list_included()) <= 30


async def test_without_a_model_the_answer_is_quotations(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.chat.say(ASKED)
        survey = await lab.survey()
        assert "No language model took part" in survey.notice
        await lab.chat.say("how is message passing used?")
        assert "quick" not in lab.chat.last.lower()


async def test_the_topic_at_hand_can_be_reviewed_first(library: LocalLibrary) -> None:
    async with opened() as lab:
        keywords = (await lab.chat.say("survey dense retrieval"))[-1]
        button = next(b for b in keywords.buttons if b.label == "Quick review first")
        await lab.chat.say(button=button.action)
        state = await lab.state()
        assert state.brief and state.brief.topic == "dense retrieval"
        assert state.phase == "discussion"
        await lab.chat.say("back")
        assert "cannot be done" in lab.chat.last


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("quick", "Ask a question or name a topic"),
        ("quick dense retrieval papers=7", "papers=7 is not possible"),
        ("quick dense retrieval sampling=best", "sampling=best is not possible"),
        ("quick dense retrieval places=scopus", "places=scopus is not possible"),
        ("follow 1", "belongs to a quick review"),
        ("full survey", "belongs to a quick review"),
    ],
)
async def test_what_cannot_be_done_is_said(library: LocalLibrary, said: str, answer: str) -> None:
    async with opened() as lab:
        await lab.chat.say(said)
        assert answer in lab.chat.last
        assert (await lab.state()).phase == "topic"


async def test_nothing_found_says_what_to_change_and_can_be_tried_again(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.chat.say("quick dense retrieval years=1800..1801")
        assert "No relevant paper was found" in lab.chat.last
        await lab.chat.say("ok")
        assert "No relevant paper was found" in lab.chat.last


async def test_stop_ends_a_review(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = FakeChat(holds=lambda o: o.kind == "growing")
    async with thinking(monkeypatch, chat) as lab:
        import asyncio

        from adapters.chat import Incoming
        from tests.fakes import HERE

        await chat.backend.handle(Incoming(HERE, "mara", "q1", ASKED))
        async with asyncio.timeout(PATIENCE_S):
            await chat.stored.wait()
        await chat.say("stop")
        chat.release.set()
        assert "Stopped" in chat.last and "kept" not in chat.last  # nothing was made
        assert (await lab.state()).survey is None


async def test_groups_are_approved_with_a_map_before_headings_are_written(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with thinking(monkeypatch) as lab:
        await lab.talk("survey dense retrieval recipe=cluster words=50", "ok")
        said = await lab.chat.say("ok")
        groups = next(o for o in said if "groups of papers**" in o.text)
        assert "papers)" in groups.text
        (drawn,) = {path.read_bytes() for o in said for path in o.files}
        outline = (await lab.state()).outline
        assert outline and outline.is_grouping
        found = [item.paper.key for item in (await lab.state()).papers.found]  # type: ignore[union-attr]
        first = outline.nodes[0].all_papers()[0]
        said = await lab.chat.say(f"move {found.index(first) + 1} to {len(outline.nodes)}")
        (redrawn,) = {path.read_bytes() for o in said for path in o.files}
        assert redrawn != drawn
        moved = (await lab.state()).outline
        assert moved and first in moved.nodes[-1].all_papers()
        assert any(f"is in section {len(outline.nodes)} now" in o.text for o in said)
        said = await lab.chat.say("merge 1 and 2")
        assert any("are one section now: 1 " in o.text for o in said)
        assert (await lab.state()).outline.nodes[0].description.count("Set apart by") <= 1  # type: ignore[union-attr]
        assert redrawn not in {path.read_bytes() for o in said for path in o.files}
        said = await lab.chat.say("undo")
        assert redrawn in {path.read_bytes() for o in said for path in o.files}
        assert not any(o.files for o in await lab.chat.say("show"))
        assert any("`split GROUP`" in o.text for o in await lab.chat.say("merge 1 and 2"))
        merged = (await lab.state()).outline
        said = await lab.chat.say("split 1")
        split = (await lab.state()).outline
        assert merged and split and len(split.nodes) > len(merged.nodes)
        assert any("sections now: “1 " in o.text for o in said)
        assert {path.name for o in said for path in o.files} == {"groups.png"}
        await lab.chat.say(f"drop {len(split.nodes)}")
        await lab.chat.say("ok")
        headed = (await lab.state()).outline
        assert headed and not headed.is_grouping
        assert headed.nodes[0].role == "introduction"
        assert "tokens to read" in lab.chat.last  # what writing will cost
