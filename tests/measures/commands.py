"""The commands under `bench` that need stand-ins of people, platforms and services: in a clone of the repository."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from bot.cli.running import AsJson, LibraryName, open_console, run_command


def add_commands(bench: typer.Typer) -> None:
    """Add them to the others."""
    bench.command("write")(bench_write)
    bench.command("honesty")(bench_honesty)
    bench.command("crash")(bench_crash)
    bench.command("thread")(bench_thread)
    bench.command("load")(bench_load)
    bench.command("fuzz")(bench_fuzz)
    bench.command("memory")(bench_memory)


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
    with open_console() as console:
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


def bench_honesty(
    library: LibraryName = "",
    drafts: Annotated[int, typer.Option(help="Drafts of about ten sentences.")] = 60,
    rate: Annotated[float, typer.Option(help="Share of sentences that are falsehoods.")] = 0.4,
    error: Annotated[float, typer.Option(help="Share of the simulated judge's verdicts that are wrong.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Decides what is planted where, and where the judge errs.")] = 0,
    json: AsJson = False,
) -> None:
    """Plant falsehoods in drafts, have a simulated judge that errs check them, and count what stands."""
    with open_console() as console:
        from tests.measures.honesty import HonestyOptions
        from tests.measures.honesty import honesty as run

    run_command(run(console, library, HonestyOptions(drafts, rate, error, seed), as_json=json))


def bench_crash(
    kills: Annotated[int, typer.Option(help="How often a process is killed.")] = 20,
    processes: Annotated[int, typer.Option(help="Processes at once.")] = 1,
    database: Annotated[str, typer.Option(help="postgresql://… of an empty database; empty: SQLite.")] = "",
    seed: Annotated[int, typer.Option(help="Decides the moments.")] = 0,
) -> None:
    """Kill processes at random moments of running jobs; count what was lost, doubled, or paid again."""
    with open_console() as console:
        from tests.measures.crash import crash as run

    run_command(run(console, kills, processes, database, seed))


def bench_thread(
    platform: Annotated[Literal["slack", "discord"], typer.Option(help="Where.")] = "slack",
    questions: Annotated[bool, typer.Option("--questions", help="Also ask, look and change afterwards.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON: figures without the thread.")] = False,
) -> None:
    """Play one survey of six sections in a thread of a stand-in; print it, and how long it is."""
    with open_console() as console:
        from tests.stand_ins.played_thread import thread as run

    run_command(run(console, platform, as_json=json, questions=questions))


def bench_load(
    conversations: Annotated[int, typer.Option(help="Conversations at once.")] = 500,
) -> None:
    """Many conversations at once in one process, every event sent twice."""
    with open_console() as console:
        from tests.measures.load import load as run

    run_command(run(console, conversations))


def bench_fuzz(
    messages: Annotated[int, typer.Option(help="How many messages; 2,300 are all.")] = 2_300,
    seed: Annotated[int, typer.Option(help="Decides their order.")] = 0,
) -> None:
    """What the longest and oddest messages cost, at every step and from every rank of person."""
    with open_console() as console:
        from tests.measures.fuzz import fuzz

    run_command(fuzz(console, messages, seed))


def bench_memory(
    library: LibraryName = "",
    surveys: Annotated[int, typer.Option(help="How many are written.")] = 100,
    at_once: Annotated[int, typer.Option(help="How many at once.")] = 1,
    traced: Annotated[bool, typer.Option("--trace", help="Say which lines of code hold most; slow.")] = False,
) -> None:
    """What a process holds after many surveys without a language model."""
    with open_console() as console:
        from tests.measures.memory import memory

    run_command(memory(console, library, surveys, at_once, traced=traced))
