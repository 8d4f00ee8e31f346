"""Titles compared as a librarian compares them: what is spelling, what a subtitle, and what another work."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from enum import Enum
from functools import lru_cache

from rapidfuzz import fuzz

from engine.retrieval.merging.spelling import (
    american_spelling,
    fold_umlauts,
    greek_names,
    is_same_preposition,
    is_same_word,
    plain_letters,
)
from engine.text import words


class Titles(Enum):
    """How two titles stand to each other."""

    SAME = "same"
    """Letter by letter, apart from case, accents, punctuation, articles and decoration."""
    NEAR = "near"
    """At most two words spelt otherwise."""
    SHORTENED = "shortened"
    """One lacks the other's subtitle, its name before a colon, or its cut-off end."""
    SERIES = "series"
    """The same words with other numbers: parts, years, versions."""
    OTHER = "other"


_DECORATION = re.compile(
    r"^\s*(?:\[?(?:retracted(?: article)?|withdrawn|preprint)\]?\s*[:\]]\s*)|"
    r"\s*\[version \d+[^\]]*\]\s*$|\s*[\[(](?:arxiv )?(?:pre-?print|retracted(?: article)?)[\])]\s*$|"
    r"\s*\((?:with (?:discussion|comments)[^)]{0,40}|invited(?: paper)?)\)\s*$|"
    r"\s*\[(?:j|c|m|d|j/ol|eb/ol)\]\s*\.?$",
    re.I,
)
_EDITION = re.compile(r"\b(\w+(?:st|nd|rd|th|ond)) ed(?:n|ition)?\b\.?", re.I)
_NUMBER_WORDS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ORDINALS = words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_SAME_WORDS = {
    **{word: str(n) for n, word in enumerate(_NUMBER_WORDS, start=1)},
    **{word: f"{n}{_ENDINGS.get(n, 'th')}" for n, word in enumerate(_ORDINALS, start=1)},
    **{f"twenty{word}": str(n) for n, word in enumerate(_NUMBER_WORDS[:9], start=21)},
    **{f"twenty{word}": f"{n}{_ENDINGS.get(n - 20, 'th')}" for n, word in enumerate(_ORDINALS[:9], start=21)},
    "vs": "versus",
}
_OVER_TWENTY = re.compile(rf"\btwenty[\s-]+(?=(?:{'|'.join(_NUMBER_WORDS[:9] + _ORDINALS[:9])})\b)")
_COMPARED = {"<": "less", ">": "greater", "≤": "atmost", "≥": "atleast"}
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_NUMBERED_BY = frozenset(
    words(
        "part parts volume vol chapter section book paper phase stage type class series no number level grade "
        "tier round edition version act lecture report issue generation"
    )
)
_ARTICLES = frozenset({"a", "an", "the"})
_SUBTITLE = re.compile(r"\s*(?::|\?|;|\s[-–—]+|[–—])\s+|\.\s+(?=[A-Z])|\s+\(")

_OTHER_WORK = frozenset(
    words(
        "abstract extended poster demo demonstration tutorial supplement supplementary supplemental appendix "
        "appendices thesis dissertation keynote talk slides workshop reply response rejoinder comment comments "
        "commentary discussion erratum errata corrigendum correction corrections addendum retraction revisited "
        "replication part volume vol chapter edition version versions dataset code video companion update sequel "
        "continued exercises solutions errata conclusion proof proofs technical short full long preliminary "
        "summary guide manual book index protocol"
    )
)
"""Words of a subtitle that make it another work."""

