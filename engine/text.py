"""Plain text: sentences, words, normal forms. Nothing here knows about papers or surveys."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import count

import sentencex
import Stemmer

_WORD = re.compile(r"[^\W\d_][\w-]*[^\W_]|[^\W\d_]\d*")


class _OfThread(threading.local):
    """A stemmer keeps the word it works on, so every thread has its own."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_mine = _OfThread()


def read_list(path: str) -> tuple[str, ...]:
    """The lines of a text file in the engine's folder, in order, without empty lines and comments (``# …``)."""
    lines = resources.files("engine").joinpath(path).read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


STOP_WORDS = frozenset(read_list("stop_words.txt"))
"""The list of the Glasgow Information Retrieval Group, as scikit-learn has it."""


def clean(text: str) -> str:
    """One line of text without control, direction-changing or zero-width characters.

    Runs of white space become one space, other runs are divided after `LONGEST_RUN`; the result is in Unicode normal
    form C.
    """
    spaced = bound_runs(" ".join(text.split()))
    if not spaced.isprintable():
        kept = (" " if unicodedata.category(ch) in _BREAKS else ch for ch in spaced if not _invisible(ch))
        spaced = " ".join("".join(kept).split())
    return unicodedata.normalize("NFC", spaced)


LONGEST_RUN = 500
"""Characters in a row without white space: many expressions take time as the square of them, and no text has more."""

_BLANK = re.compile(r"\s{100,}")
_ENDLESS = re.compile(rf"(\S{{{LONGEST_RUN}}})(?=\S)")


def bound_runs(text: str) -> str:
    """The text with a space in longer runs of characters, and with longer runs of white space made short."""
    text = _BLANK.sub(lambda blank: "\n\n" if "\n" in blank[0] else " ", text)
    return _ENDLESS.sub(r"\1 ", text) if max(map(len, text.split()), default=0) > LONGEST_RUN else text


def storable(text: str) -> str:
    """The text without null characters and lone surrogates, which neither databases nor files take."""
    if "\0" not in text and text.isprintable():
        return text
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


_CITATION_START = re.compile(r"\[(?=[^\s!-~]*@)")
"""Also where characters that `clean` removes stand between the bracket and the sign."""


def inert(text: str) -> str:
    """Text from outside in which nothing is read as a citation."""
    return _CITATION_START.sub("[ ", text)


_BARE_NUMBERS = re.compile(
    r"(?<![ \t])(?<!\bCI)(?<!interval)(?<!range)[ \t]*+\[[ \t]*+\d++(?:[ \t]*+[-–,;][ \t]*+\d++)*+[ \t]*+\]"
)


def remove_bare_numbers(text: str) -> str:
    """Without ``[1]`` and ``[2, 5–7]``, also one in another: in a document they would stand for references.

    An interval that is called so (``95% CI [2, 5]``) stays.
    """
    while (bare := _BARE_NUMBERS.sub("", text)) != text:
        text = bare
    return text


_BREAKS = {"Cc", "Zl", "Zp"}


def _invisible(character: str) -> bool:
    """Zero-width and direction-changing characters, lone surrogates, unassigned and private ones."""
    return unicodedata.category(character) in {"Cf", "Cs", "Co", "Cn"}


def fold(text: str) -> str:
    """Letters and digits only, lower case, without accents: for comparing titles and names."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKD", text).casefold()
    return plain if plain.isalnum() else "".join(filter(str.isalnum, plain))


def words(text: str) -> list[str]:
    """Words in lower case, in order; numbers alone are not words."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=500_000)
def stem(word: str) -> str:
    """The Snowball stem of an English word; other words come back nearly unchanged.

    Words of another sense than those that Snowball gives the same stem have one of their own (`own_stems.txt`):
    *continual* is not *continuous*, an *activity* no *activation*.
    """
    before, hyphen, last = word.rpartition("-")
    if own := _own_stems().get(last):
        return f"{before}{hyphen}{own}"
    stemmed: str = _mine.stemmer.stemWord(word)
    return stemmed


_BRITISH = re.compile(r"(?:ogu|our)$")
_BRITISH_VERB = re.compile(r"(?<=[a-z]{4})is(?=(?:e[drs]?|ing|ations?)$)")


def to_american(word: str) -> str:
    """A word in American spelling: *dialogue*, *behaviour* and *optimise* as *dialog*, *behavior* and *optimize*."""
    return _BRITISH.sub(lambda ending: "og" if ending[0] == "ogu" else "or", _BRITISH_VERB.sub("iz", word))


def american_stem(word: str) -> str:
    """The stem of a word in American spelling."""
    return to_american(stem(_BRITISH_VERB.sub("iz", word)))


@cache
def _own_stems() -> dict[str, str]:
    """Word → stem; each line of the list holds the words of one stem, which is the first of them."""
    return {word: line.split()[0] for line in read_list("own_stems.txt") for word in line.split()}


_SMALL_WORDS = frozenset(["a", "an", "and", "by", "for", "from", "in", "of", "on", "the", "to", "via", "with"])


