"""Whether what a claim tells of results stands in its source: against what, why, in which order, and whether at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.checking.clauses import find_deeds, split_clause
from engine.checking.lexicon import NEGATION, TEXTS_KEPT, split_terms
from engine.checking.quantities import quantities
from engine.text import STOP_WORDS, stem, terms, words

RETOLD = 0.6
"""Share of a part's terms that a sentence has to hold to be the one that it retells."""

FEWEST_TERMS = 2
"""Terms of a part of a claim from which it can be found in the source."""

CLEARLY = 0.3
"""By how much more a subject's sentences have to hold of another's predicate than of its own."""

STRANGE = 0.5
"""Share of the terms of what something is compared with from which the source does not speak of it."""

_AGAINST = re.compile(
    r"\b(?:than|outperform\w*|surpass\w*|exceed\w*|beats?|superior to|inferior to|replac(?:es?|ed|ing)|"
    r"compared (?:to|with)|(?:improv\w+|gains?|advantages?) (?:over|upon))\s+"
    r"(?:those of |that of |in |with |the |an? |its |their |all |any |most |many )*"
    r"(?P<what>(?:(?!(?:they|it|we|with|on|in|by|for|and|or|when|while|but|at|across|under|that|which|using|of|from|as|to|because|"
    r"without|if|where|since|after|before|comes?|stems?|results|is|are|was|were)\b)[\w-]+\s?){1,4})",
    re.I,
)
_ANY_RIVAL = frozenset(
    terms(
        "method approach baseline technique model system work algorithm competitor rival alternative counterpart use "
        "predecessor peer previous prior earlier existing other conventional traditional classical recent current "
        "state art best strong strongest several standard published human people expert others before another "
        "original naive simple alone ones those usual normal common comparable popular known random it them either "
        "new half third quarter fifth million twice once planned expected thought time percent "
        "framework approaches paper study literature result performance accuracy score strategy "
        "setting remedy attempt proposal effort practice design scheme formulation option clearly strongly "
        "plain mere ordinary usual direct solution variant version competing competitive similar"
    )
)
_BECAUSE = re.compile(
    r"^(?P<effect>.{15,}?),?\s(?:because(?: of)?|due to|owing to|thanks to|on account of|as a result of|"
    r"(?:stems?|results?|comes?|arises?|follows?) from|(?:is|are) (?:caused|explained) by|attributed to)\s"
    r"(?P<reason>.+)$",
    re.I,
)
_BECAUSE_FIRST = re.compile(
    r"^(?:because(?: of)?|due to|owing to|thanks to|on account of|as a result of)\s(?P<reason>[^,]+),\s"
    r"(?P<effect>.{15,})$",
    re.I,
)
_WHY = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|on account of|as a result of|since|caused by|"
    r"(?:stems?|results?|comes?|arises?) from)\s(?P<reason>[^,;.]*)",
    re.I,
)
_SET_AGAINST = re.compile(r",?\s(?:while|whereas)\s|;\s", re.I)
_BOTH_SIDES = re.compile(r",?\s(?:while|whereas|but|and)\s|;\s", re.I)
_NOTHING = (
    re.compile(
        r"^(?:(?:extensive|comprehensive|thorough|several|various|numerical|empirical|quantitative|qualitative|many|"
        r"further|the|these|our|their|its|experimental|simulation|real-world)\s)*"
        r"(?:experiments?|results?|evaluations?|simulations?|tests?|stud(?:y|ies)|analys[ei]s|findings|comparisons?)"
        r"(?:\s(?:on|in|with|from)\s(?:[\w-]+\s){0,3}(?:data ?sets?|benchmarks?|tasks?|experiments?|scenarios|settings|"
        r"simulations?))?\s(?:\w+ly\s)?(?:demonstrate|show|validate|confirm|verif(?:y|ies)|prove|illustrate|support|reveal|"
        r"indicate|highlight)(?:s|d|ed)?\s"
        r"(?:the\s|its\s|their\s)?(?:effectiveness|validity|feasibility|efficacy|potential|usefulness|merits?|"
        r"benefits?|advantages?|performance|applicability|viability|practicality|promise|utility|value)"
        r"(?:\sand\s\w+)?(?:\sof\s(?:the|this|their|its|our)?\s?(?:[\w-]+\s?){1,3})?\W*$",
        re.I,
    ),
    re.compile(
        r"^(?:(?!that\b|which\b|who\b)[\w’'().-]+\s){1,6}(?:is|are|was|were|has been|have been)\s"
        r"(?:\w+ly\s)?(?:evaluated|tested|validated|"
        r"verified|assessed|demonstrated|examined|studied|analy[sz]ed|discussed|presented|described|investigated|compared)"
        r"(?:\s(?:in|by|with|on|through)\s(?:(?:extensive|several|various|many|numerous|different|real|simulated|"
        r"comprehensive|a|number|of)\s){0,3}(?:experiments?|benchmarks?|simulations?|tasks?|data ?sets?|examples?|"
        r"settings|ways|detail))?\W*$",
        re.I,
    ),
)
"""Sentences that tell that something was tried or works, and nothing of what was found."""


