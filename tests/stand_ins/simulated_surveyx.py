"""What the simulated service answers to SurveyX's steps: of the right shape, made of the prompt's own papers."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

WRONG_EVERY = 17
"""Every so-many-th value of a tree says a figure that no sentence has, as models do."""

_ENTRY = re.compile(r'<paper key="([^"]+)">\n(.*)\n((?:.*\n)*?)</paper>')
_NOTE = re.compile(r"^([a-z][a-z /]*(?:\.[a-z /]+)?): (.+)$", re.M)


def read_papers(prompt: str) -> list[tuple[str, str, str]]:
    """Key, title and what follows of each paper in a prompt."""
    return [(key, html.unescape(title), html.unescape(rest)) for key, title, rest in _ENTRY.findall(prompt)]


def take_words(text: str, count: int) -> str:
    """The first words, without punctuation."""
    return " ".join(re.sub(r"[^\w\s-]", "", text).split()[:count])


def _short(text: str) -> str:
    """Three words that tell one title from another."""
    words = take_words(text, 6).split()
    return " ".join((*words[:2], *(words[5:] or words[2:3])))


def _outline(prompt: str) -> list[tuple[str, str]]:
    """Numbers and titles of the outline in the prompt."""
    inside = prompt.partition("<outline>\n")[2].partition("\n</outline>")[0]
    return [(number, html.unescape(title)) for number, title in re.findall(r"^([\d.]+) ([^:\n]+)", inside, re.M)]


def _kinds(prompt: str) -> dict[str, Any]:
    def kind(title: str) -> str:
        for name, pattern in (
            ("survey", r"survey|review|overview"),
            ("benchmark", r"benchmark|dataset|data set|evaluat|challenge"),
            ("theory", r"theor|bound|analysis|towards|understanding"),
        ):
            if re.search(pattern, title, re.I):
                return name
        return "method"

    return {"papers": [{"key": key, "kind": kind(title)} for key, title, _ in read_papers(prompt)]}


def _trees(prompt: str) -> dict[str, Any]:
    names = re.findall(r"^- ([^:\n]+): ", prompt, re.M)
    trees = []
    for at, (key, _, rest) in enumerate(read_papers(prompt)):
        lines = re.findall(r"^(\d+)\. (.+)$", rest, re.M)
        fields = []
        for i, name in enumerate(names[: max(4, 2 * len(lines))]):
            if not lines or i % 5 == 4:
                continue
            number, sentence = lines[i % len(lines)]
            invented = " by 99999 points" if (i + at + len(key)) % WRONG_EVERY == 0 else ""
            said = " ".join(sentence.split()[:16]).rstrip(",;:.") + invented
            fields.append({"field": name, "text": said, "sentences": [int(number)]})
        trees.append({"key": key, "fields": fields})
    return {"trees": trees}


def _mount(prompt: str) -> dict[str, Any]:
    places = [number for number, _ in _outline(prompt)][1:-1] or ["1"]
    hints = []
    for key, title, rest in read_papers(prompt):
        start = sum(map(ord, key))
        notes = _NOTE.findall(rest) or [("", rest)]
        for i in range(min(2, len(places))):
            said = take_words(notes[i % len(notes)][1], 14)
            place = places[(start + i * (1 + start % 3)) % len(places)]
            hints.append({"key": key, "section": place, "hint": f"{take_words(title, 6)}: {said}"})
    return {"hints": hints}


def _divide(prompt: str) -> dict[str, Any]:
    hints = re.findall(r"^(\d+)\. (.+)$", prompt.rpartition("<hints>\n")[2], re.M)
    section = _find(r"Hints from papers for section [\d.]+ (.+), numbered", prompt, "the Field")
    parts = min(4, max(1, len(hints)))
    step = max(1, len(hints) // parts)
    return {
        "subsections": [
            {
                "title": f"{_short(html.unescape(hints[i * step][1]))} in {_short(section)}",
                "description": f"It says what is known of {take_words(html.unescape(hints[i * step][1]), 8)}.",
                "hints": [int(number) for number, _ in hints[i::parts]],
            }
            for i in range(parts)
        ]
    }


def _reorganise(prompt: str) -> dict[str, Any]:
    headings = re.findall(r"^(\d+)\. ", prompt.rpartition("<headings>\n")[2], re.M)
    places = re.findall(r"\d+", _find(r"Only sections ([\d, ]+) take", prompt, "1"))
    filled: dict[str, list[int]] = {place: [] for place in places}
    for i, number in enumerate(headings):
        filled[places[i * len(places) // len(headings)]].append(int(number))
    return {"sections": [{"section": place, "headings": numbers} for place, numbers in filled.items()]}


def _whole_outline(prompt: str) -> dict[str, Any]:
    count = int(_find(r"exactly (\d+) sections", prompt, "8"))
    titles = [take_words(title, 5) for _, title, _ in read_papers(prompt)] or ["Work"]

    def parts(i: int) -> list[dict[str, str]]:
        chosen = dict.fromkeys(f"{titles[(5 * i + j) % len(titles)]} {i + 1}" for j in range(3))
        return [{"title": title, "description": f"It covers {title}."} for title in chosen]

    return {
        "title": f"A Survey of {_find(r'about: (.+)', prompt, 'the Topic')}",
        "sections": [
            {
                "title": f"{titles[(3 * i) % len(titles)]} {i + 1}",
                "description": f"It covers {titles[(3 * i) % len(titles)]}.",
                "subsections": parts(i) if 0 < i < count - 1 else [],
            }
            for i in range(count)
        ],
    }


def _rewrite(prompt: str) -> dict[str, Any]:
    draft = prompt.rpartition("<draft>\n")[2].partition("\n</draft>")[0]
    cited = set(re.findall(r"@([^\s;\]]+)", draft))
    found = [(key, rest) for key, _, rest in read_papers(prompt) if key not in cited]
    edits = []
    for number, _ in re.findall(r"^(\d+)\. (.+)$", draft, re.M):
        if int(number) % 9 == 4:
            edits.append({"sentence": int(number), "text": ""})
        elif int(number) % 9 == 7 and found:
            key, rest = found[int(number) % len(found)]
            notes = _NOTE.findall(rest) or re.findall(r"^(\d+)\. (.+)$", rest, re.M) or [("", rest)]
            said = notes[0][1].strip().rstrip(".")
            edits.append({"sentence": int(number), "text": f"{said} [@{key}]."})
    return {"edits": edits}


def _cells(prompt: str) -> dict[str, Any]:
    columns = re.findall(r"^- (.+) \(from (.+)\)$", prompt, re.M)
    cells = []
    for key, _, rest in read_papers(prompt):
        notes = dict(_NOTE.findall(rest))
        for column, fields in columns:
            said = next((notes[name] for name in fields.split(", ") if name in notes), "")
            if said:
                cells.append({"key": key, "column": column, "text": " ".join(said.split()[:7]).rstrip(",;:.")})
    return {"cells": cells}


def _find(pattern: str, text: str, otherwise: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else otherwise


ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "KindsAnswer": _kinds,
    "TreesAnswer": _trees,
    "MountAnswer": _mount,
    "PartsAnswer[HintedPart]": _divide,
    "ReorganiseAnswer": _reorganise,
    "OutlineAnswer[DividedPlan[Plan]]": _whole_outline,
    "RewriteAnswer": _rewrite,
    "CellsAnswer": _cells,
}
"""By the name of the answer's schema."""
