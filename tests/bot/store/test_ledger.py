"""Money in the store, over SQLite and over a real Postgres."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa

from bot.store import ledger as stored_ledger
from bot.store import schema
from bot.store.ledger import (
    LOST,
    BudgetLimit,
    BudgetUse,
    Payer,
    Scope,
    StoredLedger,
    StoredRecord,
    load_budget_use,
    raise_budget,
    settle_lost_calls,
    usage_by_step,
    write_owed,
)
from bot.store.sessions import Store, StoredConversation
from bot.wording import money
from engine.errors import LimitExceeded, ServiceError, UserError
from engine.llm.meter import Account, Throttle, Usage
from engine.llm.metered_model import MeteredModel
from engine.llm.model import Completion, Prompt, Request, TypedAnswer
from engine.llm.prices import Price, PriceList
from engine.session.state import SurveySession
from tests.fakes import HERE
from tests.stores import OpenStore, count_rows

GPT = "gpt-4o-mini"


async def spend(store: Store, payer: Payer, tokens: int) -> None:
    async with StoredLedger(store, payer, [], lambda _, __: None).reserve("draft", GPT, tokens, 0) as settle:
        await settle(Completion("x", tokens, 0))


async def test_budgets_hold_across_processes(open_store: OpenStore) -> None:
    stores = [await open_store("one"), await open_store("two")]
    payer = Payer("abc", "fake:lab", "mara")
    limits = [BudgetLimit("survey", tokens=10_000), BudgetLimit("person", money=1.0)]
    ledgers = [StoredLedger(store, payer, limits, lambda _, __: None) for store in stores]

    async def call(number: int) -> bool:
        try:
            async with ledgers[number % 2].reserve("draft/0/x", GPT, 500, 500) as settle:
                await asyncio.sleep(0)
                await settle(Completion("text", 500, 400))
        except LimitExceeded as error:
            assert "10,000 tokens for this survey" in str(error)
            return False
        return True

    results = await asyncio.gather(*(call(i) for i in range(30)))
    (use, _) = await load_budget_use(stores[0], payer, limits)
    assert use.tokens == results.count(True) * 900 <= 10_000
    assert 1 <= results.count(True) < 30
    assert (await usage_by_step(stores[1], "abc"))["draft"].calls == results.count(True)


async def test_a_budget_is_raised_and_belongs_to_its_person(store: Store) -> None:
    mara, ben = Payer("abc", "fake:lab", "mara"), Payer("def", "fake:lab", "ben")
    limits = [BudgetLimit("person", 0.001), BudgetLimit("workspace", 5.0)]
    ledger = StoredLedger(store, mara, limits, lambda _, __: None)
    with pytest.raises(
        LimitExceeded, match=r"of \$0\.001 for you today has no room .* call\. “budget person NAME 1”, said by an adm"
    ):
        async with ledger.reserve("draft", GPT, 100_000, 0):
            pass
    assert await count_rows(store, schema.spending) == 0
    await raise_budget(store, mara, "person", 0.5)
    async with ledger.reserve("draft", GPT, 100_000, 0) as settle:
        await settle(Completion("x", 100_000, 0))
    own, whole = await load_budget_use(store, mara, limits)
    assert (own.limit.money, round(own.money, 4)) == (0.501, 0.015)
    assert round(whole.money, 4) == 0.015
    assert (await load_budget_use(store, ben, limits))[0].money == 0.0


async def test_a_call_whose_process_died_is_counted_and_a_finished_one_is_found(store: Store) -> None:
    await store.commit(StoredConversation(HERE, SurveySession("abc"), "mara"), [])
    payer = Payer("abc", "fake:lab", "mara")
    ledger = StoredLedger(store, payer, [], lambda _, __: None)
    entering = ledger.reserve("draft", GPT, 100, 50)
    await entering.__aenter__()
    assert (await usage_by_step(store, "abc")) == {}
    await settle_lost_calls(store, ["one"])
    assert (await usage_by_step(store, "abc"))[LOST].input_tokens == 100
    record = StoredRecord(store, "abc")
    assert await record.find("k") is None
    await record.keep("k", Completion("whole", 1, 2, 3))
    await record.keep("k", Completion("other", 9, 9, 9))
    assert await record.find("k") == Completion("whole", 1, 2, 3)


async def test_what_exactly_fills_a_budget_fits_and_one_token_more_does_not(store: Store) -> None:
    payer = Payer("abc", "fake:lab", "mara")
    ledger = StoredLedger(store, payer, [BudgetLimit("survey", tokens=100)], lambda _, __: None)
    async with ledger.reserve("draft", GPT, 60, 40) as settle:
        await settle(Completion("x", 60, 40))
    with pytest.raises(LimitExceeded, match="100 tokens"):
        async with ledger.reserve("draft", GPT, 1, 0):
            pass


async def test_a_person_of_the_same_name_elsewhere_and_yesterday_are_other_budgets(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = Payer("abc", "slack:one", "U1"), Payer("def", "slack:two", "U1")
    limits = [BudgetLimit("person", tokens=1_000), BudgetLimit("workspace", tokens=1_000)]
    await spend(store, elsewhere, 900)
    assert [use.tokens for use in await load_budget_use(store, here, limits)] == [0, 0]
    await spend(store, here, 700)
    assert [use.tokens for use in await load_budget_use(store, here, limits)] == [700, 700]
    monkeypatch.setattr(stored_ledger, "today", lambda: "2999-01-01")
    assert [use.tokens for use in await load_budget_use(store, here, limits)] == [0, 0]


async def test_what_a_reader_asks_of_a_survey_leaves_its_owners_budget_alone(store: Store) -> None:
    owner, reader = Payer("abc", "fake:lab", "mara"), Payer("abc", "fake:lab", "ines")
    limits = [BudgetLimit("survey", tokens=1_000)]
    await spend(store, reader, 900)
    await spend(store, owner, 200)
    assert [(await load_budget_use(store, one, limits))[0].tokens for one in (owner, reader)] == [200, 900]


async def test_a_budget_in_dollars_needs_a_price_and_holds_with_one(store: Store) -> None:
    payer, limits = Payer("abc", "fake:lab", "mara"), [BudgetLimit("survey", 0.000001)]
    with pytest.raises(UserError, match=r"what the model mystery-2 costs.*SCHOLIUM_PRICES.*budget=500k"):
        async with StoredLedger(store, payer, limits, lambda _, __: None).reserve("draft", "mystery-2", 10, 10):
            pass
    prices = PriceList({"mystery-2": Price(1.0, 1.0, "", "ours")})
    ledger = StoredLedger(store, payer, limits, lambda _, __: None, prices)
    with pytest.raises(LimitExceeded, match="for this survey"):
        async with ledger.reserve("draft", "mystery-2", 10, 10):
            pass
    assert await count_rows(store, schema.spending) == 0


async def test_a_budget_of_tokens_is_raised_by_tokens(store: Store) -> None:
    payer, limits = Payer("abc", "fake:lab", "mara"), [BudgetLimit("survey", tokens=1_000)]
    ledger = StoredLedger(store, payer, limits, lambda _, __: None)
    with pytest.raises(LimitExceeded, match=r"1,000 tokens for this survey has no room .*“budget survey 100k” adds"):
        async with ledger.reserve("draft", GPT, 1_500, 0):
            pass
    await raise_budget(store, payer, "survey", 0.0, 1_000)
    async with ledger.reserve("draft", GPT, 1_500, 0) as settle:
        await settle(Completion("x", 1_500, 0))
    uses = await load_budget_use(store, payer, limits)
    assert "500 of 2,000 tokens left" in money.budget(uses)
    assert "500 of 2,000 tokens are left" in money.cost(await usage_by_step(store, "abc"), uses)


async def test_lost_calls_are_shown_apart_from_paid_ones(open_store: OpenStore) -> None:
    store = await open_store("one")
    payer = Payer("abc", "fake:lab", "mara")
    await spend(store, payer, 1_000_000)
    entering = StoredLedger(store, payer, [], lambda _, __: None).reserve("draft", GPT, 2_000_000, 0)
    await entering.__aenter__()
    other = await open_store("two")
    await settle_lost_calls(other)
    assert LOST not in await usage_by_step(store, "abc")  # its process lives
    await settle_lost_calls(other, ["one"])
    await raise_budget(store, payer, "survey", 0.5)
    uses = await load_budget_use(store, payer, [BudgetLimit("survey", 0.5)])
    shown = money.cost(await usage_by_step(store, "abc"), uses)
    assert "draft: 1 call," in shown
    assert "$0.150 in all. $0.55 of $1.00 are left. 1 call was broken off" in shown
    assert "up to $0.300" in shown


async def test_what_was_used_is_told_by_step_for_one_survey_alone(store: Store) -> None:
    prices = PriceList({GPT: Price(1.0, 2.0, "", "ours")})
    heard: list[tuple[str, Completion]] = []
    mine, other = Payer("abc", "fake:lab", "mara"), Payer("def", "fake:lab", "mara")

    async def pay(payer: Payer, step: str, model: str, used: Completion) -> None:
        ledger = StoredLedger(store, payer, [], lambda name, what: heard.append((name, what)), prices)
        async with ledger.reserve(step, model, 1_000, 1_000) as settle:
            await settle(used)

    first, second = Completion("x", 100, 10, 60), Completion("y", 200, 20, 3)
    await pay(mine, "outline/0", GPT, first)
    await pay(mine, "draft/0/Dense Retrieval#1", GPT, second)
    await pay(mine, "draft/0/Other", "mystery-2", Completion("z", 1_000, 100))
    await pay(other, "outline/0", GPT, second)
    used = await usage_by_step(store, "abc")
    assert list(used) == ["outline", "draft"]
    assert replace(used["outline"], money=0) == Usage(1, 100, 10, 60, 0, priced=True)
    assert replace(used["draft"], money=0) == Usage(2, 1_200, 120, 3, 0, priced=False)
    assert used["outline"].money == pytest.approx(0.00012) and used["draft"].money == pytest.approx(0.00024)
    assert heard[:2] == [(GPT, first), (GPT, second)]


async def test_a_call_that_is_stopped_is_counted_as_read_and_one_that_fails_as_nothing(store: Store) -> None:
    payer = Payer("abc", "fake:lab", "mara")
    ledger = StoredLedger(store, payer, [], lambda _, __: None)
    with pytest.raises(OSError, match="away"):
        async with ledger.reserve("draft", GPT, 100, 50):
            raise OSError("away")
    assert await count_rows(store, schema.spending) == 0
    with pytest.raises(asyncio.CancelledError):
        async with ledger.reserve("draft", GPT, 100, 50):
            raise asyncio.CancelledError
    used = await usage_by_step(store, "abc")
    assert [(step, use.calls, use.input_tokens, use.output_tokens) for step, use in used.items()] == [(LOST, 1, 100, 0)]


async def test_names_of_any_length_are_entered(store: Store) -> None:
    payer = Payer("abc", "fake:lab", "mara")
    async with StoredLedger(store, payer, [], lambda _, __: None).reserve("s" * 80, "m" * 300, 1, 1) as settle:
        await settle(Completion("x", 1, 1))
    assert list(await usage_by_step(store, "abc")) == ["s" * 64]


async def test_what_is_added_to_a_survey_stays_and_what_is_added_for_today_does_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    payer = Payer("abc", "fake:lab", "mara")
    limits = [BudgetLimit("survey", 1.0), BudgetLimit("person", 1.0), BudgetLimit("workspace", 1.0, 1_000)]
    scopes: tuple[Scope, ...] = ("survey", "person", "workspace")
    for added, scope in enumerate(scopes, start=1):
        await raise_budget(store, payer, scope, added)
        await raise_budget(store, payer, scope, added, 500)

    async def may_be_spent(payer: Payer) -> list[float | None]:
        return [use.limit.money for use in await load_budget_use(store, payer, limits)]

    assert await may_be_spent(payer) == [3.0, 5.0, 7.0]
    assert await may_be_spent(replace(payer, session_id="def")) == [1.0, 5.0, 7.0]
    assert await may_be_spent(replace(payer, person="ben")) == [3.0, 1.0, 7.0]
    assert await may_be_spent(replace(payer, tenant="fake:other")) == [1.0, 1.0, 1.0]
    assert (await load_budget_use(store, payer, limits))[2].limit.tokens == 1_500
    monkeypatch.setattr(stored_ledger, "today", lambda: "2999-01-01")
    assert await may_be_spent(payer) == [3.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("limit", "money", "tokens", "expected"),
    [
        (BudgetLimit("survey"), 5.0, 5, (0.0, False)),
        (BudgetLimit("survey", 2.0), 2.0, 9, (1.0, False)),
        (BudgetLimit("survey", 2.0), 2.1, 9, (1.05, True)),
        (BudgetLimit("survey", tokens=10), 9.0, 10, (1.0, False)),
        (BudgetLimit("survey", tokens=10), 9.0, 11, (1.1, True)),
        (BudgetLimit("survey", 2.0, 10), 1.0, 8, (0.8, False)),
        (BudgetLimit("survey", 2.0, 10), 1.0, 12, (1.2, True)),
    ],
)
def test_how_much_of_a_budget_is_used(
    limit: BudgetLimit, money: float, tokens: int, expected: tuple[float, bool]
) -> None:
    use = BudgetUse(limit, money, tokens)
    assert (use.share(), not use.has_room(0.0, 0)) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (BudgetLimit("survey", 0.01), "The budget of $0.01 for this survey has no room for the next call. “budget sur"),
        (BudgetLimit("survey", 0.01), "“budget survey 1” adds $1.00."),
        (
            BudgetLimit("person", 0.01),
            "“budget person NAME 1”, said by an administrator, adds $1.00. A new day begins at midnight UTC.",
        ),
        (BudgetLimit("workspace", 0.01), "The budget of $0.01 for this workspace today has no room for the next call."),
        (BudgetLimit("workspace", tokens=100), "The budget of 100 tokens for this workspace today has no room for the"),
        (BudgetLimit("survey", 50.0, 4_000_000, True), "4,000,000 tokens for this survey has no room"),
        (BudgetLimit("survey", 50.0, 4_000_000, True), "“budget survey 2000k”, said by an administrator, adds 2,000,0"),
        (BudgetLimit("survey", 6.0, 40_000_000), "$6.00 for this survey has no room for the next call. “budget survey"),
        (
            BudgetLimit("workspace", tokens=100),
            "“budget workspace 100k”, said by an administrator, adds 100,000",
        ),
    ],
)
async def test_whose_budget_has_no_room_and_how_to_go_on(store: Store, limit: BudgetLimit, said: str) -> None:
    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [limit], lambda _, __: None)
    with pytest.raises(LimitExceeded) as refused:
        async with ledger.reserve("draft", GPT, 5_000_000, 9_000_000):
            pass
    assert said in str(refused.value)


class OddPlan(TypedAnswer):
    title: str


class OddProvider:
    """Answers with characters that no database takes, plain and escaped."""

    async def complete(self, model: str, request: Request, schema: Mapping[str, object] | None) -> Completion:
        if schema is None:
            return Completion("null \0 and half a pair \ud800.", 1, 1)
        return Completion(r'{"title": "a\u0000b \ud800 \\u0000 \ud83d\ude00"}', 1, 1)

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        yield "one\0 "
        yield "two\udfff"

    async def close(self) -> None:
        """There is no connection."""


async def test_characters_that_no_database_takes_are_left_out_of_what_a_model_answers(store: Store) -> None:
    await store.commit(StoredConversation(HERE, SurveySession("abc"), "mara"), [])
    record = StoredRecord(store, "abc")
    model = MeteredModel(OddProvider(), {"drafting": GPT}, Throttle(1), Account(), record)
    request = Request("drafting", "draft", Prompt("", "", "Write."), 10)
    for _ in range(2):  # the second time from the record
        assert await model.text(request) == "null  and half a pair ."
        assert (await model.answer_typed(request, OddPlan)).title == "ab  \\u0000 \N{GRINNING FACE}"
        streamed = replace(request, step="stream")
        assert "".join([piece async for piece in model.stream(streamed)]) == "one two"
    assert await count_rows(store, schema.calls) == 3


async def test_a_call_for_a_conversation_that_is_not_stored_yet_is_paid_and_not_recorded(store: Store) -> None:
    await spend(store, Payer("unknown", "lab", "mara"), 10)
    record = StoredRecord(store, "unknown")
    await record.keep("first words", Completion("{}", 10, 1))
    assert await record.find("first words") is None
    assert (await usage_by_step(store, "unknown"))["draft"].input_tokens == 10


async def count_reserved(store: Store) -> int:
    query = sa.select(sa.func.count()).where(schema.spending.c.state == "reserved")
    async with store.connect() as connection:
        return int((await connection.execute(query)).scalar_one())


@pytest.mark.parametrize(
    "raised", [AttributeError("x"), ServiceError("y"), asyncio.CancelledError(), LimitExceeded("z")]
)
async def test_whatever_ends_a_call_its_reservation_goes(store: Store, raised: BaseException) -> None:
    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None)
    with pytest.raises(type(raised)):
        async with ledger.reserve("draft", GPT, 100, 100):
            raise raised
    assert await count_reserved(store) == 0


async def test_calls_that_are_ended_at_any_moment_leave_no_reservation(store: Store) -> None:
    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None)

    async def call() -> None:
        async with ledger.reserve("draft", GPT, 100, 100) as settle:
            await asyncio.sleep(0)
            await settle(Completion("x", 1, 1))

    for steps in range(60):
        task = asyncio.create_task(call())
        for _ in range(steps):
            await asyncio.sleep(0.0002)
        task.cancel()
        await asyncio.wait([task])
    await write_owed(store)
    assert await count_reserved(store) == 0


async def test_what_a_call_used_is_entered_when_the_database_is_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def away(*, urgent: bool = False) -> AsyncIterator[None]:
        raise ServiceError("The store could not be used (disk full).", retryable=True)
        yield

    ledger = StoredLedger(store, Payer("abc", "fake:lab", "mara"), [], lambda _, __: None)
    begin = store.begin
    for settled in (True, False):
        with pytest.raises(ValueError):
            async with ledger.reserve("draft", GPT, 100, 100) as settle:
                monkeypatch.setattr(store, "begin", away)
                if settled:
                    await settle(Completion("x", 7, 1))
                raise ValueError
        monkeypatch.setattr(store, "begin", begin)
    assert await count_reserved(store) == 2
    await write_owed(store)
    assert await count_reserved(store) == 0
    assert (await usage_by_step(store, "abc"))["draft"] == Usage(1, 7, 1, 0, PriceList().cost(GPT, 7, 1))
