"""Pairs of records of which it is known whether they are one paper: hand-made ones.

``pairs.jsonl`` and ``holdout.jsonl`` were written beside the rule, ``unseen.jsonl`` without a look at it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import cli
from bot.bench.identity import RecordPair, measure_identity
from bot.bench.yardstick_report import read_json_lines

HERE = Path(__file__).parent


@pytest.mark.parametrize(("name", "least"), [("pairs.jsonl", 100), ("holdout.jsonl", 60), ("unseen.jsonl", 716)])
def test_no_false_merge_and_few_missed(name: str, least: int) -> None:
    figures = measure_identity(read_json_lines(HERE / name, RecordPair))
    assert figures["pairs"] >= least and figures["same"] == figures["different"]
    assert figures["false_merges"] == 0, figures["wrong"]
    assert figures["missed_merges"] <= 0.03 * figures["pairs"], figures["wrong"]


def test_the_command_prints_what_was_judged_wrongly(tmp_path: Path) -> None:
    pair = {"a": {"title": "Graphs and Groups", "doi": "10.1000/1"}, "b": {"title": "Graphs and Groups"}, "same": True}
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(pair), encoding="utf-8")
    done = CliRunner().invoke(cli, ["bench", "identity", "--pairs", str(file), "--json"])
    figures = json.loads(done.stdout)
    assert (figures["pairs"], figures["false_merges"], figures["missed_merges"]) == (1, 0, 1)
    assert figures["wrong"] == [{"number": 1, "a": "Graphs and Groups", "b": "Graphs and Groups", "same": True}]


@pytest.mark.parametrize(
    ("line", "why"),
    [("{}", "a, b, same cannot be read"), ('{"a": {}, "b": {"title": "x"}, "same": true}', "a: it has no title")],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(line, encoding="utf-8")
    done = CliRunner().invoke(cli, ["bench", "identity", "--pairs", str(file)])
    assert done.exit_code != 0
    assert why in " ".join(done.output.split())
