"""What a claim says of its subject that its source says the other way round: a comparison, a need, a replacement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.checking.lexicon import NEGATION, TEXTS_KEPT, split_terms
from engine.checking.quantities import read_changes
from engine.checking.strengths import match_words
from engine.checking.word_starts import WordIndex
from engine.text import STOP_WORDS, terms, words

_SCALES = tuple(
    (match_words(better), match_words(worse))
    for better, worse in (
        (r"faster|quicker", r"slower"),
        (r"cheaper|less (?:expensive|costly)", r"dearer|costlier|more (?:expensive|costly)"),
        (r"more accurate(?:ly)?|better", r"less accurate(?:ly)?|worse"),
        (r"more scalable|scales? better", r"less scalable|scales? worse"),
        (r"more robust(?:ly)?|more reliabl[ey]", r"less robust(?:ly)?|less reliabl[ey]"),
        (r"more efficient(?:ly)?", r"less efficient(?:ly)?"),
        (r"simpler|easier", r"more (?:complex|complicated|difficult)|harder"),
    )
)
_ENDS = WordIndex.of((ours, (ours, theirs)) for scale in _SCALES for ours, theirs in (scale[::-1], scale))
"""Each end of a scale with the other one."""

_OF_OTHERS = re.compile(
    r"\b(?:existing|previous|prior|earlier|traditional|conventional|classical|standard|other|others|baselines?|"
    r"alternatives?|competitors?|rivals?|"
    r"than (?:it|this|these|the (?:proposed|new|presented)|their|its|his|her|[A-Z]))\b"
)
"""Words of a claim whose subject may be what the source compares its own with."""

_SUBJECT = re.compile(r"^(?P<subject>.*?)\b(?:is|are|was|were|runs?|works?|trains?|learns?|gives?|yields?)\b", re.I)

_NEED = re.compile(
    r"\b(?:(?:not|never|nor|neither)\s(?:\w+ly\s)?(?:require|need|rely|depend|assume|use|involve|presuppose)|"
    r"(?:without|no)\s(?:\w+\s)?(?:requiring|need(?:ing)?|relying|access|assum\w+|recourse))\s?(?P<what>(?:(?!\b(?:and|but|hence|thus|so)\b)[^,;:.])*)",
    re.I,
)
_NEEDED = re.compile(
    r"\b(?:needs?|needed|requir\w+|rel(?:y|ies|ied|ying) on|depends? on|"
    r"assum\w+|presuppos\w+|ha(?:s|ve|d) to be|must be)\b",
    re.I,
)
_PUT_ASIDE = re.compile(
    rf"{NEGATION.pattern}|\b(?:unlike|instead|rather|avoid\w*|dispens\w*|free|superfluous|needless|un\w+|few|fewer|less|"
    r"previous\w*|prior|earlier|existing|other|others|conventional\w*|traditional\w*|where|while|whereas|eliminat\w*)\b",
    re.I,
)
_STEPS = re.compile(r"\bfirst\b(?P<first>[^.;]*?)\bthen\b(?P<then>[^.;]*)", re.I)
_ADVICE = re.compile(r"\b(?:recommend|advis|advocat)\w*\b", re.I)
_ADVICE_AGAINST = re.compile(
    r"\b(?:recommend|advis|caution|warn|argu|advocat|discourag)\w*\s(?:\w+ )?(?:against|not to)\b|\bdiscourag\w*", re.I
)
_CLAUSES = re.compile(r"[,;:]")
_OVERCOME = re.compile(
    r"\b(?:overc[ao]m\w*|remov\w*|lift\w*|eliminat\w*)\s(?:the|this|any)?\s?(?:limit|restrict)\w*\s(?:to|of)\s"
    r"(?P<what>(?:[\w-]+\s?){1,2})",
    re.I,
)
_LIMITED = re.compile(r"\b(?:limited|restricted|confined)\sto\s(?P<what>[^,;.]*)", re.I)
_REPLACED = re.compile(
    r"\b(?:replac|swap|exchang|substitut)\w*\s(?P<old>[^,;.]{3,80}?)\s(?:by|with|for)\s(?P<new>(?:[^\s,;.]+\s?){1,4})",
    re.I,
)
_WAY = re.compile(
    r"\bfrom\s(?P<start>(?:(?!from\b|to\b)[\w-]+\s){1,3})to\s(?P<end>(?:(?!from\b|to\b)[\w-]+\b\s?){1,3})", re.I
)
_IN_PLACE = re.compile(r"\bsubstitut\w*\s[^,;.]*?\sfor\s", re.I)
"""The new thing before the old: "substitutes A for B"."""


def find_reversals(claim: str, sources: Sequence[str]) -> list[str]:
    """Words of the claim that its source has the other way round; ``sources`` are the source's sentences."""
    return [
        *_find_compared(claim, sources),
        *_find_needed(claim, sources),
        *_find_limited(claim, sources),
        *_find_replaced(claim, sources),
        *_find_other_way(claim, sources),
        *_find_turned_change(claim, sources),
        *_find_reordered_steps(claim, sources),
        *_find_advice(claim, sources),
    ]


