"""A survey as CommonMark. Everything in it that is not structure is escaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.citations import number_ranges, numbers, reference_text, replace_citations
from engine.overview import (
    AT_A_GLANCE,
    HOW_SEARCHED,
    INDEX_OF_NAMES,
    NOT_COVERED,
    LineOfWork,
    Name,
    NearbyGroup,
    Overview,
    TimeLane,
    TimeLine,
)
from engine.survey import BarChart, Branch, Figure, Reproduction, Section, Survey, Table, Taxonomy, introduce
from engine.text import clean
from engine.values import Paper, PaperKey, SearchRecord

_SPECIAL = re.compile(r"([\\`*_\[\]<&])")
_LINE_START = re.compile(r"^(\s*)(?:([#>+=-])|(\d+)([.)]))", re.M)


def escape_markdown(text: str) -> str:
    """Text made literal: nothing in it is emphasis, a link, HTML, a list or a heading."""
    literal = _SPECIAL.sub(r"\\\1", text)
    return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", literal)


def with_numbers(text: str, known: dict[PaperKey, int]) -> str:
    """Markdown of a section's text: citations as ``[1, 3–5]``, the rest escaped, list items kept."""
    lines = []
    for line in text.split("\n"):
        marker, body = ("- ", line[2:]) if line.startswith("- ") else ("", line)
        rendered = replace_citations(
            clean(body), lambda keys: f"[{number_ranges(known[k] for k in keys)}]", escape_markdown
        )
        lines.append(marker + rendered)
    return "\n".join(lines)


def render_markdown(survey: Survey) -> str:
    """The whole document with contents, numbered sections, references and how it was searched."""
    return "\n\n".join(_parts(survey)).rstrip() + "\n"


def _parts(survey: Survey) -> Iterator[str]:
    known = numbers(survey)
    yield f"# {escape_markdown(clean(survey.title))}"
    if survey.notice:
        yield f"> {escape_markdown(survey.notice)}"
    yield f"**Abstract.** {with_numbers(survey.abstract, known)}"
    if survey.overview:
        yield from _overview(survey.overview, survey.references, known)
    counter = {"table": 0, "figure": 0}
    for number, section in enumerate(survey.sections, start=1):
        yield from _section(section, str(number), known, counter)
    if survey.names:
        yield from _names(survey.names, known)
    if survey.not_covered:
        yield from _not_covered(survey.not_covered)
    yield "## References"
    yield from _references(survey, known)
    yield from _search(survey)


def _references(survey: Survey, known: dict[PaperKey, int]) -> Iterator[str]:
    for paper in survey.references:
        link = f" <{paper.url}>" if paper.url else ""
        yield f"[{known[paper.key]}] {escape_markdown(clean(reference_text(paper)))}{link} `{paper.key}`"


def _search(survey: Survey) -> Iterator[str]:
    yield f"## {HOW_SEARCHED}"
    if survey.searches:
        rows = [
            (s.source, escape_markdown(clean(s.query)), s.date, escape_markdown(describe_search(s)))
            for s in survey.searches
        ]
        yield _table(("Source", "Query", "Date", "Papers found"), rows)
    if survey.facts:
        yield "\n".join(f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in survey.facts)
    if survey.left_out:
        rows = [
            (escape_markdown(clean(o.paper.title)), o.paper.key, o.why, escape_markdown(clean(o.reason)))
            for o in survey.left_out
        ]
        yield _table(("Left out", "Key", "Why", "Reason"), rows)
    if survey.warnings:
        yield "\n".join(f"- {w.kind}, {escape_markdown(w.place)}: {escape_markdown(w.detail)}" for w in survey.warnings)


def _overview(overview: Overview, references: Sequence[Paper], known: dict[PaperKey, int]) -> Iterator[str]:
    yield f"## {AT_A_GLANCE}"
    yield escape_markdown(clean(overview.text))
    if overview.lines:
        yield "**Sections**"
        yield "\n".join(
            f"- **{line.number} {escape_markdown(clean(line.title))}** ({describe_papers(line)}): "
            f"{with_numbers(line.text, known)}"
            for line in overview.lines
        )
    if overview.start:
        papers = {paper.key: paper for paper in references}
        yield "**Where to start reading**"
        yield "\n".join(
            f"{i}. {escape_markdown(clean(papers[point.key].title))} [{known[point.key]}]: "
            f"{escape_markdown(clean(point.reason))}"
            for i, point in enumerate(overview.start, start=1)
        )


