"""The command `bench write --recipe surveyx`: SurveyX's recipe beside AutoSurvey's on the same simulated service.

It is run twice: with an empty forest, and again with the trees that the first run made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.bench.simulation import SimulatedService, run_simulated_service
from bot.bench.write import AT_ONCE, MODELS, TracingProvider
from bot.serving.libraries import OwnLibrary
from engine.limits import Limits
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.openai import OpenAIProvider
from engine.reading.forests import Forest, MemoryForest
from engine.reading.tree_making import groups_of
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.surveyx import SurveyXRecipe
from engine.run import RunContext, WritingTask
from engine.survey import Survey
from engine.values import Brief, Outline, OutlineNode, PaperSelection, Query, walk_outline

CALL_S = 300.0
"""A call that waits longer counts as lost."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One survey by one recipe; ``spans`` are the seconds of each call by its step."""

    survey: Survey
    outline: Outline
    selection: PaperSelection
    account: Account
    seconds: float
    spans: Mapping[str, float]


async def write_surveyx(console: Console, library_name: str, topic: str, size: tuple[int, int], pace: float) -> int:
    """Measure both recipes; ``size`` is sections and words, ``pace`` 1 the speed of a typical service."""
    async with open_app() as app:
        library = await app.open_library(library_name)
        forest = MemoryForest(await library.embedder())
        brief = Brief(topic, library=library.name, sections=size[0], subsection_words=size[1])
        runs = {
            "AutoSurvey's recipe": await _measure(library, AutoSurveyRecipe(), brief, pace, None),
            "SurveyX, empty forest": await _measure(library, SurveyXRecipe(), brief, pace, forest),
            "SurveyX, filled forest": await _measure(library, SurveyXRecipe(), brief, pace, forest),
        }
    _report(console, runs, pace)
    return 0


async def _measure(
    library: OwnLibrary, recipe: AutoSurveyRecipe | SurveyXRecipe, brief: Brief, pace: float, forest: Forest | None
) -> Measured:
    selection = PaperSelection(tuple(await library.search(Query(brief.topic, recipe.paper_count(Limits())))))
    async with run_simulated_service(SimulatedService(pace=pace)) as service:
        provider = TracingProvider(OpenAIProvider("simulated", f"{service.url}/v1", CALL_S))
        account = Account()
        model = MeteredModel(provider, MODELS, Throttle(AT_ONCE), account, MemoryRecord(), "bench")
        context = RunContext(library, await library.embedder(), model=model, forest=forest)
        await asyncio.to_thread(context.embedder.embed, ["warm"])
        start = time.perf_counter()
        outline = await recipe.outline(brief, selection, context)
        survey = await recipe.write(WritingTask(brief, selection, outline), context)
        seconds = time.perf_counter() - start
        await provider.close()
    return Measured(survey, outline, selection, account, seconds, provider.spans)


def critical_path_s(run: Measured) -> float:
    """The longest chain of SurveyX's calls that had to wait for one another, in seconds.

    Stages follow one another: trees (beside the main sections), hints, subsections, their order, second hints, the
    drafts of a section one after the other, the frame, tables.
    """
    spans = run.spans

    def longest(prefix: str) -> float:
        return max((s for step, s in spans.items() if step.startswith(prefix)), default=0.0)

    def about(prefix: str, name: str) -> float:
        """The calls of a step that name it: attempts follow one another, the calls of one round of checks do not."""
        own = {step: s for step, s in spans.items() if step.startswith(prefix) and name in step.split("/", 1)[-1]}
        if prefix != "check/":
            return sum(own.values())
        rounds: dict[str, float] = {}
        for step, seconds in own.items():
            which = step.rsplit("/", 1)[-1].partition(" ")[0].rstrip("0123456789")
            rounds[which] = max(rounds.get(which, 0.0), seconds)
        return sum(rounds.values())

    prepared = 0.0
    for group in groups_of(run.selection.list_included()):
        kinds = max((about("kinds/", paper.key) for paper in group), default=0.0)
        prepared = max(prepared, kinds + max((about("trees/", paper.key) for paper in group), default=0.0))
    planned = longest("mount/") + longest("divide/") + longest("reorganise") + longest("hints/")
    sections = [_section_s(node, about) for node in run.outline.nodes if node.role == "body"]
    frames = [
        about("frame/", node.title) + about("check/", node.title) for node in run.outline.nodes if node.role != "body"
    ]
    ends = max(sections, default=0.0) + max(frames, default=0.0) + longest("cells/")
    return max(longest("primary"), prepared) + planned + ends


def _section_s(node: OutlineNode, about: object) -> float:
    """A part is rewritten when it and the next one are drafted, then checked."""
    assert callable(about)
    titles = [part.title for _, part in walk_outline((node,)) if not part.children]
    drafted, ends = 0.0, [0.0]
    for i, title in enumerate(titles):
        drafted += about("draft/", title)
        following = about("draft/", titles[i + 1]) if i + 1 < len(titles) else 0.0
        ends.append(drafted + following + about("rewrite/", title) + about("check/", title))
    return max(ends)


def _report(console: Console, runs: Mapping[str, Measured], pace: float) -> None:
    base = next(iter(runs.values())).account.total()
    table = Table("", *runs, title=f"Writing on the simulated service, at {pace:g} of its time")
    totals = {name: run.account.total() for name, run in runs.items()}
    table.add_row("Papers", *(f"{len(run.selection.list_included()):,}" for run in runs.values()))
    table.add_row("Calls", *(f"{total.calls:,}" for total in totals.values()))
    table.add_row("Tokens read", *(f"{total.input_tokens:,}" for total in totals.values()))
    table.add_row("of AutoSurvey's", *(f"{total.input_tokens / base.input_tokens:.2f}" for total in totals.values()))
    table.add_row("Tokens written", *(f"{total.output_tokens:,}" for total in totals.values()))
    table.add_row("Wall clock", *(f"{run.seconds:.1f} s" for run in runs.values()))
    paths = {name: critical_path_s(run) for name, run in list(runs.items())[1:]}
    table.add_row("Critical path", "", *(f"{paths[name]:.1f} s" for name in paths))
    table.add_row("Wall clock / critical path", "", *(f"{runs[name].seconds / paths[name]:.2f}" for name in paths))
    table.add_row("References", *(f"{len(run.survey.references)}" for run in runs.values()))
    table.add_row(
        "Unfinished", *(f"{sum(w.kind == 'unfinished' for w in run.survey.warnings)}" for run in runs.values())
    )
    console.print(table)
    steps = Table("Step", *(f"{name}: calls, tokens read, written" for name in runs), title="By step")
    kinds = dict.fromkeys(step for run in runs.values() for step in run.account.steps)
    for kind in kinds:
        used = [run.account.steps.get(kind) for run in runs.values()]
        steps.add_row(kind, *(f"{u.calls} · {u.input_tokens:,} · {u.output_tokens:,}" if u else "" for u in used))
    console.print(steps)
