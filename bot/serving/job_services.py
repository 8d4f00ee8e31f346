"""What stands behind the conversations: recipes, libraries and models of the app, money and records of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from adapters.chat import Conversation, Incoming
from bot.app import App, JobServices
from bot.commands.commands import RaiseBudget
from bot.conversation.pricing import estimate_writing
from bot.conversation.services import Upload
from bot.jobs.runner import JobContext, JobListener
from bot.monitoring.metrics import Metrics
from bot.serving.uploads import add_papers
from bot.store import surveys
from bot.store.ledger import (
    BudgetLimit,
    BudgetUse,
    Payer,
    StoredLedger,
    StoredRecord,
    load_budget_use,
    raise_budget,
    usage_by_step,
)
from bot.store.notes import Talk, load_talk
from bot.store.online_cache import StoredOnlineCache
from bot.store.sent_papers import note_sent
from bot.store.sessions import Store
from bot.store.surveys import StoredSurvey
from bot.wording import money, replies
from engine.errors import UserError
from engine.llm.meter import Usage
from engine.llm.metered_model import MeteredModel
from engine.llm.model import Completion, LanguageModel
from engine.local_models import Entailment
from engine.reading.trees.attribute_trees import AttributeTree
from engine.session.state import SurveySession, find_kept_text
from engine.values import Brief, Paper, PaperKey


@dataclass
class AppServices:
    """A `bot.conversation.services.ConversationServices` of an app and a store."""

    _app: App
    _store: Store
    _metrics: Metrics

    async def build_job_context(self, session: SurveySession, payer: Payer, listener: JobListener) -> JobContext:
        entailment = await asyncio.to_thread(self._app.libraries.entailment)
        model = self.model(session, payer, entailment)
        services = JobServices(payer.tenant, model, StoredOnlineCache(self._store))
        return await self._app.build_job_context(session, services, listener)

    def model(self, session: SurveySession, payer: Payer, entailment: Entailment | None = None) -> LanguageModel | None:
        """The session's language model, metered on its owner's account; ``None`` where none is configured."""
        provider, settings, throttle = self._app.provider(), self._app.settings, self._app.throttle()
        if provider is None:
            return None
        ledger = StoredLedger(self._store, payer, self.limits(session), self._count_completion, self._app.prices)
        record, sampling = StoredRecord(self._store, session.id), settings.sampling()
        return MeteredModel(provider, settings.models(), throttle, ledger, record, session.id, sampling, entailment)

    def _count_completion(self, model: str, used: Completion) -> None:
        self._metrics.tokens.labels(model, "read").inc(used.input_tokens)
        self._metrics.tokens.labels(model, "written").inc(used.output_tokens)
        self._metrics.money.labels(model).inc(self._app.prices.cost(model, used.input_tokens, used.output_tokens))

    def limits(self, session: SurveySession) -> Sequence[BudgetLimit]:
        """The session's budget (the smaller of what was asked for and what is set), the person's, the workspace's."""
        settings, brief = self._app.settings, session.state.brief
        asked = (brief.budget, brief.budget_tokens) if brief else (None, None)
        dollars = min([most for most in (asked[0], settings.budget) if most is not None], default=None)
        tokens = min([most for most in (asked[1], settings.budget_tokens) if most is not None], default=None)
        is_set = dollars is not None and dollars == settings.budget
        is_set = is_set or (tokens is not None and tokens == settings.budget_tokens)
        found = [
            BudgetLimit("survey", dollars, tokens, is_set),
            BudgetLimit("person", settings.budget_person),
            BudgetLimit("workspace", settings.budget_workspace),
        ]
        return [limit for limit in found if limit.money is not None or limit.tokens is not None]

    async def spent(self, session_id: str) -> dict[str, Usage]:
        return dict(await usage_by_step(self._store, session_id))

    def expect_seconds(self, session: SurveySession) -> float | None:
        expected = estimate_writing(session.state, find_kept_text(session.state), self._app.defaults())
        return expected.seconds if expected else None

    async def load_budget_use(self, session: SurveySession, payer: Payer) -> list[BudgetUse]:
        return await load_budget_use(self._store, payer, self.limits(session))

    async def raise_budget(
        self, session: SurveySession, payer: Payer, wanted: RaiseBudget, *, beyond_settings: bool
    ) -> tuple[BudgetUse, BudgetUse]:
        settings, in_tokens = self._app.settings, bool(wanted.tokens)
        whose = Payer(payer.session_id, payer.tenant, wanted.person or payer.person)
        limits = [limit for limit in self.limits(session) if limit.scope == wanted.scope]
        if not limits:
            raise UserError(money.word_no_budget(wanted.scope))
        (use,) = await load_budget_use(self._store, whose, limits)
        held = use.limit.tokens if in_tokens else use.limit.money
        most = settings.budget_tokens if in_tokens else settings.budget
        if held is None:
            raise UserError(money.word_other_unit(use.limit))
        added = (wanted.tokens or wanted.money) - (held if wanted.in_all else 0)
        if added <= 0:
            raise UserError(money.word_enough_already(use.limit))
        if not beyond_settings and most is not None and held + added > most:
            raise UserError(money.word_highest(BudgetLimit("survey", settings.budget, settings.budget_tokens)))
        await raise_budget(self._store, whose, wanted.scope, *((0.0, round(added)) if in_tokens else (added, 0)))
        (after,) = await load_budget_use(self._store, whose, limits)
        return use, after

    async def load_talk(self, incoming: Incoming, owner: str) -> Talk:
        return await load_talk(self._store, incoming.conversation, incoming.key, incoming.person, owner)

    async def find_trees(
        self, session: SurveySession, payer: Payer, keys: Sequence[PaperKey]
    ) -> Mapping[PaperKey, AttributeTree]:
        return await self._app.find_trees(session.state, payer.tenant, keys)

    async def sample_papers(self, brief: Brief) -> Sequence[Paper]:
        """Some papers of the library; none where online sources are searched, whose abstracts are of other lengths."""
        return () if brief.online or not brief.library else await self._app.libraries.sample_papers(brief.library)

    async def list_surveys(self, at: Conversation, person: str) -> Sequence[StoredSurvey]:
        return await surveys.list_numbered_surveys(self._store, at.platform, at.tenant, person)

    async def load_survey(self, session_id: str) -> tuple[SurveySession, str, frozenset[str]]:
        found = await self._store.load_session(session_id)
        if found is None:
            raise UserError(replies.NO_SURVEYS)
        return found

    async def name_survey(self, session_id: str, name: str) -> None:
        await surveys.update_survey(self._store, session_id, name=name)

    async def archive_survey(self, session_id: str, *, archived: bool) -> None:
        await surveys.update_survey(self._store, session_id, archived=archived)

    async def add_papers(self, incoming: Incoming) -> Upload:
        note = partial(note_sent, self._store, incoming.conversation, incoming.person)
        return await add_papers(self._app, incoming, StoredOnlineCache(self._store), note)
