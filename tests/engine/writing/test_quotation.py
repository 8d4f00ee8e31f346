"""What a table says under "contributes" and "result": the sentence that says so, not one that stands near it."""

from __future__ import annotations

import pytest

from engine.writing.open_problems import find_open_problems
from engine.writing.quotation import quote_contribution, quote_finding
from tests.fakes import paper

GAP = "Grasping thin objects is hard, since a camera sees little of them."
MODULES = "A depth module is joined with a force module in one network."
RESULT = "Experiments show that the gripper lifts needles more often than earlier grippers."


@pytest.mark.parametrize(
    "last",
    [
        "We open-source all models in the hope that others use them.",
        "To the best of our knowledge, this is the first gripper that feels needles.",
        "Separating force from depth is named as a promising direction.",
        "Storing every force remains a limitation of the gripper.",
        "We evaluate our gripper on several existing sets of thin objects.",
        "Open challenges such as wet needles are discussed at the end.",
        "Besides, we have publicly released all codes of the gripper.",
        "Comprehensive experiments are conducted on three sets of thin objects.",
        "Experimental results demonstrate the effectiveness of our proposed gripper.",
        "Experiments show that our gripper is effective and performs well on needles.",
        "Our results shed new light on grippers of many kinds.",
        "All the methods are tested on several sets of thin objects.",
        "Our gripper opens the door for the development of better hands.",
        "An accompanying overview video of the gripper can be found at this anonymous URL.",
        "Various experiments in simulation and real kitchens were performed for evaluation.",
        "We also contribute a large data set of needles that provides the best annotations.",
        "We also present a qualitative analysis of the most common errors of our best gripper.",
        "Experiment videos and details of it are available at //sites.example.org/view/gripper.",
        "We discovered interesting insights towards better grippers of needles.",
        "These findings emphasize the importance of improved grippers for needles.",
        "As both hands feel the same, we naturally think of joining them for better grips.",
        "To show that no glove would have helped, we develop and evaluate a better glove.",
        "in both force and speed within 0.08 N and 0.7 m of the better arm.",
    ],
)
def test_what_an_abstract_ends_with_is_not_always_a_result(last: str) -> None:
    whole = paper(1, abstract=" ".join([GAP, "We present a gripper that feels.", MODULES, RESULT, last]))
    found = quote_finding(whole)
    assert found is not None
    assert found.words == RESULT.removesuffix(".")
    cut = quote_finding(paper(2, abstract=" ".join([GAP, "We present a gripper that feels.", MODULES, last])))
    assert cut is None or cut.words != last.removesuffix(".")


def test_the_number_of_contributions_is_no_contribution() -> None:
    counted = "We present the following three principal contributions."
    text = f"{GAP} {counted} We propose a gripper that feels thin objects. {RESULT}"
    quoted = quote_contribution(paper(1, abstract=text))
    assert quoted is not None
    assert quoted.words == "We propose a gripper that feels thin objects"


def test_a_result_told_of_it_is_better_than_what_came_later() -> None:
    told = "It achieves the best results of its time on eleven tasks of grasping."
    later = "Most grippers and hands since then start from such a sensor."
    found = quote_finding(paper(1, abstract=" ".join([GAP, "We present a gripper that feels.", MODULES, told, later])))
    assert found is not None
    assert found.words == told.removesuffix(".")


def test_the_opening_that_points_back_is_left_out_of_a_quotation() -> None:
    text = f"{GAP} To address this issue we introduce a gripper that feels thin objects. {RESULT}"
    quoted = quote_contribution(paper(1, abstract=text))
    assert quoted is not None
    assert quoted.shown == "… we introduce a gripper that feels thin objects"


def test_a_problem_that_was_open_once_is_not_told_as_open() -> None:
    tail = "Human accuracy was much higher in the end, which showed that the problem was far from solved."
    text = f"{GAP} We present a gripper that feels thin objects. {RESULT} "
    assert find_open_problems([paper(1, abstract=text + tail)]) == []


