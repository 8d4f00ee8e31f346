"""A person's words → a command that was typed, or what they likeliest mean. Pure; asks no model.

What was typed in the grammar's words is done. Of what was not, a reading shows, and stops; whatever else changes
something is only offered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from bot.commands.commands import Command, Export, FreeText, Show, StartSurvey, SurveyCommand
from bot.commands.grammar import numbers_in, parse
from bot.commands.intents.classifier import load_classifier, score_intents
from bot.commands.intents.features import LONGEST, Heard, read_words
from bot.commands.intents.intents import INTENTS, NOT_FOR_US, is_harmless, is_possible
from bot.commands.intents.slots import are_formats, fill_intent
from engine.errors import UserError, pick
from engine.session.events import Approve, Control, EditKeywords, EditOutline, EditPapers, Job, Regenerate
from engine.session.state import State
from engine.survey import walk
from engine.values import KeywordPool, walk_outline

OFFERED = 5
"""Commands offered at most where words were not understood."""
_ASK = "ask {question}"
_SHOWN_AT = 0.1
"""Lead at which what changes nothing is shown; below it, it is offered with the next."""
STOPPED_AT = 1.0
"""Lead at which words stop what runs, which keeps what is finished: of the phrasings held out none was another wish."""
_NEAR = 0.9
"""Distance from the likeliest at which others are offered too: held out, 92 % of those meant are offered."""
_SILENT_AT = {False: 0.2, True: 0.5}
"""Lead of “not for us” at which words among people are left alone; below it the person alone is asked, an owner sooner.

Held out, 84 % of people's talk has the first, 74 % the second; of wishes 6 % and 2 %.
"""
_TYPED_AT, _OURS_AT = 0.1, 1.2
"""Lead over “not for us” at which commands, and plain words, are acted on among people: .5 % of talk has the second."""
_CALLED = re.compile(r"\s*(?:(?:hey|hi|hello|ok|okay|dear)[\s,]+)?@?scholium\b[\s,:]*", re.I)
_OTHERS = re.compile(r"<@[^>]{1,40}>|(?:^|\s)@(?!scholium\b)\w", re.I)
_DROP = re.compile(r"(?:drop|remove|delete)\s+([\d\s,-]+(?:and\s+\d+)?)", re.I)


def understand(text: str, heard: Heard, state: State) -> Command | None:
    """What is meant: a command that was typed, else `FreeText` with the likeliest; ``None`` where it is not for us.

    Raises `UserError` where a command's number cannot be read.
    """
    text, heard = hear_name(text, heard)
    try:
        parsed = parse(text)
    except UserError:
        found, verb = _read_plain(text, heard, state), text.partition(" ")[0].lower()
        is_keyword = found is not None and found.likely and heard.phase == "keywords"  # “include soil moisture”
        if found is None or is_keyword or any(offer.startswith(verb) for offer in found.offers):
            return found and replace(found, guess="")  # “exclude the 2nd and the 3rd”
        raise
    if isinstance(parsed, FreeText) or _is_doubtful(parsed, heard):
        return _read_plain(text, heard, state)
    typed = parse_at_step(text, state)
    if heard.among_people and _may_be_talk(typed):
        ours = _weigh_talk(score_intents(text[:LONGEST], heard))
        if ours < _TYPED_AT:
            return _ask_privately(text, (text.strip(),), ours, heard)
    return typed


def speaks_of_survey(text: str) -> bool:
    """Whether words said where none was begun are likelier said of a finished survey than of a topic.

    Of labelled sentences that no classifier saw, none of 41 that begin something is, and 44 of 48 that change or show a
    survey are.
    """
    here, there = (score_intents(text[:LONGEST], Heard(phase)) for phase in ("topic", "discussion"))
    else_ = [score for label, score in there.items() if label in here or label == _ASK]
    return max(score for label, score in there.items() if label not in {*here, _ASK}) > max(*here.values(), *else_)


def hear_name(text: str, heard: Heard) -> tuple[str, Heard]:
    """Without our name before it, which calls us; naming somebody else means that others are there."""
    if (called := _CALLED.match(text)) and called.end() < len(text):
        return text[called.end() :], replace(heard, place="mentioned" if heard.place == "thread" else heard.place)
    return text, replace(heard, others=heard.others or bool(_OTHERS.search(text[:LONGEST])))


def _weigh_talk(scores: Mapping[str, float]) -> float:
    """How far the likeliest intent is ahead of words that are not for us."""
    ours = max(score for label, score in scores.items() if label != NOT_FOR_US)
    return ours - scores.get(NOT_FOR_US, ours - _OURS_AT)


def _ask_privately(text: str, offers: tuple[str, ...], ours: float, heard: Heard) -> FreeText | None:
    """A question to the person alone; none where the words are talk, which of an owner's a model may doubt."""
    if ours >= -_SILENT_AT[heard.by_owner]:
        return FreeText(text, offers, private=True)
    return FreeText(text, private=True, quiet=True) if heard.by_owner and ours > -_OURS_AT else None


