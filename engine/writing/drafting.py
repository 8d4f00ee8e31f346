"""Steps of writing with a language model: how outlines and subsections are asked for, and how drafts are read."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from engine.checking.check import CheckedText, CheckTask, check_section, check_without_model
from engine.checking.citation_forms import UNKNOWN, read_citations
from engine.citations import list_cited_keys, remove_citations
from engine.errors import LanguageModelError
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill
from engine.notes.taking import count_manners, group_notes, show_sentences
from engine.survey import Claim, ClaimTally, Note, SurveyWarning
from engine.text import all_sentences, replace_sentences
from engine.values import Outline, OutlineNode, Paper, PaperKey, walk_outline
from engine.writing.model_text import read_prose


@dataclass(frozen=True, slots=True)
class Draft:
    """A subsection as it is being made: its place in the outline, its papers, its text and claims."""

    node: OutlineNode
    papers: tuple[Paper, ...]
    text: str
    claims: tuple[Claim, ...] = ()
    warnings: tuple[SurveyWarning, ...] = ()
    tally: ClaimTally | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """What all subsections of one trial have in common; ``words`` is the least length of each."""

    topic: str
    outline: Outline
    words: int
    trial: int = 0
    wishes: str = ""
    prompt: str = "autosurvey/draft"
    """The request for one subsection; each recipe may have its own."""
    temperature: float = 1.0
    top_p: float | None = None
    cite_known: bool = False
    """Whether the model may cite, by title, works that it knows and that were not shown (AutoSurvey, 2.2)."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps writing has; a recipe's ablations switch them off."""

    check: bool = True
    words_stand: bool = False
    """Whether the check takes citations away and no words (`CheckTask.words_stand`)."""
    review: bool = True
    """Whether the whole is read once more as a critical reviewer."""
    frame: bool = True
    """Whether introduction, conclusion and abstract are written from the finished sections."""
    notes: bool = True
    """Whether drafts are written from notes, or from all that is shown of the papers."""
    in_turn: bool = False
    """Whether the parts of a section are drafted one after the other, each seeing those before it."""
    judges: tuple[str, ...] = ()
    """Models that score the body, review it, and score it again; empty: the model that checks reviews it."""


ALL_STEPS = Steps()


