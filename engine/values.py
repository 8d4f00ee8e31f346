"""The values everything else passes around: frozen, without I/O. What is written stands in `engine.survey`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NewType

from engine.options import PaperKind, QuickOptions, TemplateSection
from engine.text import inert

PaperKey = NewType("PaperKey", str)
"""``namespace:rest``, for example ``arxiv:2406.10252``, ``doi:10.1145/3397271``, ``s2:…`` or ``acl:…``."""


def make_inert(value: object, *fields: str) -> None:
    """Let these texts of a value that is being made hold no citations, whoever wrote them."""
    for name in fields:
        object.__setattr__(value, name, inert(getattr(value, name)))


@dataclass(frozen=True, slots=True)
class YearRange:
    """Years of publication, both ends included; an open end is ``None``."""

    first: int | None = None
    last: int | None = None

    def __contains__(self, year: object) -> bool:
        if self.first is None and self.last is None:
            return True
        if not isinstance(year, int):
            return False
        return (self.first is None or year >= self.first) and (self.last is None or year <= self.last)

    def __str__(self) -> str:
        return f"{self.first or ''}..{self.last or ''}"


ALL_YEARS = YearRange()


@dataclass(frozen=True, slots=True)
class Passage:
    """Some sentences of a paper's text, the section they are in and their page (from 1; ``None`` without pages)."""

    text: str
    section: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper as a library knows it; ``identifiers`` holds every known key, the paper's own among them."""

    key: PaperKey
    title: str
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    citations: int | None = None
    url: str = ""
    identifiers: tuple[PaperKey, ...] = ()
    pdf: str = ""
    """Address of an open-access PDF; empty where none is known."""
    retracted: bool = False
    summary: str = ""
    """What somebody else wrote of it, where there is no abstract: never quoted, never given as its authors' words."""
    counted: str = ""
    """The day (ISO date) of the citation count; empty where it is not known."""
    origins: tuple[tuple[str, str], ...] = ()
    """Field → the online source its value was taken from."""
    apart: tuple[PaperKey, ...] = ()
    """Papers that a person said are not this one, though their records look alike (`unmerge`)."""
    body: tuple[Passage, ...] = ()
    """The opening of its main text, while it is being written from; never stored with the paper."""
    kinds: tuple[PaperKind, ...] = ()
    """What an online service says it is; libraries do not keep it."""

    @property
    def content(self) -> str:
        """What is known of what it says: the abstract, or else a summary. Only an abstract may be quoted."""
        return self.abstract or self.summary

    @property
    def is_open(self) -> bool:
        """Whether its full text seems to be open."""
        return bool(self.pdf) or any(identifier.startswith("arxiv:") for identifier in self.identifiers)


Ranking = Literal["survey", "relevance", "title"]
"""``relevance``: closest in words and meaning to the query; ``survey``: the same with a prior for citations, what a
survey of the topic would cite; ``title``: closest titles."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a library; ``exclude`` is honoured before the ``limit`` is counted."""

    text: str
    limit: int
    ranking: Ranking = "survey"
    years: YearRange = ALL_YEARS
    exclude: frozenset[PaperKey] = frozenset()


Tier = Literal["core", "near", ""]
"""``core``: it is about the topic, by its words and its closeness added; ``near``: it comes next; empty where nothing
was ranked."""

