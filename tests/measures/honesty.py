"""The command `bench honesty`: falsehoods are planted in drafts, a simulated judge errs, and what stands is counted.

The judge knows what is true and is wrong in a stated share of its verdicts, independently each time it is asked: it
shows what the procedure makes of errors, not how often a model makes them.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from bot.app import open_app
from bot.serving.bundled import BUNDLED
from engine.addresses import NumberedSentence, number_sentences
from engine.checking.check import CheckTask, check_section
from engine.checking.doubts import find_missing_names
from engine.checking.figures import read_figures
from engine.checking.judging import CheckAnswer, RewordAnswer, SecondAnswer
from engine.citations import Address, cite_sentences, list_cited_keys, remove_citations
from engine.llm.model import A, Request, TypedAnswer
from engine.local_models import Entailment
from engine.retrieval.paper_keys import surname
from engine.text import fold
from engine.values import Paper, PaperKey, Query

TOPIC = "Large Language Models"
SENTENCES = 10
"""Of one draft."""

FEWEST_WORDS, MOST_WORDS = 8, 40
"""Words of a paper's sentence that is retold."""


@dataclass(frozen=True, slots=True)
class HonestyOptions:
    """How many drafts, the share of falsehoods, the share of the judge's verdicts that are wrong, the seed."""

    drafts: int = 60
    rate: float = 0.4
    error: float = 0.2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Statement:
    """What a draft says of a paper: the paper's sentence, told by us, as it is or made false."""

    text: str
    paper: Paper
    said: NumberedSentence
    key: PaperKey

    def cited(self) -> str:
        """The sentence with its address, as a draft has it."""
        return f"{self.text} {cite_sentences([Address(self.key, (self.said.number,))])}."


def retell(paper: Paper, said: NumberedSentence) -> Statement:
    """The paper's sentence as an indirect one."""
    words = said.text.rstrip(".")
    return Statement(f"One study reports that {words[:1].lower()}{words[1:]}", paper, said, paper.key)


Make = Callable[[Statement, Sequence[Paper], random.Random], Statement | None]
"""Makes a true statement false; ``None`` where it cannot."""


def _with_text(true: Statement, text: str) -> Statement:
    return Statement(text, true.paper, true.said, true.key)


def _figure(true: Statement, _: Sequence[Paper], chance: random.Random) -> Statement | None:
    figures = [f for f in read_figures(true.text) if f.words[:1].isdigit() and not f.is_small_count]
    if not figures:
        return None
    figure = chance.choice(figures)
    other = f"{figure.value * chance.choice([1.37, 1.9, 3.3]) + 1:.1f}"
    return _with_text(true, f"{true.text[: figure.start]}{other}{true.text[figure.start + len(figure.words) :]}")


def _quotation(true: Statement, _: Sequence[Paper], chance: random.Random) -> Statement | None:
    words = true.said.text.rstrip(".").split()
    at = chance.randrange(2, len(words) - 2)
    return _with_text(true, f"One study says: “{' '.join((*words[:at], 'undoubtedly', *words[at:]))}”")


def _year(true: Statement, _: Sequence[Paper], chance: random.Random) -> Statement | None:
    if not true.paper.authors or not true.paper.year:
        return None
    wrong = true.paper.year - chance.randint(2, 9)
    return _with_text(true, f"{surname(true.paper.authors[0])} et al. ({wrong}) report {true.text[17:]}")


def _author(true: Statement, _: Sequence[Paper], chance: random.Random) -> Statement | None:
    if not true.paper.authors or not true.paper.year:
        return None
    return _with_text(true, f"{chance.choice(['Quimby', 'Ostrander'])} et al. ({true.paper.year}) {true.text[10:]}")


def _key(true: Statement, _: Sequence[Paper], chance: random.Random) -> Statement | None:
    return Statement(true.text, true.paper, true.said, PaperKey(f"arxiv:1999.{chance.randrange(99_999):05}"))


