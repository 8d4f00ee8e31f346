"""One sentence does not stand in two subsections."""

from __future__ import annotations

from engine.citations import cite
from engine.survey import Citation, Claim, ClaimTally
from engine.values import OutlineNode, PaperKey
from engine.writing.drafting import Draft
from engine.writing.repetitions import remove_repeated
from tests.fakes import paper

ONE, TWO = paper(1), paper(2)
SAID = "DenseNet1 outperforms BM25 by 4 points"


def claim(text: str, key: PaperKey = ONE.key) -> Claim:
    return Claim(f"{text} {cite([key])}.", (Citation(key, text, "supported"),))


def draft(*claims: Claim) -> Draft:
    tally = ClaimTally(claims=len(claims), kept=len(claims))
    return Draft(
        OutlineNode("Part", "What it is about"), (ONE, TWO), " ".join(c.text for c in claims), claims, (), tally
    )


OWN = tuple(
    claim(text, TWO.key) for text in ("SparseNet expands documents", "Queries are predicted", "Training takes a week")
)


def test_a_claim_that_an_earlier_subsection_makes_goes_and_is_counted() -> None:
    left = remove_repeated(draft(claim(f"The {SAID}"), *OWN), [claim(SAID)])
    assert (left.text, left.claims) == (" ".join(own.text for own in OWN), OWN)
    assert left.tally == ClaimTally(claims=4, kept=3, removed=1)


def test_another_number_another_paper_or_another_wording_stays() -> None:
    others = [claim(SAID.replace("4", "5")), claim(SAID, TWO.key), claim("Its clicks come from users of the web")]
    whole = draft(*others, *OWN)
    assert remove_repeated(whole, [claim(SAID)]) is whole


def test_what_the_next_sentence_rests_on_stays_and_so_does_most_of_a_subsection() -> None:
    led = draft(claim(SAID), claim("It learns from clicks"), *OWN)
    assert remove_repeated(led, [claim(SAID)]) is led
    assert len(remove_repeated(draft(claim(SAID), *OWN), [claim(SAID), *OWN]).claims) == 3
    short = draft(claim(SAID), *OWN[:2])
    assert remove_repeated(short, [claim(SAID)]) is short
