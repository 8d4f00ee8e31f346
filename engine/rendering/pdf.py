"""A survey as PDF, set by Typst. Text reaches the template as data and is never read as markup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any, BinaryIO, assert_never

from engine.bounded_process import ProcessLimits, call_bounded
from engine.citations import numbers, reference_text
from engine.rendering.document import (
    Block,
    Heading,
    NumberedTable,
    Part,
    ReferenceList,
    Runs,
    group_titles,
    list_parts,
    parse_runs,
)
from engine.rendering.figures.pictures import svg
from engine.survey import Survey
from engine.text import clean
from engine.values import PaperKey

LIMITS = ProcessLimits(memory_bytes=4 * 2**30, cpu_s=0, silence_s=120.0)
"""Of the process that sets one document: Typst keeps what it has set while its process lives, 200 MB of each survey."""


def pdf(survey: Survey) -> bytes:
    """The document as PDF bytes; blocks. Raises `UserError` where it cannot be set."""
    failed = "The PDF could not be set. Write for example: export docx html"
    return call_bounded("engine.rendering.pdf", json.dumps(_data(survey)).encode(), LIMITS, failed)


def serve(_: Sequence[str], given: BinaryIO, output: BinaryIO) -> None:
    """Set one document: its data in, PDF out."""
    import typst  # only exports need it

    template = resources.files("engine.rendering").joinpath("templates/survey.typ").read_bytes()
    output.write(typst.compile(template, sys_inputs={"survey": given.read().decode()}))


def _data(survey: Survey) -> dict[str, Any]:
    known, groups = numbers(survey), group_titles(survey)
    return {
        "title": clean(survey.title),
        "notice": clean(survey.notice),
        "abstract": _runs(parse_runs(survey.abstract, known)),
        "is_long": len(groups) > 3,
        "parts": [_part(part, known, groups) for part in list_parts(survey)],
        "references": [{"text": clean(reference_text(p)), "url": p.url} for p in survey.references],
    }


def _part(part: Part, known: Mapping[PaperKey, int], groups: Sequence[str]) -> dict[str, Any]:
    match part:
        case Heading():
            return {"kind": "heading", **asdict(part)}
        case Block():
            return {"kind": part.kind, "items": list(map(_runs, part.items))}
        case NumberedTable(number, table):
            return {
                "kind": "table",
                "number": number,
                "caption": _runs(parse_runs(table.caption, known)),
                "header": list(map(clean, table.header)),
                "widths": part.widths,
                "rows": [[_runs(parse_runs(cell, known)) for cell in row] for row in table.rows],
            }
        case ReferenceList():
            return {"kind": "references"}
        case tuple():
            figures = [
                {
                    "number": item.number,
                    "introduction": item.introduction,
                    "caption": clean(item.figure.caption),
                    "svg": svg(item.figure, groups=groups),
                }
                for item in part
            ]
            return {"kind": "figures", "items": figures}
        case _:
            assert_never(part)


def _runs(runs: Runs) -> list[dict[str, Any]]:
    return [asdict(run) for run in runs]
