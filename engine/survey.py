"""What is written: claims with their citations, sections with tables and figures, the survey, and changes to it.

A citation inside text is written ``[@key]`` with the key of a `Paper`; numbers appear only in rendering.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from engine.overview import NearbyGroup, Overview, TimeLine
from engine.values import LeftOut, Paper, PaperKey, SearchRecord, make_inert

Verdict = Literal["quoted", "summarised", "supported", "unsupported", "unchecked"]
"""Quoted from the paper; taken from a summary that somebody else wrote of it; checked by a model and found to be so,
or not; not checked."""

Ending = Literal["kept", "cited anew", "reworded"]
"""What the check made of a claim that it let stand."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One paper cited for a claim, the words of the paper that carry it, and how that was checked."""

    key: PaperKey
    quote: str
    verdict: Verdict
    source: Literal["abstract", "full text", "summary"] = "abstract"
    page: int | None = None
    """The page of the full text that the words stand on, where it has pages."""
    sentence: int | None = None
    """The number of the paper's sentence that the words are, or begin in (`engine.addresses`), where it is known."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that says something about papers, methods, data or results, with what it rests on.

    ``was`` is how it read before the check, where that changed it. ``insisted`` are words of it that the program did
    not find in its evidence: two judgements, of which the second did not know of that, let it stand. A claim that is
    ``ours`` cites nothing itself: it joins, compares or counts what its neighbours cite, and rests on their words. One
    that is ``common`` explains a term as any textbook does: no paper stands behind it, and it has no citations.
    """

    text: str
    citations: tuple[Citation, ...]
    ending: Ending = "kept"
    was: str = ""
    insisted: str = ""
    ours: bool = False
    common: bool = False


@dataclass(frozen=True, slots=True)
class ClaimTally:
    """What became of the claims of a text.

    ``claims`` is all that were written; those that stand are the kept, the cited anew, the reworded and the unchecked.
    ``insisted`` counts those of them that the program doubts and two judgements let stand, ``ours`` those without a
    citation of their own, ``unanswered`` the removed that the model gave no verdict for, ``repeated`` those taken out
    because another sentence says the same. Of the ``judged``, program and judge ``agreed`` on so many.
    """

    claims: int = 0
    kept: int = 0
    cited_anew: int = 0
    reworded: int = 0
    removed: int = 0
    unchecked: int = 0
    on_full_texts: int = 0
    on_summaries: int = 0
    insisted: int = 0
    unanswered: int = 0
    ours: int = 0
    repeated: int = 0
    judged: int = 0
    agreed: int = 0
    asked_twice: int = 0

    def plus(self, other: ClaimTally) -> ClaimTally:
        """Both counted together."""
        return ClaimTally(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    def without(self, claims: Sequence[Claim]) -> ClaimTally:
        """Counted without these claims, which stood."""
        gone = count_standing(claims)
        return ClaimTally(**{f.name: getattr(self, f.name) - getattr(gone, f.name) for f in fields(self)})


def count_standing(claims: Iterable[Claim]) -> ClaimTally:
    """The tally of claims that stand; common knowledge is not counted."""
    counted = [claim for claim in claims if not claim.common]
    endings = [claim.ending for claim in counted]
    sources = [{citation.source for citation in claim.citations} for claim in counted]
    return ClaimTally(
        claims=len(counted),
        kept=endings.count("kept"),
        cited_anew=endings.count("cited anew"),
        reworded=endings.count("reworded"),
        on_full_texts=sum("full text" in source for source in sources),
        on_summaries=sum("summary" in source and "full text" not in source for source in sources),
        insisted=sum(bool(claim.insisted) for claim in counted),
        ours=sum(claim.ours for claim in counted),
    )


How = Literal["simulation", "hardware", "field", "clinical", "theory", "data", "survey", "unclear"]
"""What a finding was shown by: in simulation, on a machine, in the field, on patients, by proof, on data sets, from
other papers; ``unclear`` where its sentences do not say."""

MANNERS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True)
class Note:
    """What a paper says to a question; ``sentences`` are numbers, from 1, of those that it rests on.

    Text is empty where these sentences do not say it.
    """

    key: PaperKey
    sentences: tuple[int, ...]
    how: How
    task: str
    """What it is about, or on whom."""
    method: str
    """By which method, on which data."""
    shown: str
    """What was found, with its figure, the unit, and what it is compared with."""
    limit: str

    @property
    def text(self) -> str:
        """All that it says, on one line."""
        said = (self.task, self.method, self.shown, f"limit: {self.limit}" if self.limit else "")
        return "; ".join(filter(None, (part.rstrip(" .;") for part in said)))


