"""The person's story: from a topic to files, through the dispatcher, over a real library."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.chat import Incoming
from bot.wording import replies
from bot.wording.sentences import OUR_FAULT
from engine.errors import UserError
from engine.evidence import is_quoted
from engine.rendering.files import FORMATS, from_json
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.survey import Section, Survey, walk
from tests.fakes import HERE, paper, papers, written
from tests.lab import Lab, opened
from tests.stand_ins.changes import PATIENCE_S


@pytest.fixture
async def lab(library: LocalLibrary) -> AsyncIterator[Lab]:
    async with opened() as made:
        yield made


async def to_outline(lab: Lab) -> None:
    for text in ("survey dense retrieval", "ok", "ok"):
        await lab.chat.say(text)
    assert (await lab.state()).phase == "outline"


async def test_a_library_that_is_made_while_the_service_runs_is_taken_from_then_on() -> None:
    async with opened() as lab:
        made = await create_library(lab.service.app.libraries.folder("main"))
        await made.add(papers(12))
        await made.index(lambda _: None)
        await lab.chat.say("survey dense retrieval")
        brief = (await lab.state()).brief
        assert brief is not None and brief.library == "main"


async def test_from_a_topic_to_a_survey_with_evidence_and_files(lab: Lab) -> None:
    await lab.chat.say("survey dense retrieval")
    assert "**dense retrieval** (your topic)" in lab.chat.last
    await lab.chat.say("add query encoder")
    assert "**query encoder** (added by you)" in lab.chat.last
    await lab.chat.say("ok")
    await lab.chat.say("show papers 1")
    assert "found by your topic (rank " in lab.chat.last
    await lab.chat.say("exclude 1")
    assert "**excluded**" in lab.chat.last
    await lab.chat.say("ok")
    await lab.chat.say("rename 2 to What Comes First")
    assert "**2** What Comes First" in lab.chat.last

    await lab.chat.say("ok")
    card = next(m for m in reversed(lab.chat.sent) if m.slot)
    assert card.buttons[1].label.startswith("2 What Comes First")
    assert {path.suffix for path in lab.chat.messages()[-1].files} == {".html", ".pdf", ".bib"}
    assert "was asked for" not in card.text, "nobody asked a map for a length"
    session = await lab.session()
    survey = session.state.survey
    assert session.state.phase == "discussion" and survey is not None
    assert [s.title for s in survey.sections] == [n.title for n in session.state.outline.nodes]
    cited = {p.key: p for p in survey.references}
    quotes = [c for _, s in walk(survey.sections) for claim in s.claims for c in claim.citations]
    assert len(quotes) > 10
    assert all(is_quoted(c.quote, cited[c.key]) for c in quotes)
    excluded = session.state.papers.excluded
    assert excluded
    assert not set(excluded) & {p.key for p in survey.references}

    await lab.chat.say("why [1]")
    assert r"\[1\]" in lab.chat.last
    await lab.chat.say("why 2")
    assert "quoted word for word" in lab.chat.last
    await lab.chat.say("which systems outperform earlier dense retrieval systems?")
    assert "in their own words" in lab.chat.last
    await lab.chat.say("what is the price of coffee in Lima?")
    assert "do not say" in lab.chat.last

    (files,) = await lab.chat.say("export md json bib")
    assert sorted(path.suffix for path in files.files) == [".bib", ".json", ".md"]
    saved = next(path for path in files.files if path.suffix == ".json")
    assert from_json(saved.read_bytes()) == survey


async def test_a_section_is_changed_alone_and_the_change_can_be_undone(lab: Lab) -> None:
    await to_outline(lab)
    await lab.chat.say("ok")
    before = (await lab.state()).survey
    assert before is not None
    place = next(number for number, s in walk(before.sections) if s.claims and not s.sections)
    await lab.chat.say(f"rewrite {place}: open problem of a changing passage index")
    after = (await lab.state()).survey
    changed = [
        n for (n, a), (_, b) in zip(walk(before.sections), walk(after.sections), strict=True) if a.text != b.text
    ]
    assert changed == [place]
    assert next(m.text for m in await lab.chat.say("undo")) == f"Undone. Changed: section {place}."
    assert (await lab.state()).survey == before


@pytest.mark.parametrize("fault", [UserError("The PDF could not be set."), RuntimeError("a fault of ours")])
async def test_a_survey_whose_files_cannot_be_made_is_finished_and_says_so(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def refuse(_: Survey) -> bytes:
        raise fault

    monkeypatch.setitem(FORMATS, "pdf", refuse)
    await to_outline(lab)
    await lab.chat.say("ok")
    assert (await lab.state()).phase == "discussion"
    assert any("✓ Finished" in message.text for message in lab.chat.sent)
    said = str(fault) if isinstance(fault, UserError) else OUR_FAULT
    assert said in lab.chat.messages()[-1].text
    await lab.chat.say("export md")
    assert [path.suffix for path in lab.chat.messages()[-1].files] == [".md"]


async def test_gaps_name_the_lines_of_work_without_surveys(library: LocalLibrary, lab: Lab) -> None:
    await library.add([paper(n, "graph", title=f"A Survey of Graph Attention Number{n}") for n in (301, 302)])
    await library.index(lambda _: None)
    await lab.chat.say("survey dense retrieval and graph attention")
    await lab.chat.say("ok")
    used = len((await lab.state()).papers.list_included())
    before = await lab.state()
    _, shown, picture = await lab.chat.say("gaps")
    found = re.findall(r": (\d+) papers?, (?:no|(\d+)) survey", shown.text)
    counts = [(int(p), int(s or 0)) for p, s in found]
    assert sum(p for p, _ in counts) == used
    assert sum(s for _, s in counts) == 2
    shares = [s / p for p, s in counts]
    assert shares == sorted(shares)
    assert picture.files[0].read_bytes().startswith(b"\x89PNG")
    assert (await lab.state()) == before


async def test_quoted_sections_are_shortened_extended_and_relieved_of_a_claim(lab: Lab) -> None:
    await to_outline(lab)
    await lab.chat.say("ok")
    first = (await lab.state()).survey
    assert first is not None
    place = next(number for number, s in walk(first.sections) if len(s.claims) > 3 and not s.sections)
    old = dict(walk(first.sections))[place]
    stranger = next(p for p in (await lab.state()).papers.list_included() if f"[@{p.key}]" not in str(old.tables))
    cited = old.claims[0].citations[0]

    async def after(said: str) -> Section:
        await lab.chat.say(said)
        return dict(walk((await lab.survey()).sections))[place]

    assert len((await after(f"shorten {place}")).claims) < len(old.claims)
    await lab.chat.say("undo")
    assert (await after(f"add a paragraph on passage index to {place}")).text.startswith(f"{old.text}\n\n")
    assert f"[@{stranger.key}]" in str((await after(f"cite {stranger.key} in {place}")).tables)
    await lab.chat.say("undo 2")
    gone = await after(f"remove the claim about {cited.quote} from {place}")
    assert cited.quote not in str(gone.tables)
    assert len(gone.claims) == len(old.claims) - 1
    await lab.chat.say(f"remove the claim about the price of coffee from {place}")
    assert "No sentence of section" in lab.chat.last
    await lab.chat.say(f"translate {place} to German")
    assert "needs a language model" in lab.chat.last
    await lab.chat.say(f"cite An Invented Paper That Is Not Here in {place}")
    assert "not among the papers gathered" in lab.chat.last
    assert dict(walk((await lab.survey()).sections))[place] == gone


async def test_an_old_button_changes_nothing_and_says_so(lab: Lab) -> None:
    proposal = (await lab.chat.say("survey dense retrieval"))[-1]
    ok = next(b for b in proposal.buttons if b.typed == "ok")
    await lab.chat.say("add passage index")
    messages = await lab.chat.say(button=ok.action)
    assert "has changed since" in messages[0].text
    assert (await lab.state()).phase == "keywords"
    fresh = messages[-1].buttons[0]
    await lab.chat.say(button=fresh.action)
    assert (await lab.state()).phase == "papers"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("survey x", "too short"),
        ("survey " + "word " * 1_000, "Name it in a few words"),
        ("survey 图神经网络的综述", "in the language of the papers"),
        ("survey dense retrieval recipe=magic", "one of: cluster, autosurvey"),
        ("survey dense retrieval years=2025..2018", "run backwards"),
        ("survey dense retrieval library=nowhere", "There is no library"),
        ("survey dense retrieval sections=900", "a number from 3 to 20"),
        ("survey dense retrieval budget=lots", "not an amount. Write dollars, budget=2.50, or tokens, budget=500k"),
        ("survey dense retrieval audience=children recipe=cluster", "cannot write for an audience"),
        ("survey dense retrieval language=fr", "language=fr is not possible"),
        (f'survey dense retrieval audience="{"a" * 201}"', "at most 200 characters; this has 201"),
        ("cost", "Nothing was spent"),
        ("gibberish", "no command that does"),
        ("why 3", "no text yet"),
        ("export", "nothing to export"),
        ("ok", "nothing to approve"),
        ("undo", "nothing to undo"),
        ("exclude some", "is not a number"),
        ("help", "What you can say"),
        ("status", "your turn"),
        ("sources", "Nothing was searched"),
    ],
)
async def test_what_cannot_be_done_gets_a_sentence(lab: Lab, said: str, answer: str) -> None:
    await lab.chat.say(said)
    if lab.chat.last.startswith("**Keywords**"):
        await lab.chat.say("ok")
    assert answer in lab.chat.last


async def test_stop_keeps_what_is_finished_and_ok_goes_on(lab: Lab) -> None:
    await to_outline(lab)
    lab.chat.holds = written(2)
    await lab.chat.backend.handle(Incoming(HERE, "mara", "write", "ok"))
    async with asyncio.timeout(PATIENCE_S):
        await lab.chat.stored.wait()
    await lab.chat.backend.handle(Incoming(HERE, "mara", "stop", "stop"))
    async with asyncio.timeout(PATIENCE_S):
        while (await lab.session()).job:  # noqa: ASYNC110 - a session in a database has no event
            await asyncio.sleep(0.01)
    lab.chat.release.set()
    await lab.settled()
    assert lab.chat.last.startswith("**Stopped by @mara.** 2 finished sections are kept.")
    (files,) = await lab.chat.say("export md")
    assert "stopped before it was finished" in files.files[0].read_text()
    kept = dict((await lab.state()).sections)
    assert sorted(kept) == [0, 1]
    await lab.chat.say("ok")
    survey = await lab.survey()
    assert (await lab.state()).phase == "discussion"
    assert survey.sections[1].text == kept[1].text
    assert len(survey.sections) == len((await lab.state()).outline.nodes)


async def test_a_message_while_a_job_runs_is_told_to_wait_and_one_sent_twice_is_answered_once(lab: Lab) -> None:
    await to_outline(lab)
    lab.chat.holds = written(1)
    await lab.chat.backend.handle(Incoming(HERE, "mara", "write", "ok"))
    async with asyncio.timeout(PATIENCE_S):
        await lab.chat.stored.wait()
    for _ in range(3):
        await lab.chat.backend.handle(Incoming(HERE, "mara", "late", "rename 2 to Too Late"))
    await lab.settled()
    lab.chat.release.set()
    assert [m.text for m in lab.chat.messages()].count(replies.notice("busy", await lab.session())) == 1


async def test_a_library_of_three_papers_still_makes_a_survey(tmp_path: Path) -> None:
    small = await create_library(tmp_path / "home" / "libraries" / "main")
    await small.add(papers(3))
    await small.index(lambda _: None)
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "ok", "ok", "ok")
        survey = await lab.survey()
    assert survey.references
    assert {p.key for p in survey.references} <= {p.key for p in papers(3)}


async def test_no_brings_another_outline_and_undo_the_first_again(lab: Lab) -> None:
    await to_outline(lab)
    first = (await lab.state()).outline
    await lab.chat.say("no")
    second = (await lab.state()).outline
    assert second.method != first.method
    await lab.chat.say("undo 2")
    assert (await lab.state()).outline == first


async def test_a_paper_and_a_planned_section_are_shown_before_there_is_a_text(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "ok")
        papers = (await lab.state()).papers
        assert papers
        await lab.chat.say("what's paper 2 about?")
        assert papers.found[1].paper.title[:40] in lab.chat.last
        assert papers.found[1].paper.content[:40] in lab.chat.last
        await lab.chat.say("show 99")
        assert "There is no paper 99; the list has 1 to " in lab.chat.last
        await lab.chat.say("ok")
        outline = (await lab.state()).outline
        assert outline
        await lab.chat.say("what will be in section 2?")
        assert f"**2 {outline.nodes[1].title}**" in lab.chat.last and " papers:" in lab.chat.last
        await lab.chat.say("show 1")
        assert "It is written last, from the other sections." in lab.chat.last
        await lab.chat.say("show 99")
        assert "There is no section 99 in the outline" in lab.chat.last
