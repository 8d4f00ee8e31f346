"""What of an abstract can answer a question, where no language model reads it."""

from __future__ import annotations

import pytest

from engine.reading.roles import Statement
from engine.writing.answering_sentences import Asked, can_answer, read_parts, what_is_asked
from engine.writing.extractive import AbstractSentence
from tests.fakes import paper

PARTS = read_parts(["caffeine", "deep sleep"])
TITLED = "Caffeine and Deep Sleep"


def says(text: str, statement: Statement, asked: Asked = "whether", title: str = TITLED) -> bool:
    return can_answer(AbstractSentence(paper(1, title=title), text, statement, 0.9, 2), PARTS, asked)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Why does caffeine impair deep sleep?", "reason"),
        ("What causes insomnia?", "reason"),
        ("What mostly explains it?", "reason"),
        ("How can deep sleep be measured?", "manner"),
        ("Which methods measure deep sleep?", "manner"),
        ("How much caffeine impairs deep sleep?", "whether"),
        ("How effective is caffeine?", "whether"),
        ("Does caffeine impair deep sleep?", "whether"),
        ("How does drinking caffeine at night affect deep sleep?", "whether"),
        ("How does caffeine help?", "whether"),
    ],
)
def test_a_question_is_told_by_its_first_words(question: str, asked: Asked) -> None:
    assert what_is_asked(question) == asked


def test_what_only_motivates_answers_nothing() -> None:
    assert says("Deep sleep is shortened by caffeine.", "problem")
    assert not says("How caffeine changes deep sleep remains a serious issue.", "problem")
    assert not says("Recently, caffeine and deep sleep have been studied.", "problem")
    assert says("Deep sleep remains vulnerable to caffeine.", "problem")


def test_a_part_is_named_by_most_of_its_words_in_any_spelling_but_not_by_learning() -> None:
    parts = read_parts(["multitask learning", "low-resource languages"], ["Low-resource languages (LRLs)."] * 2)

    def names(text: str, title: str = "") -> bool:
        return can_answer(AbstractSentence(paper(1, title=title), text, "finding", 0.9, 2), parts, "whether")

    assert names("Multi-task models help low-resource languages.")
    assert names("Multi-task models help LRLs.")
    assert not names("Transfer learning helps low-resource languages."), "any method learns"
    assert not names("Multi-task models help sign languages."), "other languages"
    assert names("It helps these languages.", "Multi-Task Learning for Low-Resource Languages") is False
    assert names("Sharing tasks helps low-resource languages.", "Multi-Task Learning")


def test_a_boast_answers_only_where_it_names_all_that_was_asked() -> None:
    assert says("We find that it is shortened by caffeine.", "finding")
    assert not says("With caffeine it outperforms the state of the art.", "finding")
    assert says("For deep sleep without caffeine it outperforms the state of the art.", "finding")
    assert not says("It is shortened by caffeine.", "finding", title="Coffee")


def test_what_any_method_has_need_not_be_named() -> None:
    assert read_parts(["caffeine", "neural networks"]) == read_parts(["caffeine"])
    assert len(read_parts(["neural networks"])) == 1


def test_a_compound_is_named_without_its_hyphen() -> None:
    parts = read_parts(["cold-start problem"])
    said = [
        AbstractSentence(paper(1), f"We solve the {of} problem.", "finding", 0.9, 2) for of in ("cold start", "start")
    ]
    assert [can_answer(sentence, parts, "whether") for sentence in said] == [True, False]


def test_a_finding_beside_the_title_states_an_effect_and_does_not_motivate() -> None:
    assert not says("Our scripts for caffeine run in other laboratories.", "finding")
    assert says("Caffeine makes the nights of adults worse.", "finding")
    assert not says("Caffeine in deep sleep is one of the key challenges.", "finding")
    assert says("Our results on caffeine and deep sleep show how important the dose is.", "finding")


def test_a_method_answers_how_and_a_reason_answers_why() -> None:
    method = "We propose to measure deep sleep after caffeine by a headband."
    assert says(method, "contribution", "manner")
    assert not says(method, "contribution")
    assert says("Caffeine shortens deep sleep because it blocks adenosine.", "finding", "reason")
    assert not says("Caffeine shortens deep sleep.", "finding", "reason")
