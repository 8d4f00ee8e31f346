"""What becomes of a reviewer's edits."""

from __future__ import annotations

import json

from engine.citations import cite
from engine.survey import Citation, Claim, ClaimTally
from engine.values import OutlineNode
from engine.writing.critique import Reading, apply_edits, criticise
from engine.writing.drafting import Draft
from tests.fakes import FakeModel, paper

FAST = paper(1, abstract="SwiftNet flies on real hardware.")
SLOW = paper(2, abstract="MapFly was never flown.")


async def test_a_sentence_of_our_own_is_edited_by_what_it_rests_on() -> None:
    """“Transfer is claimed in three of these works” was held against the evidence of the reviewer's other edits."""
    flies, never = f"SwiftNet flies {cite([FAST.key])}.", f"MapFly does not {cite([SLOW.key])}."
    ours, better = "One of both flew in the end.", "Only SwiftNet flew"
    behind = tuple(Citation(p.key, p.abstract, "supported", sentence=1) for p in (FAST, SLOW))
    claims = (Claim(flies, behind[:1]), Claim(never, behind[1:]), Claim(ours, behind, ours=True))
    text = " ".join((flies, never, ours))
    part = Draft(OutlineNode("Racers"), (FAST, SLOW), text, claims, tally=ClaimTally(claims=3, kept=3, ours=1))

    def reply(prompt: str, _: str) -> str:
        if "Ask for edits" in prompt:
            return json.dumps({"edits": [{"address": "2:3", "text": better}]})
        is_shown = all(p.abstract in prompt for p in (FAST, SLOW))
        return json.dumps({"supported": ["1ab"] if is_shown else []} if "<claim" in prompt else {"sentences": []})

    model, reading = FakeModel(reply), Reading("racing", "", "body/0")
    edited = await apply_edits(model, reading, {"2": part}, await criticise(model, reading, {"2": part}))
    assert edited["2"].text == f"{flies} {never} {better} {cite([FAST.key, SLOW.key])}."
    assert edited["2"].tally == ClaimTally(claims=3, kept=2, reworded=1)
