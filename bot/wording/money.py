"""Sentences about money: what a survey will take, what it took, what is left. See `bot.wording.sentences`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.store.ledger import LOST, BudgetLimit, BudgetUse, Scope
from bot.wording.sentences import list_first, pluralize
from engine.llm.meter import Usage
from engine.llm.prices import word_dollars
from engine.rendering.markdown import escape_markdown
from engine.session.kept_text import KeptText, parts_to_write
from engine.survey import walk
from engine.text import list_words
from engine.values import Outline
from engine.writing.estimates import Estimate

MAY_BE_TOO_LITTLE = "That may not be enough."
NAMED_PARTS = 8
"""Parts that are named one by one before writing; the others are counted."""


def estimate(expected: Estimate, uses: Sequence[BudgetUse]) -> str:
    """What writing will take, said before it starts, and whether the budgets have room for it."""
    room = _word_room(expected, uses, "That is not enough for all sections; what is finished by then is kept.")
    most = f"up to {expected.most_calls:,} calls and {expected.most_tokens:,} tokens"
    reworded = f" Where half of it has to be reworded, {most}." if expected.most_calls > expected.calls else ""
    return f"Writing it takes about {_word_size(expected)} or less.{reworded}{room} `ok` accepts this."


def _word_room(expected: Estimate, uses: Sequence[BudgetUse], too_little: str) -> str:
    """What is left of the survey's budget, and of each other that is too little."""
    tokens = expected.input_tokens + expected.output_tokens
    told = []
    for use in uses:
        enough = use.has_room(expected.money or 0.0, tokens)
        if use.limit.scope == "survey" or not enough:
            told.append(f" {_left(use)} are left for {_WHOSE[use.limit.scope]}.{'' if enough else f' {too_little}'}")
    return "".join(told)


def word_kept(outline: Outline, kept: KeptText) -> str:
    """What of a text written before stays with the outline as it is now, and what is written anew."""
    due = [(number, node) for number, node in parts_to_write(outline, kept) if node.role == "body"]
    finished = tuple(section for i, section in kept.sections if outline.nodes[i].role == "body")
    whole = sum(not part.sections for _, part in walk(finished))
    unchecked = [part for part in kept.parts if not part.is_checked]
    around = [node for _, node in parts_to_write(outline, kept) if node.role != "body"]
    if not due and not around and not unchecked:
        return "The whole text stays as it is; nothing has to be written anew."
    count = whole + len(kept.parts) - len(unchecked)
    stays = f"{pluralize(count, 'part')} of the text {'stays' if count == 1 else 'stay'} as written"
    checked = _name_parts([(part.place, part.section.title) for part in unchecked])
    checks = f" The claims of {list_words(checked)}, which could not be checked, are checked now." if checked else ""
    named = _name_parts([(number, node.title) for number, node in due])
    frame = list_words([*named, *(escape_markdown(node.title) for node in around), "the abstract"])
    return f"{stays}.{checks} Written anew: {frame}. `rewrite all` writes everything anew."


def _name_parts(parts: Sequence[tuple[str, str]]) -> list[str]:
    return list_first([f"{number} {escape_markdown(title)}" for number, title in parts], NAMED_PARTS, "{} more")


def estimate_trees(expected: Estimate, papers: int) -> str:
    return f"Making {papers:,} attribute trees takes about {_word_size(expected)}."


def estimate_preparation(expected: Estimate, papers: int, uses: Sequence[BudgetUse]) -> str:
    return (
        f"The outline begins with an attribute tree of each of the {pluralize(papers, 'paper')}. That takes at most "
        f"{_word_size(expected)}; papers that the library has a tree of cost nothing."
        f"{_word_room(expected, uses, MAY_BE_TOO_LITTLE)} `ok` accepts this."
    )


def estimate_judging(expected: Estimate, uses: Sequence[BudgetUse]) -> str:
    return (
        f"Papers that may be off the topic are judged by the language model: at most {_word_size(expected)}."
        f"{_word_room(expected, uses, MAY_BE_TOO_LITTLE)}"
    )


