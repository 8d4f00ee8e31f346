"""Whether a claim turns round what its source says: a direction, a negation, a hedge, two sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from engine.checking.directions import find_turned_directions
from engine.checking.hedges import CONCEDED, find_dropped_hedges, retells
from engine.checking.lexicon import COMPARATOR, HEDGE, NEGATION, OPPOSITES, TEXTS_KEPT, split_terms
from engine.checking.negations import (
    NEAR_COPY,
    NOT_ONLY,
    UNLIMITED,
    find_negated,
    find_negated_beside,
    list_ahead,
    remove_losses,
    spell_out,
)
from engine.checking.word_starts import WordIndex
from engine.text import STOP_WORDS, terms, words

SAME = 0.9
"""Share of terms that a claim and a sentence have in common, of either, when they can differ in a "not" alone."""

ALIKE = 0.5
"""Share of a claim's terms in the sentence whose comparison it may have turned round."""

_OPPOSITES = WordIndex.of((one, (one, other)) for one, other in OPPOSITES)
_TURN = re.compile(r";|,?\s(?:but|while|whereas|although|though)\s", re.I)
_MORE_THAN = re.compile(
    r"\b(?:more|less|fewer|greater|higher|lower|better|worse|larger|smaller|faster|slower|"
    r"stronger|weaker|cheaper|easier|harder|shorter|longer|simpler)\b"
    r"[^.;]{0,60}?\b(?:than|(?:as )?compared (?:to|with)|relative to)\b",
    re.I,
)

_COMPARISON = re.compile(
    r"\b(?P<word>(?:more|less) [\w-]+|[a-z]{3,}er|better|worse) than\s+(?P<than>(?:(?!and\b|but\b|while\b)[^,;.])+)",
    re.I,
)

_CHANGE = re.compile(
    r"\b(?:mak|turn|chang|convert|transform|mov|shift|reduc|transfer|translat|map|switch)\w*\s(?:from\s)?"
    r"(?:the\s)?(?P<start>\S+(?:\s\S+)?)\s(?:into|to)\s(?:the\s|an?\s)?(?P<end>\S+(?:\s\S+)?)|"
    r"(?P<turned>\S+(?:\s\S+)?)\s(?:(?:is|are|was|were)\s)?(?:\w+ly\s)?(?:turn|chang|convert|transform|translat)\w*"
    r"\s(?:into|to)\s(?:the\s|an?\s)?(?P<into>\S+(?:\s\S+)?)",
    re.I,
)
_INTO = re.compile(r"\s(?:into|to)\s", re.I)  # in every sentence that tells of such a change

_LEFT_OUT = re.compile(
    r"(?:^|[,;]\s)(?:\w+,\s)?([^,;.]*?)\b(?:can|could|may|need not)\s(?:therefore\s|thus\s|also\s)?(?:be\s)?"
    r"(?:neglected|omitted|ignored|avoided|skipped|dropped|discarded|dispensed with)\b",
    re.I,
)

_UNLIKE = re.compile(r"\b(?:unlike|in contrast to|as opposed to)\b", re.I)
_OF_OTHERS = re.compile(r"\b(?:existing|previous|prior|earlier|traditional|conventional|classical|most|other)\b", re.I)

Turn = tuple[Literal["polarity", "hedge", "order"], str]
"""What kind of turn it is, and the claim's words."""

_CONTRAST = re.compile(
    r"\b(?:unlike|in contrast to|instead of|rather than|as opposed to|not(?! only))\b([^,;.]*)", re.I
)
_WITHOUT = re.compile(
    rf"{NEGATION.pattern}|\b(?:avoid\w*|eliminat\w*|dispens\w*|free|instead|rather|unlike|obviat\w*|bypass\w*|lack\w*|"
    r"place of|fail\w*|remov\w*|little|hardly|barely|few|previous\w*|prior|earlier|existing|other|others|conventional|"
    r"traditional|contrast|oppos\w*|zero|skip\w*|replac\w*|spar(?:e[sd]?|ing)|un\w+|non\w+|"
    r"in\w+able|difficult\w*|hard|challeng\w*|"
    r"neglect\w*|ignor\w*|overlook\w*|omit\w*|miss\w*|forget\w*|lose[sd]?|losing|absen\w*|insufficient\w*|limit\w*|far|yet|whether|problem\w*|issue\w*|nor)\b",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:not|never|no|without|cannot)\s+(?:any |be |been |an? |the |necessarily |always |\w+ly )?([\w-]+)", re.I
)


_BOUNDED = re.compile(r"\b(?:no|not) (?:more|less|fewer|longer|later|earlier|greater|larger|smaller) than\b", re.I)
"""A bound, which denies nothing."""


