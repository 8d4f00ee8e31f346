"""Templates of surveys: Markdown whose headings are the sections, below each what it must hold."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import UserError
from engine.options import TemplateSection
from engine.text import clean, shorten

FEWEST_SECTIONS, MOST_SECTIONS = 2, 30
LONGEST_TITLE, LONGEST_DESCRIPTION = 200, 600
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)[\s#]*$")


def find_template(folder: Path, name: str, *, may_be_path: bool = False) -> tuple[TemplateSection, ...]:
    """The template NAME.md of the folder, or, for a person at this machine, of a path. Raises `UserError`."""
    known = {file.stem: file for file in folder.glob("*.md")} if folder.is_dir() else {}
    file = Path(name) if may_be_path and name not in known else known.get(name)
    if file is None:
        there = ", ".join(sorted(known)) or "none yet"
        asked = shorten(clean(name), 80)
        raise UserError(f"There is no template “{asked}”; there are: {there}. Each is a file {folder}/NAME.md.")
    try:
        return read_template(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The template {file} cannot be read: {error}") from error


def read_template(text: str) -> tuple[TemplateSection, ...]:
    """The sections of a template; a single heading above all is its name. Raises `UserError` beyond the bounds."""
    found: list[tuple[int, str, list[str]]] = []
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            found.append((len(heading[1]), clean(heading[2]), []))
        elif found:
            found[-1][2].append(line)
    levels = [level for level, _, _ in found]
    if levels.count(min(levels, default=0)) == 1:
        found = found[1:]
    top = min((level for level, _, _ in found), default=0)
    sections: list[TemplateSection] = []
    for level, title, lines in found:
        own = TemplateSection(title, clean(" ".join(lines)))
        for what, said, longest in (("heading", title, LONGEST_TITLE), ("text below", own.holds, LONGEST_DESCRIPTION)):
            if len(said) > longest:
                raise UserError(
                    f"The {what} “{shorten(title, 60)}” has {len(said):,} characters; a template takes {longest}."
                )
        if level == top:
            sections.append(own)
        else:
            last = sections[-1]
            sections[-1] = TemplateSection(last.title, last.holds, (*last.parts, own))
    if not FEWEST_SECTIONS <= len(sections) <= MOST_SECTIONS or not all(title for _, title, _ in found):
        raise UserError(
            f"A template has {FEWEST_SECTIONS} to {MOST_SECTIONS} headings with titles (# Methods), below each what it "
            f"must hold; this one has {len(sections)}."
        )
    return tuple(sections)
