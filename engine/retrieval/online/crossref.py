"""Crossref: which papers were retracted, where OpenAlex cannot say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.values import PaperKey

ADDRESS = "https://api.crossref.org"
NAME = "Crossref"
NAMED_AT_ONCE = 20
WITH_CONTACT_S, WITHOUT_CONTACT_S = 0.34, 1.0
"""Seconds between calls: of lists it gives three a second to who names an address, and one to others."""
WITHDRAWN = frozenset({"retraction", "withdrawal", "removal"})


class Crossref:
    """A client of the service; raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(self, web: OnlineTransport, url: str, policy: ServicePolicy) -> None:
        interval_s = WITH_CONTACT_S if web.contact else WITHOUT_CONTACT_S
        self._service = ScholarlyService(NAME, url, web, policy.with_interval(interval_s))

    async def find_retracted(self, keys: Sequence[PaperKey]) -> frozenset[PaperKey]:
        """Those of the DOIs that a later notice retracts, withdraws or removes."""
        dois = [key for key in dict.fromkeys(keys) if key.startswith("doi:") and "," not in key]
        found: set[PaperKey] = set()
        for start in range(0, len(dois), NAMED_AT_ONCE):
            named = ",".join(dois[start : start + NAMED_AT_ONCE])
            params = {"filter": named, "select": "DOI,updated-by,title", "rows": str(NAMED_AT_ONCE)}
            withdrawn, _ = await self._service.ask(ServiceRequest("/works", params), _read_withdrawn)
            found |= withdrawn
        return frozenset(found)


def _read_withdrawn(text: str) -> set[PaperKey]:
    """The keys of the works of an answer that were withdrawn; raises what a wrong shape raises."""
    items: Sequence[Mapping[str, Any]] = json.loads(text)["message"]["items"]
    return {
        PaperKey(f"doi:{str(item.get('DOI')).lower()}")
        for item in items
        if any(str(notice.get("type", "")).lower() in WITHDRAWN for notice in item.get("updated-by") or ())
    }
