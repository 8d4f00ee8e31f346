"""What leads over from a part to its neighbours: asked for while the part is checked, and checked by itself."""

from __future__ import annotations

import json
from dataclasses import replace

from engine.values import OutlineNode
from engine.writing.drafting import Draft, connect_neighbours, verify_citations
from engine.writing.transitions import Transitions, check_transitions, place_transitions
from tests.fakes import FakeModel, paper

ONE = replace(paper(1), abstract="DenseNet1 reads passages. DenseNet1 has two encoders. DenseNet1 was trained on NQ.")
OWN = (
    f"This subsection is about reading. DenseNet1 reads passages [@{ONE.key}]. Both are alike. "
    f"DenseNet1 has two encoders [@{ONE.key}]."
)


def judge(prompt: str, _: str) -> str:
    """All that is cited is supported by the words that it says."""
    asked = prompt.split("<draft>\n")[1].split("\n</draft>")[0].splitlines()
    said = {int(line.partition(".")[0]): line.partition(". ")[2].partition(" [@")[0] for line in asked if "[@" in line}
    verdicts = [{"sentence": n, "key": ONE.key, "supported": "never" not in s, "quote": s} for n, s in said.items()]
    return json.dumps({"verdicts": verdicts, "repairs": []})


def draft(text: str) -> Draft:
    return Draft(OutlineNode("Reading"), (ONE,), text)


async def connect(new: str) -> tuple[str, Transitions]:
    """The draft's text with these new ends, as far as they hold, and what was found of them."""
    model = FakeModel(judge)
    checked = await verify_citations(model, draft(OWN), "reading")
    found = await check_transitions(model, draft(OWN), draft(new), "reading")
    return place_transitions(checked, found).text, found


async def test_a_new_first_sentence_that_claims_nothing_takes_its_place() -> None:
    text, _ = await connect(OWN.replace("is about reading", "turns to reading"))
    assert text.startswith("This subsection turns to reading. DenseNet1 reads passages")


async def test_a_sentence_that_only_leads_over_comes_beside_one_that_cites() -> None:
    said = ("DenseNet1 reads passages", "DenseNet1 has two encoders", "DenseNet1 was trained on NQ")
    text = " ".join(f"{sentence} [@{ONE.key}]." for sentence in said)
    edits = {"first": "This subsection turns to reading.", "last": "The next subsection asks how.", "repeated": []}
    connected = await connect_neighbours(FakeModel(lambda *_: json.dumps(edits)), draft(text), "Before.", "After.")
    assert connected.text.split() == f"{edits['first']} {text} {edits['last']}".split()
    checked = await verify_citations(FakeModel(judge), draft(text), "reading")
    found = await check_transitions(FakeModel(judge), draft(text), connected, "reading")
    placed = place_transitions(checked, found)
    assert placed.text == connected.text
    assert placed.tally and (placed.tally.claims, placed.tally.connecting) == (3, 2)
    asserting = FakeModel(lambda *_: json.dumps({**edits, "first": "DenseNet1 reads.", "last": "BERT comes next."}))
    assert (await connect_neighbours(asserting, draft(text), "Before.", "After.")).text == text


async def test_a_new_last_sentence_stands_only_if_its_papers_say_it() -> None:
    text, _ = await connect(OWN.replace("DenseNet1 has two encoders", "DenseNet1 has three hundred encoders"))
    assert "three hundred" not in text
    assert f"DenseNet1 has two encoders [@{ONE.key}]." in text


async def test_a_sentence_that_says_nothing_new_goes_unless_the_next_one_refers_to_it() -> None:
    _, found = await connect(OWN.replace("Both are alike. ", ""))
    assert found.repeated == ("Both are alike.",)
    alone = draft("We turn to reading. We read. Papers follow. We end.")
    assert place_transitions(alone, Transitions(repeated=("We read.",))).text == (
        "We turn to reading. Papers follow. We end."
    )
    referred = draft("We turn to reading. We read. This is done often. We end.")
    assert place_transitions(referred, Transitions(repeated=("We read.",))) == referred
