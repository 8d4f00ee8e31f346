"""The check of a written section: what becomes of every claim, by the papers' words and by what a program can see.

Each claim ends in one of four ways: kept, cited anew, reworded, or removed. None keeps its words and loses its
source. Nothing that changes words comes after this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from engine.addresses import locate_words
from engine.checking.back_references import is_dangling
from engine.checking.citation_forms import read_citations
from engine.checking.claims import is_connecting
from engine.checking.doubts import DANGLING, DOUBTS, IN_OTHER_WORDS, NOT_OF_IT, NOT_THERE, UNCITED, word_failures
from engine.checking.faults import Fault, Source, are_arguable, find_faults, find_silent, source_of
from engine.checking.lexicon import split_terms, unify_spelling
from engine.checking.names import Vocabulary
from engine.checking.own_words import quote_behind, remove_needless_quotations
from engine.checking.quotations import find_in_paper
from engine.checking.sentence_state import (
    LostClaim,
    SentenceState,
    cite_only,
    classify_ending,
    count_claims,
    drop_connectives,
    list_claims,
    list_lost,
    read_named,
    share_evenly,
)
from engine.checking.verdicts import CheckAnswer, Support
from engine.citations import keep_allowed_citations, list_cited_keys, remove_addresses, replace_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill, paper_block
from engine.survey import Citation, Claim, ClaimTally, SurveyWarning
from engine.text import fold, join_sentences, sentences, split_sentences
from engine.values import Paper, PaperKey

CLAIMS_PER_CALL = 8
"""Most claims judged in one call; a section's calls run at once, because answers are slower than questions."""

FEWER_CLAIMS = 4
"""The same where few calls run at once and the rest waits for them: of a summary, and of what is judged again."""

REPAIR_ROUNDS = 2
"""How often a claim that did not hold is judged again, reworded or with its doubts named, before it is removed."""

OTHER_PAPERS = 2
"""Papers of the section, nearest to a doubtful claim, that are shown beside those it cites."""

VERDICT_TOKENS = 80
"""Room for one verdict and its share of repairs."""


@dataclass(frozen=True, slots=True)
class CheckTask:
    """A text to be checked: its heading, the papers it may rest on, and how its calls are named in the record."""

    title: str
    text: str
    papers: tuple[Paper, ...]
    topic: str = ""
    step: str = ""
    is_table: bool = False
    """Whether each paragraph stands beside the paper that it is about, and may call it “it”."""
    is_summary: bool = False
    """Whether it sums up what stands elsewhere: what is doubted in it goes, and is not quoted once more."""


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text of which every claim holds; what became of the claims is counted."""

    text: str
    claims: tuple[Claim, ...] = ()
    tally: ClaimTally = field(default_factory=ClaimTally)
    warnings: tuple[SurveyWarning, ...] = ()
    lost: tuple[LostClaim, ...] = ()


async def check_section(model: LanguageModel, task: CheckTask) -> CheckedText:
    """The text without anything its papers do not say.

    Where the model cannot be asked, a claim in which a program sees a fault is removed, and the others are kept,
    marked and counted as unchecked.
    """
    loop = asyncio.get_running_loop()
    check = await loop.run_in_executor(_reader(), lambda: _Check.of(model, task).with_doubts())
    return await check.run()


@cache
def _reader() -> ThreadPoolExecutor:
    """One thread in which texts are read one behind the other: the first one's requests leave while others wait."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="checking")


def read_sources(papers: Iterable[Paper], topic: str = "") -> None:
    """Read the papers as sources and keep what was read, so that the check of what cites them takes less time."""
    own_words = Vocabulary.of(())
    for paper in papers:
        Vocabulary.of([paper])
        source = source_of(paper)
        for text, _ in source.sentences[1:2]:  # to judge its first sentence takes everything that is read of a paper
            find_faults(text, [source], own_words, topic)


def check_without_model(task: CheckTask) -> CheckedText:
    """The text with its claims marked as unchecked, without those in which a program sees a fault."""
    check = _Check.of(None, task)
    check.leave_unchecked(check.list_pending())
    check.remove_repeated()
    return check.result()


