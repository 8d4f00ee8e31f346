"""Forms: what a person is asked in one, and that a filled one does what the words would do."""

from __future__ import annotations

from dataclasses import replace

from adapters.chat import Form, FormFault, Incoming, Outgoing
from bot.store.schema import notes
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import HERE
from tests.lab import Lab, opened

ROOM = 4_000
"""Characters of a field."""


async def form_of(lab: Lab, label: str, person: str = "mara") -> Form | Outgoing:
    button = next(b for m in reversed(lab.chat.messages()) for b in m.buttons if b.label == label)
    assert button.asks
    return await lab.chat.backend.form(Incoming(HERE, person, "", button=button.action), ROOM)


async def fill(lab: Lab, form: Form | Outgoing, **values: str) -> None:
    assert isinstance(form, Form)
    given = {field.name: field.value for field in form.fields} | values
    lab.chat.said += 1
    incoming = Incoming(HERE, "mara", f"form{lab.chat.said}", button=form.action, values=tuple(given.items()))
    lab.chat.turn.clear()
    await lab.chat.backend.handle(incoming)
    await lab.chat.turn.wait()


async def test_a_survey_by_forms_alone(library: LocalLibrary) -> None:
    async with opened() as lab:
        begin = await lab.chat.backend.form(Incoming(HERE, "mara", "", "dense  retrieval", button="start"), ROOM)
        assert isinstance(begin, Form)
        assert begin.fields[0].value == "dense retrieval"
        await fill(lab, begin, recipe="cluster", years="..2022")
        brief = (await lab.state()).brief
        assert brief.topic == "dense retrieval"
        assert str(brief.years) == "..2022" or brief.years.last == 2022
        keywords = await form_of(lab, "Edit")
        assert keywords.fields[0].value.splitlines()[0] == "dense retrieval"
        await fill(lab, keywords, keywords="dense retrieval\nquery encoder\n")
        assert [k.text for k in (await lab.state()).keywords.keywords] == ["dense retrieval", "query encoder"]
        await lab.talk("ok")
        await fill(lab, await form_of(lab, "Edit"), excluded="1 3-4")
        await fill(lab, await form_of(lab, "Edit"), excluded="3 4 5")
        papers = (await lab.state()).papers
        assert [i for i, f in enumerate(papers.found, 1) if f.paper.key in papers.excluded] == [3, 4, 5]
        await lab.talk("ok")
        outline = await form_of(lab, "Edit")
        text = outline.fields[0].value.replace("\n2 ", "\nA New One\n2 ")
        await fill(lab, outline, outline=text)
        assert (await lab.state()).outline.nodes[1].title == "A New One"
        await lab.talk("ok")
        before = await lab.survey()
        await fill(lab, await form_of(lab, "Change a section"), place="3", way="shorten")
        after = await lab.survey()
        assert [s.title for s in after.sections] == [s.title for s in before.sections]
        assert after != before


async def test_what_is_wrong_with_a_form_is_said_before_it_is_handed_in(library: LocalLibrary) -> None:
    async with opened() as lab:
        wrong = Incoming(HERE, "mara", "", button="start", values=(("topic", "graphs"), ("years", "soon")))
        fault = await lab.chat.backend.fault(wrong)
        assert fault == FormFault("years", "“soon” is not a range of years. Write for example years=2018..2025")
        assert await lab.chat.backend.fault(replace(wrong, values=(("topic", "?"),))) == FormFault(
            "topic",
            "The topic is too short. Name it in a few words, for example: survey graph neural networks",
        )
        other = await lab.chat.backend.fault(replace(wrong, values=(("topic", "graphs"), ("colour", "red"))))
        assert other and other.sentence.startswith(
            "“colour” is no option; write one of these and its value: recipe, length"
        )
        await lab.talk("survey dense retrieval", "ok", "ok")
        form = await form_of(lab, "Edit")
        assert isinstance(form, Form)
        fault = await lab.chat.backend.fault(
            Incoming(HERE, "mara", "", button=form.action, values=(("outline", "99 x"),))
        )
        assert fault is not None
        assert "no section 99" in fault.sentence


