"""Several surveys in one conversation: none is ever replaced, each can be listed, opened, named, archived."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

from adapters.chat import Incoming
from bot.commands.commands import Command, Export, FreeText, Show, SurveyCommand
from bot.commands.intents.plain_words import speaks_of_survey
from bot.conversation.turn import Turn
from bot.store.sessions import Store
from bot.store.surveys import StoredSurvey, list_surveys, update_survey
from bot.wording import replies
from bot.wording import sentences as wording
from bot.wording.cards import word_decision
from engine.errors import UserError
from engine.session.events import Control, EditOutline, Job
from engine.session.state import SurveySession
from engine.text import clean

LONGEST_NAME = 200


async def manage_surveys(turn: Turn, store: Store, command: SurveyCommand, incoming: Incoming) -> None:
    if command.kind == "new":
        _require_rest(turn)
        leave_for_another(turn, incoming.person)
        turn.say(wording.WELCOME)
        return
    found = await list_surveys(store, turn.at, incoming.person)
    match command.kind:
        case "list":
            _list(turn, found, command, incoming)
        case "open":
            await _open(turn, store, _pick(found, command.number))
        case "name":
            _require_topic(turn)
            short = clean(command.name)
            if len(short) > LONGEST_NAME:
                raise UserError(replies.word_long_name(LONGEST_NAME, len(short)))
            await update_survey(store, turn.session.id, name=short)
            turn.say(replies.word_named_survey(short))
        case "archive":
            if command.number:
                wanted = _pick(found, command.number)
                session_id, title = wanted.session_id, wanted.title
            else:
                session_id, title = turn.session.id, _require_topic(turn)
            await update_survey(store, session_id, archived=True)
            turn.say(replies.word_archived_survey(title))


async def name_elsewhere(turn: Turn, store: Store, command: Command, incoming: Incoming) -> bool:
    """Name the person's surveys where the command needs one, and none was begun here; whether there are any."""
    if turn.session.state.brief or not _needs_survey(command):
        return False
    found = await list_surveys(store, turn.at, incoming.person)
    if found:
        _list(turn, found, SurveyCommand("list"), incoming)
    return bool(found)


def _needs_survey(command: Command) -> bool:
    match command:
        case FreeText(text, private=private):
            return not private and speaks_of_survey(text)
        case Show(view):
            return view not in {"help", "hello", "thanks", "cost", "budget"}
        case Export() | EditOutline() | Control.REWRITE_ALL | Job("revise" | "evaluate"):
            return True
        case _:
            return False


def _list(turn: Turn, found: Sequence[StoredSurvey], wanted: SurveyCommand, incoming: Incoming) -> None:
    text = replies.list_surveys(found, turn.session.id, wanted)
    turn.say(text, only_for="" if incoming.place == "direct" else incoming.person)


def leave_for_another(turn: Turn, person: str) -> None:
    """Begin a survey beside the one at hand, which is kept; one that is at work is not left."""
    nothing_begun = turn.session.state.brief is None and not turn.session.past
    if nothing_begun or turn.session.job:
        return
    if left := turn.session.state.brief:
        turn.close_card(word_decision(turn.session.state, Control.START_OVER, turn.actor))
        if turn.session.state.phase != "topic":  # of a bare topic there is nothing to keep
            turn.say(replies.word_kept_survey(left.topic))
    fresh = SurveySession(secrets.token_hex(4))
    turn.stored = replace(turn.stored, session=fresh, owner=person, invited=frozenset(), reading=(), choices=())


async def _open(turn: Turn, store: Store, wanted: StoredSurvey) -> None:
    if wanted.session_id == turn.session.id:
        turn.close_card(wording.SHOWN_BELOW)
        return
    _require_rest(turn)
    # A terminal's conversation is no place that one could go back to: what `scholium write` made is opened here.
    here = turn.stored.conversation
    if wanted.conversation != here and (wanted.is_running or here.platform != "terminal"):
        raise UserError(replies.word_elsewhere(wanted.title))
    opened = await store.open_session(turn.stored, wanted.session_id)
    if opened is None:
        raise UserError(replies.NO_SURVEYS)
    await update_survey(store, wanted.session_id, archived=False)
    if turn.session.state.brief:
        turn.close_card(word_decision(turn.session.state, Control.START_OVER, turn.actor))
    turn.stored = opened
    turn.say(replies.word_opened_survey(wanted.title))


def _require_rest(turn: Turn) -> None:
    if turn.session.job:
        raise UserError(replies.STILL_AT_WORK)


def _require_topic(turn: Turn) -> str:
    """What the survey at hand is about. Raises `UserError` where there is none."""
    if turn.session.state.brief is None:
        raise UserError(replies.NO_SURVEY_HERE)
    return turn.session.state.brief.topic


def _pick(found: Sequence[StoredSurvey], number: int) -> StoredSurvey:
    if not found:
        raise UserError(replies.NO_SURVEYS)
    if not 0 <= number <= len(found):
        raise UserError(replies.no_such_survey(number, len(found)))
    return found[number - 1]
