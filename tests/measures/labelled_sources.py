"""Labelled abstracts that the model of roles is fitted to beside CSAbstruct's: PubMedQA's, and articles in JATS."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lxml import etree

from bot.bench.roles import LabelledAbstract
from bot.bench.yardstick_report import read_json_lines
from engine.errors import UserError
from engine.reading.sentence_roles import role_of_label
from engine.text import sentences

FEWEST_ROLES = 3
"""Roles that a structured abstract has to name: one of two parts says little of where they end."""


def read_source(path: Path) -> list[LabelledAbstract]:
    """The labelled abstracts of a source: JSON Lines; PubMedQA's one JSON object; a folder of JATS (`.nxml`).

    Raises `UserError` for anything else.
    """
    if path.is_dir():
        return list(_read_articles(path))
    if path.suffix == ".json":
        return list(_read_questions(path.read_text()))
    return read_json_lines(path, LabelledAbstract)


def _read_questions(text: str) -> Iterable[LabelledAbstract]:
    """The abstracts of PubMedQA, whose conclusion is the long answer."""
    try:
        records: dict[str, Any] = json.loads(text)
        parts = [
            [*zip(record["LABELS"], record["CONTEXTS"], strict=True), ("CONCLUSIONS", record["LONG_ANSWER"])]
            for _, record in sorted(records.items())
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"This is not a file of PubMedQA: {error}") from error
    return filter(None, map(_label_parts, parts))


def _read_articles(folder: Path) -> Iterable[LabelledAbstract]:
    parser = etree.XMLParser(recover=True, load_dtd=False, no_network=True, resolve_entities=False)
    for path in sorted(folder.glob("*.nxml")):
        article = etree.fromstring(path.read_bytes(), parser)
        for abstract in [] if article is None else article.xpath("//abstract[not(@abstract-type)][sec/title][1]"):
            parts = [
                ("".join(part.find("title").itertext()), " ".join("".join(p.itertext()) for p in part.findall("p")))
                for part in abstract.findall("sec")
                if part.find("title") is not None
            ]
            if labelled := _label_parts(parts):
                yield labelled


def _label_parts(parts: Iterable[tuple[str, str]]) -> LabelledAbstract | None:
    """The sentences with the roles that their labels state; ``None`` where one states none, or too few are named."""
    said = [(role_of_label(label), sentences(" ".join(text.split()))) for label, text in parts]
    labelled = [(role, line) for role, lines in said for line in lines]
    roles = tuple(role for role, _ in labelled if role)
    if len(roles) < len(labelled) or len(set(roles)) < FEWEST_ROLES:
        return None
    return LabelledAbstract(tuple(line for _, line in labelled), roles)
