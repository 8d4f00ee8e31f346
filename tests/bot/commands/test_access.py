"""Who may do what, what it may cost, and that no workspace reads another's papers."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Attachment, Conversation, Incoming
from bot.commands.access import Act, act_of, refusal
from bot.commands.grammar import parse
from bot.settings import Settings
from bot.store.schema import spending
from bot.store.sessions import StoredConversation
from engine.retrieval.libraries.local import LocalLibrary
from engine.session.state import SurveySession
from tests.fakes import HERE, FakeChat, papers
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

ACTS: tuple[Act, ...] = ("start", "open", "read", "ask", "change", "own", "administer")
AT = Conversation("slack", "T1", "C1", "7")


def started_by(name: str) -> Settings:
    return Settings(may_start=frozenset({name}))


@pytest.mark.parametrize(
    ("rules", "who", "allowed"),  # who: the person, the owner, who is invited
    [
        (Settings(), ("mara", "", ""), {"start", "open", "read", "ask", "change", "own"}),
        (Settings(), ("mara", "mara", ""), {"start", "open", "read", "ask", "change", "own"}),
        (Settings(), ("ben", "mara", ""), {"read", "ask"}),
        (Settings(asked_by="owner"), ("ben", "mara", ""), {"read"}),
        (Settings(), ("ben", "mara", "ben"), {"start", "open", "read", "ask", "change"}),
        (Settings(read_by="owner"), ("ben", "mara", ""), set()),
        (Settings(changed_by="channel"), ("ben", "mara", ""), {"start", "read", "ask", "change"}),
        (
            started_by("slack:T1:ben"),
            ("mara", "", ""),
            {"open", "read", "ask", "change", "own"},
        ),
        (
            started_by("slack:T1:ben"),
            ("ben", "", ""),
            {"start", "open", "read", "ask", "change", "own"},
        ),
        (
            started_by("slack:T1:C1"),
            ("mara", "", ""),
            {"start", "open", "read", "ask", "change", "own"},
        ),
        (
            started_by("slack:T1"),
            ("mara", "", ""),
            {"start", "open", "read", "ask", "change", "own"},
        ),
        (
            started_by("slack:T2"),
            ("mara", "", ""),
            {"open", "read", "ask", "change", "own"},
        ),
        (Settings(administrators=frozenset({"slack:T1:ada"})), ("ada", "mara", ""), set(ACTS)),
    ],
)
def test_the_table_of_who_may_do_what(rules: Settings, who: tuple[str, str, str], allowed: set[str]) -> None:
    person, owner, invited = who
    stored = StoredConversation(AT, SurveySession("abc"), owner, frozenset({invited} - {""}))
    assert {act for act in ACTS if refusal(rules, stored, person, act) is None} == allowed


@pytest.mark.parametrize(
    ("act", "lines"),
    [
        ("start", ["survey dense retrieval", "quick does it help?", "search online", "follow 1"]),
        ("open", ["list", "open 2", "new"]),
        ("read", ["status", "cost", "show 2", "references", "why [3]", "export", "what is it?"]),
        ("ask", ["ask what is it?", "gaps", "evaluate"]),
        ("change", ["ok", "no", "undo", "add graphs", "exclude 3", "rename 2 to X", "more", "stop", "full survey"]),
        (
            "own",
            ["invite ben", "forget", "forget now", "name Ours", "archive", "budget survey 1", "budget survey 500k"],
        ),
        ("administer", ["budget person ben 2", "budget workspace 3"]),
    ],
)
def test_what_a_person_must_be_allowed_for_each_command(act: Act, lines: list[str]) -> None:
    assert [act_of(parse(line)) for line in lines] == [act] * len(lines)


@given(
    st.sampled_from(["mara", "ben", "T1", "C1"]), st.sampled_from(["slack", "discord"]), st.sampled_from(["T1", "T2"])
)
def test_nobody_is_an_administrator_of_another_workspace(person: str, platform: str, tenant: str) -> None:
    rules = Settings(administrators=frozenset({"slack:T1:mara"}))
    stored = StoredConversation(Conversation(platform, tenant, "C1"), SurveySession("abc"), "owner")
    may = refusal(rules, stored, person, "administer") is None
    assert may is ((platform, tenant, person) == ("slack", "T1", "mara"))


async def test_others_read_along_are_told_privately_and_can_be_invited(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        revision = (await lab.session()).revision
        (no,) = await lab.chat.say("add passage index", person="ben")
        assert no.only_for == "ben"
        assert "Only @mara" in no.text
        assert (await lab.session()).revision == revision
        (seen,) = await lab.chat.say("status", person="ben")
        assert "dense retrieval" in seen.text
        await lab.chat.say("invite ben", person="ben")
        assert "Only @mara can do that" in lab.chat.last
        await lab.chat.say("invite <@ben>")
        await lab.chat.say("add passage index", person="ben")
        assert "passage index" in lab.chat.last


async def test_what_an_administrator_has_begun_for_the_owner_begins_at_once(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ADMINISTRATORS", '["fake:lab:ada"]')
    monkeypatch.setattr("bot.serving.service.SWEEP_S", 3_600.0)  # nothing else puts a job into its queue
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        await lab.chat.say("ok", person="ada")
        assert (await lab.state()).phase == "papers"


async def test_a_pressed_button_of_two_people_is_one_decision_and_both_are_told(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_CHANGED_BY", "channel")
    async with opened() as lab:
        proposal = (await lab.chat.say("survey dense retrieval"))[-1]
        ok = next(b for b in proposal.buttons if b.typed == "ok")
        before = len(lab.chat.messages())
        lab.chat.turn.clear()
        for person in ("mara", "ben"):
            await lab.chat.backend.handle(Incoming(HERE, person, f"press-{person}", "", ok.action))
        await lab.settled()
        await lab.chat.turn.wait()
        texts = [m.text for m in lab.chat.messages(before)]
        assert texts.count("Gathering papers …") == 1
        assert sum("still working" in t or "has changed since" in t for t in texts) == 1
        assert (await lab.session()).jobs_started == 2


async def test_budgets_of_people_are_shown_and_raised_by_administrators_only(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_BUDGET_PERSON", "2.00")
    monkeypatch.setenv("SCHOLIUM_ADMINISTRATORS", '["fake:lab:ada"]')
    async with opened() as lab:
        await lab.talk("survey dense retrieval budget=1.50", "budget")
        assert "this survey: $1.50 of $1.50 left" in lab.chat.last
        assert "you, today: $2.00 of $2.00 left" in lab.chat.last
        await lab.chat.say("budget person mara 3")
        assert "Only an administrator" in lab.chat.last
        await lab.chat.say("budget person mara 3", person="ada")
        await lab.chat.say("budget survey 1", person="ada")
        await lab.chat.say("budget")
        assert "this survey: $2.50 of $2.50 left" in lab.chat.last
        assert "you, today: $5.00 of $5.00 left" in lab.chat.last


async def test_forget_asks_once_and_then_leaves_nothing(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "forget")
        assert "cannot be undone" in lab.chat.last
        assert (await lab.state()).brief is not None
        await lab.chat.say("forget now", person="ben")
        assert "Only @mara" in lab.chat.last
        await lab.chat.say("forget now")
        assert "Forgotten" in lab.chat.last
        assert (await lab.service.store.load_conversation(HERE)).version == 0
        await lab.talk("survey graph attention")
        assert "**graph attention** (your topic)" in lab.chat.last


class OtherChat(FakeChat):
    """The same platform, another workspace."""

    only = Conversation("fake", "other lab", "general", "1")


async def test_papers_of_one_workspace_are_not_seen_in_another(library: LocalLibrary) -> None:
    secret = papers(1, "retrieval", 900)[0]
    bib = f"@misc{{x, title={{Unpublished {secret.title}}}, abstract={{{secret.abstract}}}, year={{2026}}}}"
    async with opened() as lab:
        upload = Incoming(HERE, "mara", "u1", attachments=(Attachment("own.bib", bib.encode()),))
        await lab.chat.backend.handle(upload)
        await lab.settled()
        assert "1 paper added" in lab.chat.last
        await lab.talk("survey dense retrieval", "ok", "show papers")
        assert "Unpublished" in lab.chat.last
    there = OtherChat()
    async with opened(there) as lab:
        for i, text in enumerate(("survey dense retrieval", "ok", "show papers")):
            there.turn.clear()
            await there.backend.handle(Incoming(OtherChat.only, "eve", f"e{i}", text))
            await there.turn.wait()
        assert "found by" in there.last
        assert "Unpublished" not in there.last


async def test_a_file_that_cannot_be_read_gets_a_sentence(library: LocalLibrary) -> None:
    async with opened() as lab:
        for i, (name, content, why) in enumerate(
            (
                ("../../x.exe", b"MZ", "I cannot read “x.exe”"),
                ("a.bib", b"not bibtex at all", "no paper in what you sent"),
                ("a.bib", b"x" * (21 * 2**20), "larger than 20 MB"),
            )
        ):
            await lab.chat.backend.handle(Incoming(HERE, "mara", f"f{i}", attachments=(Attachment(name, content),)))
            await lab.settled()
            assert why in lab.chat.last


async def test_nobody_is_invited_before_there_is_a_survey(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.chat.say("invite <@eve>", person="ben")
        await lab.talk("survey dense retrieval")
        assert (await lab.service.store.load_conversation(HERE)).invited == frozenset()
        await lab.chat.say("add passage index", person="eve")
        assert "Only @mara" in lab.chat.last


async def test_a_readers_question_is_the_readers_cost_and_stands_in_nobodys_way(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with opened() as lab:
            await lab.talk("survey dense retrieval recipe=naive sections=3 words=60", "ok", "ok", "ok")
            assert (await lab.state()).survey
            await lab.chat.say("what do dense retrievers learn?", person="ben")
            async with lab.service.store.connect() as connection:
                people = sa.select(spending.c.person, sa.func.count()).group_by(spending.c.person)
                paid = {row[0]: row[1] for row in await connection.execute(people)}
            assert paid["ben"] >= 1
            model.pace = 1_000.0  # ben's next answer would take minutes
            await lab.chat.backend.handle(Incoming(HERE, "ben", "k-ben", "ask how are passages indexed?"))
            await lab.settled()
            assert (await lab.session()).job
            await lab.talk("rename 2 to Indexes")
            assert "Stopped by @mara" in "".join(m.text for m in lab.chat.messages()[-3:])
            assert (await lab.session()).job is None
