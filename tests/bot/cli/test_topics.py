"""`scholium bench topics`: topics of a file, or NLPCC's samples, by several recipes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.topics import run_topics
from engine.errors import UserError
from engine.options import QuickOptions
from engine.rendering.files import from_json
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import Brief
from tests.fakes import papers
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

HUMAN = (
    "# Ways\n\n## Query Encoders\n\n"
    + "Query encoders map questions to vectors [1]. " * 20
    + "\n\n## References\n\n[1] A.\n"
)


@pytest.fixture
async def service(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SimulatedService]:
    monkeypatch.setenv("COLUMNS", "200")
    async with run_simulated_service(SimulatedService(pace=0)) as started:
        monkeypatch.setenv("OPENAI_API_KEY", "simulated")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{started.url}/v1")
        yield started


async def test_a_topic_that_fails_is_named_and_the_others_make_one_table(
    service: SimulatedService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, human, kept = tmp_path / "topics.json", tmp_path / "human", papers(1)[0]
    topics = [{"topic": "dense retrieval", "human_survey": kept.title}, {"topic": "the of"}, {"topic": "passage index"}]
    file.write_text(json.dumps({"source": "here", "topics": topics}))
    human.mkdir()
    (human / "dense retrieval.md").write_text(HUMAN)
    length = Brief("", library="main", sections=3, subsection_words=30, quick=QuickOptions())
    systems = [tmp_path / "out" / "naive"]
    assert await run_topics(Console(), file, systems, length, human) == 1
    shown, aside = capsys.readouterr()
    assert "1 of 3: dense retrieval, naive: " in shown and "2 of 3: the of, naive failed: The library has no" in aside
    assert "| Measure | naive (2) | human (1) |" in shown and "| citation recall | " in shown and " ± " in shown
    written = from_json((tmp_path / "out" / "naive" / "dense retrieval.json").read_bytes())
    assert kept.key not in {paper.key for paper in written.references}
    asked = len(service.calls)
    assert await run_topics(Console(), file, systems, Brief("", library="main"), first=1) == 0
    assert "1 of 1: dense retrieval, naive: written before" in capsys.readouterr().out
    assert len(service.calls) > asked  # it is judged anew


async def test_samples_of_nlpcc_are_written_from_their_references_alone(
    service: SimulatedService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, human = papers(24, start=200), tmp_path / "human"
    first, second = given[:12], given[12:]
    by_title = {paper.title: paper.abstract for paper in second}
    samples = [
        {
            "article ID": "A1",
            "subject": "dense retrieval",
            "references": [paper.title for paper in first],
            "reference content": [paper.abstract for paper in first],
        },
        {"Subject": "dense retrieval", "References": [{"title": t} for t in by_title], "Reference_Content": by_title},
    ]
    file = tmp_path / "test.jsonl"
    file.write_text("\n".join(map(json.dumps, samples)))
    human.mkdir()
    (human / "A1.md").write_text(HUMAN)
    systems = [tmp_path / "out" / name for name in ("cluster", "organiser")]
    length = Brief("", subsection_words=30, quick=QuickOptions())
    assert await run_topics(Console(), file, systems, length, human) == 0
    shown = capsys.readouterr().out
    assert "cluster, 1–50" in shown and "published, 151–200" in shown and "0.571" in shown
    written = from_json((tmp_path / "out" / "cluster" / "A1.json").read_bytes())
    assert written.references and {p.title for p in written.references} <= {p.title for p in first}
    assert all(paper.abstract for paper in written.references)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "line 1: the line cannot be read"),
        ("[]", "must hold a list of topics"),
        ('[{"references": ["A"]}]', "item 1 names no topic"),
        ('[{"subject": "bees", "references": [""]}]', "reference 1: it has no title"),
    ],
)
async def test_what_cannot_be_read_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "topics.json").write_text(text)
    with pytest.raises(UserError, match=said):
        await run_topics(Console(), tmp_path / "topics.json", [tmp_path / "out" / "naive"], Brief(""))
