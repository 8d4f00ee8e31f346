"""The command `bench ablation`: AutoSurvey's or SurveyX's recipe without each of its parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.bench.compare import share_checked, write_unattended
from bot.serving.libraries import OwnLibrary
from engine.errors import UserError
from engine.evaluation.documents import from_survey
from engine.evaluation.entailment import ModelEntailment
from engine.evaluation.measures import EvaluationTools, evaluate_document
from engine.evaluation.scores import Score
from engine.evaluation.shared_lists import LEAST_PAIRS, LEAST_SHARED, SUSPICIOUS
from engine.limits import Limits
from engine.llm.meter import Account, Throttle, Usage
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import LanguageModel, Provider, Task
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.bases import Trials
from engine.recipes.surveyx import SurveyXRecipe
from engine.rubrics import AUTOSURVEY, CRITERIA
from engine.run import RunContext
from engine.text import list_words
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


@dataclass(frozen=True, slots=True)
class Ablation:
    """A recipe's variants, and the paper's table: measures as the evaluation names them, with columns, and its rows."""

    variants: Mapping[str, Trials]
    measures: Mapping[str, str]
    published: Mapping[str, Sequence[float]]
    """Recall, precision and F1 in percent."""


SHARES = ("citation recall", "citation precision", "citation F1")
"""What the papers print in percent."""

_AUTOSURVEY: dict[str, Trials] = {
    "whole": AutoSurveyRecipe(),
    "without retrieval": AutoSurveyRecipe(retrieve=False),
    "without check": AutoSurveyRecipe(check=False),
    "published check": AutoSurveyRecipe(published_check=True),
    "without coherence": AutoSurveyRecipe(critique=False),
    "shared lists": SharedListsRecipe(),
    **{f"best of {n}": AutoSurveyRecipe(candidates=n) for n in range(2, 6)},
}
"""The parts left out; the published code's mistake; and more trials than one (the paper's N, up to 5)."""


_SURVEYX: dict[str, Trials] = {
    "whole": SurveyXRecipe(),
    "without keyword expansion": SurveyXRecipe(expand_keywords=False),
    "without attribute trees": SurveyXRecipe(grow_trees=False),
    "without outline optimisation": SurveyXRecipe(optimise_outline=False),
    "without rewriting": SurveyXRecipe(rewrite=False),
}

_CITED = dict(zip(SHARES, ("Rec.", "Prec.", "F1"), strict=True))
_JUDGED = {criterion: f"{criterion[:3].capitalize()}." for criterion in CRITERIA}

ABLATIONS = {
    "autosurvey": Ablation(
        _AUTOSURVEY,
        {name: _CITED[name] for name in SHARES[:2]}
        | {name: _JUDGED[name] for name in AUTOSURVEY}
        | {"average of three, AutoSurvey's": "Avg."},
        {
            "whole": (83.48, 77.15, 4.70, 4.16, 4.93, 4.57),
            "without retrieval": (60.11, 51.65, 4.51, 4.01, 4.88, 4.44),
            "without reflection": (83.23, 76.36, 4.76, 4.13, 4.88, 4.56),
        },
    ),
    "surveyx": Ablation(
        _SURVEYX,
        _JUDGED | {"average of five, SurveyX's": "Avg."} | _CITED,
        {
            "whole": (4.95, 4.91, 4.94, 4.10, 4.05, 4.59, 85.23, 78.12, 81.52),
            "without retrieval": (4.74, 4.88, 4.79, 3.98, 4.02, 4.48, 78.88, 73.34, 76.01),
            "without AttributeTree": (4.84, 4.08, 4.89, 3.88, 3.93, 4.32, 60.09, 56.49, 58.23),
            "without outline optimisation": (4.90, 3.80, 4.91, 3.98, 4.02, 4.32, 85.10, 77.13, 80.92),
            "without RAG rewriting": (4.92, 4.89, 4.93, 4.00, 4.00, 4.55, 55.37, 54.95, 55.16),
        },
    ),
}
"""The papers' tables; AutoSurvey's reflection is our check."""


@dataclass(frozen=True, slots=True)
class AblationRow:
    """What one variant took and gave; ``checked`` is a share, ``scores`` are the evaluation's figures by name."""

    used: Usage
    checked: float
    scores: Mapping[str, Score]

    def value(self, name: str) -> float | None:
        """A figure of the evaluation; ``None`` where it could not be measured."""
        return self.scores[name].value if name in self.scores else None


