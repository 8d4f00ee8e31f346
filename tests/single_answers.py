"""Single answers of HTTP services, given by respx to clients of httpx and of httpx2 alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import respx
from respx.mocks import HTTPCoreMocker

# Without these the clients of openai and anthropic would go past respx to the network.
HTTPCoreMocker.add_targets(
    "httpcore2._async.connection_pool.AsyncConnectionPool", "httpcore2._sync.connection_pool.ConnectionPool"
)

ADDRESS = "https://model.lab.example"
Answer = httpx.Response
Body = dict[str, Any]


@contextmanager
def answer_everything(answer: Callable[[Body], Answer] | Answer) -> Iterator[respx.MockRouter]:
    """Every request gets this answer, or the one that a function gives for its body; nothing leaves the machine."""

    def respond(request: httpx.Request) -> Answer:
        return answer if isinstance(answer, Answer) else answer(json.loads(request.content or b"{}"))

    with respx.mock(assert_all_called=False) as router:
        router.route().mock(side_effect=respond)
        yield router