@dataclass(frozen=True, slots=True)
class Material:
    """What a subsection is written from: its papers, best first, by the notes of what they say to it, or else whole."""

    node: OutlineNode
    papers: tuple[Paper, ...]
    notes: tuple[Note, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    """Texts of the section's other parts that are written already, by title."""

    def show(self, last: Sequence[PaperKey] = ()) -> str:
        """The papers as quoted data, those named ``last`` at the end: notes with the sentences that they rest on."""
        own = group_notes(self.notes)
        ordered = sorted(self.papers, key=lambda paper: paper.key in last)
        shown = (show_sentences(paper, own.get(paper.key, ()), () if paper.key in own else None) for paper in ordered)
        counted = f"\n{count_manners(self.notes)}" if self.notes else ""
        return "\n".join(shown) + counted


FindTitles = Callable[[Sequence[str]], Awaitable[Sequence[Paper]]]
"""Titles as a model wrote them → papers of the library that may be meant."""

KNOWN_TITLES = (
    "One exception: you may also cite a work that you know and that is not above, by its full title in square brackets."
)

DRAFT_ATTEMPTS = 2
SHORTEST_SHARE, LONGEST_SHARE, SPARE_WORDS = 0.5, 1.6, 160
"""A draft outside these shares of the words asked for is asked for once more; a short one may have so many words more.
One that stays too long ends after a sentence."""

ENOUGH = 0.8
"""A part with this share of its words stands; else what is missing is asked for once."""

WORDS_PER_CITED_PAPER = 80
_DIVIDER = re.compile(r"^\s*---\s*$", re.M)
"""The line between the points of a subsection and its text."""


def fewest_cited(words: int, papers: int) -> int:
    """How many of its papers a draft of so many words has to cite."""
    return min(papers, max(1, words // WORDS_PER_CITED_PAPER))


def build_draft_request(task: Assignment, material: Material, attempt: int = 0, problem: str = "") -> Request:
    """The request for one subsection; it holds only the section around, so other changes leave it as it is."""
    node = material.node
    alike = [top for _, top in walk_outline(task.outline.nodes) if node in top.children]
    # Two sections may have a part of the same name, papers and description.
    parent = next((top for top in alike if any(child is node for child in top.children)), next(iter(alike), None))
    about = f" ({data(parent.description)})" if parent and parent.description else ""
    others = [child for child in parent.children if child != node] if parent else []
    # What is written already of another part says more than its description.
    said = {
        other.title: remove_citations(material.before.get(other.title, "")) or other.description for other in others
    }
    told = [KNOWN_TITLES] * task.cite_known + [f"Your last draft was not used: {problem}."] * bool(problem)
    prompt = fill(
        task.prompt,
        topic=data(task.topic + (f" ({task.wishes})" if task.wishes else "")),
        title=data(node.title),
        within=f" of the section “{data(parent.title)}”{about}" if parent else "",
        description=data(node.description or node.title),
        papers=material.show(),
        words=str(task.words),
        least=str(fewest_cited(task.words, len(material.papers))),
        siblings="\n".join(f"{data(title)}: {data(text)}" for title, text in said.items()) or "(none)",
        problem=" ".join(told),
    )
    step = f"draft/{task.trial}/{node.title}" + (f"/again {attempt}" if attempt else "")
    return Request("drafting", step, prompt, max(1_024, task.words * 3), task.temperature, task.top_p)


def build_completion_request(task: Assignment, material: Material, text: str, words: int) -> Request:
    """The request for so many more words at the end of a subsection; papers not cited yet come first."""
    prompt = fill(
        "common/lengthen",
        topic=data(task.topic),
        title=data(material.node.title),
        description=data(material.node.description or material.node.title),
        text=data(text),
        papers=material.show(last=list_cited_keys(text)),
        words=str(words),
    )
    step = f"lengthen/{task.trial}/{material.node.title}"
    return Request("drafting", step, prompt, max(1_024, words * 3), task.temperature, task.top_p)


def most_words(words: int) -> int:
    """How many words a draft may have for which so many were asked."""
    return max(round(words * LONGEST_SHARE), words + SPARE_WORDS)


async def draft_subsection(
    model: LanguageModel,
    task: Assignment,
    material: Material,
    gathered: Sequence[Paper] = (),
    find: FindTitles | None = None,
) -> Draft:
    """The subsection, long enough, citing enough of its papers and only these, those ``gathered`` or found.

    Raises `LanguageModelError` where the answers stay too short or cite too few papers, or there is no paper.
    """
    if not material.papers:
        raise LanguageModelError("no paper was gathered for it")
    least, problem, requests = fewest_cited(task.words, len(material.papers)), "", list[Request]()
    for attempt in range(DRAFT_ATTEMPTS):
        requests.append(build_draft_request(task, material, attempt, problem))
        answer = await model.text(requests[-1])
        below = _DIVIDER.split(answer, maxsplit=1)[-1]
        prose = read_prose(below if below.strip() else answer, material.node.title)
        others = gathered
        if find and (unknown := read_citations(prose, material.papers, gathered).unknown):
            others = (*gathered, *await find(unknown))
        draft = settle_citations(Draft(material.node, material.papers, prose), others)
        words, cited = count_words(draft.text), len(set(list_cited_keys(draft.text)) - {UNKNOWN})
        is_last = attempt + 1 == DRAFT_ATTEMPTS
        if words < task.words * SHORTEST_SHARE:
            problem = f"it had {words} words of prose"
        elif cited < least:
            problem = f"it cited {cited} of the papers by their keys, not {least}"
        elif words > most_words(task.words) and not is_last:
            problem = f"it had {words} words; write {task.words} to {most_words(task.words)}"
        else:
            return hold_length(draft, task.words)
    for request in requests:
        await model.forget(request)
    raise LanguageModelError(f"the model's drafts stayed too short or cited too few papers: {problem}", retryable=True)


def join_drafts(draft: Draft, more: Draft) -> Draft:
    """One checked draft with another behind it."""
    return replace(
        draft,
        text=f"{draft.text}\n\n{more.text}",
        claims=(*draft.claims, *more.claims),
        warnings=(*draft.warnings, *more.warnings),
        tally=(draft.tally or ClaimTally()).plus(more.tally or ClaimTally()),
    )


def count_words(text: str) -> int:
    """The words of a text that people read: citations are none."""
    return len(remove_citations(text).split())


def hold_length(draft: Draft, words: int) -> Draft:
    """The draft for which so many words were asked; one that is far too long ends after a sentence, which is noted."""
    if count_words(draft.text) <= most_words(words):
        return draft
    lengths = accumulate(map(count_words, all_sentences(draft.text)))
    gone = {at: "" for at, length in enumerate(lengths, start=1) if length > most_words(words)}
    text = replace_sentences(draft.text, gone)
    said = f"cut from {count_words(draft.text):,} words to {count_words(text):,}"
    return replace(draft, text=text, warnings=(*draft.warnings, SurveyWarning("length", draft.node.title, said)))


def read_draft(answer: str, node: OutlineNode, papers: Sequence[Paper]) -> Draft:
    """A model's answer as a draft, its citations settled."""
    return settle_citations(Draft(node, tuple(papers), read_prose(answer, node.title)))


def settle_citations(draft: Draft, others: Sequence[Paper] = ()) -> Draft:
    """The draft with its citations read: one of its papers is `[@key]`, what is none is `UNKNOWN` and reported.

    One of the ``others`` that it cites becomes a paper of the draft; that is reported where it goes by another name.
    """
    read = read_citations(draft.text, draft.papers, others, keeps_unknown=True)
    title = draft.node.title
    own, cited = {paper.key for paper in draft.papers}, set(list_cited_keys(read.text))
    joined = tuple(paper for paper in others if paper.key in cited - own)
    named = {r.key: r.certainty for r in read.repairs if r.key not in r.said}
    details = [f"read as [@{r.key}] ({r.certainty:.0%}): {r.said}" for r in read.repairs if r.certainty < 1]
    details += [f"removed: {said}" for said in read.unknown]
    strange = [paper.key for paper in joined if paper.key in named]
    details += [f"[@{key}] was not shown for this part ({named[key]:.0%} alike)" for key in strange]
    warnings = (SurveyWarning("unknown citation", title, detail) for detail in details)
    return replace(draft, text=read.text, papers=(*draft.papers, *joined), warnings=(*draft.warnings, *warnings))


async def verify_citations(model: LanguageModel, draft: Draft, topic: str, gathered: Iterable[Paper]) -> Draft:
    """The draft of which every claim holds: kept, cited anew, reworded, or removed (`engine.checking.check`)."""
    task = CheckTask(draft.node.title, draft.text, draft.papers, topic, gathered=tuple(gathered))
    return with_check(draft, await check_section(model, task))


def mark_unchecked(draft: Draft) -> Draft:
    """The draft with claims that say they were not checked; those in which a program sees a fault are removed."""
    return with_check(draft, check_without_model(CheckTask(draft.node.title, draft.text, draft.papers)))


def with_check(draft: Draft, found: CheckedText) -> Draft:
    """The draft as its check left it."""
    warnings, tally = (*draft.warnings, *found.warnings), found.tally
    if tally and draft.tally and draft.tally.removed:  # what was removed when nobody could be asked stays counted
        tally = tally.plus(ClaimTally(claims=draft.tally.removed, removed=draft.tally.removed))
    return replace(draft, text=found.text, claims=found.claims, tally=tally, warnings=warnings)
