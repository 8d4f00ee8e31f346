"""What the sentences of an abstract do: the model that comes with Scholium, and fitting one."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.bench.roles import LabelledAbstract, measure_roles
from bot.bench.yardstick_report import read_json_lines
from engine.errors import UserError
from engine.reading.sentence_roles import (
    ROLES,
    read_statements,
    role_model,
    statement_probabilities,
    unpack_model,
)
from tests.measures.labelled_sources import read_source
from tests.measures.train_roles import pack_model, split_held_back, train_role_model

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
    assert len(folder.joinpath("roles.npz").read_bytes()) < 1_000_000
    told = folder.joinpath("roles.md").read_text(encoding="utf-8")
    assert all(name in told for name in ("Apache 2.0", "MIT", "CSAbstruct", "PubMedQA", "Evidence Inference"))


def test_an_abstract_without_sentences_has_no_roles() -> None:
    assert role_model().probabilities([]).shape == (0, len(ROLES))


def test_a_model_learns_from_labelled_abstracts_and_is_stored_whole() -> None:
    fitted, held_back = split_held_back(labelled(30), seed=0)
    assert (len(fitted), len(held_back)) == (20, 10)
    model = train_role_model([fitted])
    scores = measure_roles(model, held_back)
    assert (scores["sentences"], scores["accuracy"], scores["role_accuracy"]) == (30, 1.0, 1.0)
    again = unpack_model(pack_model(model))
    assert again.probabilities(ABSTRACT) == pytest.approx(model.probabilities(ABSTRACT))


MEDICAL = [
    "Recurrence of headache within a day is common after treatment of a migraine attack.",
    "To compare the recurrence of headache after two oral drugs.",
    "One hundred and twelve patients were randomly assigned to receive either drug or placebo.",
    "Headache recurred in 28% of patients with the first drug and in 41% with the second (P < .01).",
    "The first drug is associated with less recurrence than the second.",
]


def test_sentences_of_a_medical_abstract_whose_labels_are_gone_have_roles() -> None:
    found = read_statements(" ".join(MEDICAL))
    assert [said.statement for said in found] == ["problem", "contribution", "contribution", "finding", "finding"]


@pytest.mark.parametrize("form", ["{}: ", "{}—", "{}\n", "{} - "])
def test_what_an_abstract_calls_its_parts_is_obeyed(form: str) -> None:
    labels = ("Background", "Study objective", "PATIENTS AND METHODS", "Main results", "Conclusions")
    text = " ".join(form.format(label) + "The drug was given twice." for label in labels)
    found = read_statements(text)
    assert [said.statement for said in found] == ["problem", "contribution", "contribution", "finding", "finding"]
    assert {(said.text, said.probability) for said in found} == {("The drug was given twice.", 1.0)}


def test_labels_in_capitals_need_no_colon() -> None:
    found = read_statements(
        "OBJECTIVE To count them. METHODS We counted. RESULTS There were 7. CONCLUSION Seven it is."
    )
    assert [said.text for said in found] == ["To count them.", "We counted.", "There were 7.", "Seven it is."]


@given(st.text(alphabet="RESULTSresults:—-. \nAB12", max_size=200))
def test_every_sentence_of_an_abstract_stands_in_it_letter_for_letter(text: str) -> None:
    assert all(said.text in text for said in read_statements(text))


def test_roles_are_the_same_on_every_processor() -> None:
    code = (
        "from engine.reading.sentence_roles import role_model; import hashlib\n"
        f"print(hashlib.sha256(role_model().probabilities({[*MEDICAL, *ABSTRACT]!r}).tobytes()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": threads, "NPY_DISABLE_CPU_FEATURES": features},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for core, threads, features in (("Haswell", "1", ""), ("Prescott", "2", "AVX2 FMA3"))
    }
    assert len(found) == 1


def test_abstracts_of_articles_and_of_pubmedqa_are_labelled_as_their_parts_are_titled(tmp_path: Path) -> None:
    parts = [
        ("Background", "Much is known."),
        ("Methods", "We asked 9 people. All answered."),
        ("Results", "It helps."),
    ]
    inner = "".join(f"<sec><title>{label}</title><p>{text}</p></sec>" for label, text in parts)
    (tmp_path / "one.nxml").write_text(f"<article><abstract>{inner}</abstract></article>")
    (tmp_path / "bare.nxml").write_text("<article><abstract><p>No parts.</p></abstract></article>")
    [article] = read_source(tmp_path)
    assert article.labels == ("background", "method", "method", "result")
    labels, texts = zip(*parts, strict=True)
    record = {"1": {"LABELS": labels, "CONTEXTS": texts, "LONG_ANSWER": "Yes."}}
    (tmp_path / "qa.json").write_text(json.dumps(record))
    [abstract] = read_source(tmp_path / "qa.json")
    assert abstract.sentences == (*article.sentences, "Yes.")


def test_labelled_abstracts_are_read_plain_and_gzipped(tmp_path: Path) -> None:
    line = json.dumps({"sentences": ["A.", "B."], "labels": ["background", "result"], "confs": [0.5, 1.0]})
    (tmp_path / "plain.jsonl").write_text(f"{line}\n\n{line}\n")
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    packed = read_json_lines(tmp_path / "packed.jsonl.gz", LabelledAbstract)
    assert read_json_lines(tmp_path / "plain.jsonl", LabelledAbstract) == 2 * packed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"sentences": ["A."], "labels": ["nonsense"]}', "line 1: labels.0 cannot be read"),
        ('{"sentences": ["A."], "labels": []}', "line 1: the line cannot be read"),
        ("{", "line 1: the line cannot be read"),
        ("[1]", "line 1: the line cannot be read"),
        ("", "holds no line"),
    ],
)
def test_what_is_no_labelled_abstract_is_named(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_text(content)
    with pytest.raises(UserError, match=message):
        read_json_lines(tmp_path / "file.jsonl", LabelledAbstract)
