"""The conversation with a language model behind it, over the real wire to the simulated service."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from bot.__main__ import cli
from bot.store.ledger import usage_by_step
from bot.store.schema import spending
from engine.citations import list_cited_keys, replace_citations
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import UNWRITTEN, walk
from tests.fakes import papers
from tests.lab import opened
from tests.stand_ins.simulation import Fault, SimulatedService, run_simulated_service, simulate_answer


@pytest.fixture
async def service() -> AsyncIterator[SimulatedService]:
    async with run_simulated_service(SimulatedService(pace=0.002)) as made:
        yield made


@pytest.mark.parametrize("provider", ["OPENAI", "ANTHROPIC"])
async def test_a_survey_written_by_a_model_with_its_price_before_and_after(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv(f"{provider}_API_KEY", "k")
    monkeypatch.setenv(f"{provider}_BASE_URL", service.url + ("/v1" if provider == "OPENAI" else ""))
    async with opened() as lab:
        chat = lab.chat
        await chat.say("survey dense retrieval sections=3 words=80 budget=2.00")
        assert "judged by the language model: at most 50 calls, " in chat.last
        await lab.talk("ok", "ok")
        assert "Writing it takes about" in chat.last
        assert "of $2.00 are left for this survey" in chat.last
        await chat.say("ok")
        finished = next(m.text for m in reversed(chat.sent) if m.slot)
        assert "3 sections · " in finished
        assert "written by a language model" in finished
        written = [m.text.split("\n\n") for m in chat.sent if m.kind == "progress" and "✓ 2 " in m.text]
        assert any(len(parts) == 3 and len(parts[2]) > 80 for parts in written)
        await chat.say("why 1")
        assert "checked: supported" in chat.last
        first = (await lab.survey()).sections[0].claims[0]
        assert replace_citations(first.text, lambda _: "").split(".")[0][:40].strip() in chat.last
        before = (await lab.survey()).sections
        await chat.say("expand 2.1")
        after = (await lab.survey()).sections
        assert [n for (n, a), (_, b) in zip(walk(before), walk(after), strict=True) if a.text != b.text] == ["2.1"]
        await chat.say("what do systems learn from the passage index?")
        assert "by a language model, each sentence checked against its paper" in chat.last
        await chat.say("cost")
        assert "draft:" in chat.last
        assert "revise:" in chat.last
        assert "of $2.00 are left" in chat.last


async def test_each_way_of_changing_a_section_changes_that_section_only(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
    async with opened() as lab:
        chat = lab.chat
        await lab.talk("survey dense retrieval sections=3 words=80", "ok", "ok", "ok")
        first = (await lab.survey()).sections
        for said in (
            "shorten 2.1",
            "add a paragraph on the passage index to 2.1",
            "translate 2.1 to German",
            "remove the claim about what is often ignored from 2.1",
        ):
            before = dict(walk((await lab.survey()).sections))
            await chat.say(said)
            after = dict(walk((await lab.survey()).sections))
            assert [n for n in before if before[n].text != after[n].text] == ["2.1"], chat.last
            if "paragraph" in said:
                assert after["2.1"].text.startswith(before["2.1"].text + "\n\n")
                assert len(after["2.1"].claims) > len(before["2.1"].claims)
            if "translate" in said:
                assert list_cited_keys(after["2.1"].text) == list_cited_keys(before["2.1"].text)
                assert all(claim.text in after["2.1"].text for claim in after["2.1"].claims)
        await lab.talk("cite arxiv:2001.00201 in 2.1", "what do systems learn from the passage index?")
        checks = [str(call.body["messages"]) for call in service.calls if call.kind == "CheckAnswer"]
        assert all("The survey is about: dense retrieval" in asked for asked in checks)
        await chat.say("undo 5")
        assert (await lab.survey()).sections == first


async def test_a_paper_is_not_cited_where_no_sentence_says_what_it_says(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    says_nothing = asyncio.Event()

    def reply(prompt: str, schema: str) -> str:
        if schema == "CheckAnswer" and says_nothing.is_set():
            claims = re.findall(r'<claim number="(\d+)"', prompt)
            return json.dumps({"others": [{"claim": int(n), "verdict": "not said"} for n in claims]})
        return simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            chat = lab.chat
            await lab.talk("survey dense retrieval sections=3 words=60", "ok", "ok", "ok")
            before = (await lab.survey()).sections
            says_nothing.set()
            await chat.say("cite arxiv:2001.00201 in 2.1")
            assert "so it is not cited there" in chat.last or "not among the papers gathered" in chat.last
            await chat.say("cite Nothing of This Name in 2.1")
            assert "not among the papers gathered" in chat.last
            assert (await lab.survey()).sections == before


async def test_an_answer_grows_sentence_by_sentence_and_says_what_is_general_knowledge(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = papers(1)[0].key

    def reply(prompt: str, schema: str) -> str:
        if "Question: " in prompt:
            return f"Model1 learns dense retrieval from the passage index [@{key}]. Search is old. A lie [@made:up]."
        if schema == "CheckAnswer":
            return json.dumps({"supported": re.findall(r'<claim number="(\d+)"', prompt)})
        return simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            chat = lab.chat
            await lab.talk("survey dense retrieval sections=3 words=60", "ok", "ok", "ok", "what does Model1 learn?")
            grown = [o.text for o in chat.sent if o.kind == "growing"]
            assert len(grown) == 1
            assert "general knowledge" not in grown[0]
            assert "Search is old. *(general knowledge" in chat.last
            assert "lie" not in chat.last


async def test_at_the_budget_what_is_finished_is_delivered(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
    monkeypatch.setenv("SCHOLIUM_BUDGET_TOKENS", "40000")
    monkeypatch.setenv("SCHOLIUM_CONCURRENT_CALLS", "2")
    monkeypatch.setenv("SCHOLIUM_ADMINISTRATORS", '["fake:lab:ada"]')
    async with opened() as lab:
        chat = lab.chat
        for line in ("survey dense retrieval sections=3 words=80", "ok", "ok", "ok"):
            await chat.say(line)
        survey = await lab.survey()
        assert any("budget of 40,000 tokens" in w.detail for w in survey.warnings)
        assert any(s.claims for _, s in walk(survey.sections))
        used = (await usage_by_step(lab.service.store, (await lab.session()).id)).values()
        assert 0 < sum(u.input_tokens + u.output_tokens for u in used) <= 40_000
        assert re.search(
            r"⚠ Not finished: .*\d .*\n\n?`back`, then `ok`, writes and checks what is missing",
            "\n".join(m.text for m in chat.sent),
        )
        await chat.say("what do systems learn from the passage index?")
        assert "budget of 40,000 tokens for this survey has no room for the next call" in chat.last
        assert "“budget survey 100k”, said by an administrator, adds 100,000 tokens" in chat.last
        await chat.say("budget survey 100k", person="ada")
        assert chat.last.startswith("100,000 tokens more for this survey: ")
        await chat.say("budget survey 1", person="ada")
        assert "The budget for this survey is in tokens. Say “budget survey 100k” to add to it." in chat.last
        await chat.say("what do systems learn from the passage index?")
        assert "by a language model, each sentence checked against its paper" in chat.last
        await lab.talk("back", "ok")
        assert not [w.place for w in (await lab.survey()).warnings if w.detail == UNWRITTEN]


async def test_going_on_after_a_stop_pays_for_nothing_twice(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
    async with opened() as lab:
        await lab.talk("survey dense retrieval sections=3 words=80", "ok", "ok", "ok", "back", "ok")
        kinds = [call.kind for call in service.calls]
        assert kinds.count("text") == len({str(c.body["messages"]) for c in service.calls if c.kind == "text"})


async def test_without_a_key_the_model_recipe_says_what_to_set(library: LocalLibrary) -> None:
    async with opened() as lab:
        chat = lab.chat
        await lab.talk("survey dense retrieval recipe=autosurvey")
        assert "needs a language model" in chat.last
        await chat.say("survey dense retrieval")
        assert "**Keywords**" in chat.last


async def test_a_sentence_is_read_as_commands_and_shown_before_it_is_done(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = iter(
        [
            {"commands": ["rename 2 to Foundations", "add section Safety after 2"], "sure": True},
            {"commands": ["rename 2 to Never"], "sure": False},
            {"commands": ["rm -rf /", "launch"], "sure": True},
        ]
    )

    def reply(prompt: str, schema: str) -> str:
        return json.dumps(next(readings)) if schema == "ReadingAnswer" else simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            chat = lab.chat
            await lab.talk("survey dense retrieval sections=3 words=80", "ok", "ok")
            outline = await lab.session()
            await chat.say("call the second one foundations and put something on safety behind it")
            assert "`rename 2 to Foundations`" in chat.last
            assert "Foundations" in chat.last.split("would change")[1]
            assert (await lab.session()) == outline
            await chat.say("ok")
            assert "**2** Foundations" in chat.last
            assert "**3** Safety" in chat.last
            await chat.say("we talked about another name over coffee")
            assert [button.label for button in chat.messages()[-1].buttons] == ["rename 2 to Never"]
            await chat.say("status")
            await chat.say("rename 1 to beginnings")
            assert "**1** beginnings" in chat.last
            assert "Never" not in chat.last
            await chat.say("launch the rocket over there")
            assert "no command that does" in chat.last


@pytest.mark.parametrize(("answer", "arguments", "code"), [("ok\n", (), 0), ("", (), 1), ("", ("--yes",), 0)])
def test_write_asks_once_before_it_spends(
    indexed_library: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    arguments: tuple[str, ...],
    code: int,
) -> None:
    shutil.copytree(indexed_library, tmp_path / "home" / "libraries" / "main")
    with served(SimulatedService(pace=0)) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        command = ["write", "dense retrieval", "--sections", "3", "--subsection-words", "50", "-o", "out", *arguments]
        done = CliRunner().invoke(cli, command, input=answer)
    assert done.exit_code == code, done.stdout
    assert ("--yes)" in done.stdout) is not bool(arguments)
    assert (tmp_path / "out").exists() is (code == 0)


@contextmanager
def served(service: SimulatedService) -> Iterator[str]:
    """The service in a thread of its own, for commands that run their own event loop."""
    ready, over = threading.Event(), threading.Event()

    async def serve() -> None:
        async with run_simulated_service(service):
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield service.url
    over.set()
    thread.join()


async def test_the_survey_is_judged_in_the_chat_with_details_one_press_away(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
    async with opened() as lab:
        await lab.talk("survey dense retrieval sections=3 words=60", "ok", "ok", "ok", "evaluate")
        card = lab.chat.messages()[-1]
        assert "citation recall" in card.text
        assert "judged by the model that wrote it" in card.text
        assert len(card.text) < 3_000
        (button,) = card.buttons
        before = await lab.survey()
        await lab.chat.say(button=button.action)
        assert "| citation precision |" in lab.chat.last
        assert "As good as its length." in lab.chat.last
        assert await lab.survey() == before


async def test_a_paper_is_cited_where_a_sentence_says_what_it_says(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk("survey dense retrieval sections=3 words=60", "ok", "ok", "ok")
            survey = await lab.survey()
            section = dict(walk(survey.sections))["2.1"]
            said = {key for c in section.claims for key in list_cited_keys(c.text)}
            wanted = next(p for p in survey.references if p.key in said)
            await lab.chat.say(f"cite {wanted.key} in 2.1")
            after = dict(walk((await lab.survey()).sections))["2.1"]
            assert after.text.count(wanted.key) >= section.text.count(wanted.key), lab.chat.last


async def test_a_question_knows_the_one_before_and_what_was_answered(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = papers(1)[0].key
    asked: list[str] = []

    def reply(prompt: str, schema: str) -> str:
        if "Question: " in prompt:
            asked.append(prompt)
            return f"Model1 learns dense retrieval from the passage index [@{key}]."
        return simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk("survey dense retrieval sections=3 words=60", "ok", "ok", "ok")
            await lab.talk("what does Model1 learn?", "why does it learn that?")
            assert "Asked before" not in asked[0]
            assert "Asked before: what does Model1 learn?" in asked[1]


@pytest.mark.parametrize("fault", get_args(Fault))
async def test_no_job_leaves_money_reserved_whatever_its_model_answers(
    library: LocalLibrary, service: SimulatedService, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
    service.hang_s = 0.2
    async with opened() as lab:
        await lab.talk("survey dense retrieval sections=3 words=80 budget=2.00", "ok", "ok")
        service.fault = lambda number: fault if number % 3 == 0 else None
        await lab.talk("ok")
        assert (await lab.session()).job is None
        async with lab.service.store.connect() as connection:
            query = sa.select(sa.func.count()).where(spending.c.state == "reserved")
            assert await connection.scalar(query) == 0
