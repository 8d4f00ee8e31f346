"""A circuit breaker: a service that cannot be reached is not tried by every call again for minutes.

Source: Nygard, "Release It!" (2007), chapter 5. Only failures to reach the service count: an answer with an error is
an answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.llm.model import CallFailed, Unreachable

REST_S = 20.0
"""After a call has given up, others fail at once for so long; then one attempt of each may find the service back."""


@dataclass
class CircuitBreaker:
    """One for the whole process: whether the service was reached, and the failure of the last call that gave up."""

    clock: Callable[[], float] = time.monotonic
    reached: int = 0
    """Calls that had an answer."""
    _failure: Unreachable | None = field(default=None, repr=False)
    _rests_until: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the last call that had no answer gave up, and none had one since."""
        return self._failure is not None

    @contextmanager
    def guard_call(self) -> Iterator[None]:
        """Around one call with all its attempts. Raises `Unreachable` at once where another gave up a moment ago.

        A call that found nobody while others had answers says nothing of the service.
        """
        if self._failure is not None and self.clock() < self._rests_until:
            raise Unreachable(self._failure.kind)
        before = self.reached
        try:
            yield
        except Unreachable as error:
            if self.reached == before:
                self._failure, self._rests_until = error, self.clock() + REST_S
            raise
        except CallFailed:
            self._note_answer()
            raise
        self._note_answer()

    def _note_answer(self) -> None:
        self.reached += 1
        self._failure = None
