"""The command ``scholium``: the list of commands at once, everything else by the command line."""

from __future__ import annotations

import os
import sys

HELP_FILE = os.path.join(os.path.dirname(__file__), "cli", "help.txt")
"""What ``python -m bot --help`` prints; a test compares them. Typer takes ten times as long to make it."""
HELP_COLUMNS = 80


def main() -> None:
    if sys.argv[1:] == ["--help"] and _count_columns() >= HELP_COLUMNS:
        with open(HELP_FILE, encoding="utf-8") as text:
            sys.stdout.write(text.read())
        return
    from bot.__main__ import main as run

    run()


def _count_columns() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:  # no terminal: as wide as needed
        return HELP_COLUMNS
