"""How the package `semanticscholar` asks: through our own transport, instead of its own `ApiRequester`.

Left to itself it pastes queries unescaped, sends no key with citations, reads some outages as "no papers" and retries
for minutes in silence.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from engine.retrieval.online.transport import ScholarlyService, ServiceRequest

if TYPE_CHECKING:  # it brings HTTP clients of its own, which take time to load
    from semanticscholar import AsyncSemanticScholar

ASKED_FOR = "askedFor"
"""Added to each paper of a lookup: the package drops unknown papers, so that places say nothing."""

NOBODY_KNOWN = "no valid paper ids"
"""What the service says, with 400, to a lookup in which it knows none of the papers."""


class PacedRequester:
    """Asks in place of the package's own `ApiRequester`, for one question.

    The package calls ``get_data_async`` and nothing else of it (a test fails where that moves).
    """

    def __init__(self, service: ScholarlyService, url: str) -> None:
        self._service = service
        self._url = url
        self.age_s = 0.0
        """The age of the oldest answer."""

    async def get_data_async(
        self, url: str, parameters: str, headers: object, payload: Mapping[str, Any] | None = None
    ) -> Any:
        """The answer as JSON. Raises `ObjectNotFoundException` for a paper that the service does not know."""
        from semanticscholar.SemanticScholarException import ObjectNotFoundException

        path = url.removeprefix(self._url)
        params = dict(parse_qsl(parameters, keep_blank_values=True))
        one_paper, batch = not path.endswith(("/search", "/bulk", "/batch")), path.endswith("/batch")
        absent_words = NOBODY_KNOWN if batch else ""
        ask = ServiceRequest(path, params, payload, one_paper, absent_words, _check_of(path))
        reply = await self._service.ask(ask)
        if batch and not reply.there:
            return []
        if not reply.there:
            raise ObjectNotFoundException("Semantic Scholar does not know the paper.")
        self.age_s = max(self.age_s, reply.age_s)
        answer = reply.json()
        if batch:
            asked = zip((payload or {}).get("ids", ()), answer, strict=True)
            return [item and {**item, ASKED_FOR: name} for name, item in asked]
        # An empty answer without its list would be asked for again and again by the package.
        return {"data": [], **answer} if answer.get("total") == 0 else answer


def make_client(url: str, requester: PacedRequester) -> AsyncSemanticScholar:
    """The package's client, which asks through the requester."""
    from semanticscholar import AsyncSemanticScholar

    class QuietClient(AsyncSemanticScholar):  # type: ignore[misc]  # the package has no types
        """The package's client, whose property of this name sets up everybody's logging."""

        debug = False

    logging.getLogger("semanticscholar").setLevel(logging.ERROR)  # it warns of each unknown paper
    client = QuietClient(api_url=url)
    client._requester = requester
    return client


def _check_of(path: str) -> Callable[[str], None]:
    """What looks whether an answer holds what the path promises: an outage is not "nothing found"."""
    name = "recommendedPapers" if path.startswith("/recommendations/") else "data"

    def check(text: str) -> None:
        answer = json.loads(text)
        if path.endswith("/batch"):
            if not isinstance(answer, list):
                raise ValueError("gave an answer that is no list of papers")
            return
        found = answer.get(name) if isinstance(answer, dict) else None
        nothing = found is None and isinstance(answer, dict) and answer.get("total") == 0
        if not (isinstance(found, list) or nothing):
            raise ValueError(f"gave an answer without “{name}”")

    return check
