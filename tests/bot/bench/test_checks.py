"""`bench checks` reads labelled claims and prints a figure for each set."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from bot.bench.checks import LabelledClaim, checks
from bot.bench.yardstick_report import ReportOptions, read_json_lines
from engine.errors import UserError

SOURCE = "SwiftNet flies at 60 km/h. It needs no map."


def row(claim: str, label: int, name: str = "one") -> str:
    return json.dumps({"ds": name, "claim": claim, "title": "Racing", "source": SOURCE, "label": label})


async def test_each_set_has_its_counts_and_an_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claims = [
        row("SwiftNet flies at 60 km/h.", 1),
        row("SwiftNet flies at 75 km/h.", 0),
        row("It has a map.", 1, "two"),
    ]
    file = tmp_path / "claims.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(claims).encode()))
    await checks(Console(), file, ReportOptions(as_json=True))
    one, two, every = json.loads(capsys.readouterr().out)["sets"]
    assert (one["set"], one["true"], one["true_flagged"], one["false"], one["false_flagged"]) == ("one", 1, 0, 1, 1)
    assert (one["j"], one["low"], one["high"]) == (1.0, 1.0, 1.0)
    assert two["j"] is None
    assert (every["set"], every["true"], every["best_accepted"]) == ("all", 2, 1.0)


async def test_the_table_shows_another_commits_figures_beside(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(row("SwiftNet flies at 75 km/h.", 0) + "\n" + row("SwiftNet flies at 60 km/h.", 1))
    other = {"set": "one", "true": 4, "true_doubted": 0.5, "false": 4, "false_doubted": 0.25, "j": -0.25}
    before = tmp_path / "before.json"
    before.write_text(json.dumps({"sets": [{**other, "best_accepted": None, "random_accepted": 0.5}]}))
    shown = io.StringIO()
    await checks(Console(file=shown, width=200), file, ReportOptions(beside=before))
    assert all(cell in shown.getvalue() for cell in ("0.500 → 0.000", "0.250 → 1.000", "-0.250 → 1.000", "– → 1.000"))


async def test_a_file_that_is_no_such_report_is_named(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(row("SwiftNet flies at 60 km/h.", 1))
    with pytest.raises(UserError, match=r"claims\.jsonl does not hold what this command prints"):
        await checks(Console(), file, ReportOptions(beside=file))


def test_another_file_is_refused_with_its_name(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("no claims")
    with pytest.raises(UserError, match=r"notes\.txt"):
        read_json_lines(other, LabelledClaim)
