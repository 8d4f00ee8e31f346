"""Texts that a regular expression could divide in a great many ways: with such an expression these would not end."""

from __future__ import annotations

import re

import pytest

from engine.checking.citation_forms import read_citations
from engine.checking.doubts import Source, find_doubts
from engine.checking.figures import read_figures
from engine.evaluation.documents import from_markdown
from engine.retrieval.matching import stands_as_title
from engine.retrieval.paper_text import clean_abstract, clean_name
from engine.retrieval.topic_words import read_topic, with_abbreviations
from engine.text import LONGEST_RUN, clean
from engine.writing.model_text import read_prose


@pytest.mark.parametrize("piece", ["１", "A-", "\t", "\n ", "\xa0", "²", "1,"])
def test_no_run_of_characters_is_long(piece: str) -> None:
    text = f"One. {piece * 3_000} Two."
    for read in (clean(text), clean_abstract(text), read_prose(text)):
        assert max(map(len, re.findall(r"\S+|\s+", read))) <= LONGEST_RUN
        assert clean(read) == " ".join(read.split())


@pytest.mark.parametrize("piece", ["*", "\n", "or ", " ", "A-", "A", "| ", "1", "a, "])
def test_a_piece_said_a_thousand_times_is_read_at_once(piece: str) -> None:
    text = piece * 1_000
    assert clean_name(f"Ada{text}x").startswith("Ada")
    assert not stands_as_title("Dense retrieval", f"{text}x")
    assert with_abbreviations(read_topic("a topic"), [f"a {text} (AT)"] * 3) == read_topic("a topic")
    assert read_figures(f"It rose by 3 {text} than 4.5 points")
    assert not find_doubts(f"Rose {text}", Source(f"Rose {text}"))
    assert find_doubts(f"By Smith et al. (2020) {text} 17.5 %", Source("Nothing"))
    assert read_citations(f"[@arxiv:1{text}", ()).text is not None
    prose = "It has a sentence of seven words. " * 8
    assert from_markdown(f"# Title\n\n## One\n\n{prose}\n\n{text}x\n\n{text}").title == "Title"
