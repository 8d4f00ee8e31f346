"""What a program can see of a claim that its sources do not say: numbers, names, strength, polarity.

Pure functions over text. A fault is a reason to doubt, whatever a language model says of the claim.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from engine.checking.contrasts import find_contrasts
from engine.checking.denials import find_crossed_pairs, find_denied, find_gains_for_losses
from engine.checking.invented import (
    find_invented_data,
    find_strange_addresses,
    find_strange_expansions,
    find_strange_quotations,
    find_strange_ties,
)
from engine.checking.lexicon import split_terms, unify_spelling
from engine.checking.measures import find_other_measures
from engine.checking.names import Vocabulary, is_known, join_neighbours, names_in, read_ordinary_words
from engine.checking.names_in_place import find_misplaced_names
from engine.checking.numbers_in_place import find_miscounted, find_misplaced_numbers
from engine.checking.outcomes import (
    find_crossed,
    find_denied_both,
    find_other_counts,
    find_other_reasons,
    find_strange_rivals,
    says_nothing,
)
from engine.checking.reach import find_additions, find_overreach, find_wrong_authors, spell_out_umlauts
from engine.checking.reversals import find_reversals
from engine.checking.roles import find_wrong_roles
from engine.checking.several_papers import find_merged, find_missing_speakers
from engine.checking.technical_terms import find_strange_terms, has_technical_terms
from engine.checking.turns import find_turns
from engine.checking.unfounded_numbers import find_unfounded_numbers
from engine.checking.unfounded_strength import find_unfounded_strength
from engine.citations import replace_citations
from engine.text import all_sentences, fold
from engine.values import Paper

FaultKind = Literal[
    "number",
    "place",
    "name",
    "strength",
    "polarity",
    "hedge",
    "order",
    "contrast",
    "term",
    "reach",
    "addition",
    "author",
    "role",
    "subject",
    "speakers",
    "merged",
    "reason",
    "quotation",
    "empty",
]

ARGUABLE: frozenset[FaultKind] = frozenset({"addition", "reason"})
"""Kinds told by words alone, which a paraphrase may lack: a model that insists is believed, and that is recorded."""

HARDLY_ANY = 0.4
"""Share of what one source holds of a claim up to which another, which holds nothing else of it, tells nothing."""

LEAST_SHARED = 0.25
"""Share of a claim's terms that its sources have to hold; below that they speak of something else."""

SPEAKING_TERMS = 2
"""Terms a sentence of the source shares with a claim when both speak of the same thing."""

RETOLD = 0.6
"""Share of a sentence's own terms that a claim has when it retells that sentence, perhaps with another one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What of a claim its sources do not say; ``words`` are the claim's."""

    kind: FaultKind
    words: str


def are_arguable(faults: Sequence[Fault]) -> bool:
    """Whether there are faults, all of which a model may rightly deny."""
    return bool(faults) and all(fault.kind in ARGUABLE for fault in faults)


