"""Headings and names: what is taken from titles and abstracts, and what is not."""

from __future__ import annotations

import pytest

from engine.naming.abbreviations import find_abbreviations, find_long_form
from engine.naming.headings import name_groups
from engine.naming.names import find_names, is_name
from tests.fakes import paper


def test_names_are_told_apart_by_the_words_beside_them() -> None:
    chosen = [
        paper(1, title="TreeParse: Parsing with Trees", abstract="We propose TreeParse. It is tested on Text2Tree."),
        paper(
            2,
            title="Two",
            abstract="Experiments on the WikiSQL dataset show 3 BLEU more than models such as TreeParse and BERT.",
        ),
        paper(
            3,
            title="Three",
            abstract="On datasets such as WikiSQL and SParC, BERT outperforms others in question answering.",
        ),
    ]
    found = {name.name: (name.kind, len(name.papers)) for name in find_names(chosen, "parsing")}
    assert found["TreeParse"] == ("method", 2)
    assert found["WikiSQL"] == ("data set", 2)
    assert found["SParC"] == ("data set", 1)
    assert found["BERT"] == ("method", 2)
    assert found["BLEU"] == ("metric", 1)
    assert found["question answering"] == ("task", 1)


def test_a_name_in_two_spellings_is_one_name() -> None:
    said = ("the CIFAR-10 dataset", "the CIFAR-10 benchmark", "the CIFAR10 dataset")
    chosen = [paper(n, title=f"T{n}", abstract=f"We test it on {where}.") for n, where in enumerate(said, start=1)]
    found = {name.name: len(name.papers) for name in find_names(chosen, "images")}
    assert found == {"CIFAR-10": 3}


@pytest.mark.parametrize("token", ["BERT", "GPT-4", "WikiSQL", "mBERT", "CIFAR-10", "RoBERTa", "T5-XXL"])
def test_what_is_written_like_a_name(token: str) -> None:
    assert is_name(token)


@pytest.mark.parametrize(
    "token", ["Graph", "graph-based", "Graph-Attention", "LLM", "NLP", "RAG-supported", "2D", "onUCF101"]
)
def test_what_is_not(token: str) -> None:
    assert not is_name(token)


def test_the_topic_an_abbreviated_concept_and_spelt_out_capitals_are_no_names() -> None:
    chosen = [
        paper(
            1, title="One", abstract="Hidden tree models (HTM) are common. We use HTM models. HTM models are strong."
        ),
        paper(
            2,
            title="Two",
            abstract="We propose TAilored PArsing, a method. TAilored models such as TAilored are tailored to parsing.",
        ),
        paper(3, title="Three", abstract="We propose SQLNet. SQLNet models outperform others."),
    ]
    assert find_names(chosen, "SQLNet") == ()


def test_releases_of_a_data_set_are_one_and_a_language_is_none() -> None:
    papers = [
        paper(1, abstract="Experiments on the MultiWOZ2.1 dataset show gains. We study American Sign Language (ASL)."),
        paper(2, abstract="We evaluate on the MultiWOZ dataset. The ASL dataset is small, other ASL corpora grow."),
    ]
    data = {n.name: set(n.papers) for n in find_names(papers, "dialogue") if n.kind == "data set"}
    assert data == {"MultiWOZ": {papers[0].key, papers[1].key}}


def test_an_abbreviation_that_hardly_any_paper_spells_out_is_a_word() -> None:
    spelling = paper(1, abstract="Light detection and ranging (LiDAR) measures distance.")
    using = [paper(i, abstract="A LiDAR turns.") for i in range(2, 14)]
    assert find_abbreviations([spelling, *using]) == {}
    assert find_abbreviations([spelling, *using[:5]]) == {"LiDAR": "Light detection and ranging"}


def test_two_spellings_of_the_topic_are_no_heading() -> None:
    groups = [
        [paper(i, title="Dialog State Tracking with Schema Graphs", abstract="Schema graphs help.") for i in range(3)],
        [paper(i, title="Dialogue State Tracking with Slot Pools", abstract="Slot pools help.") for i in range(3, 6)],
    ]
    assert [n.heading for n in name_groups(groups, "dialogue state tracking")] == ["Schema Graphs", "Slot Pools"]


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
    assert [name.heading for name in names] == ["Node Classification", "Link Prediction"]
    assert "node classification" in names[0].terms