@pytest.mark.parametrize(
    "other",
    [
        "We argue that such cameras are wasteful for needles.",
        "We believe this sensor will help many people with thin objects.",
        "Besides, we propose a loss that keeps the force of the gripper low.",
        "We propose a new way of training to address this difficulty.",
        "In this way, the network jointly trains a sensor and a hand.",
    ],
)
def test_an_aside_is_not_the_contribution(other: str) -> None:
    main = "We propose FeelGrip, a gripper that feels thin objects."
    for text in (f"{GAP} {other} {main} {RESULT}", f"{GAP} {main} {other} {RESULT}"):
        quoted = quote_contribution(paper(1, title="Feeling Thin Objects with a Gripper", abstract=text))
        assert quoted is not None
        assert quoted.words == main.removesuffix(".")


def test_an_argument_alone_is_no_contribution() -> None:
    assert quote_contribution(paper(1, abstract=f"{GAP} We argue that this is inefficient. {RESULT}")) is None


def test_a_result_is_not_cut_before_what_came_out() -> None:
    long = (
        "Our experiments on the sets of needles and of coins that were collected in four kitchens over a year, and for "
        "several deep networks of different sizes, indicate that the gripper drops fewer objects than a human hand"
    )
    found = quote_finding(paper(1, abstract=f"{GAP} We present a gripper that feels. {long}."))
    assert found is not None
    assert "drops fewer objects" in found.shown


def test_the_numbers_of_the_papers_own_references_are_not_shown() -> None:
    text = f"{GAP} We present a gripper that feels like the hand of [12]. It lifts 40% more needles than [3, 4]."
    whole = paper(1, abstract=text)
    quoted = quote_contribution(whole)
    assert quoted is not None
    assert quoted.shown == "We present a gripper that feels like the hand of […]"
    assert quoted.words in text


@pytest.mark.parametrize(
    "hole", ["We propose , which feels thin objects.", "We propose a gripper called , which feels."]
)
def test_a_sentence_that_lost_a_name_is_not_quoted(hole: str) -> None:
    assert quote_contribution(paper(1, abstract=f"{GAP} {hole} {RESULT}")) is None


def test_a_quotation_is_not_cut_behind_a_word_that_leads_on() -> None:
    long = (
        "We present a gripper for thin objects of every kind that: 1) feels the force of each finger with a sensor "
        "of its own; and 2) learns from what it dropped in the kitchens of many people over the years of the study."
    )
    quoted = quote_contribution(paper(1, abstract=f"{GAP} {long} {RESULT}"))
    assert quoted is not None
    assert not quoted.shown.removesuffix(" …").endswith("that")


@pytest.mark.parametrize(
    "tail",
    [
        "If grasping fails in difficult regions, the planner shifts to exploring.",
        "As a special case, we answer an open question: we establish that the gripper is stable.",
        "The bounds are nearly optimal, and several challenging open problems are posed.",
        "The rear fingers fail when the tilting system is disabled.",
        "Our hand is a valuable tool for complex searches in which people struggle to find needles.",
        "It keeps its balance while a controller of fixed duration fails in the kitchen.",
    ],
)
def test_what_leaves_nothing_to_be_done_is_no_open_problem(tail: str) -> None:
    text = f"{GAP} We present a gripper that feels thin objects. {RESULT} {tail}"
    assert find_open_problems([paper(1, abstract=text)]) == []


def test_a_detail_that_the_title_does_not_name_is_no_contribution() -> None:
    detail = "The layers can be trained end-to-end together with the network by the same loss."
    assert quote_contribution(paper(1, title="Feeling Thin Objects", abstract=f"{GAP} {detail} {RESULT}")) is None


def test_a_result_is_not_cut_behind_what_only_says_that_one_comes() -> None:
    long = (
        "Extensive evaluations on three sets of needles and of coins and in four kitchens with robots show that it: "
        "(i) drops fewer objects than all others that were tried; and (ii) does so with less force than a human hand"
    )
    found = quote_finding(paper(1, abstract=f"{GAP} We present a gripper that feels. {long}."))
    assert found is not None
    assert "drops fewer objects" in found.shown


