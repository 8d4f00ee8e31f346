"""Headings for groups of papers: noun phrases of their titles and abstracts that are rare outside the group."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.naming.mentions import Wanted
from engine.naming.phrases import TOO_GENERAL, Formula, GroupedPhrases, american_stem, c_tf_idf, is_adjective, stems_of
from engine.text import to_title_case
from engine.values import Paper
from engine.wordlists import read_lines, read_wordlist

KNOWN_TOPIC = 2.0
"""How much more a phrase counts that is such a topic."""

TOPIC_TITLES = 3
"""Titles among the papers that are grouped which have to hold a phrase for it to count as a known topic."""

SINGLE_WORD = 0.25
"""How much a word alone counts beside a phrase of two."""

ATTRIBUTE = 0.4
"""How much a phrase counts that ends in what many things have, such as *resolution* or *data*."""

OUTSIDE_TITLES = 0.35
"""How much a phrase counts that too few titles of the group hold."""

SMALL_COVER = 0.3
"""Share of a group's papers under which one phrase alone does not name it."""

FEWEST_OF_TWO, SHARE_OF_TWO = 4, 0.15
"""Papers, and share of the group, that each of two topics joined in one heading needs."""

LEAST_COVER = 0.25
"""Share of a group's papers that have to say its heading, in the title or in one sentence, where any phrase has it."""

COVER_CANDIDATES = 60
"""Phrases, the best, of which it is counted how many papers say them."""

SHORTEST_BEGINNING = 6
"""Letters of a stem that is taken for the same as a longer one that begins with it."""

SET_APART = 1.5
"""How much more frequent a term is in a group than in the others for it to set the group apart."""

LEAST_SAYING, SHARE_SAYING = 2, 0.15
"""Papers of a group, and share of them, that say a term which sets the group apart."""

SMOOTHING = 0.05

MOST_TERMS = 8
MOST_CANDIDATES = 400

_NOT_BASED = {"based"}  # a base is not based on
_BASED = {american_stem("based")}
_EMPTY_STEMS = {american_stem(word) for word in TOO_GENERAL | read_wordlist("naming/wordlists/empty.txt") - _NOT_BASED}
_ATTRIBUTES = read_wordlist("naming/wordlists/attributes.txt")


@cache
def load_topics() -> dict[str, str]:
    """Phrases that many titles of a large library use as a whole, by their stems (see `wordlists/README.md`)."""
    return _read_topics("topics")


@cache
def _topics_of_common_words() -> dict[str, str]:
    return _read_topics("topics_of_common_words")


@cache
def _whole_fields() -> dict[str, str]:
    return _read_topics("whole_fields")


def _read_topics(name: str) -> dict[str, str]:
    topics = sorted(read_wordlist(f"naming/wordlists/{name}.txt"))
    return {stem_phrase(topic): topic for topic in topics}


@cache
def _same() -> dict[str, str]:
    """Stems of words that say the same in headings, each with the one that stands for all of them."""
    groups = [[american_stem(word) for word in line.split()] for line in read_lines("naming/wordlists/same.txt")]
    return {stem: group[0] for group in groups for stem in group}


def _with_same(stems: Collection[str]) -> set[str]:
    """The stems, and those of words that say the same."""
    heads = {_same()[stem] for stem in stems if stem in _same()}
    return {*stems, *(stem for stem, head in _same().items() if head in heads)}


def stem_phrase(phrase: str) -> str:
    """The stems of a phrase's words, in order: its key in what `load_topics` gives."""
    return " ".join(american_stem(word) for word in phrase.lower().split())


@dataclass(frozen=True, slots=True)
class Heading:
    """A phrase as a heading, and what a paper that says it has: the stems of the phrase without the topic's."""

    text: str
    wanted: Wanted
    phrase: str


@dataclass(frozen=True, slots=True)
class GroupName:
    """A heading for a group of papers, and its distinguishing terms, best first."""

    heading: str
    terms: tuple[str, ...]


