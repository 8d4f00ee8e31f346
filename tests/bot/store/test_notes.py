"""What people think of answers: kept once for each of them, counted, deleted with their data."""

from __future__ import annotations

from dataclasses import replace

from bot.store.backup import data_of, delete_data_of
from bot.store.notes import count_ratings, rate
from bot.store.sessions import Store
from tests.fakes import HERE


async def test_a_rating_replaces_the_one_before_and_goes_with_its_person(store: Store) -> None:
    assert await count_ratings(store) == (0, 0)
    for message, person, good in (("1", "mara", True), ("1", "mara", False), ("2", "mara", True), ("1", "ben", True)):
        await rate(store, HERE, message, person, good=good)
    await rate(store, replace(HERE, thread="another"), "1", "ben", good=True)
    assert await count_ratings(store) == (3, 1)
    kept = (await data_of(store, "mara"))["ratings"]
    assert sorted((row["message"], row["good"]) for row in kept) == [("1", False), ("2", True)]
    await delete_data_of(store, "mara")
    assert await count_ratings(store) == (2, 0)