def test_an_abbreviation_counts_as_the_words_it_stands_for() -> None:
    told = "We study semantic role labeling (SRL)."
    groups = [
        [paper(i, title=f"SRL {i}", abstract=told) for i in range(1, 7)],
        [paper(i, title=f"Point Clouds {i}", abstract="Points.") for i in range(7, 13)],
    ]
    assert name_groups(groups, "language")[0].heading == "Semantic Role Labeling"


def test_names_of_several_words_and_without_inner_capitals_are_found() -> None:
    said = (
        "Experiments on the PASCAL VOC dataset and the Cityscapes dataset show gains.",
        "It is tested on the Pascal VOC benchmark, and the Cityscapes benchmark.",
        "Results on the Cityscapes and PASCAL VOC datasets are better. A Korean dataset was made.",
        "We use the Korean dataset and the MS COCO dataset.",
        "We use the Microsoft COCO dataset, the COCO dataset and the CNN/DailyMail dataset.",
        "Experiments on the CNN/Daily Mail dataset and on CNN/DailyMail show gains.",
    )
    found = find_names([paper(n, title=f"T{n}", abstract=text) for n, text in enumerate(said, start=1)], "images")
    assert {name.name: (name.kind, len(name.papers)) for name in found} == {
        "Cityscapes": ("data set", 3),
        "PASCAL VOC": ("data set", 3),
        "COCO": ("data set", 2),
        "CNN/DailyMail": ("data set", 2),
    }


@pytest.mark.parametrize(
    ("said", "metrics"),
    [
        ("It reaches an accuracy of 93.1% on images.", {"accuracy"}),
        ("It has high accuracy and runs at 30 frames.", set()),
        ("We design a fully interpolated decoding (FID) module. FID is quick.", set()),
        ("We design a FID (fully interpolated decoding) module. FID is quick.", set()),
        ("The Fréchet inception distance (FID) falls.", {"FID"}),
        ("The mean IoU and the mAP@50 rise.", {"IoU", "mAP"}),
        ("It uses the perplexity scores of a discriminator.", set()),
        ("It lowers the perplexity from 40 to 30.", {"perplexity"}),
    ],
)
def test_a_metric_is_what_something_is_measured_by(said: str, metrics: set[str]) -> None:
    found = find_names([paper(1, title="T", abstract=said)], "images")
    assert {name.name for name in found if name.kind == "metric"} == metrics


def test_the_abbreviation_of_a_task_is_no_method() -> None:
    chosen = [
        paper(1, abstract="We propose Sparse Tree Segmentation (STS). STS models are slow."),
        paper(2, abstract="Many STS models exist."),
    ]
    assert [name for name in find_names(chosen, "trees") if name.kind == "method"] == []


def test_the_abbreviation_of_a_new_metric_is_no_method() -> None:
    found = find_names([paper(1, title="T", abstract="We introduce a new metric, Tree Cut Accuracy (TCA).")], "trees")
    assert [(name.name, name.kind) for name in found] == [("TCA", "metric")]


def test_capitals_that_spell_an_abbreviation_make_no_name_and_part_of_a_task_no_task() -> None:
    said = "We propose gUidancE, a gUidancE model for named entity recognition."
    found = {name.name for name in find_names([paper(1, title="Calibrated Guidance", abstract=said)], "plans")}
    assert found == {"named entity recognition"}


def test_a_set_of_questions_is_data_and_a_set_of_techniques_is_none() -> None:
    asked = "We present PopQA, a set of 14,000 open-domain questions. PopQA is hard."
    built = "We present ToolQX, a set of techniques for parsing. ToolQX is fast."
    found = find_names([paper(1, abstract=asked), paper(2, abstract=built)], "parsing")
    kinds = {name.name: name.kind for name in found}
    assert kinds["PopQA"] == "data set"
    assert kinds["ToolQX"] == "method"
