"""What a process loads before it talks: what is heavy is loaded where it is used."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ("anthropic", "openai", "weaviate", "lancedb", "pyarrow", "sklearn", "scipy", "nltk", "matplotlib", "umap")


def loaded_after(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(name.split('.')[0] for name in sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(ended.stdout))


def test_a_terminal_that_waits_for_the_first_word_has_loaded_nothing_heavy() -> None:
    loaded = loaded_after("import bot.cli.terminal, bot.serving.service")
    assert "engine" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_list_of_commands_needs_neither_engine_rooms_nor_database() -> None:
    loaded = loaded_after("import bot.__main__")
    assert loaded.isdisjoint({*HEAVY, "sqlalchemy", "dbos", "aiohttp", "asyncio", "rich"})
