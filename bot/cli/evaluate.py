"""The command `evaluate`: one survey, or several systems over several topics with the same judges."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import fmean

from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from bot.app import App, make_provider, open_app
from bot.bench.compare import run_each
from bot.cli.running import write_text
from bot.serving.online_sources import online_sources
from bot.settings import Settings
from bot.store.online_cache import StoredOnlineCache
from bot.store.sessions import open_store
from engine.errors import UserError
from engine.evaluation.documents import list_surveys, list_systems, read_document
from engine.evaluation.knowledge import read_questions
from engine.evaluation.measures import Evaluation, EvaluationTools, evaluate_document
from engine.evaluation.quality import Entailment, compare_surveys, entail_by_model, entail_by_rule, entail_locally
from engine.evaluation.report import as_json, as_markdown, comparison
from engine.evaluation.scores import rank_correlation
from engine.llm.meter import Account
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import LanguageModel, Provider, Task
from engine.local_models import LocalEntailment
from engine.rendering.markdown import escape_markdown, render_table
from engine.text import fold

STOPPED = "Stopped. What was looked up online is kept; the same command asks only for the rest."
SERVICES = ("openai:", "anthropic:")


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """The options of the command."""

    topic: str = ""
    reference: Path | None = None
    judges: tuple[str, ...] = ()
    library: str = ""
    questions: Path | None = None
    naive: Path | None = None
    entailment: str = "auto"
    ranks: Path | None = None
    pairwise: bool = False
    output: Path | None = None
    as_json: bool = False
    details: bool = False
    online: bool = False


async def evaluate(console: Console, path: Path, wanted: EvaluateOptions) -> int:
    """Score one survey and print the report."""
    document = read_document(path)
    human = read_document(wanted.reference) if wanted.reference else None
    account = Account()
    async with _tools(account, wanted) as tools:
        topic = wanted.topic or document.title or path.stem
        found = await evaluate_document(document, topic, tools, human)
    about = _about(tools, account)
    text = as_json({path.name: [found]}, about) if wanted.as_json else as_markdown(found, about, details=wanted.details)
    _deliver_report(console, wanted, text)
    return 0


async def compare(console: Console, folders: Sequence[Path], wanted: EvaluateOptions) -> int:
    """Score every survey of every folder (a system each; the file's name is the topic) and print one table."""
    humans = {fold(p.stem): read_document(p) for p in list_surveys(wanted.reference)} if wanted.reference else {}
    systems = list_systems(folders)
    account, extra = Account(), ""
    async with _tools(account, wanted) as tools:

        async def score(path: Path) -> Evaluation:
            # A human survey is not compared with itself.
            is_human = wanted.reference is not None and path.parent.resolve() == wanted.reference.resolve()
            human = None if is_human else humans.get(fold(path.stem))
            return await evaluate_document(read_document(path), path.stem, tools, human)

        found = await run_each(console, {path: partial(score, path) for paths in systems.values() for path in paths})
        if not found:
            return 1
        done = {name: {path: found[path] for path in paths if path in found} for name, paths in systems.items()}
        if wanted.pairwise:
            extra += await _pairs(done, tools)
    if wanted.ranks:
        extra += _agreement(done, wanted.ranks)
    about, results = _about(tools, account), {name: list(own.values()) for name, own in done.items()}
    text = as_json(results, about) if wanted.as_json else comparison(results, about) + extra
    _deliver_report(console, wanted, text)
    return int(len(found) < sum(map(len, systems.values())))


async def _pairs(systems: Mapping[str, Iterable[Path]], tools: EvaluationTools) -> str:
    """How often each system is preferred to each other one, over the topics that both have."""
    rows = []
    for one, other in combinations(systems, 2):
        theirs = {fold(p.stem): p for p in systems[other]}
        both = [(p, theirs[fold(p.stem)]) for p in systems[one] if fold(p.stem) in theirs]
        found = [await compare_surveys(read_document(a), read_document(b), a.stem, tools.judges) for a, b in both]
        if found:
            preferred, consistent = map(fmean, zip(*found, strict=True))
            rows.append((escape_markdown(f"{one} over {other}"), f"{preferred:.2f}", f"{consistent:.2f}"))
    return f"\n## Pairwise, positions swapped\n\n{render_table(('', 'preferred', 'order did not matter'), rows)}\n"


def _agreement(systems: Mapping[str, Mapping[Path, Evaluation]], path: Path) -> str:
    """Spearman's rho between people's ranks (1 is best) and each measure, over the surveys that were ranked."""
    try:
        ranks = TypeAdapter(dict[str, float]).validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UserError(f'{path} is not a JSON object of ranks such as {{"System/Topic": 1}}.') from error
    named = {f"{name}/{p.stem}": e for name, evaluated in systems.items() for p, e in evaluated.items()}
    unknown = sorted(set(ranks) - set(named))
    if unknown:
        raise UserError(f"There is no survey “{unknown[0]}”. Names are folder/file, without the file's ending.")
    rows = []
    for measure in dict.fromkeys(n for key in ranks for n in named[key].scores()):
        values = [(rank, s.value) for key, rank in ranks.items() if (s := named[key].scores().get(measure))]
        pairs = [(-rank, value) for rank, value in values if value is not None]
        if len(pairs) >= 3 and len({value for _, value in pairs}) > 1:
            rho, (low, high) = rank_correlation([r for r, _ in pairs], [v for _, v in pairs])
            rows.append((escape_markdown(measure), f"{rho:.2f}", f"{low:.2f} to {high:.2f}"))
    return f"\n## Agreement with people's ranks\n\n{render_table(('Measure', 'rho', '95 % interval'), rows)}\n"


@asynccontextmanager
async def _tools(account: Account, wanted: EvaluateOptions) -> AsyncIterator[EvaluationTools]:
    """Library, embedder, judges, and where references are looked up, while the block runs."""
    aside = Console(stderr=True, markup=False, highlight=False)

    async def told(stage: str) -> None:
        if aside.is_terminal:
            aside.print(f"… {stage}", style="dim")

    questions = await asyncio.to_thread(read_questions, wanted.questions) if wanted.questions else ()
    naive = read_document(wanted.naive).text() if wanted.naive else ""
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app())
        judges = _open_judges(app, account, wanted.judges, stack)
        if wanted.pairwise and not judges:
            raise UserError("To compare in pairs takes a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
        library = await app.open_library(wanted.library)
        embedder = await library.embedder()
        entailment = _choose_entailment(wanted.entailment, judges, entail_by_rule(embedder), app.settings)
        online = None
        if wanted.online:  # at the pace and with the memory that all processes of the store share
            store = await stack.enter_async_context(open_store(app.settings.store_url()))
            online = online_sources(app.settings, app.web(StoredOnlineCache(store)))
        try:
            yield EvaluationTools(library, embedder, entailment, judges, questions, naive, online, told)
        except asyncio.CancelledError:
            if wanted.online:
                aside.print(STOPPED)
            raise


def _choose_entailment(
    wanted: str, judges: Mapping[str, LanguageModel], rule: Entailment, settings: Settings
) -> Entailment:
    if wanted == "local":
        if not settings.entailment_model:
            raise UserError("A local model to decide needs SCHOLIUM_ENTAILMENT_MODEL and SCHOLIUM_MODELS_DIR.")
        return entail_locally(LocalEntailment(settings.entailment_model, settings.models_dir))
    if wanted == "model" and not judges:
        raise UserError("A model to decide needs a language model. Set OPENAI_API_KEY or ANTHROPIC_API_KEY.")
    by_model = (entail_by_model(judge, name) for name, judge in judges.items())
    return rule if wanted == "rule" else next(by_model, rule)


def _open_judges(app: App, account: Account, names: Sequence[str], stack: AsyncExitStack) -> dict[str, LanguageModel]:
    """The models named, until the stack ends; without names the one of the settings; none without a key.

    ``openai:MODEL`` and ``anthropic:MODEL`` name the service too, a bare name is a model of the one configured.
    """
    configured = app.provider()
    if configured is None and not all(name.startswith(SERVICES) for name in names):
        raise UserError("Judges need a language model. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.")
    opened: dict[str, Provider] = {"": configured} if configured else {}
    judges: dict[str, LanguageModel] = {}
    for name in names or ((app.settings.models()["judging"],) if configured else ()):
        maker, model = name.split(":", 1) if name.startswith(SERVICES) else ("", name)
        if maker not in opened:
            opened[maker] = make_provider(app.settings, maker)
            stack.push_async_callback(opened[maker].close)
        models: dict[Task, str] = dict.fromkeys(app.settings.models(), model)
        judges[name] = MeteredModel(opened[maker], models, app.throttle, account, MemoryRecord(), f"judge/{model}")
    return judges


def _about(tools: EvaluationTools, account: Account) -> dict[str, str]:
    spent = account.total()
    money = f", ${spent.money:.3f}" if spent.priced and spent.calls else ""
    return {
        "Judges": ", ".join(tools.judges) or "none (no language model configured)",
        "Support of claims": tools.entailment.how,
        "Library": tools.library.name,
        "Date": datetime.now(UTC).date().isoformat(),
        "Scholium": importlib.metadata.version("scholium"),
        "Calls": f"{spent.calls}, {spent.input_tokens:,} tokens read, {spent.output_tokens:,} written{money}",
    }


def _deliver_report(console: Console, wanted: EvaluateOptions, text: str) -> None:
    """Print the report, or write it into a folder."""
    if wanted.output is None:
        console.print(text, soft_wrap=True)
        return
    file = wanted.output / ("evaluation.json" if wanted.as_json else "evaluation.md")
    write_text(file, text)
    console.print(f"Written: {file}")
