"""The command `evaluate` over files."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from bot.__main__ import cli
from bot.cli.evaluate import EvaluateOptions, evaluate
from engine.evaluation.documents import read_document
from engine.rendering.files import write_files
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import Survey
from tests.bot.conversation.test_model_conversation import served
from tests.engine.evaluation.test_documents import MARKDOWN, own_survey
from tests.fakes import papers
from tests.scholarly_server import Fault, Site, scholarly
from tests.stand_ins.simulation import SimulatedService


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["evaluate", *arguments])
    return done.exit_code, done.stdout + done.stderr


def test_one_survey_against_a_human_one(tmp_path: Path) -> None:
    (tmp_path / "machine.md").write_text(MARKDOWN)
    (tmp_path / "human.md").write_text(MARKDOWN.replace("Methods", "Ways"))
    code, shown = run("machine.md", "--reference", "human.md", "--topic", "graph networks")
    assert code == 0, shown
    for said in (
        "| citation recall |",
        "| ROUGE-L |",
        "| IoU | 1.00 of 1, higher is better |",
        "approximation",
        "no judge",
        "| Date |",
    ):
        assert said in shown or said == "| Date |"
    assert "⚠ 1 cited names have no entry" in shown
    code, shown = run("machine.md", "--json")
    found = json.loads(shown[shown.index("{") :])
    assert found["about"]["Judges"].startswith("none")
    assert found["systems"]["machine.md"][0]["title"] == "Graph Networks: A Survey"


def test_a_survey_that_cannot_be_read_is_named_and_the_others_are_compared(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "Bees.md").write_text(MARKDOWN)
    (tmp_path / "ours" / "Wasps.md").write_bytes(b"\xff\xfe\xff")
    code, shown = run("ours", "--compare")
    assert code == 1 and "ours/Wasps.md failed: Wasps.md is not text in UTF-8." in shown
    assert "| Measure | ours (1) |" in shown


def test_several_systems_over_the_same_topics(tmp_path: Path) -> None:
    for system in ("ours", "theirs"):
        (tmp_path / system).mkdir()
        for topic in ("Graph Networks", "Other"):
            (tmp_path / system / f"{topic}.md").write_text(MARKDOWN)
    code, shown = run("ours", "theirs", "--compare", "--reference", "theirs", "-o", "report")
    assert code == 0, shown
    table = (tmp_path / "report" / "evaluation.md").read_text()
    assert "ours (2)" in table
    assert "| ROUGE-1 | 1.000 ± 0.000 | not measured |" in table  # a human survey is not compared with itself


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.md", b"\xff\xfe\x00bad", "not text in UTF-8"),
        ("a.md", b"hello", "no survey I can read"),
        ("a.json", b"{}", "not a survey saved by Scholium"),
        ("a.pdf", b"%PDF-1.4 broken", "cannot be opened as a PDF"),
    ],
)
def test_what_is_no_survey_is_said(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)
    code, shown = run(name)
    assert code == 1
    assert why in " ".join(shown.split())


def test_judges_without_a_model_and_a_missing_file_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    for arguments, why in (
        (("a.md", "--judges", "gpt-4o"), "Judges need a language model"),
        (("a.md", "--entailment", "local"), "needs SCHOLIUM_ENTAILMENT_MODEL"),
        (("nowhere.md",), "cannot be read"),
        (("a.md", "--compare"), "is no folder"),
    ):
        code, shown = run(*arguments)
        assert code == 1
        assert why in " ".join(shown.split())


def test_our_own_files_are_read_alike(tmp_path: Path) -> None:
    survey: Survey = replace(own_survey(), abstract="What is known of it is told here in plain words. " * 8)
    paths = {path.suffix: path for path in write_files(survey, tmp_path, ["json", "pdf"])}
    own = read_document(paths[".json"])
    assert own.style == "numbered"
    printed = read_document(paths[".pdf"])
    assert printed.title == own.title
    assert printed.style == "none"
    assert "No citations could be read" in " ".join(printed.problems)  # three markers are too few to be sure


def test_judges_compare_in_pairs_and_agree_with_people_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for system in ("ours", "theirs"):
        (tmp_path / system).mkdir()
        for i, topic in enumerate(("Graph Networks", "Other")):
            (tmp_path / system / f"{topic}.md").write_text(MARKDOWN + "word " * i * len(system))
    (tmp_path / "ranks.json").write_text('{"ours/Graph Networks": 1, "ours/Other": 2, "theirs/Other": 3}')
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with served(SimulatedService(pace=0)) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        code, shown = run("ours", "theirs", "--compare", "--pairwise", "--ranks", "ranks.json")
    assert code == 0, shown
    # The simulated judge prefers whatever comes first.
    assert "| ours over theirs | 0.50 | 0.00 |" in shown
    assert "Agreement with people's ranks" in shown
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    code, shown = run("ours", "theirs", "--compare", "--pairwise")
    assert code == 1
    assert "takes a language model" in " ".join(shown.split())
    (tmp_path / "ranks.json").write_text('{"nobody/X": 1}')
    code, shown = run("ours", "--compare", "--ranks", "ranks.json")
    assert code == 1
    assert "There is no survey “nobody/X”" in shown


def test_judges_of_several_services_judge_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "survey.md").write_text(MARKDOWN)
    judges = "openai:gpt-4o,anthropic:claude-3-haiku-20240307"
    code, refused = run("survey.md", "--judges", judges)
    assert code == 1
    assert "OPENAI_API_KEY" in refused
    with served(SimulatedService(pace=0)) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        done = CliRunner().invoke(cli, ["evaluate", "survey.md", "--judges", judges, "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["about"]["Judges"] == "openai:gpt-4o, anthropic:claude-3-haiku-20240307"


async def test_what_was_looked_up_online_is_kept_when_it_is_stopped(
    library: LocalLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("Battery", "Glass", "Paper", "Steel", "Water", "Copper")
    text = " ".join(f"One of the works that are cited in this text tells of it at length [{n}]." for n in range(1, 7))
    listed = "\n".join(f"[{n}] A. Author. {word} Recycling in Practice. 2020." for n, word in enumerate(words, start=1))
    (tmp_path / "survey.md").write_text(f"# A Survey\n\n## Methods\n\n{text}\n\n## References\n\n{listed}\n")
    reached = asyncio.Event()

    def hang_at_the_fifth(site: Site, call: int) -> Fault | None:
        if site != "s2" or call < 4:  # four are asked at once, so that one was kept when the fifth is
            return None
        reached.set()
        return "hang"

    async with scholarly(papers(3)) as site:
        monkeypatch.setenv("SEMANTIC_SCHOLAR_API_URL", site.url)
        monkeypatch.setenv("OPENALEX_API_URL", f"{site.url}/openalex")
        monkeypatch.setenv("SCHOLIUM_SEMANTIC_SCHOLAR_PER_SECOND", "1000")
        site.fault = hang_at_the_fifth
        wanted = EvaluateOptions(online=True)
        first = asyncio.create_task(evaluate(Console(file=io.StringIO()), tmp_path / "survey.md", wanted))
        await asyncio.wait_for(reached.wait(), 60)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert "What was looked up online is kept" in capsys.readouterr().err
        site.fault = lambda _, __: None
        before = list(site.calls)
        assert await evaluate(Console(file=io.StringIO()), tmp_path / "survey.md", wanted) == 0
        again = site.calls[len(before) :]
        assert 0 < len([call for call in again if call.site == "s2"]) < len(words)
        assert not [call for call in again if " OR " in call.query.get("filter", "")]
