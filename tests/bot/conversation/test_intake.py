"""Whatever is pasted is bounded where it comes in, and reading it keeps nobody waiting."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat import Attachment, Incoming
from bot.conversation import intake
from bot.conversation.intake import LONGEST_LIST, LONGEST_MESSAGE, LONGEST_NAME, admit, compute
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import HERE, papers
from tests.lab import opened


def said(text: str) -> Incoming:
    return admit(Incoming(HERE, "mara", "k", text))


@given(
    st.lists(st.sampled_from(["x,", " ", "\n", "\t", "survey ", "papers: ", "\0", "\ud800", "é", "　"]), max_size=60)
)
def test_a_message_is_bounded_and_admitting_it_again_changes_nothing(pieces: list[str]) -> None:
    whole = "".join(pieces) * 200
    once = said(whole)
    assert len(once.text) <= LONGEST_LIST
    assert not any(run in once.text for run in ("  ", "\n\n\n", "\t", "\0"))
    again = admit(once)
    assert again == once


def test_a_list_of_papers_may_be_long_and_keeps_its_lines() -> None:
    titles = "\n".join(f"{number}. A Title About Retrieval" for number in range(400))
    kept = said(f"papers:\n{titles}")
    assert kept.left_out == 0 and kept.text.count("\n") == 400
    assert len(said("x" * 5_000).text) == LONGEST_MESSAGE
    assert said("x" * 5_000).left_out == 1_000
    assert said("papers: " + "y" * 50_000).left_out == 50_008 - LONGEST_LIST


def test_names_of_files_and_fields_of_forms_are_bounded_too() -> None:
    files, values = (Attachment("n" * 5_000, b""),), (("topic", "t" * 100_000),)
    admitted = admit(Incoming(HERE, "mara", "k", attachments=files, values=values))
    assert len(admitted.attachments[0].name) == LONGEST_NAME
    assert len(admitted.values[0][1]) == LONGEST_LIST


async def test_what_was_left_out_is_said(library: LocalLibrary) -> None:
    titles = "\n".join(paper.title for paper in papers(3))
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        answers = await lab.chat.say("add " + "dense retrieval, " * 300)
        assert any("left out" in answer.text for answer in answers)
        answers = await lab.chat.say(f"papers:\n{titles}" + "\nNo Such Paper at All" * 400)
        assert not any("left out" in answer.text for answer in answers)


async def test_what_takes_too_long_is_given_up_and_the_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "READING_S", 0.05)
    began = time.monotonic()
    with pytest.raises(UserError):
        await compute(time.sleep, 0.5)
    assert time.monotonic() - began < 0.4
