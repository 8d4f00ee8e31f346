"""Whether a number of a claim stands beside what it stands beside in the source, with its unit and its bounds.

A number that the source holds may still be told of another data set, system or measure. Each number of a sentence
is given the words that belong to it alone: those of its part of the sentence, or its item of a list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engine.checking.clauses import split_clause
from engine.checking.lexicon import TEXTS_KEPT, split_terms
from engine.checking.quantities import Quantity, quantities, spread_ranges
from engine.checking.units import are_unlike, find_unit
from engine.text import stem, terms

COMPARABLE = 100.0
"""Numbers of different sentences are compared where one is at most so many times the other."""

RARE = 2
"""Sentences of the sources in which a word may stand that tells one number from another."""

FEWEST_BESIDE = 2
"""Terms beside another number from which a claim's number stands there."""

_BOUNDARIES = (
    re.compile(
        r";|,?[\s(](?:while|whereas|but|compar(?:ed|es) (?:\w+ly )?(?:to|with)|as compared (?:to|with)|"
        r"versus|vs\.?|than|where)\s|\s\((?=[a-z])|"
        r"\)\s",
        re.I,
    ),
    re.compile(r",\s(?:and|or)\s"),
    re.compile(r",\s"),
    re.compile(r"\s(?:and|or|against)\s"),
)
"""What divides a sentence between two of its numbers, the strongest first."""

_BETWEEN_ITEMS = re.compile(
    r"(?:[\s,;/&~∼～×%()°≥≤<>–—-]|\band\b|\bor\b|\bto\b|\bpercent\b|\bpoints?\b|\b(?:by|with|of|at|in|from)\b|\b[a-zA-Z]{1,2}\b)*+"
)
_DIVIDER = re.compile(r",\s*(?:and|or)\s+|,\s+|\s/\s|\s+(?:and|or|&|to)\s+|\s+vs\.?\s+")
_TURN = re.compile(r";|,?\s(?:while|whereas|but)\s", re.I)
_PLACE = re.compile(
    r"\b(?:on|for|in|over|under|at|against|than|from|within|across|using|with|when|of)\s+((?:[^\s,;.()]+\s?){1,5})",
    re.I,
)
_NAMED = re.compile(r"\b\w*[A-Z]\w*[A-Z0-9]|(?<=[a-z] )[A-Z]")
_SHARED_PLACE = re.compile(r"\b(?P<at>on|in|over|across)\s(?:(?!\b(?:on|in|over|across)\b).)*$", re.I)
_COUNTED = re.compile(
    r"\s+(?:(?!of\b|in\b|on\b|for\b|and\b|or\b|to\b|is\b|was\b|than\b|as\b)[\w-]+\s+){0,3}?(?P<thing>[a-z]{3,}[^sui\W]s)\b"
)
_UPPER = (
    r"up to|at most|at best|as (?:much|many|high|large|fast) as|maximum (?:\w+ ){0,2}of|maxim\w+|"
    r"no more than|peak(?:s|ing)?(?: at)?"
)
_BELOW = r"less than|fewer than|under|below|within"
_LOWER = r"at least|more than|over|above|exceeding|beyond|no (?:fewer|less) than|greater than|higher than"
_ABOUT = r"about|around|approximately|roughly|nearly|almost|some|only|an average of|on average|averag\w+|a|an|the|~"
_BEFORE = re.compile(
    rf"(?:(?<!amount )(?<!amounts )(?<!amounted )\b(?P<change>by|to|from)\s+)?(?:(?P<upper>{_UPPER})|"
    rf"(?P<below>{_BELOW})|(?P<lower>{_LOWER}))?\s*(?:(?:{_ABOUT})\s+)*[~$€£<>≤≥]?\s*$",
    re.I,
)
LONGEST_BEFORE = 80
"""Characters before a number in which words that belong to it are looked for."""

_DEVIATION = re.compile(r"(?:\+/[-–−]|±|\\pm)\s*$")
"""Before how far the values lie apart, which belongs to the value before it."""

_BETWEEN = re.compile(r"\b(?:between|rang\w+ from|var\w+ from)\s*$", re.I)
"""Before the two ends of a range, which belong to no item of a list."""

_RANGE_SIGN = re.compile(r"\s*(?:[-–—~∼～]|to)\s*")

