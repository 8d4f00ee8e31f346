"""The command `bench compare`: every recipe on one topic, with the configured language model."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from bot.app import App, open_app
from bot.bench.yardstick_report import ReportOptions, print_report
from bot.serving.libraries import OwnLibrary
from engine.errors import UserError, find_known
from engine.evaluation.documents import Document, from_survey, read_document
from engine.evaluation.measures import EvaluationTools, evaluate_document
from engine.evaluation.quality import entail_by_model, entail_by_rule
from engine.llm.meter import Account
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Provider, Task
from engine.options import QuickOptions
from engine.run import Recipe, RunContext, WritingTask
from engine.survey import Survey, walk
from engine.values import Brief, PaperSelection

Name = TypeVar("Name")
Result = TypeVar("Result")

PICTURE = "recipes.png"

_OVERLAP = ("soft heading recall, clipped", "ROUGE average")
"""What is measured against a survey by people."""

Facts = Mapping[str, float | None]
"""What a recipe took and gave, by name; ``None`` for what could not be measured."""


@dataclass(frozen=True)
class RecipeBench:
    """What every recipe is measured with; where it is not ``judged`` by the model, a rule decides which claims hold."""

    app: App
    library: OwnLibrary
    provider: Provider
    models: dict[Task, str]
    human: Document | None = None
    judged: bool = False

    @classmethod
    async def open(cls, app: App, library_name: str, human: Document | None = None) -> RecipeBench:
        """With the configured model. Raises `UserError` where there is none."""
        provider = app.provider()
        if provider is None:
            raise UserError("Recipes are measured with a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        return cls(app, await app.open_library(library_name), provider, app.settings.models(), human)

    def _make_model(self, account: Account) -> MeteredModel:
        return MeteredModel(self.provider, self.models, self.app.throttle, account, MemoryRecord(), "bench")

    async def measure(self, recipe: Recipe, brief: Brief, measures: Iterable[str]) -> Facts:
        """Write the brief's survey, all proposals approved: what that took, what it cites, these measures."""
        account, embedder, settings = Account(), await self.library.embedder(), self.app.settings
        model = self._make_model(account)
        context = RunContext(self.library, embedder, settings.limits(), model=model, seed=settings.seed)
        start = time.perf_counter()
        survey = await write_unattended(recipe, brief, context)
        seconds = time.perf_counter() - start
        name, judge = self.models["judging"], self._make_model(Account())
        entailment = entail_by_model(judge, name) if self.judged else entail_by_rule(embedder)
        tools = EvaluationTools(self.library, embedder, entailment, {name: judge} if self.judged else {})
        scores = (await evaluate_document(from_survey(survey), brief.topic, tools, self.human)).scores()
        used = account.total()
        return {
            "seconds": seconds,
            "surveys an hour": 3_600 / seconds,
            "calls": used.calls,
            "tokens read": used.input_tokens,
            "tokens written": used.output_tokens,
            "dollars": used.money if used.priced else None,
            "references": int(scores["references"].value or 0),
            "claims": int(scores["claims"].value or 0),
            "checked": share_checked(survey),
            **{name: scores[name].value if name in scores else None for name in measures},
        }


async def run_each(console: Console, runs: Mapping[Name, Callable[[], Awaitable[Result]]]) -> dict[Name, Result]:
    """What each run gave, one after the other; one that fails is left out, and why goes to standard error."""
    found, aside = dict[Name, Result](), Console(stderr=True, markup=False, highlight=False)
    for name, run in runs.items():
        with console.status(f"{name} …"):
            try:
                found[name] = await run()
            except Exception as error:
                if not (known := find_known(error)):
                    raise
                aside.print(f"{name} failed: {known}", soft_wrap=True)
    return found


async def compare(
    console: Console, brief: Brief, reference: Path | None, output: Path | None, *, as_json: bool = False
) -> int:
    """Every recipe on the brief's topic in one table; 1 where one failed. Raises `UserError` without a model."""
    human = read_document(reference) if reference else None
    async with open_app() as app:
        bench = await RecipeBench.open(app, brief.library, human)
        brief = replace(brief, library=bench.library.name, quick=QuickOptions())
        runs = {
            name: partial(bench.measure, recipe, replace(brief, recipe=name), _OVERLAP)
            for name, recipe in app.recipes.items()
        }
        facts = await run_each(console, runs)
    print_report(console, f"{brief.topic}: every recipe", facts, ReportOptions(as_json))
    if output:
        _draw(facts, output)
        if not as_json:
            console.print(f"{output / PICTURE}")
    return int(len(facts) < len(runs))


async def write_unattended(recipe: Recipe, brief: Brief, context: RunContext) -> Survey:
    """The recipe's survey with every proposal approved. Raises what its steps raise."""
    if "review" in recipe.steps:
        return (await recipe.review(brief, (), context)).survey
    pool = await recipe.keywords(brief, context)
    selection = await recipe.papers(brief, pool, recipe.paper_count(context.limits), context)
    return await write_selected(recipe, brief, selection, context)


async def write_selected(recipe: Recipe, brief: Brief, selection: PaperSelection, context: RunContext) -> Survey:
    """The same where the papers are chosen already."""
    outline = await recipe.outline(brief, selection, context)
    if outline.is_grouping:
        outline = await recipe.headings(brief, selection, outline, context)
    return await recipe.write(WritingTask(brief, selection, outline), context)


def share_checked(survey: Survey) -> float:
    """Share of the claims in its text whose citations were all checked."""
    stored = [c for _, section in walk(survey.sections) for c in section.claims_in_text() if not c.common]
    checked = [c for c in stored if c.citations and all(e.verdict != "unchecked" for e in c.citations)]
    return len(checked) / len(stored) if stored else 0.0


def _draw(rows: Mapping[str, Facts], output: Path) -> None:
    from matplotlib.figure import Figure  # imported here because it takes a second

    measures = [name for name in next(iter(rows.values()), {}) if all(row[name] is not None for row in rows.values())]
    lines = -(-len(measures) // 2) or 1
    canvas = Figure(figsize=(9, 2.5 * lines), layout="constrained")
    for at, name in enumerate(measures, start=1):
        axes = canvas.add_subplot(lines, 2, at)
        axes.barh(list(rows), [row[name] or 0.0 for row in rows.values()], color="tab:blue")
        axes.set_title(name, fontsize=9)
        axes.invert_yaxis()
    output.mkdir(parents=True, exist_ok=True)
    canvas.savefig(output / PICTURE, metadata={"Software": None})
