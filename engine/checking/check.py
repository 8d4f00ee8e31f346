"""The check of a written text: every claim is kept, reworded from its evidence, or removed.

None keeps its words and loses its source, and nothing that changes words comes after this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TypeVar

from engine.checking.citation_forms import read_citations
from engine.checking.claim_evidence import (
    MOST_SENTENCES,
    EvidenceSentence,
    choose_evidence,
    pick_evidence,
    search_gathered,
    source_of,
)
from engine.checking.doubts import VETOES, Doubt, find_doubts
from engine.checking.judging import (
    SCOPE,
    SUPPORTED,
    CheckAnswer,
    RewordAnswer,
    SecondAnswer,
    SentenceState,
    State,
    build_judgement,
    build_rewording,
    build_second_judgement,
    count_claims,
    list_claims,
)
from engine.citations import keep_allowed_citations, list_addresses, list_cited_keys, remove_addresses, remove_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.survey import UNCHECKED, UNJUDGED, Citation, Claim, ClaimTally, SurveyWarning
from engine.text import fold, join_sentences, sentences, split_sentences, words
from engine.values import Paper

CLAIMS_PER_CALL = 10
"""Most claims judged in one call; a section's calls run at once, because answers are slower than questions."""

FEWER_CLAIMS = 3
"""Sentences that are written anew in one call: the answers are longer."""

PRONOUNS = frozenset({"this", "these", "that", "those", "it", "they", "its", "their", "such", "he", "she", "both"})
"""A closed class: a sentence that begins with one leans on the sentence before it."""

EVEN = 0.5
"""Probability of entailment below which a model of this machine doubts a claim."""

REPAIR_ROUNDS = 2
"""How often a claim that did not hold is written anew before it is removed."""

A = TypeVar("A", bound=TypedAnswer)


