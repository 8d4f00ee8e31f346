"""A topic's words in papers: spellings, abbreviations, rarity, and what they tell; the index that counts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.retrieval.libraries.word_index import WordIndex, count_words, join_words
from engine.retrieval.topic_words import measure_texts, rarity, read_topic, with_abbreviations


def find(topic: str, title: str, abstract: str = "") -> float:
    """How much of the topic a paper's text says."""
    return float(measure_texts(read_topic(topic), [title, "Nothing"], [abstract, ""]).said[0])


@pytest.mark.parametrize(
    ("topic", "title"),
    [
        ("Text-to-SQL", "Text to SQL with Schema Linking"),
        ("Retrieval-Augmented Generation", "Retrieval Augmented Generation for All"),
        ("test time adaptation", "Fast Test-Time Adaptation"),
        ("deep fake detection", "Deepfake Detection"),
        ("multi task learning", "Multitask Learning of Everything"),
    ],
)
def test_a_word_is_found_however_it_is_spelt(topic: str, title: str) -> None:
    assert find(topic, title) > 0.7


def test_a_hyphenated_word_is_more_than_its_only_part_that_carries_meaning() -> None:
    texts = ["We find out-of-distribution (OOD) data."] * 2
    topic = with_abbreviations(read_topic("out-of-distribution detection"), texts)
    titles = ["Detection of a Label Distribution", "Out-of-Distribution (OOD) Detection", "OOD Detection"]
    said = measure_texts(topic, titles, [""] * 3).said
    assert said[0] == pytest.approx(0.5) and said[1:] == pytest.approx([1.0, 1.0])


def test_the_title_tells_more_than_one_mention_and_three_mentions_more_than_one() -> None:
    titles, texts = ["Unlearning", "A", "A", "A"], ["", "unlearning", "unlearning unlearning unlearning", "learning"]
    in_title, once, often, never = measure_texts(read_topic("unlearning"), titles, texts).bm25
    assert in_title > once > never == 0
    assert often > once


def test_an_abbreviation_that_papers_give_stands_for_its_phrase_both_ways() -> None:
    texts = ["We study large language models (LLMs).", "Of Large Language Models (LLMs), few.", "No such (PDF)."]
    topic = with_abbreviations(read_topic("watermarking large language models"), texts)
    titles = ["Watermarking LLMs", "Watermarks for Large Language Models and LLMs", "LLMs as Large Language Models"]
    assert measure_texts(topic, titles, ["", "", ""]).titled[0] == pytest.approx(1.0)
    once = with_abbreviations(read_topic("watermarking large language models"), texts[:1])
    assert once == read_topic("watermarking large language models"), "one paper's abbreviation is not known yet"


def test_an_abbreviation_of_two_letters_has_to_be_known_well() -> None:
    texts = ["Intrusion detection (ID) guards a network."] * 6
    few, many = (with_abbreviations(read_topic("intrusion detection"), texts[:n]) for n in (5, 6))
    assert few == read_topic("intrusion detection")
    assert any(writing.stems == ("id",) for writing in many.writings)


def test_an_abbreviation_with_another_meaning_stands_for_nothing() -> None:
    texts = ["autonomous driving (AD) is hard", "for autonomous driving (AD)"]
    topic = with_abbreviations(read_topic("autonomous driving"), texts)
    titles = ["Autonomous Driving", "AD Biomarkers", "AD and Memory", "AD Cohorts"]
    assert measure_texts(topic, titles, [""] * 4).titled.tolist() == pytest.approx([1.0, 0.0, 0.0, 0.0])


def test_an_abbreviation_of_stop_words_stands_for_nothing() -> None:
    topic = with_abbreviations(read_topic("AI systems"), ["We keep it as is (AI), often."] * 6)
    assert topic == read_topic("AI systems")
    assert measure_texts(topic, ["AI Systems", "Nothing"], ["", ""]).titled.tolist() == pytest.approx([1.0, 0.0])


def test_rare_words_weigh_more() -> None:
    topic = read_topic("machine unlearning")
    words = measure_texts(topic, ["Unlearning", "Machine"], ["", ""], rarity([5_000, 60], 87_000))
    assert words.titled[0] > 0.8 > 0.2 > words.titled[1]
    assert (rarity([0, 10], 10) > 0).all()


def test_an_index_of_joined_parts_is_read_as_it_was_written(tmp_path: Path) -> None:
    first = count_words(["Graph Attention"], ["graph graph"])
    again = join_words([count_words(["New Graph"], [""]), count_words(["Dense Retrieval"], ["passages"])])
    again.save(tmp_path)
    loaded = WordIndex.load(tmp_path)
    for index in (again, loaded):
        graph, dense = index.find("graph"), index.find("dens")
        assert (graph.tolist(), dense.tolist()) == ([[1, 0], [1, 0]], [[0, 1], [0, 1]])
        assert index.find("passag").tolist() == [[0, 0], [0, 1]]
        assert index.find("absent").tolist() == index.find("attent").tolist() == [[0, 0], [0, 0]]
        assert index.lengths.tolist() == [2.0, 3.0]
    assert first.find("graph").tolist() == [[1], [3]]


def test_letters_within_words_make_an_abbreviation_too() -> None:
    texts = ["Neural radiance fields (NeRF) render views."] * 2
    topic = with_abbreviations(read_topic("neural radiance fields"), texts)
    assert ("nerf",) in [writing.stems for writing in topic.writings]
    texts = ["We use reinforcement learning from human feedback (RLHF)."] * 2
    topic = with_abbreviations(read_topic("reinforcement learning from human feedback"), texts)
    assert ("rlhf",) in [writing.stems for writing in topic.writings]


@pytest.mark.parametrize(
    ("slip", "meant"), [("fedrated", "federated"), ("recomender", "recommender"), ("lerning", "learning")]
)
def test_a_slip_is_read_as_the_word_that_papers_have(slip: str, meant: str) -> None:
    titles = ["Federated Learning for Recommender Systems That Generate"] * 6
    assert count_words(titles, [""] * 6).most_like(slip) == meant
    assert count_words(["To Generate Answers"] * 6, [""] * 6).most_like("federated") == ""
