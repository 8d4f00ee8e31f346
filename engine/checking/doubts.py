"""What the program itself sees of a claim: vetoes, which no judgement can mend, and doubts, which a model settles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.checking.figures import TEXTS_KEPT, derive_figures, find_missing_figures, read_figures
from engine.citations import replace_citations
from engine.retrieval.paper_keys import surname
from engine.text import STOP_WORDS, fold, sentences, terms, words
from engine.values import Paper

SHORTEST_QUOTE = 2
"""Words in quotation marks that are looked for; a single one is often a term in inverted commas."""

_MARKED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|„([^„“”]+)[“”]")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{2,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|…)\s*|\s*\[[^\]]{0,40}\]\s*")


def holds_words(quote: str, text: str) -> bool:
    """Whether the text has the quoted words, letter for letter and in order.

    Case, quotation marks, hyphens, ligatures, accents and white space do not matter; an ellipsis and an insertion in
    brackets leave something out.
    """
    letters, start = fold(text), 0
    for piece in filter(None, map(fold, _ELLIPSIS.split(quote))):
        at = letters.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True


_PERSON = r"(?:(?:de|van|der|von|di|da|la|le|el|al|den)\s+)*[A-ZÀ-Þ][\w’'-]+"
_OTHERS = rf"(?:(?:\s+and\s+|\s*&\s*){_PERSON}|,?\s+et\s+al\.?|\s+and\s+(?:colleagues|co-?workers))"
_BY = re.compile(
    rf"\b(?P<first>{_PERSON})(?:{_OTHERS}?(?:[’']s)?\s+\((?P<year>(?:19|20)\d\d)[a-z]?\)"
    rf"|,?\s+et\s+al\b\.?(?:,?\s+\(?(?P<later>(?:19|20)\d\d)\b)?|\s+and\s+(?:colleagues|co-?workers)\b)"
)


def find_wrong_authors(claim: str, papers: Sequence[Paper], text: str) -> tuple[str, ...]:
    """“Smith et al. (2020)” that neither a paper nor the text has; a paper without authors or year may be anybody's."""
    wrong: dict[str, None] = {}
    for match in _BY.finditer(claim):
        name, year = _last_word(match["first"]), match["year"] or match["later"]
        own = [p for p in papers if not p.authors or name in {_last_word(surname(author)) for author in p.authors}]
        is_right = not year or any(p.year is None or str(p.year) == year for p in own)
        if not (is_right if own else name in fold(text)):
            wrong[match[0]] = None
    return tuple(wrong)


def _last_word(name: str) -> str:
    """``berg`` of "van den Berg": particles are written or left out."""
    return fold((name.split() or [""])[-1])


SHORTEST_NAME = 3
"""Letters and digits of a name that is looked for: shorter ones (RL, A2) are left out or written otherwise."""

SAME_START = 6
"""Letters that two stems have in common at their start to be one: "encapsul", "encapsulated"."""

_NAME = re.compile(r"(?:[^\W_]|(?<=\w)[+&/.'’-](?=\w))+(?:\+\+)?")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_CAPITALS = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)+")
"""Neighbouring words with capitals, whose first letters may stand for them: West Nile (WN)."""


@lru_cache(maxsize=TEXTS_KEPT)
def split_terms(text: str) -> frozenset[str]:
    """Terms, those of compounds one by one: "state-of-the-art" is "state of the art"."""
    return frozenset(terms(text.replace("-", " ")))


def share_held(claim: str, evidence: str) -> float:
    """Share of the claim's terms that the evidence holds; 1 where the claim has none."""
    said = split_terms(claim)
    return 1.0 - len(list_missing_terms(claim, evidence)) / len(said) if said else 1.0


def list_missing_terms(claim: str, evidence: str) -> list[str]:
    """Terms of the claim that the evidence does not hold in any form."""
    held = split_terms(evidence)
    starts = {term[:SAME_START] for term in held if len(term) >= SAME_START}
    joined = fold(evidence)
    return [
        term
        for term in sorted(split_terms(claim) - held)
        if not (len(term) >= SAME_START and (term[:SAME_START] in starts or fold(term) in joined))
    ]


def find_missing_names(claim: str, known: str) -> tuple[str, ...]:
    """Names of a claim that stand nowhere in the ``known`` text: words with a capital or with a digit among letters."""
    joined = fold(known)
    initials = "".join(word[0].lower() for word in re.findall(r"[^\W\d_]+", known))
    found: dict[str, None] = {}
    for sentence in sentences(claim):
        for at, match in enumerate(_NAME.finditer(sentence)):
            for part in re.split(r"[/+&]|['’]s?$|-(?=\D)", match[0]):
                if _looks_named(part, is_first=at == 0) and not _stands(part, joined, initials):
                    found[part] = None
    shortened = {run[0] for run in _CAPITALS.finditer(claim) if "".join(re.findall("[A-Z]", run[0])).lower() in joined}
    return tuple(name for name in found if not any(name in run.split() for run in shortened))


def _looks_named(part: str, *, is_first: bool) -> bool:
    """A capital tells nothing at the beginning of a sentence (``is_first``), only inside a word."""
    is_word = any(ch.isalpha() for ch in part) and not _ORDINAL.fullmatch(part)
    if not is_word or len(part) < SHORTEST_NAME or part.lower() in STOP_WORDS:
        return False
    inside = any(ch.isupper() for ch in part[1:]) or any(ch.isdigit() for ch in part)
    return inside or (part[0].isupper() and not is_first)


