"""The command `evaluate`: one survey, or several systems over several topics with the same judges."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
from rich.console import Console

from bot.app import BUNDLED, App
from bot.settings import load_settings
from engine.errors import UserError
from engine.evaluation.documents import Document, from_markdown, from_survey
from engine.evaluation.entailment import ByCrossEncoder, ByModel, ByRule, Entailment
from engine.evaluation.evaluating import Evaluation, Means, evaluated
from engine.evaluation.meta import read_questions
from engine.evaluation.report import as_json, as_markdown, comparison, radar
from engine.llm.metered import MemoryRecord, MeteredModel
from engine.llm.metering import Account
from engine.llm.model import LanguageModel, Task
from engine.rendering.files import from_json
from engine.text import folded

LARGEST_BYTES = 50 * 2**20
PDF_PAGES = 400


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command."""

    topic: str = ""
    reference: Path | None = None
    judges: tuple[str, ...] = ()
    library: str = ""
    questions: Path | None = None
    entailment: str = "auto"
    output: Path | None = None
    as_json: bool = False
    details: bool = False


async def evaluate(console: Console, path: Path, wanted: Wanted) -> int:
    """Score one survey and print the report."""
    app, account = App(load_settings()), Account()
    try:
        document = read_document(path)
        human = read_document(wanted.reference) if wanted.reference else None
        means = await _means(app, account, wanted, console)
        topic = wanted.topic or document.title or path.stem
        found = await evaluated(document, topic, means, human)
    finally:
        await app.close()
    about = _about(means, account)
    text = as_json({path.name: [found]}, about) if wanted.as_json else as_markdown(found, about, details=wanted.details)
    _put(console, wanted, text, {path.stem: [found]})
    return 0


async def compare(console: Console, folders: Sequence[Path], wanted: Wanted) -> int:
    """Score every survey of every folder (a system each; the file's name is the topic) and print one table."""
    app, account = App(load_settings()), Account()
    try:
        means = await _means(app, account, wanted, console)
        humans = {folded(p.stem): read_document(p) for p in _surveys(wanted.reference)} if wanted.reference else {}
        results: dict[str, list[Evaluation]] = {}
        for folder in folders:
            for path in _surveys(folder):
                with console.status(f"{folder.name}: {path.stem} …"):
                    human = humans.get(folded(path.stem))
                    same = wanted.reference is not None and folder.resolve() == wanted.reference.resolve()
                    found = await evaluated(read_document(path), path.stem, means, None if same else human)
                results.setdefault(folder.name, []).append(found)
    finally:
        await app.close()
    if not results:
        raise UserError("There is no survey (.md, .json or .pdf) in these folders.")
    about = _about(means, account)
    _put(console, wanted, as_json(results, about) if wanted.as_json else comparison(results, about), results)
    return 0


def _surveys(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder. To compare, name folders with one file for each topic.")
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in {".md", ".markdown", ".json", ".pdf"})


