"""Sentences about money: what a survey will take, what it took, what is left. See `bot.wording.sentences`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.commands.commands import RaiseBudget
from bot.store.ledger import LOST, BudgetLimit, BudgetUse
from bot.wording.sentences import counted
from engine.llm.meter import Usage
from engine.rendering.markdown import escape_markdown
from engine.session.kept_text import KeptText, parts_to_write
from engine.survey import Section, walk
from engine.text import list_words
from engine.values import Outline
from engine.writing.estimates import Estimate

NAMED_PARTS = 8
"""Parts that are named one by one before writing; the others are counted."""


def estimate(expected: Estimate, limits: Sequence[BudgetLimit]) -> str:
    """What writing will take, said before it starts."""
    most = next((limit.money for limit in limits if limit.scope == "survey"), None)
    over = expected.money is not None and most is not None and expected.money > most
    limit = f" Your budget is ${most:.2f}." if most is not None else ""
    warning = " It will not be enough for all sections; what is finished by then is kept." if over else ""
    return f"\n\nWriting it takes about {_word_size(expected)} or less.{limit}{warning} `ok` accepts this."


def word_kept(outline: Outline, kept: KeptText) -> str:
    """What of a text written before stays with the outline as it is now, and what is written anew."""
    due = [(number, node) for number, node in parts_to_write(outline, kept) if node.role == "body"]
    whole = sum(1 for i, section in kept.sections if outline.nodes[i].role == "body" for _ in _parts_of(section))
    led_over = sum(part.needs_transitions() for part in kept.parts)
    around = [node for _, node in parts_to_write(outline, kept) if node.role != "body"]
    stays = f"{counted(whole + len(kept.parts), 'part')} of the text stay as written"
    others = f", {led_over} of them with new transitions" if led_over else ""
    if not due and not around and not led_over:
        return "The whole text stays as it is; nothing has to be written anew."
    titles = [f"{number} {escape_markdown(node.title)}" for number, node in due]
    named = titles if len(titles) <= NAMED_PARTS else [*titles[:NAMED_PARTS], f"{len(titles) - NAMED_PARTS} more"]
    frame = list_words([*named, *(escape_markdown(node.title) for node in around), "the abstract"])
    return f"{stays}{others}. Written anew: {frame}. `rewrite all` writes everything anew."


def _parts_of(section: Section) -> list[Section]:
    return [part for _, part in walk((section,)) if not part.sections]


def estimate_trees(expected: Estimate, papers: int) -> str:
    """What making attribute trees will take, said before it starts."""
    return f"Making {papers:,} attribute trees takes about {_word_size(expected)}."


def estimate_preparation(expected: Estimate, papers: int) -> str:
    """What reading the papers for an outline will take at most, said before it starts."""
    return (
        f"The outline begins with an attribute tree of each of the {counted(papers, 'paper')}. That takes at most "
        f"{_word_size(expected)}; papers that the library has a tree of cost nothing. `ok` accepts this."
    )


def estimate_judging(expected: Estimate) -> str:
    """What judging the papers that the keywords find will take at most, said before the search."""
    return f"Papers that may be off the topic are judged by the language model: at most {_word_size(expected)}."


def estimate_review(expected: Estimate, *, at_most: bool) -> str:
    """What a quick review will take, said as it starts."""
    return f"A quick review takes {'at most' if at_most else 'about'} {_word_size(expected)}. `stop` ends it."


def _word_size(expected: Estimate) -> str:
    """Calls, tokens, money and time."""
    money = f"about ${expected.money:.2f}" if expected.money is not None else "money unknown (no price for this model)"
    return (
        f"{expected.calls:,} calls, {expected.input_tokens:,} tokens to read and {expected.output_tokens:,} to write, "
        f"{money}, and {_minutes(expected)}"
    )


def cost(steps: Mapping[str, Usage], uses: Sequence[BudgetUse]) -> str:
    """What was spent, on what, and what is left of the survey's budget with all that was added to it."""
    if not steps:
        return "Nothing was spent."
    lost = steps.get(LOST)
    steps = {name: usage for name, usage in steps.items() if name != LOST}
    lines = [
        f"- {escape_markdown(name)}: {u.calls} calls, {u.input_tokens:,} tokens read, {u.output_tokens:,} written, "
        f"{f'${u.money:.3f}' if u.priced else 'price unknown'}"
        for name, u in steps.items()
    ]
    total = sum(u.money for u in steps.values())
    known = all(u.priced for u in steps.values())
    total_used = total + (lost.money if lost else 0.0)
    most = next((use.limit.money for use in uses if use.limit.scope == "survey"), None)
    left = f" ${max(0.0, most - total_used):.2f} of ${most:.2f} are left." if most is not None else ""
    left += "".join(f" {_tokens_left(use)} are left." for use in uses if use.limit.tokens is not None)
    summed = f"${total:.3f} in all." if known else "The price of a model is not known, so only tokens are counted."
    return "\n".join(["**Spent so far**", "", *lines, "", f"{summed}{left}{_lost(lost)}"])


def _lost(usage: Usage | None) -> str:
    """What was under way when a process died, apart from what was paid for certain."""
    if usage is None:
        return ""
    calls = "1 call was" if usage.calls == 1 else f"{usage.calls} calls were"
    most = f"up to ${usage.money:.3f}" if usage.priced else f"up to {usage.input_tokens + usage.output_tokens:,} tokens"
    return (
        f" {calls} broken off when the service stopped; the provider may charge {most} for that, which counts as used."
    )


_WHOSE = {"survey": "this survey", "person": "you, today", "workspace": "this workspace, today"}


def budget(uses: Sequence[BudgetUse]) -> str:
    """What is left of each budget."""
    if not uses:
        return "No budget is set. `survey TOPIC budget=2.50` sets one for a survey."
    lines = []
    for item in uses:
        limit = item.limit
        if limit.money is not None:
            left = f"${max(0.0, limit.money - item.money):.2f} of ${limit.money:.2f}"
            lines.append(f"- {_WHOSE[limit.scope]}: {left} left")
        if limit.tokens is not None:
            lines.append(f"- {_WHOSE[limit.scope]}: {_tokens_left(item)} left")
    return "\n".join(["**Budget**", "", *lines])


def _tokens_left(use: BudgetUse) -> str:
    most = use.limit.tokens or 0
    return f"{max(0, most - use.tokens):,} of {most:,} tokens"


def budget_warning(item: BudgetUse) -> str:
    """Said once, when most of a budget is used."""
    return f"⚠ {item.share():.0%} of the budget for {_WHOSE[item.limit.scope]} is used. `budget` shows what is left."


def word_raised_budget(added: RaiseBudget) -> str:
    """An administrator has added to a budget."""
    amount = f"{added.tokens:,} tokens" if added.tokens else f"${added.money:.2f}"
    return f"{amount} more for {_WHOSE[added.scope]}."


def word_other_unit(limit: BudgetLimit) -> str:
    """A budget in dollars cannot be raised by tokens, nor the other way round."""
    unit, more = ("tokens", "100k") if limit.money is None else ("dollars", "1")
    name = " NAME" if limit.scope == "person" else ""
    return f"The budget for {_WHOSE[limit.scope]} is in {unit}. Say “budget {limit.scope}{name} {more}” to add to it."


def _minutes(expected: Estimate) -> str:
    return counted(max(1, round(expected.seconds / 60)), "minute")
