"""Plain words → a command in the grammar's own words, a question back, or silence. Pure; asks no model."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from adapters.chat import Place
from bot.commands.commands import Command, Export, FreeText, More, NameSurvey, Show, StartSurvey
from bot.commands.grammar import parse
from bot.commands.intents.addressing import (
    addresses_others,
    asks_about_survey,
    find_plain_question,
    is_called,
    is_question,
    is_remark,
    is_subject,
    is_term,
    names_subject,
    take_letter_off,
    tells_a_plan,
)
from bot.commands.intents.approvals import approves_step, is_plain_yes, thanks_while_writing
from bot.commands.intents.classifier import asks_whether, guess_command, is_unclear, weigh_reading
from bot.commands.intents.clauses import has_two_wishes, read_clauses
from bot.commands.intents.corrections import take_correction
from bot.commands.intents.cues import read_cues
from bot.commands.intents.intents import load_intents
from bot.commands.intents.phrases import Phrase, ends_sentence, join_sentences, normalise, take_frames_off
from bot.commands.intents.positions import resolve_positions
from bot.commands.intents.topics import names_topic, read_survey, write_survey
from bot.commands.intents.typed_commands import begins_as_typed, take_ask_off
from bot.commands.intents.vocabulary import command_words, table, words
from engine.errors import UserError
from engine.session.events import (
    AddBackground,
    Approve,
    AskQuestion,
    EditKeywords,
    EditOutline,
    EditPapers,
    Evaluate,
    MorePapers,
    Regenerate,
    Revise,
    SplitSection,
)
from engine.session.state import State

_LIST = re.compile(
    r"(?:please )?(?:(?:use|take|with|consider|work with|here are|these are|this is)\s+)?(?:only\s+)?"
    r"(?:(?:these|my|our|the following|the|own|following|a)\s+)*"
    r"(?:papers|articles|reading list|list of papers|list|literature)\s*(?:only)?\s*:\s*(.+)",
    re.I | re.S,
)
LONGEST_PLAIN = 600
"""Characters of a wish in plain words: the time to read one grows with the cube of its length."""

_NAMED_LIST = re.compile(
    r"show (?P<list>papers|keywords|outline)|show papers \d{1,3}|references(?: \d{1,4})*|why [\d.]+ page \d{1,3}", re.I
)
"""What was proposed before, by its name: not the present proposal, which plain words mean."""

_TWO_WISHES = re.compile(
    r"(?:\b(?:and|then|but)|,)(?: then| also| please)? "
    r"(?:(?:add|drop|put|move|merge|rename|remove|delete|split|make|show|insert)\b|"
    r"(?:another |a |the )?(?:one|section|chapter|paragraph) (?:about|on|for)\b)|\bbut (?:without|not)\b"
)
_ALSO_WISHES = re.compile(
    r"(?:,|\b(?:and|then|but)\b)(?: (?:then|also|please|afterwards))* (?:(?:continue|proceed|go (?:on|ahead)|export|"
    r"evaluate|look (?:again )?for|exclude|translate|shorten|expand|write(?: it)?$|write it|"
    r"show me|(?:give|show|get|find|bring|search) (?:me|us|for)|"
    r"start (?:the )?(?:search|writing|drafting))\b)"
)
"""What else is asked for beside an edit."""
_EDITING = ("add", "drop", "exclude", "include", "rename", "move", "merge", "split", "shorten", "expand", "translate")
_ONE_MORE = re.compile(r"(?:,|and) (?:paper |number |section )?#?(\d+)(?: is)? (?:too|also|as well)$")
"""“3 is off topic, 4 too”."""
_REASON_BEHIND = re.compile(r",\s*(?:it|this|that|they|these|those|because|since|as)\b|\bbecause\b", re.I)
_ON_A_SECTION = re.compile(
    r"\b(?:section|chapter|part|\d+\.\d+|introduction|conclusion)\b.* (?:is|are|looks?|feels?|reads?) "
)
"""“section 3 is weak”: what is thought of it is no question."""
_YEAR = re.compile(r"\b(?:from|before|after|since|of|in|than) (?:the )?(?:19|20)\d\d\b")
_PROPOSING = frozenset({"keywords", "papers", "outline", "writing"})


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What is known of the conversation when words are read; ``own`` are the words of its survey.

    ``by_patterns``: only what fits a pattern is read, which takes no time.
    """

    phase: str
    place: Place = "direct"
    own: frozenset[str] = frozenset()
    by_patterns: bool = False


