"""How a command of the command line runs: a sign of life, our errors as one sentence, the exit code."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import ScholiumError

if TYPE_CHECKING:
    from rich.console import Console

LibraryName = Annotated[str, typer.Option(help="Name of the library of papers.")]


@contextmanager
def open_console() -> Iterator[Console]:
    """A console, and a sign of life on it while the scientific libraries are loaded, which takes seconds."""
    from rich.console import Console  # here and below: help needs neither a console nor a loop

    console = Console()
    with console.status("Starting …"):
        yield console


def run_command(work: Coroutine[Any, Any, int]) -> None:
    """Run to the end; our errors become one sentence on standard error and exit code 1."""
    import asyncio

    try:
        code = asyncio.run(work)
    except ScholiumError as error:
        from rich.console import Console

        console = Console(stderr=True)
        in_log = not console.is_terminal  # where a sentence is one line
        console.print(_word_error(error), markup=False, highlight=False, style="red", soft_wrap=in_log)
        code = 1
    except KeyboardInterrupt:
        code = 130
    raise typer.Exit(code)


def _word_error(error: ScholiumError) -> str:
    from bot.store.database import StoreDamaged

    if not isinstance(error, StoreDamaged):
        return str(error)
    from bot.cli.damaged_store import word_new_queue, word_way_back
    from bot.settings import load_settings

    word = word_way_back if error.kept == "store" else word_new_queue
    return f"{error}\n{word(load_settings())}"


def read_place(said: str) -> Any:
    """Where a library is; ``None`` where nothing was said."""
    if said not in {"", "local", "weaviate"}:
        raise typer.BadParameter(f"“{said}” is no place for a library; say local or weaviate.")
    return said or None