def find_long_form(abbreviation: str, before: str) -> str:
    """The words at the end of the text whose initials are the abbreviation's capitals; empty where there are none."""
    letters = "".join(ch.lower() for ch in abbreviation if ch.isalpha() and ch.isupper())
    words = before.split()
    for length in range(1, min(len(words), 2 * len(letters)) + 1):
        tail = words[-length:]
        all_initials = "".join(part[0] for word in tail for part in word.split("-") if part).lower()
        initials = "".join(p[0] for w in tail if w.lower() not in _SMALL_WORDS for p in w.split("-") if p).lower()
        if letters in (all_initials, initials):
            return " ".join(tail)
    return ""


def terms(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def sentences(text: str) -> list[str]:
    """Sentences without surrounding white space; not cut at "et al.", "i.e.", decimals or a list's numbers "1)"."""
    hidden = _NUMBER_IN_LIST.sub(lambda found: found[0].translate(_HIDE), text)
    parts = _rejoin_abbreviations(part.translate(_SHOW) for part in sentencex.segment("en", hidden))
    return [s.strip() for s in parts if s.strip()]


_NUMBER_IN_LIST = re.compile(r"(?<=\S )(?:\((?:\d{1,2}|[ivx]{1,4})\)|(?:\d{1,2}|[ivx]{1,4})\))(?=\s)", re.I)
"""The segmenter takes such a number for the start of a list and finds no end of a sentence behind it."""

_HIDE = str.maketrans("()", "\ue000\ue001")
_SHOW = str.maketrans("\ue000\ue001", "()")


def strip_quotes(text: str) -> str:
    """A text that stands in quotation marks as a whole, without them; where they belong to a part of it, they stay."""
    whole = re.fullmatch(r"\s*[\"“](.*)[\"”]\s*", text, re.DOTALL)
    if not whole:
        return text
    first = re.search(r"[\"“”]", whole[1])
    # A mark inside that follows a word ends what the first one began.
    return text if first and not re.search(r"(?:^|[\s(—-])$", whole[1][: first.start()]) else whole[1]


_ABBREVIATION = re.compile(
    r"(?:\b(?:approx|resp|incl|eqs?|figs?|secs?|refs?|vs|cf|w\.r\.t|i\.i\.d|non-i|et al|drs?|prof|mrs?|ms|vol|pp)\.)"
    r"\s*$",
    re.I,
)


def _rejoin_abbreviations(parts: Iterable[str]) -> list[str]:
    """Sentences cut after an abbreviation that the segmenter does not know, put together again."""
    whole: list[str] = []
    for part in parts:
        if whole and _ABBREVIATION.search(whole[-1]):
            whole[-1] += part
        else:
            whole.append(part)
    return whole


def split_sentences(text: str) -> list[list[str]]:
    """Sentences of each paragraph."""
    return [sentences(block) for block in text.split("\n\n")]


def all_sentences(text: str) -> list[str]:
    """Sentences of all paragraphs, in order."""
    return [sentence for paragraph in split_sentences(text) for sentence in paragraph]


def join_sentences(paragraphs: Iterable[Iterable[str]]) -> str:
    """The inverse of `split_sentences`; a paragraph that became empty goes."""
    return "\n\n".join(text for lines in paragraphs if (text := " ".join(lines)))


def replace_sentences(text: str, new: Mapping[int, str]) -> str:
    """The text with these sentences, by their numbers from 1, in place of those that stand there; empty ones go."""
    numbers = count(1)
    return join_sentences(
        [said for line in paragraph if (said := new.get(next(numbers), line))] for paragraph in split_sentences(text)
    )


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, cut at a word, with an ellipsis where something was cut."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


ET_AL = "et al."
"""The last of a list of authors that names only some of them."""


def list_words(items: Iterable[str], conjunction: str = "and") -> str:
    """``a, b and c``; with semicolons where an item has an "and" or a comma of its own."""
    *head, last = list(items) or [""]
    if last == ET_AL and head:
        return ", ".join((*head, last))
    if any(f" {conjunction} " in item or "," in item for item in (*head, last)):
        return "; ".join([*head, f"{conjunction} {last}"]) if head else last
    return f"{', '.join(head)} {conjunction} {last}" if head else last


_SMALL_WORD = re.compile(r"an?|and|as|at|but|by|for|from|in|into|nor|of|on|or|per|the|to|versus|via|vs|with", re.I)


def to_title_case(text: str) -> str:
    """Title case that leaves acronyms and mixed-case words as they are."""
    parts = text.split()
    return " ".join(_capitalise_word(w, first=i == 0) for i, w in enumerate(parts))


def _capitalise_word(word: str, *, first: bool) -> str:
    """The word, and each part of a compound, with a capital, but for small words and what is written its own way."""
    parts = word.split("-")
    if re.match("[a-z](?:$|-)", word) and any(ch.isupper() for ch in word):  # “t-SNE”
        return word
    plain = [p[1:].islower() or len(p) == 1 for p in parts]
    small = [bool(_SMALL_WORD.fullmatch(p)) and not (i == 0 and (first or len(parts) > 1)) for i, p in enumerate(parts)]
    return "-".join(p[:1].upper() + p[1:] if plain[i] and not small[i] else p for i, p in enumerate(parts))
