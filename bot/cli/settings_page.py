"""The command `settings`: every setting with its default and meaning, as a page or as a file to fill in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.settings import PREFIX, Settings

PAGE_HEAD = """# Settings

Environment variables, or lines in a file `.env` in the folder you start Scholium in. An unknown `SCHOLIUM_…` name is
refused. This page is the output of `scholium settings`; a test keeps it so.

| Setting | Default | Meaning |
| --- | --- | --- |
"""

ENVIRONMENT_HEAD = """# Copy to .env and take the # away from what you need. Made by: scholium settings --env
# Secrets belong into .env, which git ignores, or into the environment.
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting as a person sets it; ``default`` is empty where there is none."""

    name: str
    default: str
    meaning: str


def list_settings() -> list[SettingRow]:
    """Every setting, in the order of `Settings`."""
    return list(_rows())


def render_page() -> str:
    """The settings as a Markdown page."""
    lines = (f"| `{row.name}` | {_cell(row.default)} | {row.meaning.replace('|', chr(92) + '|')} |" for row in _rows())
    return PAGE_HEAD + "\n".join(lines) + "\n"


def render_environment() -> str:
    """The settings as a file of environment variables, all of them commented out."""
    parts = (f"\n# {row.meaning}\n#{row.name}={row.default}\n" for row in _rows())
    return ENVIRONMENT_HEAD + "".join(parts)


def _rows() -> Iterator[SettingRow]:
    for name, field in Settings.model_fields.items():
        known_as = field.validation_alias if isinstance(field.validation_alias, str) else f"{PREFIX}{name.upper()}"
        default = "the user's data folder" if name == "home" else _word(field.get_default())
        yield SettingRow(known_as, default, field.description or "")


def _word(value: Any) -> str:
    match value:
        case None | SecretStr():
            return ""
        case bool():
            return str(value).lower()
        case frozenset():
            return "[]"
        case dict():
            return "{}"
        case float() if value.is_integer():
            return str(int(value))
        case Path():
            return value.as_posix()
        case _:
            return str(value)


def _cell(default: str) -> str:
    return f"`{default}`" if default and default != "the user's data folder" else default or "none"
