"""Money and finished calls in the store: budgets that hold across jobs, people and processes.

A call's worst case is reserved before it starts, one reservation of a workspace after the other, whatever process it
comes from; so calls in flight can never overrun a budget together.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.schema import allowances, calls, processes, sessions, spending
from bot.store.sessions import Store
from engine.errors import LimitExceeded, ServiceError
from engine.llm.meter import Settle, Usage, step_name
from engine.llm.model import Completion
from engine.llm.prices import PUBLISHED_PRICES, PriceList, word_dollars

Scope = Literal["survey", "person", "workspace"]
WARNED_AT = 0.8
"""Share of a budget at which people are warned."""


@dataclass(frozen=True, slots=True)
class Payer:
    """Whose call it is."""

    session_id: str
    tenant: str
    person: str


@dataclass(frozen=True, slots=True)
class BudgetLimit:
    """Most that may be spent, for a survey in all, else a day (UTC); only administrators add to one that ``is_set``."""

    scope: Scope
    money: float | None = None
    tokens: int | None = None
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """A limit and what is used of it, reservations included."""

    limit: BudgetLimit
    money: float
    tokens: int

    def share(self) -> float:
        """The share that is used, 0 without a limit."""
        shares = [self.money / self.limit.money] if self.limit.money else []
        shares += [self.tokens / self.limit.tokens] if self.limit.tokens else []
        return max(shares, default=0.0)

    def has_room(self, money: float, tokens: int) -> bool:
        fits = self.limit.money is None or self.money + money <= self.limit.money
        return fits and (self.limit.tokens is None or self.tokens + tokens <= self.limit.tokens)


def today() -> str:
    """The day whose budgets count (UTC)."""
    return datetime.now(UTC).date().isoformat()


def _usage_columns(prices: PriceList, model: str, completion: Completion) -> dict[str, Any]:
    price, used = prices.find(model), asdict(completion)
    del used["text"]
    money = price.cost(completion.input_tokens, completion.output_tokens) if price else 0.0
    return {**used, "money": money, "priced": price is not None}


async def _write_end(store: Store, number: int, values: Mapping[str, Any] | None) -> None:
    ended = spending.delete() if values is None else spending.update().values(values)
    await store.write(ended.where(spending.c.id == number))
    store.owed.pop(number, None)


async def write_owed(store: Store) -> None:
    """Write what became of this process's calls where the database had failed."""
    for number, values in list(store.owed.items()):
        await _write_end(store, number, values)


async def settle_lost_calls(store: Store, dead: Collection[str] = ()) -> None:
    """Calls of processes that are gone, ``dead`` ones of whom have heartbeats: what they asked was read and is lost."""
    living = sa.select(processes.c.id).where(processes.c.id.not_in(dead))
    gone = (spending.c.state == "reserved") & spending.c.holder.not_in(living)
    await store.write(spending.update().where(gone).values(state="lost"))


@dataclass
class StoredLedger:
    """One payer's calls."""

    _store: Store
    _payer: Payer
    _limits: Sequence[BudgetLimit]
    _on_settled: Callable[[str, Completion], None]
    """Hears of each call that was paid for: the model, and what it used."""
    _prices: PriceList = PUBLISHED_PRICES

    @asynccontextmanager
    async def reserve(self, step: str, model: str, input_tokens: int, output_tokens: int) -> AsyncIterator[Settle]:
        """Hold the worst case of a call while it runs; what is cancelled stays as lost, what costs nothing goes.

        Raises `LimitExceeded` where it does not fit, `UserError` where a budget in dollars meets an unknown price.
        """
        if any(limit.money is not None for limit in self._limits):
            self._prices.require(model)
        # Known before the row is made: whatever ends the call, it is clear which row goes.
        number = self._store.choose_number()
        row = {
            "id": number,
            **asdict(self._payer),
            "day": today(),
            "step": step_name(step)[:64],
            "model": model[:128],
            "state": "reserved",
            "holder": self._store.holder,
            **_usage_columns(self._prices, model, Completion("", input_tokens, output_tokens)),
        }
        # What the row says in the end; while that is nothing, nothing was spent, and the row goes.
        end: dict[str, Any] | None = None

        async def settle(completion: Completion) -> None:
            nonlocal end
            end = {"state": "paid", **_usage_columns(self._prices, model, completion)}
            self._on_settled(model, completion)

        async def write_end() -> None:
            # Whatever happens: the caller may be cancelled, also twice, before the row is made.
            with suppress(Exception):
                await inserting
            self._store.owed[number] = end
            with suppress(ServiceError):  # `write_owed` writes it when the database is back
                await _write_end(self._store, number, end)

        inserting = asyncio.create_task(self._insert(row))
        try:
            await asyncio.shield(inserting)
            try:
                yield settle
            except asyncio.CancelledError:
                # The provider has read the question already, and will not be told.
                lost = _usage_columns(self._prices, model, Completion("", input_tokens, 0))
                end = end or {"state": "lost", **lost}
                raise
        finally:
            await asyncio.shield(write_end())

    async def _insert(self, row: dict[str, Any]) -> None:
        """Raises `LimitExceeded` where there is no room for the row; then it is not made."""
        async with self._store.begin() as connection:
            # One reservation after the other, so that each sees all before it and none that is refused.
            await self._store.alone(connection, self._payer.tenant)
            await connection.execute(spending.insert().values(row))
            for use in await _select_budget_use(connection, self._payer, self._limits):
                if not use.has_room(0.0, 0):
                    raise LimitExceeded(_word_no_room(use))


