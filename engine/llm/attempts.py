"""Work with a language model that may fail while other work goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from engine.errors import LanguageModelError, LimitExceeded, ScholiumError

T = TypeVar("T")


async def try_work(work: Coroutine[Any, Any, T]) -> T | ScholiumError:
    """What came of it; a failure of the model or the budget's end is a value, so that calls in flight finish."""
    try:
        return await work
    except (LanguageModelError, LimitExceeded) as error:
        return error


async def try_all(works: Iterable[Coroutine[Any, Any, T]]) -> list[T | ScholiumError]:
    """What came of each, in order, as of `try_work`; all are tried at the same time."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(try_work(work)) for work in works]
    return [task.result() for task in tasks]


async def try_any(works: Iterable[Coroutine[Any, Any, T]]) -> tuple[list[T], list[ScholiumError]]:
    """What came of those that did not fail, in order, and the failures; raises the first where all failed."""
    came = await try_all(works)
    failed = [one for one in came if isinstance(one, ScholiumError)]
    if failed and len(failed) == len(came):
        raise failed[0]
    return [one for one in came if not isinstance(one, ScholiumError)], failed
