"""What stands in an intent's slots: numbers and formats exactly; words as the likeliest run of tokens."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from bot.commands.intents.classifier import Classifier
from bot.commands.intents.features import LONGEST, read_words
from bot.commands.intents.intents import list_slots
from engine.errors import UserError
from engine.rendering.files import parse_formats

_NUMBER = re.compile(
    r"(?<![\w.])#?(\d{1,4}(?:\.\d{1,3})*)(?:\s*(?:-|–|to|till|until|through|bis)\s*(\d{1,4})(?!\w|\.\d))?"
    r"(?:st|nd|rd|th|\.)?(?!\w)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORD = re.compile(r"[^\W_]+(?:[-'’./][^\W_]+)*\+*")
_TOKEN = re.compile(r"[@#]?\w+(?:['’.:/+–-]+\w+)*\+*|[^\s\w]")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{1,200})[\"”“»]")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_RANKS = {word: n for n, word in enumerate(_ORDINALS.split(), 1)}
_SMALL = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
_SMALL += "sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred"
_CARDINALS = {word: n for n, word in enumerate(_SMALL.split(), 2)} | {w: 10 * n for n, w in enumerate(_TENS.split(), 2)}
"""“One” is seldom a number: “the second one”."""


_OF_OTHERS = frozenset({"open {place}", "move {place} to {other}"})
"""Intents whose first number is no section's."""


def fill_intent(label: str, text: str, classifier: Classifier, names: Mapping[str, str]) -> str:
    """The command of an intent in the grammar's words; empty where what it needs was not said.

    ``names`` are those of what can be named by its number at this step, which "last" and the name itself mean too.
    """
    text, slots = text[:LONGEST], list_slots(label)
    known = [n for n in find_numbers(text, names) if n in names] if label == "drop {words}" else []
    named = ", ".join(names[place] for place in known) or find_named(label, text, classifier)
    # “cite [14] in section 4”: what is named has numbers of its own.
    rest = text.replace(named, "…", 1)
    numbers = list(find_numbers(rest, names)) or list(find_numbers(text, names))
    values: dict[str, str] = {}
    for slot in slots:
        match slot:
            case "numbers":
                found = " ".join(numbers) if all(number.isdecimal() for number in numbers) else ""
            case "place" | "other":
                exists = not names or label in _OF_OTHERS or bool({*numbers[:1]} & names.keys())
                found = numbers.pop(0) if numbers and exists else ""
            case "reference" | "money":
                found = numbers[0] if numbers and numbers[0].isdecimal() else ""
            case "where":
                found = "before" if "before" in read_words(text) else "after"
            case "formats":
                words = dict.fromkeys(_WORD.findall(text.lower()))
                found = " ".join(word for word in words if are_formats((word,)))
            case "language":
                found = next((word for word in _WORD.findall(text) if word.lower() in classifier.languages), "")
            case "question":
                found = text.strip()
            case _:
                found = named
        if not found:
            return ""
        values[slot] = " ".join((found, *_find_options(rest))) if slot == "topic" else found
    return label.format(**values)


def _find_options(rest: str) -> Iterator[str]:
    """The sections and the years that are said beside a topic; one year alone is the first."""
    words = [str(_CARDINALS.get(word, word)) for word in _WORD.findall(rest.lower())]
    yield from (f"sections={number}" for number, unit in pairwise(words) if unit == "sections" and number.isdecimal())
    if years := list(dict.fromkeys(_YEAR.findall(rest))):
        yield f"years={min(years)}..{max(years) if len(years) > 1 else ''}"


def find_numbers(text: str, names: Mapping[str, str]) -> Iterator[str]:
    """The numbers of sections and papers as they are said: in figures or by name, else in words; no years.

    ``2-4`` gives each.
    """
    found = False
    for match in _NUMBER.finditer(_number_names(text, names)):
        first, last = match.groups()
        if _YEAR.fullmatch(first):
            continue
        found = True
        if last and first.isdecimal() and 0 <= int(last) - int(first) <= 100:
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield from filter(None, (first, last))
    if found:
        return
    words = read_words(text)
    yield from find_nearest_name(words, names)
    for word in words:
        if word in _RANKS:
            yield str(_RANKS[word])
        elif word in _CARDINALS:
            yield str(_CARDINALS[word])
        elif word == "last" and names:
            yield find_last(names)