def _may_be_talk(command: Command) -> bool:
    """Whether people say such words to one another too: “ok”, “add more cheese next time”, “ask Lena”."""
    match command:
        case Show(target=target):
            return not re.search(r"\d", target)
        case Job(kind):
            return kind == "answer"
        case Approve() | Regenerate() | Control.GO_BACK | EditKeywords() | StartSurvey() | Export():
            return True
        case SurveyCommand(kind):
            return kind == "name"
        case _:
            return False


def _is_doubtful(command: Command, heard: Heard) -> bool:
    """Whether what would be a keyword or a format is none: “drop it”, “add my name as author”, “export it for me”."""
    if isinstance(command, Export):
        return not are_formats(command.formats)
    if not isinstance(command, EditKeywords):
        return False
    frame = load_classifier().frame
    return heard.phase != "keywords" or any({*read_words(words)} <= frame for words in (*command.add, *command.drop))


def parse_at_step(text: str, state: State) -> Command:
    """As `parse`; numbers to be dropped are keywords or papers where these are proposed, so is “the keyword x”."""
    command = parse(text)
    if isinstance(command, EditKeywords) and command.drop and state.keywords:
        return replace(command, drop=tuple(_find_keyword(words, state.keywords) for words in command.drop))
    match = _DROP.fullmatch(text.strip(" .!")) if isinstance(command, EditOutline) else None
    if match and state.phase == "papers":
        return EditPapers(exclude=numbers_in(match[1]))
    if match and state.phase == "keywords" and state.keywords:
        return EditKeywords(drop=name_keywords(numbers_in(match[1]), state))
    return command


def _find_keyword(words: str, pool: KeywordPool) -> str:
    """The keyword of these words, else the longest that they end with; the words where there is none."""
    known = (
        keyword.text for keyword in pool.keywords if f" {words}".casefold().endswith(f" {keyword.text.casefold()}")
    )
    return words if words in pool else max(known, key=len, default=words)


def name_keywords(numbers: tuple[int, ...], state: State) -> tuple[str, ...]:
    """The keywords of these numbers, from 1. Raises `UserError` for one that is not there."""
    pool = state.keywords.keywords if state.keywords else ()
    return tuple(pick("keyword", pool, number, "the list").text for number in numbers)


def _read_plain(text: str, heard: Heard, state: State) -> FreeText | None:
    """The likeliest intents of words that are no command; ``None`` where they are not for us."""
    scores = score_intents(text[:LONGEST], heard)
    likeliest = next(iter(scores))
    whole = _say_whole(text, scores, state)
    scores = {label: score for label, score in scores.items() if label in whole or label not in INTENTS}
    # Approval is only offered before all others.
    offers = tuple(dict.fromkeys(said for label, said in whole.items() if label != "ok" or label == next(iter(whole))))[
        :OFFERED
    ]
    if heard.among_people and (ours := _weigh_talk(scores)) < _OURS_AT:
        return _ask_privately(text, offers, ours, heard)
    first, *others = scores
    lead = scores[first] - max((scores[label] for label in others), default=scores[first] - _NEAR)
    # A question changes nothing, and there is no section 2022.
    if likeliest not in scores and text.rstrip().endswith("?") and is_possible(_ASK, heard.phase):
        return FreeText(text, offers, fill_intent(_ASK, text, load_classifier(), {}), likely=True)
    if first not in INTENTS:
        return FreeText(text, offers)
    shows = is_harmless(first) and first == likeliest and (lead > _SHOWN_AT or first == _ASK)
    done = lead > STOPPED_AT if first == "stop" else shows
    return FreeText(text, offers, whole[first] if done else "", likely=lead > _SHOWN_AT)


def _say_whole(text: str, scores: Mapping[str, float], state: State) -> dict[str, str]:
    """The commands that can be said whole, each by its intent: one for which nothing was said is hardly meant."""
    best, names, found = max(scores.values()), name_items(state), dict[str, str]()
    for label, score in scores.items():
        if label in INTENTS and score > best - _NEAR:
            said = fill_intent(label, text, load_classifier(), names)
            if said and len(said) <= LONGEST and _can_be_done(said):
                found[label] = said
    return found


def _can_be_done(said: str) -> bool:
    try:
        return not isinstance(parse(said), FreeText)
    except UserError:
        return False


def name_items(state: State) -> dict[str, str]:
    """The names of what is numbered at this step, each by its number."""
    match state.phase:
        case "keywords":
            names = [keyword.text for keyword in state.keywords.keywords] if state.keywords else []
        case "papers":
            names = [found.paper.title for found in state.papers.found] if state.papers else []
        case _ if state.survey:
            return {place: section.title for place, section in walk(state.survey.sections)}
        case _:
            return {place: node.title for place, node in walk_outline(state.outline.nodes)} if state.outline else {}
    return {str(number): name for number, name in enumerate(names, start=1)}
