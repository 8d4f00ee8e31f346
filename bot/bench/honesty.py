"""The command `bench honesty`: falsehoods and bad forms are planted in drafts, and what becomes of each is counted.

The checker is simulated: it knows what is true, and errs at a stated rate, in both directions.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.bench.bad_forms import BAD_FORMS, BadForm
from bot.bench.falsehoods import FALSEHOODS
from bot.bench.measured_papers import MEASURED_PAPERS
from bot.bench.planted_texts import (
    TOPIC,
    Check,
    CheckInConversation,
    check_draft,
    choose_true_sentence,
    read_planted_text,
)
from bot.bench.planting import Falsehood, Statement
from engine.checking.back_references import remove_connective
from engine.checking.check import CheckedText
from engine.checking.verdicts import CheckAnswer, Repair, Support
from engine.citations import list_cited_keys, replace_citations
from engine.llm.model import A, Request, TypedAnswer
from engine.survey import Claim
from engine.text import fold, sentences
from engine.values import Paper, PaperKey, Query

ENDINGS = ("planted", "kept", "recited", "reworded", "removed", "survived")
PAPERS_SHOWN = 10
"""Papers of the library beside the bench's own."""

CLAIMS_SHOWN = 12

Counts = dict[str, dict[str, int]]


@dataclass
class SimulatedChecker:
    """A `LanguageModel` that knows the true statements; ``error`` is the rate at which a verdict of it is wrong."""

    papers: Sequence[Paper]
    truths: dict[str, Statement]
    repairs: dict[str, Statement]
    chance: random.Random
    error: float
    habits: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    """The text that it writes, whatever it is asked for."""
    _mistaken: dict[tuple[str, PaperKey], bool] = field(default_factory=dict)

    async def text(self, request: Request) -> str:
        """The text that it is given to write."""
        return self.written

    async def stream(self, request: Request) -> AsyncIterator[str]:
        """The same, as one piece."""
        yield self.written

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        """Verdicts and repairs for the sentences the request names."""
        question = request.prompt.question
        asked = {int(n) for n in question.split("Judge the sentences ")[1].split(";")[0].split(",")}
        lines = [line.partition(". ") for line in question.split("<draft>\n")[1].split("\n</draft>")[0].split("\n")]
        verdicts: list[Support] = []
        repairs: list[Repair] = []
        for number, _, text in lines:
            if int(number) in asked:
                self._judge(int(number), text, verdicts, repairs)
        return kind.model_validate(CheckAnswer(verdicts=verdicts, repairs=repairs).model_dump())

    async def forget(self, request: Request, kind: type[TypedAnswer] | None = None) -> None:
        """Nothing is recorded here."""

    def _judge(self, number: int, text: str, verdicts: list[Support], repairs: list[Repair]) -> None:
        said = bare(text)
        if habit := self.habits.get(said):
            if habit == "invented words":
                words = "as every reader of this paper will surely remember"
                verdicts += [
                    Support(sentence=number, key=key, supported=True, quote=words) for key in list_cited_keys(text)
                ]
            return
        truth = self.truths.get(said)
        held = False
        for key in list_cited_keys(text):
            right = truth is not None and truth.paper.key == key
            mistaken = self._mistaken.setdefault((said, key), self.chance.random() < self.error)
            supported = right != mistaken
            paper = next(p for p in self.papers if p.key == key)
            quote = max(sentences(paper.content), key=lambda s: len(set(s.split()) & set(text.split())))
            verdicts.append(Support(sentence=number, key=key, supported=supported, quote=quote if supported else ""))
            held = held or supported
        if held:
            return
        better = truth or self.repairs.get(said)
        likely = better is not None and self.chance.random() < 0.5
        repairs.append(Repair(sentence=number, text=cite_statement(better) if likely and better else ""))


def bare(text: str) -> str:
    """A sentence in folded form, its citations and what takes up the sentence before aside."""
    return fold(remove_connective(replace_citations(text, lambda _: "")))


