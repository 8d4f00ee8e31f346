"""What stands in an intent's slots: numbers and formats exactly; words as the longest run that names something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.commands.intents.classifier import Classifier
from bot.commands.intents.features import LONGEST, read_words
from bot.commands.intents.intents import INTENTS
from engine.errors import UserError
from engine.rendering.files import parse_formats

_NUMBER = re.compile(
    r"(?<![\w.])#?(\d{1,4}(?:\.\d{1,3})*)(?:\s*(?:-|–|to|bis)\s*(\d{1,4})(?![\w.]))?(?:st|nd|rd|th|\.)?(?!\w)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*\+*")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{1,200})[\"”“»]")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_RANKS = {word: n for n, word in enumerate(_ORDINALS.split(), 1)}
_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_CARDINALS = {word: n for n, word in enumerate(_SMALL.split(), 2)} | {w: 10 * n for n, w in enumerate(_TENS.split(), 2)}
"""“One” is seldom a number: “the second one”."""
_AROUND = " .!\"'“”"


def fill_intent(label: str, text: str, classifier: Classifier, count: int) -> str:
    """The command of an intent in the grammar's words; empty where what it needs was not said.

    ``count`` is how many things can be counted at this step, which "last" means.
    """
    text = text[:LONGEST]
    numbers = list(find_numbers(text, count))
    values: dict[str, str] = {}
    for slot in INTENTS[label].slots:
        match slot:
            case "numbers":
                found = " ".join(numbers) if all(number.isdecimal() for number in numbers) else ""
            case "place" | "other" | "reference":
                found = numbers.pop(0) if numbers else ""
            case "where":
                found = _find_side(text, values.get("place", ""), numbers)
            case "formats":
                found = " ".join(_find_formats(text))
            case "language":
                found = next((word[0] for word in _WORD.finditer(text) if word[0].lower() in classifier.languages), "")
            case "question":
                found = text.strip()
            case "topic" if is_bare(text, classifier.frame):
                found = text.strip(_AROUND)
            case _:
                found = find_named(text, classifier)
        if not found:
            return ""
        values[slot] = found
    return label.format(**values)


def find_numbers(text: str, count: int = 0) -> Iterator[str]:
    """The numbers of sections and papers as they are said, digits before words; ``2-4`` gives each; no years."""
    found = False
    for match in _NUMBER.finditer(text):
        if not _YEAR.fullmatch(match[1]):
            found = True
            first, last = match[1], match[2]
            yield from (
                map(str, range(int(first), int(last) + 1)) if _is_range(first, last) else filter(None, match.groups())
            )
    if not found:
        for word in read_words(text):
            if word in _RANKS:
                yield str(_RANKS[word])
            elif word in _CARDINALS:
                yield str(_CARDINALS[word])
            elif word == "last" and count:
                yield str(count)


def _is_range(first: str, last: str | None) -> bool:
    return bool(last) and first.isdecimal() and 0 <= int(str(last)) - int(first) <= 100


def _find_formats(text: str) -> Iterator[str]:
    for word in dict.fromkeys(match[0].lower() for match in _WORD.finditer(text)):
        if are_formats((word,)):
            yield word


def are_formats(names: Sequence[str]) -> bool:
    """Whether files can be made of each of them."""
    try:
        return bool(parse_formats(names))
    except UserError:
        return False


def _find_side(text: str, place: str, others: list[str]) -> str:
    """Before or after, as it is said; where it is not, what has the larger number goes before the other."""
    said = {*read_words(text)}
    if not {"before", "after"} & said and place.isdecimal() and others and others[0].isdecimal():
        return "before" if int(place) > int(others[0]) else "after"
    return "before" if "before" in said else "after"


def is_bare(text: str, frame: frozenset[str]) -> bool:
    """Whether the words are a name and nothing else: they begin and end with words that are not of the frame."""
    said = [match[0].lower() for match in _WORD.finditer(text)]
    if not said or "?" in text or {said[0], said[-1]} & frame:
        return False
    return sum(word in frame for word in said) * 2 <= len(said)


def find_named(text: str, classifier: Classifier) -> str:
    """What is quoted, else the longest run of words that are not of the frame but for the joints within it."""
    if len(quoted := _QUOTED.findall(text)) == 1:
        return str(quoted[0]).strip()
    best = ""
    for part in re.split(r"[,;:!?]\s|[.]\s|\n", text):
        start: int | None = None
        for word in _WORD.finditer(part):
            is_frame = word[0].lower() in classifier.frame or word[0].isdecimal()
            if not is_frame:
                start = word.start() if start is None else start
                best = max(best, part[start : word.end()], key=len)
            elif word[0].lower() not in classifier.joints:
                start = None
    return best