def _find_compared(claim: str, sources: Sequence[str]) -> list[str]:
    """What the claim calls slower and the source only faster, where the claim speaks of nothing compared with it."""
    whole = " ".join(sources)
    found = []
    for ours, theirs in _ENDS.select(claim):
        said = ours.search(claim)
        if not said or ours.search(whole) or not theirs.search(whole):
            continue
        subject = _SUBJECT.match(claim[: said.start()])
        about_others = _OF_OTHERS.search(subject["subject"] if subject else claim[: said.start()])
        turned = re.search(r"than (?:it|this|these|the (?:proposed|new)|their|its)\b", claim[said.end() :])
        if not about_others and not turned and not NEGATION.search(claim):
            found.append(said[0])
    return found


def _find_needed(claim: str, sources: Sequence[str]) -> list[str]:
    """What the claim says is needed and the source names only as what is not."""
    denied, left = _read_needs(tuple(sources))
    for part in _CLAUSES.split(claim):
        said = _NEEDED.search(part)
        if said and not _PUT_ASIDE.search(part) and (split_terms(part) & denied) - left:
            return [said[0]]
    return []


def _find_limited(claim: str, sources: Sequence[str]) -> list[str]:
    """A limit of the claim's subject that the source says is overcome."""
    said = list(_LIMITED.finditer(claim))
    if not said:
        return []
    overcome = frozenset(term for text in sources for m in _OVERCOME.finditer(text) for term in terms(m["what"]))
    found = (match for match in said if not _OF_OTHERS.search(claim[: match.start()].split(",")[-1]))
    return [match[0] for match in found if frozenset(terms(match["what"])) & overcome]


@lru_cache(maxsize=TEXTS_KEPT)
def _read_needs(sources: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of what the source says is not needed, and those of all else that it says."""
    denied = frozenset(term for text in sources for match in _NEED.finditer(text) for term in terms(match["what"]))
    return denied, split_terms(" ".join(_NEED.sub(" ", text) for text in sources))


def _find_turned_change(claim: str, sources: Sequence[str]) -> list[str]:
    """A change from one number to another that the source has the other way round."""
    theirs = [change for text in sources for change in read_changes(text)]
    ours = [(start, end) for start, end in read_changes(claim) if not start.equals(end)]
    turned = (end for start, end in ours if any(start.equals(b) and end.equals(a) for a, b in theirs))
    return [end.words for end in turned]


def _find_replaced(claim: str, sources: Sequence[str]) -> list[str]:
    """A replacement of one thing by another that the source has the other way round."""
    theirs = [change for text in sources for change in _read_replacements(text)]
    for old, new in _read_replacements(claim):
        was, becomes = old - new, new - old
        apart = [(before - after, after - before) for before, after in theirs]
        turned = [len(b & becomes) + len(a & was) for b, a in apart if b & becomes and a & was]
        straight = [len(b & was) + len(a & becomes) for b, a in apart]
        if turned and max(turned) > max(straight):
            return ["in place of"]
    return []


@lru_cache(maxsize=TEXTS_KEPT)
def _read_replacements(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """What is replaced and what comes in its place."""
    found = []
    for match in _REPLACED.finditer(text):
        old, new = (
            frozenset(words(match[side].replace("-", " "))) - STOP_WORDS - {"one", "ones"} for side in ("old", "new")
        )
        found.append((new, old) if _IN_PLACE.match(text, match.start()) else (old, new))
    return tuple(found)


def _find_other_way(claim: str, sources: Sequence[str]) -> list[str]:
    """A way from one thing to another that the source goes only the other way round."""
    theirs = [way for text in sources for way in _read_ways(text)]
    found = []
    for start, end in _read_ways(claim):
        turned = [len(a & end) + len(b & start) for a, b in theirs if a & end and b & start]
        straight = [len(a & start) + len(b & end) for a, b in theirs]
        if turned and max(turned) > max(straight):
            found.append("from … to")
    return found


@lru_cache(maxsize=TEXTS_KEPT)
def _read_ways(text: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """The terms of what something goes from, and of what it goes to."""
    ways = ((split_terms(match["start"]), split_terms(match["end"])) for match in _WAY.finditer(text))
    return tuple((start - end, end - start) for start, end in ways)


def _find_reordered_steps(claim: str, sources: Sequence[str]) -> list[str]:
    """What comes first and what then, which the source has the other way round."""
    ours = _STEPS.search(claim)
    if not ours:
        return []
    first, then = (split_terms(ours[part]) for part in ("first", "then"))
    for text in sources:
        if theirs := _STEPS.search(text):
            before, after = (split_terms(theirs[part]) for part in ("first", "then"))
            crossed = len((first - then) & (after - before)) + len((then - first) & (before - after))
            straight = len((first - then) & (before - after)) + len((then - first) & (after - before))
            if crossed >= straight and (first - then) & (after - before):
                return ["first"]
    return []


def _find_advice(claim: str, sources: Sequence[str]) -> list[str]:
    """Advice for what the source advises against."""
    said = _ADVICE.search(claim)
    against = [text for text in sources if _ADVICE_AGAINST.search(text)] if said else []
    if not said or not against or _ADVICE_AGAINST.search(claim) or NEGATION.search(claim):
        return []
    near = max(len(split_terms(claim) & split_terms(text)) for text in against)
    others = (len(split_terms(claim) & split_terms(text)) for text in sources if _ADVICE.search(text))
    return [said[0]] if near >= max(others, default=0) else []