def cite_statement(statement: Statement) -> str:
    """The true sentence with the paper that says it."""
    return f"{statement.text.rstrip('.')} [@{statement.paper.key}]."


def write_statement(statement: Statement) -> str:
    """The sentence with the key it is written with."""
    cited = f" [@{statement.cited}]" if statement.cited else ""
    return f"{statement.text.rstrip('.')}{cited}."


async def measure_honesty(
    papers: Sequence[Paper], *, drafts: int, rate: float, error: float, seed: int, check: Check = check_draft
) -> tuple[Counts, dict[str, int]]:
    """Each kind of falsehood and form with what became of it, and what became of the true sentences among them.

    Forms are planted in drafts of sections only: they are read alike everywhere.
    """
    chance = random.Random(seed)
    forms = BAD_FORMS if check is check_draft else ()
    names = [kind.name for kind in FALSEHOODS] + [form.name for form in forms]
    counts: Counts = {name: dict.fromkeys(ENDINGS, 0) for name in names}
    true_ones = dict.fromkeys(("written", "kept"), 0)
    for number in range(drafts):
        shown = [*MEASURED_PAPERS, *chance.sample(list(papers), min(PAPERS_SHOWN, len(papers)))]
        await _one_draft(shown, chance, (rate, error), counts, true_ones, check)
        if forms:
            await _one_form(forms[number % len(forms)], shown[len(MEASURED_PAPERS) :], chance, counts)
    return counts, true_ones


async def _one_draft(
    shown: Sequence[Paper],
    chance: random.Random,
    rates: tuple[float, float],
    counts: Counts,
    true_ones: dict[str, int],
    check: Check,
) -> None:
    truths: dict[str, Statement] = {}
    repairs: dict[str, Statement] = {}
    planted: list[tuple[Falsehood, Statement]] = []
    written: list[str] = []
    about = [*MEASURED_PAPERS, *shown][:CLAIMS_SHOWN]
    for position, paper in enumerate(about):
        other = about[(position + 5) % len(about)]
        text = choose_true_sentence(paper, chance)
        if not text or bare(text) in truths:
            continue
        true = Statement(text, paper, paper.key)
        truths[bare(text)] = true
        kind, false = _plant(true, other, counts, chance) if chance.random() < rates[0] else (None, None)
        if kind and false:
            planted.append((kind, false))
            repairs[bare(false.text)] = true
            written.append(write_statement(false))
        else:
            true_ones["written"] += 1
            written.append(write_statement(true))
    habits = {bare(false.text): kind.verdict for kind, false in planted if kind.verdict}
    checker = SimulatedChecker(shown, truths, repairs, chance, rates[1], habits)
    found = await check(checker, " ".join(written), shown)
    standing = {bare(claim.text): claim for claim in found.claims}
    for kind, false in planted:
        _count_falsehood(kind, false, found, standing, _Known(truths, shown), counts)
    wrong = {bare(false.text) for _, false in planted}
    kept = sum(claim.ending == "kept" and bare(claim.text) not in wrong for claim in found.claims)
    true_ones["kept"] += kept


def _plant(
    true: Statement, other: Paper, counts: Counts, chance: random.Random
) -> tuple[Falsehood | None, Statement | None]:
    """A falsehood of a kind that was planted seldom and can be made from this sentence."""
    for kind in sorted(FALSEHOODS, key=lambda k: (counts[k.name]["planted"], chance.random())):
        false = kind.make(true, other)
        if false and (bare(false.text) != bare(true.text) or false.cited != true.cited):
            return kind, false
    return None, None


