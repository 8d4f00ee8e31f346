"""What stands in an intent's slots: numbers and formats exactly; words as the likeliest run of tokens."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

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
_TOKEN = re.compile(r"[@#]?\w+(?:['’.:/+–-]+\w+)*\+*|[^\s\w]")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{1,200})[\"”“»]")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_RANKS = {word: n for n, word in enumerate(_ORDINALS.split(), 1)}
_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_CARDINALS = {word: n for n, word in enumerate(_SMALL.split(), 2)} | {w: 10 * n for n, w in enumerate(_TENS.split(), 2)}
"""“One” is seldom a number: “the second one”."""


def fill_intent(label: str, text: str, classifier: Classifier, count: int) -> str:
    """The command of an intent in the grammar's words; empty where what it needs was not said.

    ``count`` is how many things can be counted at this step, which "last" means.
    """
    text, slots = text[:LONGEST], INTENTS[label].slots
    named = find_named(label, text, classifier) if {"words", "topic"} & {*slots} else ""
    # “cite [14] in section 4”: what is named has numbers of its own.
    numbers = list(find_numbers(text.replace(named, "…", 1), count)) or list(find_numbers(text, count))
    values: dict[str, str] = {}
    for slot in slots:
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
            case _:
                found = named
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


_NAMED_AT = -1.0
"""Score of a run of tokens from which it is taken for a name; held out, 6 of 522 names have less."""


def list_tokens(text: str) -> list[re.Match[str]]:
    """What a name may begin and end with."""
    return list(_TOKEN.finditer(text[:LONGEST]))


def describe_tokens(label: str, tokens: Sequence[str], frame: Collection[str]) -> list[list[str]]:
    """The features of each: itself and those beside it, each as it is said where it belongs to the frame."""
    padded = ["<", "<", *(_write_token(token, at, frame) for at, token in enumerate(tokens)), ">", ">"]
    wanted, found = label.partition(" {")[0], []
    for at, token in enumerate(tokens):
        before_last, before, own, after, after_next = padded[at : at + 5]
        near = [f"-2 {before_last}", f"-1 {before}", f"0 {own}", f"1 {after}", f"2 {after_next}"]
        pairs = [f"-2-1 {before_last} {before}", f"-10 {before} {own}", f"01 {own} {after}", f"12 {after} {after_next}"]
        asked = [f"{wanted} -1 {before}", f"{wanted} 0 {own}", f"{wanted} 1 {after}", f"{wanted}"]
        capitals = "".join("Aa"[part[:1].islower()] for part in ("", *tokens, "")[at : at + 3])
        shape = [f"ends {own[-3:]}", f"capitals {capitals} {at == 0}", f"word {token.isalpha()}"]
        found.append([*near, *pairs, *asked, *shape])
    return found


def _write_token(token: str, at: int, frame: Collection[str]) -> str:
    """The capital of what begins says nothing; elsewhere “Sources” is another word than “sources”."""
    if _NUMBER.fullmatch(token):
        return "0"
    if (word := token if at else token.lower()) in frame:
        return word.lower()
    return "Rare" if token[:1].isupper() else "rare"


def find_named(label: str, text: str, classifier: Classifier) -> str:
    """What is quoted, else the run of tokens that is likeliest what the intent is about; empty where none is."""
    if len(quoted := _QUOTED.findall(text)) == 1:
        return str(quoted[0]).strip()
    tokens = list_tokens(text)
    if not tokens:
        return ""
    inside, begins, ends = classifier.score_tokens(
        describe_tokens(label, [token[0] for token in tokens], classifier.frame)
    )
    until = np.cumsum(inside)
    sums = (until[None, :] - (until - inside)[:, None] + begins[:, None] + ends[None, :]).round(3)
    sums[np.tri(len(tokens), k=-1, dtype=bool)] = -np.inf  # it ends before it begins
    first, last = np.unravel_index(np.argmax(sums), sums.shape)
    return text[tokens[first].start() : tokens[last].end()] if sums[first, last] > _NAMED_AT else ""
