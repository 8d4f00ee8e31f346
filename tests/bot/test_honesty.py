"""The bench of honesty: what a program can see never survives, whatever the checker says."""

from __future__ import annotations

from bot.bench.falsehoods import BAD_FORMS, FALSEHOODS
from bot.bench.honesty import measure_honesty
from bot.serving.bundled import read_bundled


async def test_of_what_a_program_can_see_nothing_survives_a_checker_that_is_always_wrong() -> None:
    counts, _ = await measure_honesty(read_bundled(), drafts=25, rate=0.9, error=1.0, seed=1)
    seen = {kind.name for kind in FALSEHOODS if kind.seen}
    assert {name: c["survived"] for name, c in counts.items() if name in seen and c["survived"]} == {}
    assert sum(counts[name]["planted"] for name in seen) > 90


async def test_a_checker_that_never_errs_lets_no_falsehood_through_and_keeps_what_is_true() -> None:
    counts, true_ones = await measure_honesty(read_bundled(), drafts=20, rate=0.5, error=0.0, seed=2)
    assert {name: c["survived"] for name, c in counts.items() if c["survived"]} == {}
    assert true_ones["kept"] >= 0.85 * true_ones["written"]


async def test_every_bad_form_is_read_as_it_was_meant() -> None:
    counts, _ = await measure_honesty(read_bundled(), drafts=len(BAD_FORMS), rate=0.0, error=0.0, seed=3)
    forms = [counts[form.name] for form in BAD_FORMS]
    assert all(c["survived"] == 0 and c["kept"] == c["planted"] for c in forms)
    assert sum(c["planted"] for c in forms) >= 20


def test_there_are_at_least_25_kinds_of_falsehood_and_form() -> None:
    assert len(FALSEHOODS) + len(BAD_FORMS) >= 25
    assert len({kind.name for kind in FALSEHOODS} | {form.name for form in BAD_FORMS}) == len(FALSEHOODS) + len(
        BAD_FORMS
    )
