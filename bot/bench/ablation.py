"""The command `bench ablation`: AutoSurvey's recipe without each of its parts, and with the public code's mistake."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.bench.compare import write_unattended
from bot.bench.estimates import AT_ONCE, MODELS, SimulatedProvider
from bot.serving.libraries import OwnLibrary
from engine.evaluation.documents import claims, from_survey
from engine.evaluation.shared_lists import shared_lists
from engine.limits import Limits
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.run import RunContext
from engine.survey import Survey, walk
from engine.values import Brief, Outline, PaperSelection


@dataclass(frozen=True, slots=True)
class SharedListsRecipe(AutoSurveyRecipe):
    """For measuring alone: every section is written from the first sections' papers, as in AutoSurvey's public code.

    There one list is shared by all sections, so that the j-th part of each gets the j-th item of the flat list.
    """

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """The outline, with the papers of the flat list."""
        return share_lists(await AutoSurveyRecipe.outline(self, brief, selection, context))


def share_lists(outline: Outline) -> Outline:
    """The outline in which the j-th part of every section has the papers of the j-th part of all."""
    flat = [part.papers for node in outline.nodes for part in node.children]
    nodes = (
        replace(node, children=tuple(replace(part, papers=flat[j]) for j, part in enumerate(node.children)))
        for node in outline.nodes
    )
    return replace(outline, nodes=tuple(nodes))


VARIANTS: dict[str, AutoSurveyRecipe] = {
    "whole": AutoSurveyRecipe(),
    "without retrieval for each part": AutoSurveyRecipe(retrieve=False),
    "without the check of claims": AutoSurveyRecipe(check=False),
    "without coherence": AutoSurveyRecipe(connect=False),
    "with the public code's shared lists": SharedListsRecipe(),
}


@dataclass(frozen=True, slots=True)
class AblationRow:
    """What one variant took and gave; ``checked`` is a share, ``ratio`` that of the shared lists where measurable."""

    calls: int
    input_tokens: int
    output_tokens: int
    references: int
    claims: int
    checked: float
    ratio: float | None
    note: str


async def ablate(console: Console, library_name: str, brief: Brief, *, as_json: bool = False) -> int:
    """Write the brief's survey once with each variant, on the simulated model; print one table or JSON."""
    async with open_app() as app:
        library = await app.open_library(library_name)
        rows = {name: await _measure(library, recipe, brief) for name, recipe in VARIANTS.items()}
    if as_json:
        print(json.dumps({name: _facts(row) for name, row in rows.items()}))  # noqa: T201
        return 0
    table = Table("", "Calls", "Tokens read", "Tokens written", "References", "Claims", "Checked", "Shared lists")
    table.title = f"{brief.topic}: AutoSurvey's recipe and its parts, on the simulated model"
    for name, row in rows.items():
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else row.note
        sizes = (f"{row.calls}", f"{row.input_tokens:,}", f"{row.output_tokens:,}")
        table.add_row(name, *sizes, f"{row.references}", f"{row.claims}", f"{row.checked:.0%}", ratio)
    console.print(table)
    return 0


async def _measure(library: OwnLibrary, recipe: AutoSurveyRecipe, brief: Brief) -> AblationRow:
    account = Account()
    model = MeteredModel(SimulatedProvider(), MODELS, Throttle(AT_ONCE), account, MemoryRecord(), "ablation")
    context = RunContext(library, await library.embedder(), Limits(), model=model)
    return read_row(await write_unattended(recipe, brief, context), account)


def read_row(survey: Survey, account: Account) -> AblationRow:
    """The figures of one variant's survey."""
    document, used = from_survey(survey), account.total()
    said = claims(document)
    stored = [claim for _, section in walk(survey.sections) for claim in section.claims_in_text()]
    checked = [c for c in stored if c.citations and all(e.verdict != "unchecked" for e in c.citations)]
    score = shared_lists(document, said)[-1]
    return AblationRow(
        used.calls,
        used.input_tokens,
        used.output_tokens,
        len(survey.references),
        len(said),
        len(checked) / len(stored) if stored else 0.0,
        score.value,
        score.how,
    )


def _facts(row: AblationRow) -> dict[str, float | int | str | None]:
    return {
        "calls": row.calls,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "references": row.references,
        "claims": row.claims,
        "checked": row.checked,
        "shared_lists": row.ratio,
        "note": row.note,
    }
