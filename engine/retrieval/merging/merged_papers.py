"""What a merged record says, and a growing set of papers in which each is once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from engine.retrieval.merging.same_paper import (
    MOST_IN_BLOCK,
    are_apart,
    are_in_conflict,
    describe_record,
    find_shared_identifiers,
    list_blocking_keys,
    same_paper,
)
from engine.retrieval.merging.titles import title_letters
from engine.retrieval.merging.venues import is_published
from engine.retrieval.paper_keys import choose_key, make_described_key
from engine.retrieval.ranking import reciprocal_rank_fusion
from engine.values import FoundPaper, Paper, PaperKey


def merge_records(old: Paper, new: Paper) -> Paper:
    """One paper from two records of it: the old key stays, the fuller value of each field wins.

    Of a preprint and its publication, title, year and venue are those of the publication.
    """
    known = dict.fromkeys((*old.identifiers, *new.identifiers))
    better = is_published(new) and bool(old.venue) and not is_published(old)
    first, second = (new, old) if better else (old, new)
    chosen: dict[str, tuple[object, Paper]] = {}
    for name in ("title", "venue", "url", "pdf"):
        chosen[name] = next(((v, p) for p in (first, second) if (v := getattr(p, name))), ("", first))
    chosen["year"] = (first.year, first) if first.year is not None else (second.year, second)
    for name in ("abstract", "summary", "authors"):
        fuller = max((old, new), key=lambda p: len(getattr(p, name)))
        chosen[name] = (getattr(fuller, name), fuller)
    counted = max((old, new), key=lambda p: -1 if p.citations is None else p.citations)
    chosen["citations"] = (counted.citations, counted)
    chosen["counted"] = (counted.counted, counted)
    origins = [(name, source) for name, (_, p) in chosen.items() if (source := dict(p.origins).get(name))]
    return replace(
        old,
        **{name: value for name, (value, _) in chosen.items()},  # type: ignore[arg-type]
        identifiers=tuple(known),
        retracted=old.retracted or new.retracted,
        kinds=tuple(dict.fromkeys((*old.kinds, *new.kinds))),
        apart=tuple(dict.fromkeys((*old.apart, *new.apart))),
        origins=tuple(origins),
    )


def find_same(paper: Paper, candidates: Iterable[Paper]) -> list[Paper]:
    """Those of the candidates that are this paper, the surest first.

    They are one paper themselves, unless their identifiers conflict; then the others are left as they are.
    """
    found = [known for known in candidates if same_paper(known, paper)]
    letters = title_letters(paper.title)
    # Where two are alike and were taken apart, the record is the one's of which it says the same.
    found.sort(
        key=lambda p: (
            not (title_letters(p.title) == letters and p.authors == paper.authors and bool(p.apart)),
            -len(find_shared_identifiers(p, paper)),
            title_letters(p.title) != letters,
        )
    )
    chosen: list[Paper] = []
    for known in found:
        if not any(are_in_conflict(known, other) or are_apart(known, other) for other in chosen):
            chosen.append(known)
    return chosen


@dataclass
class MergedPapers:
    """Records taken one after another, each paper kept once, with the best of each of its fields."""

    papers: dict[PaperKey, Paper] = field(default_factory=dict)
    records: dict[PaperKey, tuple[Paper, ...]] = field(default_factory=dict)
    """What each paper was merged from, the first record's key being its own; none where it was one record."""
    repeats: int = 0
    unchanged: int = 0
    """Records of papers that were known already, and those of them that told nothing new."""
    _owner: dict[PaperKey, PaperKey] = field(default_factory=dict)
    _blocks: dict[str, dict[PaperKey, None]] = field(default_factory=dict)

    def enter(self, paper: Paper, records: tuple[Paper, ...] = ()) -> None:
        """Take in a paper as it is, in place of one with its key; its identifiers lead to it from now on.

        ``records`` are those that it was merged from: what is like one of them is compared with the paper too.
        """
        self.papers[paper.key] = paper
        self.records[paper.key] = records
        self._owner.update(dict.fromkeys((paper.key, *paper.identifiers), paper.key))
        for record in (paper, *records):
            for block in list_blocking_keys(record):
                self._blocks.setdefault(block, {})[paper.key] = None

    def enter_apart(self, paper: Paper) -> Paper:
        """Take in another paper, without identifiers of those that are there; its key may be a new one."""
        own = tuple(i for i in paper.identifiers if i not in self._owner)
        number, key = 1, paper.key
        while key in self._owner and not own:
            words = (paper.title, *paper.authors, paper.venue, paper.abstract[:200], paper.url, str(number))
            described = make_described_key(*words, year=paper.year)
            own, number = (described,) if described not in self._owner else (), number + 1
        now = replace(paper, key=choose_key(own) if key in self._owner else key, identifiers=own)
        self.enter(now)
        return now

    def add(self, paper: Paper) -> PaperKey:
        """Take a record in; the key of the paper it belongs to, which `key_of` keeps true later on."""
        if self.papers.get(paper.key) == paper:
            self.repeats, self.unchanged = self.repeats + 1, self.unchanged + 1
            return paper.key
        blocks = (self._blocks.get(block, ()) for block in list_blocking_keys(paper))
        near = dict.fromkeys(self.key_of(key) for block in blocks if len(block) <= MOST_IN_BLOCK for key in block)
        same = find_same(paper, [self.papers[key] for key in near])
        if same:
            now, records = self._merge(paper, same)
            self.repeats += len(same)
            self.unchanged += now == same[0]
            self.enter(now, records)
        else:
            now = self.enter_apart(paper)
        self._owner.setdefault(paper.key, now.key)
        return now.key

    def _merge(self, paper: Paper, same: Sequence[Paper]) -> tuple[Paper, tuple[Paper, ...]]:
        """The first of the ``same`` papers, completed by a record and by the others, and the records of all of them.

        The record shows that the others are that paper too: they are in the set no more, and their keys lead to it.
        """
        ours = {known.key for known in same}
        mine = (i for i in paper.identifiers if i not in self._owner or self.key_of(i) in ours)
        record, (first, *others) = replace(paper, identifiers=tuple(mine)), same
        facts = describe_record(record)
        # A newer version of a record takes its place.
        records = [record if describe_record(old) == facts else old for old in self.records[first.key] or (first,)]
        records += [] if record in records else [record]
        for other in others:
            records += self.records.pop(other.key) or (other,)
            del self.papers[other.key]
        named = (replace(other, identifiers=(*other.identifiers, other.key)) for other in others)
        return reduce(merge_records, [first, record, *named]), tuple(records) if len(records) > 1 else ()

    def key_of(self, identifier: PaperKey) -> PaperKey:
        """The key of the paper that has this identifier. Raises `KeyError` where none has."""
        key = self._owner[identifier]
        while key not in self.papers:
            key = self._owner[key]
        return key

    def fuse(self, rankings: Sequence[tuple[Sequence[PaperKey], float]]) -> list[FoundPaper]:
        """The papers of weighted rankings by reciprocal rank fusion, best first; of equals the one known longer."""
        place = {key: i for i, key in enumerate(self.papers)}
        ranked = [list(dict.fromkeys(place[self.key_of(key)] for key in keys)) for keys, _ in rankings]
        scores = reciprocal_rank_fusion(ranked, [weight for _, weight in rankings])
        papers = list(self.papers.values())
        return [FoundPaper(papers[i], scores[i]) for i in sorted(scores, key=lambda i: (-scores[i], i))]