def find_turns(claim: str, said: frozenset[str], speaking: Sequence[tuple[str, frozenset[str]]]) -> list[Turn]:
    """Signs that what the source says was retold with its meaning changed.

    ``said`` are the claim's terms; ``speaking`` the source's sentences about the same thing, with their terms.
    """
    if not said or not speaking:
        return []
    claim = _BOUNDED.sub("at most", claim)
    texts = [text for text, _ in speaking]
    turns: list[Turn] = [
        *(("polarity", words) for words in find_turned_directions(claim, texts)),
        *_turn_negations(claim, texts),
        *_deny_stated(claim, texts),
        *(("hedge", words) for words in find_dropped_hedges(claim, texts)),
    ]
    turns += _compare_with_nearest(claim, said, speaking)
    turns += [*_compare_with_another(claim, texts), *_turn_changes(claim, texts)]
    return list(dict.fromkeys(turns))


def _compare_with_nearest(
    claim: str, said: frozenset[str], speaking: Sequence[tuple[str, frozenset[str]]]
) -> list[Turn]:
    """What differs from the one sentence that the claim is nearly a copy of."""
    sentence, own = max(speaking, key=lambda item: len(item[1] & said))
    share = len(own & said) / len(said)
    if share < NEAR_COPY:
        return _find_reordered(claim, sentence, (_MORE_THAN,)) if share >= ALIKE else []
    faults: list[Turn] = []
    ours, theirs = find_negated(claim), find_negated(sentence)
    turned = ours & own
    if turned:
        turned -= frozenset().union(*(find_negated(spell_out(text)) for text, _ in speaking))
    if denied := (theirs & said) - ours:
        turned |= denied & find_negated_beside(sentence, said)
    if _UNLIKE.search(claim) and _OF_OTHERS.search(sentence):
        turned = frozenset()
    as_many = len(NEGATION.findall(remove_losses(claim))) == len(NEGATION.findall(remove_losses(sentence)))
    if turned and not (as_many and (ours | list_ahead(claim)) & (theirs | list_ahead(sentence))):
        faults.append(("polarity", f"not: {min(turned)}"))
    elif not as_many and min(len(own & said) / len(own), len(own & said) / len(said)) >= SAME:
        faults.append(("polarity", "not"))
    for one, other in _OPPOSITES.select(claim):
        times = len(one.findall(claim))
        gained = times and times > len(one.findall(sentence))
        if gained and len(other.findall(claim)) < len(other.findall(sentence)):
            faults.append(("polarity", _first(one, claim)))
    if HEDGE.search(CONCEDED.sub(" ", sentence)) and not HEDGE.search(claim) and retells(said, own):
        faults.append(("hedge", _first(HEDGE, sentence)))
    return faults + _find_reordered(claim, sentence, (COMPARATOR, _MORE_THAN))


def _compare_with_another(claim: str, texts: Sequence[str]) -> list[Turn]:
    """A comparison with what the source compares in another way: cheaper than A and dearer than B, not the reverse."""
    theirs = [item for text in texts for item in _comparisons(text)]
    found: list[Turn] = []
    for word, behind in _comparisons(claim):
        same = [other for kind, other in theirs if kind == word]
        others = frozenset().union(*(other for kind, other in theirs if kind != word))
        if same and behind & others and not any(behind & other for other in same):
            found.append(("order", f"{word} than"))
    return found


def _turn_changes(claim: str, texts: Sequence[str]) -> list[Turn]:
    """A change from one thing to another that the source has the other way round."""
    theirs = [change for text in texts for change in _changes(text)]
    found: list[Turn] = []
    for start, end in _changes(claim):
        from_here, to_there = start - end, end - start
        apart = [(before - after, after - before) for before, after in theirs if before - after and after - before]
        turned = any(before <= to_there and after <= from_here for before, after in apart)
        straight = any(before <= from_here and after <= to_there for before, after in apart)
        if turned and not straight:
            found.append(("order", "into"))
    return found