@dataclass(frozen=True, slots=True)
class _Known:
    """What is so: the true sentences by their bare text, and the papers whose own words may stand for them."""

    truths: Mapping[str, Statement]
    papers: Sequence[Paper]

    def holds(self, claim: Claim) -> bool:
        """Whether a reworded claim is one of the truths, or its paper's sentence word for word."""
        truth = self.truths.get(bare(claim.text))
        return self.is_quoted(claim) or (truth is not None and truth.paper.key in list_cited_keys(claim.text))

    def is_quoted(self, claim: Claim) -> bool:
        """Whether all that the claim says is words of the papers it cites."""
        texts = {paper.key: paper.content for paper in self.papers}
        own = [c for c in claim.citations if c.quote and c.quote in texts[c.key] and c.quote in claim.text]
        return bool(own) and all(c.verdict in {"quoted", "summarised"} and c in own for c in claim.citations)


def _count_falsehood(
    kind: Falsehood,
    false: Statement,
    found: CheckedText,
    standing: dict[str, Claim],
    known: _Known,
    counts: Counts,
) -> None:
    """What became of one planted sentence; it survived where the text still says what no cited paper says."""
    count = counts[kind.name]
    count["planted"] += 1
    claim = standing.get(bare(false.text))
    reworded = next(
        (c for c in found.claims if c.was and bare(c.was) == bare(false.text) and c.ending == "reworded"), None
    )
    if claim is not None:
        truth = known.truths.get(bare(false.text))
        right = truth is not None and set(list_cited_keys(claim.text)) == {truth.paper.key}
        count["recited" if claim.ending == "cited anew" else "kept"] += 1
        count["survived"] += not right
    elif reworded is not None:
        count["reworded"] += 1
        count["survived"] += not known.holds(reworded)
    elif fold(false.text.rstrip(".")) in fold(found.text):
        count["survived"] += 1
    else:
        count["removed"] += 1


async def _one_form(form: BadForm, shown: Sequence[Paper], chance: random.Random, counts: Counts) -> None:
    """A true sentence in a bad form: it has to stand with its paper, and nothing of the form with it."""
    paper = shown[0]
    text = choose_true_sentence(paper, chance)
    if not text:
        return
    true = Statement(text, paper, paper.key)
    answer = form.write(text, paper, shown)
    checker = SimulatedChecker(shown, {bare(text): true}, {}, chance, 0.0)
    found = await check_draft(checker, answer, shown)
    count = counts[form.name]
    count["planted"] += 1
    stands = any(bare(c.text) == bare(text) and list_cited_keys(c.text) == (paper.key,) for c in found.claims)
    count["kept" if stands else "removed"] += 1
    count["survived"] += bool(re.search(form.trace, found.text))


async def honesty(
    console: Console, library_name: str, options: dict[str, float], text: str = "section", *, as_json: bool
) -> int:
    """Plant, check, count; ``options`` has the number of drafts, the rate, the checker's error and the seed.

    Raises `UserError` where ``text`` is no `PlantedText`.
    """
    planted_in = read_planted_text(text)
    async with open_app() as app:
        name = library_name or await app.install_bundled(lambda _: None)
        library = await app.libraries.library(name)
        found = await library.search(Query(TOPIC, 300))
        papers = [item.paper for item in found if len(sentences(item.paper.content)) >= 3]
        check: Check = check_draft
        if planted_in != "section":
            check = CheckInConversation(planted_in, await library.embedder())
        counts, true_ones = await measure_honesty(
            papers,
            drafts=int(options["drafts"]),
            rate=options["rate"],
            error=options["error"],
            seed=int(options["seed"]),
            check=check,
        )
    if as_json:
        print(json.dumps(counts, indent=1))  # noqa: T201
        return 0
    seen = {kind.name: kind.seen for kind in FALSEHOODS}
    table = Table("Kind", "Caught by", *ENDINGS, title=f"A checker that errs in {options['error']:.0%} of its verdicts")
    for name, count in counts.items():
        by = "form" if name not in seen else "program" if seen[name] else "checker"
        table.add_row(name, by, *(str(count[ending]) for ending in ENDINGS))
    console.print(table)
    console.print(f"True sentences: {true_ones['written']} written, {true_ones['kept']} kept as they were.")
    return 0
