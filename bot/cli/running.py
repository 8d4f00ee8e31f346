"""How a command of the command line runs: a sign of life, our errors as one sentence, the exit code."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from adapters.chat import AccessRefused, PlatformError
from engine.errors import ScholiumError, UserError

if TYPE_CHECKING:
    from rich.console import Console

LibraryName = Annotated[str, typer.Option(help="Name of the library of papers.")]
Place = Literal["local", "weaviate"]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def open_console() -> Iterator[Console]:
    """A console, and a sign of life on it while the scientific libraries are loaded, which takes seconds."""
    from rich.console import Console  # here and below: help needs neither a console nor a loop

    console = Console(markup=False, highlight=False)
    with console.status("Starting …"):
        yield console


WAITS_FOR_PERSON = 78
"""Exit code of a service that another start does not help (EX_CONFIG of sysexits.h): its unit takes it as final."""


def run(command: str, *arguments: object, final_code: int = 1, **options: object) -> None:
    """Run ``package.module.function`` of `bot` with a console; it is loaded now, because help needs none of it."""
    module, _, function = command.rpartition(".")
    with open_console() as console:
        begin = getattr(import_module(f"bot.{module}"), function)
    run_command(begin(console, *arguments, **options), final_code=final_code)


def require_home() -> None:
    """End with a sentence where nobody knows our home folder: the platforms' libraries look for it when imported."""
    try:
        Path.home()
    except RuntimeError:
        _print_error("There is no home folder for this user: set HOME to a folder that Scholium may write to.")
        raise typer.Exit(WAITS_FOR_PERSON) from None


def run_command(work: Coroutine[Any, Any, int], *, final_code: int = 1) -> None:
    """Run to the end; our errors become one sentence on standard error and exit code 1.

    Of what is started again when it fails, what a person has to mend ends with ``final_code``.
    """
    import asyncio

    try:
        code = asyncio.run(work)
    except (ScholiumError, PlatformError) as error:
        _print_error(_word_error(error))
        code = final_code if isinstance(error, UserError | AccessRefused) else 1
    except KeyboardInterrupt:
        code = 130
    raise typer.Exit(code)


def _print_error(text: str) -> None:
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False)
    in_log = not console.is_terminal  # where a sentence is one line
    console.print(text, style="red", soft_wrap=in_log)


def _word_error(error: ScholiumError | PlatformError) -> str:
    from bot.store.database import StoreDamaged

    if not isinstance(error, StoreDamaged):
        return str(error)
    from bot.cli.administration import word_way_back
    from bot.settings import load_settings

    return f"{error}\n{word_way_back(load_settings(), error.kept)}"


def read_text(path: Path) -> str:
    """A file that a person named. Raises `UserError` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not text in UTF-8.") from error


def write_text(path: Path, content: str, *, mode: int = 0o666) -> None:
    """Write a file that a person asked for, with its folders. Raises `UserError` where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode)
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror or error}.") from error
