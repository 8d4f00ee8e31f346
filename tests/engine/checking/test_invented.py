"""What is made up, and what a measure, a rival or a kind of model is said to be: the bench's own papers tell."""

from __future__ import annotations

import pytest

from bot.bench.measured_papers import MEASURED_PAPERS
from engine.checking.faults import Source, find_faults
from engine.checking.names import Vocabulary

PATCHES, SCOUT = (Source(one) for one in MEASURED_PAPERS[:2])
VOCABULARY = Vocabulary.of(MEASURED_PAPERS[:2])


def kinds(claim: str, *sources: Source) -> set[str]:
    return {fault.kind for fault in find_faults(claim, sources or (PATCHES,), VOCABULARY)}


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("PatchNet attends to patches, as “every reader leaves things out” says.", "quotation"),
        ("PatchNet splits a document into patches, see https://example.org/p.", "name"),
        ("PatchNet splits documents of the omnireader corpus.", "name"),
        ("PatchNet reaches an accuracy of 84.2 on BookSum.", "place"),
        ("PatchNet reaches 80.3% on LongQA.", "number"),
        ("PatchNet reads ½ of the patches.", "number"),
        ("Inference takes more than 18 ms.", "place"),
        ("PatchNet was trained for three days.", "number"),
        ("The accuracy on LongQA falls to 84.2%.", "polarity"),
        ("Overlapping patches are the first reason for the gain.", "strength"),
        ("On short documents, PatchNet is worse than BERT.", "reach"),
        ("PatchNet is a convolutional network that attends to patches.", "strength"),
        ("PatchNet chooses patches by a genetic algorithm.", "strength"),
        ("PatchNet, of which the code is publicly available, splits documents.", "strength"),
        ("PatchNet runs on a laptop.", "strength"),
        ("PatchNet is a variant of Longformer.", "strength"),
        ("PatchNet translates documents.", "term"),
        ("PatchNet leaves the best transformers far behind.", "strength"),
        ("The reading of documents is unaffected by patches.", "strength"),
    ],
)
def test_what_no_paper_says_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim)


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("ScoutRank improves recall by 6.4 points over DPR.", "place"),
        ("Longer training changes the recall of ScoutRank from 58.8% to 61.3%.", "polarity"),
        ("Ruiz and others warn against learning from clicks.", "strength"),
        ("A dozen passages are ranked.", "number"),
    ],
)
def test_what_the_other_paper_does_not_say_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim, SCOUT)


def test_what_no_paper_compares_is_seen() -> None:
    assert "merged" in kinds("PatchNet outperforms ScoutRank.", PATCHES, SCOUT)


@pytest.mark.parametrize(
    "claim",
    [
        "On WebPass, recall rises by 6.4 points over BM25.",
        "ScoutRank needs no manual labels to learn from clicks.",
        "“ScoutRank learns to rank passages from 1.5 million clicks” without manual labels.",
    ],
)
def test_what_the_other_paper_says_has_no_fault(claim: str) -> None:
    assert kinds(claim, SCOUT) == set()
