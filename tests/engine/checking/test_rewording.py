"""What stands in a claim's place where a program finds fault with its words: a rewording, or the paper's own words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from engine.checking.check import CheckTask, check_section
from tests.engine.checking.test_check import A1, A2, ONE, TWO, check, repair, verdict
from tests.fakes import FakeModel


async def test_a_sentence_in_which_a_paper_speaks_of_itself_is_told_of_its_authors() -> None:
    """It names what stands behind the claim; the sentence before it says only why somebody would want that."""
    spoken = "Clicks of users are hard to gather. The authors propose a model that learns from clicks of users."
    support = {"verdicts": [verdict(1, ONE.key, "The authors propose a model that learns from clicks of users")]}

    async def checked(**fields: Any) -> str:
        told = replace(ONE, **{"abstract": "", "summary": spoken, **fields})
        model = FakeModel(lambda *_: json.dumps(support))
        task = CheckTask("Part", f"A model learns from 90 clicks of users {A1}.", (told,))
        return (await check_section(model, task)).text

    assert await checked() == (
        f"Author1 et al. (2001), in summary: The authors propose a model that learns from clicks of users {A1}."
    )
    assert await checked(abstract=spoken, summary="") == (
        f"Author1 et al. (2001): “The authors propose a model that learns from clicks of users” {A1}."
    )


async def test_a_claim_that_holds_is_reworded_where_a_program_misses_its_words() -> None:
    said = f"DenseNet1 outperforms BM25 by a margin of four hundred basis points {A1}."
    holds = verdict(1, ONE.key, "DenseNet1 outperforms BM25 by 4 points")
    better = f"DenseNet1 is 4 points ahead of BM25, which it outperforms {A1}."
    found, model = await check(said, {"verdicts": [holds], "repairs": [repair(1, better)]}, {"verdicts": [holds]})
    assert found.text == better
    assert "A sentence that holds although the program's finding above concerns it" in model.requests[0].prompt.question


async def test_no_sentence_is_kept_without_the_word_that_made_it_false() -> None:
    lying = {"verdicts": [verdict(1, ONE.key, "DenseNet1 outperforms BM25 by 4 points")]}
    for said in ("always outperforms BM25", "fully replaces BM25", "doesn't fully replace BM25"):
        found, _ = await check(f"DenseNet1 {said} {A1}.", lying, lying, lying)
        assert found.text == f"Author1 et al. (2001): “DenseNet1 outperforms BM25 by 4 points” {A1}."


async def test_a_word_too_strong_is_taken_out_by_the_model() -> None:
    lying = {"verdicts": [verdict(1, ONE.key, "DenseNet1 outperforms BM25")]}
    weaker = f"DenseNet1 outperforms BM25 {A1}."
    found, _ = await check(f"DenseNet1 always outperforms BM25 {A1}.", {**lying, "repairs": [repair(1, weaker)]}, lying)
    assert found.text == weaker
    assert found.claims[0].ending == "reworded"


async def test_a_quotation_stays_where_the_next_sentence_refers_to_it() -> None:
    text = f"DenseNet1 outperforms BM25 by 40 points {A1}. It learns from clicks of users {A1}."
    support = [verdict(1, ONE.key, "DenseNet1 outperforms BM25 by 4 points"), verdict(2, ONE.key, ONE.abstract)]
    found, _ = await check(text, {"verdicts": support}, {"verdicts": support[:1]})
    assert found.text == (
        f"Author1 et al. (2001): “DenseNet1 outperforms BM25 by 4 points” {A1}. It learns from clicks of users {A1}."
    )


async def test_it_refers_back_unless_it_stands_for_what_follows() -> None:
    gone = f"GhostNet wins everything {A1}. "
    answer = {
        "verdicts": [verdict(1, ONE.key, supported=False), verdict(2, TWO.key, "It is slow to train")],
        "repairs": [repair(1, "")],
    }
    found, _ = await check(f"{gone}It is slow to train {A2}.", answer, answer, answer)
    assert found.text == ""