_CHANGE = re.compile(
    r"\b(?:increas|improv|decreas|reduc|rais|lower|drop|fall|fell|cut|boost|grow|grew|declin|degrad|outperform|gain|"
    r"surpass|exceed|bring|brought|shrink|rise|rose|advanc)\w*",
    re.I,
)
_HIGHEST = re.compile(rf"\b(?:{_UPPER}|can|could|may|might|best|highest|largest|greatest)\b", re.I)
_PART_OF_A_NAME = re.compile(
    r"(?:\w-|[\[#'’]|\b(?:section|table|figure|fig\.|equation|step|level|version|phase)\s)$", re.I
)
"""What stands before digits that count nothing: ResNet-50, [17], '04."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_CAPITALIZED = re.compile(r"[^.\s] [A-Z][\w-]*\s$")
"""Before the year in a data set's name: CoNLL 2014."""

_ADDED = re.compile(r"[^\d(),;.]{0,40}\([^()\d]{0,20}\d[^()]{0,40}\)")
_RESPECTIVELY = re.compile(r",?\s*\brespectively\b", re.I)


@dataclass(frozen=True, slots=True)
class PlacedNumber:
    """A number with what stands beside it and beside no other number of its sentence."""

    number: Quantity
    company: frozenset[str]
    """All terms of its part of the sentence."""
    own: frozenset[str]
    """Those of them that say where it belongs: after it, or in a phrase of place before it."""
    unit: str
    change: str = ""
    bound: str = ""
    first: bool = True
    """Of its list; a bound or a change is said of the first."""
    lead: frozenset[str] = frozenset()
    """Terms before it that say what is measured, and not where; an item of an enumeration has none of its own."""
    is_range: bool = False
    """Whether it is an end of "between 1 and 2", which speaks of more things than one."""


def find_misplaced_numbers(claim: str, sources: Iterable[str]) -> list[str]:
    """Numbers that a source says of something else, in another unit, or as a bound; ``sources`` are sentences."""
    ours = place_numbers(claim)
    held = list(sources) if ours else []
    theirs = [place_numbers(sentence) for sentence in held]
    spread = Counter(term for sentence in held for term in set(terms(sentence)))
    common = frozenset(term for term, times in spread.items() if times > RARE)
    return [
        one.number.words
        for one in ours
        if _is_misplaced(one, theirs, claim)
        or (not one.is_range and _is_beside_another(one, theirs, common))
        or _is_of_another(one, _subject(claim) if one is ours[0] else frozenset(), zip(held, theirs, strict=True))
    ]


def find_miscounted(claim: str, sources: Iterable[str]) -> list[str]:
    """Counts of the claim where the source counts the same things, and otherwise: three data sets, not four."""
    ours = _counts(claim)
    theirs = [count for sentence in sources for count in _counts(sentence)] if ours else []
    found = []
    for number, thing in ours:
        same = [other for other, counted in theirs if counted == thing]
        if same and not any(number.equals(other) or other.equals(number) for other in same):
            found.append(number.words)
    return found


@lru_cache(maxsize=TEXTS_KEPT)
def _counts(sentence: str) -> tuple[tuple[Quantity, str], ...]:
    """Numbers without a unit, each with the stem of the plural that it counts."""
    found = []
    for number in quantities(sentence):
        counted = _COUNTED.match(spread_ranges(sentence)[number.end :])
        if counted and not number.unit and not find_unit(spread_ranges(sentence), number):
            found.append((number, stem(counted["thing"].lower())))
    return tuple(found)


@lru_cache(maxsize=TEXTS_KEPT)
def place_numbers(sentence: str) -> tuple[PlacedNumber, ...]:
    """The numbers of a sentence in their order."""
    text = _RESPECTIVELY.sub("", spread_ranges(sentence))
    found = (q for q in quantities(text) if _is_measure(text, q) or _is_worded(q))
    numbers = sorted(found, key=lambda q: q.start)
    numbers = [q for i, q in enumerate(numbers) if i == 0 or q.start >= numbers[i - 1].end]
    numbers = [q for q in numbers if not _DEVIATION.search(text[: q.start])]
    groups = _group(text, numbers)
    edges = _edges(text, groups)
    placed = []
    for at, group in enumerate(groups):
        start, end = edges[at]
        before, after = text[start : group[0].start], text[group[-1].end : end]
        between = text[group[0].end : group[1].start] if len(group) == 2 else ""
        is_range = bool(_BETWEEN.search(before) or _RANGE_SIGN.fullmatch(between))
        is_list = len(group) > 1 and not is_range
        items = _list_items(before, after, len(group)) if is_list else []
        company = frozenset(terms(f"{before} {after} {_behind_bracket(text, group[-1].end)}"))
        own = frozenset(terms(after)) | _places(before)
        if at and at == len(groups) - 1:  # "4% A and 9% B on C": both are on C
            earlier = [text[start:stop] for start, stop in edges[:-1]]
            shared = _SHARED_PLACE.search(after)
            if shared and not any(re.search(rf"\b{shared['at']}\b", part, re.I) for part in earlier):
                own -= frozenset(terms(shared[0]))
        for n, number in enumerate(group):
            mine = items[n] if items else own
            whole = company - frozenset().union(*items) | mine if items else company
            place = (whole, mine)
            # The "to" between two numbers of a list is that of a range.
            change, bound = _change_and_bound(text, group[0].start) if n == 0 else ("", "")
            lead = frozenset(terms(before)) - _places(before)
            unit = find_unit(text, number)
            placed.append(PlacedNumber(number, *place, unit, change, bound, n == 0, lead, is_range))
    return tuple(one for one in _exclusive(placed) if not _is_worded(one.number))


