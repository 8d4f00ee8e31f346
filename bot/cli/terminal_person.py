"""Who talks at a terminal: a name that no other installation gives anybody, or the one that is asked for."""

from __future__ import annotations

import getpass
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from bot.settings import not_writable
from engine.errors import UserError
from engine.text import clean

LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class TerminalPerson:
    """A person and the workspace of their conversations, as the store knows them."""

    name: str
    workspace: str


def load_terminal_person(home: Path, named: str = "") -> TerminalPerson:
    """The person called ``named``; else the user of this machine with the id that this installation made once.

    An installation whose store is older than these ids goes on with the names that are in it. Raises `UserError`
    where the name cannot be one, or the home cannot be written.
    """
    if named:
        if len(named) > LONGEST_NAME or clean(named) != named or named == "you":
            raise UserError(f"A name after --as is one line of at most {LONGEST_NAME} characters, and not “you”.")
        return TerminalPerson(named, named)
    user = _name_user()
    file = home / "terminals" / "installation"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("" if (home / "store.sqlite").exists() else secrets.token_hex(4), encoding="ascii")
        made = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise not_writable(home, error) from error
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is damaged. Delete it, and say with --as NAME who you were.") from error
    return TerminalPerson(f"{user}-{made}", f"{user}-{made}") if made else TerminalPerson("you", user)


def _name_user() -> str:
    """The user's name on this machine; their number where it has no account, as in some clusters' containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the latter from Python 3.13 on
        return f"uid{os.getuid()}"
