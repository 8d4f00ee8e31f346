"""One reaction to one event, as a `Turn` that the dispatcher commits and then carries out; nothing is done here."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from adapters.chat import Form, FormFault, Incoming, Outgoing
from bot.commands import commands
from bot.commands.access import Act, act_of, refusal
from bot.commands.briefs import Defaults, brief_of
from bot.commands.commands import Command, FreeText, Show, StartSurvey
from bot.commands.grammar import LIST_WORDS, find_usage, parse
from bot.commands.intents.plain_words import parse_at_step
from bot.conversation import pricing, showing, survey_forms
from bot.conversation.intake import compute
from bot.conversation.opening import start_event
from bot.conversation.pricing import find_asker, load_uses, payer_of, word_price, word_review_price
from bot.conversation.services import ConversationServices
from bot.conversation.survey_list import leave_for_another, manage_surveys, name_elsewhere
from bot.conversation.turn import Turn
from bot.conversation.understanding import command_of, difference, read
from bot.store.ledger import WARNED_AT, today, usage_by_step
from bot.store.notes import Talk, load_talk
from bot.store.sessions import StoredConversation
from bot.wording import money, progress, proposals, replies, reviews
from bot.wording import sentences as wording
from bot.wording.cards import EDITS, PROPOSING, Card, by_whom, make_card, word_change, word_decision
from bot.wording.discussion import word_revision
from engine.errors import LanguageModelError, ScholiumError, UserError
from engine.llm.model import LanguageModel
from engine.rendering.files import parse_formats, write_figure, write_files
from engine.session import events
from engine.session.events import Event, Job, JobKind
from engine.session.state import SurveySession, advance
from engine.values import Outline
from engine.writing.clustered import draw_groups

QUIET: frozenset[JobKind] = frozenset({"answer", "revise", "gaps", "evaluate", "background"})
"""Jobs that leave the finished survey to be exported meanwhile."""


async def write_group_map(outline: Outline | None, folder: Path) -> Path | None:
    """The picture of the groups that await approval; ``None`` where the outline is none of groups, or has no places."""
    figure = draw_groups(outline) if outline and outline.is_grouping else None
    return await asyncio.to_thread(write_figure, figure, folder, "groups") if figure else None


class Turns:
    """Decides what follows; knows no platform."""

    def __init__(self, services: ConversationServices, defaults: Defaults) -> None:
        self.services = services
        self.defaults = defaults
        self._warned: set[tuple[str, str, str]] = set()

    async def load_uses(self, turn: Turn) -> Turn:
        """The turn, with what was used of the budgets before it."""
        turn.uses = await load_uses(self.services.store, self.defaults.settings, turn.stored)
        return turn

    async def decide_turn(self, stored: StoredConversation, incoming: Incoming) -> Turn:
        """The turn for something a person did; it holds an answer unless people talk to one another."""
        turn = await self.load_uses(Turn(stored, incoming.person, incoming.alone))
        try:
            talk = await load_talk(self.services.store, incoming, stored.owner)
            command = await compute(self._read_command, stored, incoming, talk)
            if command is None or not self._may(turn, command):
                return turn
            if incoming.left_out and not (isinstance(command, FreeText) and command.quiet):
                turn.answer(replies.word_left_out(len(incoming.text), incoming.left_out))
            if incoming.attachments and not self._may_act(turn, "change" if stored.owner else "start"):
                return turn
            if incoming.values and isinstance(command, events.Approve):
                turn.say(wording.not_saved(incoming.values), only_for=turn.actor)
            if incoming.attachments:
                command = await self._take_papers(turn, incoming, command)
            if command:
                await self._obey(turn, incoming, command)
        except ScholiumError as error:
            turn.answer(wording.failure(error))
        return turn

    async def _take_papers(self, turn: Turn, incoming: Incoming, command: Command) -> Command | None:
        """Keep the papers that were sent; what else is to be done, ``None`` where nothing is."""
        upload = await self.services.add_papers(incoming)
        turn.say(upload.said)
        if incoming.text.strip().rstrip(":").lower() in LIST_WORDS:
            listed = Job("list", lines=tuple(paper.key for paper in upload.papers))
            return listed if self._may(turn, listed) else None
        if incoming.text or incoming.button:
            return command
        if turn.session.state.phase == "topic" and turn.session.state.brief and not turn.session.job:
            turn.show_card(self.card(turn))  # papers for a topic that had none
        return None

    def _read_command(self, stored: StoredConversation, incoming: Incoming, talk: Talk) -> Command | None:
        """The command that was meant, one of those offered before included; ``None`` where nothing was said to us."""
        number = incoming.text.strip().rstrip(".")
        offered = number in map(str, range(1, len(stored.choices) + 1))
        command = commands.Choose(int(number)) if offered else command_of(incoming, stored.session, talk)
        if not isinstance(command, commands.Choose):
            return command
        if not stored.choices and stored.session.state.candidates:
            return parse(f"choose candidate {command.number}")
        if command.number > len(stored.choices):
            raise UserError(replies.NOTHING_TO_CHOOSE)
        return parse_at_step(stored.choices[command.number - 1], stored.session.state)

    def form(self, stored: StoredConversation, incoming: Incoming) -> Form:
        """The form that a button asks for. Raises `UserError` where the person may not, or there is none now."""
        starts = survey_forms.read_action(incoming.button)[0] == "start"
        refused = self._refusal(stored, incoming.person, "start" if starts else "change")
        if refused:
            raise UserError(wording.word_refusal(refused, stored.owner))
        if starts:
            return survey_forms.start(self.defaults, stored.session, incoming)
        return survey_forms.edit(stored.session, incoming)

    def fault(self, stored: StoredConversation, incoming: Incoming) -> FormFault | None:
        """What is wrong with a filled form; nothing is changed."""
        try:
            command = command_of(incoming, stored.session, Talk())
            if isinstance(command, StartSurvey):
                brief_of(command, self.defaults)
            elif command and not isinstance(command, commands.NOT_FOR_THE_SESSION):
                advance(stored.session, command)
        except UserError as error:
            return FormFault(survey_forms.field_of(incoming, str(error)), str(error))
        return None

    def folder(self, stored: StoredConversation) -> Path:
        """Where the session's files go: where several people share a disk, each survey has its own."""
        output = self.defaults.output
        return output / stored.session.id if self.defaults.apart else output

    async def warn(self, turn: Turn) -> None:
        """Say, once for each, that most of a budget is used."""
        for use in await load_uses(self.services.store, self.defaults.settings, turn.stored):
            key = (turn.session.id, use.limit.scope, today())
            if use.share() >= WARNED_AT and key not in self._warned:
                self._warned.add(key)
                turn.say(money.budget_warning(use))

    def _may(self, turn: Turn, command: Command) -> bool:
        """Whether the person may; where not, they are told so alone. Whoever begins what is nobody's is its owner."""
        allowed = self._may_act(turn, act_of(command))
        if allowed and isinstance(command, StartSurvey) and not turn.stored.owner:
            turn.stored = replace(turn.stored, owner=turn.actor)
        return allowed

    def _may_act(self, turn: Turn, act: Act) -> bool:
        refused = self._refusal(turn.stored, turn.actor, act)
        if refused:
            owner = turn.stored.owner
            turn.say(wording.word_refusal(refused, owner), person=owner, only_for=turn.actor)
        return not refused

    def _refusal(self, stored: StoredConversation, person: str, act: Act) -> Act | None:
        return refusal(self.defaults.settings, stored, person, act)

    async def _obey(self, turn: Turn, incoming: Incoming, command: Command) -> None:
        waiting = turn.stored.reading
        turn.stored = replace(turn.stored, reading=(), choices=())
        # A yes said in words means what was read; a button means its own proposal.
        for wanted in map(parse, waiting) if waiting and command == events.Approve() else (command,):
            if not await name_elsewhere(turn, self.services.store, wanted, incoming):
                await self._carry_out(turn, incoming, wanted)

    async def _carry_out(self, turn: Turn, incoming: Incoming, command: Command) -> None:
        match command:
            case StartSurvey() | commands.Continuation():
                await self._begin(turn, incoming.person, command)
            case events.MorePapers(0):
                self.decide(turn, events.MorePapers(self.defaults.settings.more_papers))
            case FreeText():
                await self._plain(turn, incoming, command)
            case Show():
                await self._show(turn, command, incoming.person)
            case commands.Export(formats):
                await self._export(turn, formats)
            case commands.Invite() | commands.RaiseBudget() | commands.Forget() | commands.Choose():
                await self._manage(turn, command)
            case commands.SurveyCommand():
                await manage_surveys(turn, self.services.store, command, incoming)
                if command.kind == "open":
                    turn.show_card(self.card(await self.load_uses(turn)))
            case _:
                before = turn.session.state.outline
                self.decide(turn, command)
                await self._show_groups(turn, before)

    async def _begin(self, turn: Turn, person: str, command: StartSurvey | commands.Continuation) -> None:
        event = start_event(command, turn.session.state, self.defaults)
        if isinstance(command, StartSurvey):
            leave_for_another(turn, person)
        if event.brief.quick:
            turn.sample = await self.services.sample_papers(event.brief)
        self.decide(turn, event)

    async def _show_groups(self, turn: Turn, before: Outline | None) -> None:
        """The map of the groups to be approved, where they are others than before."""
        outline = turn.session.state.outline
        picture = await write_group_map(outline, self.folder(turn.stored)) if outline != before else None
        if picture:
            turn.say(reviews.HERE_IS_THE_MAP, files=(picture,))

    async def _manage(
        self, turn: Turn, command: commands.Invite | commands.RaiseBudget | commands.Forget | commands.Choose
    ) -> None:
        match command:
            case commands.Invite(person):
                if not turn.stored.owner:
                    raise UserError(replies.NO_SURVEY_HERE)
                turn.stored = replace(turn.stored, invited=turn.stored.invited | {person})
                turn.say(wording.word_invited(person), person=person)
            case commands.RaiseBudget():
                await pricing.raise_budget(turn, self.services.store, self.defaults.settings, command)
            case commands.Choose():
                raise UserError(replies.NOTHING_TO_CHOOSE)
            case commands.Forget(sure):
                turn.forgets = sure
                if sure and (job := turn.session.job):
                    turn.stops.append(job)
                    turn.result(job, progress.word_stopped(""))
                if sure:
                    turn.close_card(f"{wording.FORGOTTEN_CARD}{by_whom(turn.actor)}.")
                turn.say(wording.FORGOTTEN if sure else wording.FORGET)

    async def _plain(self, turn: Turn, incoming: Incoming, words: FreeText) -> None:
        """Words that are no command: a model reads them, else what they likeliest mean is done, shown or offered."""
        session = turn.session
        asker = find_asker(self.defaults.settings, turn.stored, incoming.person)
        may_ask = not asker or not self._refusal(turn.stored, asker, "ask")
        if may_ask and not session.job and (model := self.services.model(session, payer_of(turn.stored, asker))):
            await self._read(turn, incoming, words, model)
        else:
            await self._guess(turn, incoming, words)

    async def _guess(self, turn: Turn, incoming: Incoming, words: FreeText, failure: str = "") -> None:
        """Show or stop; else say that it was not understood, and offer what comes nearest."""
        guess = parse(words.guess) if words.guess else None
        if guess and not failure and self._is_allowed(turn, guess):
            await self._obey(turn, incoming, guess)
            return
        offers = tuple(offer for offer in words.offers if not words.private or self._is_allowed(turn, parse(offer)))
        if words.quiet or (words.private and offers[:1] != words.offers[:1]):
            return  # who may not do what is likeliest has hardly asked for it
        turn.alone = turn.alone or words.private
        turn.offer(replies.ask_meaning(replace(words, offers=offers), find_usage(words.text), failure), offers)

    def _is_allowed(self, turn: Turn, command: Command) -> bool:
        return self._refusal(turn.stored, turn.actor, act_of(command)) is None

    async def _read(self, turn: Turn, incoming: Incoming, words: FreeText, model: LanguageModel) -> None:
        """Understand with the model; what is not certain, or is more than one thing, is asked back."""
        talk = await load_talk(self.services.store, incoming, turn.stored.owner)
        try:
            reading = await read(model, words.text, turn.session, talk)
        except LanguageModelError as error:
            await self._guess(turn, incoming, words, str(error))
            return
        if not reading.for_bot:
            return
        allowed = all(self._may(turn, command) for command in reading.commands)
        if not reading.commands:
            await self._guess(turn, incoming, replace(words, guess="", quiet=False))
        elif allowed and reading.acts_alone:
            await self._obey(turn, incoming, reading.commands[0])
        elif allowed and reading.makes_edits:
            changes = difference(turn.session, reading.commands)
            turn.stored = replace(turn.stored, reading=reading.said)
            turn.say(wording.read_as(reading.said, changes))
        elif allowed:
            turn.offer(replies.PRESS_TO_DO, reading.said[:2])

    def decide(self, turn: Turn, event: Event) -> None:
        """Advance the session and note what follows; what somebody asked who takes no part gives way to who does."""
        asker = find_asker(self.defaults.settings, turn.stored, turn.actor)
        if turn.actor and not asker and turn.session.job and turn.session.job.asker:
            turn.end_job(turn.session.job)
        before = turn.session
        session, actions = advance(before, event)
        if asker and session.job and session.job is not before.job:
            session = replace(session, job=replace(session.job, asker=asker))
        turn.stored = replace(turn.stored, session=session)
        for action in actions:
            match action:
                case "propose" if "stale" not in actions:
                    self._propose(turn, before, event)
                case "propose":  # what has changed since stands where it stood
                    text, buttons = replies.notice("stale", session), make_card(session).buttons
                    turn.send(Outgoing(turn.at, text, buttons=buttons, only_for=turn.actor))
                case "start job" | "stop job":
                    if session.job:  # one that was stopped is the session's no more
                        self._start(turn, session.job, before, event)
                    elif before.job:
                        turn.stop(before.job)
                case notice:
                    turn.tell(notice, before.state)

    def _start(self, turn: Turn, job: Job, before: SurveySession, event: Event) -> None:
        """The job begins; of a quick review, which nobody has to approve, it is said what it will take."""
        if job.kind in PROPOSING and before.state.brief:
            turn.close_card(word_decision(before.state, event, turn.actor))
        if job.kind == "review":
            turn.say(word_review_price(turn.session.state, self.defaults, turn.sample))
        turn.start(job)

    def _propose(self, turn: Turn, before: SurveySession, event: Event) -> None:
        """The card of the step; where a person has changed it, what has changed is said besides."""
        session, by_form = turn.session, turn.actor if turn.alone else ""
        job = before.job if isinstance(event, events.JobDone) else None
        same, price = before.state.phase == session.state.phase, word_price(session.state, self.defaults, turn.uses)
        if isinstance(event, EDITS | Job) or (job and job.kind == "divide"):
            turn.say(word_change(before.state, session.state, by_form, price))
        elif job is None and not same:
            turn.close_card(word_decision(before.state, event, turn.actor))
        elif job is None and price:
            turn.say(price)
        if job and before.state.survey and session.state.survey and job.kind not in PROPOSING:
            turn.result(job, word_revision(before.state.survey, session.state.survey, job.change))
            job = None
        turn.show_card(make_card(session, price), job=job)

    def card(self, turn: Turn) -> Card:
        return make_card(turn.session, word_price(turn.session.state, self.defaults, turn.uses))

    async def _show(self, turn: Turn, show: Show, person: str) -> None:
        session = turn.session
        match show:
            case Show("cost" | "budget"):
                uses = await load_uses(self.services.store, self.defaults.settings, turn.stored, person)
                spent = await usage_by_step(self.services.store, session.id)
                turn.answer(money.cost(spent, uses) if show.view == "cost" else money.budget(uses))
            case Show("tree", number):
                paper = showing.find_paper(session.state, number)
                found = await self.services.find_trees(session, payer_of(turn.stored), [paper.key])
                turn.answer(proposals.show_tree(paper, found.get(paper.key)))
            case Show("show", "") if not session.job and not turn.alone:
                turn.close_card(wording.SHOWN_BELOW)
                turn.show_card(self.card(turn))
            case _:
                turn.show(showing.view(session, show))

    async def _export(self, turn: Turn, names: tuple[str, ...]) -> None:
        session = turn.session
        formats = parse_formats(names)
        survey = showing.survey_so_far(session.state)
        if session.job and session.job.kind not in QUIET:
            raise UserError(wording.STILL_WORKING_CANNOT_EXPORT)
        if survey is None:
            raise UserError(wording.NOTHING_TO_EXPORT)
        paths = await asyncio.to_thread(write_files, survey, self.folder(turn.stored), formats)
        turn.say(wording.EXPORTED, files=paths)
