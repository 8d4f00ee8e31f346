"""Where a topic's words stand in the titles and sentences of papers, in any of their writings and forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.gathering.synonyms import find_synonyms
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis
from engine.retrieval.topic_words import TopicWords, Writing, with_abbreviations
from engine.text import STOP_WORDS, says_where, stem, words
from engine.values import Paper

SAME_MEANING = 0.6
"""Least cosine of two forms of a word ("explain", "explanation") that begin alike, for them to mean the same."""

DOES_IT = 0.3
"""The same for what does the thing: "detection" and "detector", "classification" and "classifier"."""

_AGENT = re.compile(r"(?:or|er|i)$")

_DERIVED = re.compile(r"(?:al|ic|ist|ity|ive|ment|ness|or|er|i)$")
LEAST_FITTED = 1_000
"""An embedding fitted on fewer papers does not tell which words mean the same; then what only ends otherwise does:
"quadruped" and "quadrupedal"."""

_PARTING = frozenset({"to", "from", "with", "by", "via", "using", "without"})
"""Words that tell apart what stands before and after them: "dance generation to music" is no generation of music."""

_TASKS = words(
    "classification detection segmentation recognition generation prediction translation answering retrieval "
    "summarisation summarization estimation tracking forecasting captioning parsing inference completion clustering "
    "imputation reconstruction localisation localization navigation manipulation locomotion editing synthesis "
    "restoration denoising reidentification re-identification extraction matching grounding reasoning recommendation "
    "ranking planning control"
)
_TASK = f"({'|'.join(_TASKS)})"
_JOINED_TASKS = re.compile(rf"\b{_TASK}(?: tasks?)?(?:, and|, or|,| and| or) (?:[\w-]+ ){{0,3}}?{_TASK}\b", re.I)
_WORKS_ON = re.compile(
    r"\b(?:experiment|evaluat|results?\b|outperform|demonstrat|achiev|state-of-the-art|validat|effectiv|tasks?\b|"
    r"applications?\b|benchmark|such as|including\b)",
    re.I,
)
"""A paper that works on one task and other tasks is about none of them because it lists it."""

_WHOLE = frozenset(
    {"low-rank", "full-rank", "high-rank", "rank-one", "rank-1", "real-world", "real-time", "fine-tuning"}
)
"""Hyphenated words that mean another thing than their parts: a "low-rank" matrix ranks nothing."""

PART = 4
"""Letters that a word has in common with its stem, or all but one of a shorter stem: *flies* and *fli*."""

DESCRIBED_BEHIND, DESCRIBED_BEFORE = 2, 3
"""Places within which a word stands behind the one that describes it, or before it ("anomalies in large graphs")."""

_SENTENCE_END = re.compile(r"[.!?](\s+)(?=[A-Z\[(\"'])")
_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]|[^\W\d_]\d*")

_OWN_WORK = re.compile(
    r"(?:(?:^|[:?!]\s)\W*|\b(?:we|paper|work|study|article)\s)(?:explor|examin|investigat)(?:es?|ing)\b", re.I
)
"""What any paper does: "Exploring Deep Models" and "we explore" are about no exploration."""

_OWN_WORDS = ("explor", "examin", "investigat")
"""One of them stands wherever `_OWN_WORK` does: to look for them first takes a tenth of the time."""

_STEERED = re.compile(r"-(?:guided|driven|conditioned|prompted|steered|controlled|aided)$")
"""What something is steered by is not what it is done to: "text-guided" image editing edits no text."""

_JOINED_ABBREVIATION = re.compile(r"[A-Z](?<=[a-z].)[A-Z]{2,}\b")
"""The end of a name that may be an abbreviation of the topic: "TextVQA"."""

Hit = tuple[int, frozenset[int]]
"""The place of a word in its sentence, stop words not counted, and the topic's words that it stands for."""


