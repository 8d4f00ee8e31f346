"""The pages that people read about settings say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import cli
from bot.cli.settings_page import list_settings, render_environment, render_page
from bot.settings import Settings

ROOT = Path(__file__).parents[3]
NAMED = re.compile(r"SCHOLIUM_[A-Z_]*[A-Z]")


def test_the_page_and_the_example_are_what_the_command_prints() -> None:
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == render_page()
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == render_environment()


def test_guides_and_files_for_servers_name_no_setting_that_there_is_not() -> None:
    files = [*(ROOT / "deploy").rglob("*"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    named = {name for file in files if file.is_file() for name in NAMED.findall(file.read_text(encoding="utf-8"))}
    assert named - {name for name, _, _ in list_settings()} == set()


def test_every_setting_has_a_meaning_and_no_secret_a_default() -> None:
    rows = list(list_settings())
    assert len(rows) == len(Settings.model_fields)
    assert all(meaning.endswith(".") for _, _, meaning in rows)
    defaults = {name: default for name, default, _ in rows}
    assert defaults["OPENAI_API_KEY"] == defaults["SCHOLIUM_TOKEN_KEY"] == ""
    assert defaults["SCHOLIUM_JOBS"] == "4"


@pytest.mark.parametrize(("option", "expected"), [((), "| `SCHOLIUM_HOME` |"), (("--env",), "#SCHOLIUM_JOBS=4")])
def test_the_command_prints_them(option: tuple[str, ...], expected: str) -> None:
    ended = CliRunner().invoke(cli, ["settings", *option])
    assert ended.exit_code == 0
    assert expected in ended.output


def test_the_example_filled_in_is_read_by_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    filled = render_environment().replace("#SCHOLIUM_JOBS=4", "SCHOLIUM_JOBS=7")
    (tmp_path / ".env").write_text(filled, encoding="utf-8")
    assert Settings().jobs == 7


@pytest.mark.parametrize(("key", "papers"), [("", 60), ("k", 20)])
def test_a_model_reads_fewer_papers_for_a_subsection_unless_it_is_set(
    key: str, papers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert Settings().limits().papers_per_node == papers
    monkeypatch.setenv("SCHOLIUM_PAPERS_PER_SECTION", "60")
    assert Settings().limits().papers_per_node == 60