_NOTICE = re.compile(
    r"^(?:(?:author|publisher|editorial)(?:['’]?s)? )?(?P<kind>errat\w+|corrigend\w+|correction|addendum|retraction|"
    r"withdrawal|comments?|commentary|reply|response|rejoinder|discussion|book review|review|expression of concern|"
    r"supplement(?:ary)?(?: \w+)?)(?: (?:to|on|of|for)\b| ?: | ?[-–—] |: |$)|"
    r"[:–—-] (?:an? |authors?['’]? |the authors? )?(?P<after>reply|response|rejoinder|comments?|commentary|discussion|"
    r"erratum|corrigendum|correction|addendum)\s*$",
    re.I,
)
_GENERIC = frozenset(
    words(
        "editorial editorials editor editors introduction introductory preface foreword prologue epilogue "
        "afterword conclusion conclusions index contents content table front back matter erratum errata "
        "corrigendum corrigenda correction corrections addendum obituary news letter letters book books review "
        "reviews memoriam memoria announcement announcements acknowledgement acknowledgements acknowledgment "
        "acknowledgments reviewers reviewer referees issue special guest message chair chairs chairman president "
        "presidents welcome keynote keynotes panel panels abstract abstracts poster posters session sessions "
        "reply response comment comments commentary discussion summary overview author authors about contributors "
        "calendar note notes untitled title page cover copyright program programme committee committees "
        "organization research highlights views view point viewpoint perspective column columns department "
        "departments volume section from the to of on and in this for our your by a an with at word words opening "
        "closing remarks report reports annual list corner desk photo image images meeting minutes supplement "
        "supplementary material materials appendix bibliography references glossary background related work "
        "advertisement masthead thanks thank 2 first last new year theme thematic symposium workshop conference "
        "proceedings retraction"
    )
)
_RECURRENT = re.compile(
    r"^(?:findings of|overview of|report (?:on|of)|results of|proceedings of|preface|annual|summary of|"
    r"highlights (?:of|from)|introduction to the (?:special|proceedings|workshop|minitrack)|guest editorial|editorial|"
    r"state of the|statistics|world |global |the (?:\w+ ){0,4}(?:shared task|challenge|competition|track|campaign)|"
    r"message from|workshop on|(?:\w+ ){0,2}statistics)",
    re.I,
)
_SURVEY = re.compile(
    r"\b(?:surveys?|reviews?|overview|introduction|tutorial|advances|handbook|trends|challenges|"
    r"perspectives?|state of the art)\b",
    re.I,
)
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
HEAD_LETTERS = 20
LONG_LETTERS = 30
LONG_WORDS = 5


@lru_cache(maxsize=200_000)
def title_words(title: str) -> tuple[str, ...]:
    """The words in plain letters: numbers as digits, “&” and “<” as words, without articles and decoration."""
    bare = _DECORATION.sub("", title)
    bare = _EDITION.sub(r"\1 edition", re.sub(r"(?<=\w)\+\+", " plusplus ", bare)).replace("×", "x")
    bare = re.sub(r"(?<=\w)\+(?!\w)", " plus ", bare).replace("&", " and ")
    bare = re.sub(r"(?<=[A-Z])#", " sharp ", re.sub(r"\b([A-Z])\*(?=\s)", r"\1 star ", bare))
    bare = re.sub(r"\s([<>≤≥])(?=\s)", lambda m: f" {_COMPARED[m[1]]}", bare)
    bare = re.sub(r"(?<=\d)[,’'](?=\d{3}\b)", "", re.sub(r"(?<=\d)\.(?=\d)", "point", bare))
    bare = re.sub(r"[{}]", "", bare)  # BibTeX's protection of capitals: “Ro{BERT}a”
    plain = _OVER_TWENTY.sub("twenty", plain_letters(greek_names(bare.casefold())))
    found = re.findall(r"[^\W_]+", re.sub(r"(?<=\w)['’](?=\w)", "", plain))
    kept = [_SAME_WORDS.get(word, word) for word in found if word not in _ARTICLES]
    return tuple(_roman_as_digits(kept)) or tuple(found)


def _roman_as_digits(found: list[str]) -> list[str]:
    """“Part II” and “Networks II” as “Part 2” and “Networks 2”; a lone I, V or X only after “part” and the like."""
    made = []
    for i, word in enumerate(found):
        is_roman = word and set(word) <= set("ivx") and _ROMAN.fullmatch(word)
        named = i > 0 and found[i - 1] in _NUMBERED_BY
        last = i == len(found) - 1 and i > 0
        made.append(str(_roman_value(word)) if is_roman and (len(word) > 1 or named or last) else word)
    return made


def _roman_value(word: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in word]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


@lru_cache(maxsize=200_000)
def title_letters(title: str) -> str:
    """All letters and digits of the words: equal for titles that are the `SAME`."""
    return "".join(fold_umlauts(american_spelling(word)) for word in title_words(title))


def is_generic(title: str) -> bool:
    """“Editorial”, “Introduction to the Special Issue”: a title that many works bear."""
    found = title_words(title)
    return not found or (len(found) <= 8 and all(word in _GENERIC or word.isdigit() for word in found))