def read_document(path: Path) -> Document:
    """A survey from our own ``.json``, from Markdown, or from the text of a PDF; raises `UserError`."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise UserError(f"{path.name} is larger than {LARGEST_BYTES // 2**20} MB.")
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    if path.suffix.lower() == ".json":
        return from_survey(from_json(content))
    if path.suffix.lower() == ".pdf":
        return from_markdown(_text_of_pdf(path.name, content))
    try:
        return from_markdown(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not text in UTF-8.") from error


def _text_of_pdf(name: str, content: bytes) -> str:
    """The text of a PDF with its numbered headings marked; a scanned or encrypted one is refused."""
    try:
        pdf = pypdfium2.PdfDocument(content)
        pages = [pdf[i].get_textpage().get_text_range() for i in range(min(len(pdf), PDF_PAGES))]
        pdf.close()
    except pypdfium2.PdfiumError as error:
        raise UserError(f"{name} cannot be opened as a PDF; it may be broken or encrypted.") from error
    text = "\n".join(pages).replace("\r\n", "\n")
    if len(text.split()) < 50:
        raise UserError(f"{name} has no text; it may be scanned.")
    lines = [_marked(line.strip()) for line in text.split("\n")]
    return f"# {next((line for line in lines if line), name)}\n" + "\n".join(lines)


def _marked(line: str) -> str:
    """A line of a PDF that looks like a heading, as one."""
    number, _, title = line.partition(" ")
    if folded(line) in {"references", "bibliography"}:
        return f"\n## {line}\n"
    is_number = bool(number) and all(part.isdigit() and len(part) <= 2 for part in number.rstrip(".").split("."))
    if is_number and 2 < len(title) <= 90 and title[:1].isupper() and not title.endswith((".", ",", ";")):
        return f"\n{'#' * (2 + number.rstrip('.').count('.'))} {line}\n"
    return line


async def _means(app: App, account: Account, wanted: Wanted, console: Console) -> Means:
    name = wanted.library or app.default_library()
    if name == BUNDLED:
        await app.install_bundled(lambda _: None)
    library = await app.library(name)
    embedder = await library.embedder()
    judges = _judges(app, account, wanted.judges)

    async def told(stage: str) -> None:
        if console.is_terminal and not wanted.as_json:
            console.print(f"… {stage}", style="dim", markup=False, highlight=False)

    return Means(
        library,
        embedder,
        _entailment(wanted.entailment, judges, ByRule(embedder)),
        judges,
        await asyncio.to_thread(read_questions, wanted.questions) if wanted.questions else (),
        told,
    )


def _entailment(wanted: str, judges: Mapping[str, LanguageModel], rule: ByRule) -> Entailment:
    match wanted:
        case "auto":
            first = next(iter(judges), "")
            return ByModel(judges[first], first) if first else rule
        case "rule":
            return rule
        case "local":
            return ByCrossEncoder()
        case "model" if judges:
            first = next(iter(judges))
            return ByModel(judges[first], first)
        case "model":
            raise UserError("A model to decide needs a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        case _:
            raise UserError(f"--entailment is auto, rule, local or model, not {wanted[:40]}.")


def _judges(app: App, account: Account, names: Sequence[str]) -> dict[str, LanguageModel]:
    """The models named, all of the service configured; without names the one of the settings; none without a key."""
    provider = app.provider()
    if provider is None:
        if names:
            raise UserError("Judges need a language model. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.")
        return {}
    settings, record = app.settings, MemoryRecord()
    chosen = names or (settings.models()["judging"],)
    tasks: list[dict[Task, str]] = [dict.fromkeys(settings.models(), name) for name in chosen]
    return {
        name: MeteredModel(provider, models, app.throttle(), account, record, f"judge/{name}")
        for name, models in zip(chosen, tasks, strict=True)
    }


def _about(means: Means, account: Account) -> dict[str, str]:
    spent = account.total()
    money = f", ${spent.money:.3f}" if spent.priced and spent.calls else ""
    return {
        "Judges": ", ".join(means.judges) or "none (no language model configured)",
        "Support of claims": means.entailment.how,
        "Library": means.library.name,
        "Date": datetime.now(UTC).date().isoformat(),
        "Scholium": importlib.metadata.version("scholium"),
        "Calls": f"{spent.calls}, {spent.input_tokens:,} tokens read, {spent.output_tokens:,} written{money}",
    }


def _put(console: Console, wanted: Wanted, text: str, results: Mapping[str, Sequence[Evaluation]]) -> None:
    """Print the report, or write it and its figure into a folder."""
    if wanted.output is None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)
        return
    try:
        wanted.output.mkdir(parents=True, exist_ok=True)
        name = "evaluation.json" if wanted.as_json else "evaluation.md"
        (wanted.output / name).write_text(text, encoding="utf-8")
        (wanted.output / "evaluation.svg").write_text(radar(results), encoding="utf-8")
    except OSError as error:
        raise UserError(f"The report could not be written to {wanted.output}: {error.strerror or error}.") from error
    console.print(f"Written: {wanted.output / name} and evaluation.svg", markup=False, highlight=False)
