"""Money and finished calls in the store: budgets that hold across jobs, people and processes.

A call's worst case is reserved before it starts, one reservation of a workspace after the other, whatever process it
comes from; so calls in flight can never overrun a budget together.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.reservations import OnSettled, StoredReservation, insert_reservation, usage_columns
from bot.store.schema import allowances, calls, sessions, spending
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
    """Most that may be spent; for a survey in all, for a person or a workspace on one day (UTC).

    ``is_set``: the settings say so, and only an administrator may add to it.
    """

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

    def is_over(self) -> bool:
        return not self.has_room(0.0, 0)

    def has_room(self, money: float, tokens: int) -> bool:
        fits = self.limit.money is None or self.money + money <= self.limit.money
        return fits and (self.limit.tokens is None or self.tokens + tokens <= self.limit.tokens)


def today() -> str:
    """The day whose budgets count (UTC)."""
    return datetime.now(UTC).date().isoformat()


@dataclass
class StoredLedger:
    """One payer's calls."""

    _store: Store
    _payer: Payer
    _limits: Sequence[BudgetLimit]
    _on_settled: OnSettled
    _prices: PriceList = PUBLISHED_PRICES

    @asynccontextmanager
    async def reserve(self, step: str, model: str, input_tokens: int, output_tokens: int) -> AsyncIterator[Settle]:
        """Hold the worst case of a call while it runs.

        Raises `LimitExceeded` where it does not fit, `UserError` where a budget in dollars meets an unknown price.
        """
        if any(limit.money is not None for limit in self._limits):
            self._prices.require(model)
        worst = Completion("", input_tokens, output_tokens)
        row = {
            "session_id": self._payer.session_id,
            "tenant": self._payer.tenant,
            "person": self._payer.person,
            "day": today(),
            "step": step_name(step)[:64],
            "model": model[:128],
            "state": "reserved",
            "holder": self._store.holder,
        }
        made = insert_reservation(self._store, asyncio.create_task(self._insert(row, worst)))
        reservation = StoredReservation(self._store, await made, model, self._on_settled, self._prices)
        try:
            yield reservation.settle
        except asyncio.CancelledError:
            # The provider has read the question already, and will not be told.
            await reservation.end("lost", Completion("", input_tokens, 0))
            raise
        finally:
            with suppress(ServiceError):  # the next sweep gives it back
                await reservation.end()

    async def _insert(self, row: dict[str, Any], worst: Completion) -> int:
        """The number of the new row. Raises `LimitExceeded` where there is no room for it."""
        columns = usage_columns(self._prices, row["model"], worst)
        async with self._store.begin() as connection:
            # One reservation after the other, so that each sees all before it and none that is refused.
            await self._store.alone(connection, self._payer.tenant)
            result = await connection.execute(spending.insert().values(**row, **columns))
            for use in await _select_budget_use(connection, self._payer, self._limits):
                if use.is_over():
                    raise LimitExceeded(_word_no_room(use))
        number = int(result.inserted_primary_key[0])  # type: ignore[index]
        self._store.reservations.held.add(number)
        return number


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
        row = (await connection.execute(used)).one()
        added = (await connection.execute(_select_raised(limit.scope, payer))).one()
        money = limit.money + float(added.money or 0) if limit.money is not None else None
        tokens_in_all = limit.tokens + int(added.tokens or 0) if limit.tokens is not None else None
        raised = replace(limit, money=money, tokens=tokens_in_all)
        result.append(BudgetUse(raised, float(row[0] or 0), int(row[1] or 0)))
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


def _select_raised(scope: Scope, payer: Payer) -> sa.Select[Any]:
    person = payer.person if scope == "person" else payer.session_id if scope == "survey" else ""
    same = (allowances.c.scope == scope) & (allowances.c.tenant == payer.tenant) & (allowances.c.person == person)
    added = (sa.func.sum(allowances.c[name]).label(name) for name in ("money", "tokens"))
    return sa.select(*added).where(same & (allowances.c.day.in_(("", today()))))


async def raise_budget(store: Store, payer: Payer, scope: Scope, money: float, tokens: int = 0) -> None:
    """Add dollars or tokens to a budget: for a survey for good, for a person or a workspace for today."""
    person = payer.person if scope == "person" else payer.session_id if scope == "survey" else ""
    key = {"scope": scope, "tenant": payer.tenant, "person": person, "day": "" if scope == "survey" else today()}
    async with store.begin() as connection:
        await connection.execute(store.insert_once(allowances).values(**key, money=0.0, tokens=0))
        same = sa.and_(*(allowances.c[name] == value for name, value in key.items()))
        more = {"money": allowances.c.money + money, "tokens": allowances.c.tokens + tokens}
        await connection.execute(allowances.update().where(same).values(more))


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
    async with store.connect() as connection:
        rows = (await connection.execute(query.where((c.session_id == session_id) & (c.state != "reserved")))).all()
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
        query = sa.select(calls).where(calls.c.key == key)
        async with self._store.connect() as connection:
            row = (await connection.execute(query)).first()
        return Completion(row.text, row.input_tokens, row.output_tokens, row.cached_tokens) if row else None

    async def keep(self, key: str, completion: Completion) -> None:
        """Remember a finished call.

        Not before the session is stored: what was asked to read the first words of a conversation has no job.
        """
        row = {
            "key": key,
            "session_id": self._session_id,
            "text": completion.text,
            "input_tokens": completion.input_tokens,
            "output_tokens": completion.output_tokens,
            "cached_tokens": completion.cached_tokens,
            "finished_at": time.time(),
        }
        stored = sa.select(sessions.c.id).where(sessions.c.id == self._session_id)
        # Ahead of what waits: an answer that is not kept when the process is killed is paid for twice.
        async with self._store.begin(urgent=True) as connection:
            if (await connection.execute(stored)).first():
                await connection.execute(self._store.insert_once(calls).values(row))

    async def forget(self, key: str) -> None:
        """Ask again where the same is wanted another time."""
        async with self._store.begin() as connection:
            await connection.execute(calls.delete().where(calls.c.key == key))
