"""What of a paper stands in a prompt."""

from __future__ import annotations

from engine.llm.prompting import paper_block
from tests.fakes import paper


def test_of_a_long_abstract_the_last_sentences_that_fit_are_shown_with_their_numbers() -> None:
    """Its results are several sentences, before a conclusion and a registration."""
    background = [f"Loading the cache of token {number} is slow." for number in range(20)]
    found = [
        "It is 2.31 times as fast on one graphics processor.",
        "It is slower on two.",
        "Registered as NCT01454947.",
    ]
    shown = paper_block([paper(1, abstract=" ".join((*background, *found)))], 100).splitlines()
    assert shown[-4:-1] == [f"{number}. {said}" for number, said in enumerate(found, start=21)]
    assert shown[2] != f"1. {background[0]}"
    assert 4 < len(shown) < 20
