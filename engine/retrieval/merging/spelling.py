"""Spellings that mean the same word: transliterations, British and American forms, plurals, slips of the keyboard."""

from __future__ import annotations

import re
import unicodedata

from engine.text import words

_LETTERS = str.maketrans(
    {"ø": "o", "œ": "oe", "æ": "ae", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n"}
)
_CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў",
        "a b v g d e e zh z i i k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya i i e g u".split(" "),  # noqa: SIM905 - “_” is no word
        strict=True,
    )
)
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        words(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
            "upsilon phi chi psi omega"
        ),
        strict=True,
    )
)
_BRITISH = (
    (re.compile(r"is(?=ation|e$|es$|ed$|ing$|er$|ers$)"), "iz"),
    (re.compile(r"ys(?=e$|ed$|ing$|es$|er$|ers$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})our(?=$|[a-z])"), "or"),
    (re.compile(r"ll(?=(?:ing|ings|ed|er|ers)$)"), "l"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"ence(?=s?$)"), "ense"),
    (re.compile(r"gramme(?=s?$)"), "gram"),
    (re.compile(r"(?<=[ai]b)re(?=s?$)"), "er"),
    (re.compile(r"(?<=ag)e(?=ing$)|(?<=dg)e(?=ment)|(?<=l)l(?=ments?$)"), ""),
    (re.compile(r"(?<=[a-z])aem(?=[aio])|(?<=h)aem"), "em"),
    (re.compile(r"^oe(?=[ds])|(?<=[a-z])oe(?=a$)|(?<=f)oe(?=t)"), "e"),
    (re.compile(r"(?<=[npg])ae(?=sth|di|co)|^ae(?=tio|sth)|(?<=[cf])ae(?=[cs]a)"), "e"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"alumini(?=um)"), "alumin"),
    (re.compile(r"^(?:sc|sk)(?=eptic)"), "sk"),
    (re.compile(r"^gre(?=y)"), "gra"),
    (re.compile(r"^arte(?=fact)"), "arti"),
    (re.compile(r"^moul(?=d)"), "mol"),
)
_VOWELS = frozenset("aeiou")


def plain_letters(text: str) -> str:
    """Lower case without accents, in Latin letters as far as a transliteration is known; what is no letter stays."""
    folded = unicodedata.normalize("NFKD", text.casefold()).casefold()  # ℤ is a capital only after normalisation
    bare = "".join(ch for ch in folded if not unicodedata.combining(ch)).translate(_LETTERS)
    if bare.isascii():
        return bare
    return "".join(_CYRILLIC.get(ch, ch).strip("_") for ch in bare)


def greek_names(text: str) -> str:
    """A Greek letter that stands alone as its name: ``β-VAE`` as ``beta-VAE``."""
    return re.sub(r"[α-ω]", lambda m: f"{_GREEK.get(m[0], m[0])} ", text).replace("ς", "sigma ")


def fold_umlauts(word: str) -> str:
    """``mueller`` and ``muller`` as one; loses letters, so only equality of two results means anything."""
    return re.sub(r"([aou])e|aa", lambda m: m[1] or "a", word)


def is_same_word(one: str, other: str) -> bool:
    """Whether two words, in plain letters, are spellings of one, rather than two words a letter apart.

    A letter that is added, left out or exchanged is a slip only inside a long word: “adsorption” and “absorption”,
    “nitrate” and “nitrite”, “supervised” and “unsupervised” are two words.
    """
    if one == other or fold_umlauts(one) == fold_umlauts(other):
        return True
    if len({re.sub(r"[ao]e", "e", american_spelling(word)) for word in (one, other)}) == 1:  # anaemia, anemia
        return True
    short, long = sorted((one, other), key=len)
    if not short.isalpha() or not long.isalpha() or len(short) < 4:
        return False
    if long in {f"{short}s", f"{short}es"} or (short.endswith("y") and long == f"{short[:-1]}ies"):
        return True
    return _is_slip(short, long)


_INSTEAD = (frozenset(words("with from by via using through")), frozenset(words("of for in on")))
"""Prepositions that stand for one another where a title is quoted from memory."""


def is_same_preposition(one: str, other: str) -> bool:
    """Whether a title may have either: “summarize from feedback”, “summarize with feedback”."""
    return any({one, other} <= words_alike for words_alike in _INSTEAD)


def american_spelling(word: str) -> str:
    """``modelling`` as ``modeling``; only equality of two results means anything."""
    for british, american in _BRITISH:
        word = british.sub(american, word)
    return word


def _is_slip(short: str, long: str) -> bool:
    if short[0] != long[0]:
        return False
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) == len(long):
        swapped = short[:start] + short[start + 1 : start + 2] + short[start : start + 1] + short[start + 2 :]
        if swapped == long:
            return True
        differing = [(a, b) for a, b in zip(short, long, strict=True) if a != b]
        inside = 3 <= start < len(short) - 3 and len(differing) == 1
        return inside and len(short) >= 9 and all(a in _VOWELS and b in _VOWELS for a, b in differing)
    if len(long) != len(short) + 1 or long[:start] + long[start + 1 :] != short:
        return False
    is_doubled = start > 0 and long[start] == long[start - 1]
    return is_doubled or (len(long) >= 8 and 3 <= start < len(long) - 2)
