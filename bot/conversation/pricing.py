"""What the next step will take and who pays for it: said before it is approved; more budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.commands.access import is_among, takes_part
from bot.commands.briefs import Defaults
from bot.commands.commands import RaiseBudget
from bot.conversation.turn import Turn
from bot.settings import Settings
from bot.store import ledger
from bot.store.ledger import BudgetLimit, BudgetUse, Payer, load_budget_use
from bot.store.sessions import Store, StoredConversation
from bot.wording import money
from engine.errors import UserError
from engine.gathering.relevance import plan_judging
from engine.run import CallChain, WritingTask
from engine.session.kept_text import KeptText
from engine.session.state import State, SurveySession, find_kept_text
from engine.values import Paper
from engine.writing.estimates import Estimate, estimate_cost, with_expected_texts


def list_limits(settings: Settings, session: SurveySession) -> list[BudgetLimit]:
    """The session's budget (the smaller of what was asked for and what is set), the person's, the workspace's."""
    brief = session.state.brief
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


async def load_uses(store: Store, settings: Settings, stored: StoredConversation, person: str = "") -> list[BudgetUse]:
    """What is used of the session's budgets; of the daily ones it is its payer's, or the person's who is named."""
    payer, limits = payer_of(stored), list_limits(settings, stored.session)
    return await load_budget_use(store, replace(payer, person=person or payer.person), limits)


async def raise_budget(turn: Turn, store: Store, settings: Settings, wanted: RaiseBudget) -> None:
    """Add to a budget and say what is left.

    Raises `UserError` where there is none, where it is one of dollars and tokens are added or the reverse, and where it
    would be more than is set for every survey, unless an administrator says so.
    """
    payer, in_tokens = payer_of(turn.stored), bool(wanted.tokens)
    whose = replace(payer, person=wanted.person or payer.person)
    limits = [limit for limit in list_limits(settings, turn.session) if limit.scope == wanted.scope]
    if not limits:
        raise UserError(money.word_no_budget(wanted.scope))
    (use,) = await load_budget_use(store, whose, limits)
    held = use.limit.tokens if in_tokens else use.limit.money
    most = settings.budget_tokens if in_tokens else settings.budget
    if held is None:
        raise UserError(money.word_other_unit(use.limit))
    added = (wanted.tokens or wanted.money) - (held if wanted.in_all else 0)
    if added <= 0:
        raise UserError(money.word_enough_already(use.limit))
    may_all = is_among(settings.administrators, turn.at, turn.actor)
    if not may_all and most is not None and held + added > most:
        raise UserError(money.word_highest(BudgetLimit("survey", settings.budget, settings.budget_tokens)))
    await ledger.raise_budget(store, whose, wanted.scope, *((0.0, round(added)) if in_tokens else (added, 0)))
    (after,) = await load_budget_use(store, whose, limits)
    turn.say(money.word_raised_budget(use, after))


def word_price(state: State, defaults: Defaults, uses: Sequence[BudgetUse]) -> str:
    """What accepting the step will cost (judging, reading or writing), and what stays; empty where nothing is paid."""
    if state.phase == "outline" and state.outline and state.papers and not state.outline.is_grouping:
        kept = find_kept_text(state)
        told = money.word_kept(state.outline, kept) if state.written_from else ""
        expected = estimate_writing(state, kept, defaults)
        return "\n\n".join(part for part in (told, money.estimate(expected, uses) if expected else "") if part)
    if not (state.brief and defaults.models):
        return ""
    recipe, limits = defaults.recipes[state.brief.recipe], defaults.limits
    if state.phase == "keywords" and defaults.settings.judge != "never":
        return money.estimate_judging(_estimate(plan_judging(recipe.paper_count(limits), limits), defaults), uses)
    papers = state.papers.list_included() if state.phase == "papers" and state.papers else ()
    chains = recipe.plan_preparation(papers, defaults.count_texts(state.brief)) if papers else ()
    return money.estimate_preparation(_estimate(chains, defaults), len(papers), uses) if chains else ""


def estimate_writing(state: State, kept: KeptText, defaults: Defaults) -> Estimate | None:
    """What writing the outline at hand will take beside what is ``kept``; ``None`` where no language model is asked."""
    if not (state.brief and state.outline and state.papers and defaults.models):
        return None
    papers = with_expected_texts(state.papers, defaults.count_texts(state.brief))
    task = WritingTask(state.brief, papers, state.outline, kept)
    chains = defaults.recipes[state.brief.recipe].plan_calls(task, defaults.limits)
    return _estimate(chains, defaults) if chains else None


def _estimate(chains: Sequence[CallChain], defaults: Defaults) -> Estimate:
    settings = defaults.settings
    return estimate_cost(chains, defaults.models, settings.concurrent_calls, settings.price_list())


def word_review_price(state: State, defaults: Defaults, sample: Sequence[Paper]) -> str:
    """What a quick review will take, which begins as soon as it is asked for; empty where nothing is paid.

    Papers are as long as those gathered before, else as the library's ``sample``.
    """
    if not (state.brief and defaults.models):
        return ""
    recipe = defaults.recipes[state.brief.recipe]
    fetches = defaults.count_texts(state.brief) > 0
    papers = state.papers.list_included() if state.papers else sample
    chains = recipe.plan_review_calls(state.brief, defaults.limits, papers, with_texts=fetches)
    return money.estimate_review(_estimate(chains, defaults), at_most=fetches) if chains else ""


def find_asker(settings: Settings, stored: StoredConversation, person: str) -> str:
    """The person, where they ask about another's survey in which they take no part; else nobody."""
    return person if person and not takes_part(settings, stored, person) else ""


def payer_of(stored: StoredConversation, asker: str = "") -> Payer:
    """The survey's owner; whoever takes no part in it pays for what they ask."""
    of_job = stored.session.job.asker if stored.session.job else ""
    return Payer(stored.session.id, stored.conversation.workspace, asker or of_job or stored.owner)
