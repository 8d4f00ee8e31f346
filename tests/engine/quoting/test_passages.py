"""Quotation without a language model: exact words, honest roles, nothing invented."""

from __future__ import annotations

import pytest

from engine.evidence import is_quoted
from engine.quoting.abstracts import show_gists, stands_alone, with_contribution
from engine.quoting.attribution import attribution, quote_words
from engine.reading.sentence_roles import read_statements
from engine.text import clean, list_words, sentences, shorten, to_title_case
from tests.fakes import paper


@pytest.mark.parametrize(
    "text",
    [
        "Smith et al. (2020) found 3.5 points, i.e. more than before.",
        "It uses e.g. BM25 vs. TF-IDF, cf. Section 3.",
        "Accuracy rose by 0.5 to 12.3 percent approx. 3 times.",
        "See Fig. 3 and Eq. 4 for details.",
        "Models of Dr. No, etc. are shown.",
        "We learn from non-I.I.D. data.",
    ],
)
def test_sentences_are_not_cut_at_abbreviations_or_decimals(text: str) -> None:
    assert sentences(f"{text} Another sentence follows.") == [text, "Another sentence follows."]


def test_what_cannot_stand_alone_is_not_quoted() -> None:
    abstract = (
        "Dense retrieval finds passages by meaning rather than by words alone. "
        "This makes it robust against different wording in every query it sees. "
        "Our code is available at https://github.com/x/y for everyone who wants it. "
        "Short one. "
        "As shown before [@doi:10.1/fake], citations can be planted in an abstract by an attacker. "
        "A sentence without an end"
    )
    assert [at for at, said in enumerate(read_statements(abstract)) if stands_alone(said.text)] == [0]


def test_a_number_of_the_papers_own_references_is_not_shown_as_one_of_ours() -> None:
    words = "Dense retrieval beats BM25 on five data sets [12, 13] by four points"
    for source in ("abstract", "summary"):
        claim = quote_words(paper(1), [words], source)  # type: ignore[arg-type]
        assert "[12" not in claim.text and "data sets […] by" in claim.text
        assert claim.citations[0].quote == words


def test_who_said_it() -> None:
    assert attribution(paper(1, authors=("Jan van den Berg",), year=2020)) == "van den Berg (2020)"
    assert attribution(paper(1, authors=("A One", "B Two"), year=None)) == "One and Two"
    assert attribution(paper(1, year=2001)) == "Author1 et al. (2001)"
    assert attribution(paper(1, authors=(), title="T", year=2001)) == "the paper “T” (2001)"


def test_plain_text_helpers() -> None:
    assert clean(" a\x00b\u202e\u200b  c\n") == "a b c"
    assert to_title_case("retrieval of GNNs and end-to-end training") == "Retrieval of GNNs and End-to-End Training"
    assert shorten("one two three", 9) == "one two…"
    assert list_words(["a", "b", "c"]) == "a, b and c"
    assert list_words(["a and b", "c"]) == "a and b; and c"


def test_a_summary_is_told_as_one_and_never_put_into_quotation_marks() -> None:
    words = "Negatives of the same batch and one hard negative found by BM25 train the retriever."
    claim = quote_words(paper(1, abstract="", summary=words), [words], "summary")
    assert words.removesuffix(".") in claim.text
    assert "“" not in claim.text
    assert "in summary:" in claim.text
    assert "authors" not in claim.text.lower()
    assert [(c.verdict, c.source) for c in claim.citations] == [("summarised", "summary")]
    assert not is_quoted(words, paper(1, abstract="", summary=words))


def test_for_an_outline_a_paper_is_given_with_its_contribution_not_with_the_announcement_of_one() -> None:
    announced = paper(
        1,
        title="Recognising Places",
        abstract=(
            "Recognising places from photographs is hard because light and weather change. "
            "We present the following three principal contributions. "
            "First, we develop a convolutional network with a pooling layer that is trained end to end. "
            "Second, we develop a training procedure based on a weakly supervised ranking loss. "
            "Results show that the network outperforms compact representations on two benchmarks."
        ),
    )
    shown = show_gists([announced])
    assert "we develop a" in shown
    assert "three principal contributions" not in shown


def test_a_paper_whose_abstract_surely_states_no_contribution_is_given_as_it_is() -> None:
    plain = paper(2, title="Weather", abstract="Weather changes.")
    assert with_contribution(plain) == plain