def _other_paper(true: Statement, papers: Sequence[Paper], chance: random.Random) -> Statement | None:
    other = chance.choice([paper for paper in papers if paper.key != true.key])
    return Statement(true.text, true.paper, true.said, other.key)


def _name(true: Statement, papers: Sequence[Paper], chance: random.Random) -> Statement | None:
    whole = f"{true.paper.title} {true.paper.content}"
    strange = [name for paper in papers for name in find_missing_names(f"On {paper.title}", whole) if name.isalnum()]
    own = find_missing_names(true.text, "")
    if not strange or not own:
        return None
    return _with_text(true, true.text.replace(own[0], chance.choice(strange), 1))


def _denied(true: Statement, _: Sequence[Paper], __: random.Random) -> Statement | None:
    text = re.sub(r"\b(is|are|can|was|were|has|have|does)\b(?! not)", r"\1 not", true.text[17:], count=1)
    return _with_text(true, f"{true.text[:17]}{text}") if text != true.text[17:] else None


def _overstated(true: Statement, _: Sequence[Paper], __: random.Random) -> Statement | None:
    return _with_text(true, f"{true.text} in every setting, which settles the question")


EXACT: Mapping[str, Make] = {"key": _key, "quotation": _quotation, "figure": _figure, "year": _year, "author": _author}
"""What the program alone has to keep out, whatever the judge says."""

JUDGED: Mapping[str, Make] = {"name": _name, "other paper": _other_paper, "denied": _denied, "overstated": _overstated}


@dataclass
class SimulatedJudge:
    """A `LanguageModel` that knows the true statements; ``error`` is the rate at which a judgement is wrong."""

    truths: dict[str, Statement]
    repairs: dict[str, Statement]
    chance: random.Random
    error: float
    name: str = "simulated"
    entailment: Entailment | None = None
    is_remote: bool = field(default=False)

    async def text(self, request: Request) -> str:
        """Nothing is written here."""
        raise NotImplementedError(request.step)

    async def stream(self, request: Request) -> AsyncIterator[str]:
        """Nothing is written here."""
        yield await self.text(request)

    async def forget(self, request: Request, kind: type[TypedAnswer] | None = None) -> None:
        """Nothing is kept."""

    async def answer_typed(self, request: Request, schema: type[A]) -> A:
        """Verdicts, second verdicts and rewordings, of which a share is wrong."""
        said = request.prompt.question
        answer: TypedAnswer
        if schema is CheckAnswer:
            claims = re.findall(r'<claim number="(\d+)"[^>]*>\n(.*)\n', said)
            agreed = {n: self._agree(t) for n, t in claims}
            others = [{"claim": int(n), "verdict": "not said"} for n, agrees in agreed.items() if not agrees]
            answer = CheckAnswer.model_validate({"supported": [n for n in agreed if agreed[n]], "others": others})
        elif schema is SecondAnswer:
            stated = re.findall(r"^Statement (\d+)[^:]*: (.*)$", said, re.M)
            judgements = [{"statement": int(n), "follows": self._agree(t)} for n, t in stated]
            answer = SecondAnswer.model_validate({"judgements": judgements})
        else:
            asked = re.findall(r'<sentence number="(\d+)"[^>]*>\n.*\nsentence: (.*)\n.*\n(wrong|before it was)', said)
            texts = [{"sentence": int(n), "text": self._mend(t, is_wrong=why == "wrong")} for n, t, why in asked]
            answer = RewordAnswer.model_validate({"sentences": texts})
        assert isinstance(answer, schema)
        return answer

    def _agree(self, text: str) -> bool:
        is_true = fold(remove_citations(html.unescape(text))) in self.truths
        return is_true != (self.chance.random() < self.error)

    def _mend(self, text: str, *, is_wrong: bool) -> str:
        """What the paper says in other words; as often as it errs, what was wrong before, in other words."""
        text = html.unescape(text)
        if not is_wrong:
            return text
        bare = remove_citations(text).rstrip(".")
        true = self.repairs.get(fold(bare))
        if true is None:  # what looks like a citation was taken out of it
            return ""
        again = self.chance.random() < self.error
        told = _with_text(true, f"As one study has it: {bare if again else true.text}")
        self.repairs[fold(told.text)] = true
        if not again or fold(bare) in self.truths:
            self.truths[fold(told.text)] = true
        return told.cited()