@dataclass(frozen=True, slots=True)
class Line:
    """A title or a sentence: its hits, and the topic's words that it has."""

    hits: tuple[Hit, ...] = ()
    words: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class TopicText:
    """One paper: its title, each sentence that has any hits, and the topic's words that are ``present`` at all."""

    title: Line
    sentences: tuple[Line, ...]
    present: frozenset[int]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The title and the sentences."""
        return (self.title, *self.sentences)

    def count(self, word: int) -> int:
        """Sentences that have a word, the title being two."""
        return 2 * (word in self.title.words) + sum(word in line.words for line in self.sentences)

    def joins(self, pair: tuple[int, int]) -> bool:
        """Whether the first word describes the second somewhere ("graph anomalies", "anomalies in large graphs")."""
        return any(_describes(line, pair) for line in self.lines)


def positions_in(hits: Sequence[Hit]) -> frozenset[int]:
    """The topic's words among some hits."""
    return frozenset[int]().union(*(positions for _, positions in hits))


class _Positions(dict[str, frozenset[int] | None]):
    """What was found for each word, looked up once."""

    def __init__(self, look_up: Callable[[str], frozenset[int] | None]) -> None:
        self._look_up = look_up

    def __missing__(self, word: str) -> frozenset[int] | None:
        self[word] = found = self._look_up(word)
        return found


class TextReader:
    """Finds the topic's words in texts: by stems that stand for them, and by stems that stand for them in a row."""

    def __init__(
        self, forms: Mapping[str, frozenset[int]], rows: Sequence[Writing], objects: frozenset[int] = frozenset()
    ) -> None:
        """``objects`` are the topic's words to which something is done (`_STEERED`)."""
        self._forms = forms
        self._rows = rows
        self._objects = objects
        self._beginnings = frozenset(form[:2] for form in (*forms, *(s for row in rows for s in row.stems)))
        self._in_rows = frozenset(s for row in rows for s in row.stems)
        self._parts = {form[: max(2, min(PART, len(form) - 1))] for form in (*forms, *self._in_rows)}
        self._positions = _Positions(self._look_up)
        self._stems: dict[str, str] = {}
        self._of_rows: set[str] = set()

    def read(self, paper: Paper) -> TopicText:
        """Where the topic's words stand in a paper."""
        found = ((sentence, self._read_line(sentence)) for sentence in _split_sentences(paper.content))
        telling = tuple(line for s, line in found if line.hits and not says_where(s) and not self._lists(s))
        title = self._read_line(paper.title)
        return TopicText(title, telling, title.words.union(*(line.words for line in telling)))

    def _lists(self, sentence: str) -> bool:
        """Whether a sentence lists tasks, of the topic and others, on which something works."""
        lower = sentence.lower()
        if sum(map(lower.count, _TASKS)) < 2:  # so most sentences need no expression
            return False
        joined = _JOINED_TASKS.search(sentence)
        if not joined or not _WORKS_ON.search(sentence):
            return False
        return not all(self._positions[task.lower()] for task in joined.groups())

    def _read_line(self, sentence: str) -> Line:
        lower = sentence.lower()
        if not any(part in lower for part in self._parts):  # half of the sentences, at a tenth of the time
            return Line()
        spaced = _OWN_WORK.sub(" ", sentence) if any(word in lower for word in _OWN_WORDS) else sentence
        words_there = _WORD.findall(_JOINED_ABBREVIATION.sub(self._part_abbreviation, spaced).lower())
        positions_there = [*map(self._positions.__getitem__, words_there)]
        if not any(positions_there) and self._of_rows.isdisjoint(words_there):  # as in most sentences
            return Line()
        found: dict[int, frozenset[int]] = {}
        place = 0
        for word, positions in zip(words_there, positions_there, strict=True):
            if positions:
                found[place] = positions
            place += 1 if positions is not None else 2 * (word in _PARTING)
        if sum(map(self._of_rows.__contains__, words_there)) > 1:
            self._find_rows(words_there, positions_there, found)
        return Line(tuple(sorted(found.items())), frozenset[int]().union(*found.values()))

    def _find_rows(
        self,
        words_there: Sequence[str],
        positions_there: Sequence[frozenset[int] | None],
        found: dict[int, frozenset[int]],
    ) -> None:
        """Enter into ``found`` (place → the topic's words there) what words in a row stand for."""
        stems: list[str] = []
        for word, positions in zip(words_there, positions_there, strict=True):
            if positions is not None:
                stems.append(self._stems[word])
            elif word in _PARTING:
                stems += ["", ""]
        for row in (row for row in self._rows if row.stems[0] in stems):
            for start in range(len(stems) - len(row.stems) + 1):
                if tuple(stems[start : start + len(row.stems)]) == row.stems:
                    for place in range(start, start + len(row.stems)):
                        found[place] = found.get(place, frozenset()).union(row.positions)

    def _part_abbreviation(self, joined: re.Match[str]) -> str:
        return f" {joined[0]}" if stem(joined[0].lower()) in self._forms else joined[0]

    def _look_up(self, word: str) -> frozenset[int] | None:
        """The topic's words for which a word stands; ``None`` for a stop word."""
        found: frozenset[int] | None = None
        if word not in STOP_WORDS:
            result = word.rpartition("-to-")[2]  # a text-to-image model makes images
            own = result.split("-") if "-" in word and word not in _WHOLE else ()
            parts = [word, *(part for part in own if part not in STOP_WORDS)]
            likely = [stem(part) for part in parts if part[:2] in self._beginnings]  # no stem begins otherwise
            found = frozenset[int]().union(*(self._forms.get(part, frozenset()) for part in likely))
            if _STEERED.search(word):
                found = found - self._objects | self._forms.get(stem(word), frozenset())
            self._stems[word] = stem(word) if word[:2] in self._beginnings else ""
            if self._stems[word] in self._in_rows:
                self._of_rows.add(word)
        return found