FoundBy = Literal["keyword", "cited", "citing", "recommended", "list", "foundation", "similar"]
"""By searching a keyword; because papers found cite it; because it cites them; because a service recommends it
for them; because a person's list names it; the last two stand in surveys of earlier versions."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper was found: the keyword that was searched (or the line of a list), the rank (from 1) it had there.

    For `cited` and `citing` the rank is the number of found papers that cite it, or that it cites; for `foundation` of
    those that name it; for `similar`, a foundation as well, the number of its citations.
    """

    keyword: str
    rank: int
    by: FoundBy = "keyword"


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper with its score (higher is better, comparable within one result only) and its reasons."""

    paper: Paper
    score: float
    reasons: tuple[Reason, ...] = ()
    judgement: str = ""
    """Why it is relevant to the topic, where a language model judged that."""
    tier: Tier = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """What the person asked for; sizes in words, ``None`` where the recipe decides."""

    topic: str
    recipe: str = "cluster"
    library: str = ""
    years: YearRange = ALL_YEARS
    length: str = "8k"
    audience: str = ""
    style: str = ""
    """How it is to be written: for a grant proposal, in short sentences."""
    template: tuple[TemplateSection, ...] = ()
    """The sections that it must have, in order; empty where the recipe plans them."""
    language: str = "en"
    sections: int | None = None
    subsection_words: int | None = None
    budget: float | None = None
    """US dollars the survey may cost."""
    budget_tokens: int | None = None
    online: bool = False
    """Whether online sources are searched beside the library, or alone where ``library`` is empty."""
    without: tuple[str, ...] = ()
    """Identifiers of papers that no search may find; ``surveys`` among them stands for all surveys."""
    kinds: tuple[PaperKind, ...] = ()
    """The only kinds of publication that searches may find; empty: all."""
    places: tuple[str, ...] = ()
    """Where it is searched, in lower case: ``library``, ``openalex`` and so on; empty: where it is usual."""
    quick: QuickOptions | None = None

    def __post_init__(self) -> None:
        make_inert(self, "topic", "audience", "style")

    @property
    def wishes(self) -> str:
        """For whom and how it is written, for prompts; empty where nothing was asked."""
        wanted = [f"written for {self.audience}"] if self.audience else []
        return "; ".join([*wanted, f"in this style: {self.style}"] if self.style else wanted)

    @property
    def purpose(self) -> str:
        """The topic with the wishes."""
        return f"{self.topic} ({self.wishes})" if self.wishes else self.topic


KeywordOrigin = Literal["topic", "library", "model", "person"]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A search phrase and who proposed it; ``found`` is how many papers about the topic have it."""

    text: str
    origin: KeywordOrigin
    found: int = 0

    def __post_init__(self) -> None:
        make_inert(self, "text")


@dataclass(frozen=True, slots=True)
class KeywordPool:
    """The keywords of a survey; the first is the topic itself."""

    keywords: tuple[Keyword, ...]
    note: str = ""
    """What a person has to know about how they were chosen: that the language model could not be asked."""

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text.casefold() in {k.text.casefold() for k in self.keywords}


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One search that was made: where, for what, on which day (ISO date), and how many papers it gave.

    ``note`` says what a reader has to know about it: that the source failed, that the answer is an older one.
    """

    source: str
    query: str
    date: str
    found: int
    note: str = ""


WhyLeftOut = Literal["not relevant", "no room", "retracted"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A paper that was found and is not proposed, and the reason in words."""

    paper: Paper
    why: WhyLeftOut
    reason: str


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """A line of a person's list, the paper it was matched to, and how certain that is (0 to 1; 0: not found)."""

    line: str
    key: PaperKey | None = None
    certainty: float = 0.0
    note: str = ""


FEW_ON_TOPIC = 20
"""With fewer papers on the topic, a person is asked before anything is written from them."""


