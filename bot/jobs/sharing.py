"""How jobs are shared out, as pure decisions: which queue a job waits in, whose turn it is, what is ahead of it.

Two queues, by what people wait for: ``short`` is what they watch while they talk, ``long`` what they leave alone.
Within a queue each workspace has its own line, each person so many places in it; workspaces take turns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from bot.store.surveys import WantedJob
from bot.wording.progress import QueuePlace
from engine.session.events import JobKind

QueueKind = Literal["short", "long"]
QUEUES: tuple[QueueKind, ...] = get_args(QueueKind)

_SHORT: frozenset[JobKind] = frozenset({"keywords", "list", "answer", "revise", "background"})


@dataclass(frozen=True, slots=True)
class JobLimits:
    """Jobs of one queue at once: in this process, in all, for one workspace, for one person."""

    here: int = 4
    everywhere: int = 32
    per_workspace: int = 16
    per_person: int = 2


JobState = Literal["held", "queued", "running"]
"""A job that is ``held`` is in no queue yet: its owner has as many there as one person may."""


@dataclass(frozen=True, slots=True)
class SharedJob:
    """A job that a session waits for, as it stands; ``since`` is when it came into its queue (seconds since 1970)."""

    wanted: WantedJob
    state: JobState
    since: float = 0.0

    @property
    def workspace(self) -> tuple[str, str]:
        """Its queue and the workspace whose line it stands in."""
        return choose_queue(self.wanted.kind), self.wanted.conversation.workspace

    @property
    def person(self) -> tuple[str, str, str]:
        """The same, and for whom it is."""
        return (*self.workspace, self.wanted.person)


def choose_queue(kind: JobKind) -> QueueKind:
    return "short" if kind in _SHORT else "long"


def choose_next(jobs: Sequence[SharedJob], per_person: int) -> list[WantedJob]:
    """The jobs that are held and may come into their queue now; of one person the one asked for first."""
    taken: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for job in jobs:
        taken[job.person] += job.state != "held"
    chosen = []
    for job in jobs:
        if job.state == "held" and taken[job.person] < per_person:
            taken[job.person] += 1
            chosen.append(job.wanted)
    return chosen


def find_places(jobs: Sequence[SharedJob], limits: JobLimits) -> Mapping[str, QueuePlace]:
    """What each job that does not run waits for, by its id.

    Workspaces take turns: ahead of the n-th job of a line are the first n - 1 of every line, and those n-th ones that
    came earlier. It is an estimate, for the queue draws the next workspace by lot.
    """
    lines: defaultdict[tuple[str, str], list[SharedJob]] = defaultdict(list)
    for job in sorted(jobs, key=lambda job: job.since):
        if job.state == "queued":
            lines[job.workspace].append(job)
    turns = {j.wanted.id: (number, j.since) for line in lines.values() for number, j in enumerate(line)}
    places = {}
    for job in jobs:
        queue, _ = job.workspace
        running = [other for other in jobs if other.state == "running"]
        of_person = sum(other.person == job.person for other in running)
        of_workspace = sum(other.workspace == job.workspace for other in running)
        match job.state:
            case "held":
                earlier = jobs[: jobs.index(job)]
                own = sum(other.person == job.person for other in earlier if other.state != "running")
                places[job.wanted.id] = QueuePlace("person", own, of_person)
            case "queued" if of_workspace >= limits.per_workspace:
                places[job.wanted.id] = QueuePlace("workspace", turns[job.wanted.id][0], of_workspace)
            case "queued":
                same = (turns[j.wanted.id] for ws, line in lines.items() if ws[0] == queue for j in line)
                ahead = sum(turn < turns[job.wanted.id] for turn in same)
                places[job.wanted.id] = QueuePlace("busy", ahead, of_workspace)
            case "running":
                """It waits for nothing."""
    return places