def _stands(name: str, joined: str, initials: str) -> bool:
    """An abbreviation stands where neighbouring words begin with its letters."""
    letters = fold(name)
    if letters in joined or letters.removesuffix("s") in joined:
        return True
    short = name.removesuffix("s")
    return short.isalpha() and sum(ch.isupper() for ch in short) >= 2 and short.lower() in initials


LEAST_HELD = 0.3
"""Share of a claim's terms that its whole source has to hold: below it are 22 % of the false claims of
``../shared/claims`` (scitldr-x; hardly any of the others) and 1 % of the true."""

LEAST_CARRIED = 0.25
"""Share that its evidence, some sentences with the title, has to hold."""

DoubtKind = Literal["key", "quotation", "figure", "author", "name", "negation", "terms", "entailment"]
VETOES: frozenset[DoubtKind] = frozenset({"key", "quotation", "figure", "author"})
"""With one of these a claim cannot stand as it is, whatever a model says."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What of a claim does not stand in its evidence; ``words`` are the claim's."""

    kind: DoubtKind
    words: str

    def explain(self) -> str:
        """What is wrong, for the model that is to mend it."""
        return _EXPLAINED[self.kind].format(self.words)


_EXPLAINED: dict[DoubtKind, str] = {
    "key": "it cites {}, which is none of the papers",
    "quotation": "“{}” stands in quotation marks, and so in none of its papers",
    "figure": "the figure “{}” stands in none of its papers",
    "author": "“{}” is no author and year of its papers",
    "name": "“{}” is named in none of its evidence",
    "negation": "it denies something, and nothing in its evidence does",
    "terms": "its evidence hardly speaks of it",
    "entailment": "{} says that it does not follow from its evidence",
}


@dataclass(frozen=True, slots=True)
class Source:
    """What a claim is held against: words, papers with their records, and what anybody may name (topic, headings)."""

    evidence: str
    papers: tuple[Paper, ...] = ()
    shared: str = ""

    @property
    def text(self) -> str:
        """The evidence with the papers' titles."""
        return "\n".join((*(f"{paper.title}." for paper in self.papers), self.evidence))

    @property
    def whole(self) -> str:
        """Everything that is known of the papers: titles, abstracts or summaries, and what was read of their texts."""
        parts = (p for paper in self.papers for p in (paper.content, *(passage.text for passage in paper.body)))
        return "\n".join((self.text, *parts))


def find_doubts(claim: str, source: Source, *, is_ours: bool = False) -> tuple[Doubt, ...]:
    """What of a claim its source does not have; nothing where the claim stands in it word for word.

    A sentence of our own (``is_ours``) may count, and compute a figure from two.
    """
    bare = replace_citations(claim, lambda _: "").strip()
    if holds_words(bare, source.text):
        return ()
    whole, quotes = source.whole, (next(filter(None, match.groups())) for match in _MARKED.finditer(bare))
    strange = (said for said in quotes if len(said.split()) >= SHORTEST_QUOTE and not holds_words(said, whole))
    records = [" ".join((*paper.authors, paper.venue, str(paper.year or ""))) for paper in source.papers]
    known = "\n".join((whole, source.shared, *records))
    doubts = [
        *(Doubt("quotation", said) for said in strange),
        *(Doubt("figure", said) for said in _missing_figures(bare, source, is_ours=is_ours)),
        *(Doubt("author", said) for said in find_wrong_authors(bare, source.papers, whole)),
        *(Doubt("name", said) for said in find_missing_names(bare, known)),
    ]
    if not is_ours and is_negated(bare) and not is_negated(source.text):
        doubts.append(Doubt("negation", bare))
    if share_held(bare, f"{whole}\n{source.shared}") < LEAST_HELD:
        doubts.append(Doubt("terms", bare))
    return tuple(doubts)


def carries(claim: str, evidence: str, title: str = "") -> bool:
    """Whether the evidence can be what a claim rests on: it has a quarter of its terms, and its figures.

    On ``../shared/claims`` the best sentence of the source passes for 92 % of the true claims (86 to 97), a random one
    for 38 %; if each name had to stand in it as well, for 79 and 33 %.
    """
    bare = replace_citations(claim, lambda _: "")
    return share_held(bare, evidence) >= LEAST_CARRIED and not find_missing_figures(bare, f"{title}.\n{evidence}")


_NEGATIONS = STOP_WORDS & {"not", "no", "never", "none", "nor", "neither", "nobody", "nothing", "cannot", "without"}


def is_negated(text: str) -> bool:
    """Whether a stop word of negation is in it.

    Negated claims whose evidence has no negation: 5 % of the false and 2 % of the true (scifact: 12 and 3).
    """
    return any(word in _NEGATIONS for word in words(text)) or "n't" in text or "n’t" in text


def _missing_figures(claim: str, source: Source, *, is_ours: bool) -> tuple[str, ...]:
    years = frozenset(paper.year for paper in source.papers if paper.year)
    missing = find_missing_figures(claim, source.whole, years)
    if not (is_ours and missing):
        return missing
    derived = derive_figures(source.evidence)
    computed = {
        figure.words
        for figure in read_figures(claim)
        if any(abs(figure.value - value) <= max(figure.step / 2, 1e-6) for value in derived)
        or (not figure.units and figure.value == int(figure.value) and not figure.is_year)  # it counts
    }
    return tuple(words for words in missing if words not in computed)
