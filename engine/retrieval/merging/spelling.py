"""Spellings that mean the same word: accents, transliterations, British and American forms, plurals."""

from __future__ import annotations

import re
import unicodedata

from engine.text import stem, to_american

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