@dataclass(frozen=True, slots=True)
class PaperSelection:
    """The papers gathered for a survey, best first; those in ``excluded`` stay listed but are not used."""

    found: tuple[FoundPaper, ...]
    excluded: tuple[PaperKey, ...] = ()
    searches: tuple[SearchRecord, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """Papers that were judged not relevant; they are not among ``found``."""
    repeats: int = 0
    """Records that were another record's paper once more."""
    listed: tuple[ListedPaper, ...] = ()
    """The lines of the list that these papers come from, where a person gave one."""
    beyond: int = 0
    """Different papers that were found, but beyond the number wanted."""

    def all_left_out(self) -> tuple[LeftOut, ...]:
        """Papers left out for a reason: retracted ones that nobody took in again, and those judged not relevant."""
        out = set(self.excluded)
        retracted = (f.paper for f in self.found if f.paper.retracted and f.paper.key in out)
        why = "it was retracted by its publisher or its authors"
        return (*(LeftOut(paper, "retracted", why) for paper in retracted), *self.left_out)

    def count_tier(self, tier: Tier) -> int:
        """How many of the papers found are of a tier."""
        return sum(item.tier == tier for item in self.found)

    def is_thin(self) -> bool:
        """Whether a ranking has found hardly any paper on the topic."""
        return any(item.tier for item in self.found) and self.count_tier("core") < FEW_ON_TOPIC

    def list_included(self) -> tuple[Paper, ...]:
        """Papers that may be used, best first."""
        left_out = set(self.excluded)
        return tuple(item.paper for item in self.found if item.paper.key not in left_out)

    def list_excluded(self) -> list[int]:
        """Numbers, from 1, of the papers found that are not used."""
        return [number for number, item in enumerate(self.found, start=1) if item.paper.key in self.excluded]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Papers that belong together; ``terms`` are its c-TF-IDF terms, best first; ``parts`` divide it, where any do."""

    name: str
    terms: tuple[str, ...]
    papers: tuple[Paper, ...]
    parts: tuple[Cluster, ...] = ()


Role = Literal["introduction", "body", "conclusion"]

THIN_EVIDENCE = 3
"""A section of the body with fewer papers than this rests on thin evidence."""


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A section to be written, with the papers meant for it."""

    title: str
    description: str = ""
    papers: tuple[PaperKey, ...] = ()
    hint_papers: tuple[PaperKey, ...] = ()
    """The paper of each hint that it rests on, where a recipe makes hints: once for every hint of the paper."""
    children: tuple[OutlineNode, ...] = ()
    role: Role = "body"

    def __post_init__(self) -> None:
        make_inert(self, "title", "description")

    @property
    def is_thin(self) -> bool:
        """Whether the evidence is scarce; one without papers gets them when it is written."""
        return self.role == "body" and 0 < len(self.all_papers()) < THIN_EVIDENCE

    def describe(self) -> str:
        """The heading with what the section is to say."""
        return f"{self.title}. {self.description}"

    def all_papers(self) -> tuple[PaperKey, ...]:
        """Keys of this node and all below it, each once, in order."""
        keys = dict.fromkeys(self.papers)
        for child in self.children:
            keys.update(dict.fromkeys(child.all_papers()))
        return tuple(keys)

    def all_hints(self) -> tuple[PaperKey, ...]:
        """The papers of the hints of this node and all below it, once for each hint."""
        return (*self.hint_papers, *(key for child in self.children for key in child.all_hints()))


@dataclass(frozen=True, slots=True)
class Outline:
    """The plan of a survey: sections with subsections.

    ``method`` says how it was made, ``notes`` what a person should know before approving it.
    """

    title: str
    nodes: tuple[OutlineNode, ...]
    method: str = ""
    notes: tuple[str, ...] = ()
    is_grouping: bool = False
    """Whether its sections are groups of papers for approval, for which headings are still to be written."""
    places: tuple[tuple[PaperKey, float, float], ...] = ()
    """Where the papers of groups lie on a map of the field."""

    def __post_init__(self) -> None:
        make_inert(self, "title")

    def list_parts(self) -> list[OutlineNode]:
        """The sections and subsections of the body that have no parts, in reading order."""
        return [node for _, node in walk_outline(self.nodes) if node.role == "body" and not node.children]

    def give_papers(self, choose: Callable[[OutlineNode], Sequence[PaperKey]]) -> Outline:
        """The outline in which each section that has no parts has the papers chosen for it."""

        def give(node: OutlineNode) -> OutlineNode:
            below = tuple(map(give, node.children))
            return replace(node, children=below) if below else replace(node, papers=tuple(choose(node)))

        return replace(self, nodes=tuple(map(give, self.nodes)))


def walk_outline(nodes: tuple[OutlineNode, ...], prefix: str = "") -> Iterator[tuple[str, OutlineNode]]:
    """All outline nodes in reading order with their numbers."""
    for position, node in enumerate(nodes, start=1):
        number = f"{prefix}{position}"
        yield number, node
        yield from walk_outline(node.children, f"{number}.")