def _number_names(text: str, names: Mapping[str, str]) -> str:
    """The text with the number of each thing in place of its name, where that is said word for word."""
    places = {name.casefold(): place for place, name in sorted(names.items(), key=lambda item: -item[0].count("."))}
    longest_first = sorted(filter(None, places), key=len, reverse=True)
    if not longest_first:
        return text
    said = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest_first))})(?!\w|\.\d)", re.I)
    return said.sub(lambda match: places.get(match[0].casefold(), match[0]), text)


LEAST_SAID = 0.5
"""Share of a name's words that are said where the name is meant but not said whole."""


def find_nearest_name(words: Collection[str], names: Mapping[str, str]) -> list[str]:
    """The number of the one thing of whose name most is said, at least `LEAST_SAID` of its words; empty without one."""
    parts = {place: {*read_words(name)} for place, name in names.items()}
    shares = {place: len(part & {*words}) / len(part) for place, part in parts.items() if part}
    most = max(shares.values(), default=0.0)
    nearest = [place for place, share in shares.items() if share == most >= LEAST_SAID]
    return nearest if len(nearest) == 1 else []


def find_last(names: Mapping[str, str]) -> str:
    """The number of the last that is no part of another."""
    return [place for place in names if "." not in place][-1]


def are_formats(names: Sequence[str]) -> bool:
    """Whether files can be made of each of them."""
    try:
        return bool(parse_formats(names))
    except UserError:
        return False


_SENTENCE_ENDS = frozenset(".!?;—…")
"""Tokens after which a capital says nothing."""


def list_tokens(text: str) -> list[re.Match[str]]:
    """What a name may begin and end with."""
    return list(_TOKEN.finditer(text[:LONGEST]))


def describe_tokens(label: str, tokens: Sequence[str], frame: Collection[str]) -> list[list[str]]:
    """The features of each: itself and those beside it, each as it is said where it belongs to the frame."""
    begins = [at == 0 or tokens[at - 1] in _SENTENCE_ENDS for at in range(len(tokens))]
    written = (_write_token(token, begun, frame) for token, begun in zip(tokens, begins, strict=True))
    padded = ["<", "<", *written, ">", ">"]
    wanted, found = label.partition(" {")[0], []
    for at, token in enumerate(tokens):
        before_last, before, own, after, after_next = padded[at : at + 5]
        near = [f"-2 {before_last}", f"-1 {before}", f"0 {own}", f"1 {after}", f"2 {after_next}"]
        pairs = [f"-2-1 {before_last} {before}", f"-10 {before} {own}", f"01 {own} {after}", f"12 {after} {after_next}"]
        asked = [f"{wanted} -1 {before}", f"{wanted} 0 {own}", f"{wanted} 1 {after}", f"{wanted}"]
        capitals = "".join("Aa"[part[:1].islower()] for part in ("", *tokens, "")[at : at + 3])
        shape = [f"ends {own[-3:]}", f"capitals {capitals} {begins[at]}", f"word {token.isalpha()}"]
        found.append([*near, *pairs, *asked, *shape])
    return found


def _write_token(token: str, begins: bool, frame: Collection[str]) -> str:  # noqa: FBT001
    """The capital of what begins a sentence says nothing; elsewhere “Sources” is another word than “sources”."""
    if _NUMBER.fullmatch(token):
        return "0"
    if (word := token.lower() if begins else token) in frame:
        return word.lower()
    return "Rare" if token[:1].isupper() else "rare"


def find_named(label: str, text: str, classifier: Classifier) -> str:
    """What is quoted, else the run of tokens that is likeliest what the intent is about."""
    if not {"words", "topic"} & {*list_slots(label)}:
        return ""
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
    return text[tokens[first].start() : tokens[last].end()]
