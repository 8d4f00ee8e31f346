"""What the next step will take and who pays for it: said before it is approved; more budget."""

from __future__ import annotations

from collections.abc import Sequence

from bot.commands.access import Participant, takes_part
from bot.commands.briefs import Defaults
from bot.commands.commands import RaiseBudget
from bot.conversation.services import ConversationServices
from bot.conversation.turn import Turn
from bot.settings import Rules
from bot.store.ledger import BudgetUse, Payer
from bot.store.sessions import StoredConversation
from bot.wording import money
from engine.gathering.relevance import plan_judging
from engine.run import WritingPlan
from engine.session.kept_text import KeptText
from engine.session.state import State, find_kept_text
from engine.values import Paper
from engine.writing.estimates import Estimate, estimate_cost, with_expected_texts


async def raise_budget(turn: Turn, services: ConversationServices, rules: Rules, wanted: RaiseBudget) -> None:
    """Add to a budget and say what is left. Raises `UserError` where the person may not, or it cannot be done."""
    participant, payer = participant_of(turn.stored, turn.actor), payer_of(turn.stored)
    may_all = participant.is_among(rules.administrators)
    turn.say(
        money.word_raised_budget(*await services.raise_budget(turn.session, payer, wanted, beyond_settings=may_all))
    )


def word_price(state: State, defaults: Defaults, uses: Sequence[BudgetUse]) -> str:
    """The cost, where a language model writes it, and what stays; empty where nothing would be paid.

    Of keywords, that is judging what they find; of papers, reading them for the outline; of an outline, writing it.
    """
    if state.phase == "keywords":
        return _word_judging(state, defaults, uses)
    if state.phase == "papers":
        return _word_preparation(state, defaults, uses)
    if not (state.phase == "outline" and state.outline and state.papers) or state.outline.is_grouping:
        return ""
    kept = find_kept_text(state)
    told = money.word_kept(state.outline, kept) if state.written_from else ""
    expected = estimate_writing(state, kept, defaults)
    return "\n\n".join(part for part in (told, money.estimate(expected, uses) if expected else "") if part)


def estimate_writing(state: State, kept: KeptText, defaults: Defaults) -> Estimate | None:
    """What writing the outline at hand will take beside what is ``kept``; ``None`` where no language model is asked."""
    if not (state.brief and state.outline and state.papers and defaults.models):
        return None
    papers = {p.key: p for p in state.papers.list_included()}
    if state.brief.online or defaults.fetches_always:
        papers = with_expected_texts(papers, defaults.full_texts)
    plan = WritingPlan(state.brief, state.outline, papers, defaults.limits, kept)
    chains = defaults.recipes[state.brief.recipe].plan_calls(plan)
    return estimate_cost(chains, defaults.models, defaults.concurrent_calls, defaults.prices) if chains else None


def word_review_price(state: State, defaults: Defaults, sample: Sequence[Paper]) -> str:
    """What a quick review will take, which begins as soon as it is asked for; empty where nothing would be paid.

    Papers are as long as those gathered before, else as the library's ``sample``.
    """
    if not (state.brief and defaults.models):
        return ""
    recipe = defaults.recipes[state.brief.recipe]
    fetches = defaults.full_texts > 0 and (state.brief.online or defaults.fetches_always)
    papers = state.papers.list_included() if state.papers else sample
    chains = recipe.plan_review_calls(state.brief, defaults.limits, papers, with_texts=fetches)
    if not chains:
        return ""
    return money.estimate_review(
        estimate_cost(chains, defaults.models, defaults.concurrent_calls, defaults.prices), at_most=fetches
    )


def _word_judging(state: State, defaults: Defaults, uses: Sequence[BudgetUse]) -> str:
    """What judging the papers found will take at most."""
    if not (state.brief and defaults.models and defaults.judges):
        return ""
    chains = plan_judging(defaults.recipes[state.brief.recipe].paper_count(defaults.limits), defaults.limits)
    expected = estimate_cost(chains, defaults.models, defaults.concurrent_calls, defaults.prices)
    return money.estimate_judging(expected, uses)


def _word_preparation(state: State, defaults: Defaults, uses: Sequence[BudgetUse]) -> str:
    """What reading the papers will take, where the recipe does that before it plans."""
    if not (state.brief and state.papers and defaults.models):
        return ""
    recipe, papers = defaults.recipes[state.brief.recipe], state.papers.list_included()
    fetched = defaults.full_texts if state.brief.online or defaults.fetches_always else 0
    chains = recipe.plan_preparation(papers, fetched)
    if not chains:
        return ""
    expected = estimate_cost(chains, defaults.models, defaults.concurrent_calls, defaults.prices)
    return money.estimate_preparation(expected, len(papers), uses)


def participant_of(stored: StoredConversation, person: str) -> Participant:
    """The person in this conversation."""
    return Participant(stored.conversation, person, stored.owner, stored.invited)


def find_asker(rules: Rules, stored: StoredConversation, person: str) -> str:
    """The person, where they ask about another's survey in which they take no part; else nobody."""
    return person if person and not takes_part(rules, participant_of(stored, person)) else ""


def payer_of(stored: StoredConversation, asker: str = "") -> Payer:
    """The survey's owner; whoever takes no part in it pays for what they ask."""
    of_job = stored.session.job.asker if stored.session.job else ""
    return Payer(stored.session.id, stored.conversation.workspace, asker or of_job or stored.owner)