@dataclass
class _Check:
    """One text's check, from its sentences to what became of them."""

    model: LanguageModel | None
    task: CheckTask
    sources: Mapping[PaperKey, Source]
    vocabulary: Vocabulary
    lines: list[SentenceState]
    failures: dict[str, None] = field(default_factory=dict)
    faults: dict[tuple[str, tuple[PaperKey, ...]], tuple[Fault, ...]] = field(default_factory=dict)
    """What was found in a wording with its sources: the same is asked before, between and after the rounds."""

    @classmethod
    def of(cls, model: LanguageModel | None, task: CheckTask) -> _Check:
        vocabulary = Vocabulary.of(task.papers, task.topic)
        known = {p.key for p in task.papers}
        lines: list[SentenceState] = []
        for place, paragraph in enumerate(split_sentences(task.text)):
            for addressed in paragraph:
                sentence = remove_addresses(addressed)
                text = keep_allowed_citations(sentence, known).text
                claim = not is_connecting(text, vocabulary, (task.topic, task.title))
                lines.append(SentenceState(len(lines) + 1, place, sentence, text, claim, read_named(addressed)))
        return cls(model, task, {p.key: source_of(p) for p in task.papers}, vocabulary, lines)

    def list_pending(self) -> list[SentenceState]:
        return [line for line in self.lines if line.pending]

    def with_doubts(self) -> _Check:
        """The same, with what a program doubts of each claim."""
        for line in self.list_pending():
            cited = list_cited_keys(line.text)
            dangling = (DANGLING,) if self._is_dangling(line, line.text) else ()
            line.doubts = (*(self._faults_named(line.text, cited) if cited else (UNCITED,)), *dangling)
        return self

    async def run(self) -> CheckedText:
        """Judge all claims, then those that did not hold again, and remove what is left."""
        for number in range(REPAIR_ROUNDS + 1):
            pending = self.list_pending()
            if not pending:
                break
            last = number == REPAIR_ROUNDS
            groups = share_evenly(pending, FEWER_CLAIMS if number or self.task.is_summary else CLAIMS_PER_CALL)
            # All before the first answer, which may remove a neighbour: a recorded answer is found by the same request.
            requests = [self._request(group, f"{number}.{at}", last=last) for at, group in enumerate(groups)]
            async with asyncio.TaskGroup() as tasks:
                for group, request in zip(groups, requests, strict=True):
                    tasks.create_task(self._round(group, request, is_again=number > 0, last=last))
            if number < REPAIR_ROUNDS:
                self._reopen_dangling()
        for line in self.list_pending():
            line.removed = True
        self.remove_repeated()
        remove_needless_quotations(self.lines)
        self._remove_dangling()
        drop_connectives(self.lines)
        return self.result()

    async def _round(self, group: Sequence[SentenceState], request: Request, *, is_again: bool, last: bool) -> None:
        try:
            assert self.model is not None
            answer = await self.model.answer_typed(request, CheckAnswer)
        except (LanguageModelError, LimitExceeded) as error:
            self.failures[str(error)] = None
            self.leave_unchecked(group)
            return
        verdicts: dict[int, dict[PaperKey, Support]] = {}
        for verdict in answer.verdicts:
            key = self._key(verdict.key)
            if key:
                verdicts.setdefault(verdict.sentence, {})[key] = verdict
        repairs = {repair.sentence: repair.text for repair in answer.repairs}
        for line in group:
            asked = line.text, line.doubts
            given, repair = verdicts.get(line.number, {}), repairs.get(line.number)
            self._decide(line, given, repair, last=last)
            if is_again and line.pending and (line.text, line.doubts) == asked:  # a third answer would be the same
                self._decide(line, given, repair, last=True)
                line.removed = line.pending

    def _key(self, said: str) -> PaperKey | None:
        keys = list_cited_keys(read_citations(f"[@{said.strip().strip('[]').lstrip('@')}]", self.task.papers).text)
        return keys[0] if len(keys) == 1 else None

    def _request(self, group: Sequence[SentenceState], name: str, *, last: bool) -> Request:
        """Verdicts and repairs are asked for; in the last round verdicts alone, since a repair could not be judged."""
        asked = {line.number for line in group}
        near = {n for number in asked for n in (number - 1, number, number + 1)}
        shown = [line for line in self.lines if line.number in near and not line.removed]
        keys = dict.fromkeys(key for line in group for key in list_cited_keys(line.text))
        for line in group:
            if line.doubts or not list_cited_keys(line.text):
                keys.update(dict.fromkeys(self._nearest(line.text, keys)))
        doubts = "\n".join(f"{line.number}: {data('; '.join(line.doubts))}" for line in group if line.doubts)
        prompt = fill(
            "common/check_again" if last else "common/check",
            topic=data(self.task.topic or self.task.title),
            sentences="\n".join(f"{line.number}. {data(line.text)}" for line in shown),
            numbers=", ".join(str(line.number) for line in group),
            doubts=f"What a program could not find in their sources:\n{doubts}" if doubts else "",
            papers=paper_block([self.sources[key].paper for key in keys]),
        )
        step = f"check/{self.task.step or self.task.title}/{name}"
        return Request("checking", step, prompt, VERDICT_TOKENS * len(group) + 1_024, 0.0)

    def _nearest(self, text: str, cited: Mapping[PaperKey, None]) -> list[PaperKey]:
        said = split_terms(replace_citations(text, lambda _: ""))
        weight = {key: source.overlap(said) for key, source in self.sources.items() if key not in cited}
        return sorted((k for k in weight if weight[k] > 0), key=lambda k: -weight[k])[:OTHER_PAPERS]

    def _decide(
        self, line: SentenceState, verdicts: Mapping[PaperKey, Support], repair: str | None, *, last: bool
    ) -> None:
        """What becomes of a claim by one answer; it stays pending where it has to be judged again."""
        line.unanswered = not verdicts and repair is None
        cited = list_cited_keys(line.text)
        looked_up = {key: self._look_up(key, v, line.text) for key, v in verdicts.items() if v.supported}
        found = {key: c for key, c in looked_up.items() if isinstance(c, Citation)}
        missing = [key for key in cited if key not in verdicts]
        unfound = [key for key in cited if key in verdicts and verdicts[key].supported and key not in found]
        holding = [key for key in cited if key in found]
        if holding and (not (missing or unfound) or last) and self._settle(line, holding, found):
            return
        others = [key for key in found if key not in cited]
        if others and not holding and self._settle(line, others, found):
            return
        unclear = bool(missing or unfound)  # of a sentence that cites nothing, an empty repair says all
        if holding and not unclear and self._question(line):
            return
        if repair is not None and not last and self._take_repair(line, repair):
            return
        if repair is not None and not repair.strip() and not unclear:
            line.removed = True
            return
        if holding and (last or line.questioned == line.text) and self._quote(line, holding, found):
            return
        line.questioned = line.text if holding and not unclear else line.questioned
        line.doubts = (
            *(() if cited else (UNCITED,)),
            *self._faults_named(line.text, holding or cited or others),
            *(f"{looked_up[key]} {key}" for key in unfound),
        )

    def _settle(self, line: SentenceState, keys: Sequence[PaperKey], found: Mapping[PaperKey, Citation]) -> bool:
        """End the claim with these sources, if a program finds nothing in it that they do not say."""
        silent = find_silent(line.text, [self.sources[key] for key in keys])
        keys = [key for key, is_silent in zip(keys, silent, strict=True) if not is_silent]
        anew = not set(keys) & set(list_cited_keys(line.text))
        text = cite_only(line.text, keys) if anew else keep_allowed_citations(line.text, keys).text
        if self._is_dangling(line, text):
            return False
        insisted = ""
        if faults := self._faults(text, keys):
            if text != line.questioned or not are_arguable(faults):
                return False
            insisted = "; ".join(dict.fromkeys(fault.words for fault in faults))
        line.text, line.citations = text, tuple(found[k] for k in keys)
        line.ending, line.insisted = classify_ending(line.original, text), insisted
        return True

    def _question(self, line: SentenceState) -> bool:
        """Have a claim that the model calls supported judged once more where all its faults are arguable."""
        cited = list_cited_keys(line.text)
        if line.questioned == line.text or not are_arguable(self._faults(line.text, cited)):
            return False
        line.questioned = line.text
        line.doubts = (*self._faults_named(line.text, cited), IN_OTHER_WORDS)
        return True

    def _quote(self, line: SentenceState, keys: Sequence[PaperKey], found: Mapping[PaperKey, Citation]) -> bool:
        """Say what the model calls its support in the source's own words, where a program still finds a fault in it."""
        if (
            self.task.is_table
            or self.task.is_summary
            or any(fault.kind == "subject" for fault in self._faults(line.text, keys))
        ):
            return False
        for key in keys:
            if quoted := quote_behind(line.text, found[key], self.sources[key].paper):
                line.text, line.ending, line.citations = quoted.text, "reworded", quoted.citations
                return True
        return False

    def _take_repair(self, line: SentenceState, repair: str) -> bool:
        """Put a proposed wording in the claim's place, to be judged in its turn."""
        addressed = read_citations(" ".join(repair.split()), self.task.papers).text
        text = remove_addresses(addressed)
        if not list_cited_keys(text) or len(sentences(text)) != 1 or text == line.text:
            return False
        line.text, line.named = text, read_named(addressed)
        line.doubts = self._faults_named(text, list_cited_keys(text))
        if are_arguable(self._faults(text, list_cited_keys(text))):
            line.questioned, line.doubts = text, (*line.doubts, IN_OTHER_WORDS)
        return True

    def _look_up(self, key: PaperKey, verdict: Support, claim: str) -> Citation | str:
        """The paper's own words behind the claim, or what is wrong with those that were named."""
        paper = self.sources[key].paper
        words, source, page = find_in_paper(verdict.quote, paper)
        if not words:
            return NOT_THERE
        said = unify_spelling(words)
        around = next((own for text, own in self.sources[key].sentences if said in text), split_terms(words))
        if not (around | split_terms(paper.title)) & split_terms(replace_citations(claim, lambda _: "")):
            return NOT_OF_IT
        where = locate_words(words, paper)
        return Citation(key, words, "supported", source, page, where.number if where else None)

    def _faults(self, text: str, keys: Sequence[PaperKey]) -> tuple[Fault, ...]:
        asked = text, tuple(keys)
        if asked not in self.faults:
            sources = [self.sources[key] for key in keys]
            self.faults[asked] = find_faults(text, sources, self.vocabulary, self.task.topic)
        return self.faults[asked]

    def _faults_named(self, text: str, keys: Sequence[PaperKey]) -> tuple[str, ...]:
        return tuple(DOUBTS[fault.kind].format(fault.words) for fault in self._faults(text, keys)) if keys else ()

    def leave_unchecked(self, group: Sequence[SentenceState]) -> None:
        """Where nobody can be asked: what has a fault goes, the rest is marked."""
        for line in group:
            keys = list_cited_keys(line.text)
            if (
                not keys
                or line.text != keep_allowed_citations(line.original, self.sources).text
                or self._is_dangling(line, line.text)
                or self._faults(line.text, keys)
            ):
                line.removed = True
            else:
                line.unchecked = True
                line.citations = tuple(c for key in keys for c in line.cite_named(self.sources[key].paper))

    def remove_repeated(self) -> None:
        """A sentence stands once: a repair may say what another sentence says already."""
        said: set[str] = set()
        for line in self.lines:
            if not line.removed and fold(line.text) in said:
                line.removed, line.ending, line.citations = True, None, ()
            said.add("" if line.removed else fold(line.text))

    def _reopen_dangling(self) -> None:
        """Sentences that refer to one that is gone are judged again, with that said."""
        for line in self._find_dangling():
            if line.ending is not None:
                line.ending, line.citations = None, ()
                line.doubts = (DANGLING,)

    def _remove_dangling(self) -> None:
        while dangling := self._find_dangling():
            for line in dangling:
                line.removed, line.ending, line.citations = True, None, ()

    def _find_dangling(self) -> list[SentenceState]:
        """Claims that refer to a sentence which was removed, or which speaks of another paper."""
        return [line for line in self.lines if line.claim and not line.removed and self._is_dangling(line, line.text)]

    def _is_dangling(self, line: SentenceState, text: str) -> bool:
        before = [other for other in self.lines[: line.number - 1] if other.paragraph == line.paragraph]
        said = [None if other.removed else other.text for other in before]
        return is_dangling(text, said, is_first=line.paragraph == 0 and len(self.lines) > 1 and not self.task.is_table)

    def result(self) -> CheckedText:
        """What is left of the text, its claims, and the count."""
        paragraphs: list[list[str]] = [[] for _ in range(max((line.paragraph for line in self.lines), default=0) + 1)]
        for line in self.lines:
            if not line.removed:
                paragraphs[line.paragraph].append(line.text)
        tally = count_claims(self.lines)
        failed = word_failures(self.failures, tally.unanswered)
        warnings = tuple(SurveyWarning("unfinished", self.task.title, detail) for detail in failed)
        return CheckedText(join_sentences(paragraphs), list_claims(self.lines), tally, warnings, list_lost(self.lines))
