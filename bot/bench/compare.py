"""The command `bench compare`: every recipe on one topic, with the configured language model."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bot.app import App, open_app
from engine.errors import ScholiumError, UserError
from engine.evaluation.documents import Document, claims, from_survey
from engine.evaluation.overlap import rouge, soft_heading_recall
from engine.llm.meter import Account, Throttle, Usage
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Provider
from engine.options import QuickOptions
from engine.retrieval.embedding import Embedder
from engine.run import Recipe, RunContext, WritingTask
from engine.survey import Survey, walk
from engine.values import Brief, PaperSelection

HEADER = (
    "Recipe", "Seconds", "Surveys\nan hour", "Calls", "Tokens\nread", "Tokens\nwritten", "Dollars",
    "Papers\ncited", "Claims", "Checked", "Heading\nrecall", "ROUGE\naverage",
)  # fmt: skip
LEAST_WIDTH = 110
"""Characters that the table needs: a log is taken to have 80, and figures must not be cut there."""

PICTURE = "recipes.png"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What every recipe writes about; a section has parts of so many words each."""

    topic: str
    library: str = ""
    sections: int = 5
    words: int = 150
    human: Document | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What one recipe took and gave; shares are between 0 and 1, ``None`` without a reference survey."""

    seconds: float
    usage: Usage
    references: int
    claims: int
    checked: float
    heading_recall: float | None = None
    rouge: float | None = None


async def compare(console: Console, wanted: Comparison, output: Path | None, *, as_json: bool = False) -> int:
    """Run every recipe unattended and print one table; the exit code is 1 where a recipe failed.

    Raises `UserError` without a language model.
    """
    found: dict[str, Compared | str] = {}
    async with open_app() as app:
        library = await app.open_library(wanted.library)
        provider = app.provider()
        if provider is None:
            raise UserError("Recipes are compared with a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        for name, recipe in app.recipes.items():
            brief = Brief(
                wanted.topic,
                name,
                library.name,
                sections=wanted.sections,
                subsection_words=wanted.words,
                quick=QuickOptions(),
            )
            with console.status(f"{name} …"):
                try:
                    found[name] = await _measure(app, provider, recipe, brief, wanted.human)
                except ScholiumError as error:
                    found[name] = str(error)
    if as_json:
        print(json.dumps({name: row if isinstance(row, str) else _facts(row) for name, row in found.items()}))  # noqa: T201
    else:
        wide = Console(file=console.file, width=max(console.width, LEAST_WIDTH))
        wide.print(_tabulate(wanted.topic, found))
        for name, row in found.items():
            if isinstance(row, str):
                console.print(f"{name} failed: {row}")
    if output:
        picture = _draw(found, output)
        if not as_json:
            console.print(f"{picture}")
    return int(any(isinstance(row, str) for row in found.values()))


def _facts(row: Compared) -> dict[str, float | int | None]:
    used = row.usage
    return {
        "seconds": row.seconds,
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "dollars": used.money if used.priced else None,
        "references": row.references,
        "claims": row.claims,
        "checked": row.checked,
        "heading_recall": row.heading_recall,
        "rouge": row.rouge,
    }


async def _measure(app: App, provider: Provider, recipe: Recipe, brief: Brief, human: Document | None) -> Compared:
    library = await app.libraries.library(brief.library)
    embedder = await library.embedder()
    account, throttle = Account(), Throttle(app.settings.concurrent_calls)
    model = MeteredModel(provider, app.settings.models(), throttle, account, MemoryRecord(), brief.recipe)
    context = RunContext(library, embedder, app.settings.limits(), model=model, seed=app.settings.seed)
    start = time.perf_counter()
    survey = await write_unattended(recipe, brief, context)
    return _compare(survey, time.perf_counter() - start, account.total(), embedder, human)


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


def _compare(survey: Survey, seconds: float, usage: Usage, embedder: Embedder, human: Document | None) -> Compared:
    document = from_survey(survey)
    recall = (
        soft_heading_recall(document.headings(), human.headings(), embedder, clipped=True)
        if human and human.headings()
        else None
    )
    overlap = rouge(document.text(), human.text()).mean() if human else None
    cited, claimed = len(survey.references), len(claims(document))
    return Compared(seconds, usage, cited, claimed, share_checked(survey), recall, overlap)


def share_checked(survey: Survey) -> float:
    """Share of the claims in its text whose citations were all checked."""
    stored = [c for _, section in walk(survey.sections) for c in section.claims_in_text() if not c.common]
    checked = [c for c in stored if c.citations and all(e.verdict != "unchecked" for e in c.citations)]
    return len(checked) / len(stored) if stored else 0.0


def _tabulate(topic: str, found: Mapping[str, Compared | str]) -> Table:
    table = Table(
        title=f"{topic}: every recipe", box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for name in HEADER:
        table.add_column(name, justify="left" if name == "Recipe" else "right", no_wrap=True)
    for name, row in found.items():
        if isinstance(row, str):
            table.add_row(name, "failed")
            continue
        used = row.usage
        money = f"{used.money:.3f}" if used.priced else "–"
        shares = [f"{value:.3f}" if value is not None else "–" for value in (row.heading_recall, row.rouge)]
        cells = (f"{used.calls}", f"{used.input_tokens:,}", f"{used.output_tokens:,}", money, f"{row.references}")
        table.add_row(
            name,
            f"{row.seconds:.1f}",
            f"{3_600 / row.seconds:,.0f}",
            *cells,
            f"{row.claims}",
            f"{row.checked:.0%}",
            *shares,
        )
    return table


def _draw(found: Mapping[str, Compared | str], output: Path) -> Path:
    """The same as bars, a panel for each measure."""
    from matplotlib.figure import Figure  # imported here because it takes a second

    rows = {name: row for name, row in found.items() if isinstance(row, Compared)}
    measures: dict[str, list[float]] = {
        "seconds": [row.seconds for row in rows.values()],
        "calls": [row.usage.calls for row in rows.values()],
        "references": [row.references for row in rows.values()],
        "share of claims checked": [row.checked for row in rows.values()],
    }
    if all(row.heading_recall is not None for row in rows.values()):
        measures["soft heading recall"] = [row.heading_recall or 0.0 for row in rows.values()]
        measures["ROUGE average"] = [row.rouge or 0.0 for row in rows.values()]
    lines = len(measures) // 2
    canvas = Figure(figsize=(9, 2.5 * lines), layout="constrained")
    for at, (title, values) in enumerate(measures.items(), start=1):
        axes = canvas.add_subplot(lines, 2, at)
        axes.barh(list(rows), values, color="tab:blue")
        axes.set_title(title, fontsize=9)
        axes.invert_yaxis()
    output.mkdir(parents=True, exist_ok=True)
    canvas.savefig(output / PICTURE, metadata={"Software": None})
    return output / PICTURE
