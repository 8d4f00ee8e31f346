"""What a claim is held against."""

from __future__ import annotations

from engine.addresses import number_sentences
from engine.checking.claim_evidence import MOST_SENTENCES, choose_evidence
from tests.fakes import paper, papers


def test_named_sentences_are_shown_before_others_and_those_of_every_paper() -> None:
    """The third paper's named sentence once gave way to “Background.” of the first."""
    abstract = "Background. Support was built. Support was tried. Support was used. Use of it was low."
    cited = [paper(number, abstract=abstract) for number in range(1, 5)]
    named = {one.key: (5,) for one in cited} | {cited[0].key: (4, 5)}
    shown = choose_evidence("Support built and tried in three trials was obstructed by doctors.", cited, named)
    assert len(shown) <= MOST_SENTENCES
    assert {(item.paper.key, item.said.number) for item in shown} >= {(p.key, n) for p in cited for n in named[p.key]}


def test_every_paper_of_many_has_a_sentence_before_any_has_two() -> None:
    many = papers(MOST_SENTENCES)
    for named in ({}, {one.key: tuple(s.number for s in number_sentences(one)) for one in many}):
        shown = choose_evidence("They retrieve better than others.", many, named)
        assert [item.paper.key for item in shown] == [one.key for one in many]


def test_what_the_named_sentence_lacks_of_a_claim_is_shown_from_elsewhere_in_its_paper() -> None:
    """“partly: BACH” was the verdict on a true sentence: the hand's name stood in the abstract's first sentence."""
    hand = paper(
        1, title="A Hand", abstract="A robot's. BACH is a new hand. A belt turns around each finger. It was sold."
    )
    for claim, shown in (("BACH's belt turns around each finger.", (2, 3)), ("A belt turns around each finger.", (3,))):
        assert tuple(item.said.number for item in choose_evidence(claim, [hand], {hand.key: (3,)})) == shown


def test_what_is_shown_says_together_what_the_claim_says_figures_included() -> None:
    """“in 24089 patients” was “partly”: three sentences with more of the claim's words stood above the one with it."""
    trials = paper(
        1,
        abstract=(
            "Oral triptans are drugs for migraine. Trials of oral triptans in migraine have similar designs. "
            "We asked for data of all trials of oral triptans in migraine. Oral triptans for migraine are new. "
            "24,089 of them were included."
        ),
    )
    shown = choose_evidence("Trials of oral triptans in migraine with 24089 patients were summarised.", [trials], {})
    assert 5 in {item.said.number for item in shown}


def test_a_sentence_that_refutes_a_claim_is_shown_beside_the_one_that_it_names() -> None:
    abstract = "The drone was built in a hall. It is light. The drone flew fast. Outdoors the drone never flew."
    racer = paper(1, title="A Racer", abstract=abstract)
    shown = choose_evidence("The drone flew fast outdoors.", [racer], {racer.key: (3,)})
    assert [item.said.number for item in shown] == [3, 4]
