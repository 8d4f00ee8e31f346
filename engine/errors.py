"""What can go wrong, and whose fault it is.

::

    ScholiumError
    ├── UserError            the request cannot be done as it stands; the message says what to do
    ├── ServiceError         someone else's fault; `retryable` says whether trying again may help
    │   ├── LanguageModelError
    │   └── RetrievalError   a library or an online source
    └── LimitExceeded        one of our own bounds was reached
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class ScholiumError(Exception):
    """Base of every error this project raises on purpose; its text can be shown to a person."""


class UserError(ScholiumError):
    """The request cannot be done as it stands; the text says what was wrong and what to do."""


class NoPapers(UserError):
    """Nothing is there about a topic. ``meant`` is the topic that may have been meant, where there is one."""

    def __init__(self, text: str, meant: str = "") -> None:
        super().__init__(text)
        self.meant = meant


@dataclass(frozen=True, slots=True)
class RecordError:
    """One record of a file cannot be read, and the rest goes on: where it stands, and why.

    Where it ``was_read`` it may not be whole.
    """

    place: str
    why: str
    was_read: bool = False

    def __str__(self) -> str:
        """As a person reads it."""
        return f"{self.place}: {self.why}"


class ServiceError(ScholiumError):
    """Someone else's service failed; ``retryable`` says whether trying again may help."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class LanguageModelError(ServiceError):
    """A language model refused, failed, or answered what cannot be used."""


class RetrievalError(ServiceError):
    """A library or an online source could not be read or written."""


class LimitExceeded(ScholiumError):
    """One of our own bounds was reached; `finished` work is kept by whoever raises it."""


def pick(kind: str, items: Sequence[T], number: int, place: str = "the survey") -> T:
    """The item of that number, from 1. Raises `UserError` naming the numbers that the ``place`` has."""
    if not 1 <= number <= len(items):
        raise UserError(f"There is no {kind} {number}; {place} has {f'1 to {len(items)}' if items else 'none'}.")
    return items[number - 1]


def find_known(error: Exception) -> ScholiumError | None:
    """The error as one that can be worded; of several at once the first; ``None`` where it is a fault of ours."""
    if isinstance(error, ScholiumError):
        return error
    inner = error.exceptions if isinstance(error, ExceptionGroup) else ()
    return next((known for one in inner if (known := find_known(one))), None)
