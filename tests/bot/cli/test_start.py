"""What a process loads before it talks: what is heavy is loaded where it is used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from adapters.chat import AccessRefused, PlatformError
from bot.__main__ import cli
from bot.cli.running import WAITS_FOR_PERSON, run_command
from bot.entry import HELP_COLUMNS, HELP_FILE
from engine.errors import ServiceError, UserError
from engine.retrieval.libraries.local import LocalLibrary
from tests.empty_databases import prepare_databases

HEAVY = (
    "alembic", "anthropic", "asyncpg", "dbos", "lancedb", "matplotlib", "nltk", "openai", "pyarrow", "scipy", "sklearn",
    "umap", "weaviate",
)  # fmt: skip


def loaded_after(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(name.split('.')[0] for name in sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, check=True)
    return set(json.loads(ended.stdout.splitlines()[-1]))


async def test_a_terminal_that_waits_for_the_first_word_has_loaded_nothing_heavy(library: LocalLibrary) -> None:
    await prepare_databases()
    loaded = loaded_after(
        "import asyncio\n"
        "from rich.console import Console\n"
        "from bot.cli.conversations import chat\n"
        "from bot.commands.intents.features import Heard\n"
        "from bot.commands.intents.plain_words import understand\n"
        "from engine.session.state import State\n"
        "assert asyncio.run(chat(Console(), '', None, '')) == 0\n"
        "assert understand('yes please continue', Heard('papers'), State(phase='papers')).offers"
    )
    assert "engine" in loaded
    assert loaded.isdisjoint(HEAVY), loaded & set(HEAVY)


def test_the_list_of_commands_needs_neither_engine_rooms_nor_database() -> None:
    loaded = loaded_after("import bot.__main__")
    assert loaded.isdisjoint({*HEAVY, "sqlalchemy", "dbos", "aiohttp", "asyncio", "rich"})


def test_the_list_of_commands_is_printed_without_making_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded_after("import bot.entry").isdisjoint({"typer", "engine"})
    monkeypatch.setenv("COLUMNS", str(HELP_COLUMNS))
    cli(["--help"], prog_name="scholium", standalone_mode=False)
    made = "COLUMNS=80 python -m bot --help > bot/cli/help.txt"
    assert Path(HELP_FILE).read_text(encoding="utf-8") == capsys.readouterr().out, made


@pytest.mark.parametrize("name", ["doctor", "slack", "discord"])
def test_without_a_home_folder_a_sentence_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", fail)
    ended = CliRunner().invoke(cli, [name])
    assert ended.exit_code == WAITS_FOR_PERSON
    assert "set HOME to a folder" in " ".join(ended.stderr.split())


def test_what_a_person_has_to_mend_ends_a_service_for_good_and_what_passes_does_not() -> None:
    async def fail(error: Exception) -> int:
        raise error

    codes = {UserError: WAITS_FOR_PERSON, AccessRefused: WAITS_FOR_PERSON, ServiceError: 1, PlatformError: 1}
    for kind, code in codes.items():
        with pytest.raises(typer.Exit) as ended:
            run_command(fail(kind("Why.")), final_code=WAITS_FOR_PERSON)
        assert ended.value.exit_code == code
    for unit in (Path(__file__).parents[3] / "deploy").glob("*.service"):
        assert f"RestartPreventExitStatus={WAITS_FOR_PERSON}" in unit.read_text(encoding="utf-8")
