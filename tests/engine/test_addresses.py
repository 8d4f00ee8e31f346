"""Sentences of a paper by number, from the prompt through a draft's citations to what is kept of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.addresses import locate_words, number_sentences, sentences_at
from engine.checking.citation_forms import read_citations
from engine.citations import (
    Address,
    cite_sentences,
    list_addresses,
    list_cited_keys,
    remove_addresses,
)
from engine.llm.prompting import paper_block, sentence_block
from engine.values import PaperKey, Passage
from tests.fakes import paper

READ = paper(
    1,
    abstract="Nets learn from clicks. They gain 4 points.",
    body=(Passage("We fly at 60kmh−1. Two gates were missed.", "Results", 7),),
)
OTHER = paper(2)

KEYS = st.from_regex(r"(arxiv:\d{4}\.\d{4,5}|doi:10\.\d{4}/[a-z.()-]{1,9}[a-z]|acl:[A-Z]\d\d-\d{4})", fullmatch=True)
ADDRESSES = st.lists(
    st.builds(
        lambda key, numbers: Address(PaperKey(key), tuple(sorted(numbers))),
        KEYS,
        st.sets(st.integers(1, 999), max_size=4),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda address: address.key,
)


def test_the_numbers_of_a_prompt_lead_back_to_the_words_and_their_page() -> None:
    shown = paper_block([READ])
    assert "\n2. They gain 4 points.\n3. We fly at 60kmh−1.\n" in shown
    third = sentences_at(READ, [3, 99])
    assert [(s.text, s.source, s.page) for s in third] == [("We fly at 60kmh−1.", "full text", 7)]
    assert sentence_block(READ, [3]).splitlines()[2:] == ["3. We fly at 60kmh−1.", "</paper>"]


def test_reading_the_text_leaves_the_numbers_of_the_abstract_and_a_long_one_keeps_them() -> None:
    long = paper(3, abstract=" ".join(f"Sentence {n} says how model number {n} was trained." for n in range(1, 30)))
    shown = paper_block([long], 100).splitlines()[2:-1]
    assert 3 < len(shown) < 29
    for line in shown:
        number, _, text = line.partition(". ")
        assert sentences_at(long, [int(number)])[0].text == text


def test_words_are_found_in_the_sentence_in_which_they_begin() -> None:
    places = [locate_words(words, READ) for words in ("learn from clicks. They gain", "Two gates", "Three gates", "")]
    assert [(found.number, found.page) if found else None for found in places] == [(1, None), (4, 7), None, None]


@given(ADDRESSES)
def test_what_is_cited_is_read_again(addresses: list[Address]) -> None:
    written = f"It holds {cite_sentences(addresses)}."
    assert list(list_addresses(written)) == addresses
    assert list_cited_keys(written) == tuple(address.key for address in addresses)
    assert list_cited_keys(remove_addresses(written)) == list_cited_keys(written)
    assert not any(address.sentences for address in list_addresses(remove_addresses(written)))


@given(st.sets(st.integers(1, 120), min_size=1, max_size=4), st.sampled_from([":{}", ": {}", "#{}"]))
def test_models_write_the_numbers_in_many_ways(numbers: set[int], form: str) -> None:
    said = form.format(", ".join(map(str, sorted(numbers))))
    read = read_citations(f"Nets learn [@{READ.key}{said}; @{OTHER.key}].", [READ, OTHER])
    assert list_addresses(read.text) == (Address(READ.key, tuple(sorted(numbers))), Address(OTHER.key))
    assert not read.unknown


def test_a_range_and_an_unknown_key() -> None:
    read = read_citations(f"Nets learn [@{READ.key}:2-4]. Others do not [@arxiv:1999.00001:2].", [READ, OTHER])
    assert list_addresses(read.text) == (Address(READ.key, (2, 3, 4)),)
    assert read.unknown == ("@arxiv:1999.00001:2",)


def test_every_sentence_of_a_paper_has_its_own_number() -> None:
    numbers = [sentence.number for sentence in number_sentences(READ)]
    assert numbers == [1, 2, 3, 4]