def _word_no_room(use: BudgetUse) -> str:
    """Which limit ran out, and what to say or to wait for; the same whatever the call, so that it is said once."""
    limit = use.limit
    whose = {"survey": "this survey", "person": "you today", "workspace": "this workspace today"}[limit.scope]
    wait = "" if limit.scope == "survey" else " A new day begins at midnight UTC."
    if limit.money is not None and use.money > limit.money:
        size, more = word_dollars(limit.money), f"{max(1, math.ceil(limit.money / 2))}"
        added = word_dollars(float(more))
    else:
        thousands = max(100, math.ceil((limit.tokens or 0) / 2_000))
        size, more, added = f"{limit.tokens or 0:,} tokens", f"{thousands}k", f"{thousands:,},000 tokens"
    name = " NAME" if limit.scope == "person" else ""
    who = ", said by an administrator," if limit.is_set or limit.scope != "survey" else ""
    return (
        f"The budget of {size} for {whose} has no room for the next call. "
        f"“budget {limit.scope}{name} {more}”{who} adds {added}.{wait}"
    )


async def load_budget_use(store: Store, payer: Payer, limits: Sequence[BudgetLimit]) -> list[BudgetUse]:
    """What is used of each limit, with what was added to it."""
    if not limits:
        return []
    async with store.connect() as connection:
        return await _select_budget_use(connection, payer, limits)


async def _select_budget_use(
    connection: AsyncConnection, payer: Payer, limits: Sequence[BudgetLimit]
) -> list[BudgetUse]:
    result = []
    for limit in limits:
        tokens = sa.func.sum(spending.c.input_tokens + spending.c.output_tokens)
        used = sa.select(sa.func.sum(spending.c.money), tokens).where(_of(limit.scope, payer))
        money_used, tokens_used = (await connection.execute(used)).one()
        allowed = sa.select(allowances.c.money, allowances.c.tokens).filter_by(**_name_allowance(limit.scope, payer))
        money, tokens_added = (await connection.execute(allowed)).first() or (0.0, 0)
        raised = replace(
            limit,
            money=limit.money + money if limit.money is not None else None,
            tokens=limit.tokens + tokens_added if limit.tokens is not None else None,
        )
        result.append(BudgetUse(raised, float(money_used or 0), int(tokens_used or 0)))
    return result


def _of(scope: Scope, payer: Payer) -> sa.ColumnElement[bool]:
    match scope:
        case "survey":
            return (spending.c.session_id == payer.session_id) & (spending.c.person == payer.person)
        case "person":
            mine = (spending.c.tenant == payer.tenant) & (spending.c.person == payer.person)
            return mine & (spending.c.day == today())
        case "workspace":
            return (spending.c.tenant == payer.tenant) & (spending.c.day == today())


def _name_allowance(scope: Scope, payer: Payer) -> dict[str, str]:
    """Where it is kept what was added: to a survey's budget for good, to a person's or a workspace's for today."""
    person = {"person": payer.person, "survey": payer.session_id, "workspace": ""}[scope]
    return {"scope": scope, "tenant": payer.tenant, "person": person, "day": "" if scope == "survey" else today()}


async def raise_budget(store: Store, payer: Payer, scope: Scope, money: float, tokens: int = 0) -> None:
    """Add dollars or tokens to a budget: for a survey for good, for a person or a workspace for today."""
    name = _name_allowance(scope, payer)
    more = {"money": allowances.c.money + money, "tokens": allowances.c.tokens + tokens}
    first = store.insert_once(allowances).values(**name, money=0.0, tokens=0)
    await store.write(first, allowances.update().filter_by(**name).values(more))


LOST = "lost"
"""Stands for all calls that were under way when their process died: the provider may have charged for them."""


async def usage_by_step(store: Store, session_id: str) -> Mapping[str, Usage]:
    """What a session's calls used, by kind of step, `LOST` apart; calls that run are not among it."""
    c = spending.c
    sums = [sa.func.sum(column) for column in (c.input_tokens, c.output_tokens, c.cached_tokens, c.money)]
    priced = sa.func.min(sa.cast(c.priced, sa.Integer))
    lost: sa.ColumnElement[str] = sa.literal_column(f"'{LOST}'")  # no parameter: Postgres compares GROUP BY as text
    name = sa.case((c.state == sa.literal_column("'lost'"), lost), else_=c.step)
    query = sa.select(name, sa.func.count(), *sums, priced).group_by(name).order_by(sa.func.min(c.id))
    rows = await store.select(query.where((c.session_id == session_id) & (c.state != "reserved")))
    return {
        step: Usage(count, int(read), int(written), int(cached), float(money), bool(known))
        for step, count, read, written, cached, money, known in rows
    }


@dataclass
class StoredRecord:
    """Finished calls of one session, so that a job that runs again pays for none of them twice."""

    _store: Store
    _session_id: str

    async def find(self, key: str) -> Completion | None:
        c = calls.c
        query = sa.select(c.text, c.input_tokens, c.output_tokens, c.cached_tokens).where(c.key == key)
        return next((Completion(*row) for row in await self._store.select(query)), None)

    async def keep(self, key: str, completion: Completion) -> None:
        """Remember a finished call of a stored session, though its caller is cancelled: it is not paid for twice."""
        await asyncio.shield(self._keep(key, completion))

    async def _keep(self, key: str, completion: Completion) -> None:
        row = {"key": key, "session_id": self._session_id, **asdict(completion), "finished_at": time.time()}
        stored = sa.select(sessions.c.id).where(sessions.c.id == self._session_id)
        # Ahead of what waits: an answer that is not kept when the process is killed is paid for twice.
        async with self._store.begin(urgent=True) as connection:
            if (await connection.execute(stored)).first():
                await connection.execute(self._store.insert_once(calls).values(row))

    async def forget(self, key: str) -> None:
        """Ask again where the same is wanted another time."""
        await self._store.write(calls.delete().where(calls.c.key == key))