def name_groups(
    groups: Sequence[Sequence[Paper]], topic: str, formula: Formula = "bounded", avoid: Collection[str] = ()
) -> list[GroupName]:
    """A name for each group that tells it from the others; the topic itself names nothing.

    No two groups get the same heading, and none one of those to ``avoid``. ``formula`` decides the order of the terms.
    """
    phrases = GroupedPhrases(groups)
    topical = _topical_stems(phrases, topic)
    terms = _terms(phrases, topical, formula)
    names: list[GroupName] = []
    taken = [_stems_joined(given) - topical for given in avoid]
    for row in range(len(phrases.groups)):
        chosen = _choose(phrases, row, topical, taken)
        taken += (_stems_joined(_form(phrases, phrase)) - topical for phrase in chosen)
        title = to_title_case(" and ".join(_form(phrases, phrase) for phrase in chosen)) if chosen else ""
        title = title or _fallback(terms[row], row, (*avoid, *(n.heading for n in names)))
        names.append(GroupName(title, terms[row]))
    return names


def rank_headings(phrases: GroupedPhrases, row: int, topic: str, avoid: Collection[str]) -> Iterator[Heading]:
    """Headings for one of the groups, the best first, none like one of those to ``avoid``.

    Each is a known topic, or has several words that stand in a title as they are.
    """
    topical = _topical_stems(phrases, topic)
    for phrase in _usable(phrases, row, topical, [_stems_joined(given) - topical for given in avoid]):
        if phrase in load_topics() or (" " in phrase and any(titles[phrase] for titles in phrases.titles)):
            yield Heading(to_title_case(_form(phrases, phrase)), _want(phrases, phrase, topical), phrase)


def _want(phrases: GroupedPhrases, phrase: str, topical: Collection[str]) -> Wanted:
    """What a paper has to have that says the phrase."""
    parts = phrases.parts[phrase]
    own = parts.difference(topical)
    own = own - _BASED or own  # what is video-based is on video
    form = phrases.form(phrase).lower().split()
    return Wanted(own, parts - own, telling=not own & stems_of(form[-1]) and is_adjective(form[0]))


def rank_terms(
    phrases: GroupedPhrases, topic: str, formula: Formula, *, telling: bool = False
) -> list[tuple[str, ...]]:
    """The terms that set each group apart, by c-TF-IDF, best first.

    A ``telling`` one is a known topic or, of several words, in a title, and papers enough of the group say it;
    a group may have none.
    """
    return _terms(phrases, _topical_stems(phrases, topic), formula, telling=telling)


def _fallback(terms: Sequence[str], row: int, used: Collection[str]) -> str:
    """The best term that no heading has yet, else a number."""
    free = (to_title_case(term) for term in terms if to_title_case(term) not in used)
    return next(free, f"Group {row + 1}")


def _topical_stems(phrases: GroupedPhrases, topic: str) -> set[str]:
    """Stems of the topic's words, and of the abbreviations and long forms of them that the papers use.

    Of words with a hyphen those without it too (*multiagent*), of words that say the same, of what does it (*parser*),
    of what has it (*private* where the topic is *privacy*).
    """
    stems = _with_same(stems_of(topic) | stems_of(topic.replace("-", "")))
    stems |= {stem.removesuffix("ci") + "t" for stem in stems if stem.endswith("aci")}
    stems |= {stem + ending for stem in stems for ending in ("er", "or")}
    for short, long in phrases.long_forms.items():
        if stems_of(long) <= stems:
            stems |= {american_stem(short.lower()), american_stem(f"{short}s".lower())}
        elif short.casefold() in topic.casefold().split():
            stems |= stems_of(long)
    return stems


def _form(phrases: GroupedPhrases, phrase: str) -> str:
    topic = load_topics().get(phrase)
    return phrases.with_capitals(topic) if topic else phrases.form(phrase)


