"""The command `trees`: attribute trees of a library's papers made ahead of time, safe to interrupt and to repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import typer
from rich.console import Console

from bot.app import App, open_app
from bot.cli.ingest import show_bar
from bot.wording import money, progress
from engine.errors import UserError
from engine.llm.meter import Account
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.reading.trees.tree_making import take_text
from engine.recipes.surveyx_material import TREE_TOKENS, grow_forest, needs_tree, plan_trees
from engine.retrieval.online.transport import OnlineTransport, ProcessCache
from engine.run import Progress, RunContext
from engine.values import Paper, Query
from engine.writing.estimates import estimate_cost

SHOWN_FAILURES = 10


async def grow_trees(
    console: Console, library_name: str, about: str, most: int, full_texts: int, *, accept_cost: bool
) -> int:
    """Make the trees that are missing, the most cited papers first (or those found for a topic)."""
    async with open_app() as app:
        provider = app.provider()
        if provider is None:
            raise UserError("Attribute trees need a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        name = library_name or app.default_library()
        library = await app.libraries.library(name)
        forest = await app.libraries.forest(name)
        papers = await _choose_papers(app, name, about, most)
        known = await forest.get([paper.key for paper in papers])
        due = [paper for paper in papers if needs_tree(known.get(paper.key), take_text(paper, None, TREE_TOKENS))]
        there = len(papers) - len(due)
        said = f"{len(papers):,} papers of the library “{name}”, {there:,} of them with an attribute tree."
        console.print(said)
        if not due:
            return 0
        settings, account = app.settings, Account(prices=app.prices)
        chains = plan_trees(due, min(full_texts, len(due)))
        expected = estimate_cost(chains, settings.models(), settings.concurrent_calls, app.prices)
        console.print(money.estimate_trees(expected, len(due)))
        if not accept_cost:
            typer.confirm("Make them?", abort=True)
        model = MeteredModel(provider, settings.models(), app.throttle, account, MemoryRecord(), f"trees/{name}")
        with show_bar(console) as show:

            async def follow(step: Progress) -> None:
                show(progress.progress(step), step.done, step.total or None)

            context = RunContext(
                library,
                await library.embedder(),
                replace(settings.limits(), full_texts=full_texts),
                model=model,
                progress=follow,
                texts=app.open_shared_texts(OnlineTransport(ProcessCache(), settings.contact)) if full_texts else None,
            )
            report = await grow_forest(due, await context.read_texts(due), context, forest)
        made = sum(paper.key in report.trees for paper in due)
    used = account.total()
    console.print(
        f"{made:,} trees made with {used.calls:,} calls, {used.input_tokens:,} tokens read and "
        f"{used.output_tokens:,} written; {report.untraced:,} values were left out because the paper does not "
        "say them."
    )
    titles = {paper.key: paper.title for paper in due}
    for key, why in list(report.failed.items())[:SHOWN_FAILURES]:
        console.print(f"No tree: {titles[key]} ({why})", style="yellow")
    return 0 if made else 1


async def _choose_papers(app: App, name: str, about: str, most: int) -> Sequence[Paper]:
    library = await app.libraries.library(name)
    if about:
        return [found.paper for found in await library.search(Query(about, most))]
    papers = [stored.paper async for stored in library.read_all()]
    return sorted(papers, key=lambda paper: -(paper.citations or 0))[:most]
