"""`scholium bench compare`: every recipe on one topic, beside a survey by people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from bot.bench.compare import PICTURE, compare
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import Brief
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

HUMAN = "# Dense Retrieval\n\n## Query Encoders\n\n{}\n\n## References\n\n[1] A.\n".format(
    "Query encoders map questions to vectors [1]. " * 10
)


async def test_without_a_model_nothing_is_compared(library: LocalLibrary) -> None:
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        await compare(Console(), Brief("dense retrieval"), None, None)


async def test_every_recipe_fills_every_column(
    library: LocalLibrary,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = Brief("dense retrieval", sections=3, subsection_words=30)
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_API_KEY", "simulated")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        (tmp_path / "human.md").write_text(HUMAN)
        assert await compare(Console(), wanted, tmp_path / "human.md", tmp_path, as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"cluster", "autosurvey", "surveyx", "naive", "organiser", "quick", "storm"}
    for row in found.values():
        assert min(row["calls"], row["tokens read"], row["references"], row["claims"]) > 0
        assert 0.0 <= row["checked"] <= 1.0
        assert 0.0 <= row["soft heading recall, clipped"] <= 1.0
        assert 0.0 <= row["ROUGE average"] <= 1.0
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")
