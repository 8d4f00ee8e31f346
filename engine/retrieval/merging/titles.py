"""Titles compared as a librarian compares them: what is spelling, what a subtitle, and what another work."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from enum import Enum
from functools import lru_cache

from rapidfuzz import fuzz

from engine.text import stem, to_american, words

_LETTERS = str.maketrans(
    {"ø": "o", "œ": "oe", "æ": "ae", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n"}
)


def plain_letters(text: str) -> str:
    """Lower case without accents, in Latin letters where they are variants of one; all else stays."""
    folded = unicodedata.normalize("NFKD", text.casefold()).casefold()  # ℤ is a capital only after normalisation
    return "".join(ch for ch in folded if not unicodedata.combining(ch)).translate(_LETTERS)


def name_greek(text: str) -> str:
    """A Greek letter as its name: ``β-VAE`` as ``beta -VAE``."""
    return re.sub(r"[α-ω]", lambda m: f"{unicodedata.name(m[0]).split()[-1].lower().replace('lamda', 'lambda')} ", text)


def fold_umlauts(word: str) -> str:
    """``mueller`` and ``muller`` as one; loses letters, so only equality of two results means anything."""
    return re.sub(r"([aou])e|aa", lambda m: m[1] or "a", word)


def fold_spelling(word: str) -> str:
    """*Anaemia*, *behaviour* and *optimise* as *anemia*, *behavior* and *optimize*; only equality means anything."""
    return re.sub(r"[ao]e", "e", to_american(word))


def is_same_word(one: str, other: str) -> bool:
    """Whether two words, in plain letters, are spellings or forms of one."""
    return fold_umlauts(one) == fold_umlauts(other) or stem(fold_spelling(one)) == stem(fold_spelling(other))


class Titles(Enum):
    """How two titles stand to each other."""

    SAME = "same"
    """Letter by letter, apart from case, accents, punctuation, articles and decoration."""
    NEAR = "near"
    """At most two words spelt otherwise."""
    SHORTENED = "shortened"
    """One lacks the other's subtitle, its name before a colon, or its cut-off end."""
    OTHER = "other"


_DECORATION = re.compile(
    r"^\s*(?:\[?(?:retracted(?: article)?|withdrawn|preprint)\]?\s*[:\]]\s*)|"
    r"\s*\[version \d+[^\]]*\]\s*$|\s*[\[(](?:arxiv )?(?:pre-?print|retracted(?: article)?)[\])]\s*$|"
    r"\s*\((?:with (?:discussion|comments)[^)]{0,40}|invited(?: paper)?)\)\s*$|"
    r"\s*\[(?:j|c|m|d|j/ol|eb/ol)\]\s*\.?$",
    re.I,
)
_SAME_WORDS = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "vs": "versus"}
_COMPARED = {"<": "less", ">": "greater", "≤": "atmost", "≥": "atleast"}
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
    r"(errat\w+|corrigend\w+|correction|addendum|retraction|comments?|commentary|reply|response|rejoinder|discussion|"
    r"book review|review|supplement\w*)\b(?: (?:to|on|of|for)\b| ?:|$)",
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
HEAD_LETTERS = 20
LONG_LETTERS = 30
LONG_WORDS = 5


@lru_cache(maxsize=200_000)
def title_words(title: str) -> tuple[str, ...]:
    """The words in plain letters: numbers as digits, signs as words, without articles and decoration."""
    # Braces protect capitals: “Ro{BERT}a”.
    bare = re.sub(r"[{}]", "", _DECORATION.sub("", title)).replace("&", " and ").replace("×", "x")
    bare = re.sub(r"\s([<>≤≥])(?=\s)", lambda m: f" {_COMPARED[m[1]]}", bare)
    bare = re.sub(r"(?<=\d)\.(?=\d)", "point", bare)
    found = re.findall(r"[^\W_]+|(?<=\w)\+{1,2}(?!\w)", plain_letters(name_greek(bare.casefold())))
    kept = [_SAME_WORDS.get(word, word) for word in found if word not in _ARTICLES]
    return tuple(kept) or tuple(found)


@lru_cache(maxsize=200_000)
def title_letters(title: str) -> str:
    """All letters and digits of the words: equal for titles that are the `SAME`."""
    return "".join(map(fold_spelling, title_words(title)))


def is_generic(title: str) -> bool:
    """“Editorial”, “Introduction to the Special Issue”: a title that many works bear."""
    found = title_words(title)
    return not found or (len(found) <= 8 and all(word in _GENERIC or word.isdigit() for word in found))


def is_recurrent(title: str) -> bool:
    """“Findings of …”, “Overview of the … track”: a title that comes again every year."""
    return bool(_RECURRENT.match(title.strip()))


def is_long(title: str) -> bool:
    """Whether a title is long enough to be one work's without its authors."""
    found, letters = title_words(title), title_letters(title)
    return len(found) >= LONG_WORDS and len(letters) >= LONG_LETTERS


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
    if _numbers(first) == _numbers(second) and _is_near(first, second):
        return Titles.NEAR
    if _is_shortened(one, other) or _is_shortened(other, one):
        return Titles.SHORTENED
    return Titles.OTHER


def title_similarity(one: str, other: str) -> float:
    """0 to 1: how much of the words of the shorter is in the longer, in whatever order."""
    return float(fuzz.token_set_ratio(" ".join(title_words(one)), " ".join(title_words(other)))) / 100


def notice_kind(title: str) -> str:
    """“erratum”, “reply”, …: what a notice about another work is; empty for a work itself."""
    match = _NOTICE.match(title.strip())
    return match[1].lower() if match else ""


def _numbers(found: tuple[str, ...]) -> Counter[str]:
    return Counter(number for word in found for number in re.findall(r"\d+(?:point\d+)?", word))


def _is_near(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether at most two words differ, and these in spelling only."""
    if len(first) != len(second) or len(first) < 3:
        return False
    others = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    return len(others) <= 2 and all(is_same_word(*pair) for pair in others)


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
