"""The command `bench write`: AutoSurvey's recipe against a simulated service, in time, tokens and faults."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, get_args

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.bench.simulation import Fault, SimulatedService, run_simulated_service
from bot.serving.libraries import OwnLibrary
from engine.checking.check import REPAIR_ROUNDS
from engine.errors import ScholiumError
from engine.limits import Limits
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Completion, Provider, Request, Task
from engine.llm.openai import OpenAIProvider
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.run import RunContext, WritingPlan, WritingTask
from engine.session.kept_text import leaves_of
from engine.survey import Survey
from engine.values import Brief, Outline, PaperSelection, Query
from engine.writing.estimates import Estimate, estimate_cost

PUBLISHED = {"calls": 127, "input": 2_140_000, "output": 170_000, "seconds": 155.0}
"""The public AutoSurvey code on the same service: 8 sections, 700 words, 5,000 papers (shared benchmarks, part 2)."""

PUBLISHED_SIZE = (8, 700)
"""Sections and words of that run; surveys of another size are not compared with it."""

MODELS: dict[Task, str] = dict.fromkeys(get_args(Task), "simulated")
FAULTY_EVERY = 7
AT_ONCE = 200
PATIENCE_S, FAULTS_PATIENCE_S = 300.0, 3.0
"""How long an answer is waited for; where calls hang on purpose, less."""


@dataclass
class TracingProvider:
    """A provider that notes how long each step took, its retries not counted."""

    inner: Provider
    spans: dict[str, float] = field(default_factory=dict)

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """As the inner one."""
        start = time.perf_counter()
        completion = await self.inner.complete(model, request, schema)
        self.spans[request.step] = time.perf_counter() - start
        return completion

    def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """As the inner one."""
        return self.inner.stream(model, request)

    async def close(self) -> None:
        """As the inner one."""
        await self.inner.close()


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One survey: what came of it, how long it took, and what its dependencies alone would have taken."""

    survey: Survey
    outline: Outline
    account: Account
    seconds: float
    critical_s: float
    expected: Estimate
    drafting: tuple[int, int]
    """Tokens really read and written after the outline."""


async def write(
    console: Console, library_name: str, topic: str, size: tuple[int, int], pace: float, *, faults: bool
) -> int:
    """Measure one run, and with ``faults`` one more for each kind.

    ``size`` is sections and words; ``pace`` 1 the speed of a typical service, 2 half of it.
    """
    async with open_app() as app:
        library = await app.open_library(library_name)
        brief = Brief(topic, "autosurvey", library.name, sections=size[0], subsection_words=size[1])
        found = await library.search(Query(topic, Limits().outline_papers))
        selection = PaperSelection(tuple(found))
        async with run_simulated_service(SimulatedService(pace=pace)) as service:
            run = await _run(library, brief, selection, service, Throttle(AT_ONCE))
            _report(console, run, service, size)
        if faults:
            await _faults(console, library, brief, selection)
        return 0


async def _run(
    library: OwnLibrary, brief: Brief, selection: PaperSelection, service: SimulatedService, throttle: Throttle
) -> MeasuredRun:
    patience = FAULTS_PATIENCE_S if service.fault(FAULTY_EVERY - 1) else PATIENCE_S
    provider = TracingProvider(OpenAIProvider("simulated", f"{service.url}/v1", patience))
    account = Account()
    model = MeteredModel(provider, MODELS, throttle, account, MemoryRecord(), "bench")
    context = RunContext(library, await library.embedder(), model=model)
    recipe = AutoSurveyRecipe()
    await asyncio.to_thread(context.embedder.embed, ["warm"])
    start = time.perf_counter()
    outline = await recipe.outline(brief, selection, context)
    before = account.total()
    chains = recipe.plan_calls(
        WritingPlan(brief, outline, {p.key: p for p in selection.list_included()}, context.limits)
    )
    expected = estimate_cost(chains, MODELS, AT_ONCE)
    survey = await recipe.write(WritingTask(brief, selection, outline), context)
    seconds = time.perf_counter() - start
    await provider.close()
    after = account.total()
    drafting = (after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens)
    return MeasuredRun(survey, outline, account, seconds, _critical(provider.spans, outline), expected, drafting)


