"""What follows from one event, as a value: messages, jobs, and the card of the step as it opens, changes and closes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from adapters.chat import Button, Conversation, Outgoing
from bot.store.ledger import BudgetUse
from bot.store.sessions import StoredConversation
from bot.views.actions import STOP
from bot.wording import progress, replies
from bot.wording.cards import (
    CARD,
    PROPOSING,
    Card,
    by_whom,
    make_refused_card,
    make_short_card,
    word_return,
)
from bot.wording.discussion import make_document
from bot.wording.labels import draw_buttons
from engine.errors import NoPapers, ScholiumError
from engine.session.events import Job, Notice
from engine.session.state import State, SurveySession
from engine.values import Paper


@dataclass
class Turn:
    """What follows from one event. ``stored`` is the session afterwards.

    ``actor`` is the person who did it, nobody where a job did; ``alone`` says that only this person sees answers.
    ``facts`` are said of the job that is over; ``sample`` papers show how long those to be read are; ``uses`` is what
    was used of the budgets when the turn began.
    """

    stored: StoredConversation
    actor: str = ""
    alone: bool = False
    facts: tuple[str, ...] = ()
    sample: Sequence[Paper] = ()
    uses: Sequence[BudgetUse] = ()
    messages: list[Outgoing] = field(default_factory=list)
    starts: list[Job] = field(default_factory=list)
    stops: list[Job] = field(default_factory=list)
    forgets: bool = False

    @property
    def at(self) -> Conversation:
        return self.stored.conversation

    @property
    def session(self) -> SurveySession:
        return self.stored.session

    def say(self, text: str, *, files: tuple[Path, ...] = (), person: str = "", only_for: str = "") -> None:
        """Something for everybody in the conversation, or for one alone, perhaps naming a person."""
        if text or files:
            self.send(Outgoing(self.at, text, files=files, only_for=only_for, people=(person,) if person else ()))

    def show(self, card: Card) -> None:
        """Something that was asked to be shown: in its place where it has one, else for whom it was asked to be."""
        alone = self.actor if self.alone and not card.slot else ""
        shown = Outgoing(self.at, card.text, buttons=card.buttons, hints=card.hints, slot=card.slot, anew=card.anew)
        self.send(replace(shown, only_for=alone))

    def answer(self, text: str) -> None:
        self.show(Card(text))

    def tell(self, kind: Notice, before: State) -> None:
        """A short answer, ``before`` being how the survey was; what others need not know goes to the person alone."""
        text = replies.notice(kind, self.session)
        match kind:
            case "stale" | "stopped":
                """It is said with the card, or where the status of the job stood."""
            case "busy" | "running already":
                self.say(text, only_for=self.actor)
            case "undone" | "redone":
                self.say(word_return(text, before, self.session.state))
            case "started over":
                self.say(text)
            case _:
                self.answer(text)

    def show_document(self, before: SurveySession) -> None:
        """Show a finished survey that has changed as a document: where its files are delivered, else by itself."""
        changed = self.session.id == before.id and self.session.state.survey != before.state.survey
        document = make_document(self.session) if changed else None
        if document is None:
            return
        delivers = any(message.files for message in self.messages)
        self.messages = [replace(m, document=document) if m.files else m for m in self.messages]
        if not delivers:
            self.send(Outgoing(self.at, "", document=document))

    def collect_messages(self) -> list[Outgoing]:
        """The messages; the last says whether it is the person's turn now."""
        waiting = self.session.job is None
        return [replace(m, awaits=waiting and i == len(self.messages)) for i, m in enumerate(self.messages, start=1)]

    def offer(self, text: str, choices: tuple[str, ...]) -> None:
        """Commands as buttons: nothing is done before one is pressed, or its number in the text's list said."""
        self.stored = replace(self.stored, choices=choices)
        named = f"{self.session.id}:{self.session.revision}"
        self.show(Card(text, tuple(Button(c, f"choose {n}:{named}", "") for n, c in enumerate(choices, 1))))

    # The card.

    def show_card(self, card: Card, *, lead: str = "", job: Job | None = None) -> None:
        """Put the card of the step where it stands, or where the status of the job stands that made it."""
        text = f"{lead}\n\n{card.text}" if lead else card.text
        shown = Outgoing(self.at, text, buttons=card.buttons, hints=card.hints, slot=CARD, facts=self.facts)
        self.send(replace(shown, job=job.id if job else ""))

    def close_card(self, text: str) -> None:
        """What became of the card: it loses its buttons."""
        self.send(Outgoing(self.at, text, slot=CARD, closes=True))

    # Jobs.

    def start(self, job: Job) -> None:
        """A job begins; its status can be stopped."""
        stop, text, title = draw_buttons(self.session, (STOP,)), progress.word_started(job), self.session.state.topic
        self.send(Outgoing(self.at, text, "started", buttons=stop, job=job.id, title=title))
        self.starts.append(job)

    def stop(self, job: Job) -> None:
        """A job is ended by a person: what can be done now stands where its status stood."""
        self.stops.append(job)
        self.conclude(job, progress.word_stopped(by_whom(self.actor)))

    def end_job(self, job: Job) -> None:
        """The session does not wait for the job any more, so that something else can be done."""
        self.stop(job)
        self.stored = replace(self.stored, session=replace(self.session, job=None))

    def conclude(self, job: Job, text: str, error: ScholiumError | None = None) -> None:
        """Say in its status that a job ended without a result, with the card; a yes begins what may have been meant."""
        kept = progress.word_kept(self.session.state, job)
        said = f"{text} {kept}".strip()
        if job.kind in PROPOSING and self.session.state.brief:
            card = make_short_card(self.session)
            if isinstance(error, NoPapers):
                card = make_refused_card(self.session, error.meant)
                if error.meant:
                    meant = (f"survey {error.meant}",)
                    self.stored = replace(self.stored, choices=meant, reading=meant)
            self.show_card(card, lead=said, job=job)
        else:
            self.result(job, said)

    def result(self, job: Job, text: str, *, buttons: tuple[Button, ...] = (), rating: tuple[str, ...] = ()) -> None:
        """What a job has found, in the place of its status; ``rating`` as in `Outgoing`."""
        self.send(Outgoing(self.at, text, buttons=buttons, job=job.id, facts=self.facts, rating=rating))

    def announce(self, job: Job) -> None:
        """Say what the job has found in a message of its own: nobody is told of an edit, and this one took long."""
        ended = Outgoing(self.at, progress.word_ended(job), "ended", job=job.id, facts=self.facts)
        is_result = [m.kind == "message" and m.job == job.id for m in self.messages]
        moved = [replace(m, job="") if its else m for m, its in zip(self.messages, is_result, strict=True)]
        self.messages = [ended, *moved]

    def send(self, outgoing: Outgoing) -> None:
        """Name the person who did this where the text does."""
        names = self.actor and f"@{self.actor}" in outgoing.text
        people = dict.fromkeys((*outgoing.people, *((self.actor,) if names else ())))
        self.messages.append(replace(outgoing, people=tuple(people)))