def _behind_bracket(text: str, end: int) -> str:
    """What follows another number that brackets add to this one: "13.8% relative (5.1% absolute) on Squall"."""
    added = _ADDED.match(text, end)
    return text[added.end() :] if added else ""


def _is_measure(text: str, number: Quantity) -> bool:
    """Whether it is written in digits and is no part of a name, no reference and no number of a list's item."""
    counted = number.words[:1].isdigit() or number.words[:1] == "."
    before = text[: number.start]
    is_year = bool(_YEAR.fullmatch(number.words)) and bool(_CAPITALIZED.search(before))
    return counted and not is_year and not _PART_OF_A_NAME.search(before) and text[number.end : number.end + 1] != ")"


def _is_worded(number: Quantity) -> bool:
    """Whether it is a count in words, beside which other words stand than beside the numbers in digits."""
    return number.words.isalpha() and number.value > 1 and not number.unit


def _group(text: str, numbers: Sequence[Quantity]) -> list[list[Quantity]]:
    """Numbers that stand in one list together."""
    groups: list[list[Quantity]] = []
    for number in numbers:
        if groups and _BETWEEN_ITEMS.fullmatch(text[groups[-1][-1].end : number.start]):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _edges(text: str, groups: Sequence[Sequence[Quantity]]) -> list[tuple[int, int]]:
    """Where each group's part of the sentence begins and ends; what nothing divides belongs to both."""
    starts, ends = [_last_turn(text, groups[0][0].start) if groups else 0], []
    for one, other in pairwise(groups):
        begin, stop = one[-1].end, other[0].start
        cut = next((m for pattern in _BOUNDARIES if (m := pattern.search(text, begin, stop))), None)
        ends.append(cut.start() if cut else stop)
        starts.append(cut.end() if cut else begin)
    return list(zip(starts, [*ends, len(text)], strict=True)) if groups else []


def _last_turn(text: str, end: int) -> int:
    """Where the clause begins in which the sentence's first number stands."""
    return max((match.end() for match in _TURN.finditer(text, 0, end)), default=0)


def _list_items(before: str, after: str, count: int) -> list[frozenset[str]]:
    """The items that a list of so many numbers speaks of, in order; none where no such list stands there."""
    behind = [part for part in _DIVIDER.split(after.strip(" .,;")) if part.strip()]
    ahead = [part for part in _DIVIDER.split(before.strip(" .,;")) if part.strip()]
    if len(ahead) > count and re.search(r"\b(?:of|at|is|are)$", ahead[-1]):
        ahead = ahead[:-1]  # "on A and B, scores of 1 and 2"
    places = [part for part in (behind[:count], ahead[-count:]) if len(part) == count]
    leads = bool(behind) and bool(_PLACE.match(f"{behind[0]} "))
    for parts in places if leads else sorted(places, key=lambda p: -sum(bool(_NAMED.search(part)) for part in p)):
        if all(terms(part) for part in parts):
            named = [frozenset(terms(part)) for part in _trim(parts)]
            shared = frozenset.intersection(*named)
            if all(item - shared for item in named):
                return [item - shared for item in named]
    return []


def _trim(parts: Sequence[str]) -> list[str]:
    """The first item without the words that lead to the list, the last without those that follow it."""
    places = list(_PLACE.finditer(parts[0]))
    first = places[-1][1] if places else " ".join(parts[0].split()[-3:])
    last = parts[-1].split(" for ")[0].split(" in ")[0] if len(parts[-1].split()) > 4 else parts[-1]
    return [first, *parts[1:-1], " ".join(last.split()[:4])]


def _places(before: str) -> frozenset[str]:
    return frozenset(term for match in _PLACE.finditer(before) for term in terms(match[1]))


