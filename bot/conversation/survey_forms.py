"""Forms: what is asked in them, and the command that a filled one is. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from adapters.chat import Form, FormField, Incoming
from bot.commands.briefs import LANGUAGES, ONLINE, Defaults
from bot.commands.commands import Command, StartSurvey
from bot.commands.grammar import OPTIONS, QUICK_OPTIONS, numbers_in
from bot.wording import labels
from bot.wording import sentences as wording
from engine.errors import UserError
from engine.limits import LENGTH_CLASSES_TOKENS
from engine.session import outline_edits
from engine.session.events import EditKeywords, EditOutline, EditPapers, Job
from engine.session.state import State, SurveySession
from engine.survey import SectionChange, Way
from engine.text import clean, list_words

SUGGESTED_CHARACTERS = 150


def read_action(action: str) -> tuple[str, str, int]:
    """Verb, session and revision of a button; -1 where it names none."""
    verb, _, rest = action.partition(":")
    session_id, _, revision = rest.partition(":")
    return verb, session_id, int(revision) if revision.isascii() and revision.isdigit() else -1


def start(defaults: Defaults, session: SurveySession, incoming: Incoming) -> Form:
    """Topic and options of a new survey; what was said, or the topic of the card pressed, is there to be changed."""
    about = session.state.brief if read_action(incoming.button)[1] == session.id else None
    suggestion = incoming.text or (about.topic if about else "")
    recipes = tuple((name, name) for name in ("auto", *defaults.recipes))
    lengths = tuple((name, labels.LENGTHS.format(name)) for name in LENGTH_CLASSES_TOKENS)
    libraries = tuple((name, name) for name in dict.fromkeys((*defaults.libraries(), ONLINE)))
    languages = tuple(LANGUAGES.items())
    answers = (("yes", labels.YES), ("no", labels.NO))
    topic = clean(suggestion)[:SUGGESTED_CHARACTERS]
    return Form(
        labels.NEW_SURVEY,
        "start",
        labels.BEGIN,
        (
            FormField("topic", labels.TOPIC, topic, labels.TOPIC_HINT),
            FormField("recipe", labels.RECIPE, defaults.settings.recipe, kind="choice", choices=recipes),
            FormField("library", labels.LIBRARY, defaults.library(), kind="choice", choices=libraries),
            FormField("length", labels.LENGTH, defaults.settings.length, kind="choice", choices=lengths),
            FormField("sections", labels.SECTIONS, "", labels.SECTIONS_HINT, optional=True),
            FormField("years", labels.YEARS, "", labels.YEARS_HINT, optional=True),
            FormField(
                "language", labels.LANGUAGE, "en", labels.LANGUAGE_HINT, kind="choice", choices=languages, optional=True
            ),
            FormField(
                "online",
                labels.ONLINE,
                "yes" if defaults.settings.searches_online() or defaults.library() == ONLINE else "no",
                labels.ONLINE_HINT,
                kind="choice",
                choices=answers,
                optional=True,
            ),
            FormField("budget", labels.BUDGET, "", labels.BUDGET_HINT, optional=True),
        ),
    )


def edit(session: SurveySession, incoming: Incoming) -> Form:
    """The current proposal as a text to be changed. Raises `UserError` where there is none, or it is another one."""
    _, session_id, revision = read_action(incoming.button)
    state = session.state
    if session.job or session_id != session.id or revision != session.revision:
        raise UserError(wording.CHANGED_SINCE)
    fields = _fields(state)
    if not fields:
        raise UserError(wording.NOTHING_TO_EDIT)
    return Form(labels.EDIT_TITLES[state.phase], incoming.button, labels.SAVE, fields)


def _fields(state: State) -> tuple[FormField, ...]:
    if state.phase == "keywords" and state.keywords:
        text = "\n".join(keyword.text for keyword in state.keywords.keywords)
        return (FormField("keywords", labels.ONE_PER_LINE, text, kind="text"),)
    if state.phase == "papers" and state.papers:
        out = [str(i) for i, f in enumerate(state.papers.found, 1) if f.paper.key in state.papers.excluded]
        return (FormField("excluded", labels.LEFT_OUT, " ".join(out), labels.LEFT_OUT_HINT, optional=True),)
    if state.phase == "outline" and state.outline:
        return (FormField("outline", labels.OUTLINE_LINES, outline_edits.as_lines(state.outline), kind="text"),)
    if state.phase == "discussion":
        ways = tuple((way, labels.WAYS[way]) for way in get_args(Way))
        return (
            FormField("place", labels.PLACE, "", labels.PLACE_HINT),
            FormField("way", labels.WAY, "rewrite", kind="choice", choices=ways),
            FormField("wish", labels.WISH, "", labels.WISH_HINT, optional=True),
        )
    return ()


def command(verb: str, values: Mapping[str, str], session: SurveySession | None) -> Command:
    """What a filled form means. Raises `UserError` where a field cannot be read."""
    if verb == "start":
        given = {name: value.strip() for name, value in values.items() if value.strip() and name != "topic"}
        if unknown := next((name for name in given if name not in {*OPTIONS, *QUICK_OPTIONS}), ""):
            raise UserError(labels.NO_OPTION.format(unknown[:40], list_words(OPTIONS)))
        return StartSurvey(clean(values.get("topic", "")), given)
    state = session.state if session else State()
    if "keywords" in values and state.keywords:
        wanted = tuple(dict.fromkeys(line.strip() for line in values["keywords"].splitlines() if line.strip()))
        had = tuple(keyword.text for keyword in state.keywords.keywords)
        add, drop = (tuple(w for w in one if w not in other) for one, other in ((wanted, had), (had, wanted)))
        return EditKeywords(add, drop)
    if "excluded" in values and state.papers:
        out = set(numbers_in(values["excluded"]))
        was = {i for i, f in enumerate(state.papers.found, start=1) if f.paper.key in state.papers.excluded}
        return EditPapers(tuple(sorted(out - was)), tuple(sorted(was - out)))
    if "outline" in values:
        return EditOutline(outline_edits.from_lines(values["outline"]))
    if "place" in values:
        way = next((way for way in get_args(Way) if way == values.get("way")), None)
        if way is None:
            raise UserError(wording.NOTHING_TO_EDIT)
        return Job("revise", SectionChange(_place(values["place"]), way, clean(values.get("wish", ""))))
    raise UserError(wording.CHANGED_SINCE)


def _place(text: str) -> str:
    place = text.strip().rstrip(".")
    if not all(part.isascii() and part.isdigit() for part in place.split(".")):
        raise UserError(labels.PLACE_WANTED)
    return place


def field_of(incoming: Incoming, sentence: str) -> str:
    """The field that a sentence is about: the one whose option it names, else the first."""
    names = [name for name, _ in incoming.values]
    return next((name for name in names if f"{name}=" in sentence), names[0] if names else "")
