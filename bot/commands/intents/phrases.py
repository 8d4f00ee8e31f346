"""Words as typed → the words the patterns are written in: lower case, no short forms, numbers as digits, frames off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rapidfuzz.distance import DamerauLevenshtein

from bot.commands.intents.vocabulary import any_of, table, words

_TOKEN = re.compile(
    r"“[^”]*”|\"[^\"]*\"|«[^»]*»|\[[\d,\s–-]+\]|\d+\s?[-–]\s?\d+(?![\d.])|\d+(?:\.\d+)+|\d+(?:st|nd|rd|th)\b|#\s?\d+|\bn[or]\.\s?\d+\b(?!\.\d)"
    r"|\d+(?=[\s,;:!?.)–+&/-]|$)|[+&/](?=\d)|<?@[^\s,;:!?]+|[^\s,;:!?()\[\]\"“”]+|[,;:?!()]"
)
_UNSPELT = re.compile(r"(is|are|was|were|do|does|did|has|have|had|would|should|could|must)nt")
"""“arent”: a short form without its apostrophe."""
_SHORT_FORMS = {"n't": "not", "'ll": "will", "'re": "are", "'ve": "have", "'d": "would"}
_SHORT_FORM = re.compile(rf"([a-z]{{2,}}?)({'|'.join(_SHORT_FORMS)})")
_AFTER_FOR = re.compile(r"\s(?:this|me|us|u|my)\b", re.I)
"""“bibtex 4 this”."""
_COUNTED = frozenset(["section", "sections", "chapter", "part", "paper", "number", "keyword", "survey", "top"])
"""Words after which “one” is a number."""


_SENTENCE_END = re.compile(r"(?<=[^\W_])[.?!…]+(?=\s+\w)")


def join_sentences(text: str) -> str:
    """Several sentences as clauses of one."""
    return _SENTENCE_END.sub(",", text)


def ends_sentence(text: str) -> bool:
    """Whether one sentence ends in the words and another begins."""
    return bool(_SENTENCE_END.search(text))


@dataclass(frozen=True, slots=True)
class Phrase:
    """Normalised words, and for each of their characters the span of the text as typed that it comes from."""

    norm: str
    source: str
    spans: tuple[tuple[int, int], ...]

    def source_of(self, start: int, end: int) -> str:
        """The text as typed behind a stretch of the normalised words."""
        piece = self.cut(start, end)
        return piece.source[piece.spans[0][0] : piece.spans[-1][1]] if piece.norm else ""

    def surface(self, start: int, end: int) -> str:
        """The same on one line, without quotation marks and punctuation around it."""
        return " ".join(self.source_of(start, end).split()).strip(" \"'“”«»,;:.")

    def cut(self, start: int, end: int) -> Phrase:
        """A stretch of the phrase."""
        while start < end and self.norm[start] in " ,:;":
            start += 1
        while end > start and self.norm[end - 1] in " ,:;":
            end -= 1
        return Phrase(self.norm[start:end], self.source, self.spans[start:end])


def normalise(text: str, *, lexicon: frozenset[str] = frozenset()) -> Phrase:
    """The phrase; with a lexicon, a word that is one slip of the finger from one of its words becomes that word."""
    norm: list[str] = []
    spans: list[tuple[int, int]] = []
    text = text.replace("’", "'").replace("‘", "'")
    previous = ""
    for match in _TOKEN.finditer(text):
        is_for = match[0] == "4" and _AFTER_FOR.match(text, match.end())
        word = "for" if is_for else _normalise_word(match[0].lower(), previous, lexicon)
        if not word:
            continue
        previous = word
        if norm:
            norm.append(" ")
            spans.append(match.span())
        norm.extend(word)
        spans.extend([match.span()] * len(word))
    return Phrase("".join(norm), text, tuple(spans)).cut(0, len(norm))


def _normalise_word(low: str, previous: str, lexicon: frozenset[str]) -> str:
    if low[0] in '"“«':
        return low.strip('"“”«» ')
    if low in "!()?;":
        return "," if low == ";" else ""
    low = (low.rstrip(".…") or low).strip("*_`")
    low = re.sub(r"^\.(?=[a-z])|(?<=^\d)'s$", "", low)  # “.bib”, “section 3's title”
    if low in {"", ".", "…", "...", "-", "–", "—"}:
        return "-" if low in {"-", "–", "—"} else ""
    if number := _read_number(low):
        return number
    low = _write_out(low, previous)
    if low == "first" and previous in {"it", "this", "that", "them", "me", "us"}:
        return low  # “let me read it first”
    if low in table("ordinals"):
        return f"#{table('ordinals')[low]}"
    if low in table("cardinals") and (low != "one" or previous.rpartition(" ")[2] in _COUNTED):
        return str(table("cardinals")[low])
    low = table("inflected").get(low, low)
    if low == "last" and previous != "at":
        return "#last"
    if lexicon and len(low) >= 4 and low.isalpha() and low not in lexicon | _load_known_words():
        return _correct(low, lexicon)
    return low


def _write_out(low: str, previous: str) -> str:
    """A word without its short form: ``they'll`` → ``they will``, ``aren't`` → ``are not``, ``4 n 7`` → ``4 and 7``."""
    if previous and low == "n":
        return "and"
    if previous == "more" and low in table("compared"):
        return str(table("compared")[low])
    if known := table("contractions").get(low):
        return str(known)
    if bare := _UNSPELT.fullmatch(low):
        return f"{bare[1]} not"
    match = _SHORT_FORM.fullmatch(low)
    return f"{match[1]} {_SHORT_FORMS[match[2]]}" if match else low


def _read_number(low: str) -> str:
    """``3rd`` and ``# 3`` are the third; ``no. 3`` is a number; ``3 - 7`` is a span; empty for other words."""
    if match := re.fullmatch(r"n[or]\.\s?(\d+)", low):
        return f"number {match[1]}"
    if match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)|#\s?(\d+)", low):
        return f"#{match[1] or match[2]}"
    if match := re.fullmatch(r"(\d+)\s?[-–]\s?(\d+)", low):
        return f"{match[1]}-{match[2]}"
    return ""


