"""Forms: what is asked in them, and the command that a filled one is. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
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
from engine.session.events import EditKeywords, EditPapers, Job
from engine.session.state import State, SurveySession
from engine.survey import SectionChange, Way
from engine.text import clean, list_words
from engine.values import KeywordPool, Outline, PaperSelection

SUGGESTED_CHARACTERS = 150


def read_action(action: str) -> tuple[str, str, int]:
    """Verb, session and revision of a button; -1 where it names none."""
    verb, _, rest = action.partition(":")
    session_id, _, revision = rest.partition(":")
    return verb, session_id, int(revision) if revision.isascii() and revision.isdigit() else -1


def _field(name: str, value: str = "", choices: Iterable[tuple[str, str]] = (), *, optional: bool = False) -> FormField:
    label, hint, kind = labels.FIELDS[name]
    return FormField(name, label, value, hint, kind, tuple(choices), optional)


def start(defaults: Defaults, session: SurveySession, incoming: Incoming) -> Form:
    """Topic and options of a new survey; what was said, or the topic of the card pressed, is there to be changed."""
    about = session.state.brief if read_action(incoming.button)[1] == session.id else None
    topic = clean(incoming.text or (about.topic if about else ""))[:SUGGESTED_CHARACTERS]
    online = "yes" if defaults.settings.searches_online() or defaults.library() == ONLINE else "no"
    recipes, libraries = ("auto", *defaults.recipes), dict.fromkeys((*defaults.libraries(), ONLINE))
    lengths = ((name, labels.LENGTHS.format(name)) for name in LENGTH_CLASSES_TOKENS)
    fields = (
        _field("topic", topic),
        _field("recipe", defaults.settings.recipe, ((name, name) for name in recipes)),
        _field("library", defaults.library(), ((name, name) for name in libraries)),
        _field("length", defaults.settings.length, lengths),
        _field("sections", optional=True),
        _field("years", optional=True),
        _field("language", "en", LANGUAGES.items(), optional=True),
        _field("online", online, labels.ANSWERS, optional=True),
        _field("budget", optional=True),
    )
    return Form(labels.NEW_SURVEY_TITLE, "start", labels.BEGIN, fields)


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
    match state:
        case State(phase="keywords", keywords=KeywordPool(keywords=keywords)):
            return (_field("keywords", "\n".join(keyword.text for keyword in keywords)),)
        case State(phase="papers", papers=PaperSelection() as selection):
            return (_field("excluded", " ".join(map(str, selection.list_excluded())), optional=True),)
        case State(phase="outline", outline=Outline() as outline):
            return (_field("outline", outline_edits.as_lines(outline)),)
        case State(phase="discussion"):
            return (_field("place"), _field("way", "rewrite", labels.WAYS.items()), _field("wish", optional=True))
        case _:
            return ()


def command(verb: str, values: Mapping[str, str], session: SurveySession | None) -> Command:
    """What a filled form means. Raises `UserError` where a field cannot be read."""
    state = session.state if session else State()
    match values:
        case _ if verb == "start":
            given = {name: value.strip() for name, value in values.items() if value.strip() and name != "topic"}
            if unknown := next((name for name in given if name not in {*OPTIONS, *QUICK_OPTIONS}), ""):
                raise UserError(labels.NO_OPTION.format(unknown[:40], list_words(OPTIONS)))
            return StartSurvey(clean(values.get("topic", "")), given)
        case {"keywords": text} if state.keywords:
            wanted = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
            had = [keyword.text for keyword in state.keywords.keywords]
            return EditKeywords(tuple(w for w in wanted if w not in had), tuple(w for w in had if w not in wanted))
        case {"excluded": text} if state.papers:
            out, was = set(numbers_in(text)), set(state.papers.list_excluded())
            return EditPapers(tuple(sorted(out - was)), tuple(sorted(was - out)))
        case {"outline": text}:
            return outline_edits.from_lines(text)
        case {"place": place} if way := next((way for way in get_args(Way) if way == values.get("way")), None):
            number = place.strip().rstrip(".")
            if not re.fullmatch(r"[0-9]+(\.[0-9]+)*", number):
                raise UserError(labels.PLACE_WANTED)
            return Job("revise", SectionChange(number, way, clean(values.get("wish", ""))))
        case _:
            raise UserError(wording.CHANGED_SINCE)


def field_of(incoming: Incoming, sentence: str) -> str:
    """The field that a sentence is about: the one whose option it names, else the first."""
    names = [name for name, _ in incoming.values]
    return next((name for name in names if f"{name}=" in sentence), names[0] if names else "")
