"""Notes: one call reads many papers for one subsection; what does not stand in its sentences is no note."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from engine.addresses import locate_words, number_sentences
from engine.llm.attempts import try_any
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import data, fill, paper_block, sentence_block
from engine.reading.trees.attribute_trees import AttributeTree
from engine.survey import MANNERS, How, Note
from engine.values import OutlineNode, Paper, PaperKey

READ_AT_ONCE = 7
"""Papers that one call reads: the calls of a subsection run side by side, and an answer is slower than a question."""

WORDS_PER_NOTE, FEWEST_NOTES = 60, 6
"""A text of so many words uses one note; a short one is chosen from a few all the same."""

NOTE_TOKENS = 120
"""Room for one note in an answer."""

_PARTS = ("task", "method", "shown", "limit")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


class NoteAnswer(TypedAnswer):
    """What a paper says to the subsection."""

    key: WrittenKey
    sentences: list[int]
    how: How
    how_at: int = 0
    task: PlainText
    method: PlainText
    shown: PlainText
    limit: PlainText


class NotesAnswer(TypedAnswer):
    """The notes of the papers that say most."""

    notes: list[NoteAnswer] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Question:
    """What notes are taken for: a part of a survey, and how long its text is to be."""

    topic: str
    number: str
    node: OutlineNode
    words: int

    @property
    def most(self) -> int:
        """How many papers are noted at most."""
        return max(FEWEST_NOTES, self.words // WORDS_PER_NOTE)


def divide_reading(papers: Sequence[Paper]) -> list[Sequence[Paper]]:
    """The papers in as few groups of about one size as can be read; the best are spread over all."""
    count = math.ceil(len(papers) / READ_AT_ONCE)
    return [papers[at::count] for at in range(count)]


def build_request(
    question: Question,
    papers: Sequence[Paper],
    groups: int,
    at: int,
    trees: Mapping[PaperKey, AttributeTree],
) -> Request:
    """The request for notes of one of so many groups of papers: a paper with a tree is shown by what that says."""
    most = math.ceil(question.most / groups)
    node = question.node
    prompt = fill(
        "notes/take",
        topic=data(question.topic),
        title=data(node.title),
        description=data(node.description or node.title),
        papers="\n".join(
            _show_by_tree(paper, trees[paper.key]) if paper.key in trees else paper_block([paper]) for paper in papers
        ),
        most=str(most),
    )
    step = f"notes/{question.number} {node.title}/{at}"
    return Request("extraction", step, prompt, NOTE_TOKENS * most + 256, 0.0)


async def take_notes(
    model: LanguageModel,
    question: Question,
    papers: Sequence[Paper],
    trees: Mapping[PaperKey, AttributeTree],
) -> tuple[Note, ...]:
    """Notes of the papers that say most to the question, in the papers' order; only those that are grounded.

    Papers whose call fails give none. Raises `LanguageModelError` or `LimitExceeded` where every call fails.
    """
    groups = divide_reading(papers)

    async def read(group: Sequence[Paper], at: int) -> list[Note]:
        answer = await model.answer_typed(build_request(question, group, len(groups), at, trees), NotesAnswer)
        grounded: list[Note] = []
        for said in answer.notes:
            numbers = tuple(dict.fromkeys(said.sentences))
            note = Note(said.key, numbers, said.how, said.task, said.method, said.shown, said.limit)
            grounded += [made] if (made := ground(note, group, said.how_at)) else []
        return grounded

    came, _ = await try_any(read(group, at) for at, group in enumerate(groups))
    order = {paper.key: at for at, paper in enumerate(papers)}
    return tuple(sorted((note for notes in came for note in notes), key=lambda note: order[note.key]))


def ground(note: Note, papers: Sequence[Paper], how_at: int = 0) -> Note | None:
    """The note with every sentence that it rests on: those it names, and the first that holds each other figure of it.

    A setting and its result often stand in different sentences of an abstract. How it was shown is kept where
    ``how_at`` is a sentence that says so, and a part with a figure where the paper has it. ``None`` where nothing is
    left, or it names a sentence that none of the papers has.
    """
    own = next((paper for paper in papers if paper.key == note.key), None)
    numbered = {said.number: _figures(said.text) for said in number_sentences(own)} if own else {}
    if not note.sentences or not set(note.sentences) <= numbered.keys():
        return None
    named = tuple(dict.fromkeys((*note.sentences, *({how_at} & numbered.keys()))))
    first = {figure: number for number in reversed(numbered) for figure in numbered[number]}
    parts = {name: text for name in _PARTS if _figures(text := getattr(note, name)) <= first.keys()}
    kept = replace(note, **{name: parts.get(name, "") for name in _PARTS})
    kept = replace(kept, how=note.how if how_at in numbered else "unclear")
    further = {first[f] for f in _figures(kept.text) if not any(f in numbered[number] for number in named)}
    return replace(kept, sentences=(*named, *sorted(further))) if kept.shown or kept.method else None


def _figures(text: str) -> set[str]:
    return set(_FIGURE.findall(text.replace("·", ".")))


def _show_by_tree(paper: Paper, tree: AttributeTree) -> str:
    """The paper with each value of its attribute tree as the note of the sentence that it was taken from."""
    found: dict[int, list[str]] = {}
    for _, value in tree.list_known():
        if at := locate_words(value.quote, paper):
            found.setdefault(at.number, []).append(value.text)
    made = (Note(paper.key, (at,), "unclear", "", "", "; ".join(dict.fromkeys(said)), "") for at, said in found.items())
    known = [note for one in made if (note := ground(one, (paper,)))]
    return show_sentences(paper, known, () if known else None)


def show_sentences(paper: Paper, notes: Sequence[Note] = (), numbers: Collection[int] | None = None) -> str:
    """A paper as quoted data: its notes, and its sentences with their addresses, all or the noted and numbered ones."""
    noted = {number for note in notes for number in note.sentences}
    whole = paper_block([paper]) if numbers is None else sentence_block(paper, noted.union(numbers))
    head, title, *lines = whole.split("\n")
    said = [f"({note.how}) {data(note.text)}" if note.how != "unclear" else data(note.text) for note in notes]
    return "\n".join((head, title, *said, *lines))


def group_notes(notes: Sequence[Note]) -> Mapping[PaperKey, list[Note]]:
    """The notes by paper, in their order."""
    found: dict[PaperKey, list[Note]] = {}
    for note in notes:
        found.setdefault(note.key, []).append(note)
    return found


def describe_matrix(notes: Mapping[str, Sequence[Note]], titles: Mapping[str, str]) -> str:
    """One line for each noted part by its number: its title, how many papers were noted, what showed their findings."""
    lines = [f"{n} {data(title)}: {count_manners(notes[n])}" for n, title in titles.items() if notes.get(n)]
    everything = [note for n in titles for note in notes.get(n, ())]
    return "\n".join([*lines, f"All parts together: {count_manners(everything)}"]) if lines else "(none)"


def count_manners(notes: Sequence[Note]) -> str:
    """How many papers the notes are of, and how many of them showed something by each means."""
    papers = {note.key for note in notes}
    shown: Counter[How] = Counter(how for _, how in {(note.key, note.how) for note in notes})
    by = "; ".join(f"{how}: {shown[how]}" for how in MANNERS if shown[how] and how != "unclear")
    return f"{len(papers)} {'paper' if len(papers) == 1 else 'papers'}" + (f" ({by})" if by else "")
