from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.addresses import number_sentences
from engine.reading.trees.attribute_trees import (
    TEMPLATES,
    TREE_JSON,
    AttributeValue,
    complete_tree,
    digest_text,
    trace_value,
)
from engine.values import Paper, PaperKey, Passage

SOURCE = Paper(
    PaperKey("arxiv:2004.04906"),
    "Dense Passage Retrieval for Open-Domain Question Answering",
    "Open-domain question answering relies on efficient passage retrieval. "
    "DPR outperforms a strong Lucene-BM25 system by 9%-19% absolute in top-20 accuracy.",
    body=(Passage("Training needs in-batch negatives.", "Method", 4),),
)


def test_each_kind_has_exactly_the_published_fields() -> None:
    """SurveyX, figures 13 to 16."""
    common = ["background", "problem.definition", "problem.key obstacle", "idea.intuition", "idea.opinion"]
    common += ["idea.innovation"]
    end = ["conclusion", "discussion.advantage", "discussion.limitation", "discussion.future work", "other info"]
    trials = ["experiments.setting", "experiments.progress"]
    assert list(TEMPLATES["method"]) == [
        *common,
        *("method.definition", "method.description", "method.steps", "method.principle"),
        *trials,
        *end,
    ]
    assert list(TEMPLATES["benchmark"]) == [
        *common,
        *("dataset.source", "dataset.desc", "dataset.content"),
        *("metrics.aspect", "metrics.principle", "metrics.procedure"),
        *("experiments.model", "experiments.procedure", "experiments.result", "experiments.variability"),
        *end,
    ]
    assert list(TEMPLATES["theory"]) == [
        *common,
        *("theory.perspective", "theory.opinion", "theory.proof"),
        *trials,
        *end,
    ]
    assert list(TEMPLATES["survey"]) == [
        *("background.purpose", "background.scope", "problem.definition", "problem.key obstacle"),
        *("architecture.perspective", "architecture.fields/stages", "conclusion.comparisons", "conclusion.results"),
        *("discussion.advantage", "discussion.limitation", "discussion.gaps", "discussion.future work/trends"),
        "other info",
    ]


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("DPR beats Lucene-BM25 by 9%-19% absolute in top-20 accuracy", [2]),
        ("passage retrieval is what open-domain question answering relies on", [1]),
        ("Training needs in-batch negatives", [3, 3]),
    ],
)
def test_a_value_that_its_sentences_say_is_kept_with_them(said: str, places: list[int]) -> None:
    value = trace_value(said, places, SOURCE)
    assert value is not None
    own = number_sentences(SOURCE)[places[0] - 1]
    assert (value.quote, value.section, value.page) == (own.text, own.section, own.page)


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("DPR outperforms Lucene-BM25 by 23% in top-20 accuracy", [2]),
        ("DPR outperforms ColBERT in top-20 accuracy", [2]),
        ("The system translates German speech", [1]),
        ("Training needs in-batch negatives", []),
        ("Training needs in-batch negatives", [4]),
        ("Training needs in-batch negatives", [0]),
        ("", [1]),
        ("the of and", [1]),
    ],
    ids=["number", "name", "matter", "no place", "beyond the end", "before the start", "empty", "no content"],
)
def test_a_value_that_its_sentences_do_not_say_is_none(said: str, places: list[int]) -> None:
    assert trace_value(said, places, SOURCE) is None


def test_missing_is_null_and_every_field_is_there() -> None:
    value = AttributeValue("in-batch negatives", "Training needs in-batch negatives.", "full text", "Method", 4)
    tree = complete_tree(SOURCE, "method", {"method.steps": value})
    stored = dict(json.loads(TREE_JSON.dump_json(tree))["values"])
    assert list(stored) == list(TEMPLATES["method"])
    assert stored["background"] is None
    assert stored["method.steps"] == {
        "text": value.text, "quote": value.quote, "level": "full text", "section": "Method", "page": 4,
    }  # fmt: skip
    assert TREE_JSON.validate_json(TREE_JSON.dump_json(tree)) == tree
    assert list(tree.list_known()) == [("method.steps", value)]
    for other in ({"kind": "poem"}, {**json.loads(TREE_JSON.dump_json(tree)), "kind": "theory"}):
        with pytest.raises(ValueError, match="AttributeTree"):
            TREE_JSON.validate_json(json.dumps(other))


def test_another_text_is_another_digest() -> None:
    longer = replace(SOURCE, body=(*SOURCE.body, Passage("More.")))
    assert digest_text(SOURCE) != digest_text(longer)