def _choose(phrases: GroupedPhrases, row: int, topical: set[str], taken: Sequence[set[str]]) -> list[str]:
    """The best phrase for a group; with a second topic where the first names too few of its papers."""
    usable = _usable(phrases, row, topical, taken)
    if not usable:
        return []
    size = len(phrases.groups[row])
    names = (p for p in usable[:COVER_CANDIDATES] if _names(phrases, row, p, topical))
    if (first := next(names, None)) is not None:
        usable = [first, *(phrase for phrase in usable if phrase != first)]
    first = usable[0]
    if phrases.papers[row][first] >= SMALL_COVER * size or size < 6:
        return [first]
    return [first, *_second(phrases, row, usable, topical)]


def _usable(phrases: GroupedPhrases, row: int, topical: set[str], taken: Sequence[set[str]]) -> list[str]:
    """Phrases of a group that read as a heading and say something new, the best first."""
    scores = _scores(phrases, row, topical)
    ranked = sorted(scores, key=lambda phrase: (-scores[phrase], phrase))[:MOST_CANDIDATES]
    readable = {p: scores[p] for p in ranked if _is_readable(phrases, p)}
    return [
        phrase
        for phrase in readable
        if not phrases.is_part_of_longer(phrase, row, readable) and _is_new(phrases, phrase, topical, taken)
    ]


