"""A survey as PDF, set by Typst. Text reaches the template as data and is never read as markup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any

from pydantic import Base64Bytes

from engine.bounded_process import ProcessLimits, call_bounded
from engine.citations import numbers, reference_text
from engine.rendering.document import FigureGroup, Part, group_titles, list_parts, parse_runs
from engine.rendering.figures.pictures import svg
from engine.survey import Survey
from engine.text import clean

LIMITS = ProcessLimits(memory_bytes=4 * 2**30, cpu_s=0, silence_s=120.0)
"""Of the process that sets one document: Typst keeps what it has set while its process lives, 200 MB of each survey."""


def pdf(survey: Survey) -> bytes:
    """The document as PDF bytes; blocks. Raises `UserError` where it cannot be set."""
    failed = "The PDF could not be set. Write for example: export docx html"
    return call_bounded(set_document, json.dumps(_data(survey)).encode(), LIMITS, failed)


def set_document(given: bytes) -> Base64Bytes:
    """Its data in, PDF out."""
    import typst  # only exports need it

    template = resources.files("engine.rendering").joinpath("templates/survey.typ").read_bytes()
    content: bytes = typst.compile(template, sys_inputs={"survey": given.decode()})
    return content


def _data(survey: Survey) -> dict[str, Any]:
    groups = group_titles(survey)
    return {
        "title": clean(survey.title),
        "notice": clean(survey.notice),
        "abstract": [asdict(run) for run in parse_runs(survey.abstract, numbers(survey))],
        "is_long": len(groups) > 3,
        "parts": [_part(part, groups) for part in list_parts(survey)],
        "references": [{"text": clean(reference_text(p)), "url": p.url} for p in survey.references],
    }


def _part(part: Part, groups: Sequence[str]) -> dict[str, Any]:
    if not isinstance(part, FigureGroup):
        return asdict(part)
    figures = [
        {
            "number": item.number,
            "introduction": item.introduction,
            "caption": item.caption,
            "svg": svg(item.figure, groups=groups),
        }
        for item in part.items
    ]
    return {"kind": part.kind, "items": figures}