@dataclass(frozen=True, slots=True)
class CheckTask:
    """A text to be checked: its heading, the papers it may rest on, and how its calls are named in the record."""

    title: str
    text: str
    papers: tuple[Paper, ...]
    topic: str = ""
    step: str = ""
    gathered: tuple[Paper, ...] = ()
    """All papers of the survey, where they are more than those."""
    words_stand: bool = False
    """Whether a claim that does not hold keeps its words and loses its citations, as AutoSurvey's check has it."""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text of which every claim holds; what became of the claims is counted."""

    text: str
    claims: tuple[Claim, ...] = ()
    tally: ClaimTally = field(default_factory=ClaimTally)
    warnings: tuple[SurveyWarning, ...] = ()


async def check_section(
    model: LanguageModel, task: CheckTask, on_judged: Callable[[CheckedText], None] = lambda _: None
) -> CheckedText:
    """The text without anything its papers do not say; ``on_judged`` is given what holds before anything is reworded.

    Where the model cannot be asked, a claim with a figure, an author, a quotation or a key that is nowhere is removed,
    and the others are kept, marked and counted as unchecked.
    """
    return await _Check(task, model).run(on_judged)


def check_without_model(task: CheckTask) -> CheckedText:
    """The text with its claims marked as unchecked, without those that the program alone refuses."""
    check = _Check(task, None)
    check.prepare()
    check.leave_unchecked(check.lines)
    return check.result()


class _Check:
    """One text's check, from its sentences to what became of them."""

    def __init__(self, task: CheckTask, model: LanguageModel | None) -> None:
        self.task, self.model = task, model
        self.papers: dict[str, Paper] = {paper.key: paper for paper in task.papers}
        self.gathered = task.gathered or task.papers
        self.failures: dict[str, None] = {}
        self.rounds = 0
        self.lines: list[SentenceState] = []
        for place, paragraph in enumerate(split_sentences(task.text)):
            for written in paragraph:
                line = SentenceState(len(self.lines) + 1, place, remove_addresses(written), "")
                _write(line, written, self.papers)
                if line.is_ours and list_cited_keys(written):
                    line.doubts = (Doubt("key", ", ".join(list_cited_keys(written))),)
                self.lines.append(line)

    def _list(self, state: State) -> list[SentenceState]:
        return [line for line in self.lines if line.state == state]

    async def run(self, on_judged: Callable[[CheckedText], None]) -> CheckedText:
        """Judge what is to be judged and have mended what fails or hangs, until nothing does."""
        while True:
            await asyncio.to_thread(self.prepare)
            await self._judge(self._list("pending"))
            self._remove_repeated()
            self._reopen_unfounded()
            if self.rounds == 0:
                on_judged(self.result())
            for line in self._list("failed"):
                if self.task.words_stand:
                    line.state, line.citations, line.text = "framing", (), remove_citations(line.text)
                elif line.tries >= REPAIR_ROUNDS:
                    line.remove()
            failed, gone = self._list("failed"), [] if self.task.words_stand else self._list("removed")
            hanging = [after for line in gone if (after := self._find_follower(line))]
            if failed or hanging:
                await self._reword([*failed, *hanging])
            elif not self._list("pending"):
                return self.result()
            self.rounds += 1

    def prepare(self) -> None:
        """Find evidence and doubts of every sentence that is to be judged; what the program refuses fails at once."""
        # Those of our own rest on what others have.
        for line in sorted(self._list("pending"), key=lambda line: line.is_ours):
            line.text = SCOPE.sub("", line.text)
            line.evidence = self._evidence_around(line) if line.is_ours else self._choose_evidence(line)
            if line.of_all and not line.searched:
                known = {item.paper for item in line.evidence}
                line.searched = search_gathered(line.text, [paper for paper in self.gathered if paper not in known])
            unknown = [doubt for doubt in line.doubts if doubt.kind == "key"]
            source = source_of(line.evidence, f"{self.task.topic}\n{self.task.title}")
            line.doubts = (*unknown, *find_doubts(line.text, source, is_ours=line.is_ours))
            if vetoes := [doubt for doubt in line.doubts if doubt.kind in VETOES]:
                line.fail("; ".join(doubt.explain() for doubt in vetoes))
        if self.model and (entailment := self.model.entailment):
            asked = [line for line in self._list("pending") if line.evidence]
            pairs = [(source_of(line.evidence).text, remove_citations(line.text)) for line in asked]
            for line, likely in zip(asked, entailment.judge(pairs), strict=True):
                line.doubts += (Doubt("entailment", entailment.name),) * bool(likely < EVEN)

    def _choose_evidence(self, line: SentenceState, *, widely: bool = False) -> tuple[EvidenceSentence, ...]:
        cited = [self.papers[key] for key in list_cited_keys(line.text)]
        return choose_evidence(line.text, cited, line.named, widely=widely)

    def _evidence_around(self, line: SentenceState) -> tuple[EvidenceSentence, ...]:
        """The evidence of the cited sentences nearest to it: of its paragraph, or else of the whole text."""
        cited = [other for other in self.lines if not other.is_ours and other.state not in {"removed", "failed"}]
        own = [other for other in cited if other.paragraph == line.paragraph] or cited
        near = sorted(own, key=lambda other: abs(other.number - line.number))
        chosen = dict.fromkeys(item for other in near for item in other.evidence)
        return tuple(list(chosen)[:MOST_SENTENCES])

    async def _judge(self, lines: Sequence[SentenceState]) -> None:
        topic, gathered = self.task.topic or self.task.title, len(self.gathered)
        twice: list[SentenceState] = []

        def decide(group: Sequence[SentenceState], answer: CheckAnswer) -> None:
            verdicts = answer.list_verdicts()
            twice.extend(line for line in group if _settle(line, verdicts.get(line.number)))

        def decide_again(group: Sequence[SentenceState], answer: SecondAnswer) -> None:
            judgements = {second.statement: second.follows for second in answer.judgements}
            for line in group:
                line.asked_twice = True
                if judgements.get(line.number):
                    line.insisted = "; ".join(dict.fromkeys(doubt.words for doubt in line.doubts))
                else:
                    line.fail("; ".join(doubt.explain() for doubt in line.doubts))

        await self._ask(lines, "judge", partial(build_judgement, topic, gathered), CheckAnswer, decide)
        await self._ask(twice, "again", partial(build_second_judgement, topic), SecondAnswer, decide_again)

    async def _reword(self, lines: Sequence[SentenceState]) -> None:
        def build(group: Sequence[SentenceState], name: str) -> Request:
            return build_rewording(self.task.topic or self.task.title, group, self.lines, followers, name)

        def take(group: Sequence[SentenceState], answer: RewordAnswer) -> None:
            texts = {reworded.sentence: reworded.text for reworded in answer.sentences}
            for line in group:
                self._take_rewording(line, texts.get(line.number))
                if line.state == "removed" and (after := followers.get(line.number)):
                    after.stood_behind = line.number
                    self._take_rewording(after, texts.get(after.number))

        asked = {line.number for line in lines}
        behind = ((line, self._find_follower(line)) for line in lines if line.state == "failed")
        followers = {line.number: after for line, after in behind if after and after.number not in asked}
        for line in lines:
            if line.state != "failed":
                line.stood_behind = self.lines[line.number - 2].number
            elif not line.is_ours:
                line.evidence = self._choose_evidence(line, widely=True)
        ordered = sorted(lines, key=lambda line: line.number)
        await self._ask(ordered, "reword", build, RewordAnswer, take)

    def _take_rewording(self, line: SentenceState, text: str | None) -> None:
        """Put the new wording in the sentence's place, to be judged; the same from the same sentences is not new."""
        read = read_citations(" ".join((text or "").split()), self.task.papers).text
        is_same = fold(remove_addresses(read)) == fold(line.text)
        if line.stands and (text is None or is_same):
            return
        names_more = any(set(said.sentences) - set(line.named.get(said.key, ())) for said in list_addresses(read))
        if (is_same and not names_more) or len(sentences(read)) != 1 or not (line.is_ours or list_cited_keys(read)):
            line.remove()
            return
        named = line.named
        _write(line, read, self.papers)
        line.named = {key: numbers or named.get(key, ()) for key, numbers in line.named.items()}
        line.state, line.doubts, line.insisted, line.searched = "pending", (), "", ()
        line.tries += 1

    async def _ask(
        self,
        lines: Sequence[SentenceState],
        kind: str,
        build: Callable[[Sequence[SentenceState], str], Request],
        schema: type[A],
        take: Callable[[Sequence[SentenceState], A], None],
    ) -> None:
        """Ask about the lines in groups, all at once; a group of which nobody can be asked is left unchecked."""

        async def ask(group: Sequence[SentenceState], request: Request) -> None:
            try:
                assert self.model is not None
                answer = await self.model.answer_typed(request, schema)
            except (LanguageModelError, LimitExceeded) as error:
                self.failures[str(error)] = None
                self.leave_unchecked(group)
            else:
                take(group, answer)

        if not lines:
            return
        count, most = len(lines), FEWER_CLAIMS if kind == "reword" else CLAIMS_PER_CALL
        calls = -(-count // most)
        groups = [lines[count * at // calls : count * (at + 1) // calls] for at in range(calls)]
        # All before the first answer, which may remove a neighbour: a recorded answer is found by the same request.
        step = f"check/{self.task.step or self.task.title}/{kind} {self.rounds}"
        requests = [build(group, f"{step}.{at}") for at, group in enumerate(groups)]
        async with asyncio.TaskGroup() as tasks:
            for group, request in zip(groups, requests, strict=True):
                tasks.create_task(ask(group, request))

    def leave_unchecked(self, group: Sequence[SentenceState]) -> None:
        """Where nobody can be asked: what was found not to hold goes, the rest is marked."""
        for line in group:
            if line.state == "failed":
                line.remove()
            elif line.state == "pending" or line.asked_twice or (line.state == "held" and line.doubts):
                line.state = "framing" if line.is_ours else "unchecked"
                told = ((item.paper.key, item) for item in reversed(line.evidence))
                named = {key: item for key, item in told if item.said.number in line.named.get(key, ())}
                cited = list_cited_keys(line.text)
                line.citations = tuple(
                    named[key].cite("unchecked") if key in named else Citation(key, "", "unchecked") for key in cited
                )
        for before, line in zip(self.lines, self.lines[1:], strict=False):
            is_alone = before.state == "removed" and before.paragraph == line.paragraph
            if is_alone and line.state in {"unchecked", "framing"} and PRONOUNS.intersection(words(line.text)[:1]):
                line.remove()

    def _find_follower(self, line: SentenceState) -> SentenceState | None:
        """The sentence right behind it in its paragraph that stands, and which nobody was shown there yet."""
        after = next(iter(self.lines[line.number :]), line)
        is_near = after.paragraph == line.paragraph and after.stood_behind != line.number
        return after if is_near and after.state in {"held", "framing", "common"} else None

    def _remove_repeated(self) -> None:
        """A sentence stands once: a rewording may say what another sentence says already."""
        said: set[str] = set()
        for line in self.lines:
            if line.state in {"held", "common"} and fold(line.text) in said:
                line.remove()
                line.repeats = True
            said.add(fold(line.text) if line.stands else "")

    def _reopen_unfounded(self) -> None:
        """Sentences of our own are judged again once where none of the sentences that they rest on stands any more."""
        cited = {(c.key, c.sentence) for line in self.lines if not line.is_ours and line.stands for c in line.citations}
        for line in self.lines:
            rests_on = {(c.key, c.sentence) for c in line.citations}
            if line.is_ours and line.state == "held" and not rests_on & cited and not line.asked_twice:
                line.state, line.asked_twice, line.citations = "pending", True, ()

    def result(self) -> CheckedText:
        """What is left of the text, its claims, and the count."""
        for line in self.lines:
            if line.of_all and line.stands:
                line.name_scope(len(self.gathered))
        paragraphs = groupby((line for line in self.lines if line.stands), key=lambda line: line.paragraph)
        text = join_sentences([line.text for line in lines] for _, lines in paragraphs)
        tally = count_claims(self.lines)
        details = [f"{UNCHECKED}: {why}" for why in self.failures]
        if tally.unanswered:
            which = "1 claim, which was" if tally.unanswered == 1 else f"{tally.unanswered} claims, which were"
            details.append(f"{UNJUDGED} for {which} removed")
        warnings = tuple(SurveyWarning("unfinished", self.task.title, detail) for detail in details)
        return CheckedText(text, list_claims(self.lines), tally, warnings)


def _write(line: SentenceState, written: str, papers: dict[str, Paper]) -> None:
    """Take this text, in which sentences may be named, as the line's; citations of unknown papers go."""
    allowed = keep_allowed_citations(written, papers.keys())  # type: ignore[arg-type]
    line.named = {address.key: address.sentences for address in list_addresses(allowed)}
    line.text, line.of_all = remove_addresses(allowed), bool(SCOPE.search(allowed))


def _settle(line: SentenceState, verdict: tuple[str, str] | None) -> bool:
    """What becomes of a claim by its verdict and what is told with it; true where it holds and is doubted."""
    line.unanswered = verdict is None
    kind, told = verdict or ("", "")
    if kind == "all papers" and not line.of_all:
        line.of_all = True  # it is judged once more, beside what is found among them
        return False
    unfounded = kind == "frames" or (kind == "common" and line.is_ours)
    if unfounded:  # it need not speak of what is around it
        line.doubts = tuple(doubt for doubt in line.doubts if doubt.kind == "name")
    if kind and not line.judged:
        line.judged, line.agreed = True, (kind == SUPPORTED or unfounded) == (not line.doubts)
    if kind != SUPPORTED and not unfounded:
        line.fail(f"{kind}: {told}".strip(": "))
    elif unfounded and line.is_ours and not line.doubts:
        line.state = "framing" if kind == "frames" else "common"
    else:
        line.hold(pick_evidence(line.evidence, told if kind == SUPPORTED else ""))
        return bool(line.doubts)
    return False