def _critical(spans: dict[str, float], outline: Outline) -> float:
    """The longest chain of calls that had to wait for one another."""

    def longest(prefix: str) -> float:
        return max((s for step, s in spans.items() if step.startswith(prefix)), default=0.0)

    def checking(title: str) -> float:
        """The rounds of a part's check one after another, the calls of one round side by side."""
        return sum(longest(f"check/{title}/{number}.") for number in range(REPAIR_ROUNDS + 1))

    titles = [leaf.title for top in outline.nodes if top.role == "body" for _, leaf in leaves_of((top,))]
    drafts = [longest(f"draft/0/{title}") for title in titles]

    def connecting(at: int) -> float:
        """Until a part is connected with its neighbours, by sentences that are checked by themselves."""
        led_over = longest(f"check/{titles[at]}/first") + longest(f"check/{titles[at]}/last")
        return max(drafts[max(0, at - 1) : at + 2]) + longest(f"coherence/{titles[at]}") + led_over

    ends = [max(drafts[i] + checking(title), connecting(i)) for i, title in enumerate(titles)]
    around = ["Abstract", *(top.title for top in outline.nodes if top.role != "body")]
    frames = [longest(f"frame/0/{title}") + checking(title) for title in around]
    planning = longest("outline/") + longest("merge") + longest("subsections/") + longest("duplicates")
    return planning + max(ends, default=0.0) + max(frames)


def _report(console: Console, run: MeasuredRun, service: SimulatedService, size: tuple[int, int]) -> None:
    total = run.account.total()
    read, written = run.expected.input_tokens, run.expected.output_tokens
    rows = [
        ("Calls", f"{total.calls}", "calls", total.calls),
        ("Tokens read", f"{total.input_tokens:,}", "input", total.input_tokens),
        ("Tokens written", f"{total.output_tokens:,}", "output", total.output_tokens),
        ("Wall clock", f"{run.seconds:.1f} s", "seconds", run.seconds),
        ("Critical path of our own calls", f"{run.critical_s:.1f} s", "", 0),
        ("Wall clock / critical path", f"{run.seconds / run.critical_s:.2f}", "", 0),
        ("Calls at once, at most", f"{service.most_at_once}", "", 0),
        ("Estimated after the outline", f"{read:,} read, {written:,} written", "", 0),
        ("Really after the outline", f"{run.drafting[0]:,} read, {run.drafting[1]:,} written", "", 0),
        ("References", f"{len(run.survey.references)}", "", 0),
        ("Unfinished", f"{_count_unfinished(run)}", "", 0),
        ("Peak memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB", "", 0),
    ]
    table = Table("", "Scholium", "AutoSurvey's code", "Ratio", title="Writing a survey on the simulated service")
    for label, ours, published, value in rows:
        theirs = PUBLISHED.get(published) if size == PUBLISHED_SIZE else None
        table.add_row(label, ours, f"{theirs:,.0f}" if theirs else "", f"{value / theirs:.2f}" if theirs else "")
    if size != PUBLISHED_SIZE:
        table.caption = (
            "AutoSurvey's code was measured with {} sections of {} words; compare at that size only.".format(
                *PUBLISHED_SIZE
            )
        )
    console.print(table)


def _count_unfinished(run: MeasuredRun) -> int:
    return sum(warning.kind == "unfinished" for warning in run.survey.warnings)


def _fail_often(fault: Fault) -> Callable[[int], Fault | None]:
    return lambda number: fault if number % FAULTY_EVERY == FAULTY_EVERY - 1 else None


async def _faults(console: Console, library: OwnLibrary, brief: Brief, selection: PaperSelection) -> None:
    """Every seventh call fails in one way; and services that allow few calls at once."""
    table = Table("Fault", "Outcome", "Unfinished", "Calls", "Seconds", title=f"Every {FAULTY_EVERY}th call fails")
    services = {str(fault): SimulatedService(pace=0.02, fault=_fail_often(fault)) for fault in get_args(Fault)}
    services |= {f"at most {n} at once": SimulatedService(pace=0.02, concurrent=n) for n in (10, 20)}
    services["at most 60 a minute"] = SimulatedService(pace=0.02, per_minute=60)
    for name, service in services.items():
        throttle = Throttle(10 if service.concurrent else AT_ONCE, service.per_minute)
        async with run_simulated_service(service):
            try:
                run = await _run(library, brief, selection, service, throttle)
            except* ScholiumError as group:
                table.add_row(name, f"stopped: {group.exceptions[0]}", "", f"{len(service.calls)}", "")
            else:
                outcome = "some parts missing, and said" if _count_unfinished(run) else "whole survey"
                table.add_row(name, outcome, f"{_count_unfinished(run)}", f"{len(service.calls)}", f"{run.seconds:.1f}")
    console.print(table)
