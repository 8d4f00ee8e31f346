"""What becomes of each claim of a text, whatever the model says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.checking.check import CheckedText, CheckTask, check_section, check_without_model
from engine.citations import replace_citations
from engine.errors import LanguageModelError
from engine.llm.model import A, Request
from tests.fakes import FakeModel, paper

ONE = paper(
    1, title="Dense Retrieval", abstract="DenseNet1 outperforms BM25 by 4 points. It learns from clicks of users."
)
TWO = paper(
    2, title="Sparse Retrieval", abstract="SparseNet expands documents with predicted queries. It is slow to train."
)
A1, A2 = f"[@{ONE.key}]", f"[@{TWO.key}]"

Reply = Callable[[list[int], str], dict[str, Any]]


def verdict(sentence: int, key: str, quote: str = "", *, supported: bool = True) -> dict[str, Any]:
    return {"sentence": sentence, "key": key, "supported": supported, "quote": quote}


def repair(sentence: int, text: str) -> dict[str, Any]:
    return {"sentence": sentence, "text": text}


async def check(text: str, *rounds: dict[str, Any]) -> tuple[CheckedText, FakeModel]:
    """The text checked by a model that gives these answers, then nothing."""
    answers = list(rounds)

    def reply(_: str, __: str) -> str:
        return json.dumps(answers.pop(0) if answers else {"verdicts": [], "repairs": []})

    model = FakeModel(reply)
    return await check_section(model, CheckTask("Part", text, (ONE, TWO), "retrieval")), model


def bare(text: str) -> str:
    return replace_citations(text, lambda _: "")


async def test_a_claim_whose_words_stand_in_its_paper_is_kept_with_them() -> None:
    text = f"DenseNet1 outperforms BM25 {A1}."
    found, model = await check(text, {"verdicts": [verdict(1, ONE.key, "densenet1 OUTPERFORMS bm25 by 4 points")]})
    assert found.text == text
    (claim,) = found.claims
    assert (claim.ending, claim.citations[0].quote) == ("kept", "DenseNet1 outperforms BM25 by 4 points")
    assert (found.tally.claims, found.tally.kept, len(model.requests)) == (1, 1, 1)


async def test_words_that_the_paper_does_not_have_do_not_support_it() -> None:
    wrong = {"verdicts": [verdict(1, ONE.key, "DenseNet1 is the best retriever of all")]}
    found, model = await check(f"DenseNet1 outperforms BM25 {A1}.", wrong, wrong, wrong)
    assert found.text == ""
    assert found.tally.removed == 1
    assert "the words that were named do not stand in" in model.requests[1].prompt.question


async def test_one_more_try_finds_the_right_words() -> None:
    wrong = {"verdicts": [verdict(1, ONE.key, "DenseNet1 is the best retriever of all")]}
    right = {"verdicts": [verdict(1, ONE.key, "outperforms BM25 by 4 points")]}
    found, _ = await check(f"DenseNet1 outperforms BM25 {A1}.", wrong, right)
    assert found.tally.kept == 1


async def test_a_model_that_returns_no_verdicts_leaves_no_claim_and_that_is_said() -> None:
    found, model = await check(f"DenseNet1 outperforms BM25 {A1}. SparseNet expands documents {A2}.")
    assert found.text == ""
    assert (found.tally.removed, found.tally.unanswered) == (2, 2)
    assert [w.detail for w in found.warnings] == ["the model gave no verdict for 2 claims, which were removed"]
    assert len(model.requests) == 2


PARAPHRASE = f"DenseNet1 learns from clicks, because visitors of a site reveal their preferences {A1}."
HELD = {"verdicts": [verdict(1, ONE.key, "It learns from clicks of users")]}
DENIED = {"verdicts": [verdict(1, ONE.key, supported=False)], "repairs": [repair(1, "")]}


async def test_words_that_a_program_misses_are_asked_about_and_kept_where_the_model_insists() -> None:
    found, model = await check(PARAPHRASE, HELD, HELD)
    assert found.text == PARAPHRASE
    assert "visitors of a site" in found.claims[0].insisted
    assert (found.tally.kept, found.tally.insisted, len(model.requests)) == (1, 1, 2)
    assert "does a source say this in other words?" in model.requests[1].prompt.question


async def test_a_model_that_does_not_insist_has_the_claim_removed() -> None:
    found, _ = await check(PARAPHRASE, HELD, DENIED)
    assert (found.text, found.tally.insisted) == ("", 0)


async def test_insisting_does_not_help_a_number_a_name_or_a_comparison() -> None:
    for wrong in (
        PARAPHRASE.replace("clicks,", "90 clicks,"),
        PARAPHRASE.replace("visitors of", "visitors of GhostNet at"),
        PARAPHRASE.replace("reveal", "always reveal"),
        f"DenseNet1 does not outperform BM25 {A1}.",
    ):
        found, _ = await check(wrong, HELD, HELD, HELD)
        assert not any(claim.insisted for claim in found.claims), wrong


async def test_what_a_model_insists_on_and_a_program_doubts_is_said_in_the_papers_own_words() -> None:
    wrong = f"DenseNet1 outperforms BM25 by 40 points {A1}."
    support = {"verdicts": [verdict(1, ONE.key, "outperforms BM25 by 4 points")]}
    found, model = await check(wrong, support, support)
    assert found.text == f"Author1 et al. (2001): “DenseNet1 outperforms BM25 by 4 points” {A1}."
    (claim,) = found.claims
    assert (claim.ending, claim.was, claim.citations[0].verdict) == ("reworded", wrong, "quoted")
    assert (found.tally.reworded, len(model.requests)) == (1, 2)


async def test_the_words_of_a_summary_are_told_as_such_and_a_table_quotes_nothing() -> None:
    told = replace(ONE, abstract="", summary=ONE.abstract)
    wrong = f"DenseNet1 outperforms BM25 by 40 points {A1}."

    async def checked(*, is_table: bool) -> str:
        model = FakeModel(lambda *_: json.dumps({"verdicts": [verdict(1, ONE.key, "outperforms BM25 by 4 points")]}))
        return (await check_section(model, CheckTask("Part", wrong, (told,), is_table=is_table))).text

    said = "DenseNet1 outperforms BM25 by 4 points"
    assert await checked(is_table=False) == f"Author1 et al. (2001), in summary: {said} {A1}."
    assert await checked(is_table=True) == ""


async def test_what_another_claim_tells_is_not_quoted_beside_it() -> None:
    text = f"DenseNet1 outperforms BM25 by 4 points {A1}. DenseNet1 outperforms BM25 by 40 points {A1}."
    support = [verdict(n, ONE.key, "outperforms BM25 by 4 points") for n in (1, 2)]
    found, _ = await check(text, {"verdicts": support}, {"verdicts": support[1:]})
    assert found.text == f"DenseNet1 outperforms BM25 by 4 points {A1}."
    assert (found.tally.kept, found.tally.removed) == (1, 1)


async def test_a_sentence_that_refers_to_another_is_not_quoted() -> None:
    support = {"verdicts": [verdict(1, TWO.key, "It is slow to train")]}
    found, _ = await check(f"SparseNet takes nine days to train {A2}.", support, support, support)
    assert found.text == ""


async def test_a_claim_kept_on_the_models_word_is_not_where_nobody_can_be_asked() -> None:
    assert check_without_model(CheckTask("Part", PARAPHRASE, (ONE, TWO), "retrieval")).text == ""


async def test_a_claim_that_another_paper_says_is_cited_anew() -> None:
    answer = {
        "verdicts": [
            verdict(1, ONE.key, supported=False),
            verdict(1, TWO.key, "SparseNet expands documents with predicted queries"),
        ]
    }
    found, _ = await check(f"SparseNet expands documents with predicted queries {A1}.", answer)
    assert found.text == f"SparseNet expands documents with predicted queries {A2}."
    assert found.claims[0].ending == "cited anew"
    assert A1 in found.claims[0].was


async def test_a_claim_without_a_citation_gets_one_or_goes() -> None:
    text = "SparseNet expands documents. Nobody knows why birds sing."
    answer = {"verdicts": [verdict(1, TWO.key, "SparseNet expands documents")], "repairs": [repair(2, "")]}
    found, _ = await check(text, answer)
    assert found.text == f"SparseNet expands documents {A2}."
    assert (found.tally.cited_anew, found.tally.removed) == (1, 1)


async def test_a_rewording_is_itself_checked() -> None:
    text = f"DenseNet1 outperforms BM25 by 40 points {A1}."
    first = {
        "verdicts": [verdict(1, ONE.key, supported=False)],
        "repairs": [repair(1, f"DenseNet1 outperforms BM25 by 4 points {A1}.")],
    }
    second = {"verdicts": [verdict(1, ONE.key, "outperforms BM25 by 4 points")]}
    found, model = await check(text, first, second)
    assert found.text == f"DenseNet1 outperforms BM25 by 4 points {A1}."
    assert (found.claims[0].ending, found.claims[0].was) == ("reworded", text)
    assert "“40 points”" in model.requests[0].prompt.question or "“40”" in model.requests[0].prompt.question
    unheld, _ = await check(
        text, first, {"verdicts": [verdict(1, ONE.key, supported=False)], "repairs": [repair(1, "")]}
    )
    assert unheld.text == ""


async def test_a_number_that_the_source_lacks_goes_though_the_model_says_it_is_there() -> None:
    lying = {"verdicts": [verdict(1, ONE.key, "DenseNet1 outperforms BM25 by 4 points")]}
    for wrong in ("40 points", "4%", "14 points"):
        found, _ = await check(f"DenseNet1 outperforms BM25 by {wrong} {A1}.", lying, lying, lying)
        assert found.text == f"Author1 et al. (2001): “DenseNet1 outperforms BM25 by 4 points” {A1}."


async def test_a_sentence_that_refers_to_one_that_is_gone_does_not_stay_as_it_is() -> None:
    text = f"GhostNet wins everything {A1}. It learns from clicks of users {A1}."
    answer = {
        "verdicts": [verdict(1, ONE.key, supported=False), verdict(2, ONE.key, "It learns from clicks of users")],
        "repairs": [repair(1, "")],
    }
    again = {"verdicts": [], "repairs": [repair(2, f"DenseNet1 learns from clicks of users {A1}.")]}
    last = {"verdicts": [verdict(2, ONE.key, "It learns from clicks of users")]}
    found, _ = await check(text, answer, again, last)
    assert found.text == f"DenseNet1 learns from clicks of users {A1}."
    stubborn, _ = await check(text, answer, answer, answer)
    assert stubborn.text == ""


async def test_sentences_that_lead_over_stay_and_are_counted() -> None:
    text = f"This section turns to retrieval. DenseNet1 outperforms BM25 {A1}."
    found, _ = await check(text, {"verdicts": [verdict(2, ONE.key, "DenseNet1 outperforms BM25")]})
    assert found.text == text
    assert (found.tally.connecting, found.tally.claims) == (1, 1)


async def test_a_claim_dressed_as_a_transition_is_a_claim() -> None:
    for said in (
        "This section shows that retrieval doubles accuracy.",
        "This section turns to GhostNet.",
        "We now turn to retrieval, which always wins.",
        "Retrieval is the key to everything.",
    ):
        found, _ = await check(said)
        assert found.text == ""


async def test_every_sentence_and_key_is_asked_about_in_calls_of_bounded_size() -> None:
    text = " ".join(f"Sentence number {i} speaks of DenseNet1 {A1}." for i in range(30))
    _, model = await check(text)
    first = [r for r in model.requests if re.search(r"/0\.\d$", r.step)]
    asked = [
        n for r in first for n in re.findall(r"\d+", r.prompt.question.split("Judge the sentences ")[1].split(";")[0])
    ]
    assert sorted(map(int, asked)) == list(range(1, 31))
    assert len(first) == 4


async def test_a_summary_for_which_all_wait_is_judged_in_smaller_calls() -> None:
    model = FakeModel(lambda _, __: json.dumps({"verdicts": [], "repairs": []}))
    text = " ".join(f"Sentence number {i} speaks of DenseNet1 {A1}." for i in range(12))
    await check_section(model, CheckTask("Conclusion", text, (ONE, TWO), is_summary=True))
    assert len([r for r in model.requests if re.search(r"/0\.\d$", r.step)]) == 3


async def test_where_the_service_fails_claims_are_marked_and_those_with_a_fault_are_removed() -> None:
    class Down(FakeModel):
        async def answer_typed(self, request: Request, kind: type[A]) -> A:
            raise LanguageModelError("The service is away.")

    text = f"DenseNet1 outperforms BM25 {A1}. DenseNet1 outperforms BM25 by 40 points {A1}. Birds sing."
    found = await check_section(Down(lambda _, __: ""), CheckTask("Part", text, (ONE, TWO)))
    assert found.text == f"DenseNet1 outperforms BM25 {A1}."
    assert [c.verdict for claim in found.claims for c in claim.citations] == ["unchecked"]
    assert (found.tally.unchecked, found.tally.removed) == (1, 2)
    assert "away" in found.warnings[0].detail


async def test_without_a_model_nothing_is_called_checked() -> None:
    found = check_without_model(CheckTask("Part", f"DenseNet1 outperforms BM25 {A1}.", (ONE,)))
    assert [c.verdict for claim in found.claims for c in claim.citations] == ["unchecked"]


async def test_no_ending_leaves_a_claim_its_words_without_a_source() -> None:
    text = f"DenseNet1 outperforms BM25 {A1}. SparseNet is fast {A2}. This is unsourced talk about retrieval."
    answer = {
        "verdicts": [verdict(1, ONE.key, "DenseNet1 outperforms BM25"), verdict(2, TWO.key, supported=False)],
        "repairs": [repair(2, "SparseNet is fast."), repair(3, "Talk about retrieval.")],
    }
    found, _ = await check(text, answer, answer, answer)
    assert bare(found.text).split() == ["DenseNet1", "outperforms", "BM25", "."]


async def test_an_uncited_sentence_that_no_paper_says_is_asked_about_once() -> None:
    text = f"DenseNet1 outperforms BM25 {A1}. Nobody knows why birds sing."
    answer = {"verdicts": [verdict(1, ONE.key, "DenseNet1 outperforms BM25 by 4 points")], "repairs": [repair(2, "")]}
    found, model = await check(text, answer)
    assert (found.text, len(model.requests)) == (f"DenseNet1 outperforms BM25 {A1}.", 1)


async def test_the_last_round_asks_for_verdicts_alone() -> None:
    unsure = {"verdicts": [verdict(1, ONE.key, "words that the paper lacks")]}
    _, model = await check(f"DenseNet1 outperforms BM25 {A1}.", unsure)
    asked = [request.prompt.question for request in model.requests]
    assert [("Repairs: for each" in question) for question in asked] == [True, True, False]


async def test_a_question_that_was_answered_twice_alike_is_not_asked_again() -> None:
    unsure = {"verdicts": [verdict(1, ONE.key, "words that the paper lacks")]}
    found, model = await check(f"DenseNet1 outperforms BM25 {A1}.", unsure, unsure, unsure)
    assert (found.text, found.tally.removed, len(model.requests)) == ("", 1, 2)


async def test_the_requests_of_a_round_do_not_depend_on_which_answer_comes_first() -> None:
    """The first call's answer removes a neighbour of the second call's first sentence, which is shown with it."""
    text = " ".join(f"Sentence number {i} speaks of DenseNet1 {A1}." for i in range(16))
    gone = {"verdicts": [], "repairs": [{"sentence": number, "text": ""} for number in range(1, 9)]}
    _, model = await check(text, gone)
    second = next(r for r in model.requests if r.step.endswith("/0.1"))
    assert "8. Sentence number 7" in second.prompt.question


async def test_words_that_are_not_there_and_words_about_something_else_are_told_apart() -> None:
    text = f"DenseNet1 outperforms BM25 {A1}."
    absent = {"verdicts": [verdict(1, ONE.key, "DenseNet1 is the best retriever of all")]}
    _, model = await check(text, absent)
    assert "the words that were named do not stand in" in model.requests[1].prompt.question
    beside = {"verdicts": [verdict(1, TWO.key, "It is slow to train"), verdict(1, ONE.key, supported=False)]}
    _, model = await check(f"Birds sing in {A2}.", {"verdicts": [verdict(1, TWO.key, "It is slow to train.")]}, beside)
    assert "nothing of this sentence stands in the words that were named" in model.requests[1].prompt.question


async def test_what_is_doubted_of_an_uncited_sentence_is_passed_on() -> None:
    text = "SparseNet expands 70 documents with predicted queries."
    answer = {"verdicts": [verdict(1, TWO.key, "SparseNet expands documents with predicted queries")]}
    _, model = await check(text, answer)
    assert "it cites no paper" in model.requests[1].prompt.question
    assert "“70”" in model.requests[1].prompt.question


async def test_sentences_that_say_what_a_part_is_about_stand_and_are_counted() -> None:
    openings = (
        "This subsection looks at methods that retrieve passages before a model writes.",
        "Having seen how passages are found, this subsection turns to how they are read.",
        "The next subsection asks what is lost when passages are long.",
        "While the previous subsection dealt with sparse retrieval, this one considers dense retrieval.",
    )
    for opening in openings:
        found, _ = await check(f"{opening} DenseNet1 outperforms BM25 {A1}.")
        assert (found.text, found.tally.connecting) == (opening, 1), opening


async def test_an_assertion_in_the_form_of_an_opening_is_a_claim() -> None:
    claims = (
        "This subsection shows that dense retrieval is better than sparse retrieval.",
        "This subsection reviews retrieval, which improves every answer.",
        "This subsection covers DenseNet9, a system of 2021.",
        "This subsection discusses retrieval because it removes all errors.",
    )
    for claim in claims:
        found, _ = await check(f"{claim} DenseNet1 outperforms BM25 {A1}.")
        assert found.tally.connecting == 0, claim


async def test_a_repair_that_says_what_another_sentence_says_stands_once() -> None:
    said, other = f"DenseNet1 outperforms BM25 {A1}.", f"DenseNet1 learns from millions of users {A1}."
    first = {
        "verdicts": [verdict(1, ONE.key, "outperforms BM25 by 4 points"), verdict(2, ONE.key, supported=False)],
        "repairs": [repair(2, said)],
    }
    found, _ = await check(
        f"{said} {other}", first, {"verdicts": [verdict(2, ONE.key, "outperforms BM25 by 4 points")]}
    )
    assert found.text == said
    assert (found.tally.kept, found.tally.removed) == (1, 1)


async def test_a_pronoun_behind_a_sentence_of_another_paper_is_named_or_goes() -> None:
    text = f"DenseNet1 outperforms BM25 {A1}. It expands documents with queries {A2}."
    verdicts = [verdict(1, ONE.key, "outperforms BM25 by 4 points"), verdict(2, TWO.key, "expands documents")]
    found, model = await check(text, {"verdicts": verdicts}, {"verdicts": verdicts}, {"verdicts": verdicts})
    quoted = f"Author2 et al. (2002): “SparseNet expands documents with predicted queries” {A2}."
    assert found.text == f"DenseNet1 outperforms BM25 {A1}. {quoted}"
    assert "name what it speaks of" in model.requests[0].prompt.question
    named = {"verdicts": verdicts, "repairs": [repair(2, f"SparseNet expands documents with queries {A2}.")]}
    mended, _ = await check(text, named, {"verdicts": verdicts})
    assert mended.text == f"DenseNet1 outperforms BM25 {A1}. SparseNet expands documents with queries {A2}."
    same, _ = await check(f"SparseNet expands documents {A2}. It is slow to train {A2}.", {
        "verdicts": [verdict(1, TWO.key, "SparseNet expands documents"), verdict(2, TWO.key, "It is slow to train")]
    })  # fmt: skip
    assert same.tally.kept == 2


async def test_a_paper_that_says_hardly_anything_of_a_claim_is_not_cited_beside_one_that_says_it() -> None:
    answer = {
        "verdicts": [
            verdict(1, TWO.key, "SparseNet expands documents with predicted queries"),
            verdict(1, ONE.key, "It learns from clicks of users"),
        ]
    }
    found, _ = await check(
        f"SparseNet expands documents with predicted queries for retrieval [@{TWO.key}; @{ONE.key}].", answer
    )
    assert [[c.key for c in claim.citations] for claim in found.claims] == [[TWO.key]]