def says_nothing(claim: str) -> bool:
    """Whether it only tells that there were experiments, or that they speak for the approach."""
    return (
        any(pattern.match(claim.strip()) for pattern in _NOTHING)
        and not re.search(r"\d", claim)
        and not quantities(claim)
    )


def find_strange_rivals(claim: str, held: frozenset[str]) -> list[str]:
    """What the claim compares its subject with and the source does not speak of; ``held`` are the source's stems."""
    found = []
    for match in _AGAINST.finditer(claim):
        own = split_terms(match["what"]) - _ANY_RIVAL
        if (
            own
            and not re.search(r"\d", match["what"])
            and not quantities(match["what"])
            and len(own - held) >= STRANGE * len(own)
        ):
            found.append(match["what"].strip())
    return found


def find_other_reasons(claim: str, sentences: Sequence[str]) -> list[str]:
    """A reason for which the source has another one, or that stands nowhere near what it explains."""
    bare = claim.strip().rstrip(".")
    match = _BECAUSE.match(bare) or _BECAUSE_FIRST.match(bare)
    if not match:
        return []
    effect = _terms(match["effect"])
    reason = _terms(match["reason"]) - effect
    if len(effect) < FEWEST_TERMS or not reason:
        return []
    own = [_terms(sentence) for sentence in sentences]
    shares = [len(effect & said) / len(effect) for said in own]
    most = max(shares, default=0.0)
    if most < RETOLD:
        return []
    at = shares.index(most)
    given = [_terms(why["reason"]) - effect for why in _WHY.finditer(sentences[at])]
    near = frozenset().union(*own[max(0, at - 1) : at + 2])
    if (any(given) and not any(reason & other for other in given)) or len(reason & near) < len(reason) / 2:
        return [" ".join(match["reason"].split()[:6])]
    return []


def find_crossed(claim: str, sentences: Sequence[str]) -> list[str]:
    """Two subjects of a claim of which the source says the other's predicate: "A is slow, while B is fast"."""
    if turned := _find_turned_unlike(claim, sentences):
        return turned
    parts = [part for part in _SET_AGAINST.split(claim) if part]
    if len(parts) != 2 or (len(NEGATION.findall(claim)) == 1):
        return []
    (one, said), (other, told) = (_sides(part) for part in parts)
    one, other = one - other, other - one
    said, told = said - told, told - said
    if not (one and other and said and told):
        return []
    lines = [line for sentence in sentences for line in _with_subjects(sentence)]
    straight = _best(one, said, lines) + _best(other, told, lines)
    crossed = _best(one, told, lines) + _best(other, said, lines)
    return [" ".join(parts[0].split()[:5])] if crossed >= straight + 2 * CLEARLY and crossed >= 1.0 else []


FEWEST_SHARED = 2
"""Words beside the two sides that two sentences with "unlike" share when they tell of one thing."""

_UNLIKE = re.compile(r"\b(?:unlike|in contrast to|as opposed to|contrary to)\s(?P<other>[^,;.]*)", re.I)


def _find_turned_unlike(claim: str, sentences: Sequence[str]) -> list[str]:
    """The words "unlike A" of a claim where the source says it of A, unlike what the claim speaks of."""
    ours = _UNLIKE.search(claim)
    if not ours:
        return []
    other, rest = _plain_words(ours["other"]), _plain_words(claim.replace(ours[0], " "))
    for sentence in sentences:
        if not (theirs := _UNLIKE.search(sentence)):
            continue
        their_other, their_rest = _plain_words(theirs["other"]), _plain_words(sentence.replace(theirs[0], " "))
        is_turned = (other - their_other) & their_rest and (their_other - other) & rest
        if is_turned and len(rest & their_rest - other - their_other) >= FEWEST_SHARED:
            return [ours[0]]
    return []


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(words(text.replace("-", " "))) - STOP_WORDS


