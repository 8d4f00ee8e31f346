"""The command line: chat, write, demo, ingest, bench, backup, doctor and others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from engine.errors import ScholiumError

cli = typer.Typer(
    help="Scholium writes literature surveys together with you; every citation is a real, checked paper.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
bench = typer.Typer(help="Measure.", no_args_is_help=True)
cli.add_typer(bench, name="bench")

Library = Annotated[str, typer.Option(help="Name of the library of papers.")]
Folder = Annotated[Path | None, typer.Option("-o", "--output", help="Folder for the files.")]


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        Console().print(f"scholium {version('scholium')}", highlight=False)
        raise typer.Exit


@cli.callback()
def scholium(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Scholium writes literature surveys together with you; every citation is a real, checked paper."""


@cli.command()
def chat(library: Library = "", output: Folder = None) -> None:
    """Talk a survey into being."""
    with _starting() as console:
        from bot.cli.terminal import chat as conversation

    _run(conversation(console, library, output))


@cli.command()
def write(
    topic: Annotated[str, typer.Argument(help="What the survey is about.")],
    library: Library = "",
    recipe: Annotated[str, typer.Option(help="The published method to follow.")] = "",
    sections: Annotated[str, typer.Option(help="Number of sections, introduction and conclusion included.")] = "",
    subsection_words: Annotated[str, typer.Option(help="Words of each subsection.")] = "",
    length: Annotated[str, typer.Option(help="Length class: 8k, 16k, 32k or 64k tokens.")] = "",
    years: Annotated[str, typer.Option(help="Years of publication, for example 2018..2025.")] = "",
    online: Annotated[str, typer.Option(help="yes or no: search Semantic Scholar too.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Accept the cost too, where there is one.")] = False,
    output: Folder = None,
) -> None:
    """Write a survey with every proposal approved: the same conversation, nobody asked."""
    with _starting() as console:
        from bot.cli.terminal import write as conversation

    options = {
        "library": library,
        "recipe": recipe,
        "sections": sections,
        "words": subsection_words,
        "length": length,
        "years": years,
        "online": online,
    }
    given = {name: value for name, value in options.items() if value}
    _run(conversation(console, topic, given, output, accept_cost=yes))


@cli.command()
def quick(
    question: Annotated[str, typer.Argument(help="A question, or a topic.")],
    library: Library = "",
    online: Annotated[str, typer.Option(help="yes or no: search Semantic Scholar, OpenAlex, arXiv, PubMed too.")] = "",
    years: Annotated[str, typer.Option(help="Years of publication, for example 2018..2025.")] = "",
    papers: Annotated[str, typer.Option(help="Papers of each query in each place, 10 to 500.")] = "",
    places: Annotated[str, typer.Option(help="library, semantic scholar, openalex, arxiv, pubmed; with commas.")] = "",
    only_search: Annotated[bool, typer.Option("--only-search", help="The papers as a table, no review.")] = False,
    output: Folder = None,
) -> None:
    """Answer a question from papers in two or three minutes, with sources."""
    with _starting() as console:
        from bot.cli.terminal import review

    named = {"library": library, "online": online, "years": years, "papers": papers, "places": places}
    given = {name: value for name, value in {**named, "review": "no" if only_search else ""}.items() if value}
    _run(review(console, question, given, output))


@cli.command()
def demo(output: Folder = None) -> None:
    """Play a whole conversation over the bundled library."""
    with _starting() as console:
        from bot.cli.terminal import demo as conversation

    _run(conversation(console, output or Path("scholium-demo")))


@cli.command()
def slack() -> None:
    """Serve Slack: Socket Mode, or signed HTTP."""
    with _starting() as console:
        from bot.cli.platforms import slack as run

    _run(run(console))


@cli.command()
def discord() -> None:
    """Serve Discord."""
    with _starting() as console:
        from bot.cli.platforms import discord as run

    _run(run(console))


@cli.command()
def ingest(
    files: Annotated[list[Path], typer.Argument(help="JSON Lines, BibTeX, RIS or CSV; .gz too.")],
    library: Library = "",
    to: Annotated[str, typer.Option(help="local or weaviate; else where the library is already.")] = "",
) -> None:
    """Add papers to a library; repeating it changes nothing."""
    with _starting() as console:
        from bot.cli.ingest import ingest as run

        place = _place(to)

    _run(run(console, files, library, place))


@cli.command()
def move(library: Annotated[str, typer.Argument(help="Name of a library on this machine.")]) -> None:
    """Copy a library into Weaviate (WEAVIATE_URL) without embedding its papers again."""
    with _starting() as console:
        from bot.cli.ingest import move as run

    _run(run(console, library))


