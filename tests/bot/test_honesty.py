"""The bench of honesty: what a program can see never survives, whatever the checker says."""

from __future__ import annotations

from typing import Literal

import pytest

from bot.bench.bad_forms import BAD_FORMS
from bot.bench.falsehoods import FALSEHOODS
from bot.bench.honesty import ENDINGS, measure_honesty
from bot.bench.planted_texts import CheckInConversation, read_planted_text
from bot.serving.bundled import read_bundled
from engine.errors import UserError
from tests.fakes import WordEmbedder


async def test_of_what_a_program_can_see_nothing_survives_a_checker_that_is_always_wrong() -> None:
    counts, _ = await measure_honesty(read_bundled(), drafts=25, rate=0.9, error=1.0, seed=1)
    seen = {kind.name for kind in FALSEHOODS if kind.seen}
    assert {name: c["survived"] for name, c in counts.items() if name in seen and c["survived"]} == {}
    assert sum(counts[name]["planted"] for name in seen) > 90


async def test_a_checker_that_never_errs_lets_no_falsehood_through_and_keeps_what_is_true() -> None:
    counts, true_ones = await measure_honesty(read_bundled(), drafts=20, rate=0.5, error=0.0, seed=2)
    assert {name: c["survived"] for name, c in counts.items() if c["survived"]} == {}
    assert true_ones["kept"] >= 0.85 * true_ones["written"]


@pytest.mark.parametrize("way", ["answer", "expand", "rewrite"])
async def test_answers_and_changes_are_checked_like_drafts(way: Literal["answer", "expand", "rewrite"]) -> None:
    papers = read_bundled()[:40]
    check = CheckInConversation(way, WordEmbedder())
    counts, true_ones = await measure_honesty(papers, drafts=2, rate=0.5, error=0.0, seed=4, check=check)
    assert set(counts) == {kind.name for kind in FALSEHOODS}
    assert all(set(count) == set(ENDINGS) for count in counts.values())
    # One sentence of an answer may stand without a citation: it is shown apart, as general knowledge.
    allowed = {"no citation"} if way == "answer" else set()
    assert {name for name, c in counts.items() if c["survived"]} <= allowed
    assert sum(c["planted"] for c in counts.values()) >= 6
    assert true_ones["kept"] >= 0.75 * true_ones["written"] > 0


@pytest.mark.parametrize("name", ["", "answers", "Section"])
def test_a_text_that_nothing_is_planted_in_is_said(name: str) -> None:
    with pytest.raises(UserError, match="section, answer, expand or rewrite"):
        read_planted_text(name)


async def test_every_bad_form_is_read_as_it_was_meant() -> None:
    counts, _ = await measure_honesty(read_bundled(), drafts=len(BAD_FORMS), rate=0.0, error=0.0, seed=3)
    forms = [counts[form.name] for form in BAD_FORMS]
    assert all(c["survived"] == 0 and c["kept"] == c["planted"] for c in forms)
    assert sum(c["planted"] for c in forms) >= 20


def test_there_are_at_least_25_kinds_of_falsehood_and_form() -> None:
    assert len(FALSEHOODS) + len(BAD_FORMS) >= 25
    assert len({kind.name for kind in FALSEHOODS} | {form.name for form in BAD_FORMS}) == len(FALSEHOODS) + len(
        BAD_FORMS
    )