@lru_cache(maxsize=TEXTS_KEPT)
def _changes(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """What becomes what, for every "from A to B", "A into B"; two words of each."""
    return tuple(
        (
            frozenset(words(match["start"] or match["turned"])) - STOP_WORDS,
            frozenset(words(match["end"] or match["into"])) - STOP_WORDS,
        )
        for match in (_CHANGE.finditer(text) if _INTO.search(text) else ())
    )


@lru_cache(maxsize=TEXTS_KEPT)
def _comparisons(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple((match["word"].lower(), split_terms(match["than"])) for match in _COMPARISON.finditer(text))


def _find_reordered(claim: str, sentence: str, comparisons: Sequence[re.Pattern[str]]) -> list[Turn]:
    """Whether what stands on the two sides of a comparison changed places."""
    found: list[Turn] = []
    for comparison in comparisons:
        ours, theirs = _sides_of(comparison, claim), _sides_of(comparison, sentence)
        if not (ours and theirs) or ours[0] != theirs[0]:
            continue
        (word, before, after), (_, source_before, source_after) = ours, theirs
        moved_back = (before & source_after) - source_before - STOP_WORDS
        moved_ahead = (after & source_before) - source_after - STOP_WORDS
        apart = (
            frozenset(words(sentence.replace("-", " "))) - source_before - source_after - STOP_WORDS
        )  # "than A, but similar to B"
        beside = comparison is _MORE_THAN and after & apart and not after & source_after - STOP_WORDS
        if (moved_back and moved_ahead) or beside:
            found.append(("order", word))
    return found


_EARLIER = re.compile(r"i(?:er|est)$")
"""What makes "earlier" of "early"."""


def _sides_of(comparison: re.Pattern[str], text: str) -> tuple[str, frozenset[str], frozenset[str]] | None:
    """What a comparison says ("outpe", "great") and the words on its two sides."""
    match = comparison.search(text)
    if not match:
        return None
    behind = _TURN.split(text[match.end() :], maxsplit=1)[0]
    before, after = (
        frozenset(_EARLIER.sub("y", word) for word in words(side.replace("-", " ")))
        for side in (text[: match.start()], behind)
    )
    return match[0][:5].lower(), before, after


def _first(pattern: re.Pattern[str], text: str) -> str:
    return match[0] if (match := pattern.search(text)) else ""


def _turn_negations(claim: str, sources: Sequence[str]) -> list[Turn]:
    """Pairs of neighbouring terms that the source only denies and the claim states."""
    read = [_read_denied(text) for text in sources]
    denied = frozenset().union(*(pairs for pairs, _ in read))
    turned = [
        " ".join(pair) for pair in _pairs(claim) if pair in denied and not any(pair in stated for _, stated in read)
    ]
    turned += _only_denied(claim, " ".join(sources))
    turned = [said for said in turned if not _WITHOUT.search(_remove_words(_up_to_a_lack(claim, said), said))]
    return [("polarity", turned[0])] if turned else []


@lru_cache(maxsize=TEXTS_KEPT)
def _read_denied(text: str) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """Pairs of neighbouring terms that a sentence denies, and those that it states."""
    text = remove_losses(text)
    spans = _find_denied_spans(text)
    denied = frozenset(pair for start, end in spans for pair in _pairs(text[start:end]))
    left = text
    for start, end in reversed(spans):
        left = f"{left[:start]} . {left[end:]}"
    return denied, frozenset(pair for piece in left.split(" . ") for pair in _pairs(piece))


def _deny_stated(claim: str, sources: Sequence[str]) -> list[Turn]:
    """Two neighbouring terms behind a "not" that the source states, in a sentence that does without nothing."""
    denied = [tuple(terms(match["what"].replace("-", " "))[:2]) for match in _NOT.finditer(remove_losses(claim))]
    plain = [text for text in sources if not _WITHOUT.search(text)] if any(denied) else []
    stated = {pair for text in plain for pair in _pairs(text)}
    spoken = {pair for text in sources if text not in plain for pair in _pairs(text)} if stated else set()
    return [("polarity", f"not {' '.join(pair)}") for pair in denied if pair in stated and pair not in spoken]


_NOT = re.compile(
    r"\b(?:not|never|cannot)\s(?!only\b|necessar|always\b|just\b|merely\b|more\b|less\b|yet\b|even\b)(?P<what>[^,;:.]*)",
    re.I,
)


def _up_to_a_lack(claim: str, said: str) -> str:
    """The claim without what it lacks behind the words that it states: "fusing at the first layer, without loss"."""
    lack = re.search(r"\bwithout\b", claim, re.I)
    stems = frozenset(said.split())
    if lack and stems <= split_terms(claim[: lack.start()]):
        return claim[: lack.start()]
    return claim


def _remove_words(text: str, gone: str) -> str:
    stems = frozenset((*terms(gone), *gone.split()))
    return " ".join(word for word in text.split() if not frozenset(terms(word)) & stems)


def _only_denied(claim: str, text: str) -> list[str]:
    """Words of the claim that the source has directly behind a negation, and nowhere else."""
    denied = {match[1].lower() for match in _DENIED.finditer(text)}
    said = [word for word in words(claim) if word in denied and terms(word)] if denied else []
    free = frozenset(terms(_DENIED.sub(" ", text))) if said else frozenset()
    return [word for word in said if not frozenset(terms(word)) & free]


def _find_denied_spans(text: str) -> list[tuple[int, int]]:
    """What stands behind a negation up to the end of its clause, or in a phrase of contrast."""
    spans = [match.span(1) for pattern in (_CONTRAST, _LEFT_OUT) for match in pattern.finditer(text)]
    for match in NEGATION.finditer(text):
        if NOT_ONLY.match(text, match.start()) or UNLIMITED.match(text, match.start()):
            continue
        stop = re.compile(r"[,;:.)]|\bbut\b").search(text, match.end())
        spans.append((match.end(), stop.start() if stop else len(text)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _pairs(text: str) -> list[tuple[str, str]]:
    return list(pairwise(terms(text.replace("-", " "))))
