"""`scholium bench roles`, as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from bot.bench.roles import measure
from bot.bench.yardstick_report import ReportOptions
from engine.errors import UserError
from engine.reading.sentence_roles import unpack_model
from tests.measures.train_roles import train

RECORD = {
    "sentences": [
        "Much is known about graphs.",
        "In this paper, we propose a new method.",
        "Results show large gains.",
    ],
    "labels": ["background", "method", "result"],
}


def written(path: Path, count: int) -> Path:
    path.write_text("\n".join(json.dumps(RECORD) for _ in range(count)))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path / "labelled.jsonl", 9)


@pytest.fixture
def few(tmp_path: Path) -> Path:
    return written(tmp_path / "few.jsonl", 2)


async def test_scores_are_printed_as_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await measure(Console(), data, ReportOptions(as_json=True))
    scores = json.loads(capsys.readouterr().out)
    assert scores["sentences"] == 27
    assert scores["accuracy"] == 1.0
    assert set(scores) >= {"sure_accuracy", "sure_share", "role_accuracy"}


def test_training_writes_weights_that_can_be_read(data: Path, tmp_path: Path) -> None:
    train(Console(quiet=True), [data], tmp_path / "roles.npz")
    found = unpack_model((tmp_path / "roles.npz").read_bytes()).probabilities(RECORD["sentences"])
    assert found.argmax(axis=1).tolist() == [0, 2, 3]


def test_two_abstracts_are_too_few_to_train(few: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Three labelled abstracts are the fewest"):
        train(Console(quiet=True), [few], tmp_path / "roles.npz")