@dataclass(frozen=True, slots=True)
class Planted:
    """What became of the sentences of one kind: how many were written, and how many stand as written or as said anew.

    Of true ones ``standing`` counts those that stand in own words, of false ones those whose falsehood stands.
    """

    kind: str
    written: int
    standing: int


async def measure_honesty(papers: Sequence[Paper], options: HonestyOptions) -> list[Planted]:
    """Plant and check; the first is of the true sentences, the others of each kind of falsehood."""
    chance = random.Random(options.seed)
    written: dict[str, int] = {}
    standing: dict[str, int] = {}
    kinds = {**EXACT, **JUDGED}
    for draft in range(options.drafts):
        shown = chance.sample(list(papers), min(SENTENCES, len(papers)))
        lines: list[tuple[str, Statement]] = []
        judge = SimulatedJudge({}, {}, random.Random(options.seed * 1_000 + draft), options.error)
        for paper in shown:
            told = [s for s in number_sentences(paper) if FEWEST_WORDS <= len(s.text.split()) <= MOST_WORDS]
            if not told:
                continue
            true = retell(paper, chance.choice(told))
            kind = chance.choice(list(kinds)) if chance.random() < options.rate else ""
            false = kinds[kind](true, shown, chance) if kind else None
            lines.append((kind, false) if false else ("", true))
            judge.repairs[fold(lines[-1][1].text)] = judge.repairs[fold(true.text)] = true
            if not false:
                judge.truths[fold(true.text)] = true
        text = " ".join(statement.cited() for _, statement in lines)
        checked = await check_section(judge, CheckTask("Part", text, tuple(shown), TOPIC, str(draft)))
        left = {(fold(_told(claim.text)), list_cited_keys(claim.text)) for claim in checked.claims}
        for kind, statement in lines:
            written[kind] = written.get(kind, 0) + 1
            key = statement.key if kind else statement.paper.key
            stands = any(said.endswith(fold(statement.text)) and keys == (key,) for said, keys in left)
            standing[kind] = standing.get(kind, 0) + stands
    return [Planted(kind or "true", written.get(kind, 0), standing.get(kind, 0)) for kind in ("", *kinds)]


def _told(text: str) -> str:
    return remove_citations(text).rstrip(".")


async def honesty(console: Console, library_name: str, options: HonestyOptions, *, as_json: bool) -> int:
    """Plant, check, count, and print."""
    async with open_app() as app:
        library = await app.open_library(library_name or BUNDLED)
        papers = [item.paper for item in await library.search(Query(TOPIC, 300)) if item.paper.content]
        counts = await measure_honesty(papers, options)
    true, false = counts[0], counts[1:]
    share_true = true.standing / max(1, true.written)
    share_false = sum(count.standing for count in false) / max(1, sum(count.written for count in false))
    if as_json:
        kinds = {count.kind: {"written": count.written, "standing": count.standing} for count in counts}
        print(json.dumps({"kinds": kinds, "true": share_true, "false": share_false}, indent=1))  # noqa: T201
        return 0
    table = Table("Kind", "Kept out by", "Written", "Standing", title=f"A judge that errs in {options.error:.0%}")
    for count in counts:
        by = "" if count is true else "program" if count.kind in EXACT else "judge and program"
        table.add_row(count.kind, by, str(count.written), str(count.standing))
    console.print(table)
    console.print(
        f"True sentences that stand in own words: {share_true:.1%}. Falsehoods that stand: {share_false:.1%}."
    )
    return 0