def read_forms(
    text: str, said: TopicWords, papers: Sequence[Paper], embedder: Embedder
) -> tuple[dict[str, frozenset[int]], list[Writing]]:
    """Stem → the topic's words for which it stands, and the writings of several words."""
    topic = with_abbreviations(said, [paper.content for paper in papers])
    writings = (*topic.writings, *find_synonyms(text, said))
    forms: dict[str, set[int]] = {s: {i} for i, s in enumerate(topic.stems)}
    for writing in writings:
        if len(writing.stems) == 1:
            forms.setdefault(writing.stems[0], set()).update(writing.positions)
    is_telling = not isinstance(embedder, LatentSemanticAnalysis) or embedder.fitted_on >= LEAST_FITTED
    words_there = {word for paper in papers for word in _WORD.findall(f"{paper.title} {paper.content}".lower())}
    for position, own in enumerate(topic.stems):
        begin = own[: max(4, len(own) - 3)]
        plain = {stem(word): word for word in words_there if word.startswith(begin) and "-" not in word}
        alike = [s for s in plain if s not in forms] if len(own) >= 4 else []
        if not alike:
            continue
        vectors = embedder.embed([plain.get(own, own), *(plain[s] for s in alike)])
        for other, cosine in zip(alike, vectors[1:] @ vectors[0], strict=True):
            is_derived = not is_telling and _DERIVED.sub("", other) == _DERIVED.sub("", own)
            if is_derived or cosine >= (DOES_IT if _AGENT.sub("", other) == _AGENT.sub("", own) else SAME_MEANING):
                forms.setdefault(other, set()).add(position)
    if "deep" in forms:
        forms.setdefault("neural", set()).update(forms["deep"])
    return {form: frozenset(positions) for form, positions in forms.items()}, [w for w in writings if len(w.stems) > 1]


def stand_together(line: Line, pair: tuple[int, int], most: int) -> bool:
    """Whether a line has the pair as one word, or in order at most so many places apart, or turned side by side."""
    if not line.words.issuperset(pair):
        return False
    first = [place for place, positions in line.hits if pair[0] in positions]
    second = [place for place, positions in line.hits if pair[1] in positions]
    return any(0 <= b - a <= most or b - a == -1 for a in first for b in second)


def _describes(line: Line, pair: tuple[int, int]) -> bool:
    if not line.words.issuperset(pair):
        return False
    first = [place for place, positions in line.hits if pair[0] in positions]
    second = [place for place, positions in line.hits if pair[1] in positions]
    return any(-DESCRIBED_BEFORE <= b - a <= DESCRIBED_BEHIND for a in first for b in second)


def stand_in_row(line: Line, pair: tuple[int, int]) -> bool:
    """Whether a line has the pair as one word, or side by side in order."""
    if not line.words.issuperset(pair):
        return False
    places = [place for place, positions in line.hits if pair[0] in positions]
    return any(pair[1] in positions and (place in places or place - 1 in places) for place, positions in line.hits)


def _split_sentences(text: str) -> Iterator[str]:
    begin = 0
    for end in _SENTENCE_END.finditer(text):
        yield text[begin : end.start(1)]
        begin = end.end()
    yield text[begin:]
