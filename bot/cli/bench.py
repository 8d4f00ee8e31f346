"""The commands under `bench`: what the product does, measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.cli.running import LibraryName, open_console, read_place, run_command

if TYPE_CHECKING:
    from rich.console import Console

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Beside = Annotated[Path | None, typer.Option(help="What another commit printed with --json: shown beside this one's.")]

bench = typer.Typer(help="Measure.", no_args_is_help=True, rich_markup_mode=None)


@contextmanager
def _open_clone_console() -> Iterator[Console]:
    """A console for what plays people, platforms and services: those come with the tests."""
    with open_console() as console:
        try:
            yield console
        except ModuleNotFoundError as error:
            raise typer.BadParameter("its stand-ins are with the tests: run it in a clone of the repository") from error


@bench.command("gather")
def bench_gather(
    gold: Annotated[list[Path], typer.Option(help="JSON: topic → list of paper ids; may be named several times.")],
    library: LibraryName = "",
    at: Annotated[str, typer.Option(help="local or weaviate, for a library that is in both places.")] = "",
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """What a survey gets of the papers wanted, at 100, 300 and 1200, beside what the library's own search has."""
    with open_console() as console:
        from bot.bench.gather import measure_gathering
        from bot.bench.report import ReportOptions

        place = read_place(at)

    run_command(measure_gathering(console, gold, library, place, ReportOptions(json, beside)))


