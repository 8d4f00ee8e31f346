"""A survey as PDF, set by Typst. Text reaches the template as data and is never read as markup."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import typst

from engine.citations import number_ranges, numbers, reference_text, replace_citations
from engine.rendering.figures.pictures import svg
from engine.rendering.markdown import describe_search
from engine.survey import Survey, walk
from engine.text import clean
from engine.values import PaperKey


def pdf(survey: Survey) -> bytes:
    """The document as PDF bytes."""
    template = resources.files("engine.rendering").joinpath("templates/survey.typ").read_bytes()
    document: bytes = typst.compile(template, sys_inputs={"survey": json.dumps(_data(survey))})
    return document


def _data(survey: Survey) -> dict[str, Any]:
    known = numbers(survey)

    def plain(text: str) -> str:
        return clean(replace_citations(text, lambda keys: f"[{number_ranges(known[k] for k in keys)}]"))

    return {
        "title": clean(survey.title),
        "notice": clean(survey.notice),
        "abstract": plain(survey.abstract),
        "sections": [
            {
                "number": number,
                "depth": number.count(".") + 1,
                "title": clean(section.title),
                "blocks": _blocks(section.text, known),
                "tables": [
                    {
                        "caption": clean(t.caption),
                        "header": t.header,
                        "rows": [[plain(c) for c in r] for r in t.rows],
                    }
                    for t in section.tables
                ],
                "figures": [{"caption": clean(f.caption), "svg": svg(f)} for f in section.figures],
            }
            for number, section in walk(survey.sections)
        ],
        "references": [{"text": clean(reference_text(p)), "url": p.url} for p in survey.references],
        "searches": [[s.source, clean(s.query), s.date, describe_search(s)] for s in survey.searches],
        "facts": [f"{name}: {value}" for name, value in survey.facts]
        + [clean(f"{o.why}, left out: {o.paper.title} ({o.paper.key}): {o.reason}") for o in survey.left_out]
        + [clean(f"{w.kind}, {w.place}: {w.detail}") for w in survey.warnings],
    }


def _blocks(text: str, known: dict[PaperKey, int]) -> list[dict[str, Any]]:
    """Paragraphs and lists as runs of text and citations."""
    blocks = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        is_list = all(line.startswith("- ") for line in lines)
        items = [line[2:] for line in lines] if is_list else [block]
        blocks.append({"list": is_list, "items": [_runs(item, known) for item in items]})
    return blocks


def _runs(text: str, known: dict[PaperKey, int]) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = []

    def citation(keys: tuple[PaperKey, ...]) -> str:
        runs.append({"cite": sorted(known[k] for k in keys)})
        return ""

    def words(part: str) -> str:
        if part:
            spaced = "".join(" " if ch.isspace() else ch for ch in part)
            runs.append({"text": spaced})
        return ""

    replace_citations(clean(text), citation, words)
    return runs
