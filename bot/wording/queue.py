"""What a person is told of a job that waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.wording.sentences import pluralize

NOBODY_WORKS = "It waits: no process runs jobs at the moment. Whoever runs Scholium has to start `scholium worker`."


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Why a job waits. ``ahead`` is how many are before it; ``running`` how many of its owner's or workspace's run.

    ``reason``: its owner's own jobs come first, its workspace has as many running as it may, or all are busy.
    """

    reason: Literal["person", "workspace", "busy"]
    ahead: int
    running: int


def word_queued(place: QueuePlace) -> str:
    """Why a job waits, and how many are before it."""
    run, wait = ("is" if number == 1 else "are" for number in (place.running, place.ahead))
    behind = f", and {place.ahead:,} more {wait} ahead of it." if place.ahead else ". It is next."
    match place.reason:
        case "person":
            return f"It waits: {place.running:,} of your jobs {run} running{behind}"
        case "workspace":
            return f"It waits: {place.running:,} of this workspace's jobs {run} running{behind}"
        case "busy" if place.ahead:
            return f"It waits for a free place, with about {pluralize(place.ahead, 'job')} ahead of it."
        case "busy":
            return "It is next in the queue."
