"""What of a paper stands in a prompt."""

from __future__ import annotations

from engine.llm.prompting import paper_block
from tests.fakes import paper


def test_of_a_long_abstract_the_first_sentences_that_fit_and_its_last_are_shown_with_their_numbers() -> None:
    background = [f"Loading the cache of token {number} is slow." for number in range(20)]
    found = "It is 2.31 times as fast on one graphics processor."
    shown = paper_block([paper(1, abstract=" ".join((*background, found)))], 100).splitlines()
    assert shown[2] == f"1. {background[0]}"
    assert shown[-2] == f"21. {found}"
    assert 4 < len(shown) < 20