@pytest.mark.parametrize(
    "opening",
    [
        "In response to this understanding, ",
        "Instead, ",
        "To address this issue, in this paper, ",
        "For solving this problem, ",
        "In pursuit of these goals, ",
        "Building on that, ",
        "Towards this goal, ",
    ],
)
def test_what_only_points_back_before_the_contribution_is_left_out(opening: str) -> None:
    abstract = f"{GAP} {opening}we propose a gripper that feels what it holds. {MODULES} {RESULT}"
    quoted = quote_contribution(paper(1, title="FeelGrip", abstract=abstract))
    assert quoted is not None
    assert quoted.shown == "… we propose a gripper that feels what it holds"


@pytest.mark.parametrize(
    "announcement",
    [
        "We present a new method and report results of it.",
        "We present an answer to this question for both kinds of needles.",
        "We previously developed a gripper that feels what it holds.",
    ],
)
def test_a_contribution_that_says_nothing_by_itself_is_none(announcement: str) -> None:
    assert quote_contribution(paper(1, title="FeelGrip", abstract=f"{GAP} {announcement} {RESULT}")) is None


@pytest.mark.parametrize(
    "empty",
    [
        "This evaluation provides clear insights and allows us to find what grippers lack.",
        "We achieve that our work will inspire more research on grippers of needles.",
    ],
)
def test_insights_and_inspiration_are_no_result(empty: str) -> None:
    found = quote_finding(paper(1, abstract=f"{GAP} We present a gripper that feels. {MODULES} {RESULT} {empty}"))
    assert found is not None
    assert found.words == RESULT.removesuffix(".")


def test_a_quotation_is_not_cut_between_not_only_and_but() -> None:
    long = (
        "Experiments on needles, threads, rings and pins show that the gripper not only lifts thin objects in all "
        "of the kitchens that were tried, while the light was low, but also outperforms earlier grippers at half force"
    )
    found = quote_finding(paper(1, abstract=f"{GAP} We present a gripper that feels. {long}."))
    assert found is not None
    assert found.words == long


def test_a_measured_result_is_the_result_though_a_summary_tells_it_in_the_third_person() -> None:
    told = paper(
        1,
        title="Dense Passage Retrieval for Open-Domain Question Answering",
        abstract="",
        summary="Open-domain question answering relies on efficient passage retrieval, for which sparse term matching "
        "was the standard. This paper shows that retrieval can be done with dense vectors alone, learned by a simple "
        "dual encoder from a small number of questions and passages. The dense retriever outperforms a strong BM25 "
        "system by 9 to 19 points in top-20 passage accuracy on several datasets. It also helps an end-to-end system "
        "achieve new best results on several benchmarks.",
    )
    quoted = quote_finding(told)
    assert quoted and "9 to 19 points" in quoted.words


LIFTS = (
    "Experimental results on sets of thin objects of many kinds show that our gripper with only ten fingers lifts more "
    "needles, pins and staples than all of the earlier grippers"
)


@pytest.mark.parametrize(
    "end",
    [
        ", where the camera sees them from above and only when the light is good",
        ", while lifting fewer at the cost of speed in kitchens and in other rooms",
        " in kitchens, workshops, and 25 other rooms of the same three buildings",
        " in (i) kitchens, where it is warm, and (ii) sheds, where the arm is cold",
    ],
)
def test_what_limits_a_result_and_the_end_of_a_list_are_not_cut_away(end: str) -> None:
    quoted = quote_finding(paper(1, abstract=" ".join([GAP, "We present a gripper that feels.", f"{LIFTS}{end}."])))
    assert quoted is not None
    assert quoted.words.endswith(end)


def test_a_result_is_cut_where_what_follows_limits_nothing() -> None:
    end = ", which shows how well it feels what lies before it on every table"
    quoted = quote_finding(paper(1, abstract=" ".join([GAP, "We present a gripper that feels.", f"{LIFTS}{end}."])))
    assert quoted is not None
    assert quoted.shown.endswith("earlier grippers …")