async def test_a_form_for_a_proposal_that_has_changed_saves_nothing_and_loses_nothing(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        form = await form_of(lab, "Edit")
        old = next(b for b in lab.chat.messages()[-1].buttons if b.asks)
        await lab.talk("add passage index")
        before = (await lab.state()).keywords
        await fill(lab, form, keywords="something long that I thought about")
        assert "something long" in "".join(m.text for m in lab.chat.messages()[-3:])
        assert (await lab.state()).keywords == before
        refused = await lab.chat.backend.form(Incoming(HERE, "mara", "", button=old.action), ROOM)
        assert isinstance(refused, Outgoing)
        assert "changed since" in refused.text
        stranger = await form_of(lab, "Edit", person="ben")
        assert isinstance(stranger, Outgoing)
        assert stranger.only_for == "ben"
        now = next(b for b in lab.chat.messages()[-1].buttons if b.asks)
        long = await lab.chat.backend.form(Incoming(HERE, "mara", "", button=now.action), 10)
        assert isinstance(long, Outgoing)
        assert "too long for a form" in long.text


async def test_surveys_of_a_person_are_listed_with_what_can_be_done(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval", "ok", "ok", "ok")
        (mine,) = (await lab.chat.backend.overview("fake", "lab", "mara")).surveys
        assert "dense retrieval" in mine.text
        assert mine.conversation == HERE
        assert [b.label for b in mine.buttons] == ["Continue", "Export"]
        assert (await lab.chat.backend.overview("fake", "lab", "ben")).surveys == ()
        assert (await lab.chat.backend.overview("fake", "other", "mara")).surveys == ()
        (shown,) = await lab.chat.say(button=mine.buttons[0].action)
        assert {b.label for b in shown.buttons} >= {"All files", "Change a section"}
        (files,) = await lab.chat.say(button=mine.buttons[1].action)
        assert files.files
        assert {path.parent.name for path in files.files} == {(await lab.session()).id}


async def test_notes_are_kept_until_the_conversation_is_forgotten(library: LocalLibrary) -> None:
    async with opened() as lab:
        backend = lab.chat.backend
        assert await backend.recall(HERE, "status") == ""
        await lab.talk("survey dense retrieval")
        for value in ("1", "2"):
            await backend.remember(HERE, "status", value)
        assert await backend.recall(HERE, "status") == "2"
        assert await backend.recall(replace(HERE, thread="2"), "status") == ""
        assert await backend.knows(HERE)
        assert not await backend.knows(replace(HERE, thread="2"))
        await lab.talk("forget now")
        assert await backend.recall(HERE, "status") == ""


async def test_notes_about_events_go_with_the_events_and_others_stay(library: LocalLibrary) -> None:
    async with opened() as lab:
        backend, store = lab.chat.backend, lab.service.store
        for name in ("opened:k1", "commands"):
            await backend.remember(HERE, name, "x")
        await store.clean(None)
        assert await backend.recall(HERE, "opened:k1") == "x"
        async with store.begin() as connection:
            await connection.execute(notes.update().values(noted_at=0.0))
        await store.clean(None)
        assert await backend.recall(HERE, "opened:k1") == ""
        assert await backend.recall(HERE, "commands") == "x"


async def test_a_workspace_that_leaves_has_its_jobs_stopped(library: LocalLibrary) -> None:
    async with opened() as lab:
        lab.chat.holds = lambda o: o.kind == "progress"
        await lab.chat.backend.handle(Incoming(HERE, "mara", "k", "survey dense retrieval"))
        await lab.chat.stored.wait()
        await lab.chat.backend.left("fake", "another lab")
        assert (await lab.session()).job is not None
        await lab.chat.backend.left("fake", "lab")
        assert (await lab.session()).job is None
