"""The commands under `bench`: what the product does, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.running import AsJson, LibraryName, Place, run
from engine.options import QuickOptions
from engine.values import Brief

Beside = Annotated[Path | None, typer.Option(help="What another commit printed with --json: shown beside this one's.")]

bench = typer.Typer(help="Measure.", no_args_is_help=True, rich_markup_mode=None)


def _measure(command: str, *arguments: object, json: bool, beside: Path | None) -> None:
    """Run a yardstick of `bot.bench`."""
    from bot.bench.yardstick_report import ReportOptions

    run(f"bench.{command}", *arguments, ReportOptions(json, beside))


@bench.command("gather")
def bench_gather(
    gold: Annotated[list[Path], typer.Option(help="JSON: topic → list of paper ids; may be named several times.")],
    library: LibraryName = "",
    at: Annotated[Place | None, typer.Option(help="Where, for a library that is in both places.")] = None,
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """What a survey gets of the papers wanted, at 100, 300 and 1200, beside what the library's own search has."""
    _measure("gather.measure_gathering", gold, library, at, json=json, beside=beside)


@bench.command("understand")
def bench_understand(
    data: Annotated[Path, typer.Option(help="JSON Lines: text, phase, place, means.")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """Share of utterances that are read as they were meant, without a language model."""
    _measure("understand.understand_file", data, json=json, beside=beside)


@bench.command("identity")
def bench_identity(
    pairs: Annotated[Path, typer.Option(help="JSON Lines: a and b, records as ingest reads them, and same.")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """False and missed merges on pairs of records of which it is known whether they are one paper."""
    _measure("identity.identity", pairs, json=json, beside=beside)


@bench.command("checks")
def bench_checks(
    data: Annotated[Path, typer.Argument(help="JSON Lines: ds, claim, title, source, label (1: the source says so).")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """Share of false and of true claims that the program doubts by itself, against the whole source."""
    _measure("checks.checks", data, json=json, beside=beside)


@bench.command("roles")
def bench_roles(
    data: Annotated[Path, typer.Option(help="Labelled abstracts to measure on, JSON Lines.")],
    json: AsJson = False,
    beside: Beside = None,
) -> None:
    """What the sentences of an abstract do: how often the model is right."""
    _measure("roles.measure", data, json=json, beside=beside)


@bench.command("ablation")
def bench_ablation(
    topic: Annotated[str, typer.Option(help="What the surveys are about.")],
    library: LibraryName = "",
    sections: Annotated[int, typer.Option(help="Number of sections.")] = 5,
    words: Annotated[int, typer.Option(help="Words of each subsection.")] = 150,
    recipe: Annotated[str, typer.Option(help="autosurvey or surveyx.")] = "autosurvey",
    writer: Annotated[list[str] | None, typer.Option(help="A model that drafts; may be named several times.")] = None,
    json: AsJson = False,
) -> None:
    """A recipe without each of its parts, with two to five trials, by several writers; the model judges."""
    brief = Brief(topic, recipe, library, sections=sections, subsection_words=words)
    run("bench.ablation.ablate", brief, writer or (), as_json=json)


@bench.command("topics")
def bench_topics(
    file: Annotated[Path, typer.Argument(help="JSON: topics, or NLPCC's samples (subject, references, contents).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the surveys; what is there stays.")],
    recipe: Annotated[list[str] | None, typer.Option(help="How they are written; may be named several times.")] = None,
    library: LibraryName = "",
    sections: Annotated[int | None, typer.Option(help="Number of sections.")] = None,
    words: Annotated[int | None, typer.Option(help="Words of each subsection.")] = None,
    reference: Annotated[Path | None, typer.Option(help="Folder of surveys by people, named like the topics.")] = None,
    first: Annotated[int | None, typer.Option(min=1, help="Only so many topics, the first.")] = None,
) -> None:
    """Every topic of a file by each recipe, and one table, mean ± standard deviation; repeated, it goes on."""
    systems = [output / name for name in recipe or ("autosurvey", "naive")]
    length = Brief("", library=library, sections=sections, subsection_words=words, quick=QuickOptions())
    run("cli.topics.run_topics", file, systems, length, reference, first)


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
    if claims:
        _measure("questions.print_answers", claims, json=json, beside=beside)
    run("bench.questions.write_questions", topic or (), library, count, seed, output)


@bench.command("rating-form")
def bench_rating_form(
    systems: Annotated[list[Path], typer.Argument(help="Folders: each is a system, each file in it a topic.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the form.")],
    seed: Annotated[int, typer.Option(help="Decides the order of the surveys.")] = 0,
) -> None:
    """A form in which people rate surveys without knowing who wrote them: an import for Label Studio."""
    run("cli.rating_forms.write_form", systems, output, seed)


@bench.command("ratings")
def bench_ratings(
    export: Annotated[Path, typer.Argument(help="Label Studio's export (JSON, JSON-MIN, CSV), or a CSV made by hand.")],
    key: Annotated[Path | None, typer.Option(help="The key that was written with the form.")] = None,
    ranks: Annotated[Path | None, typer.Option(help="File for the surveys' ranks, for evaluate --ranks.")] = None,
) -> None:
    """What people gave each system, and how far they agree."""
    run("cli.rating_forms.print_ratings", export, key, ranks)


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
    brief = Brief(topic, library=library, sections=sections, subsection_words=words)
    run("bench.compare.compare", brief, reference, output, as_json=json)


try:  # what plays people, platforms and services comes with the tests, in a clone
    from tests.measures.commands import add_commands
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "tests":
        raise
else:
    add_commands(bench)