def _sides(part: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of a clause's subject, and those of what it says; none where no verb is found."""
    clause = split_clause(part[:1].upper() + part[1:])
    if clause:
        return _terms(clause.subject), _terms(f"{clause.verb} {clause.rest}")
    deed = next(iter(find_deeds(part)), None)
    return (deed.before - _VAGUE, (deed.after | {deed.verb}) - _VAGUE) if deed else (frozenset(), frozenset())


def _with_subjects(sentence: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The subject of each clause, its own or the one before it, and what the clause says."""
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for part in _BOTH_SIDES.split(sentence):
        own, _ = _sides(part)
        found.append((own or (found[-1][0] if found else _terms(part)), _terms(part)))
    return found


def _best(
    subject: frozenset[str], said: frozenset[str], lines: Sequence[tuple[frozenset[str], frozenset[str]]]
) -> float:
    """The greatest share of what is said that a clause holds of that subject."""
    own = [text for about, text in lines if 2 * len(subject & about) > len(subject)]
    return max((len(said & text) / len(said) for text in own), default=0.0)


def find_other_counts(claim: str, text: str) -> list[str]:
    """Several of what the source has one of, one of what it has several of, thousands of what it has none of."""
    found = []
    for at, ours in enumerate(_read_counted(claim)):
        for phrase, thing in ours:
            same, turned = (any(thing & other for _, other in _read_counted(text)[side]) for side in (at, 1 - at))
            if turned and not same:
                found.append(phrase)
    for match in _MASSES.finditer(claim):
        others = [other for other in _MASSES.finditer(text) if other["mass"].lower() == match["mass"].lower()]
        said = _terms(match["things"])
        if others and said and not said & _terms(text):
            found.append(match[0])
    return found


@lru_cache(maxsize=TEXTS_KEPT)
def _read_counted(text: str) -> tuple[tuple[tuple[str, frozenset[str]], ...], ...]:
    """What a text has several of, and what it has one of: the words, and the terms of the thing."""
    text = _ONE_AND_OTHER.sub("", text)
    return tuple(tuple((m[0], _terms(m["thing"])) for m in pattern.finditer(text)) for pattern in (_MANY, _ONE))


def find_denied_both(claim: str, speaking: Sequence[str]) -> list[str]:
    """A "both" of the claim where each source's sentence about it says that both are not had, or only either."""
    said = _BOTH.search(claim)
    theirs = [text for text in speaking if _BOTH.search(text)]
    if said and theirs and not _NO_BOTH.search(claim) and all(_NO_BOTH.search(text) for text in theirs):
        return [said[0]]
    return []


_BOTH = re.compile(r"\bboth\b", re.I)
_NO_BOTH = re.compile(
    r"\b(?:fail\w*|not|unable|cannot|neither|without|lack\w*|unlike|instead of|rather than|hardly)\b"
    r"[^.;,]{0,60}?\bboth\b",
    re.I,
)

_MANY = re.compile(
    r"\b(?:several|multiple|many|various|numerous|two|three|four|five|six|seven|eight|nine|ten|\d+)\s"
    r"(?:(?!and\b|or\b)[\w-]+\s){0,2}?(?P<thing>[a-z]{3,}[^sui\W]s)\b",
    re.I,
)
_ONE = re.compile(r"\b(?:single|one|sole)\s(?P<thing>(?:(?!of\b|in\b|and\b|or\b|for\b|to\b)[\w-]+\s?){1,3})", re.I)
_ONE_AND_OTHER = re.compile(r"\bone\s(?=[^.;]*\b(?:the other|another|the second)\b)|\ban? [\w-]+ one\b", re.I)
"""Where "one" counts nothing: "one module looks at A, the other at B", "an abstractive one"."""

_MASSES = re.compile(
    r"\b(?P<mass>dozens|hundreds|thousands|millions|billions|trillions) of\s(?P<things>(?:[\w-]+\s?){1,3})", re.I
)


def _terms(text: str) -> frozenset[str]:
    return split_terms(text) - _VAGUE


_VAGUE = frozenset(stem(word) for word in ("method", "approach", "model", "result", "show", "paper", "use", "system"))
