"""What a person is told of a job that waits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.wording.sentences import counted

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
    running, ahead = counted(place.running, "job"), counted(place.ahead, "job")
    run, wait = ("is" if number == 1 else "are" for number in (place.running, place.ahead))
    match place.reason:
        case "person" if place.ahead:
            return f"It waits: {running} of yours {run} running, and {ahead} more of yours {wait} before it."
        case "person":
            return f"It waits: {running} of yours {run} running. It is your next one."
        case "workspace" if place.ahead:
            return f"It waits: {running} of this workspace {run} running, and {ahead} {wait} before it."
        case "workspace":
            return f"It waits: {running} of this workspace {run} running. It is the next one."
        case "busy":
            return (
                f"It waits for a free place: about {ahead} before it." if place.ahead else "It waits and is the next."
            )
