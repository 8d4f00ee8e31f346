"""Words that a model names are looked up in what it was given."""

from __future__ import annotations

import pytest

from engine.checking.quotations import find_in_paper, find_words
from engine.values import Passage
from tests.fakes import paper

TEXT = (
    "We show that retrieval-augmented models outper\u00adform “strong” baselines by 9%–19% on ﬁve open-domain QA "
    "data sets. "
    "However, they do not scale well to long documents."
)


@pytest.mark.parametrize(
    ("quote", "beginning"),
    [
        ('retrieval augmented models outperform "strong" baselines', "retrieval-augmented models"),
        ("RETRIEVAL-AUGMENTED MODELS ... on five open domain QA datasets", "retrieval-augmented models"),
        ("models outperform strong baseline by 9%-19%", "models outper"),
        ("they do not scale well to long document", "they do not scale"),
    ],
)
def test_words_are_found_however_they_are_set(quote: str, beginning: str) -> None:
    found = find_words(quote, TEXT)
    assert found.startswith(beginning)
    assert found in TEXT


@pytest.mark.parametrize(
    "quote",
    [
        "they do scale well to long documents",
        "models outperform strong baselines by 8%-19%",
        "models outperform weak baselines by 9%-19%",
        "We prove that transformers are complete",
        "scale well to long documents … retrieval-augmented models",
        "the",
        "",
        "…",
    ],
)
def test_words_that_say_something_else_are_not_found(quote: str) -> None:
    assert find_words(quote, TEXT) == ""


def test_a_number_keeps_its_signs() -> None:
    text = "It works with overlaps as low as 5%. An AUC of > 0.90 is reached. It is 3-4 points ahead."
    assert find_words("overlaps as low as 5%", text) == "overlaps as low as 5%"
    assert find_words("0.90 is reached", text) == "> 0.90 is reached"
    assert find_words("4 points ahead", text) == "4 points ahead"


def test_where_the_words_stand_is_said() -> None:
    read = paper(
        1, abstract="", summary="A retriever is trained.", body=(Passage("It is tested on ten corpora.", "Tests", 4),)
    )
    assert find_in_paper("a retriever is trained", read) == ("A retriever is trained", "summary", None)
    assert find_in_paper("tested on ten corpora", read) == ("tested on ten corpora", "full text", 4)
    assert find_in_paper("tested on nine corpora", read)[0] == ""