def _change_and_bound(text: str, start: int) -> tuple[str, str]:
    """Whether a value changes by or to the number that begins there, and whether it is a bound."""
    match = _BEFORE.search(text, max(0, start - LONGEST_BEFORE), start)
    bound = "" if not match else next((kind for kind in ("upper", "below", "lower") if match[kind]), "")
    change = (match["change"] or "").lower() if match and _CHANGE.search(text[:start]) else ""
    return change, bound


def _exclusive(placed: Sequence[PlacedNumber]) -> tuple[PlacedNumber, ...]:
    """Each number's own terms without those that other numbers of the sentence have too."""
    return tuple(
        replace(one, own=one.own - frozenset().union(*(other.company for other in placed if other is not one)))
        for one in placed
    )


def _is_misplaced(one: PlacedNumber, theirs: Sequence[Sequence[PlacedNumber]], claim: str) -> bool:
    same = [other for sentence in theirs for other in sentence if one.number.equals(other.number)]
    if not same:
        return False  # a number that stands nowhere is another fault
    alike = [other for other in same if one.unit == other.unit]
    if one.unit and not alike:
        return True
    same = alike or same
    if not one.unit and one.number.unit == "percent" and all(other.unit == "points" for other in same):
        return True
    if one.change and all({one.change, other.change} == {"by", "to"} for other in same):
        return True
    if all(other.bound == "upper" for other in same) and not one.bound and one.first and not _HIGHEST.search(claim):
        return True
    if one.bound == "lower" and all(other.is_range and other.number is not _lower_end(other, theirs) for other in same):
        return True  # more than the upper end of a range
    exact = [other for other in same if one.number.value == other.number.value]  # 225 is more than 200
    return bool(one.bound and exact) and all({one.bound, other.bound} in _CONTRARY for other in exact)


def _lower_end(end: PlacedNumber, theirs: Sequence[Sequence[PlacedNumber]]) -> Quantity:
    """The lower one of the two ends of a range."""
    ends = next(one for one in theirs if end in one)
    return min((one.number for one in ends if one.is_range), key=lambda number: number.value)


_CONTRARY = ({"upper", "lower"}, {"below", "lower"})


def _is_beside_another(one: PlacedNumber, theirs: Sequence[Sequence[PlacedNumber]], common: frozenset[str]) -> bool:
    """Whether the claim's number stands with the words of another of the source's numbers, and with fewer of its own.

    Where the source gives the number no words of its own, only numbers of the same sentence are compared with it.
    ``common`` words stand in too many sentences to tell one number from another.
    """
    same = [other for sentence in theirs for other in sentence if one.number.equals(other.number)]
    own = frozenset().union(*(other.own for other in same))
    company = frozenset().union(*(other.company for other in same))
    units = {other.number.unit for other in same}
    for sentence in theirs:
        near = any(other in same for other in sentence)
        if not (own or near):
            continue
        for other in sentence:
            if other in same or other.number.unit not in units or not (near or _are_alike(one.number, other.number)):
                continue
            if are_unlike(one.unit, other.unit):
                continue
            shared = frozenset() if other.lead else frozenset().union(*(twin.lead for twin in same))
            ours = one.company & (own | (company - other.company - shared))
            if len(one.company & (other.own - own - company - common)) > len(ours):
                return True
    return False


def _is_of_another(
    one: PlacedNumber, subject: frozenset[str], theirs: Iterable[tuple[str, Sequence[PlacedNumber]]]
) -> bool:
    """Whether nothing that the source says beside the number is beside the claim's, but beside another number of it.

    So it is where the number's ``subject`` is what the source's sentence compares its own subject with.
    """
    found = []
    for text, sentence in theirs:
        same = [other for other in sentence if one.number.equals(other.number)]
        if not same:
            continue
        beside = frozenset().union(*(other.company for other in same))
        others = frozenset().union(*(other.company for other in sentence if other not in same)) - beside
        apart = not one.company & beside and len(one.company & others) >= FEWEST_BESIDE
        compared = bool(subject) and subject <= others - _subject(text) and bool(_BOUNDARIES[0].search(text))
        found.append(bool(beside) and (apart or compared))
    return bool(found) and all(found)


def _subject(sentence: str) -> frozenset[str]:
    clause = split_clause(sentence)
    return split_terms(clause.subject) if clause else frozenset()


def _are_alike(one: Quantity, other: Quantity) -> bool:
    low, high = sorted((abs(one.value), abs(other.value)))
    return high <= COMPARABLE * low or other.unit == "percent"