@cache
def _load_known_words() -> frozenset[str]:
    """Words that are no slips of the finger for one of a command."""
    lists = (
        "real_words",
        "hesitation",
        "opinion",
        "function",
        "nouns",
        "social",
        "research",
        "artefacts",
        "pronouns",
        "frame",
    )
    return frozenset().union(*map(words, lists))


@cache
def _correct(word: str, lexicon: frozenset[str]) -> str:
    """The nearest word of the lexicon within one edit, or two for long words; the word itself where none is near."""
    allowed = 1 if len(word) < 8 else 2
    near = [
        (DamerauLevenshtein.distance(word, known), known)
        for known in lexicon
        if abs(len(known) - len(word)) <= allowed and (known[0] == word[0] or sorted(known) == sorted(word))
    ]
    distance, best = min(near, default=(allowed + 1, word))
    return best if distance <= allowed else word


@cache
def _frames() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"{any_of('leading')} (?:, |: )?"),
        re.compile(rf"(?=(?: ,)? {any_of('trailing')}$)"),
    )


def take_frames_off(phrase: Phrase, *, widely: bool) -> Iterator[Phrase]:
    """The phrase, then what is left as one polite frame after another is taken off, the longest first.

    ``widely``: any word that only leads to what is wanted goes, “my supervisor would prefer that we …” too.
    """
    leading, trailing = _frames()
    seen: set[str] = set()
    waiting = [phrase]
    while waiting:
        now = waiting.pop(0)
        if not now.norm or now.norm in seen:
            continue
        seen.add(now.norm)
        yield now
        if (shorter := _take_adverbs_out(now)).norm != now.norm:
            waiting.append(shorter)
        lead = leading.match(now.norm + " ")
        if lead and lead.end() < len(now.norm):
            waiting.append(now.cut(lead.end(), len(now.norm)))
        waiting += [now.cut(0, tail.start()) for tail in trailing.finditer(now.norm)]
        first, _, rest = now.norm.partition(" ")
        if widely and rest and first in words("frame"):
            waiting.append(now.cut(len(first), len(now.norm)))


def _take_adverbs_out(phrase: Phrase) -> Phrase:
    """“i want also to have” → “i want to have”: words that change no wish, where they stand inside it."""
    kept = [
        match.span()
        for match in re.finditer(r"\S+\s?", phrase.norm)
        if match.start() == 0 or match[0].strip() not in words("adverbs")
    ]
    norm = "".join(phrase.norm[start:end] for start, end in kept)
    spans = tuple(span for start, end in kept for span in phrase.spans[start:end])
    return Phrase(norm, phrase.source, spans).cut(0, len(norm))


@cache
def _tails() -> re.Pattern[str]:
    return re.compile(rf"(?:(?: ,)? {any_of('trailing')})+$")


def end_of_words(norm: str) -> int:
    """Where a polite frame at the end of some words begins; their length where there is none."""
    found = _tails().search(norm)
    return found.start() if found and found.start() else len(norm)
