"""Titles compared as a librarian compares them: what is spelling, what a subtitle, and what another work."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from engine.text import STOP_WORDS, stem, to_american

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


TitleMatch = Literal["same", "near", "shortened", "other"]
"""How two titles stand to each other: ``same`` letter by letter, apart from case, accents, punctuation, articles and
decoration; ``near``: at most two words spelt otherwise; ``shortened``: one lacks the other's subtitle, its name before
a colon, or its cut-off end."""

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

_FRONT_MATTER = (
    "abstract acknowledgement acknowledgment addenda addendum afterword announcement annual appendix author "
    "bibliography book chair chairman column comment commentary committee conclusion conference contents "
    "contributors copyright correction corrigenda corrigendum cover department discussion editor editorial epilogue "
    "errata erratum findings foreword glossary guest index introduction introductory issue keynote letter masthead "
    "material meeting memoriam message minutes news note obituary overview panel perspective poster preface "
    "president proceedings program programme prologue referees references rejoinder remarks reply report response "
    "retraction review reviewer section session summary supplement supplemental supplementary symposium table "
    "viewpoint volume welcome workshop"
)
"""Words by which journals, proceedings and notices call what is no paper, or another one's companion."""
_WITH_FRONT_MATTER = (
    "back background corner first highlights last list matter new opening closing page related special thematic "
    "theme title view word work year"
)
_COMPANIONS = "code dataset demo demonstration edition extended part proof thesis tutorial version video"
"""Words by which a subtitle tells another work of the same authors."""
_FRONT_STEMS = frozenset(map(stem, _FRONT_MATTER.split()))
_OTHER_STEMS = _FRONT_STEMS | frozenset(map(stem, _COMPANIONS.split()))
_GENERIC_STEMS = _FRONT_STEMS | frozenset(map(stem, _WITH_FRONT_MATTER.split()))
HEAD_LETTERS, LONG_LETTERS, LONG_WORDS = 20, 30, 5


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
    """All letters and digits of the words: equal for titles that are the ``same``."""
    return _join(title_words(title))


def _join(found: Iterable[str]) -> str:
    return "".join(map(fold_spelling, found))


def is_generic(title: str) -> bool:
    """“Editorial”, “Introduction to the Special Issue”: a title that many works bear."""
    found = title_words(title)
    return len(found) <= 8 and all(stem(w) in _GENERIC_STEMS or w in STOP_WORDS or w.isdigit() for w in found)


def is_recurrent(title: str) -> bool:
    """“Overview of the … track”, “Erratum: …”: a title of what comes again every year, or goes with a paper."""
    return not _FRONT_STEMS.isdisjoint(map(stem, title_words(title)[:2]))


def is_long(title: str) -> bool:
    """Whether a title is long enough to be one work's without its authors."""
    found, letters = title_words(title), title_letters(title)
    return len(found) >= LONG_WORDS and len(letters) >= LONG_LETTERS


def is_cut_off(title: str) -> bool:
    """Whether a title ends in “…”, as where a list has no room for all of it."""
    return bool(re.search(r"(?:…|\.\.\.)\s*$", title))


def compare_titles(one: str, other: str) -> TitleMatch:
    """How the two stand to each other; a notice about a paper (erratum, reply) is never that paper."""
    if title_letters(one) == title_letters(other):
        return "same"
    first, second = title_words(one), title_words(other)
    if _is_near(first, second):
        return "near"
    if _is_shortened(one, other) or _is_shortened(other, one):
        return "shortened"
    return "other"


def title_similarity(one: str, other: str) -> float:
    """0 to 1: how much of the words of the shorter is in the longer, in whatever order."""
    return float(fuzz.token_set_ratio(" ".join(title_words(one)), " ".join(title_words(other)))) / 100


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
        main, rest = title_words(long[: cut.start()]), title_words(long[cut.end() :].rstrip(")"))
        # A single word behind a title mostly tells another work (“dataset”, “revisited”); the name before one is short.
        if _join(main) == letters:
            return len(rest) > 1 and not _OTHER_STEMS & set(map(stem, rest))
        if _join(rest) == letters:
            return len(main) <= 3 and not _OTHER_STEMS & set(map(stem, main))
    return False
