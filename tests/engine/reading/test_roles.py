"""What the sentences of an abstract do: the model that comes with Scholium, and fitting one."""

from __future__ import annotations

import gzip
import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from engine.errors import UserError
from engine.reading.role_training import (
    LabelledAbstract,
    measure_roles,
    read_labelled_abstracts,
    split_held_back,
    train_role_model,
)
from engine.reading.roles import ROLES, role_model, statement_probabilities, unpack_model

ABSTRACT = [
    "Question answering over tables has attracted much attention in recent years.",
    "However, existing methods cannot handle large tables.",
    "In this paper, we propose TableReader, a method that selects rows before it reads them.",
    "The reader is trained on pairs of questions and rows.",
    "Experimental results show that TableReader outperforms the best published method by 4.2 points.",
]


def labelled(count: int) -> list[LabelledAbstract]:
    return [
        LabelledAbstract(
            (
                f"Much is known about topic {n}.",
                f"We propose the method M{n}.",
                f"Results show gains of {n} points.",
                "All rights reserved.",
            ),
            ("background", "method", "result", "other"),
            (1.0, 1.0, 0.5, 1.0),
        )
        for n in range(count)
    ]


def test_the_model_that_comes_with_scholium_tells_problem_contribution_and_finding() -> None:
    found = statement_probabilities(role_model().probabilities(ABSTRACT))
    assert found.shape == (5, 3)
    assert found.sum(axis=1) == pytest.approx(np.ones(5))
    assert found.argmax(axis=1).tolist() == [0, 0, 1, 1, 2]


def test_the_weights_are_small_and_their_source_is_named() -> None:
    folder = resources.files("engine.reading")
    assert len(folder.joinpath("roles.npz").read_bytes()) <= 2_000_000
    assert "Apache 2.0" in folder.joinpath("roles.md").read_text(encoding="utf-8")


def test_an_abstract_without_sentences_has_no_roles() -> None:
    assert role_model().probabilities([]).shape == (0, len(ROLES))


def test_a_model_learns_from_labelled_abstracts_and_is_stored_whole() -> None:
    fitted, held_back = split_held_back(labelled(30), seed=0)
    assert (len(fitted), len(held_back)) == (20, 10)
    model = train_role_model(fitted)
    scores = measure_roles(model, held_back)
    assert (scores.sentences, scores.accuracy, scores.role_accuracy) == (30, 1.0, 1.0)
    again = unpack_model(model.pack())
    assert again.probabilities(ABSTRACT) == pytest.approx(model.probabilities(ABSTRACT))


def test_labelled_abstracts_are_read_plain_and_gzipped(tmp_path: Path) -> None:
    line = json.dumps({"sentences": ["A.", "B."], "labels": ["background", "result"], "confs": [0.5, 1.0]})
    (tmp_path / "plain.jsonl").write_text(f"{line}\n\n{line}\n")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    assert read_labelled_abstracts(tmp_path / "plain.jsonl") == 2 * read_labelled_abstracts(
        tmp_path / "packed.jsonl.gz"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"sentences": ["A."], "labels": ["nonsense"]}', "line 1 is not a labelled abstract"),
        ('{"sentences": ["A."], "labels": []}', "line 1 is not a labelled abstract"),
        ("{", "line 1 is not a labelled abstract"),
        ("[1]", "line 1 is not a labelled abstract"),
        ("", "holds no labelled abstract"),
    ],
)
def test_what_is_no_labelled_abstract_is_named(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_text(content)
    with pytest.raises(UserError, match=message):
        read_labelled_abstracts(tmp_path / "file.jsonl")