def is_recurrent(title: str) -> bool:
    """“Findings of …”, “Overview of the … track”: a title that comes again every year."""
    return bool(_RECURRENT.match(title.strip()))


def is_long(title: str) -> bool:
    """Whether a title is long enough to be one work's without its authors; one of a survey must be longer."""
    found, letters = title_words(title), title_letters(title)
    more = 1.5 if _SURVEY.search(title) else 1.0
    if len(_IDEOGRAPH.findall(letters)) > len(letters) / 2:  # a sign is a syllable, and no space parts the words
        return len(letters) >= LONG_LETTERS / 2 * more
    return len(found) >= LONG_WORDS * more and len(letters) >= LONG_LETTERS * more


def is_cut_off(title: str) -> bool:
    """Whether a title ends in “…”, as where a list has no room for all of it."""
    return bool(re.search(r"(?:…|\.\.\.)\s*$", title))


def compare_titles(one: str, other: str) -> Titles:
    """How the two stand to each other; a notice about a paper (erratum, reply) is never that paper."""
    if notice_kind(one) != notice_kind(other):
        return Titles.OTHER
    if title_letters(one) == title_letters(other):
        return Titles.SAME
    first, second = title_words(one), title_words(other)
    if _numbers(first) != _numbers(second):
        if _is_shortened(one, other) or _is_shortened(other, one):
            return Titles.SHORTENED
        return Titles.SERIES if _remove_numbers(first) == _remove_numbers(second) else Titles.OTHER
    if _is_near(first, second):
        return Titles.NEAR
    if _is_shortened(one, other) or _is_shortened(other, one):
        return Titles.SHORTENED
    return Titles.OTHER


def title_similarity(one: str, other: str) -> float:
    """0 to 1: how much of the words of the shorter is in the longer, in whatever order."""
    return float(fuzz.token_set_ratio(" ".join(title_words(one)), " ".join(title_words(other)))) / 100


def notice_kind(title: str) -> str:
    """“erratum”, “reply”, …: what a notice about another work is; empty for a work itself."""
    match = _NOTICE.search(title.strip())
    if match is None:
        return ""
    kind = (match["kind"] or match["after"]).lower()
    return "review" if "review" in kind and len(title.split()) > 3 and not _reviews_a_work(title) else kind


def _reviews_a_work(title: str) -> bool:
    return bool(re.match(r"(?:book )?review of [“\"'‘]|book review", title.strip(), re.I))


def _numbers(found: tuple[str, ...]) -> Counter[str]:
    return Counter(number for word in found for number in re.findall(r"\d+(?:point\d+)?", word))


def _remove_numbers(found: tuple[str, ...]) -> str:
    return re.sub(r"\d+(?:point\d+)?", "", "".join(found))


def _is_near(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether at most two words differ, and these in spelling only."""
    if min(len(first), len(second)) < 3:
        return False
    slips = 0
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        left, right = first[a:b], second[c:d]
        if kind == "equal" or fold_umlauts("".join(left)) == fold_umlauts("".join(right)):
            continue
        pairs = list(zip(left, right, strict=False))
        is_long = min(len(first), len(second)) > LONG_WORDS
        if len(left) != len(right) or not all(
            is_same_word(*pair) or (is_long and is_same_preposition(*pair)) for pair in pairs
        ):
            return False
        slips += len(left)
    return slips <= 2


def _is_shortened(short: str, long: str) -> bool:
    """Whether the first is the second without its subtitle, without the name before it, or cut off with “…”."""
    letters = title_letters(short)
    if is_cut_off(short) and len(letters) >= HEAD_LETTERS:
        return title_letters(long).startswith(letters)
    if len(letters) < HEAD_LETTERS or len(title_words(short)) < 4:
        return False
    for cut in _SUBTITLE.finditer(long):
        main, rest = long[: cut.start()], long[cut.end() :].rstrip(")")
        if title_letters(main) == letters:
            dropped = title_words(rest)
            return not (set(dropped) & _OTHER_WORK or _numbers(dropped))
        name = title_words(main)
        if title_letters(rest) == letters and len(name) <= 3 and not set(name) & _OTHER_WORK:
            return not notice_kind(long)
    return False
