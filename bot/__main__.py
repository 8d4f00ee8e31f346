"""The command line: chat, write, demo, ingest, bench, backup, doctor and others."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.cli.bench import bench
from bot.cli.running import WAITS_FOR_PERSON, AsJson, LibraryName, Place, open_console, require_home, run, run_command

cli = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,  # help in plain text takes a third of the time
)
cli.add_typer(bench, name="bench")

Folder = Annotated[Path | None, typer.Option("-o", "--output", help="Folder for the files.")]
Platform = Literal["slack", "discord"]
EntailmentChoice = Literal["auto", "rule", "local", "model"]
PersonName = Annotated[str, typer.Option("--as", help="Whose survey it is, where several people share a store.")]


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it so
    if wanted:
        from importlib.metadata import version

        typer.echo(f"scholium {version('scholium')}")
        raise typer.Exit


@cli.callback()
def scholium(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Scholium writes literature surveys together with you; every citation is a real, checked paper."""


@cli.command()
def chat(library: LibraryName = "", output: Folder = None, person: PersonName = "") -> None:
    """Talk a survey into being."""
    run("cli.conversations.chat", library, output, person)


@cli.command()
def write(
    words: Annotated[
        list[str],
        typer.Argument(metavar="TOPIC", help="What the survey is about; options as in chat (recipe=surveyx)."),
    ],
    library: LibraryName = "",
    recipe: Annotated[str, typer.Option(help="The published method to follow.")] = "",
    sections: Annotated[str, typer.Option(help="Number of sections, introduction and conclusion included.")] = "",
    subsection_words: Annotated[str, typer.Option(help="Words of each subsection.")] = "",
    length: Annotated[str, typer.Option(help="Length class: 8k, 16k, 32k or 64k tokens.")] = "",
    years: Annotated[str, typer.Option(help="Years of publication, for example 2018..2025.")] = "",
    online: Annotated[str, typer.Option(help="yes or no: search Semantic Scholar too.")] = "",
    without: Annotated[Path | None, typer.Option(help="File of DOIs or arXiv ids that no search may find.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Accept the cost too, where there is one.")] = False,
    output: Folder = None,
    person: PersonName = "",
) -> None:
    """Write a survey, every proposal approved.

    The same conversation as in chat, but nobody is asked.
    """
    named = {"library": library, "recipe": recipe, "sections": sections, "words": subsection_words, "length": length}
    options = {**named, "years": years, "online": online, "without": str(without or "")}
    run("cli.conversations.write", words, options, output, person, accept_cost=yes)


@cli.command()
def quick(
    words: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help="A question, or a topic; options as in chat (papers=100).")
    ],
    library: LibraryName = "",
    online: Annotated[str, typer.Option(help="yes or no: search Semantic Scholar, OpenAlex, arXiv, PubMed too.")] = "",
    years: Annotated[str, typer.Option(help="Years of publication, for example 2018..2025.")] = "",
    papers: Annotated[str, typer.Option(help="Papers of each query in each place, 10 to 500.")] = "",
    places: Annotated[str, typer.Option(help="Where to search: library, services by name; with commas.")] = "",
    only_search: Annotated[bool, typer.Option("--only-search", help="The papers as a table, no review.")] = False,
    output: Folder = None,
    person: PersonName = "",
) -> None:
    """Answer a question from papers in two minutes."""
    named = {"library": library, "online": online, "years": years, "papers": papers, "places": places}
    run("cli.conversations.review", words, {**named, "review": "no" if only_search else ""}, output, person)


@cli.command()
def demo(output: Folder = None) -> None:
    """Play a whole conversation over the bundled library."""
    run("cli.conversations.demo", output or Path("scholium-demo"))


@cli.command()
def slack() -> None:
    """Serve Slack: Socket Mode, or signed HTTP."""
    _serve("slack")


@cli.command()
def discord() -> None:
    """Serve Discord."""
    _serve("discord")


def _serve(platform: Platform) -> None:
    require_home()
    run("cli.platforms.serve", platform, final_code=WAITS_FOR_PERSON)


@cli.command()
def worker(
    platform: Annotated[Platform | None, typer.Argument(help="Not needed where only one is set up.")] = None,
    queue: Annotated[
        Literal["short", "long"] | None,
        typer.Option(help="Only jobs that people wait for while they talk (short), or only the rest."),
    ] = None,
) -> None:
    """Run jobs of a platform's conversations and talk to nobody; start as many as there is work for."""
    require_home()
    run("cli.platforms.work", platform, queue, final_code=WAITS_FOR_PERSON)


@cli.command()
def ingest(
    files: Annotated[list[Path], typer.Argument(help="Files of references, PDFs of papers, or folders of them.")],
    library: LibraryName = "",
    to: Annotated[Place | None, typer.Option(help="Else where the library is already.")] = None,
) -> None:
    """Add papers to a library; repeating it changes nothing."""
    run("cli.ingest.ingest", files, library, to)


@cli.command()
def unmerge(
    paper: Annotated[str, typer.Argument(help="DOI, arXiv id or key of the paper.")],
    library: LibraryName = "",
    workspace: Annotated[str, typer.Option(help="Among the papers that a workspace added: slack:T0123.")] = "",
    record: Annotated[int | None, typer.Option(min=1, help="Take only this record out, by its number.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Only list the records.")] = False,
) -> None:
    """Take a paper apart again that was merged from several records; they are not merged again."""
    run("cli.administration.unmerge", paper, library, workspace, record, show=show)


