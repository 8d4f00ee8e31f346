"""What stands around the sections is held against what they found."""

from __future__ import annotations

from engine.survey import Citation, Claim, Section
from engine.values import Outline, OutlineNode
from engine.writing.drafting import Assignment, verify_citations
from engine.writing.outer_parts import Framing
from tests.fakes import FakeModel, paper, whole
from tests.stand_ins.simulation import simulate_answer

AIMS = "Prescribing support was built. We tried support for prescribing. Support of prescribing may change prescribing."
TRIAL = paper(1, abstract=f"{AIMS} Use was low. Rates were equal.")


async def test_a_conclusion_is_held_against_the_sentences_that_its_findings_cite() -> None:
    """The words of a paper's aims are nearer to a summary than its result; the judge saw the aims alone."""
    said = f"Prescribing support was hardly opened [@{TRIAL.key}]."
    found = Claim(said, (Citation(TRIAL.key, "Use was low.", "supported", sentence=4),))
    sections = (Section("Support", said, claims=(found,)),)
    written = f"Support for prescribing is seldom opened, and so prescribing stays as it was [@{TRIAL.key}]."
    model = FakeModel(lambda prompt, kind: simulate_answer(prompt, kind) if kind else written)
    node = OutlineNode("Conclusion", "What was found.", role="conclusion")
    task = Assignment("prescribing", Outline("T", (node,)), 50)
    drafted = await Framing(model, task, sections, {TRIAL.key: TRIAL}, "").draft(node)
    draft = await verify_citations(model, drafted, "prescribing", [TRIAL])
    assert "2 Support" in whole(model.requests[0])
    assert f"- {said}" in whole(model.requests[0])
    assert "Use was low." in whole(model.asked("check/")[0])
    assert draft.text == written


async def test_a_conclusion_is_written_from_what_opens_paragraphs_and_what_compares_papers() -> None:
    """“The strongest effects come from the weaker designs” closed its paragraph, and no conclusion could say it."""
    other = paper(2)
    one, both = f"[@{TRIAL.key}]", f"[@{TRIAL.key}; @{other.key}]"
    lines = [f"Support is tried {one}.", f"It is cheap {one}.", f"Strong effects come from weak designs {both}."]
    cited = tuple(Citation(p.key, "Use was low.", "supported", sentence=4) for p in (TRIAL, other))
    claims = tuple(Claim(line, cited if both in line else cited[:1]) for line in lines)
    sections = (Section("Support", " ".join(lines), claims=claims),)
    task = Assignment("prescribing", Outline("T", ()), 50)
    framing = Framing(FakeModel(simulate_answer), task, sections, {p.key: p for p in (TRIAL, other)}, "")
    assert framing.list_findings() == ["2 Support", f"- {lines[0]}", f"- {lines[2]}"]
