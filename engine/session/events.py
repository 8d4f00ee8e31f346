"""What can happen in a session, and what follows from it: values without behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from engine.survey import Section, SectionChange, Survey
from engine.values import Brief, KeywordPool, Outline, PaperSelection

JobKind = Literal[
    "keywords",
    "papers",
    "list",
    "outline",
    "write",
    "revise",
    "answer",
    "gaps",
    "evaluate",
    "background",
    "review",
    "headings",
    "divide",
]


@dataclass(frozen=True, slots=True)
class Job:
    """Work; ``change`` belongs to `revise`, ``question`` to `answer`, ``details`` to `evaluate`.

    What a person asks for is one without ``id``: of a survey `revise`, `answer`, `gaps`, `evaluate`, `background`; of a
    proposal `list`, and for a ``section`` `papers` (the outline stays) and `divide` (it gives way to its parts).
    """

    kind: JobKind
    change: SectionChange | None = None
    question: str = ""
    details: bool = False
    lines: tuple[str, ...] = ()
    """The list of papers that `list` looks for."""
    before: tuple[Exchange, ...] = ()
    """What was asked and answered before the question, the latest last."""
    asker: str = ""
    """Who asked for it without taking part in the survey: it is theirs to pay, and gives way to those who do."""
    section: str = ""
    """The number of the section that `papers` are searched for, or that is divided; empty for the whole survey."""
    searches: bool = False
    """Whether further papers are searched for the question of `answer` first."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """A topic was named; ``papers`` is how many papers to propose.

    What ``carries`` begins with the papers of the quick review before: another one, or a whole survey of them.
    """

    brief: Brief
    papers: int
    carries: bool = False


@dataclass(frozen=True, slots=True)
class Review:
    """A whole quick review: what was searched for, the papers with what became of the others, the text."""

    keywords: KeywordPool
    papers: PaperSelection
    survey: Survey


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the surveys written for a brief, with its papers and outline.

    ``scores`` are a judge's for coverage, structure and relevance, 1 to 5 each; empty where nothing was judged.
    """

    papers: PaperSelection
    outline: Outline
    survey: Survey
    scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """The surveys that were written, the ``best`` of which (from 1) is the one to go on with."""

    candidates: tuple[Candidate, ...]
    best: int = 1


@dataclass(frozen=True, slots=True)
class TakeCandidate:
    """The candidate of that number (from 1) is the survey."""

    number: int


@dataclass(frozen=True, slots=True)
class Approve:
    """Yes to the proposal; ``revision`` is the one the person saw, ``None`` for plain words."""

    revision: int | None = None


@dataclass(frozen=True, slots=True)
class Regenerate:
    """No: propose something else at this step."""

    revision: int | None = None


@dataclass(frozen=True, slots=True)
class EditKeywords:
    """Keywords to add and to drop."""

    add: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditPapers:
    """Positions in the list of papers, from 1, to leave out or take in again."""

    exclude: tuple[int, ...] = ()
    include: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MovePaper:
    """The paper at that position of the list (from 1) belongs to the group of that number."""

    position: int
    place: str


@dataclass(frozen=True, slots=True)
class MorePapers:
    """So many papers more, 0 for the usual number; after a question about a finished survey, papers for it."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class EditOutline:
    """A change of the outline; see `engine.session.outline_edits`. Raises `UserError` where it cannot be done."""

    apply: Callable[[Outline], Outline]


class Control(Enum):
    """What needs nothing more than its name."""

    GO_BACK = "to the proposal before"
    REDO = "take back the last undo"
    REWRITE_ALL = "write every section anew, also those that the outline leaves as they are"
    START_OVER = "forget the survey and begin with a topic"
    STOP = "stop what is running; what is finished stays"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back so many changes."""

    steps: int = 1


@dataclass(frozen=True, slots=True)
class SectionFinished:
    """The running job has finished a section; ``position`` counts outline nodes from 0."""

    job_id: str
    position: int
    section: Section


JobResult = KeywordPool | PaperSelection | Outline | Survey | Written | Review | None


@dataclass(frozen=True, slots=True)
class JobDone:
    """A job ended well; of an answer only its sentences are kept, for the questions that come after it."""

    job_id: str
    result: JobResult = None
    answered: str = ""


@dataclass(frozen=True, slots=True)
class JobFailed:
    """A job ended without a result."""

    job_id: str


ContentChange = EditKeywords | EditPapers | EditOutline | MorePapers | MovePaper | Job
"""What changes a proposal, each in its phase only."""
PersonEvent = Start | Approve | Regenerate | ContentChange | TakeCandidate | Undo | Control
Event = PersonEvent | SectionFinished | JobDone | JobFailed


Notice = Literal[
    "stale",
    "busy",
    "nothing to approve",
    "nothing to undo",
    "nothing to redo",
    "nothing to stop",
    "stopped",
    "undone",
    "redone",
    "no way back",
    "not now",
    "running already",
    "started over",
    "needs topic",
]
"""One of the known things to say; nothing was changed unless its name says so."""

Action = Literal["propose", "start job", "stop job"] | Notice
"""Show the proposal of the current phase, begin the session's job, end the job that it had before (what that finished
was kept), or say something."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question about a survey and what was answered: its sentences with their citations, or nothing."""

    question: str
    answer: str
