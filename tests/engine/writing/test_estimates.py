"""What is said to be the cost before anything is paid."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from bot.wording import money
from engine.llm.meter import INPUT_TOKENS_PER_S, LATENCY_S, OUTPUT_TOKENS_PER_S
from engine.llm.model import Task
from engine.run import PlannedCall
from engine.writing.estimates import estimate_cost

CALL = PlannedCall("drafting", INPUT_TOKENS_PER_S, OUTPUT_TOKENS_PER_S)
CALL_S = LATENCY_S + 2.0
MODELS = dict.fromkeys(get_args(Task), "gpt-4o-mini")


@pytest.mark.parametrize(
    ("chains", "at_once", "seconds"),
    [
        ([(CALL,)] * 12, 1, 12 * CALL_S),
        ([(CALL,)] * 12, 4, 3 * CALL_S),
        ([(CALL,)] * 12, 100, CALL_S),
        ([(CALL,)] * 9 + [(CALL, CALL, CALL)], 100, 3 * CALL_S),  # calls of a chain wait for each other
        ([(CALL,)] * 9 + [(CALL, CALL, CALL)], 2, 6 * CALL_S),
        ([(CALL,)] * 9 + [(replace(CALL, wave=2), replace(CALL, wave=2))], 100, 3 * CALL_S),
        ([(CALL,)] * 8 + [(replace(CALL, wave=1),)] * 3, 4, 3 * CALL_S),  # a later wave waits for all
        ([], 4, 0.0),
    ],
)
def test_calls_that_run_together_take_the_time_of_one(
    chains: list[tuple[PlannedCall, ...]], at_once: int, seconds: float
) -> None:
    estimate = estimate_cost(chains, MODELS, at_once)
    assert estimate.seconds == pytest.approx(seconds)
    assert estimate.calls == sum(map(len, chains))
    assert estimate.input_tokens == INPUT_TOKENS_PER_S * estimate.calls
    assert estimate.output_tokens == OUTPUT_TOKENS_PER_S * estimate.calls


def test_what_checks_may_have_worded_anew_is_said_beside_what_is_expected() -> None:
    """Two surveys answered by hand, every third sentence false, took 72 calls, not 35, and 41, not 25."""
    check = PlannedCall("checking", 1_000, 100)
    estimate = estimate_cost([(CALL, check)] * 5, MODELS, 1)
    assert (estimate.calls, estimate.most_calls) == (10, 25)
    assert estimate.most_tokens - estimate.input_tokens - estimate.output_tokens == 5 * 3 * 1_100
    said = money.estimate(estimate, [])
    assert "about 10 calls" in said and "up to 25 calls" in said


def test_one_model_without_a_price_leaves_the_cost_open() -> None:
    priced = estimate_cost([(CALL,)], MODELS, 1)
    assert priced.money
    twice = estimate_cost([(CALL,), (CALL,)], MODELS, 1)
    assert twice.money == pytest.approx(2 * priced.money)
    checked = PlannedCall("checking", 10, 10)
    assert estimate_cost([(CALL, checked)], {**MODELS, "checking": "nobody-knows-1"}, 1).money is None
