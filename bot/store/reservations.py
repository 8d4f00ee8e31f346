"""Reservations of money: each is settled or given back, whatever ends its call; what could not be written is later.

A process knows its own open reservations; a row of its own that is reserved and not among them is swept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot.store.schema import processes, spending
from engine.llm.model import Completion
from engine.llm.prices import PriceList

if TYPE_CHECKING:  # every store has its open reservations
    from bot.store.sessions import Store

OnSettled = Callable[[str, Completion], None]
"""Hears of each call that was paid for: the model, and what it used."""


def usage_columns(prices: PriceList, model: str, completion: Completion) -> dict[str, Any]:
    """What a call used, as it is stored."""
    price = prices.find(model)
    return {
        "input_tokens": completion.input_tokens,
        "output_tokens": completion.output_tokens,
        "cached_tokens": completion.cached_tokens,
        "money": price.cost(completion.input_tokens, completion.output_tokens) if price else 0.0,
        "priced": price is not None,
    }


@dataclass
class OpenReservations:
    """The reservations of one process: the rows whose calls run, and what is still to be written of those that ended.

    ``suspects`` are rows that the last sweep found to belong to no call.
    """

    held: set[int] = field(default_factory=set)
    owed: dict[int, dict[str, Any] | None] = field(default_factory=dict)
    suspects: frozenset[int] = frozenset()


@dataclass
class StoredReservation:
    """A row of the table of spending while its call runs."""

    store: Store
    number: int
    model: str
    on_settled: OnSettled
    prices: PriceList
    is_over: bool = False

    async def settle(self, completion: Completion) -> None:
        """Enter what the call really used."""
        await self.end("paid", completion)
        self.on_settled(self.model, completion)

    async def end(self, state: str = "", completion: Completion | None = None) -> None:
        """Say in the row what became of the call, once; without a state nothing was spent, and the row goes.

        It is written though the caller is cancelled meanwhile. Raises `ServiceError` where the database fails; then
        the next sweep writes it.
        """
        if self.is_over:
            return
        self.is_over = True
        values = {"state": state, **usage_columns(self.prices, self.model, completion)} if completion else None
        ours = self.store.reservations
        ours.owed[self.number] = values
        ours.held.discard(self.number)
        await asyncio.shield(_write(self.store, self.number))


async def _write(store: Store, number: int) -> None:
    values, same = store.reservations.owed[number], spending.c.id == number
    async with store.begin() as connection:
        if values is None:
            await connection.execute(spending.delete().where(same))
        else:
            await connection.execute(spending.update().where(same).values(values))
    store.reservations.owed.pop(number, None)


async def insert_reservation(store: Store, inserting: asyncio.Task[int]) -> int:
    """The number of the row that is being made; of a caller who is cancelled meanwhile it goes again."""
    try:
        return await asyncio.shield(inserting)
    except asyncio.CancelledError:
        with suppress(Exception):
            number = await inserting
            store.reservations.owed[number] = None
            store.reservations.held.discard(number)
            await _write(store, number)
        raise


async def sweep_reservations(store: Store) -> None:
    """Write what is still to be written of this process's calls, and remove what it reserved for none of them.

    A row counts as nobody's when two sweeps have found it so: one that was made a moment ago may not be noted yet.
    """
    ours = store.reservations
    for number in list(ours.owed):
        await _write(store, number)
    mine = (spending.c.state == "reserved") & (spending.c.holder == store.holder)
    async with store.connect() as connection:
        found = set((await connection.execute(sa.select(spending.c.id).where(mine))).scalars())
    nobodys = found - ours.held - set(ours.owed)
    gone, ours.suspects = nobodys & ours.suspects, frozenset(nobodys)
    if gone:
        async with store.begin() as connection:
            await connection.execute(spending.delete().where(spending.c.id.in_(gone) & mine))


async def settle_lost_calls(store: Store, dead: Collection[str] = ()) -> None:
    """Calls that were running in processes that are gone: the provider has read the question, the answer is lost.

    ``dead`` are processes that are gone although their heartbeat is still noted.
    """
    living = sa.select(processes.c.id).where(processes.c.id.not_in(dead))
    gone = (spending.c.state == "reserved") & spending.c.holder.not_in(living)
    async with store.begin() as connection:
        await connection.execute(spending.update().where(gone).values(state="lost"))