def describe_papers(line: LineOfWork) -> str:
    """How many papers a line of work has, of which years."""
    count = f"{line.papers} paper{'s' if line.papers != 1 else ''}"
    if not line.first:
        return count
    return f"{count}, {line.first}" + (f"–{line.last}" if line.last != line.first else "")


def _names(names: Sequence[Name], known: dict[PaperKey, int]) -> Iterator[str]:
    yield f"## {INDEX_OF_NAMES}"
    yield "; ".join(
        f"{escape_markdown(clean(name.name))} [{number_ranges(known[key] for key in name.papers)}]"
        for name in sorted(names, key=lambda name: name.name.casefold())
    )


def _not_covered(groups: Sequence[NearbyGroup]) -> Iterator[str]:
    yield f"## {NOT_COVERED}"
    yield "These groups of papers in the library are near the topic and were left out."
    yield "\n".join(
        f"- {escape_markdown(clean(group.title))} ({group.papers} papers), for example "
        f"{escape_markdown(clean('; '.join(group.examples)))}"
        for group in groups
    )


def describe_search(search: SearchRecord) -> str:
    """What a search gave, and what is to be known about it."""
    return f"{search.found:,}" + (f" ({clean(search.note)})" if search.note else "")


def _section(section: Section, number: str, known: dict[PaperKey, int], counter: dict[str, int]) -> Iterator[str]:
    yield f"{'#' * min(6, 2 + number.count('.'))} {number} {escape_markdown(clean(section.title))}"
    yield with_numbers(section.text, known)
    for table in section.tables:
        counter["table"] += 1
        yield from _introduction(table, counter["table"])
        yield f"**Table {counter['table']}.** {escape_markdown(table.caption)}"
        yield _table(table.header, [[with_numbers(cell, known) for cell in row] for row in table.rows])
    for figure in section.figures:
        counter["figure"] += 1
        yield from _introduction(figure, counter["figure"])
        yield f"**Figure {counter['figure']}.** {escape_markdown(figure.caption)}"
        if isinstance(figure, BarChart):
            yield _table((figure.x_label, figure.y_label), [(label, str(n)) for label, n in figure.bars if n])
        elif isinstance(figure, TimeLine):
            yield _table(("Section", "Turns"), [(escape_markdown(lane.group), _turns(lane)) for lane in figure.lanes])
        elif isinstance(figure, Taxonomy):
            yield "\n".join(_branches(figure.root, known, 0))
        elif isinstance(figure, Reproduction):
            yield f"![Figure {counter['figure']}](<{figure.address}>)"
        else:
            groups = Counter(point.group for point in figure.points)
            yield _table(("Group", "Papers"), [(escape_markdown(clean(group)), str(n)) for group, n in groups.items()])
    for i, below in enumerate(section.sections, start=1):
        yield from _section(below, f"{number}.{i}", known, counter)


def _introduction(shown: Table | Figure, number: int) -> Iterator[str]:
    if said := introduce(shown, number):
        yield escape_markdown(clean(said))


def _branches(branch: Branch, known: dict[PaperKey, int], depth: int) -> Iterator[str]:
    """A taxonomy as a nested list, works with their references."""
    cited = f" [{known[branch.key]}]" if branch.key in known else ""
    yield f"{'  ' * depth}- {escape_markdown(clean(branch.label))}{cited}"
    for child in branch.children:
        yield from _branches(child, known, depth + 1)


def _turns(lane: TimeLane) -> str:
    told = {"first": "first: ", "most cited": "cited most: ", "burst": ""}
    return escape_markdown(
        clean(
            "; ".join(
                f"{told[turn.kind]}{turn.label}" + ("" if turn.kind == "burst" else f" ({turn.year})")
                for turn in lane.turns
            )
        )
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(header), "|" + " --- |" * len(header), *(line(row) for row in rows)])