@cli.command()
def trees(
    library: Annotated[str, typer.Argument(help="Name of the library.")] = "",
    about: Annotated[str, typer.Option(help="Only papers found for this topic; else the most cited.")] = "",
    most: Annotated[int, typer.Option(help="At most so many papers.")] = 1_000,
    full_texts: Annotated[int, typer.Option(help="Of so many papers read the open-access text.")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Accept the cost.")] = False,
) -> None:
    """Make the attribute trees that recipe=surveyx writes from ahead of time; repeating it goes on."""
    with _starting() as console:
        from bot.cli.trees import grow_trees as run

    _run(run(console, library, about, most, full_texts, accept_cost=yes))


@cli.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to be written.")]) -> None:
    """Write every conversation, recorded call and cost into one file."""
    with _starting() as console:
        from bot.cli.administration import backup as run

    _run(run(console, file))


@cli.command()
def restore(file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")]) -> None:
    """Read a backup into an empty store, SQLite or Postgres."""
    with _starting() as console:
        from bot.cli.administration import restore as run

    _run(run(console, file))


@cli.command("export-data")
def export_data(
    person: Annotated[str, typer.Argument(help="The person's name as the platform gives it.")],
    output: Folder = None,
) -> None:
    """Write all that is stored about a person into a JSON file."""
    with _starting() as console:
        from bot.cli.administration import export_data as run

    _run(run(console, person, output))


@cli.command("delete-data")
def delete_data(
    person: Annotated[str, typer.Argument(help="The person's name as the platform gives it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all that is stored about a person."""
    with _starting() as console:
        from bot.cli.administration import delete_data as run

    if not yes:
        typer.confirm(f"Delete everything stored about {person}? This cannot be undone.", abort=True)
    _run(run(console, person))


@cli.command()
def settings(
    *, env: Annotated[bool, typer.Option("--env", help="As a file .env to fill in, instead of a page.")] = False
) -> None:
    """Every setting with its default and meaning."""
    from bot.cli.settings_page import render_environment, render_page

    typer.echo(render_environment() if env else render_page(), nl=False)


@cli.command()
def doctor() -> None:
    """Say what is configured, what works, and what to do about what does not."""
    with _starting() as console:
        from bot.cli.doctor import doctor as run

    _run(run(console))


@cli.command()
def evaluate(
    surveys: Annotated[list[Path], typer.Argument(help="A survey (.md, .json, .pdf); with --compare: folders.")],
    topic: Annotated[str, typer.Option(help="The topic; else the survey's title or the file's name.")] = "",
    reference: Annotated[Path | None, typer.Option(help="A human survey; with --compare: a folder of them.")] = None,
    judges: Annotated[str, typer.Option(help="Models that judge, divided by commas; “simulated” tries it out.")] = "",
    entailment: Annotated[str, typer.Option(help="Who decides on claims: auto, rule, local, model.")] = "auto",
    questions: Annotated[Path | None, typer.Option(help="Multiple-choice questions (JSON) for the test.")] = None,
    library: Library = "",
    compare: Annotated[bool, typer.Option("--compare", help="Each folder is a system, each file a topic.")] = False,
    pairwise: Annotated[bool, typer.Option("--pairwise", help="With --compare: judges also compare in pairs.")] = False,
    ranks: Annotated[Path | None, typer.Option(help="With --compare: people's ranks (JSON) to agree with.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Print reasons and unsupported claims too.")] = False,
    output: Folder = None,
) -> None:
    """Score any survey by every measure of the four papers, and say how each figure was obtained."""
    with _starting() as console:
        from bot.cli import evaluate as evaluating

    names = tuple(name.strip() for name in judges.split(",") if name.strip())
    wanted = evaluating.EvaluateOptions(
        topic, reference, names, library, questions, entailment, ranks, pairwise, output, json, details
    )
    if compare:
        _run(evaluating.compare(console, surveys, wanted))
    elif len(surveys) > 1:
        raise typer.BadParameter("name one survey, or folders with --compare")
    else:
        _run(evaluating.evaluate(console, surveys[0], wanted))


@bench.command()
def find(
    gold: Annotated[Path, typer.Option(help="JSON: topic → list of paper ids.")],
    library: Library = "",
    at: Annotated[str, typer.Option(help="local or weaviate, for a library that is in both places.")] = "",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Recall of the papers that human surveys cite, at 100, 300, 600 and 1200."""
    with _starting() as console:
        from bot.bench.find import find as run

        place = _place(at)

    _run(run(console, gold, library, place, as_json=json))


@bench.command("understand")
def bench_understand(
    data: Annotated[Path, typer.Option(help="JSON Lines: text, phase, place, means.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Share of utterances that are read as they were meant, without a language model."""
    with _starting() as console:
        from bot.bench.understand import understand_file

    _run(understand_file(console, data, as_json=json))


@bench.command("write")
def bench_write(
    library: Library = "",
    topic: Annotated[str, typer.Option(help="What the survey is about.")] = "Graph Neural Networks",
    sections: Annotated[int, typer.Option(help="Number of sections.")] = 8,
    words: Annotated[int, typer.Option(help="Words of each subsection.")] = 700,
    recipe: Annotated[str, typer.Option(help="autosurvey, or surveyx beside it.")] = "autosurvey",
    pace: Annotated[float, typer.Option(help="With surveyx: 1 is a service's usual speed.")] = 1.0,
    faults: Annotated[bool, typer.Option("--faults", help="Also one run for each kind of fault.")] = False,
) -> None:
    """Time, tokens and faults of a recipe on a simulated language model."""
    if recipe not in {"autosurvey", "surveyx"}:
        raise typer.BadParameter("say autosurvey or surveyx", param_hint="--recipe")
    if recipe == "surveyx":
        with _starting() as console:
            from bot.bench.write_surveyx import write_surveyx

        _run(write_surveyx(console, library, topic, (sections, words), pace))
    with _starting() as console:
        from bot.bench.write import write as run

    _run(run(console, library, topic, (sections, words), faults=faults))


@bench.command("honesty")
def bench_honesty(
    library: Library = "",
    drafts: Annotated[int, typer.Option(help="Drafts of about ten sentences.")] = 150,
    rate: Annotated[float, typer.Option(help="Share of sentences that are falsehoods.")] = 0.4,
    error: Annotated[float, typer.Option(help="Share of the checker's verdicts that are wrong.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Decides what is planted where.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Plant falsehoods and bad forms in drafts, and count what the check makes of them."""
    with _starting() as console:
        from bot.bench.honesty import honesty as run

    _run(run(console, library, {"drafts": drafts, "rate": rate, "error": error, "seed": seed}, as_json=json))


@bench.command("crash")
def bench_crash(
    kills: Annotated[int, typer.Option(help="How often a process is killed.")] = 20,
    processes: Annotated[int, typer.Option(help="Processes at once.")] = 1,
    database: Annotated[str, typer.Option(help="postgresql://… of an empty database; empty: SQLite.")] = "",
    seed: Annotated[int, typer.Option(help="Decides the moments.")] = 0,
) -> None:
    """Kill processes at random moments of running jobs; count what was lost, doubled, or paid again."""
    with _starting() as console:
        from bot.bench.crash import crash as run

    _run(run(console, kills, processes, database, seed))


@bench.command("load")
def bench_load(
    conversations: Annotated[int, typer.Option(help="Conversations at once.")] = 500,
) -> None:
    """Many conversations at once in one process, every event sent twice."""
    with _starting() as console:
        from bot.bench.load import load as run

    _run(run(console, conversations))


@bench.command("roles")
def bench_roles(
    data: Annotated[Path | None, typer.Option(help="Labelled abstracts to measure on, JSON Lines.")] = None,
    train: Annotated[list[Path] | None, typer.Option(help="Labelled abstracts to fit to; may be repeated.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="File for the fitted weights.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What the sentences of an abstract do: how often the model is right; with --train, fit it anew."""
    if bool(data) == bool(train):
        raise typer.BadParameter("give either --data FILE, to measure, or --train FILE, to fit.")
    with _starting() as console:
        from bot.bench import roles

    _run(
        roles.measure(console, data, as_json=json) if data else roles.train(console, train or [], output, as_json=json)
    )


def _place(said: str) -> Any:
    """Where a library is; ``None`` where nothing was said."""
    if said not in {"", "local", "weaviate"}:
        raise typer.BadParameter(f"“{said}” is no place for a library; say local or weaviate.")
    return said or None


@contextmanager
def _starting() -> Iterator[Console]:
    """A console, and a sign of life on it while the scientific libraries are loaded, which takes seconds."""
    console = Console()
    with console.status("Starting …"):
        yield console


def _run(work: Coroutine[Any, Any, int]) -> None:
    """Run to the end; our errors become one sentence on standard error and exit code 1."""
    try:
        code = asyncio.run(work)
    except ScholiumError as error:
        Console(stderr=True).print(str(error), markup=False, highlight=False, style="red")
        code = 1
    except KeyboardInterrupt:
        code = 130
    raise typer.Exit(code)


def main() -> None:
    """Entry point of the command ``scholium``."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without our characters must not end a survey
    cli()


if __name__ == "__main__":
    main()
