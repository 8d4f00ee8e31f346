"""What writing was said to take against what it took, for every recipe, on a simulated language model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.serving.libraries import SAMPLE, OwnLibrary
from engine.errors import ScholiumError
from engine.limits import Limits
from engine.llm.meter import Account, Throttle, Usage
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Completion, Request, Task, tokens_of
from engine.reading.trees.forests import MemoryForest
from engine.run import Recipe, RunContext, WritingTask
from engine.values import Brief, PaperSelection, Query
from engine.writing.estimates import Estimate, estimate_cost
from tests.stand_ins.simulation import estimate_thinking_s, simulate_answer

MODELS: dict[Task, str] = dict.fromkeys(get_args(Task), "gpt-4o")
AT_ONCE = 100
WRITING_RECIPES = ("autosurvey", "surveyx", "cluster", "naive", "organiser", "quick")
"""The recipes that write with a language model."""

CLOSE = 0.2
"""An estimate is to be within this share of what was used."""


@dataclass(frozen=True, slots=True)
class SimulatedProvider:
    """The simulated service without its wire; ``pace`` 1 waits as long as a typical service takes, 0 not at all."""

    pace: float = 0.0

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """The simulated answer, when its time has come."""
        asked = "\n".join((request.prompt.system, request.prompt.shared, request.prompt.question))
        text = simulate_answer(asked, (schema or {}).get("title", ""))
        await asyncio.sleep(self.pace * estimate_thinking_s(asked, text))
        return Completion(text, tokens_of(asked), tokens_of(text))

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """The same in one piece."""
        yield (await self.complete(model, request, None)).text

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class EstimatedRun:
    """What was said before writing, and what writing used, in how many seconds; ``steps`` is what each step used."""

    expected: Estimate
    used: Usage
    steps: Mapping[str, Usage]
    seconds: float

    def ratios(self) -> tuple[float, float, float]:
        """Calls, tokens read and tokens written: said through used."""
        pairs = (
            (self.expected.calls, self.used.calls),
            (self.expected.input_tokens, self.used.input_tokens),
            (self.expected.output_tokens, self.used.output_tokens),
        )
        calls, read, written = (said / used if used else float(said == 0) for said, used in pairs)
        return calls, read, written


async def measure_estimate(library: OwnLibrary, recipe: Recipe, brief: Brief, pace: float = 0.0) -> EstimatedRun:
    """Plan and write one survey by the recipe. Raises what its steps raise."""
    account = Account()
    model = MeteredModel(SimulatedProvider(pace), MODELS, Throttle(AT_ONCE), account, MemoryRecord(), brief.recipe)
    embedder = await library.embedder()
    context = RunContext(library, embedder, model=model, forest=MemoryForest())
    if "review" in recipe.steps:
        chains = recipe.plan_review_calls(brief, context.limits, await library.sample(SAMPLE))
        start = time.perf_counter()
        await recipe.review(brief, (), context)
        seconds = time.perf_counter() - start
        return EstimatedRun(estimate_cost(chains, MODELS, AT_ONCE), account.total(), dict(account.steps), seconds)
    found = await library.search(Query(brief.topic, recipe.paper_count(Limits())))
    selection = PaperSelection(tuple(found))
    outline = await recipe.outline(brief, selection, context)
    if outline.is_grouping:
        outline = await recipe.headings(brief, selection, outline, context)
    before, steps = account.total(), dict(account.steps)
    task = WritingTask(brief, selection, outline)
    expected = estimate_cost(recipe.plan_calls(task, context.limits), MODELS, AT_ONCE)
    start = time.perf_counter()
    await recipe.write(task, context)
    seconds = time.perf_counter() - start
    new = {name: _less(usage, steps.get(name, Usage())) for name, usage in account.steps.items()}
    return EstimatedRun(
        expected, _less(account.total(), before), {name: u for name, u in new.items() if u.calls}, seconds
    )


def _less(after: Usage, before: Usage) -> Usage:
    return Usage(
        after.calls - before.calls,
        after.input_tokens - before.input_tokens,
        after.output_tokens - before.output_tokens,
        money=after.money - before.money,
    )


async def print_estimates(
    console: Console, library_name: str, topic: str, size: tuple[int, int], names: Sequence[str], pace: float
) -> int:
    """Print said against used for these recipes; ``size`` is sections and words of each subsection.

    With a ``pace`` above 0 the seconds of writing too.
    """
    async with open_app() as app:
        library = await app.open_library(library_name)
        brief = Brief(topic, library=library.name, sections=size[0], subsection_words=size[1])
        console.print(await compare_estimates(library, {name: app.recipes[name] for name in names}, brief, pace))
    return 0


async def compare_estimates(
    library: OwnLibrary, recipes: Mapping[str, Recipe], brief: Brief, pace: float = 0.0
) -> Table:
    """The table of every recipe that writes with a language model: three rows each, and one of seconds with a pace."""
    table = Table("Recipe", "", "Said", "Used", "Said / used", title="Said before writing / really used")
    for name, recipe in recipes.items():
        try:
            run = await measure_estimate(library, recipe, replace(brief, recipe=name), pace)
        except ScholiumError as error:
            table.add_row(name, str(error))
            continue
        said, used = run.expected, run.used
        rows = (
            ("calls", said.calls, used.calls),
            ("tokens read", said.input_tokens, used.input_tokens),
            ("tokens written", said.output_tokens, used.output_tokens),
        )
        for at, ((what, expected, real), ratio) in enumerate(zip(rows, run.ratios(), strict=True)):
            verdict = "" if abs(1 - ratio) <= CLOSE else f" (more than {CLOSE:.0%} off)"
            table.add_row("" if at else name, what, f"{expected:,}", f"{real:,}", f"{ratio:.2f}{verdict}")
        if pace:
            expected_s = said.seconds * pace
            table.add_row("", "seconds", f"{expected_s:.1f}", f"{run.seconds:.1f}", f"{expected_s / run.seconds:.2f}")
        table.add_section()
    return table
