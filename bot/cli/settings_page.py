"""The command `settings`: every setting with its default and meaning, as a page or as a file to fill in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bot.settings import Settings, name_setting
from engine.rendering.markdown import render_table

PAGE_HEAD = """# Settings

Environment variables, or lines in a file `.env` in the folder you start Scholium in. An unknown `SCHOLIUM_…` name is
refused. This page is the output of `scholium settings`; a test keeps it so.

"""

ENVIRONMENT_HEAD = """# Copy to .env and take the # away from what you need. Made by: scholium settings --env
# Secrets belong into .env, which git ignores, or into the environment.
"""


def render_page() -> str:
    """The settings as a Markdown page."""
    rows = [(f"`{name}`", f"`{default}`" if default else "none", meaning) for name, default, meaning in list_settings()]
    return f"{PAGE_HEAD}{render_table(('Setting', 'Default', 'Meaning'), rows)}\n"


def render_environment() -> str:
    """The settings as a file of environment variables, all of them commented out."""
    return ENVIRONMENT_HEAD + "".join(
        f"\n# {meaning}\n#{name}={default}\n" for name, default, meaning in list_settings()
    )


def list_settings() -> Iterator[tuple[str, str, str]]:
    """Every setting as a person sets it: name, default (empty where there is none), meaning."""
    defaults = json.loads(Settings.model_construct(home=Path("the user's data folder")).model_dump_json())
    for name, field in Settings.model_fields.items():
        value = defaults[name]
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        default = whole or "" if isinstance(whole, str | None) else json.dumps(whole)
        yield name_setting(name), default, field.description or ""
