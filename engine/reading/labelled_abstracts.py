"""Abstracts whose sentences are labelled, from the public collections that the model of roles is fitted to."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree

from engine.errors import UserError
from engine.reading.abstract_statements import role_of_label
from engine.reading.sentence_roles import ROLES, Role
from engine.text import sentences

FEWEST_ROLES = 3
"""Roles that a structured abstract has to name: one of two parts says little of where they end."""


@dataclass(frozen=True, slots=True)
class LabelledAbstract:
    """Sentences of one abstract, the role of each, and how many of its annotators agreed on it (0 to 1)."""

    sentences: tuple[str, ...]
    roles: tuple[Role, ...]
    agreement: tuple[float, ...]


def read_labelled_abstracts(path: Path) -> list[LabelledAbstract]:
    """The labelled abstracts of a file or a folder.

    JSON Lines, gzipped or not, with ``sentences``, ``labels`` and optionally ``confs`` (CSAbstruct); one JSON object
    with ``LABELS``, ``CONTEXTS`` and ``LONG_ANSWER`` of each paper (PubMedQA); a folder of articles in JATS
    (`.nxml`), whose abstracts have titled parts. Raises `UserError` for anything else.
    """
    try:
        if path.is_dir():
            found = list(_read_articles(path))
        else:
            content = path.read_bytes()
            text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()
            found = list(_read_questions(text)) if path.suffix == ".json" else _read_lines(text, path)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path} could not be read: {error}") from error
    if not found:
        raise UserError(f"{path} holds no labelled abstract.")
    return found


def _read_lines(text: str, path: Path) -> list[LabelledAbstract]:
    return [_parse_labelled(line, f"{path}, line {n}") for n, line in enumerate(text.splitlines(), 1) if line.strip()]


def _parse_labelled(line: str, place: str) -> LabelledAbstract:
    try:
        record = json.loads(line)
        lines, labels = record["sentences"], record["labels"]
        agreement = record.get("confs") or [1.0] * len(lines)
        if not len(lines) == len(labels) == len(agreement) or not set(labels) <= set(ROLES):
            raise ValueError(f"each sentence needs a label, one of {', '.join(ROLES)}")
        return LabelledAbstract(tuple(map(str, lines)), tuple(labels), tuple(map(float, agreement)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{place} is not a labelled abstract: {error}") from error


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
    return LabelledAbstract(tuple(line for _, line in labelled), roles, (1.0,) * len(roles))
