"""The bench of honesty: exact facts never survive, and a judge that errs is mostly made up for."""

from __future__ import annotations

from tests.fakes import papers
from tests.measures.honesty import EXACT, JUDGED, HonestyOptions, measure_honesty


def figured() -> list:  # type: ignore[type-arg]
    return [p for subject in ("retrieval", "graph", "vision") for p in papers(10, subject, 1 + 10 * len(subject))]


async def test_what_the_program_sees_never_survives_a_judge_that_is_always_wrong() -> None:
    counts = {count.kind: count for count in await measure_honesty(figured(), HonestyOptions(30, 0.9, 1.0, 1))}
    assert {kind: counts[kind].standing for kind in EXACT} == dict.fromkeys(EXACT, 0)
    assert sum(counts[kind].written for kind in EXACT) > 60


async def test_a_judge_that_never_errs_lets_no_falsehood_stand_and_keeps_what_is_true() -> None:
    true, *false = await measure_honesty(figured(), HonestyOptions(20, 0.5, 0.0, 2))
    assert [count.kind for count in false] == [*EXACT, *JUDGED]
    assert sum(count.standing for count in false) == 0
    assert true.standing == true.written > 50
