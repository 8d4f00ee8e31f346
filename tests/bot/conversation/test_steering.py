"""A changed outline of a finished survey: what the change does not touch is kept, and the price is said before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

import pytest

from bot.store.ledger import usage_by_step
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import Section, walk
from engine.values import walk_outline
from tests.lab import Lab, opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service, simulate_answer

START = ("survey dense retrieval recipe=autosurvey sections=6 words=60", "ok", "ok", "ok")


async def calls(lab: Lab) -> Mapping[str, int]:
    """Calls paid for so far, by step."""
    session = await lab.session()
    return {step: usage.calls for step, usage in (await usage_by_step(lab.service.store, session.id)).items()}


async def new_calls(lab: Lab, *lines: str) -> dict[str, int]:
    before = await calls(lab)
    await lab.talk(*lines)
    after = await calls(lab)
    return {step: count for step in after if (count := after[step] - before.get(step, 0))}


def texts(sections: tuple[Section, ...]) -> dict[str, str]:
    return {section.title: section.text for _, section in walk(sections) if not section.sections}


ASIDES = ("beyond this", "on the same question", "looking at it closely", "seen from a distance", "for a start")


def write_in_own_words(prompt: str, schema: str) -> str:
    """A simulated answer in which each subsection has words of its own, whichever is asked for first.

    Where two subsections put what a paper says in nearly the same words, one would lose it.
    """
    answer = simulate_answer(prompt, schema)
    if schema or "Write the subsection" not in prompt:
        return answer
    title = prompt.split("Write the subsection “")[1].split("”")[0]
    asides = [ASIDES[byte % len(ASIDES)] for byte in hashlib.sha256(title.encode()).digest()[:4]]
    return answer.replace("One study says", f"{', '.join(asides)}, one study says".capitalize())


async def test_a_changed_outline_writes_anew_only_what_it_touches(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0, reply=write_in_own_words)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk(*START)
            before = texts((await lab.survey()).sections)
            drafts = (await calls(lab))["draft"]
            assert drafts >= 8

            assert await new_calls(lab, "back", "drop 3") == {}
            said = lab.chat.last
            assert "stay as written" in said
            assert "Written anew: " in said
            price = re.search(r"about (\d+) calls", said)
            spent = await new_calls(lab, "ok")
            assert "draft" not in spent
            assert spent["critique"] == 1 and "notes" not in spent  # introduction, conclusion and abstract are read
            assert price
            assert abs(int(price[1]) - sum(spent.values())) <= 3
            after = texts((await lab.survey()).sections)
            dropped = set(before) - set(after)
            changed = [title for title in after if title in before and after[title] != before[title]]
            frame = [s.title for s in ((await lab.survey()).sections[0], (await lab.survey()).sections[-1])]
            assert dropped
            assert not [title for title in changed if title not in frame]

            leaves = [number for number, s in walk((await lab.survey()).sections) if not s.sections and "." in number]
            renamed, described = leaves[-1], leaves[0]
            spent = await new_calls(lab, f"rename {renamed} to Something Else", "ok")
            assert spent["draft"] == 1

            assert await new_calls(lab, "back", f"describe {described}: how fast it is") == {}
            outline = (await lab.state()).outline
            assert outline and "how fast it is" in [node.description for _, node in walk_outline(outline.nodes)]
            assert await new_calls(lab, "add section Dense Passage Index after 3") == {}
            assert (await new_calls(lab, "ok"))["draft"] == 2

            assert not {"draft", "notes", "check"} & set(await new_calls(lab, "back", "ok"))

            await lab.talk("rewrite all")
            assert "Written anew" not in lab.chat.last
            spent = await new_calls(lab, "ok")
            assert spent["draft"] >= 8 - len(dropped)


async def test_a_section_that_was_added_and_searched_for_is_written(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk(
            "survey dense retrieval sections=4", "ok", "ok", "add section Passage Index", "rename 2 to Encoders"
        )
        edited = (await lab.state()).outline
        assert edited
        added = [node.title for node in edited.nodes]
        place = added.index("Passage Index") + 1
        await lab.talk(f"search for {place}", "ok")
        assert any("Your outline stays" in message.text for message in lab.chat.sent)
        outline = (await lab.state()).outline
        assert outline
        assert [node.title for node in outline.nodes] == added
        assert outline.nodes[place - 1].papers
        await lab.talk("ok")
        survey = await lab.survey()
        assert {"Passage Index", "Encoders"} <= {section.title for section in survey.sections}