@dataclass(frozen=True, slots=True)
class Understanding:
    """The command that words are, in the grammar's own words and as a value.

    No command: asked back, or, where ``silent``, not for us. One that does not fit the step is refused with what does.
    """

    said: str = ""
    command: Command | None = None
    silent: bool = False
    fits: bool = True


@dataclass(frozen=True, slots=True)
class PlainReading:
    """As in `Understanding`; a ``loose`` reading takes words for a question or topic for lack of more."""

    said: str = ""
    silent: bool = False
    is_loose: bool = False


def understand(text: str, context: ReadingContext, state: State) -> Understanding:
    """What a person's words mean here: plain words first, then whatever else the grammar knows.

    Raises `UserError` where somebody who talks to us begins a command that cannot be read.
    """
    text, context = _hear(text, context)
    among_people = context.place == "thread"
    named = _NAMED_LIST.fullmatch(text.strip())
    if named and named["list"] != context.phase:
        return Understanding(text.strip(), parse(text))
    own_words = begins_as_typed(text.strip(), context.phase, among_people=among_people)
    if own_words and not isinstance(command := parse(text), FreeText):
        return Understanding(text.strip(), command, fits=_fits(command, context.phase))
    plain = read_plain(text, context)
    if plain.said and not plain.is_loose:
        return _accept(plain.said, state)
    if among_people and addresses_others(text[:LONGEST_PLAIN]):
        return Understanding(silent=True)
    try:
        known = _read_known(text, context)
    except UserError:
        if among_people:
            return Understanding(silent=True)
        if not plain.said:
            raise
        known = None
    if known:
        return known
    return _accept(plain.said, state) if plain.said else Understanding(silent=among_people)


def _hear(text: str, context: ReadingContext) -> tuple[str, ReadingContext]:
    """Who calls us by name among people speaks to us; what only surrounds a letter asks for nothing."""
    if context.place == "thread" and is_called(text):
        context = replace(context, place="mentioned")
    return take_correction(take_letter_off(text)), context


def _accept(said: str, state: State) -> Understanding:
    resolved = resolve_positions(said, state)
    return Understanding(resolved, parse(resolved))


def _read_known(text: str, context: ReadingContext) -> Understanding | None:
    """What the grammar itself reads; ``None`` where that is nothing, or not meant so here."""
    command = parse(text)
    fits = _fits(command, context.phase)
    # Plain words are read up to a length; a longer one that begins as a command is answered as that command.
    is_long_command = len(text) > LONGEST_PLAIN and isinstance(command, StartSurvey | AskQuestion)
    if isinstance(command, _FREE) and not is_long_command:
        return None
    if isinstance(command, EditKeywords) and not (fits and _names_keywords(command)):
        return None
    is_edit = isinstance(command, EditKeywords | EditOutline | EditPapers | SplitSection | Export)
    if is_edit and (_TWO_WISHES.search(text.lower()) or _ALSO_WISHES.search(text.lower())):
        return None  # “add attention and drop graphs”: neither is done by halves
    if isinstance(command, Export) and set(command.formats) & (words("function") | words("nouns")):
        return None  # “export the list” names no format
    if context.place == "thread" and isinstance(command, Export) and not set(command.formats) <= _formats():
        return Understanding(silent=True)  # “export controls are a pain”
    courtesy = isinstance(command, Show) and command.view in {"hello", "thanks"}
    if context.place == "thread" and (courtesy or isinstance(command, EditKeywords | Approve | Regenerate) or not fits):
        return Understanding(silent=True)
    return Understanding(text.strip(), command, fits=fits)


@cache
def _formats() -> frozenset[str]:
    named = table("formats")
    return frozenset([*named, *named.values(), "csl"])


def _names_subjects(text: str) -> bool:
    """Whether each part between commas names one: “graphs, way too broad” is a keyword with a reason."""
    return all(map(names_subject, text.split(",")))