@cli.command()
def move(library: Annotated[str, typer.Argument(help="Name of a library on this machine.")]) -> None:
    """Copy a library into Weaviate.

    The server is the one of WEAVIATE_URL; the papers are not embedded again.
    """
    run("cli.ingest.move", library)


@cli.command()
def trees(
    library: Annotated[str, typer.Argument(help="Name of the library.")] = "",
    about: Annotated[str, typer.Option(help="Only papers found for this topic; else the most cited.")] = "",
    most: Annotated[int, typer.Option(help="At most so many papers.")] = 1_000,
    full_texts: Annotated[int, typer.Option(help="Of so many papers read the open-access text.")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Accept the cost.")] = False,
) -> None:
    """Make attribute trees ahead of time.

    A survey by recipe=surveyx writes from them. Repeating the command goes on where it was interrupted.
    """
    run("cli.trees.grow_trees", library, about, most, full_texts, accept_cost=yes)


@cli.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to be written.")]) -> None:
    """Write conversations, calls and costs to a file."""
    run("cli.administration.backup", file)


@cli.command()
def restore(file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")]) -> None:
    """Read a backup into an empty store."""
    run("cli.administration.restore", file)


@cli.command("export-data")
def export_data(
    person: Annotated[str, typer.Argument(help="The person's name as the platform gives it.")],
    output: Folder = None,
) -> None:
    """Write all data of a person to a JSON file."""
    run("cli.administration.export_data", person, output)


@cli.command("delete-papers")
def delete_papers(
    workspace: Annotated[str, typer.Argument(help="Platform and workspace: slack:T0123, discord:456.")],
    papers: Annotated[list[str] | None, typer.Argument(help="Only these: DOIs, arXiv ids, keys.")] = None,
) -> None:
    """Delete what a workspace added: papers, texts, trees."""
    run("cli.administration.delete_papers", workspace, papers or [])


@cli.command("delete-data")
def delete_data(
    person: Annotated[str, typer.Argument(help="The person's name as the platform gives it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all data of a person."""
    if not yes:
        typer.confirm(f"Delete everything stored about {person}? This cannot be undone.", abort=True)
    run("cli.administration.delete_data", person)


@cli.command("set-aside")
def set_aside(
    retry: Annotated[list[str] | None, typer.Option(help="The id of one to be tried again, or all.")] = None,
) -> None:
    """List what people said that failed three times, or try it again."""
    run("cli.administration.set_aside", retry or ())


@cli.command()
def settings(
    *, env: Annotated[bool, typer.Option("--env", help="As a file .env to fill in, instead of a page.")] = False
) -> None:
    """Every setting with its default and meaning."""
    from bot.cli.settings_page import render_environment, render_page

    typer.echo(render_environment() if env else render_page(), nl=False)


@cli.command()
def doctor() -> None:
    """Check what is configured and what works."""
    require_home()
    run("cli.doctor.doctor")


@cli.command()
def evaluate(
    surveys: Annotated[list[Path], typer.Argument(help="A survey (.md, .html, .json, .pdf); with --compare: folders.")],
    topic: Annotated[str, typer.Option(help="The topic; else the survey's title or the file's name.")] = "",
    reference: Annotated[Path | None, typer.Option(help="A human survey; with --compare: a folder of them.")] = None,
    judges: Annotated[str, typer.Option(help="Models, openai:MODEL,anthropic:MODEL; or “simulated”.")] = "",
    entailment: Annotated[EntailmentChoice, typer.Option(help="Who decides on claims.")] = "auto",
    questions: Annotated[Path | None, typer.Option(help="Multiple-choice questions (JSON) for the test.")] = None,
    naive: Annotated[Path | None, typer.Option(help="A naive survey that the test compares with.")] = None,
    library: LibraryName = "",
    compare: Annotated[bool, typer.Option("--compare", help="Each folder is a system, each file a topic.")] = False,
    pairwise: Annotated[bool, typer.Option("--pairwise", help="With --compare: judges also compare in pairs.")] = False,
    ranks: Annotated[Path | None, typer.Option(help="With --compare: people's ranks (JSON) to agree with.")] = None,
    online: Annotated[bool, typer.Option("--online", help="Look unknown references up online.")] = False,
    json: AsJson = False,
    details: Annotated[bool, typer.Option("--details", help="Print reasons and unsupported claims too.")] = False,
    output: Folder = None,
) -> None:
    """Score any survey, and say how.

    By every measure of the four papers, each with how its figure was obtained.
    """
    with open_console() as console:
        from bot.cli import evaluate as evaluating

    names = tuple(name.strip() for name in judges.split(",") if name.strip())
    wanted = evaluating.EvaluateOptions(
        topic, reference, names, library, questions, naive, entailment, ranks, pairwise, output, json, details, online
    )
    if compare:
        run_command(evaluating.compare(console, surveys, wanted))
    elif len(surveys) > 1:
        raise typer.BadParameter("name one survey, or folders with --compare")
    else:
        run_command(evaluating.evaluate(console, surveys[0], wanted))


def main() -> None:
    """Entry point of the command ``scholium``."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without our characters must not end a survey
    try:
        cli(prog_name="scholium")  # by whatever name it was started
    finally:
        gc.freeze()  # else all objects are looked through for cycles at the end, which takes half a second


if __name__ == "__main__":
    main()