def estimate_review(expected: Estimate, *, at_most: bool) -> str:
    return f"A quick review takes {'at most' if at_most else 'about'} {_word_size(expected)}."


def _word_size(expected: Estimate) -> str:
    known = expected.money is not None
    money = f"about {word_dollars(expected.money or 0.0)}" if known else "money unknown (no price for this model)"
    return (
        f"{pluralize(expected.calls, 'call')}, {expected.input_tokens:,} tokens to read and "
        f"{expected.output_tokens:,} to write, {money}, and {pluralize(max(1, round(expected.seconds / 60)), 'minute')}"
    )


def cost(steps: Mapping[str, Usage], uses: Sequence[BudgetUse]) -> str:
    """What was spent, on what, and what is left of the survey's budget with all that was added to it."""
    if not steps:
        return "Nothing was spent."
    lost = steps.get(LOST)
    steps = {name: usage for name, usage in steps.items() if name != LOST}
    lines = [
        f"- {escape_markdown(name)}: {pluralize(u.calls, 'call')}, {u.input_tokens:,} tokens read, "
        f"{u.output_tokens:,} written, {f'${u.money:.3f}' if u.priced else 'price unknown'}"
        for name, u in steps.items()
    ]
    summed = "The price of a model is not known, so only tokens are counted."
    if all(u.priced for u in steps.values()):
        summed = f"${sum(u.money for u in steps.values()):.3f} in all."
    left = "".join(f" {_left(use)} are left." for use in uses if use.limit.scope == "survey")
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
    if not uses:
        return "No budget is set. `survey TOPIC budget=2.50` sets one for a survey."
    return "\n".join(["**Budget**", "", *(f"- {_WHOSE[use.limit.scope]}: {_left(use)} left" for use in uses)])


def _left(use: BudgetUse) -> str:
    """What is left in the budget's own unit; both, where it has both."""
    money, tokens = use.limit.money, use.limit.tokens
    parts = [f"{word_dollars(max(0.0, money - use.money))} of {word_dollars(money)}"] if money is not None else []
    parts += [f"{max(0, tokens - use.tokens):,} of {tokens:,} tokens"] if tokens is not None else []
    return " and ".join(parts)


def budget_warning(item: BudgetUse) -> str:
    return f"⚠ {item.share():.0%} of the budget for {_WHOSE[item.limit.scope]} is used. `budget` shows what is left."


def word_raised_budget(before: BudgetUse, after: BudgetUse) -> str:
    money, tokens = (after.limit.money or 0.0) - (before.limit.money or 0.0), after.limit.tokens or 0
    added = word_dollars(money) if money else f"{tokens - (before.limit.tokens or 0):,} tokens"
    return f"{added} more for {_WHOSE[after.limit.scope]}: {_left(after)} left."


def word_no_budget(scope: Scope) -> str:
    return f"No budget is set for {_WHOSE[scope]}, so there is nothing to add to."


def word_enough_already(limit: BudgetLimit) -> str:
    return f"The budget for {_WHOSE[limit.scope]} is {_size(limit)} already."


def word_highest(limit: BudgetLimit) -> str:
    return f"A survey's budget may go up to {_size(limit)}; an administrator of Scholium can go beyond that."


def _size(limit: BudgetLimit) -> str:
    amounts = [word_dollars(limit.money)] if limit.money is not None else []
    return " and ".join(amounts + ([f"{limit.tokens:,} tokens"] if limit.tokens is not None else []))


def word_other_unit(limit: BudgetLimit) -> str:
    unit, more = ("tokens", "100k") if limit.money is None else ("dollars", "1")
    name = " NAME" if limit.scope == "person" else ""
    return f"The budget for {_WHOSE[limit.scope]} is in {unit}. Say “budget {limit.scope}{name} {more}” to add to it."