def _names(phrases: GroupedPhrases, row: int, phrase: str, topical: set[str]) -> bool:
    """Whether titles of the group hold the phrase, and papers enough say it; a word alone has to be a known topic."""
    group = phrases.groups[row]
    if phrases.titles[row][phrase] < min(2, len(group) // 6 + 1) or (" " not in phrase and phrase not in load_topics()):
        return False
    said = phrases.mentions(_want(phrases, phrase, topical), group)
    return sum(level > 0 for level in said) >= LEAST_COVER * len(group)


def _second(phrases: GroupedPhrases, row: int, usable: Sequence[str], topical: set[str]) -> Iterator[str]:
    """A topic that shares no word with the first and is nearly as frequent."""
    first = usable[0]
    own = stems_of(_form(phrases, first))
    for phrase in usable[1:8]:
        other = stems_of(_form(phrases, phrase))
        least = max(FEWEST_OF_TWO, SHARE_OF_TWO * len(phrases.groups[row]))
        frequent = min(phrases.papers[row][phrase], phrases.papers[row][first]) >= least
        if phrase in load_topics() and first in load_topics() and frequent and not own & other:
            yield phrase
            return


def _scores(phrases: GroupedPhrases, row: int, topical: set[str]) -> dict[str, float]:
    """Papers and titles that hold a phrase, times how much rarer it is outside the group (log ratio of shares)."""
    size = len(phrases.groups[row])
    outside = max(1, sum(map(len, phrases.groups)) - size)
    least = 2 if size >= 6 else 1
    scores: dict[str, float] = {}
    for phrase, count in phrases.papers[row].items():
        said = phrases.parts[phrase] - topical
        if count < least or not said or (said <= _EMPTY_STEMS and not _names_something(phrase)):
            continue
        share = count / size + SMOOTHING
        lift = float(np.log(share / ((phrases.everywhere[phrase] - count) / outside + SMOOTHING)))
        if len(phrases.groups) == 1:
            lift = 1.0
        if lift <= 0:
            continue
        titles = phrases.titles[row][phrase]
        score = (count + 2 * titles) * lift * (KNOWN_TOPIC if _is_topic(phrases, phrase) else 1.0)
        score *= SINGLE_WORD if " " not in phrase else 1.0
        score *= ATTRIBUTE if phrases.form(phrase).split()[-1].lower() in _ATTRIBUTES else 1.0
        scores[phrase] = score * (1.0 if titles >= min(2, size // 6 + 1) else OUTSIDE_TITLES)
    return scores


def _names_something(phrase: str) -> bool:
    """Whether a phrase of common words is, or holds with a hyphen, one that names something: *document-level*."""
    named = _topics_of_common_words()
    return phrase in named or any("-" in word and word in named for word in phrase.split())


def _is_topic(phrases: GroupedPhrases, phrase: str) -> bool:
    """Whether papers are about it: titles of a large library name it, or several titles of these papers do."""
    return phrase in load_topics() or sum(titles[phrase] for titles in phrases.titles) >= TOPIC_TITLES


def _is_readable(phrases: GroupedPhrases, phrase: str) -> bool:
    if phrase in load_topics():
        return True
    return phrase not in _whole_fields() and phrases.ends_well(phrase) and phrases.is_noun_phrase(phrase)


def _is_new(phrases: GroupedPhrases, phrase: str, topical: set[str], taken: Sequence[set[str]]) -> bool:
    """Whether the phrase says something that no heading before it says."""
    form = _form(phrases, phrase)
    if stems_of(form.replace("-", "")) <= topical:  # “multi-modal” where the topic is “multimodal”
        return False
    said = stems_of(form) - topical
    return all(_count_shared(said, _with_same(other)) <= 0.5 * min(len(said), len(other)) for other in taken if other)


def _stems_joined(heading: str) -> set[str]:
    """The stems of a heading's words, and of those with a hyphen as one: *multi-modal* is *multimodal*."""
    return stems_of(heading) | stems_of(heading.replace("-", ""))


def _count_shared(stems: Collection[str], others: Collection[str]) -> int:
    """How many of the stems are among the others, as they are or as the beginning of one: *detect* of *detector*."""
    return sum(any(one == other or _begins(one, other) or _begins(other, one) for other in others) for one in stems)


def _begins(short: str, long: str) -> bool:
    return len(short) >= SHORTEST_BEGINNING and long.startswith(short)


def _terms(
    phrases: GroupedPhrases, topical: set[str], formula: Formula, *, telling: bool = False
) -> list[tuple[str, ...]]:
    """The terms that set each group apart, by c-TF-IDF, best first; no part of another among them.

    A term of a group is at least half as frequent again there as in the other groups together, if there is any such.
    ``telling`` ones are so always, and are said by papers enough.
    """
    vocabulary = sorted(phrase for phrase, count in phrases.everywhere.items() if count > 1 or len(phrases.groups) < 2)
    if not vocabulary:
        return [() for _ in phrases.groups]
    frequencies = np.array([[found[phrase] for phrase in vocabulary] for found in phrases.papers], float)
    counted = phrases.occurrences if formula == "published" else phrases.papers
    terms = np.array([[found[phrase] for phrase in vocabulary] for found in counted], float)
    weights = c_tf_idf(terms, formula) * np.array(
        [(1.0 + 0.75 * phrase.count(" ")) * (KNOWN_TOPIC if phrase in load_topics() else 1.0) for phrase in vocabulary]
    )
    sizes = np.array([max(1, len(group)) for group in phrases.groups], float)
    elsewhere = (frequencies.sum(axis=0) - frequencies) / np.maximum(1, sizes.sum() - sizes)[:, None]
    apart = frequencies / sizes[:, None] >= SET_APART * elsewhere
    if telling:
        apart &= frequencies >= np.maximum(LEAST_SAYING, SHARE_SAYING * sizes)[:, None]
        weights = np.where(apart, weights, 0.0)
    result = []
    for row, rare in zip(weights, apart, strict=True):
        order = [int(i) for i in np.argsort(-row, kind="stable")[:MOST_CANDIDATES] if row[i] > 0]
        ranked = [vocabulary[i] for i in order if rare[i]] or [vocabulary[i] for i in order]
        result.append(tuple(_form(phrases, phrase) for phrase in _distinct(phrases, ranked, topical, titled=telling)))
    return result


def _distinct(phrases: GroupedPhrases, ranked: Sequence[str], topical: set[str], *, titled: bool) -> list[str]:
    """The first phrases that read and say something, no part of another among them."""
    chosen: list[str] = []
    for phrase in ranked:
        if phrases.parts[phrase] <= topical | _EMPTY_STEMS or not _is_readable(phrases, phrase):
            continue
        if titled and phrase not in load_topics() and not (" " in phrase and any(t[phrase] for t in phrases.titles)):
            continue  # a piece of a sentence, “large language models tend”, or a bare word, “mapping”
        if not any(f" {phrase} " in f" {other} " or f" {other} " in f" {phrase} " for other in chosen):
            chosen.append(phrase)
        if len(chosen) == MOST_TERMS:
            break
    return chosen