def _names_keywords(edit: EditKeywords) -> bool:
    """“drop it” and “add some” name none."""
    return all(map(names_subject, (*edit.add, *edit.drop)))


_FREE = FreeText | StartSurvey | AskQuestion | NameSurvey
"""What the grammar reads into any words."""

_ONLY_AT: dict[type, tuple[str, ...]] = {
    EditKeywords: ("keywords",),
    EditPapers: ("papers",),
    MorePapers: ("papers",),
    More: ("papers",),
    EditOutline: ("outline", "discussion"),
    SplitSection: ("outline", "discussion"),
    Revise: ("discussion",),
    Evaluate: ("discussion",),
    AddBackground: ("discussion",),
}


def _fits(command: Command, phase: str) -> bool:
    if isinstance(command, Approve | Regenerate):
        return phase in _PROPOSING
    return phase in _ONLY_AT.get(type(command), (phase,))


def read_plain(text: str, context: ReadingContext) -> PlainReading:
    """What a person's words mean here."""
    text, context = _hear(text, context)
    among_people = context.place == "thread"
    if match := _LIST.fullmatch(text.strip()):
        return PlainReading(f"papers: {match[1].strip()}")
    if len(text) > LONGEST_PLAIN:
        return PlainReading("", silent=among_people)
    if among_people and tells_a_plan(text):
        return PlainReading(silent=True)
    found = _read_command(text, context)
    command = found.said
    if found.said and _needs_weighing(found, text, context):
        command = weigh_reading(found.said, text, context.phase, is_loose=found.by_cues)
        if not command:
            return PlainReading()
    said = command or (not among_people and _guess_command(text, context)) or _read_rest(text, context)
    if among_people and addresses_others(text) and not said.startswith("invite "):
        return PlainReading(silent=True)
    if among_people and said and is_remark(said, text):
        return PlainReading(silent=True)
    return PlainReading(said, silent=among_people, is_loose=not command)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What patterns read; ``by_cues``: from single words, in whatever order they stand."""

    said: str = ""
    by_cues: bool = False


def _read_command(text: str, context: ReadingContext) -> _Reading:
    plain, corrected = normalise(text), normalise(text, lexicon=command_words())
    asks = plain.norm.partition(" ")[0] in words("asking") | (words("inverted") - words("modal"))
    variants = [plain] if corrected.norm == plain.norm else [plain, corrected]
    framed = [_read_framed(phrase, context, asks=asks) for phrase in variants]
    if framed[0].startswith("add ") and framed[-1] in {"ok", "no", "back"}:
        return _Reading(framed[-1])  # “try agian” is no keyword
    joined = (
        ()
        if context.place == "thread"
        else (normalise(join_sentences(text)), normalise(join_sentences(text), lexicon=command_words()))
    )
    readings = chain(
        (_Reading(said, by_cues=said == "ok" != framed[0]) for said in framed),  # a corrected yes may be none
        (_Reading(_read_loosely(phrase, context), by_cues=True) for phrase in variants if not ends_sentence(text)),
        (_Reading(_read_by_clauses(phrase, context)) for phrase in joined),
    )
    found = next((reading for reading in readings if reading.said), _Reading())
    if found.said == "ok" and thanks_while_writing(plain.norm, context.phase):
        return _Reading("" if context.place == "thread" else "thanks")
    if found.said.startswith((*_EDITING, "show ")) and text.rstrip().endswith("?") and asks_whether(plain.norm):
        return _Reading()
    if (more := _ONE_MORE.search(plain.norm)) and re.fullmatch(r"(?:exclude|include|drop) [\d ]+", found.said):
        return _Reading(found.said if more[1] in found.said.split() else f"{found.said} {more[1]}", found.by_cues)
    is_edit = found.said.startswith(_EDITING) or (found.said.startswith("rewrite") and ":" not in text)
    return _Reading() if is_edit and _ALSO_WISHES.search(plain.norm) else found


def _needs_weighing(found: _Reading, text: str, context: ReadingContext) -> bool:
    """Whether a pattern's reading is compared with the examples.

    What was typed as the command itself is not, nor an approval: its pattern has no room for other words.
    """
    if context.by_patterns or context.place == "thread" or (found.said == "ok" and not found.by_cues):
        return False
    try:
        is_typed = parse(text) == parse(found.said)
    except UserError:
        is_typed = False
    return not is_typed and " " in normalise(text).norm


def _guess_command(text: str, context: ReadingContext) -> str:
    if context.by_patterns or has_two_wishes(normalise(text).norm):
        return ""  # neither is done by halves
    guess = guess_command(text, context.phase)
    return guess.said if guess.is_sure else ""


def _read_by_clauses(phrase: Phrase, context: ReadingContext) -> str:
    def read(clause: Phrase) -> str:
        return _read_framed(clause, context, asks=False) or _read_loosely(clause, context)

    return read_clauses(phrase, read)


def _read_framed(phrase: Phrase, context: ReadingContext, *, asks: bool) -> str:
    cores = take_frames_off(phrase, widely=context.place != "thread")
    return next(filter(None, (_read_core(core, context, asks=asks) for core in cores)), "")


def _read_loosely(phrase: Phrase, context: ReadingContext) -> str:
    return read_cues(phrase.norm, context.phase, among_people=context.place == "thread")


def _read_core(core: Phrase, context: ReadingContext, *, asks: bool) -> str:
    among_people = context.place == "thread"
    approves = context.phase in _PROPOSING and not asks
    if approves and approves_step(core.norm, context.phase):
        return "ok" if not among_people or is_plain_yes(core.norm, context.phase) else ""
    if said := read_survey(core, loosely=False, among_people=among_people):
        return said
    for intent in load_intents():
        if (intent.phases and context.phase not in intent.phases) or (among_people and intent.quiet):
            continue
        for said, slots in intent.readings(core):
            free = [text for text in (slots.text, slots.title) if text]
            if any(map(_TWO_WISHES.search, free)) or (among_people and not all(map(is_term, free))):
                continue
            names_nothing = any(set(text.lower().split()) <= words("pronouns") for text in free)
            if names_nothing or (slots.numbers and _YEAR.search(core.norm)):
                continue  # “write more about it in 2.2”, “remove all from 2015”
            named = [*free, slots.terms] if slots.terms else free
            if intent.names_something and any(_REASON_BEHIND.search(t) or not _names_subjects(t) for t in named):
                continue
            return said
    return ""


def _commands_unclearly(phrase: Phrase) -> bool:
    """“can you change that?” and “can I change the title?” ask for a command, which no pattern knew."""
    cores = take_frames_off(phrase, widely=False)
    return any(
        core.norm.partition(" ")[0] in words("commanding") - {"show", "why", "check", "continue"} for core in cores
    )


def _read_rest(text: str, context: ReadingContext) -> str:
    """A question about the survey, or a topic by itself."""
    phrase = normalise(text)
    if context.phase == "discussion":
        if context.place == "thread":
            return f"ask {take_ask_off(text.strip())}" if asks_about_survey(phrase.norm, text, context.own) else ""
        if plainly := find_plain_question(text):
            return f"ask {plainly}"
        asked = text.rstrip().endswith("?") or any(
            is_question(core.norm) for core in take_frames_off(phrase, widely=False)
        )
        is_command = phrase.norm.partition(" ")[0] in words("commanding")
        if _commands_unclearly(phrase):
            return ""
        is_verdict = bool(_ON_A_SECTION.search(phrase.norm))
        is_named = not is_command and not is_verdict and not context.by_patterns and is_subject(text, phrase.norm)
        if asked and not context.by_patterns and is_unclear(text, context.phase):
            return ""
        is_asked = asked or (is_named and guess_command(text, context.phase).template.startswith("ask"))
        return f"ask {text.strip()}" if " " in phrase.norm and is_asked else ""
    if context.phase == "topic" and context.place != "thread":
        if words("doubt") & set(phrase.norm.split()):
            return ""  # “something with robots, maybe”
        cores = take_frames_off(phrase, widely=True)
        found = next(filter(None, (read_survey(core, loosely=True, among_people=False) for core in cores)), "")
        is_topic = not is_question(phrase.norm) and names_topic(text, phrase.norm)
        is_topic = is_topic and (context.by_patterns or not is_unclear(text, context.phase))
        return found or (write_survey(text) if is_topic else "")
    return ""
