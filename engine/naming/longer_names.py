"""Names that capitals inside a word do not show: of several words (``PASCAL VOC``), or of one (``Cityscapes``).

Which they are is read from all papers together: words that stand side by side nearly always, and capitalised words
that are no words of the language and that papers call a data set.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.text import sentences
from engine.values import Paper
from engine.wordlists import read_wordlist

BOUND = 0.6
"""Share of a word's papers in which it stands beside the other, for the two to be one name."""

FEWEST_PAPERS = 2
ORDINARY = 0.1
"""Share of the papers with a capitalised word that may have it in lower case too, if it is a name."""

_PROPER = read_wordlist("naming/wordlists/proper_nouns.txt")
"""Languages, places, people and firms: capitalised, and names of no data set."""
_CAPITALISED = re.compile(r"[A-Z][\w+]*(?:-[\w+]+)*")
_TITLED = re.compile(r"[A-Z][a-z]{3,}")


@dataclass(frozen=True, slots=True)
class LongerNames:
    """Pairs of neighbouring words that are one name (in lower case), and capitalised words that are names."""

    pairs: Collection[tuple[str, str]]
    titled: Collection[str] = ()

    def join(self, sentence: str, tokens: Sequence[re.Match[str]]) -> Iterator[tuple[int, int, bool]]:
        """Where each token stands, those that belong to one name joined, and whether they were."""
        place = 0
        while place < len(tokens):
            last = place
            while last + 1 < len(tokens) and self._are_one(sentence, tokens[last], tokens[last + 1]):
                last += 1
            yield tokens[place].start(), tokens[last].end(), last > place
            place = last + 1

    def _are_one(self, sentence: str, one: re.Match[str], other: re.Match[str]) -> bool:
        side_by_side = sentence[one.end() : other.start()] in (" ", "/")
        return side_by_side and other[0][0].isupper() and (one[0].lower(), other[0].lower()) in self.pairs


def find_longer_names(
    papers: Sequence[Paper], is_name: Callable[[str], bool], calls_data: Callable[[str, str], bool]
) -> LongerNames:
    """Those of the papers' abstracts; ``calls_data`` tells of the words before and after a word whether they say so."""
    lower = Counter(word for paper in papers for word in set(re.findall(r"\b[a-z]{3,}\b", paper.content)))
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    data: Counter[str] = Counter()
    for paper in papers:
        found = _read(paper, is_name, calls_data)
        alone.update(found.words)
        together.update(found.pairs)
        data.update(found.data)
    joined = {
        pair
        for pair, count in together.items()
        if count >= FEWEST_PAPERS and count >= BOUND * min(alone[pair[0]], alone[pair[1]])
    }
    titled = {
        word
        for word, count in data.items()
        if count >= FEWEST_PAPERS and lower[word.lower()] <= ORDINARY * alone[word.lower()] and word not in _PROPER
    }
    return LongerNames(frozenset(joined), frozenset(titled))


@dataclass(slots=True)
class _Found:
    """What one paper's abstract has: capitalised words and pairs (in lower case), and words that it calls data."""

    words: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    data: set[str] = field(default_factory=set)


def _read(paper: Paper, is_name: Callable[[str], bool], calls_data: Callable[[str, str], bool]) -> _Found:
    found = _Found()
    for sentence in sentences(paper.content):
        tokens = [match for match in _CAPITALISED.finditer(sentence) if match.start()]
        found.words |= {token[0].lower() for token in tokens}
        for token in tokens:
            if _TITLED.fullmatch(token[0]) and calls_data(sentence[: token.start()], sentence[token.end() :]):
                found.data.add(token[0])
        for one, other in pairwise(tokens):
            between = sentence[one.end() : other.start()]
            # What a slash joins are two names, unless the first is no name by itself: CNN/DailyMail.
            if (between == " " or (between == "/" and not is_name(one[0]))) and (
                is_name(one[0]) or is_name(other[0]) or calls_data(sentence[: one.start()], sentence[other.end() :])
            ):
                found.pairs.add((one[0].lower(), other[0].lower()))
    return found