@dataclass(frozen=True)
class Source:
    """A paper as a claim's source: what it says, and who wrote it when and where."""

    paper: Paper

    @cached_property
    def text(self) -> str:
        """Title and content, and what was read of the paper's text, in American spelling."""
        parts = (self.paper.title, self.paper.content, *(passage.text for passage in self.paper.body))
        ended = (part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part)
        return unify_spelling("\n\n".join(ended))

    @cached_property
    def sentences(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Each sentence with its terms, those of compounds one by one."""
        return tuple((s, split_terms(s)) for s in all_sentences(self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every word, and every two and three neighbouring words, in fold form; authors and venue among them."""
        authors = " ".join(self.paper.authors)
        record = " ".join((authors, spell_out_umlauts(authors), self.paper.venue, str(self.paper.year or "")))
        return join_neighbours(f"{self.text}\n{record}")

    @cached_property
    def initials(self) -> str:
        """The first letters of the text's words in order, which an abbreviation may be found in."""
        return "".join(word[0] for word in re.findall(r"[a-z]+", self.text.lower()))

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of all its sentences."""
        return frozenset().union(*(own for _, own in self.sentences))

    def overlap(self, said: frozenset[str]) -> int:
        """How many of the terms the paper's title and content hold, those of the title twice."""
        return len(said & self.terms) + len(said & split_terms(self.paper.title))


@lru_cache(maxsize=4_096)
def source_of(paper: Paper) -> Source:
    """The paper as a source; what is read of its text is kept, because many sections cite one paper."""
    return Source(paper)


def find_faults(claim: str, sources: Sequence[Source], vocabulary: Vocabulary, topic: str = "") -> tuple[Fault, ...]:
    """Everything the claim says, as far as a program can see, that none of its sources says."""
    bare = unify_spelling(replace_citations(claim, lambda _: ""))
    said = split_terms(bare)
    speaking = [item for source in sources for item in _find_speaking(source, said)]
    named = [unify_spelling(source.paper.title) for source in sources]
    titles = {f"{title}." for title in named} | set(named)
    every = [text for source in sources for text, _ in source.sentences]
    held = frozenset[str]().union(*(source.terms for source in sources))
    names = names_in(bare, vocabulary)
    faults = [
        *(Fault("number", words) for words in _find_unfounded_numbers(bare, sources, said)),
        *(Fault("place", words) for words in find_misplaced_numbers(bare, every)),
        *(Fault("place", words) for words in find_miscounted(bare, every)),
        *(Fault("place", words) for words in find_other_measures(bare, every)),
        *(Fault("place", words) for words in find_misplaced_names(bare, every, titles)),
        *(Fault("name", words) for words in _find_unfounded_names(bare, names, sources, vocabulary, topic)),
        *(Fault("strength", words) for words in find_unfounded_strength(bare, speaking, titles, _read(sources))),
        *(Fault(kind, words) for kind, words in find_turns(bare, said, speaking)),
        *(Fault("contrast", words) for words in _contrasts(bare, sources, speaking)),
        *(Fault("term", words) for words in _strange_terms(bare, names, sources, vocabulary, topic)),
        *(Fault("polarity", words) for words in find_denied_both(bare, [text for text, _ in speaking])),
        *(Fault("polarity", words) for words in find_gains_for_losses(bare, every)),
        *(Fault("polarity", words) for words in _find_denied(bare, sources)),
        *(Fault("polarity", words) for words in find_reversals(bare, _sentences_of(sources[:1]))),
        *(Fault("place", words) for words in find_crossed_pairs(bare, every)),
        *(Fault("quotation", words) for words in find_strange_quotations(bare, [source.text for source in sources])),
        *_overreach(bare, speaking, sources, topic),
        *(Fault("author", words) for words in find_wrong_authors(claim, [source.paper for source in sources])),
        *(Fault("role", words) for words in _wrong_roles(bare, sources)),
        *_off_subject(bare, said, sources, held),
        *_wrong_outcomes(bare, sources, vocabulary, held | split_terms(topic)),
    ]
    return tuple(dict.fromkeys(faults))


def find_silent(claim: str, sources: Sequence[Source]) -> list[bool]:
    """Of each source of a claim, whether it holds only a small part of what another one holds of it."""
    said = split_terms(replace_citations(claim, lambda _: ""))
    held = [source.terms & said for source in sources]
    return [any(own < other and len(own) <= HARDLY_ANY * len(other) for other in held) for own in held]


def _find_denied(claim: str, sources: Sequence[Source]) -> list[str]:
    """What the one source has and the claim denies; of several papers one may do without what the other has."""
    if len(sources) != 1:
        return []
    title = unify_spelling(sources[0].paper.title).rstrip(".")
    return find_denied(claim, [text for text in _sentences_of(sources) if text.rstrip(".") != title])


def _contrasts(claim: str, sources: Sequence[Source], speaking: Sequence[tuple[str, frozenset[str]]]) -> list[str]:
    """Counterparts in the one source; of several papers one may have what the other has the counterpart of."""
    if len(sources) != 1:
        return []
    return find_contrasts(claim, _sentences_of(sources), [text for text, _ in speaking])


def _overreach(
    claim: str, speaking: Sequence[tuple[str, frozenset[str]]], sources: Sequence[Source], topic: str
) -> list[Fault]:
    if not sources:
        return []
    whole = " ".join(source.text for source in sources)
    further = find_overreach(claim, [text for text, _ in speaking], whole, topic)
    added = [words for words in find_additions(claim, whole, topic) if words not in further]
    return [*(Fault("reach", words) for words in further), *(Fault("addition", words) for words in added)]


def _wrong_outcomes(claim: str, sources: Sequence[Source], vocabulary: Vocabulary, held: frozenset[str]) -> list[Fault]:
    """What is said of several papers, against what, why, and whether it says anything."""
    texts, names = [source.text for source in sources], [source.names for source in sources]
    own = _sentences_of(sources)
    return [
        *(Fault("speakers", words) for words in find_missing_speakers(claim, texts)),
        *(Fault("merged", words) for words in find_strange_ties(claim, names, lambda text: names_in(text, vocabulary))),
        *(
            Fault("merged", words)
            for words in find_merged(claim, texts, names, lambda text: names_in(text, vocabulary))
        ),
        *(Fault("reach", words) for words in find_strange_rivals(claim, held)),
        *(Fault("place", words) for words in find_other_counts(claim, "\n".join(texts))),
        *(Fault("reason", words) for words in find_other_reasons(claim, own)),
        *(Fault("role", words) for words in find_crossed(claim, own)),
        *([Fault("empty", claim.strip())] if says_nothing(claim) else []),
    ]


def _wrong_roles(claim: str, sources: Sequence[Source]) -> list[str]:
    """What each source says of another; a claim of several papers is nobody's alone."""
    if len(sources) != 1:
        return []
    paper = sources[0].paper
    own = [text for text, _ in sources[0].sentences if text.rstrip(".") != paper.title.rstrip(".")]
    return find_wrong_roles(claim, own, paper.title, paper.authors)


def _strange_terms(
    claim: str, names: Sequence[str], sources: Sequence[Source], vocabulary: Vocabulary, topic: str
) -> list[str]:
    if not sources or not has_technical_terms(claim):
        return []
    joined = frozenset().union(*(source.names for source in sources))
    spelled = (e for short, expansions in vocabulary.expansions.items() if fold(short) in joined for e in expansions)
    held = split_terms(" ".join((topic, *spelled))).union(*(source.terms for source in sources))
    return find_strange_terms(claim, held | vocabulary.shared, joined, names)


def _read(sources: Sequence[Source]) -> list[Sequence[tuple[str, frozenset[str]]]]:
    return [source.sentences for source in sources]


def _sentences_of(sources: Sequence[Source]) -> list[str]:
    return [text for source in sources for text, _ in source.sentences]


_COINED = re.compile(r"\b[A-Z]\w*[A-Z]\w*")
"""What may name one system, by its capitals: ImPoster."""

NAMED_OFTEN = 2
"""How often a source has the name of what it is about; the title counts twice."""


def _off_subject(claim: str, said: frozenset[str], sources: Sequence[Source], held: frozenset[str]) -> list[Fault]:
    if not sources or len(said) < 4 or len(said & held) / len(said) >= LEAST_SHARED:
        return []
    own = [f"{source.paper.title} {source.paper.title} {source.paper.content}" for source in sources]
    is_named = any(text.count(name) >= NAMED_OFTEN for name in _COINED.findall(claim) for text in own)
    return [] if is_named else [Fault("subject", "the subject")]


def _find_speaking(source: Source, said: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Sentences of the source that speak of what the claim speaks of: they share most of its terms, or of their own."""
    most = max((len(own & said) for _, own in source.sentences), default=0)
    needed = max(min(SPEAKING_TERMS, len(said)), most / 2)
    return [
        item
        for item in source.sentences
        if len(item[1] & said) >= needed or (item[1] and len(item[1] & said) >= RETOLD * len(item[1]))
    ]


def _find_unfounded_numbers(claim: str, sources: Sequence[Source], said: frozenset[str]) -> list[str]:
    about = [(text, bool(own & said)) for source in sources for text, own in source.sentences]
    return find_unfounded_numbers(claim, about, [source.paper.year for source in sources if source.paper.year])


def _find_unfounded_names(
    claim: str, names: Sequence[str], sources: Sequence[Source], vocabulary: Vocabulary, topic: str
) -> list[str]:
    known = frozenset[str]().union(*(source.names for source in sources), join_neighbours(topic))
    initials = [source.initials for source in sources]
    return [
        *(name for name in names if not is_known(name, known, vocabulary, initials)),
        *find_invented_data(claim, known, (read_ordinary_words(), vocabulary.common)),
        *find_strange_addresses(claim, [source.text for source in sources]),
        *find_strange_expansions(claim, [source.text for source in sources]),
    ]