@bench.command("understand")
def bench_understand(
    data: Annotated[Path, typer.Option(help="JSON Lines: text, phase, place, means.")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """Share of utterances that are read as they were meant, without a language model."""
    with open_console() as console:
        from bot.bench.report import ReportOptions
        from bot.bench.understand import understand_file

    run_command(understand_file(console, data, ReportOptions(json, beside)))


@bench.command("identity")
def bench_identity(
    pairs: Annotated[Path, typer.Option(help="JSON Lines: a and b, records as ingest reads them, and same.")],
    json: AsJson = False,
) -> None:
    """False and missed merges on pairs of records of which it is known whether they are one paper."""
    with open_console() as console:
        from bot.bench.identity import identity

    run_command(identity(console, pairs, as_json=json))


@bench.command("write")
def bench_write(
    library: LibraryName = "",
    topic: Annotated[str, typer.Option(help="What the survey is about.")] = "Graph Neural Networks",
    sections: Annotated[int, typer.Option(help="Number of sections.")] = 8,
    words: Annotated[int, typer.Option(help="Words of each subsection.")] = 700,
    recipe: Annotated[str, typer.Option(help="all, autosurvey, surveyx, cluster, naive, organiser or quick.")] = "all",
    pace: Annotated[float, typer.Option(help="The service's waits: 1 usual, 2 twice as long, 0 none.")] = 1.0,
    faults: Annotated[bool, typer.Option("--faults", help="Also one run for each kind of fault.")] = False,
    estimates: Annotated[bool, typer.Option("--estimates", help="Also what is said before writing.")] = False,
) -> None:
    """Time, tokens and faults of a recipe on a simulated language model; what was said before against what was used."""
    with _open_clone_console() as console:
        from tests.measures.estimates import WRITING_RECIPES, print_estimates

    names = WRITING_RECIPES if recipe == "all" else (recipe,)
    if not set(names) <= set(WRITING_RECIPES):
        raise typer.BadParameter(f"say all, {', '.join(WRITING_RECIPES)}", param_hint="--recipe")

    async def measure() -> int:
        from tests.measures.write import Task, write

        written = "autosurvey" if recipe == "all" else recipe
        await write(console, Task(library, topic, written, (sections, words)), pace, faults=faults)
        if not estimates:
            return 0
        return await print_estimates(console, library, topic, (sections, words), names, pace)

    run_command(measure())


@bench.command("checks")
def bench_checks(
    data: Annotated[Path, typer.Argument(help="JSON Lines: ds, claim, title, source, label (1: the source says so).")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """Share of false and of true claims that the program doubts by itself, against the whole source."""
    with open_console() as console:
        from bot.bench.checks import checks as run
        from bot.bench.report import ReportOptions

        run(console, data, ReportOptions(json, beside))


@bench.command("honesty")
def bench_honesty(
    library: LibraryName = "",
    drafts: Annotated[int, typer.Option(help="Drafts of about ten sentences.")] = 60,
    rate: Annotated[float, typer.Option(help="Share of sentences that are falsehoods.")] = 0.4,
    error: Annotated[float, typer.Option(help="Share of the simulated judge's verdicts that are wrong.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Decides what is planted where, and where the judge errs.")] = 0,
    json: AsJson = False,
) -> None:
    """Plant falsehoods in drafts, have a simulated judge that errs check them, and count what stands."""
    with _open_clone_console() as console:
        from tests.measures.honesty import HonestyOptions
        from tests.measures.honesty import honesty as run

    run_command(run(console, library, HonestyOptions(drafts, rate, error, seed), as_json=json))


@bench.command("crash")
def bench_crash(
    kills: Annotated[int, typer.Option(help="How often a process is killed.")] = 20,
    processes: Annotated[int, typer.Option(help="Processes at once.")] = 1,
    database: Annotated[str, typer.Option(help="postgresql://… of an empty database; empty: SQLite.")] = "",
    seed: Annotated[int, typer.Option(help="Decides the moments.")] = 0,
) -> None:
    """Kill processes at random moments of running jobs; count what was lost, doubled, or paid again."""
    with _open_clone_console() as console:
        from tests.measures.crash import crash as run

    run_command(run(console, kills, processes, database, seed))


@bench.command("thread")
def bench_thread(
    platform: Annotated[str, typer.Option(help="slack or discord.")] = "slack",
    questions: Annotated[bool, typer.Option("--questions", help="Also ask, look and change afterwards.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON: figures without the thread.")] = False,
) -> None:
    """Play one survey of six sections in a thread of a stand-in; print it, and how long it is."""
    if platform not in ("slack", "discord"):
        raise typer.BadParameter(f"“{platform}” is no platform; say slack or discord.")
    on: Literal["slack", "discord"] = "slack" if platform == "slack" else "discord"
    with _open_clone_console() as console:
        from tests.stand_ins.played_thread import thread as run

    run_command(run(console, on, as_json=json, questions=questions))


@bench.command("load")
def bench_load(
    conversations: Annotated[int, typer.Option(help="Conversations at once.")] = 500,
) -> None:
    """Many conversations at once in one process, every event sent twice."""
    with _open_clone_console() as console:
        from tests.measures.load import load as run

    run_command(run(console, conversations))


@bench.command("fuzz")
def bench_fuzz(
    messages: Annotated[int, typer.Option(help="How many messages; 2,300 are all.")] = 2_300,
    seed: Annotated[int, typer.Option(help="Decides their order.")] = 0,
) -> None:
    """What the longest and oddest messages cost, at every step and from every rank of person."""
    with _open_clone_console() as console:
        from tests.measures.fuzz import fuzz

    run_command(fuzz(console, messages, seed))


@bench.command("memory")
def bench_memory(
    library: LibraryName = "",
    surveys: Annotated[int, typer.Option(help="How many are written.")] = 100,
    at_once: Annotated[int, typer.Option(help="How many at once.")] = 1,
    traced: Annotated[bool, typer.Option("--trace", help="Say which lines of code hold most; slow.")] = False,
) -> None:
    """What a process holds after many surveys without a language model."""
    with _open_clone_console() as console:
        from tests.measures.memory import memory

    run_command(memory(console, library, surveys, at_once, traced=traced))


@bench.command("roles")
def bench_roles(
    data: Annotated[Path | None, typer.Option(help="Labelled abstracts to measure on, JSON Lines.")] = None,
    train: Annotated[list[Path] | None, typer.Option(help="Labelled abstracts to fit to; may be repeated.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File for the fitted weights.")] = None,
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """What the sentences of an abstract do: how often the model is right; with --train, fit it anew."""
    if bool(data) == bool(train):
        raise typer.BadParameter("give either --data FILE, to measure, or --train FILE, to fit.")
    with open_console() as console:
        from bot.bench import roles
        from bot.bench.report import ReportOptions

    options = ReportOptions(json, beside)
    run_command(roles.measure(console, data, options) if data else roles.train(console, train or [], output, options))


@bench.command("ablation")
def bench_ablation(
    topic: Annotated[str, typer.Option(help="What the surveys are about.")],
    library: LibraryName = "",
    sections: Annotated[int, typer.Option(help="Number of sections.")] = 5,
    words: Annotated[int, typer.Option(help="Words of each subsection.")] = 150,
    json: AsJson = False,
) -> None:
    """AutoSurvey's recipe without each of its parts, and with the mistake of its public code; the model also judges."""
    with open_console() as console:
        from bot.bench.ablation import ablate
        from engine.values import Brief

    brief = Brief(topic, "autosurvey", library, sections=sections, subsection_words=words)
    run_command(ablate(console, library, brief, as_json=json))


@bench.command("questions")
def bench_questions(
    claims: Annotated[Path | None, typer.Option(help="Measure: true claims asked as questions, JSON Lines.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Make questions on it; may be named several times.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="File for what is made.")] = Path("questions.json"),
    library: LibraryName = "",
    count: Annotated[int, typer.Option(min=1, help="Questions on each topic.")] = 10,
    seed: Annotated[int, typer.Option(help="Decides the wrong choices.")] = 0,
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """How often a question finds the paper that answers it; or questions “which paper proposed X?” from a library.

    The second are for `evaluate --questions`.
    """
    if bool(claims) == bool(topic):
        raise typer.BadParameter("give either --claims FILE, to measure, or --topic, to make questions.")
    with open_console() as console:
        from bot.bench import questions
        from bot.bench.report import ReportOptions

        if claims:
            questions.print_answers(console, claims, ReportOptions(json, beside))
    if topic:
        run_command(questions.write_questions(console, topic, library, count, seed, output))


@bench.command("rating-form")
def bench_rating_form(
    systems: Annotated[list[Path], typer.Argument(help="Folders: each is a system, each file in it a topic.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the form.")],
    seed: Annotated[int, typer.Option(help="Decides the order of the surveys.")] = 0,
) -> None:
    """A form in which people rate surveys without knowing who wrote them: an import for Label Studio."""
    with open_console() as console:
        from bot.cli.ratings import write_form

    run_command(write_form(console, systems, output, seed))


@bench.command("ratings")
def bench_ratings(
    export: Annotated[Path, typer.Argument(help="Label Studio's export (JSON, JSON-MIN, CSV), or a CSV made by hand.")],
    key: Annotated[Path | None, typer.Option(help="The key that was written with the form.")] = None,
    ranks: Annotated[Path | None, typer.Option(help="File for the surveys' ranks, for evaluate --ranks.")] = None,
    json: AsJson = False,
) -> None:
    """What people gave each system, and how far they agree."""
    with open_console() as console:
        from bot.cli.ratings import print_ratings

    run_command(print_ratings(console, export, key, ranks, as_json=json))


@bench.command("compare")
def bench_compare(
    topic: Annotated[str, typer.Option(help="What the surveys are about.")],
    library: LibraryName = "",
    sections: Annotated[int, typer.Option(help="Number of sections.")] = 5,
    words: Annotated[int, typer.Option(help="Words of each subsection.")] = 150,
    reference: Annotated[Path | None, typer.Option(help="A human survey on the topic (.md, .json or .pdf).")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder for the picture.")] = None,
    json: AsJson = False,
) -> None:
    """Every recipe on one topic: seconds, calls, tokens, money, references, claims, checked share, overlap."""
    with open_console() as console:
        from bot.bench.compare import Comparison, compare
        from bot.cli.evaluate import read_document

    human = read_document(reference) if reference else None
    wanted = Comparison(topic, library, sections, words, human)
    run_command(compare(console, wanted, output, as_json=json))
