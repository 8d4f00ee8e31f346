"""How strongly papers name a topic: all its words, in the title, close together in a sentence, or scattered.

A word counts in any of its writings (hyphens, spellings, abbreviations, other forms that mean the same). Sentences that
only say where code or data are found do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.gathering.needed_words import (
    COMMON,
    OFTEN_THERE,
    RARE,
    TELLING_TITLES,
    Head,
    drop_usual_context,
    find_head,
    find_kept,
    find_main,
    find_needed,
    find_objects,
    find_subject,
    find_unsaid,
    is_machine_learning,
    is_usual_place,
)
from engine.gathering.topic_parts import read_parts
from engine.gathering.topic_texts import (
    Line,
    TextReader,
    TopicText,
    positions_in,
    read_forms,
    stand_in_row,
    stand_together,
)
from engine.retrieval.embedding import Embedder
from engine.retrieval.topic_words import (
    OF_ANY_METHOD,
    OF_ANY_PAPER,
    TopicWords,
    read_topic,
    remove_based,
)
from engine.text import STOP_WORDS, stem, terms, words
from engine.values import Paper


class Mention(IntEnum):
    """How a paper names a topic, the strongest way that it does."""

    PARTLY = 0
    """Some of its words or phrases are missing."""
    SCATTERED = 1
    """All its words, in different sentences."""
    ONCE = 2
    """All its words close together, in one sentence."""
    REPEATEDLY = 3
    """The same in several sentences."""
    IN_TITLE = 4


@dataclass(frozen=True, slots=True)
class Mentions:
    """For each paper its `Mention`, the share (0 to 1) of the topic in its title and in all of it, and its salience.

    ``salience`` is the number of sentences that have the word of the topic which has the fewest, the title being two.
    ``main_in_title`` says whether the title has all words but those of any method that go without saying;
    ``head_in_title`` whether it has all but other words that do, or the topic's head without its context (`Head`);
    ``rest_unsaid`` whether it has only the words that tell most, without the subject or what the head is for;
    ``method_unsaid`` whether it has all words needed but those of any method, of which there are some;
    ``verbatim`` whether it has all words needed, and the paper the parts of the topic word for word;
    ``key_in_title`` whether it has the rarest word needed and the subject, if that is needed;
    ``nearly_in_title`` whether it has all but one of three or more that often goes with the others, ``needed`` how many
    words a paper must have to name it, ``has_rare`` whether one of them is `RARE``; ``apart`` whether the
    paper has all of them, but of two that stand side by side in the topic nowhere one that describes the other.
    """

    levels: NDArray[np.int64]
    in_title: NDArray[np.float64]
    present: NDArray[np.float64]
    salience: NDArray[np.int64]
    main_in_title: NDArray[np.bool_]
    head_in_title: NDArray[np.bool_]
    rest_unsaid: NDArray[np.bool_]
    nearly_in_title: NDArray[np.bool_]
    method_unsaid: NDArray[np.bool_]
    key_in_title: NDArray[np.bool_]
    verbatim: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    needed: int
    has_rare: bool

    def nearly_named(self) -> NDArray[np.bool_]:
        """The papers that have all words needed, or in the title those that tell most."""
        in_title = self.head_in_title | self.rest_unsaid | self.nearly_in_title | self.method_unsaid
        return (self.levels >= Mention.SCATTERED) | in_title


PHRASE = 0.5
"""Two words are a phrase where this share of the papers that have both, if enough have, has them side by side."""

ABBREVIATIONS_FROM = 400
"""Papers, the best first, whose texts tell abbreviations and other forms of the topic's words."""

SAID_WITH_HEAD = 2
"""Sentences that must have each word of the means and the use where the title has what the topic is about: what is
said once beside other things is not how a paper does it."""

SAID_OF_IT = 3
"""Sentences that must have a word `OF_ANY_PAPER` that is not in the title for the paper to be about it."""

UNBOUNDED = 1_000
"""More places than a title has."""


Phrases = Mapping[tuple[int, int], bool]
"""Words that mean something only together → whether they must stand side by side, as a name (`_is_name`)."""


def measure_mentions(
    topic: str,
    rarities: NDArray[np.float64],
    implied: frozenset[int],
    papers: Sequence[Paper],
    embedder: Embedder,
    telling: int | None = None,
) -> Mentions:
    """How each paper names the topic; ``rarities`` (words,) weigh the words of `read_topic`, ``implied`` may miss.

    How the topic is said is told by the first papers, so many as ``telling``, or by all.
    """
    said = read_topic(topic := remove_based(topic))
    size = len(said.stems)
    if not size or not papers:
        nothing, never = np.zeros(len(papers)), np.zeros(len(papers), np.int64)
        no = never > 0
        return Mentions(never, nothing, nothing, never, no, no, no, no, no, no, no, no, 0, has_rare=False)
    best = papers[:telling][:ABBREVIATIONS_FROM]
    reader = TextReader(*read_forms(topic, said, best, embedder), find_objects(topic, said))
    everything = [reader.read(paper) for paper in papers]
    texts = everything[:telling]
    subject = find_subject(topic, said)
    needed = find_needed(said, rarities, implied, subject)
    needed = drop_usual_context(topic, said, needed, texts, rarities)
    # A modifier that may be missing makes no phrase ("large" language models); what it modifies may ("language model").
    # A rare compound says enough without a word that may be missing: a "multi-task" network learns several tasks.
    first = {j for j in needed if not (is_machine_learning(said.stems[j + 1 :]) and j + 1 not in needed)}
    whole_word = {j for j in first if "-" in said.stems[j] and rarities[j] >= COMMON}
    pairs = [(a, b) for a, b in _pairs(topic, said) if a in first and min(rarities[a], rarities[b]) < COMMON]
    pairs = [(a, b) for a, b in pairs if b in needed or a not in whole_word]
    names = {pair: True for pair in pairs if _is_name(pair, said, rarities, texts)}
    phrases = {pair: False for pair in pairs if _is_phrase(pair, texts)} | names
    of_any_paper = frozenset(j for j in needed if said.stems[j] in OF_ANY_PAPER)
    kept = of_any_paper | find_kept(topic, said, subject, rarities)
    main = find_main(needed, kept, texts, rarities)
    most_telling = find_main(needed, kept - {subject}, texts, rarities)
    special = frozenset(j for j in needed if said.stems[j] not in OF_ANY_METHOD)
    all_but_method = main | special
    nearly = needed.difference(find_unsaid(needed, texts, OFTEN_THERE)[:1]) if len(needed) > 2 else needed
    key = needed & {subject, max(find_objects(topic, said) & needed or needed, key=lambda j: rarities[j])}
    whole = find_head(topic, said, needed, implied, rarities)
    head = whole if is_usual_place(whole, needed, texts, rarities) else Head()
    alone = Head(whole.words, needed - whole.words)
    named = _Named(needed, phrases, 2 * size - 1, of_any_paper)
    beside = [pair for pair in _pairs(topic, said) if needed >= {*pair}]
    weights = rarities / rarities.sum()
    levels = np.array([named.level(text) for text in everything], np.int64)
    rows = _find_rows(topic, frozenset(said.stems[j] for j in needed))
    return Mentions(
        levels,
        np.array([weights[[*text.title.words]].sum() for text in everything]),
        np.array([weights[[*text.present]].sum() for text in everything]),
        np.array([named.salience(text) for text in everything], np.int64),
        np.array([all_but_method <= text.title.words and main < needed for text in everything]),
        np.array([main <= text.title.words or _has_head(text, head, phrases) for text in everything]),
        np.array([most_telling <= text.title.words or _has_head(text, alone, phrases) for text in everything]),
        np.array([nearly <= text.title.words and needed <= text.present for text in everything]),
        np.array([bool(special) and special < needed and special <= text.title.words for text in everything]),
        np.array([key <= text.title.words for text in everything]),
        np.array([needed <= t.title.words and _says(p, rows) for t, p in zip(everything, papers, strict=True)]),
        np.array([needed <= text.present and not all(map(text.joins, beside)) for text in everything]),
        len(needed),
        bool(any(rarities[j] >= RARE for j in needed)),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """What has to be there: words, phrases, in how many places of a sentence; ``of_any_paper`` often or in a title."""

    needed: frozenset[int]
    phrases: Phrases
    width: int
    of_any_paper: frozenset[int]

    def level(self, text: TopicText) -> Mention:
        """How a paper names it."""
        if not self.needed <= text.present or not self._is_said(text):
            return Mention.PARTLY
        if self._is_in(text.title, UNBOUNDED):
            return Mention.IN_TITLE
        for pair, name in self.phrases.items():
            if not any(_has_phrase(line, pair, is_name=name) for line in text.lines):
                return Mention.PARTLY
        times = sum(self._is_in(sentence, self.width) for sentence in text.sentences)
        return (Mention.SCATTERED, Mention.ONCE, Mention.REPEATEDLY)[min(times, 2)]

    def _is_said(self, text: TopicText) -> bool:
        title = text.title.words
        return all(word in title or text.count(word) >= SAID_OF_IT for word in self.of_any_paper)

    def salience(self, text: TopicText) -> int:
        """Sentences that have the word which has the fewest."""
        return min(map(text.count, self.needed))

    def _is_in(self, line: Line, width: int) -> bool:
        if not self.needed <= line.words:
            return False
        for start, (begin, _) in enumerate(line.hits):
            window = [hit for hit in line.hits[start:] if hit[0] - begin < width]
            if self.needed <= positions_in(window):
                return all(_has_phrase(line, pair, is_name=name) for pair, name in self.phrases.items())
        return False


def _has_head(text: TopicText, head: Head, phrases: Phrases) -> bool:
    own = [(pair, is_name) for pair, is_name in phrases.items() if head.words >= {*pair}]
    if not head.words or not head.words <= text.title.words:
        return False
    if any(text.count(word) < SAID_WITH_HEAD for word in head.rest):
        return False
    return all(_has_phrase(text.title, pair, is_name=is_name) for pair, is_name in own)


def _find_rows(topic: str, needed: frozenset[str]) -> list[list[str]]:
    """The stems of each part of the topic that has a word needed, hyphens divided; none where they are one word."""
    parts = read_parts(topic)
    rows = [terms(part.replace("-", " ")) for part in (parts.head, parts.place, parts.use, parts.means)]
    rows = [row for row in rows if needed.intersection((*row, "-".join(row)))]
    return rows if sum(map(len, rows)) > 1 else []


def _says(paper: Paper, rows: Sequence[Sequence[str]]) -> bool:
    """Whether a paper has every row of stems side by side; nothing says no rows."""
    begin = {word[:2] for row in rows for word in row}  # no other word's stem is one of these
    said = words(f"{paper.title}. {paper.content}".replace("-", " ")) if rows else []
    line = [stem(word) if word[:2] in begin else "" for word in said if word not in STOP_WORDS]
    return bool(rows) and all(any(line[i : i + len(row)] == row for i in range(len(line))) for row in rows)


def _pairs(topic: str, said: TopicWords) -> list[tuple[int, int]]:
    """Words of the topic that stand side by side."""
    place = {s: i for i, s in enumerate(said.stems)}
    plain = [None if word in STOP_WORDS else place.get(stem(word)) for word in words(topic)]
    return [(a, b) for a, b in pairwise(plain) if a is not None and b is not None and a != b]


def _is_name(
    pair: tuple[int, int], said: TopicWords, rarities: NDArray[np.float64], texts: Sequence[TopicText]
) -> bool:
    """Whether two common words mean something else side by side ("code search"): some papers have them so."""
    if any(rarities[j] >= COMMON or said.stems[j] in OF_ANY_METHOD | OF_ANY_PAPER for j in pair):
        return False
    beside = (any(stand_in_row(line, pair) for line in t.lines) for t in texts)
    return sum(beside) >= TELLING_TITLES


def _has_phrase(line: Line, pair: tuple[int, int], *, is_name: bool) -> bool:
    return stand_in_row(line, pair) if is_name else stand_together(line, pair, 2)


def _is_phrase(pair: tuple[int, int], texts: Sequence[TopicText]) -> bool:
    """Whether papers that have both words mostly have them side by side, in titles or anywhere."""
    for lines in ([(t.title,) for t in texts], [t.lines for t in texts]):
        both = [part for part in lines if {*pair} <= {j for line in part for j in line.words}]
        beside = sum(any(stand_together(line, pair, 1) for line in part) for part in both)
        if len(both) >= TELLING_TITLES and beside >= PHRASE * len(both):
            return True
    return False