async def ablate(
    console: Console, library_name: str, brief: Brief, writers: Sequence[str] = (), *, as_json: bool = False
) -> int:
    """Write and evaluate the brief's survey with each variant of its recipe, by each writer; print two tables or JSON.

    ``writers`` are models that draft in place of the configured one. Raises `UserError` without a language model, which
    also judges.
    """
    ablation = ABLATIONS.get(brief.recipe)
    if ablation is None:
        raise UserError(f"There is an ablation of {list_words(ABLATIONS)}, not of {brief.recipe[:40]}.")
    async with open_app() as app:
        library = await app.open_library(library_name)
        provider = app.provider()
        if provider is None:
            raise UserError("An ablation needs a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        bench = _Ablation(library, provider, app.settings.models(), app.settings.concurrent_calls)
        judges = {bench.models["judging"]: bench.model(Account())}
        rows = {}
        for name, recipe in ablation.variants.items():
            with console.status(f"{name} …"):
                rows[name] = await bench.measure(recipe, brief, judges)
        for writer in writers:
            drafting = replace(bench, models={**bench.models, "drafting": writer})
            with console.status(f"{writer} …"):
                rows[f"written by {writer}"] = await drafting.measure(ablation.variants["whole"], brief, judges)
    if as_json:
        print(json.dumps({name: _facts(row, ablation.measures) for name, row in rows.items()}))  # noqa: T201
        return 0
    title = f"{brief.topic}: written by {bench.models['drafting']}"
    for table in (_tabulate_quality(ablation, rows, title), _tabulate_use(rows)):
        console.print(table)
    return 0


@dataclass(frozen=True)
class _Ablation:
    """What every variant is written and evaluated with."""

    library: OwnLibrary
    provider: Provider
    models: Mapping[Task, str]
    concurrent_calls: int

    def model(self, account: Account) -> MeteredModel:
        throttle = Throttle(self.concurrent_calls)
        return MeteredModel(self.provider, dict(self.models), throttle, account, MemoryRecord(), "ablation")

    async def measure(self, recipe: Trials, brief: Brief, judges: Mapping[str, LanguageModel]) -> AblationRow:
        account, embedder = Account(), await self.library.embedder()
        context = RunContext(self.library, embedder, Limits(), model=self.model(account))
        survey = await write_unattended(recipe, brief, context)
        entailment = next(ModelEntailment(judge, name) for name, judge in judges.items())
        tools = EvaluationTools(self.library, embedder, entailment, judges)
        evaluation = await evaluate_document(from_survey(survey), brief.topic, tools)
        return AblationRow(account.total(), share_checked(survey), evaluation.scores())


def _tabulate_quality(ablation: Ablation, rows: Mapping[str, AblationRow], title: str) -> Table:
    """The paper's table, ours above what was published."""
    table = Table("", *ablation.measures.values(), title=title)
    for name, row in rows.items():
        values = {measure: row.value(measure) for measure in ablation.measures}
        table.add_row(name, *(_show(m, 100 * v if v is not None and m in SHARES else v) for m, v in values.items()))
    table.add_section()
    for name, published in ablation.published.items():
        table.add_row(f"{name}, published", *map(_show, ablation.measures, published))
    table.caption = "Published figures are of other topics, models and judges; compare only the rows of one table."
    return table


def _show(measure: str, value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}" if measure in SHARES else f"{value:.2f}"


def _tabulate_use(rows: Mapping[str, AblationRow]) -> Table:
    table = Table("", "Calls", "Read", "Written", "Cited", "Claims", "Checked", "Ratio")
    for name, row in rows.items():
        ratio, used = row.value("shared lists"), row.used
        counts = (row.value("references"), row.value("claims"))
        table.add_row(
            name,
            f"{used.calls}",
            f"{used.input_tokens:,}",
            f"{used.output_tokens:,}",
            *(f"{count or 0:.0f}" for count in counts),
            f"{row.checked:.0%}",
            f"{ratio:.2f}" if ratio is not None else "–",
        )
    table.caption = (
        f"Read and written: tokens. Ratio: of shared lists; above {SUSPICIOUS} sections cite one another's papers. "
        f"Measured from {LEAST_PAIRS} pairs of parts at the same position and {LEAST_SHARED} shared works on."
    )
    return table


def _facts(row: AblationRow, measures: Iterable[str]) -> dict[str, float | int | str | None]:
    return {
        "calls": row.used.calls,
        "input_tokens": row.used.input_tokens,
        "output_tokens": row.used.output_tokens,
        "references": row.value("references"),
        "claims": row.value("claims"),
        "checked": row.checked,
        "shared_lists": row.value("shared lists"),
        "note": row.scores["shared lists"].how,
        **{name.partition(" of ")[0].replace(" ", "_"): row.value(name) for name in measures},
    }
