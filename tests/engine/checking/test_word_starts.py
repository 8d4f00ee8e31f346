"""Patterns that cannot match are not looked for, and none that matches is passed over."""

import re
from itertools import pairwise

import pytest

from engine.checking.lexicon import OPPOSITES
from engine.checking.model_kinds import MODEL_KINDS
from engine.checking.properties import PROPERTIES
from engine.checking.strengths import STRENGTHS, match_words
from engine.checking.word_starts import WordIndex, list_starts


@pytest.mark.parametrize(
    ("pattern", "starts"),
    [
        (r"\b(?:outperform\w*|beats?|by hand)\b", {"out", "bea", "by"}),
        (r"\b(?:(?:re)?training|(?<!not )only|be?ing)\b", {"re", "tra", "onl", "b"}),
        (r"\b(?:(?:very|too) slow|[|(]?x|safe)\b", set[str]()),
        (r"\b(?:\w*GANs?|diffusion)\b", set[str]()),
        (r"outperform", set[str]()),
    ],
)
def test_how_a_match_begins_is_read_from_the_pattern_or_left_open(pattern: str, starts: set[str]) -> None:
    assert list_starts(pattern) == starts


def test_every_pattern_that_matches_is_among_those_selected() -> None:
    patterns = [*(kind.said for kind in (*STRENGTHS, *PROPERTIES, *MODEL_KINDS)), *(one for one, _ in OPPOSITES)]
    index = WordIndex.of((pattern, pattern) for pattern in patterns)
    # Words in every case that the patterns themselves hold stand for what they match.
    words = sorted({word for pattern in patterns for word in re.findall(r"[A-Za-z]{2,}", pattern.pattern)})
    texts = [f"{one} {other}, {other.upper()} {one}s." for one, other in pairwise(words)]
    for text in texts:
        assert [p for p in patterns if p.search(text)] == [p for p in index.select(text) if p.search(text)]


def test_items_keep_their_order_whatever_the_text_says_first() -> None:
    index = WordIndex.of((match_words(word), word) for word in ("alpha", r"\d+x", "beta", "gamma"))

    assert index.select("Gamma before Alpha") == ["alpha", r"\d+x", "gamma"]