@dataclass(frozen=True, slots=True)
class CellEvidence:
    """The words of a paper that a table's cell is made of; row and column from 0, the header not counted."""

    row: int
    column: int
    citation: Citation


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; cells may hold citations. ``widths`` are the columns' shares (empty: all alike).

    ``introduction`` is the sentence of the text that introduces it, with ``{}`` for “Table 2”; see `introduce`.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    widths: tuple[int, ...] = ()
    introduction: str = ""
    evidence: tuple[CellEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar chart: a label and a count each."""

    caption: str
    x_label: str
    y_label: str
    bars: tuple[tuple[str, int], ...]
    introduction: str = ""


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A paper's place on a map of the field (no unit), its group, and the short name printed beside it, if any."""

    x: float
    y: float
    group: str
    key: PaperKey | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class FieldMap:
    """A scatter of papers coloured by group."""

    caption: str
    points: tuple[MapPoint, ...]
    introduction: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A part of a taxonomy: a line of work with its parts, or a work with its paper."""

    label: str
    key: PaperKey | None = None
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A field, or a part of it, as a tree."""

    caption: str
    root: Branch
    introduction: str = ""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A figure out of a cited paper whose licence allows it; its caption says whose it is and under which licence."""

    caption: str
    key: PaperKey
    address: str
    licence: str
    kind: str
    """``png`` or ``jpeg``; width and height are in pixels."""
    width: int
    height: int
    base64: str = field(repr=False)
    introduction: str = ""

    def __post_init__(self) -> None:
        make_inert(self, "caption", "introduction")


Figure = BarChart | FieldMap | TimeLine | Taxonomy | Reproduction


def introduce(shown: Table | Figure, number: int) -> str:
    """The sentence of the text that introduces a table or figure by its number; empty where it has none."""
    kind = "Table" if isinstance(shown, Table) else "Figure"
    return shown.introduction.replace("{}", f"{kind} {number}")


@dataclass(frozen=True, slots=True)
class Section:
    """A written section.

    ``text`` is plain text: paragraphs divided by blank lines, lines starting with ``- `` for lists, and
    citations as ``[@key]``; nothing in it is markup.
    """

    title: str
    text: str
    claims: tuple[Claim, ...] = ()
    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    tally: ClaimTally | None = None
    """What the check made of its claims; ``None`` where nothing was checked."""

    def claims_in_text(self) -> tuple[Claim, ...]:
        """The claims that its text makes; those of its tables are left out."""
        return tuple(claim for claim in self.claims if claim.text in self.text)

    def __post_init__(self) -> None:
        make_inert(self, "title")


UNCHECKED, UNJUDGED, UNWRITTEN = "claims not checked", "the model gave no verdict", "not written"
"""The detail of the warning that a section of the outline is missing; the beginning of the detail where its claims
could not be checked, because the model or the budget was gone."""

UNREVIEWED = "not read once more as a whole"
"""The beginning of the detail where that could not be done."""


@dataclass(frozen=True, slots=True)
class SurveyWarning:
    """Something a reader should know: what kind, in which section, and the facts."""

    kind: Literal["thin evidence", "unknown citation", "unsupported claim", "unfinished", "search", "length"]
    place: str
    detail: str


@dataclass(frozen=True, slots=True)
class Survey:
    """A survey as far as it is written.

    ``notice`` says on the first page how it was made: ``method`` in one sentence, then what was counted.
    """

    title: str
    abstract: str
    sections: tuple[Section, ...]
    references: tuple[Paper, ...]
    notice: str = ""
    searches: tuple[SearchRecord, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[SurveyWarning, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=())
    follow_up: tuple[str, ...] = ()
    """Questions that a reader would ask next; each can be the topic of a quick review."""
    method: str = ""
    tally: ClaimTally | None = None
    """What the check made of the abstract's claims."""
    overview: Overview | None = None
    not_covered: tuple[NearbyGroup, ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    """Prompts that it was written with: name and digest; one that changed in the meantime stands with both."""
    notes: tuple[Note, ...] = ()
    """What was noted of its papers before it was written: the matrix from which questions over all are answered."""

    def __post_init__(self) -> None:
        make_inert(self, "title")


Way = Literal["rewrite", "expand", "shorten", "paragraph", "cite", "remove", "translate"]
"""How a section is to change: written anew, longer, shorter, with one paragraph more, with one paper cited,
without one claim, or in another language."""


@dataclass(frozen=True, slots=True)
class SectionChange:
    """What is wanted of the section numbered ``place``; ``wish`` says of what, about what, which paper or language."""

    place: str
    way: Way
    wish: str = ""


def walk(sections: tuple[Section, ...], prefix: str = "") -> Iterator[tuple[str, Section]]:
    """All sections in reading order with their numbers: ``1``, ``1.1``, ``2`` and so on."""
    for position, section in enumerate(sections, start=1):
        number = f"{prefix}{position}"
        yield number, section
        yield from walk(section.sections, f"{number}.")
