"""Papers that no line of their field holds stand under what titles say of any field: an application, robustness."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.naming.clustering import OTHER_WORK
from engine.naming.headings import rank_terms
from engine.naming.lines_of_work import FURTHER, Field, divide_by_headings, find_headings, gather_lines
from engine.naming.phrases import GroupedPhrases
from engine.recipes.cluster import ClusterRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext
from engine.values import Brief, Cluster, FoundPaper, Paper, PaperSelection, Reason
from tests.fakes import WordEmbedder, paper

TITLES = {
    "Fairness": ("Fair Ploughing", "Fairness of Harvesters", "Unequal and Fair Seeding"),
    "Robustness and Adversarial Attacks": ("Attacks on Weeders", "Robust Weeding", "Adversarial Examples of Ploughs"),
    "Music": ("Ploughs for Music", "Harvesting Songs to Music", "Musical Seeds"),
    "Continual Learning": ("Continual Ploughing", "Continual Weeding", "Incremental and Continual Seeding"),
}
PLACES = ("Spain", "Kenya", "Peru", "Norway", "Ghana", "Nepal")
UNNAMED = ("Owls at Night", "Granite Bridges", "Clocks and Bells", "Tin Mines", "Paper Mills", "Lost Alphabets")


def write_papers(*titles: str) -> list[Paper]:
    return [paper(i, title=title, abstract=f"{title} are described.") for i, title in enumerate(titles)]


def divide(papers: list[Paper], topic: str = "farming") -> list[Cluster]:
    field = Field(GroupedPhrases([papers]), WordEmbedder().embed([p.content for p in papers]), topic, least=3)
    return divide_by_headings(field, find_headings(field, np.zeros(len(papers), np.int64)))


def test_titles_that_say_an_aspect_of_any_field_stand_under_it() -> None:
    papers = write_papers(*(title for titles in TITLES.values() for title in titles), *UNNAMED)
    found = {line.name: tuple(p.title for p in line.papers) for line in divide(papers)}
    assert found == {**TITLES, OTHER_WORK: UNNAMED}


def test_aspects_of_one_group_are_parts_of_one_section_that_they_name_and_so_are_those_alone() -> None:
    papers = write_papers(*(title for titles in TITLES.values() for title in titles), *UNNAMED)
    sections = gather_lines(divide(papers), enough=4, most=8)
    assert {line.name: tuple(part.name for part in line.parts) for line in sections} == {
        "Fairness, Robustness and Adversarial Attacks": ("Fairness", "Robustness and Adversarial Attacks"),
        "Music and Continual Learning": ("Music", "Continual Learning"),
        OTHER_WORK: (),
    }


def test_many_aspects_of_one_group_are_named_as_the_group() -> None:
    lines = [Cluster(name, (), (paper(i),)) for i, name in enumerate(("Fairness", "Safety", "Privacy", "Uncertainty"))]
    assert [line.name for line in gather_lines(lines, enough=1, most=8)] == ["Trustworthiness"]
    assert [line.name for line in gather_lines(lines[:3], enough=1, most=8)] == ["Fairness, Safety and Privacy"]


def test_a_heading_is_said_by_half_of_its_papers() -> None:
    papers = write_papers("Tumors of Ploughs", "Surgery by Harvesters", "Seeds against Covid", *UNNAMED)
    assert [line.name for line in divide(papers)] == []


def test_the_topic_itself_is_no_aspect_of_its_field() -> None:
    papers = write_papers(*TITLES["Fairness"], *UNNAMED)
    assert [line.name for line in divide(papers, "fairness of farming")] == []


def test_a_text_is_on_an_aspect_where_it_says_so_often_and_of_its_own_work() -> None:
    biased = ("Bias of Harvesters", "Biased Seeding", "Weeding without Biases")
    often = "We weigh biases of ploughs. A bias is measured. It is biased. We like that bias."
    once = "Bias matters. We paint ploughs. They shine."
    papers = [
        *write_papers(*biased, *UNNAMED),
        paper(50, title="Old Ploughs", abstract=often),
        paper(51, title="Red Ploughs", abstract=once),
    ]
    found = {line.name: {p.title for p in line.papers} for line in divide(papers)}
    assert found["Bias"] == {*biased, "Old Ploughs"}


@pytest.mark.parametrize(("sections", "titles"), [(3, ["Crop Rotation and Fairness"]), (4, ["Crop Rotation", FURTHER])])
async def test_where_few_sections_are_asked_for_the_others_are_parts_of_one(
    sections: int, titles: list[str], library: LocalLibrary
) -> None:
    rotation = [f"Crop Rotation in {place}" for place in ("Spain", "Kenya", "Peru", "Chile", "Ghana", "Nepal", "Cuba")]
    trust = [title for name in ("Fairness", "Robustness and Adversarial Attacks") for title in TITLES[name]]
    papers = write_papers(*rotation, *trust, *UNNAMED)
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    context = RunContext(library, WordEmbedder())
    outline = await ClusterRecipe().outline(Brief("farming", sections=sections), selection, context)
    body = [node for node in outline.nodes if node.role == "body"]
    assert [node.title for node in body] == titles
    assert [node.title for node in body[-1].children][-3:] == [
        "Fairness", "Robustness and Adversarial Attacks", OTHER_WORK
    ]  # fmt: skip


async def test_foundations_that_do_not_name_the_topic_stand_apart(library: LocalLibrary) -> None:
    rotation = [f"Crop Rotation in {place}" for place in ("Spain", "Kenya", "Peru", "Chile", "Ghana", "Nepal", "Cuba")]
    base = ["Deep Networks", "Random Forests", "Linear Programs"]
    named, foundations = write_papers(*rotation, *UNNAMED), write_papers(*rotation, *UNNAMED, *base)[-3:]
    topic = "crop rotation"
    found = [FoundPaper(p, 1.0, (Reason(topic, 1),)) for p in named]
    found += [FoundPaper(p, 1.0, (Reason(topic, 1), Reason("close", 900, "similar"))) for p in foundations]
    outline = await ClusterRecipe().outline(
        Brief(topic), PaperSelection(tuple(found)), RunContext(library, WordEmbedder())
    )
    held = {node.title: {*node.all_papers()} for node in outline.nodes}
    assert held["Foundations"] == {p.key for p in foundations}


def test_a_number_of_dimensions_is_part_of_a_heading() -> None:
    places = ("Spain", "Kenya", "Peru", "Chile")
    papers = write_papers(*(f"3D Farm Mapping in {place}" for place in places), *UNNAMED)
    assert [line.name for line in divide(papers, "farm mapping")] == ["3D Farm Mapping", OTHER_WORK]


def test_terms_are_no_pieces_of_sentences() -> None:
    texts = [
        f"Large tractors tend to rust in {place}. Large tractors tend to stop." for place in ("Spain", "Kenya", "Peru")
    ]
    papers = [paper(i, title=f"Old Tractors {i}", abstract=text) for i, text in enumerate(texts)]
    (terms,) = rank_terms(GroupedPhrases([papers]), "farming", "bounded", telling=True)
    assert not [term for term in terms if term.endswith("tend")]


def test_a_heading_becomes_less_specific_where_further_titles_say_only_that() -> None:
    large = [f"Large Language Models for Farms of {place}" for place in ("Spain", "Kenya", "Peru", "Chile")]
    small = ["Tiny Language Models", "Language Models on Tractors", "Barn Language Models"]
    found = {
        line.name: {p.title for p in line.papers} for line in divide(write_papers(*large, *small, *UNNAMED, *PLACES))
    }
    assert found["Language Models"] == {*large, *small}


def test_the_topic_with_a_general_word_divides_nothing() -> None:
    titles = [f"{kind} of Crop Rotation Estimation" for kind in ("Speed", "Cost", "Yield", "Value")]
    assert "Crop Rotation Estimation" not in [
        line.name for line in divide(write_papers(*titles, *UNNAMED), "crop rotation")
    ]


def test_what_the_topic_names_is_not_like_a_line_of_it() -> None:
    bred = [
        paper(i, title=f"Bred Architecture Search for {place}", abstract=f"Bred architecture search. {words}.")
        for i, (place, words) in enumerate(zip(PLACES, UNNAMED, strict=True))
    ]
    others = [
        paper(50 + i, title=f"Architecture Search by {title}", abstract="Bred cattle. Architecture search.")
        for i, title in enumerate(UNNAMED)
    ]
    found = {line.name: line.papers for line in divide([*bred, *others], "architecture search")}
    assert found["Bred Architecture Search"] == tuple(bred)


@pytest.mark.parametrize("bound", ["one-pass", "field-to-table"])
def test_a_word_that_a_hyphen_binds_is_part_of_a_heading(bound: str) -> None:
    named = [f"{bound.capitalize()} Seed Inspection for {place}" for place in PLACES]
    found = {line.name: {p.title for p in line.papers} for line in divide(write_papers(*named, *UNNAMED))}
    assert found[f"{bound} seed inspection".title().replace("-To-", "-to-")] == set(named)


@pytest.mark.parametrize(
    ("kinds", "heading"),
    [
        (("Low-Rank Ploughs", "Rank of Fields", "Weeding by Low Rank"), "Ranking"),
        (
            ("Network Traffic of Farms", "Traffic Packets of Barns", "Encrypted Traffic of Silos"),
            "Traffic and Transport",
        ),
        (
            ("Dynamic Sparse Ploughs", "Seed Weighting that is Dynamic", "Dynamic Update of Sieves"),
            "Dynamic Systems and Environments",
        ),
    ],
)
def test_a_word_that_is_said_of_other_things_makes_no_aspect(kinds: tuple[str, ...], heading: str) -> None:
    assert heading not in [line.name for line in divide(write_papers(*kinds, *UNNAMED, "Low Tides"))]


FEW = ("Ploughs for Hospitals", "Harvesters for Courts", "Seeding for Songs")


def test_papers_of_aspects_that_few_have_stand_under_their_group() -> None:
    found = {line.name: {p.title for p in line.papers} for line in divide(write_papers(*FEW, *UNNAMED))}
    assert found == {"Applications": set(FEW), OTHER_WORK: set(UNNAMED)}


def test_beside_aspects_of_their_group_they_are_its_further_work() -> None:
    sections = gather_lines(divide(write_papers(*TITLES["Music"], *FEW[:2], "Sown Poems", *UNNAMED)), enough=4, most=8)
    assert [(line.name, [part.name for part in line.parts]) for line in sections] == [
        ("Applications", ["Music", "Further Work on Applications"]),
        (OTHER_WORK, []),
    ]


def test_a_search_in_one_shot_is_no_few_shot_learning() -> None:
    papers = write_papers("One-Shot Ploughs", "Harvesters in One Shot", "One-Shot Sieves", *UNNAMED, "Low Tides")
    assert "Few-Shot Learning" not in [line.name for line in divide(papers)]


def test_a_term_that_one_paper_says_or_the_heading_sets_nothing_apart() -> None:
    sown = [paper(i, title=f"Seed Inspection in {p}", abstract="Rows are straight.") for i, p in enumerate(PLACES)]
    once = replace(sown[0], title="Seed Inspection by Steam Engines")
    reaped = [paper(50 + i, title=f"Reaping {p}", abstract="It is dry.") for i, p in enumerate(PLACES)]
    (line,) = [line for line in divide([once, *sown[1:], *reaped]) if line.name == "Seed Inspection"]
    assert line.terms == ()
    (terms, _) = rank_terms(GroupedPhrases([[once, *sown[1:]], reaped]), "farming", "bounded", telling=True)
    assert terms == ("seed inspection",)


def test_a_bare_word_that_is_no_known_topic_sets_nothing_apart() -> None:
    said = [
        paper(i, title=f"Mapping of {p}", abstract="Mapping of rows. We like mapping.") for i, p in enumerate(PLACES)
    ]
    others = [paper(50 + i, title=f"Reaping {p}", abstract="It is dry.") for i, p in enumerate(PLACES)]
    assert rank_terms(GroupedPhrases([said, others]), "farming", "bounded", telling=True)[0] == ()
