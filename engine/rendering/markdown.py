"""A survey as CommonMark. Everything in it that is not structure is escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import assert_never

from engine.citations import number_ranges, numbers, reference_text
from engine.overview import TimeLane, TimeLine
from engine.rendering.document import (
    Block,
    FigureGroup,
    Heading,
    NumberedTable,
    Part,
    ReferenceList,
    Runs,
    list_parts,
    parse_runs,
)
from engine.survey import BarChart, Branch, FieldMap, Figure, Reproduction, Survey, Taxonomy
from engine.text import clean
from engine.values import PaperKey

_SPECIAL = re.compile(r"([\\`*_\[\]<&])")
_LINE_START = re.compile(r"^(\s*)(?:([#>+=-])|(\d+)([.)]))", re.M)


def escape_markdown(text: str) -> str:
    """Text made literal: nothing in it is emphasis, a link, HTML, a list or a heading."""
    literal = _SPECIAL.sub(r"\\\1", text)
    return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", literal)


Cite = Callable[[Sequence[int]], str]
"""Markdown of a citation of the references with these numbers, in ascending order."""


def cite_numbers(cited: Sequence[int]) -> str:
    """``[1, 3–5]``."""
    return f"[{number_ranges(cited)}]"


def with_numbers(text: str, known: Mapping[PaperKey, int], cite: Cite = cite_numbers) -> str:
    """Markdown of a section's text: citations by their numbers, the rest escaped, list items kept."""
    marked = (("- ", line[2:]) if line.startswith("- ") else ("", line) for line in text.split("\n"))
    return "\n".join(f"{marker}{_runs(parse_runs(body, known), cite)}" for marker, body in marked)


def render_markdown(survey: Survey, cite: Cite = cite_numbers) -> str:
    """The whole document with references and how it was searched; tables cite by numbers, all else as ``cite`` does."""
    return "\n\n".join(_parts(survey, cite)).rstrip() + "\n"


def _parts(survey: Survey, cite: Cite) -> Iterator[str]:
    known = numbers(survey)
    yield f"# {escape_markdown(clean(survey.title))}"
    if survey.notice:
        yield f"> {escape_markdown(survey.notice)}"
    yield f"**Abstract.** {with_numbers(survey.abstract, known, cite)}"
    for part in list_parts(survey):
        yield from _part(part, survey, known, cite)


def _part(part: Part, survey: Survey, known: Mapping[PaperKey, int], cite: Cite) -> Iterator[str]:
    match part:
        case Heading():
            number = f"{part.number} " if part.number else ""
            yield f"{'#' * min(6, part.depth + 1)} {number}{escape_markdown(part.text)}"
        case Block():
            yield _block(part, cite)
        case NumberedTable(number, caption, header, rows):
            if number:
                yield f"**Table {number}.** {_runs(caption, cite)}"
            yield render_table(header, [list(map(_runs, row)) for row in rows])
        case ReferenceList():
            yield "## References"
            for paper in survey.references:
                link = f" <{paper.url}>" if paper.url else ""
                yield f"[{known[paper.key]}] {escape_markdown(clean(reference_text(paper)))}{link} `{paper.key}`"
        case FigureGroup():
            for item in part.items:
                if item.introduction:
                    yield escape_markdown(item.introduction)
                yield f"**Figure {item.number}.** {escape_markdown(item.caption)}"
                yield _tell_figure(item.figure, item.number, known, cite)
        case _:
            assert_never(part)


def _block(block: Block, cite: Cite) -> str:
    if block.kind == "paragraph":
        return _runs(block.items[0], cite)
    marks = (f"{i}." if block.kind == "numbered list" else "-" for i in range(1, len(block.items) + 1))
    return "\n".join(f"{mark} {_runs(item, cite)}" for mark, item in zip(marks, block.items, strict=True))


def _runs(runs: Runs, cite: Cite = cite_numbers) -> str:
    """Text escaped, what is strong in bold, citations as ``cite`` writes them."""
    said = (cite(run.cited) if run.cited else escape_markdown(run.text) for run in runs)
    return "".join(f"**{text}**" if run.strong else text for run, text in zip(runs, said, strict=True))


def _tell_figure(figure: Figure, number: int, known: Mapping[PaperKey, int], cite: Cite) -> str:
    match figure:
        case BarChart():
            return render_table((figure.x_label, figure.y_label), [(label, str(n)) for label, n in figure.bars if n])
        case TimeLine():
            lanes = [(escape_markdown(lane.group), _turns(lane)) for lane in figure.lanes]
            return render_table(("Section", "Turns"), lanes)
        case Taxonomy():
            return "\n".join(_branches(figure.root, known, cite, 0))
        case Reproduction():
            return f"![Figure {number}](<{figure.address}>)"
        case FieldMap():
            groups = Counter(escape_markdown(clean(point.group)) for point in figure.points)
            return render_table(("Group", "Papers"), [(group, str(count)) for group, count in groups.items()])
        case _:
            assert_never(figure)


def _branches(branch: Branch, known: Mapping[PaperKey, int], cite: Cite, depth: int) -> Iterator[str]:
    """A taxonomy as a nested list, works with their references."""
    cited = f" {cite((known[branch.key],))}" if branch.key and branch.key in known else ""
    yield f"{'  ' * depth}- {escape_markdown(clean(branch.label))}{cited}"
    for child in branch.children:
        yield from _branches(child, known, cite, depth + 1)


def _turns(lane: TimeLane) -> str:
    told = {"first": "first: ", "most cited": "cited most: ", "burst": ""}
    turns = (
        f"{told[turn.kind]}{turn.label}" + ("" if turn.kind == "burst" else f" ({turn.year})") for turn in lane.turns
    )
    return escape_markdown(clean("; ".join(turns)))


def render_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(header), "|" + " --- |" * len(header), *(line(row) for row in rows)])
