"""`bench questions --claims` asks labelled claims as questions of all papers of their set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from bot.bench.questions import print_answers
from bot.bench.yardstick_report import ReportOptions

SOURCES = {
    "SwiftNet flies through twelve gates at 60 km/h.": "SwiftNet is a racing drone. It flies twelve gates at 60 km/h.",
    "Coral reefs bleach in warm water.": "Reefs are studied here. We find that corals bleach when the water is warm.",
}


async def test_the_paper_that_answers_ranks_first_and_nothing_else_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "claims.jsonl"
    rows = [{"ds": "one", "claim": c, "title": "", "source": s, "label": 1} for c, s in SOURCES.items()]
    false = {"ds": "one", "claim": "SwiftNet swims.", "title": "", "source": "A paper on fish.", "label": 0}
    file.write_text("\n".join(map(json.dumps, [*rows, false])))
    await print_answers(Console(), file, ReportOptions(as_json=True))
    (found,) = json.loads(capsys.readouterr().out)["sets"]
    assert (found["questions"], found["ranked"]["@1"], found["shown"], found["shown_without"]) == (2, 1.0, 1.0, 0.0)
