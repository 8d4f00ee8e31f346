"""The table of formats, and writing a survey to files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.errors import UserError
from engine.rendering.bibliography import bibtex, csl_json, ris
from engine.rendering.figures.pictures import compile_figure
from engine.rendering.html import html
from engine.rendering.latex import latex_archive
from engine.rendering.markdown import render_markdown
from engine.rendering.pdf import pdf
from engine.rendering.word import word_document
from engine.survey import Figure, Survey
from engine.text import fold

_SURVEY = TypeAdapter(Survey)


def as_json(survey: Survey) -> bytes:
    """Everything the survey holds, its evidence too; `from_json` reads it back."""
    return _SURVEY.dump_json(survey, indent=1)


def from_json(content: bytes) -> Survey:
    """The survey that `as_json` wrote; raises `UserError` for anything else."""
    try:
        return _SURVEY.validate_json(content)
    except ValidationError as error:
        raise UserError("This is not a survey saved by Scholium (its .json file).") from error


FORMATS: dict[str, Callable[[Survey], bytes]] = {
    "md": lambda survey: render_markdown(survey).encode(),
    "html": lambda survey: html(survey).encode(),
    "pdf": pdf,
    "docx": word_document,
    "tex": latex_archive,
    "bib": lambda survey: bibtex(survey.references).encode(),
    "ris": lambda survey: ris(survey.references).encode(),
    "csl": lambda survey: csl_json(survey.references).encode(),
    "json": as_json,
}
"""The one table of formats by name, which ends the file's name too, but for those of `_ENDINGS`."""

_ENDINGS = {"tex": "tex.zip", "csl": "csl.json"}

_ALIASES = {
    "markdown": "md", "bibtex": "bib", "htm": "html", "word": "docx", "latex": "tex", "tex.zip": "tex",
    "endnote": "ris", "csl-json": "csl", "csl.json": "csl",
}  # fmt: skip


def parse_formats(names: Sequence[str]) -> tuple[str, ...]:
    """The formats named, all where none is; raises `UserError` for one that cannot be made."""
    formats = [_ALIASES.get(name.lower().lstrip("."), name.lower().lstrip(".")) for name in names]
    for name in formats:
        if name not in FORMATS:
            raise UserError(f"I cannot make “{name[:40]}” files. I can make: {', '.join(FORMATS)}.")
    return tuple(dict.fromkeys(formats)) or tuple(FORMATS)


def file_stem(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens, at most 80 characters."""
    stem = "-".join(fold(word) for word in re.findall(r"\w+", title))
    return stem[:80].strip("-") or "survey"


def write_files(survey: Survey, folder: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Write the survey into a folder, one file for each format; each file appears whole or not at all."""
    stem = file_stem(survey.title)

    def write(name: str) -> Path:
        return _write_content(folder, f"{stem}.{_ENDINGS.get(name, name)}", FORMATS[name](survey))

    with ThreadPoolExecutor() as threads:
        return tuple(threads.map(write, parse_formats(names)))


def write_figure(figure: Figure, folder: Path, stem: str) -> Path:
    """Write a figure into a folder as PNG, which chat platforms show."""
    return _write_content(folder, f"{stem}.png", compile_figure(figure, "png"))


def _write_content(folder: Path, name: str, content: bytes) -> Path:
    draft = folder / f".{name}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        os.replace(draft, folder / name)
    except OSError as error:
        # No path: people in a chat are told this too.
        why = error.strerror or type(error).__name__
        raise UserError(f"{name} could not be written: {why}. Another folder for files may help.") from error
    return folder / name
