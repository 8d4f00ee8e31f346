"""Headings of groups: phrases of their papers, set apart from the other groups."""

from __future__ import annotations

import pytest

from engine.naming.headings import name_groups
from engine.naming.phrases import find_abbreviations
from engine.text import find_long_form
from tests.fakes import paper


def test_two_spellings_of_the_topic_are_no_heading() -> None:
    groups = [
        [paper(i, title="Dialog State Tracking with Schema Graphs", abstract="Schema graphs help.") for i in range(3)],
        [paper(i, title="Dialogue State Tracking with Slot Pools", abstract="Slot pools help.") for i in range(3, 6)],
    ]
    assert [n.name for n in name_groups(groups, "dialogue state tracking")] == ["Schema Graphs", "Slot Pools"]


def test_abbreviations_are_read_from_their_brackets() -> None:
    assert find_long_form("GNN", "we study graph neural networks ") == "graph neural networks"
    assert find_long_form("MoE", "the mixture of experts") == "mixture of experts"
    assert find_long_form("QA", "nothing of the kind") == ""
    chosen = [paper(i, abstract="We use graph neural networks (GNNs) here.") for i in (1, 2)]
    assert find_abbreviations(chosen) == {"GNN": "graph neural networks"}


def test_headings_are_noun_phrases_that_are_not_the_topic() -> None:
    groups = [
        [paper(i, title=f"Node Classification on Graphs {i}", abstract="We classify nodes.") for i in range(1, 7)],
        [paper(i, title=f"Improving Link Prediction {i}", abstract="Graph learning predicts.") for i in range(7, 13)],
    ]
    names = name_groups(groups, "Graph Learning")
    assert [name.name for name in names] == ["Node Classification", "Link Prediction"]
    assert "node classification" in names[0].terms


@pytest.mark.parametrize("title", ["How to Alleviate Hallucination", "What Alleviates Hallucination"])
def test_a_heading_begins_with_no_verb(title: str) -> None:
    told = "Retrieval is used to alleviate errors. Others alleviate the same. The hallucination rate falls."
    groups = [
        [paper(i, title=f"{title}, Part {i}", abstract=told) for i in range(1, 7)],
        [paper(i, title=f"Point Clouds {i}", abstract="Points.") for i in range(7, 13)],
    ]
    terms = name_groups(groups, "language")[0].terms
    assert terms and not any("alleviate" in term for term in terms)


def test_an_abbreviation_counts_as_the_words_it_stands_for() -> None:
    told = "We study semantic role labeling (SRL)."
    groups = [
        [paper(i, title=f"SRL {i}", abstract=told) for i in range(1, 7)],
        [paper(i, title=f"Point Clouds {i}", abstract="Points.") for i in range(7, 13)],
    ]
    assert name_groups(groups, "language")[0].name == "Semantic Role Labeling"


def test_a_heading_is_no_part_of_another_one_nor_of_one_that_stands_there() -> None:
    groups = [
        [paper(i, title=f"Soil Erosion on Slopes {i}", abstract="Soil erosion is fast.") for i in range(1, 7)],
        [paper(i, title=f"Soil Erosion Models {i}", abstract="Erosion models are slow.") for i in range(7, 13)],
        [paper(i, title=f"Crop Rotation {i}", abstract="Crop rotation helps.") for i in range(13, 19)],
    ]
    names = [name.name.lower() for name in name_groups(groups, "farming", avoid=["Crop Rotation"])]
    assert not any(one in other for one in names for other in names if one != other)
    assert "crop rotation" not in names


def test_a_medical_group_is_named_by_its_own_titles() -> None:
    groups = [
        [
            paper(i, title=f"Oral sumatriptan in acute migraine, trial {i}", abstract="Two tablets.")
            for i in range(1, 7)
        ],
        [paper(i, title=f"Cluster headache and oxygen, study {i}", abstract="Oxygen helps.") for i in range(7, 13)],
    ]
    assert [name.name for name in name_groups(groups, "headache")] == ["Acute Migraine", "Cluster Headache"]


def test_a_phrase_of_which_one_title_plays_with_capitals_is_written_plainly() -> None:
    groups = [
        [paper(1, title="A MAchine Reading COmprehension Set", abstract="It is new.")]
        + [paper(i, title=f"Reading Comprehension {i}", abstract="We read.") for i in (2,)],
        [paper(i, title=f"Point Clouds {i}", abstract="Points.") for i in range(7, 13)],
    ]
    assert not any("COmprehension" in name.name for name in name_groups(groups, "language"))
