"""Papers that no line of their field holds stand under what titles say of any field: an application, robustness."""

from __future__ import annotations

import numpy as np
import pytest

from engine.naming.clustering import OTHER_WORK
from engine.naming.lines_of_work import FURTHER, Field, divide_by_headings, find_headings, gather_lines
from engine.naming.phrases import GroupedPhrases
from engine.recipes.cluster import ClusterRecipe
from engine.retrieval.libraries.local import LocalLibrary
from engine.run import RunContext
from engine.values import Brief, Cluster, FoundPaper, Paper, PaperSelection
from tests.fakes import WordEmbedder, paper

TITLES = {
    "Adversarial Attacks and Robustness": ("Attacks on Weeders", "Robust Weeding", "Backdoors in Ploughs"),
    "Fairness and Bias": ("Fair Ploughing", "Bias of Harvesters", "Debiased Seeding"),
    "Medicine and Biology": ("Ploughs for Clinical Use", "Harvesting Proteins", "Cancer and Seeds"),
    "Continual Learning": ("Lifelong Ploughing", "Continual Weeding", "Incremental Seeding"),
}
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


def test_aspects_of_one_group_are_parts_of_one_section_and_those_alone_further_topics() -> None:
    papers = write_papers(*(title for titles in TITLES.values() for title in titles), *UNNAMED)
    sections = gather_lines(divide(papers), enough=4, most=8)
    assert {line.name: tuple(part.name for part in line.parts) for line in sections} == {
        "Trustworthiness": ("Adversarial Attacks and Robustness", "Fairness and Bias"),
        FURTHER: ("Medicine and Biology", "Continual Learning"),
        OTHER_WORK: (),
    }


def test_aspects_too_small_for_a_heading_stand_under_that_of_their_group() -> None:
    titles = ("Ploughs for Clinical Use", "Driving Tractors", "Law of Seeds")
    found = {line.name: {p.title for p in line.papers} for line in divide(write_papers(*titles, *UNNAMED))}
    assert found == {"Applications": {*titles}, OTHER_WORK: {*UNNAMED}}


def test_the_topic_itself_is_no_aspect_of_its_field() -> None:
    papers = write_papers(*TITLES["Fairness and Bias"], *UNNAMED)
    assert [line.name for line in divide(papers, "fairness of farming")] == []


def test_a_text_is_on_an_aspect_where_it_says_so_often_and_of_its_own_work() -> None:
    often = "We make ploughs fair. Fairness of ploughs is measured. Fair ploughs win."
    once = "Fairness matters. We paint ploughs. They shine."
    papers = [
        *write_papers(*TITLES["Fairness and Bias"], *UNNAMED),
        paper(50, title="Old Ploughs", abstract=often),
        paper(51, title="Red Ploughs", abstract=once),
    ]
    found = {line.name: {p.title for p in line.papers} for line in divide(papers)}
    assert found["Fairness and Bias"] == {*TITLES["Fairness and Bias"], "Old Ploughs"}


@pytest.mark.parametrize(
    ("sections", "titles"), [(3, ["Crop Rotation and Trustworthiness"]), (4, ["Crop Rotation", FURTHER])]
)
async def test_where_few_sections_are_asked_for_the_others_are_parts_of_one(
    sections: int, titles: list[str], library: LocalLibrary
) -> None:
    rotation = [f"Crop Rotation in {place}" for place in ("Spain", "Kenya", "Peru", "Chile", "Ghana", "Nepal", "Cuba")]
    trust = [title for name in ("Adversarial Attacks and Robustness", "Fairness and Bias") for title in TITLES[name]]
    papers = write_papers(*rotation, *trust, *UNNAMED)
    selection = PaperSelection(tuple(FoundPaper(p, 1.0) for p in papers))
    context = RunContext(library, WordEmbedder())
    outline = await ClusterRecipe().outline(Brief("farming", sections=sections), selection, context)
    body = [node for node in outline.nodes if node.role == "body"]
    assert [node.title for node in body] == titles
    assert [node.title for node in body[-1].children][-3:] == [
        "Adversarial Attacks and Robustness", "Fairness and Bias", OTHER_WORK
    ]  # fmt: skip
