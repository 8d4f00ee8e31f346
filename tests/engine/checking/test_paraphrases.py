"""Paraphrases as language models write them: rounded and worked-out numbers, other words for the same thing."""

from __future__ import annotations

import pytest

from engine.checking.faults import Source, find_faults
from engine.checking.names import Vocabulary
from tests.fakes import paper

KILN = paper(
    1,
    title="KilnSight: Watching Glaze at a Distance",
    abstract=(
        "KilnSight watches glaze in closed kilns from up to 225 meters away. Each camera costs less than $200 USD and "
        "weighs 8-15 kg. We improve the accuracy of crack detection from 15.50% to 29.07%, and KilnSight runs faster "
        "by a factor of 30. It is 6.18% (absolute) better on GlazeNet and has a gain of 1.5 to 7.0 points on PotBench. "
        "Potters perform near ceiling with 90.8% accuracy, while the best networks reach around 69%. "
        "The state of the art is set on GlazeNet and PotBench datasets. "
        "Earlier networks changed the kiln, which slows down firing. A folding door passes heat to the shelf as it "
        "unfolds, and closely follows those of old ovens."
    ),
    authors=("Ida Shaw", "Ben Lee"),
    year=2021,
)


def kinds(claim: str) -> set[str]:
    return {fault.kind for fault in find_faults(claim, [Source(KILN)], Vocabulary.of((KILN,)))}


@pytest.mark.parametrize(
    "claim",
    [
        "Glaze more than 200 metres away can be watched.",
        "Cameras for closed kilns cost less than 200 dollars apiece.",
        "KilnSight runs 30 times faster.",
        "The accuracy of crack detection almost doubles, to about 29%.",
        "The accuracy of crack detection rises by 13.6 points.",
        "KilnSight is about six points better on GlazeNet.",
        "Potters are right more than 90% of the time.",
        "About seven cracks in ten are found by the best networks.",
        "KilnSight sets the state of the art on two data sets.",
        "KilnSight leaves the kiln unchanged and simply watches it through a camera.",
    ],
)
def test_paraphrases_have_no_fault(claim: str) -> None:
    assert kinds(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("KilnSight watches glaze from up to 225 feet away.", "place"),
        ("Each camera costs less than 200 euros.", "place"),
        ("Each camera weighs 8 to 15 pounds.", "place"),
        ("KilnSight watches glaze from more than 225 meters away.", "place"),
        ("KilnSight runs 13 times faster.", "number"),
        ("The accuracy of crack detection almost triples.", "number"),
        ("The accuracy of crack detection rises by 15.6 points.", "number"),
        ("About seven potters in ten are right with 69% of accuracy.", "place"),
    ],
)
def test_falsehoods_beside_them_are_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim)


GAITS = paper(
    2,
    abstract="Oscillators are becoming a popular model of gaits. "
    "We obtain a transition from trotting to galloping legs.",
)


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Oscillators obtain the transition from trotting to galloping.", set()),
        ("Oscillators obtain the transition from galloping to trotting legs.", {"polarity"}),
        ("Oscillators have become a popular model of gaits.", set()),
        ("Oscillators have become the most popular model of gaits.", {"strength"}),
    ],
)
def test_a_way_has_its_direction_and_a_superlative_its_warrant(claim: str, found: set[str]) -> None:
    assert {fault.kind for fault in find_faults(claim, [Source(GAITS)], Vocabulary.of((GAITS,)))} == found


@pytest.mark.parametrize(
    "claim",
    [
        "Earlier networks can be understood as changes of the kiln.",
        "A first coarse look at the glaze is followed by firing.",
        "Heat flows to the shelf through a folding door.",
        "KilnSight is faster than earlier remedies.",
        "The door passes heat to the shelf by leading it through.",
        "The networks give a more complete picture of cracks.",
    ],
)
def test_words_that_only_look_strong_have_no_fault(claim: str) -> None:
    assert kinds(claim) == set()
