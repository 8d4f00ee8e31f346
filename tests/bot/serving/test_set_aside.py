"""What cannot be answered is tried three times, then set aside: told once, listed, tried again when it is said so."""

from __future__ import annotations

import pytest
from rich.console import Console

from adapters.chat import Incoming
from bot.cli.administration import set_aside
from bot.cli.doctor import _store as diagnose_store
from bot.conversation.turn import Turn
from bot.settings import load_settings
from bot.store.database import open_database
from bot.store.left_over import MOST_TRIES, list_set_aside
from bot.store.sessions import Store, StoredConversation
from bot.wording import sentences as wording
from engine.errors import ServiceError
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import HERE, FakeChat
from tests.lab import Lab, opened


class Broken:
    """Stands where turns are decided, and fails each time with the same error."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0

    async def decide_turn(self, stored: StoredConversation, incoming: Incoming) -> Turn:
        self.asked += 1
        raise self.error


async def say(lab: Lab, key: str, text: str) -> None:
    await lab.service.dispatcher.handle(Incoming(HERE, "mara", key, text))
    await lab.settled()


@pytest.mark.parametrize(
    ("error", "tries", "said"),
    [
        (RuntimeError("odd \ud800\0 input"), 3, wording.OUR_FAULT),
        (ServiceError("The store could not be used.", retryable=True), 3, "A service failed"),
    ],
)
async def test_it_is_tried_three_times_told_once_and_not_again_at_the_next_start(
    library: LocalLibrary, error: Exception, tries: int, said: str
) -> None:
    async with opened() as lab:
        dispatcher, broken = lab.service.dispatcher, Broken(error)
        dispatcher.pauses_s, dispatcher._turns = (0.0, 0.0), broken  # type: ignore[assignment]
        await say(lab, "k1", "help")
        assert broken.asked == tries
        assert [m.text.startswith(said) for m in lab.chat.messages()] == [True]
        (event,) = await list_set_aside(lab.service.store)
        assert (event.person, event.platform) == ("mara", "fake")
        await lab.service._take_over(always=True)
        assert lab.service.metrics.set_aside._value.get() == 1
    async with opened() as lab:
        await lab.settled()
        assert lab.chat.messages() == []


async def test_an_event_that_ends_its_process_is_not_taken_over_for_ever(library: LocalLibrary) -> None:
    store = Store(await open_database(load_settings().store_url()), "dead")
    await store.receive(Incoming(HERE, "mara", "k1", "help"))
    async with store.begin() as connection:
        from bot.store.schema import events

        await connection.execute(events.update().values(tries=MOST_TRIES))
    await store.close()
    async with opened() as lab:
        await lab.settled()
        assert [m.text for m in lab.chat.messages()] == [wording.ENDED_US]
        assert len(await list_set_aside(lab.service.store)) == 1
    async with opened() as lab:
        await lab.settled()
        assert lab.chat.messages() == []


async def test_each_take_over_counts_before_it_is_tried(library: LocalLibrary) -> None:
    store = Store(await open_database(load_settings().store_url()), "dead")
    await store.receive(Incoming(HERE, "mara", "k1", "help"))
    await store.close()
    async with opened(FakeChat()) as lab:
        await lab.settled()
        assert "What you can say" in lab.chat.last
        from bot.store.schema import events

        async with lab.service.store.connect() as connection:
            assert (await connection.execute(events.select())).one().tries == 2


async def test_whoever_runs_it_lists_and_retries(library: LocalLibrary, capsys: pytest.CaptureFixture[str]) -> None:
    async with opened() as lab:
        turns = lab.service.dispatcher._turns
        lab.service.dispatcher.pauses_s = (0.0, 0.0)
        lab.service.dispatcher._turns = Broken(RuntimeError("odd"))  # type: ignore[assignment]
        await say(lab, "k1", "help")
        assert (await diagnose_store(lab.service.app)).state == "broken"
        console = Console(width=200)
        assert await set_aside(console, ()) == 0
        shown = capsys.readouterr().out
        assert "RuntimeError: odd" in shown
        assert await set_aside(console, (shown.split()[0],)) == 0
        lab.service.dispatcher._turns = turns
        await lab.service._take_over(always=True)
        await lab.settled()
        assert "What you can say" in lab.chat.last
        assert (await diagnose_store(lab.service.app)).state == "works"
