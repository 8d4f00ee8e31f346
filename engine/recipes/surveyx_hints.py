"""The second hints of SurveyX (3.2.2): what each paper brings to each part of the approved outline."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.recipes.surveyx_material import Hint, Material
from engine.survey import SurveyWarning
from engine.values import Outline, OutlineNode, PaperKey, walk_outline
from engine.writing.drafting import outline_text

HINTED_AT_ONCE = 8
"""Papers whose hints one call writes."""

HINTS_EACH = 40
"""Hints of one part that its writer is given."""


class PartHint(TypedAnswer):
    """What a paper brings to a part, and the fields of its notes it is taken from."""

    key: str
    part: str
    fields: list[str]
    hint: str


class HintsAnswer(TypedAnswer):
    """The hints of all papers asked about."""

    hints: list[PartHint]


def open_parts(outline: Outline) -> dict[str, OutlineNode]:
    """The parts that are written from hints, by number: subsections, and sections without any."""
    return {number: node for number, node in walk_outline(outline.nodes) if node.role == "body" and not node.children}


def choose_hinted(keys: Sequence[PaperKey], parts: Sequence[OutlineNode], *, some_stay: bool) -> list[PaperKey]:
    """The papers asked for hints for these parts: all, or, where others stay as written, the parts' own."""
    if not some_stay or not all(node.papers for node in parts):
        return list(keys)
    own = {key for node in parts for key in node.papers}
    return [key for key in keys if key in own]


async def hint_parts(
    model: LanguageModel,
    topic: str,
    outline: Outline,
    material: Material,
    warnings: list[SurveyWarning],
    kept: Collection[str] = (),
) -> dict[str, list[Hint]]:
    """Hints for every part by number, each with its paper, in the papers' order; none for those ``kept`` as written.

    A part that no hint was written for takes what its own papers' trees say first. What failed is among ``warnings``.
    """
    parts = {number: node for number, node in open_parts(outline).items() if number not in kept}
    keys = choose_hinted(list(material.papers), list(parts.values()), some_stay=bool(kept))
    groups = [keys[start : start + HINTED_AT_ONCE] for start in range(0, len(keys), HINTED_AT_ONCE)]

    async def hinted(group: Sequence[PaperKey]) -> list[Hint]:
        try:
            return await _ask(model, (topic, outline), material, group, parts)
        except (LanguageModelError, LimitExceeded) as error:
            warnings.append(SurveyWarning("unfinished", outline.title, f"{len(group)} papers gave no hints: {error}"))
            return []

    async with asyncio.TaskGroup() as tasks:
        made = [tasks.create_task(hinted(group)) for group in groups]
    found: dict[str, list[Hint]] = {number: [] for number in parts}
    for task in made:
        for hint in task.result():
            if hint.place in found and len(found[hint.place]) < HINTS_EACH:
                found[hint.place].append(hint)
    return {number: hints or _own(parts[number], number, material) for number, hints in found.items()}


async def _ask(
    model: LanguageModel,
    about: tuple[str, Outline],
    material: Material,
    keys: Sequence[PaperKey],
    parts: Collection[str],
) -> list[Hint]:
    topic, outline = about
    prompt = fill(
        "surveyx/hints",
        topic=data(topic),
        outline=outline_text(outline),
        papers=material.notes(keys),
        open=", ".join(parts),
    )
    request = Request("outline", f"hints/{keys[0]}", prompt, 320 * len(keys) + 512, 0.3)
    answer = await model.answer_typed(request, HintsAnswer)
    return [
        Hint(key, item.part.strip(" ."), " ".join(item.hint.split()), tuple(item.fields))
        for item in answer.hints
        if (key := PaperKey(item.key)) in keys
    ]


def _own(node: OutlineNode, place: str, material: Material) -> list[Hint]:
    """The first value of each of the part's own papers' trees, or the title where there is no tree."""
    hints = []
    for key in node.papers[:HINTS_EACH]:
        if key in material.papers:
            tree = material.trees.get(key)
            first = next(tree.list_known(), None) if tree else None
            name, text = (first[0], first[1].text) if first else ("", material.papers[key].title)
            hints.append(Hint(key, place, text, (name,) if name else ()))
    return hints
