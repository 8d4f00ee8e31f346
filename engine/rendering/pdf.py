"""A survey as PDF, set by Typst. Text reaches the template as data and is never read as markup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, BinaryIO

from engine.bounded_process import ProcessLimits, call_bounded
from engine.citations import numbers, reference_text
from engine.errors import LimitExceeded, UserError
from engine.overview import Overview
from engine.rendering.document import (
    Run,
    group_titles,
    index_of_names,
    number_sections,
    parse_blocks,
    parse_runs,
)
from engine.rendering.figures.pictures import svg
from engine.rendering.markdown import describe_search
from engine.survey import Survey, Table, introduce
from engine.text import clean
from engine.values import Paper, PaperKey

LIMITS = ProcessLimits(memory_bytes=4 * 2**30, cpu_s=0, silence_s=120.0)
"""Of the process that sets one document: Typst keeps what it has set while its process lives, 200 MB of each survey."""


def pdf(survey: Survey) -> bytes:
    """The document as PDF bytes; blocks. Raises `UserError` where it cannot be set."""
    try:
        return call_bounded("engine.rendering.pdf", json.dumps(_data(survey)).encode(), LIMITS)
    except LimitExceeded as error:
        raise UserError("The PDF could not be set. Write for example: export docx html") from error


def serve(_: Sequence[str], given: BinaryIO, output: BinaryIO) -> None:
    """Set one document: its data in, PDF out."""
    import typst  # only exports need it

    template = resources.files("engine.rendering").joinpath("templates/survey.typ").read_bytes()
    output.write(typst.compile(template, sys_inputs={"survey": given.read().decode()}))


def _data(survey: Survey) -> dict[str, Any]:
    known = numbers(survey)
    groups = group_titles(survey)
    names = index_of_names(survey, known)
    return {
        "title": clean(survey.title),
        "notice": clean(survey.notice),
        "abstract": _runs(survey.abstract, known),
        "overview": _overview(survey.overview, known, survey.references) if survey.overview else None,
        "sections": [
            {
                "number": item.number,
                "depth": item.depth,
                "title": clean(item.section.title),
                "blocks": _blocks(item.section.text, known),
                "tables": [
                    {"number": n.number, "introduction": clean(introduce(n.table, n.number)), **_table(n.table, known)}
                    for n in item.tables
                ],
                "figures": [
                    {
                        "number": n.number,
                        "introduction": clean(introduce(n.figure, n.number)),
                        "caption": clean(n.figure.caption),
                        "svg": svg(n.figure, groups=groups),
                    }
                    for n in item.figures
                ],
            }
            for item in number_sections(survey)
        ],
        "names": _table(names, known) if names else None,
        "not_covered": [
            {"title": clean(g.title), "papers": g.papers, "examples": [clean(e) for e in g.examples]}
            for g in survey.not_covered
        ],
        "references": [{"text": clean(reference_text(p)), "url": p.url} for p in survey.references],
        "searches": [[s.source, clean(s.query), s.date, describe_search(s)] for s in survey.searches],
        "facts": [[clean(name), clean(value)] for name, value in survey.facts],
        "left_out": [[clean(f"{o.paper.title} ({o.paper.key})"), o.why, clean(o.reason)] for o in survey.left_out],
        "warnings": [clean(f"{w.kind}, {w.place}: {w.detail}") for w in survey.warnings],
    }


def _overview(overview: Overview, known: Mapping[PaperKey, int], references: Sequence[Paper]) -> dict[str, Any]:
    return {
        "blocks": _blocks(overview.text, known),
        "lines": [
            {
                "number": line.number,
                "title": clean(line.title),
                "papers": line.papers,
                "years": "–".join(str(year) for year in dict.fromkeys((line.first, line.last)) if year),
                "text": _runs(line.text, known),
            }
            for line in overview.lines
        ],
        "start": [
            {
                "number": known[start.key],
                "title": clean(references[known[start.key] - 1].title),
                "reason": clean(start.reason),
            }
            for start in overview.start
            if start.key in known
        ],
    }


def _table(table: Table, known: Mapping[PaperKey, int]) -> dict[str, Any]:
    columns = len(table.header)
    return {
        "caption": _runs(table.caption, known),
        "header": [clean(cell) for cell in table.header],
        "widths": list(table.widths) if len(table.widths) == columns else [1] * columns,
        "rows": [[_runs(cell, known) for cell in row] for row in table.rows],
    }


def _blocks(text: str, known: Mapping[PaperKey, int]) -> list[dict[str, Any]]:
    """Paragraphs and lists as runs of text and citations."""
    return [
        {"list": block.is_list, "items": [[_run(run) for run in item] for item in block.items]}
        for block in parse_blocks(text, known)
    ]


def _runs(text: str, known: Mapping[PaperKey, int]) -> list[dict[str, Any]]:
    return [_run(run) for run in parse_runs(text, known)]


def _run(run: Run) -> dict[str, Any]:
    return {"cite": list(run.cited)} if run.cited else {"text": run.text}
