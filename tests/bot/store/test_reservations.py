"""Reservations that no call holds any more."""

from __future__ import annotations

from bot.store.ledger import Payer, StoredLedger
from bot.store.reservations import sweep_reservations
from bot.store.sessions import Store
from tests.bot.store.test_ledger import GPT, count_reserved
from tests.stores import OpenStore


async def test_rows_of_ones_own_that_no_call_holds_are_swept(store: Store) -> None:
    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None)
    async with ledger.reserve("draft", GPT, 100, 100), ledger.reserve("draft", GPT, 100, 100):
        store.reservations.held.remove(max(store.reservations.held))
        await sweep_reservations(store)
        assert await count_reserved(store) == 2
        await sweep_reservations(store)
        assert await count_reserved(store) == 1


async def test_what_another_process_reserved_is_not_swept(open_store: OpenStore) -> None:
    ours, theirs = await open_store("one"), await open_store("two")
    async with StoredLedger(theirs, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None).reserve(
        "draft", GPT, 9, 9
    ):
        for _ in range(3):
            await sweep_reservations(ours)
        assert await count_reserved(ours) == 1
