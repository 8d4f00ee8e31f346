"""The command `bench topics`: every topic of a file written by several recipes, and one table of all of them.

The file lists topics (``docs/autosurvey-topics.json``), or samples of NLPCC 2024's task 6, whose paper (Li et al.,
"Cluster-Based Effective Generation of AI-Driven Literature Surveys", 4.1) names their fields in words.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bot.app import App, open_app
from bot.bench.compare import run_each, write_selected, write_unattended
from bot.bench.yardstick_report import read_json_lines
from bot.cli.evaluate import EvaluateOptions, compare
from bot.cli.running import read_text
from engine.errors import UserError
from engine.evaluation.documents import list_surveys, read_document
from engine.evaluation.measures import measure_overlap
from engine.evaluation.report import word_mean
from engine.evaluation.scores import mean_and_spread, surveys_per_hour
from engine.llm.meter import Account
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import LanguageModel
from engine.rendering.files import as_json
from engine.retrieval.embedding import FittedOnTopic, ready
from engine.retrieval.libraries.combined import ExcludingLibrary
from engine.retrieval.libraries.library import EmptyLibrary
from engine.retrieval.merging.merged_papers import MergedPapers
from engine.retrieval.merging.titles import title_letters
from engine.retrieval.records.record_files import read_record
from engine.run import RunContext
from engine.survey import Survey
from engine.text import fold
from engine.values import Brief, FoundPaper, Paper, PaperSelection, Query

PUBLISHED: Mapping[tuple[int, int], tuple[float, ...]] = {
    (1, 50): (0.8899, 0.4299, 0.1220, 0.1453, 0.2324, 0.5611),
    (51, 100): (0.8632, 0.4494, 0.1343, 0.1362, 0.2400, 0.5516),
    (101, 150): (0.8728, 0.4741, 0.1485, 0.1352, 0.2526, 0.5627),
    (151, 200): (0.8822, 0.4870, 0.1567, 0.1326, 0.2587, 0.5705),
    (201, 400): (0.9056, 0.4364, 0.1515, 0.1197, 0.2359, 0.5707),
}
"""Numbers of references → the published figures of `MEASURES` (table 2, whose last row is printed as 200 to 400)."""

MEASURES = ("soft heading recall", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE average", "final score (NLPCC)")
COLUMNS = ("Heading\nrecall", "\nROUGE-1", "\nROUGE-2", "\nROUGE-L", "ROUGE\naverage", "Final\nscore")
WIDTH = 120
"""Characters that the table needs, where a log is taken to have 80."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What one survey is about; ``references`` are all that it may be written from, where they are given.

    ``human`` is the title of the survey that people wrote, which no search may find (A15).
    """

    name: str
    topic: str
    human: str = ""
    references: tuple[Paper, ...] = ()


async def run_topics(
    console: Console,
    file: Path,
    systems: Sequence[Path],
    length: Brief,
    reference: Path | None = None,
    first: int | None = None,
) -> int:
    """Write what is missing, one after the other, and print the table; the exit code is 1 where one failed.

    Each of ``systems`` is a folder named like the recipe that fills it; ``length`` says how long, and from which
    library. ``reference`` is a folder with the surveys by people, each named like its topic, or like its sample's id;
    only the ``first`` topics are written.
    """
    subjects = read_subjects(file)[:first]
    seconds = defaultdict[str, list[float]](list)
    async with open_app() as app:
        if unknown := [system.name for system in systems if system.name not in app.recipes]:
            raise UserError(f"There is no recipe “{unknown[0]}”; there are: {', '.join(app.recipes)}.")

        async def write(place: str, subject: Subject, system: Path) -> None:
            path, start = system / f"{subject.name}.json", time.perf_counter()
            if path.exists():
                console.print(f"{place}: written before")
                return
            survey = await _write(app, subject, replace(length, topic=subject.topic, recipe=system.name))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(as_json(survey))
            seconds[system.name].append(took := time.perf_counter() - start)
            console.print(f"{place}: {len(survey.references)} papers cited, {took:.0f} s")

        runs = {}
        for number, (subject, system) in enumerate(product(subjects, systems), start=1):
            place = f"{number} of {len(subjects) * len(systems)}: {subject.topic}, {system.name}"
            runs[place] = partial(write, place, subject, system)
        failed = len(runs) > len(await run_each(console, runs))
    for name, times in seconds.items():
        speed, spread = mean_and_spread([surveys_per_hour(one / 3_600) for one in times])
        console.print(f"{name}: {speed:,.1f} ± {spread:,.1f} surveys an hour ({len(times)})")
    systems = [system for system in systems if system.is_dir()]
    if not systems:
        return 1
    if any(subject.references for subject in subjects):
        counts = {subject.name: len(subject.references) for subject in subjects}
        wide = Console(file=console.file, width=max(console.width, WIDTH))
        wide.print(await _tabulate(systems, counts, reference))
        return int(failed)
    humans = [reference] if reference else []
    asked = EvaluateOptions(reference=reference, library=length.library)
    return max(await compare(console, [*systems, *humans], asked), int(failed))


async def _write(app: App, subject: Subject, brief: Brief) -> Survey:
    recipe, provider, limits = app.recipes[brief.recipe], app.provider(), app.settings.limits()
    model: LanguageModel | None = None
    if provider:
        models, record = app.settings.models(), MemoryRecord()
        model = MeteredModel(provider, models, app.throttle, Account(), record, f"{brief.recipe}/{subject.name}")
    if subject.references:
        found = tuple(FoundPaper(paper, 1 / at) for at, paper in enumerate(subject.references, start=1))
        own = app.libraries.neural_embedder() or FittedOnTopic()
        embedder = await asyncio.to_thread(ready, own, subject.references)
        context = RunContext(EmptyLibrary(), embedder, limits, model=model, seed=app.settings.seed)
        return await write_selected(recipe, brief, PaperSelection(found), context)
    library, human = await app.open_library(brief.library), subject.human
    named = await library.search(Query(human, 1, "title")) if human else ()
    same = tuple(item.paper.key for item in named if title_letters(item.paper.title) == title_letters(human))
    brief = replace(brief, library=library.name, without=same)
    searched = ExcludingLibrary(library, brief)
    context = RunContext(searched, await library.embedder(), limits, model=model, seed=app.settings.seed)
    return await write_unattended(recipe, brief, context)


def read_subjects(path: Path) -> tuple[Subject, ...]:
    """The topics, or the samples with their references. Raises `UserError` where the file is neither."""
    try:
        document = json.loads(read_text(path))
    except ValueError:
        document = read_json_lines(path, object)
    items = document.get("topics", [document]) if isinstance(document, dict) else document
    if not isinstance(items, list) or not items:
        raise UserError(f"{path} must hold a list of topics, or samples with “subject” and “references”.")
    subjects = []
    for at, item in enumerate(items, start=1):
        place, fields = f"{path.name}, item {at}", item if isinstance(item, dict) else {"topic": item}
        topic = " ".join(str(_read_field(fields, "topic", "subject", "title") or "").split())
        if not topic:
            raise UserError(f"{place} names no topic or subject.")
        name = str(_read_field(fields, "articleid", "id") or topic).replace("/", "-")  # it names a file
        human = str(_read_field(fields, "humansurvey") or "")
        subjects.append(Subject(name, topic, human, _list_references(place, fields)))
    return tuple(subjects)


def _read_field(fields: Mapping[str, Any], *names: str) -> Any:
    """The first of these fields that is there, be it spelt ``reference content`` or ``Reference_Content``."""
    bare = {"".join(letter for letter in key.lower() if letter.isalnum()): value for key, value in fields.items()}
    return next((bare[name] for name in names if bare.get(name)), None)


def _list_references(place: str, sample: Mapping[str, Any]) -> tuple[Paper, ...]:
    """The references of a sample with their abstracts, if it has any. Raises `UserError` for one without a title.

    ``references`` lists titles or records; ``reference content`` lists the contents in the same order, as texts or
    records, or names each by its title.
    """
    given, contents = _read_field(sample, "references") or [], _read_field(sample, "referencecontent", "contents") or []
    known = MergedPapers()
    for at, reference in enumerate(given):
        record = dict(reference) if isinstance(reference, dict) else {"title": str(reference)}
        if isinstance(contents, dict):
            content = contents.get(record.get("title"), "")
        else:
            content = contents[at] if at < len(contents) else ""
        record |= content if isinstance(content, dict) else {"abstract": content} if content else {}
        known.add(read_record(f"{place}, reference {at + 1}", record))
    return tuple(known.papers.values())


async def _tabulate(systems: Sequence[Path], counts: Mapping[str, int], reference: Path | None) -> Table:
    """A row for each system and number of references, mean ± standard deviation, above what was published.

    ``counts`` are the references of each sample by its name; without surveys by people there is nothing to measure.
    """
    humans = {fold(path.stem): read_document(path) for path in list_surveys(reference)} if reference else {}
    table = Table("References", "Surveys", *COLUMNS, title="By number of references")
    table.caption = (
        "Published figures are of other samples, models and embeddings; “–”: no survey by people to compare with."
    )
    async with open_app() as app:
        embedder = app.libraries.neural_embedder() or await (await app.open_library()).embedder()
    for folder in systems:
        measured: dict[Path, dict[str, float | None]] = {}
        for path in list_surveys(folder):
            if path.stem in counts:
                human = humans.get(fold(path.stem))
                scores = measure_overlap(read_document(path), human, embedder) if human else ()
                measured[path] = {score.name: score.value for score in scores}
        for low, high in ((0, max(counts.values())), *PUBLISHED):
            rows = [values for path, values in measured.items() if low <= counts[path.stem] <= high]
            columns = ([row.get(measure) for row in rows] for measure in MEASURES)
            name = f"{folder.name}, {f'{low}–{high}' if low else 'all'}"
            table.add_row(name, f"{len(rows)}", *(word_mean(column, "–") for column in columns))
        table.add_section()
    for (low, high), published in PUBLISHED.items():
        table.add_row(f"published, {low}–{high}", "", *(f"{value:.3f}" for value in published))
    return table
