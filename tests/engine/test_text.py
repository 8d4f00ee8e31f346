"""Words and their stems, also when several jobs work at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.text import sentences, stem, terms, to_title_case

ROOTS = ("retriev", "generat", "relation", "condition", "hope", "organ", "nation", "vector", "troubl", "motor")
ENDINGS = ("ization", "ational", "fulness", "iveness", "ing", "ed", "s", "ly", "ment", "ation")


@pytest.fixture
def _impatient_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_impatient_threads")
def test_stems_are_the_same_when_many_threads_ask() -> None:
    words = [root + ending for root in ROOTS for ending in ENDINGS] * 5

    def stems(_: int) -> list[str]:
        stem.cache_clear()
        return [stem(word) for word in words]

    alone = stems(0)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(stems, range(12))) == [alone] * 12


def test_words_of_another_sense_have_another_stem() -> None:
    for one, other in (
        ("continual", "continuous"),
        ("active", "activity"),
        ("activation", "activities"),
        ("personalized", "person"),
        ("objective", "object"),
        ("transformers", "transformations"),
        ("expressive", "expression"),
        ("conversion", "conversational"),
        ("multi-objective", "multi-object"),
    ):
        assert stem(one) != stem(other)
    for one, other in (("activities", "activity"), ("personalised", "personalization"), ("continually", "continual")):
        assert stem(one) == stem(other)


def test_terms_are_stems_without_stop_words() -> None:
    assert terms("The retrieval of retrieved passages") == ["retriev", "retriev", "passag"]


@pytest.mark.parametrize(("said", "shown"), [("chain-of-thought prompting", "Chain-of-Thought Prompting")])
def test_small_words_inside_a_compound_stay_small(said: str, shown: str) -> None:
    assert to_title_case(said) == shown


@pytest.mark.parametrize(
    "text",
    [
        "It brings 1) A faster start, and 2) Better ends.| We test it.| It works.",
        "Steps: (1) Do this.| (2) Do that.| We test it.",
        "We show: i) A thing.| ii) Another thing.| We test it.",
        "It follows from (3) that this holds (see 4).| So it is.",
    ],
)
def test_the_numbers_of_a_list_in_a_line_neither_cut_a_sentence_nor_join_those_behind(text: str) -> None:
    assert sentences(text.replace("|", "")) == text.split("| ")
