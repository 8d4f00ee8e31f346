"""How jobs are shared out, as pure decisions: which queue a job waits in, whose turn it is, what is ahead of it.

Two queues, by what people wait for: ``short`` is what they watch while they talk, ``long`` what they leave alone.
Within a queue each workspace has its own line, each person so many places in it; workspaces take turns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from bot.store.surveys import WantedJob
from bot.wording.progress import QueuePlace
from engine.session.events import JobKind

QueueKind = Literal["short", "long"]
QUEUES: tuple[QueueKind, ...] = get_args(QueueKind)

_SHORT: frozenset[JobKind] = frozenset({"keywords", "list", "answer", "revise", "background"})


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
    taken = Counter(job.person for job in jobs if job.state != "held")
    chosen = []
    for job in jobs:
        if job.state == "held" and taken[job.person] < per_person:
            taken[job.person] += 1
            chosen.append(job.wanted)
    return chosen


def find_places(jobs: Sequence[SharedJob], per_workspace: int) -> Mapping[str, QueuePlace]:
    """What each job that does not run waits for, by its id; ``per_workspace`` may run at once for one workspace.

    Workspaces take turns: ahead of the n-th job of a line are the first n - 1 of every line, and those n-th ones that
    came earlier. It is an estimate, for the queue draws the next workspace by lot.
    """
    running = [job for job in jobs if job.state == "running"]
    of_person, of_workspace = Counter(j.person for j in running), Counter(j.workspace for j in running)
    lines: defaultdict[tuple[str, str], list[SharedJob]] = defaultdict(list)
    for job in sorted(jobs, key=lambda job: job.since):
        if job.state == "queued":
            lines[job.workspace].append(job)
    turns = {j.wanted.id: (number, j.since) for line in lines.values() for number, j in enumerate(line)}
    before: Counter[tuple[str, str, str]] = Counter()
    places = {}
    for job in jobs:
        name, own = job.wanted.id, of_workspace[job.workspace]
        if job.state == "held":
            places[name] = QueuePlace("person", before[job.person], of_person[job.person])
        elif job.state == "queued" and own >= per_workspace:
            places[name] = QueuePlace("workspace", turns[name][0], own)
        elif job.state == "queued":
            same = (turns[j.wanted.id] for (queue, _), line in lines.items() if queue == job.workspace[0] for j in line)
            places[name] = QueuePlace("busy", sum(turn < turns[name] for turn in same), own)
        before[job.person] += job.state != "running"
    return places
