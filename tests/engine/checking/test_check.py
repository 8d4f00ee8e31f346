"""What becomes of the sentences of a draft, whatever the model says of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.checking.check import CheckedText, CheckTask, check_section, check_without_model
from engine.checking.judging import CheckAnswer, ClaimVerdict
from engine.citations import cite, cite_sentences, list_addresses
from engine.errors import LanguageModelError
from engine.local_models import Scores
from engine.values import PaperKey
from tests.fakes import FakeModel, paper, whole

FAST = paper(
    1,
    title="Racing with Vision",
    abstract="Drones race through 12 gates. SwiftNet flies at 60kmh−1 on real hardware. It needs 3.5 W.",
)
SLOW = paper(
    2,
    title="Racing with Maps",
    abstract="MapFly plans from a map of the track. It reaches 8 m/s in simulation and was never flown.",
)
F, S = f"[@{FAST.key}:2]", f"[@{SLOW.key}:2]"


@dataclass
class Judge:
    """A model that calls all supported but sentences with these words, and rewords as it is told."""

    denies: tuple[str, ...] = ()
    denies_again: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    of_all: tuple[str, ...] = ()
    rewords: dict[str, str] = field(default_factory=dict)
    evidence: str = "a"

    def reply(self, prompt: str, _: str) -> str:
        of_all = () if " all>" in prompt else self.of_all
        if claims := re.findall(r'<claim number="(\d+)"(?: \w+)?>\n(.*)\n', prompt):
            others = [
                self.judge(int(n), said)
                for n, said in claims
                if _has(said, (*of_all, *self.denies, *self.framing, *self.common))
            ]
            denied = {other["claim"] for other in others}
            return json.dumps(
                {"supported": [f"{n}{self.evidence}" for n, _ in claims if int(n) not in denied], "others": others}
            )
        if stated := re.findall(r"^Statement (\d+)[^:]*: (.*)$", prompt, re.M):
            judged = [{"statement": int(n), "follows": not _has(said, self.denies_again)} for n, said in stated]
            return json.dumps({"judgements": judged})
        shown = re.findall(r'<sentence number="(\d+)"(?: own)?>\n.*\nsentence: (.*)\n', prompt)
        behind = re.findall(r"^after, (\d+): (.*)$", prompt, re.M)
        shown += [(n, said) for n, said in behind if any(old in said for old in self.rewords)]
        told = [(int(n), said, [new for old, new in self.rewords.items() if old in said]) for n, said in shown]
        return json.dumps({"sentences": [{"sentence": n, "text": (new or [""])[0]} for n, _, new in told]})

    def judge(self, number: int, said: str) -> dict[str, Any]:
        named = {"all papers": self.of_all, "frames": self.framing, "common": self.common, "not said": self.denies}
        return {"claim": number, "verdict": next(verdict for verdict, words in named.items() if _has(said, words))}


def _has(said: str, words: tuple[str, ...]) -> bool:
    return any(word in said for word in words)


async def check(text: str, judge: Judge) -> tuple[CheckedText, FakeModel]:
    model = FakeModel(judge.reply)
    return await check_section(model, CheckTask("Part", text, (FAST, SLOW), "drone racing")), model


async def test_a_claim_stands_with_exactly_the_words_that_carry_it() -> None:
    found, model = await check(f"SwiftNet reaches 60 km/h on hardware {F}.", Judge())
    assert found.text == f"SwiftNet reaches 60 km/h on hardware {cite([FAST.key])}."
    (claim,) = found.claims
    assert [(c.sentence, c.quote) for c in claim.citations] == [(2, "SwiftNet flies at 60kmh−1 on real hardware.")]
    assert (found.tally.kept, found.tally.agreed, len(model.requests)) == (1, 1, 1)


async def test_the_judge_sees_the_claim_and_its_evidence_and_no_whole_paper() -> None:
    _, model = await check(f"SwiftNet reaches 60 km/h on hardware {F}.", Judge())
    asked = model.requests[0].prompt.question
    assert "60kmh−1 on real hardware" in asked
    assert "12 gates" not in asked and "MapFly" not in asked


async def test_a_false_figure_goes_although_the_judge_likes_it() -> None:
    watts = f"[@{FAST.key}:3]"
    judge = Judge(rewords={"It needs": f"SwiftNet needs 3.5 W {watts}."})
    found, model = await check(f"SwiftNet reaches 75 km/h on hardware {F}. It needs 3.5 W {watts}.", judge)
    assert found.text == f"SwiftNet needs 3.5 W {cite([FAST.key])}."
    assert found.tally.removed == 1
    assert any("“75” stands in none of its papers" in request.prompt.question for request in model.requests)


async def test_a_false_figure_is_reworded_from_its_evidence_and_judged_again() -> None:
    judge = Judge(rewords={"75 km/h": f"SwiftNet flies at 60 km/h {F}."})
    found, _ = await check(f"SwiftNet reaches 75 km/h on hardware {F}.", judge)
    (claim,) = found.claims
    assert (claim.text, claim.ending) == (f"SwiftNet flies at 60 km/h {cite([FAST.key])}.", "reworded")
    assert "75 km/h" in claim.was


async def test_no_unknown_key_strange_quotation_year_or_author_survives() -> None:
    for wrong in (
        f"SwiftNet flies on real hardware {cite([PaperKey('arxiv:1999.00001')])}.",
        f"The authors say that SwiftNet “flies at last without any pilot” {F}.",
        f"Author1 et al. (1998) fly SwiftNet on real hardware {F}.",
        f"Quimby et al. fly SwiftNet on real hardware {F}.",
    ):
        found, _ = await check(wrong, Judge())
        assert (found.text, found.tally.removed) == ("", 1), wrong


async def test_a_true_comparing_sentence_of_our_own_stands_and_rests_on_its_neighbours() -> None:
    text = (
        f"SwiftNet flies at 60 km/h on hardware {F}. MapFly reaches 8 m/s in simulation {S}. Only one of the two flew."
    )
    found, model = await check(text, Judge())
    assert found.text.endswith("Only one of the two flew.")
    ours = found.claims[-1]
    assert ours.ours and {c.key for c in ours.citations} <= {FAST.key, SLOW.key} and ours.citations
    assert (found.tally.ours, found.tally.kept) == (1, 3)
    assert "2 papers were gathered" in model.requests[0].prompt.question


async def test_what_is_said_of_all_papers_is_judged_against_all_that_were_gathered_and_says_so() -> None:
    """“Only SwiftNet flew” stood, judged against the two papers that its part cites."""
    third = paper(3, title="Racing Outside", abstract="LateFly flew outside. It was slow.")
    task = CheckTask("Part", f"Only SwiftNet flew {F}.", (FAST, SLOW), gathered=(FAST, SLOW, third))
    model = FakeModel(Judge(of_all=("Only",)).reply)
    found = await check_section(model, task)
    assert found.text == f"Only SwiftNet flew (among the 3 papers gathered) {cite([FAST.key])}."
    assert [claim.citations[0].key for claim in found.claims] == [FAST.key]
    first, again = (request.prompt.question for request in model.requests)
    assert "LateFly" not in first and "LateFly flew outside" in again and '<claim number="1" all>' in again
    model = FakeModel(Judge().reply)  # checked once more, as after a reviewer's edit, it is still said of all
    assert (await check_section(model, replace(task, text=found.text))).text == found.text
    assert "LateFly flew outside" in model.requests[0].prompt.question
    refuted = await check_section(FakeModel(_Refuting().reply), task)
    assert (refuted.text, refuted.tally.removed) == ("", 1)


class _Refuting(Judge):
    """Finds what is said of all papers contradicted where it is shown LateFly."""

    def reply(self, prompt: str, system: str) -> str:
        is_shown = "LateFly" in prompt
        self.of_all, self.denies = (() if is_shown else ("Only",)), (("Only",) if is_shown else ())
        return super().reply(prompt, system)


async def test_a_sentence_that_only_frames_is_no_claim_and_an_own_one_that_does_not_follow_goes() -> None:
    text = f"This part compares racers. SwiftNet flies on hardware {F}. All racers use lidar."
    found, _ = await check(text, Judge(denies=("lidar",), framing=("This part",)))
    assert found.text == f"This part compares racers. SwiftNet flies on hardware {cite([FAST.key])}."
    assert (found.tally.claims, found.tally.removed) == (2, 1)


async def test_what_any_textbook_says_stands_without_a_paper_and_is_marked() -> None:
    known = "A drone race is flown through gates."
    text = f"{known} SwiftNet flies on hardware {F}. It wins {S}. GhostNet sees gates. {known}"
    judge = Judge(common=("race", "wins", "GhostNet"), denies_again=("GhostNet",))
    found, _ = await check(text, judge)
    assert found.text == f"A drone race is flown through gates. SwiftNet flies on hardware {cite([FAST.key])}."
    explained, claimed = found.claims
    assert (explained.common, explained.citations, claimed.common) == (True, (), False)
    tally = found.tally
    assert (tally.claims, tally.kept, tally.removed, tally.repeated) == (4, 1, 2, 1)


async def test_where_program_and_judge_differ_a_second_judgement_decides_without_knowing_why() -> None:
    text = f"SwiftNet, unlike GhostNet, flies on real hardware {F}."
    found, model = await check(text, Judge())
    assert (found.tally.kept, found.tally.insisted, found.tally.asked_twice, found.tally.agreed) == (1, 1, 1, 0)
    assert found.claims[0].insisted == "GhostNet"
    again = model.requests[1].prompt.question
    assert "named in none" not in again and "<claim" not in again
    denied, _ = await check(text, Judge(denies_again=("GhostNet",)))
    assert (denied.text, denied.tally.removed) == ("", 1)


async def test_a_sentence_that_compares_the_papers_it_cites_is_judged_as_one_that_compares() -> None:
    """“Breadth and proof are traded against each other” was refused because neither paper says so by itself."""
    both = cite_sentences([*list_addresses(F), *list_addresses(S)])
    judge = Judge(evidence="abcdef")
    found, model = await check(f"SwiftNet and MapFly, unlike GhostNet, trade one thing for another {both}.", judge)
    first, again = (request.prompt.question for request in model.requests)
    assert '<claim number="1" several>' in first and "Statement 1 (of several): " in again
    assert found.tally.kept == 1
    _, model = await check(f"SwiftNet, unlike GhostNet, flies {F}.", Judge())
    assert not any(" several>" in r.prompt.question or "(of several):" in r.prompt.question for r in model.requests)


async def test_a_sentence_behind_a_removed_one_is_mended_and_never_becomes_a_quotation() -> None:
    text = f"SwiftNet won 40 cups {F}. With it, drones fly on real hardware {F}."
    judge = Judge(rewords={"With it": f"With SwiftNet, drones fly on real hardware {F}."})
    found, model = await check(text, judge)
    assert found.text == f"With SwiftNet, drones fly on real hardware {cite([FAST.key])}."
    assert "“" not in found.text
    (mending,) = (r.prompt.question for r in model.requests if "<sentence" in r.prompt.question)
    assert "SwiftNet won 40 cups" in mending and "after, 2: With it" in mending


async def test_a_sentence_that_needs_nothing_stays_behind_a_removed_one() -> None:
    kept = f"MapFly plans from a map {cite([SLOW.key])}."
    found, _ = await check(f"SwiftNet won 40 cups {F}. {kept}", Judge(rewords={"MapFly": kept}))
    assert found.text == kept
    assert found.claims[0].ending == "kept"


async def test_a_claim_that_keeps_its_words_and_loses_a_paper_counts_as_cited_anew() -> None:
    found, _ = await check(f"SwiftNet flies on real hardware [@{FAST.key}:2; @{SLOW.key}:2].", Judge())
    (claim,) = found.claims
    assert claim.text == f"SwiftNet flies on real hardware {cite([FAST.key])}."
    assert (claim.ending, found.tally.cited_anew, found.tally.kept) == ("cited anew", 1, 0)


async def test_a_true_sentence_that_named_too_little_keeps_its_words_when_its_address_is_mended() -> None:
    said = "SwiftNet flies where others compete"
    both = f"[@{FAST.key}:1,2]"

    class Strict(Judge):
        def reply(self, prompt: str, system: str) -> str:
            self.denies = () if "Drones race" in prompt else ("compete",)
            return super().reply(prompt, system)

    found, model = await check(f"{said} {F}.", Strict(rewords={"compete": f"{said} {both}."}))
    assert found.text == f"{said} {cite([FAST.key])}."
    assert f"[@{FAST.key}:1] Drones race" in model.requests[1].prompt.question
    assert (found.tally.kept, found.tally.reworded, found.tally.removed) == (1, 0, 0)


async def test_a_claim_that_never_holds_is_worded_anew_twice_and_then_removed() -> None:
    wordings = iter(("SwiftNet is quite cheap", "SwiftNet is rather cheap", "SwiftNet is cheap again"))

    class Stubborn(Judge):
        def reply(self, prompt: str, system: str) -> str:
            self.rewords = {"cheap": f"{next(wordings)} {F}."} if "<sentence" in prompt else {}
            return super().reply(prompt, system)

    found, model = await check(f"SwiftNet is cheap {F}.", Stubborn(denies=("cheap",)))
    assert (found.text, found.tally.removed) == ("", 1)
    assert sum("<sentence" in request.prompt.question for request in model.requests) == 2


async def test_words_that_the_model_finds_nowhere_are_not_replaced_and_what_was_lost_is_told() -> None:
    found, _ = await check(f"SwiftNet is cheap {F}.", Judge(denies=("cheap",)))
    assert found.text == ""
    assert "SwiftNet is cheap" not in found.text


async def test_a_paper_that_says_nothing_of_it_is_no_longer_cited() -> None:
    text = f"SwiftNet flies at 60 km/h {cite_sentences([*list_addresses(F), *list_addresses(S)])}."
    found, _ = await check(text, Judge())
    assert found.text == f"SwiftNet flies at 60 km/h {cite([FAST.key])}."


async def test_where_nobody_can_be_asked_claims_stay_marked_but_for_what_is_certainly_wrong() -> None:
    def fail(_: str, __: str) -> str:
        raise LanguageModelError("no answer")

    text = f"SwiftNet flies at 60 km/h {F}. SwiftNet flies at 75 km/h {F}. It is fast {F}. MapFly is slow {S}."
    found = await check_section(FakeModel(fail), CheckTask("Part", text, (FAST, SLOW)))
    same = check_without_model(CheckTask("Part", text, (FAST, SLOW)))
    assert (
        found.text == same.text == f"SwiftNet flies at 60 km/h {cite([FAST.key])}. MapFly is slow {cite([SLOW.key])}."
    )
    assert (found.tally.unchecked, found.tally.removed) == (2, 2)
    assert found.claims[0].citations[0].verdict == "unchecked"
    assert [warning.detail for warning in found.warnings] == ["claims not checked: no answer"]


def test_a_claim_told_in_both_lists_is_not_supported_and_letters_are_read_however_they_are_written() -> None:
    answer = CheckAnswer(
        supported=["1a", "2 bc", "3", "claim 4", "5a", "6\nb", "7" * 5_000],
        others=[ClaimVerdict(claim=5, verdict="partly", beyond="by far")],
    )
    supported = {number: ("supported", letters) for number, letters in ((1, "a"), (2, " bc"), (3, ""), (6, "\nb"))}
    assert answer.list_verdicts() == supported | {5: ("partly", "by far")}


async def test_a_model_without_verdicts_leaves_no_claim_and_that_is_said() -> None:
    model = FakeModel(lambda prompt, _: json.dumps({"supported": []} if "<claim" in prompt else {"sentences": []}))
    found = await check_section(model, CheckTask("Part", f"SwiftNet flies on hardware {F}.", (FAST,)))
    assert (found.text, found.tally.unanswered) == ("", 1)


async def test_ten_claims_are_judged_in_one_call() -> None:
    text = " ".join(f"SwiftNet flies at 60 km/h in race {'abcdefghijk'[n]} {F}." for n in range(11))
    _, model = await check(text, Judge())
    assert sum("<claim" in request.prompt.question for request in model.requests) == 2


@dataclass
class StandInEntailment:
    """Finds that what holds one of these words does not follow."""

    words: tuple[str, ...]
    name: str = "the stand-in"
    asked: list[tuple[str, str]] = field(default_factory=list)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        self.asked += pairs
        return np.array([0.2 if _has(claim, self.words) else 0.9 for _, claim in pairs])


async def test_what_a_local_model_doubts_is_judged_a_second_time_blind() -> None:
    text = f"SwiftNet reaches 60 km/h on hardware {F}. MapFly reaches 8 m/s in simulation {S}."
    task = CheckTask("Part", text, (FAST, SLOW), "drone racing")
    for denied, left in (((), 2), (("MapFly",), 1)):
        entailment = StandInEntailment(("MapFly",))
        model = FakeModel(Judge(denies_again=denied).reply, entailment=entailment)
        found = await check_section(model, task)
        assert len(found.claims) == left
        again = [whole(request) for request in model.requests if "Statement" in whole(request)]
        assert len(again) == 1
        assert "MapFly" in again[0] and "SwiftNet reaches" not in again[0] and "stand-in" not in again[0]
        assert entailment.asked[0][0].startswith("Racing with Vision.")


async def test_as_published_a_claim_that_does_not_hold_keeps_its_words_and_loses_its_source() -> None:
    text = f"SwiftNet reaches 60 km/h on hardware {F}. MapFly was flown by children {S}."
    task = CheckTask("Part", text, (FAST, SLOW), "drone racing", words_stand=True)
    model = FakeModel(Judge(denies=("children",)).reply)
    found = await check_section(model, task)
    assert found.text == f"SwiftNet reaches 60 km/h on hardware {cite([FAST.key])}. MapFly was flown by children."
    assert len(found.claims) == 1
    assert not [request for request in model.requests if "reword" in request.step]


async def test_what_is_said_twice_stands_once_and_is_counted_as_repeated() -> None:
    said = f"SwiftNet flies at 60 km/h {F}."
    found, _ = await check(f"{said} MapFly reaches 8 m/s {S}. {said}", Judge())
    assert found.text.count("SwiftNet flies") == 1
    tally = found.tally
    assert (tally.claims, tally.kept, tally.repeated, tally.removed) == (3, 2, 1, 0)
