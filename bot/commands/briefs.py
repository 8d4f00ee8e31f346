"""From what a person typed to a `Brief`: defaults, and clear sentences for what cannot be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

from bot.commands.commands import StartSurvey
from bot.commands.grammar import parse_years, read_tokens
from bot.settings import Settings
from engine.errors import UserError
from engine.limits import LENGTH_CLASSES_TOKENS, Limits
from engine.llm.model import Task
from engine.options import KINDS, PaperKind, QuickOptions, Sampling, TemplateSection
from engine.retrieval.libraries.combined import SURVEYS
from engine.retrieval.paper_keys import identifiers_in
from engine.run import Recipe
from engine.text import clean, terms
from engine.values import ALL_YEARS, Brief

Choice = TypeVar("Choice", bound=str)

SECTIONS = (3, 20)
SUBSECTION_WORDS = (50, 3_000)
LONGEST_WISH = 200
PAPER_SPACE, TOKEN_SHARE = (10, 500), (10, 90)
"""Papers of each query, percent of the tokens for summaries (Jarvis' sliders)."""
QUICK = "quick"
LIBRARY = "library"
PLACES = (LIBRARY, "semantic scholar", "openalex", "arxiv", "pubmed")
LANGUAGES = {"en": "English"}
"""Those that surveys are written in."""

ONLINE = "online"
"""Named instead of a library where the papers come from online sources alone."""


@dataclass(frozen=True)
class Defaults:
    """What a survey is when the person does not say otherwise, and what can be chosen."""

    settings: Settings
    recipes: Mapping[str, Recipe]
    libraries: Callable[[], Sequence[str]]
    """Those that there are now; others are made while the service runs."""
    library: Callable[[], str]
    """The one taken where none is named."""
    output: Path
    publishers: tuple[str, ...] = ()
    """Those whose keys are set: places of a quick review."""
    read_template: Callable[[str], tuple[TemplateSection, ...]] = lambda _: ()
    """The template of that name; raises `UserError` where there is none."""
    apart: bool = True
    """Whether each survey's files have a folder of their own: several people share the disk."""
    delivered: tuple[str, ...] = ("html", "pdf", "bib")
    """The formats of the files that come with a finished survey; all others when they are asked for."""

    @property
    def limits(self) -> Limits:
        """Those of the settings."""
        return self.settings.limits()

    @property
    def models(self) -> Mapping[Task, str]:
        """The model of each task; empty where no language model is configured."""
        return self.settings.models() if self.settings.has_model() else {}

    def count_texts(self, brief: Brief) -> int:
        """Most papers whose text is fetched for a survey."""
        return self.settings.full_texts if self.settings.fetches_texts(online=brief.online) else 0


def brief_of(command: StartSurvey, defaults: Defaults) -> Brief:
    """The brief; raises `UserError` saying what to write instead."""
    options, known_places = command.options, (*PLACES, *defaults.publishers)
    places = tuple(_one_of("places", {"places": said}, known_places, "") for said in _list("places", options))
    library = options["library"] if "library" in options else defaults.library()
    if places and LIBRARY not in places:
        library = ONLINE
    usual = (
        any(place != LIBRARY for place in places)
        if places
        else defaults.settings.searches_online() or library == ONLINE
    )
    online = _yes_or_no("online", options, default=usual)
    if library == ONLINE:
        if not online:
            raise UserError("library=online searches online; leave online=no out, or name another library.")
        library = ""
    elif library not in defaults.libraries():
        known = ", ".join(defaults.libraries()) or "none yet"
        raise UserError(
            f"There is no library “{library}”; there are: {known}. Name one of them, or write library=online"
        )
    recipe = _recipe(options.get("recipe", defaults.settings.recipe), defaults)
    wishes = {name: clean(options.get(name, "")) for name in ("audience", "style")}
    for name, said in wishes.items():
        if len(said) > LONGEST_WISH:
            raise UserError(f"{name}= takes at most {LONGEST_WISH} characters; this has {len(said):,}.")
        if said and not (defaults.models or defaults.recipes[recipe].needs_model):
            raise UserError(
                f"Without a language model the recipe {recipe} takes its sentences from the library, so it cannot "
                f"write for an audience or in a style. Leave {name}= out."
            )
    template = defaults.read_template(options["template"]) if "template" in options else ()
    if template and not defaults.recipes[recipe].follows_template:
        able = " or ".join(f"recipe={name}" for name, other in defaults.recipes.items() if other.follows_template)
        raise UserError(f"template= works with {able}; {recipe} plans its sections in its own way.")
    return Brief(
        topic=check_topic(command.topic, defaults.limits.topic_characters),
        recipe=recipe,
        library=library,
        years=parse_years(options["years"]) if "years" in options else ALL_YEARS,
        length=_one_of("length", options, tuple(LENGTH_CLASSES_TOKENS), defaults.settings.length),
        **wishes,
        template=template,
        language=_one_of("language", options, tuple(LANGUAGES), "en"),
        sections=_number("sections", options, SECTIONS),
        subsection_words=_number("words", options, SUBSECTION_WORDS),
        budget=_dollars(options.get("budget"), defaults),
        budget_tokens=read_tokens(options.get("budget", "")),
        online=online,
        without=_parse_excluded(options.get("without", "")),
        kinds=tuple(map(_kind, _list("types", options))),
        places=places,
        quick=_quick_options(options, online=online) if recipe == QUICK else None,
    )


def _list(name: str, options: Mapping[str, str]) -> list[str]:
    """The parts of ``name=this,that``."""
    return [part.strip().lower() for part in options.get(name, "").split(",") if part.strip()]


def _kind(said: str) -> PaperKind:
    """The kind of publication that is called so, or that has this word in its name."""
    found = next((kind for kind in KINDS if said == kind or said.removesuffix("s") in kind.split()), None)
    if found is None:
        raise UserError(f"types={said[:40]} is not possible; write some of: {', '.join(KINDS)}.")
    return found


def _quick_options(options: Mapping[str, str], *, online: bool) -> QuickOptions:
    usual = QuickOptions()
    return QuickOptions(
        space=_number("papers", options, PAPER_SPACE) or usual.space,
        share=_number("share", options, TOKEN_SHARE) or usual.share,
        sampling=_one_of("sampling", options, get_args(Sampling), usual.sampling),
        only_search=not _yes_or_no("review", options, default=True),
        background=_yes_or_no("background", options, default=online),
    )


def _parse_excluded(said: str) -> tuple[str, ...]:
    """The papers of ``without=10.1145/3397271,arxiv:2005.11401,surveys`` by their keys."""
    found: list[str] = []
    for name in filter(None, (part.strip() for part in said.split(","))):
        keys = (SURVEYS,) if name.lower() == SURVEYS else identifiers_in(name)
        if not keys:
            raise UserError(
                f"“{name[:80]}” is no identifier of a paper. Write DOIs or arXiv ids, without=10.1145/3397271,arxiv:"
                "2005.11401, or without=surveys for all surveys."
            )
        found += keys
    return tuple(dict.fromkeys(found))


def check_topic(text: str, longest: int) -> str:
    """The topic as one clean line; raises `UserError` where it names nothing or is a whole text."""
    topic = clean(text).strip(" \"'“”‘’.,;:")
    if sum(ch.isalnum() for ch in topic) < 2:
        raise UserError("The topic is too short. Name it in a few words, for example: survey graph neural networks")
    if topic.isascii() and not terms(topic):
        raise UserError(
            f"“{topic[:80]}” names no subject. Say what the survey is about, and the years apart from it, for example: "
            "survey graph neural networks years=2019-2020"
        )
    if len(topic) > longest:
        raise UserError(
            f"The topic has {len(topic):,} characters; {longest} are enough. Name it in a few words, "
            "and use “add” later for more keywords."
        )
    return topic


def _recipe(name: str, defaults: Defaults) -> str:
    """The recipe; ``auto`` is the one with a language model where there is one."""
    if name.lower() == "auto":
        return "autosurvey" if defaults.models else "cluster"
    chosen = _one_of("recipe", {"recipe": name}, tuple(defaults.recipes), "")
    if defaults.recipes[chosen].needs_model and not defaults.models:
        raise UserError(
            f"The recipe {chosen} needs a language model. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY, "
            "or write recipe=cluster, which needs none."
        )
    return chosen


def _dollars(value: str | None, defaults: Defaults) -> float | None:
    """The dollars of ``budget=2.50``; raises `UserError` where a model's price is not known."""
    if value is None or read_tokens(value):
        return None
    try:
        amount = float(value.lstrip("$"))
    except ValueError:
        amount = 0.0
    if not 0 < amount < 10_000:
        raise UserError(f"budget={value[:40]} is not an amount. Write dollars, budget=2.50, or tokens, budget=500k")
    for model in dict.fromkeys((*defaults.models.values(), *defaults.settings.judges)):
        defaults.settings.price_list().require(model)
    return amount


def _one_of(name: str, options: Mapping[str, str], known: Sequence[Choice], usual: Choice) -> Choice:
    said = options.get(name, usual)
    found = next((choice for choice in known if choice == said.lower()), None)
    if found is None:
        raise UserError(f"{name}={said[:40]} is not possible; write one of: {', '.join(known)}.")
    return found


def _yes_or_no(name: str, options: Mapping[str, str], *, default: bool) -> bool:
    return _one_of(name, options, ("yes", "no"), "yes" if default else "no") == "yes"


def _number(name: str, options: Mapping[str, str], bounds: tuple[int, int]) -> int | None:
    if name not in options:
        return None
    (low, high), value = bounds, options[name]
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise UserError(f"{name}={value[:40]} is not possible; write a number from {low} to {high}.")
    return int(value)
