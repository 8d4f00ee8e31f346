"""Where a topic's words stand in the titles and sentences of papers, in any of their writings and forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.gathering.synonyms import find_synonyms
from engine.retrieval.embedding import Embedder, LatentSemanticAnalysis
from engine.retrieval.topic_words import TopicWords, Writing, with_abbreviations
from engine.text import STOP_WORDS, says_where, stem
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

_TASK = (
    r"(classification|detection|segmentation|recognition|generation|prediction|translation|answering|retrieval|"
    r"summari[sz]ation|estimation|tracking|forecasting|captioning|parsing|inference|completion|clustering|imputation|"
    r"reconstruction|locali[sz]ation|navigation|manipulation|locomotion|editing|synthesis|restoration|denoising|"
    r"re-?identification|extraction|matching|grounding|reasoning|recommendation|ranking|planning|control)"
)
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

DESCRIBED_BEHIND, DESCRIBED_BEFORE = 2, 3
"""Places within which a word stands behind the one that describes it, or before it ("anomalies in large graphs")."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\[(\"'])")
_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]|[^\W\d_]\d*")

_OWN_WORK = re.compile(
    r"(?:(?:^|[:?!]\s)\W*|\b(?:we|paper|work|study|article)\s)(?:explor|examin|investigat)(?:es?|ing)\b", re.I
)
"""What any paper does: "Exploring Deep Models" and "we explore" are about no exploration."""

_STEERED = re.compile(r"-(?:guided|driven|conditioned|prompted|steered|controlled|aided)$")
"""What something is steered by is not what it is done to: "text-guided" image editing edits no text."""

_JOINED_ABBREVIATION = re.compile(r"(?<=[a-z])[A-Z]{3,}\b")
"""The end of a name that may be an abbreviation of the topic: "TextVQA"."""

Hit = tuple[int, frozenset[int]]
"""The place of a word in its sentence, stop words not counted, and the topic's words that it stands for."""


@dataclass(frozen=True, slots=True)
class TopicText:
    """One paper: the hits of its title and of each sentence that has any."""

    title: tuple[Hit, ...]
    sentences: tuple[tuple[Hit, ...], ...]

    def present(self) -> frozenset[int]:
        """The topic's words that the paper has at all."""
        return frozenset[int]().union(positions_in(self.title), *map(positions_in, self.sentences))

    def count(self, word: int) -> int:
        """Sentences that have a word, the title being two."""
        return 2 * (word in positions_in(self.title)) + sum(word in positions_in(line) for line in self.sentences)

    def joins(self, pair: tuple[int, int]) -> bool:
        """Whether the first word describes the second somewhere ("graph anomalies", "anomalies in large graphs")."""
        return any(_describes(line, pair) for line in (self.title, *self.sentences))


def positions_in(line: tuple[Hit, ...]) -> frozenset[int]:
    return frozenset[int]().union(*(positions for _, positions in line))


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
        self._known: dict[str, frozenset[int] | None] = {}
        self._stems: dict[str, str] = {}

    def read(self, paper: Paper) -> TopicText:
        found = ((sentence, self._hits(sentence)) for sentence in _SENTENCE_END.split(paper.content))
        telling = (hits for s, hits in found if hits and not says_where(s) and not self._lists(s))
        return TopicText(self._hits(paper.title), tuple(telling))

    def _lists(self, sentence: str) -> bool:
        """Whether a sentence lists tasks, of the topic and others, on which something works."""
        joined = _JOINED_TASKS.search(sentence)
        if not joined or not _WORKS_ON.search(sentence):
            return False
        return not all(self._look_up(task.lower()) for task in joined.groups())

    def _hits(self, sentence: str) -> tuple[Hit, ...]:
        telling = []
        found = []
        spaced = _JOINED_ABBREVIATION.sub(self._part_abbreviation, _OWN_WORK.sub(" ", sentence))
        for word in _WORD.findall(spaced.lower()):
            positions = self._known[word] if word in self._known else self._look_up(word)
            if positions is not None:
                telling.append(word)
                found.append(positions)
            elif word in _PARTING:
                telling += ["", ""]
                found += [frozenset(), frozenset()]
        for row in self._rows:
            stems = [self._stems.get(word, "") for word in telling]
            for start in range(len(stems) - len(row.stems) + 1):
                if tuple(stems[start : start + len(row.stems)]) == row.stems:
                    for place in range(start, start + len(row.stems)):
                        found[place] |= frozenset(row.positions)
        return tuple((place, positions) for place, positions in enumerate(found) if positions)

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
        self._known[word] = found
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


def stand_together(line: tuple[Hit, ...], pair: tuple[int, int], most: int) -> bool:
    """Whether a line has the pair as one word, or in order at most so many places apart, or turned side by side."""
    first = [place for place, positions in line if pair[0] in positions]
    second = [place for place, positions in line if pair[1] in positions]
    return any(0 <= b - a <= most or b - a == -1 for a in first for b in second)


def _describes(line: tuple[Hit, ...], pair: tuple[int, int]) -> bool:
    first = [place for place, positions in line if pair[0] in positions]
    second = [place for place, positions in line if pair[1] in positions]
    return any(-DESCRIBED_BEFORE <= b - a <= DESCRIBED_BEHIND for a in first for b in second)


def stand_in_row(line: tuple[Hit, ...], pair: tuple[int, int]) -> bool:
    """Whether a line has the pair as one word, or side by side in order."""
    places = [place for place, positions in line if pair[0] in positions]
    return any(pair[1] in positions and (place in places or place - 1 in places) for place, positions in line)
