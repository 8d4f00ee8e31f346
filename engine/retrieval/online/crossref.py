"""Crossref: which papers were retracted, where OpenAlex cannot say, and what a DOI stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.values import PaperKey

ADDRESS = "https://api.crossref.org"
NAME = "Crossref"
NAMED_AT_ONCE = 20
WITH_CONTACT_S = 0.34
WITHOUT_CONTACT_S = 1.0
"""Seconds between calls: of lists it gives three a second to who names an address, and one to others."""
WITHDRAWN = frozenset({"retraction", "withdrawal", "removal"})


def interval_s(contact: str) -> float:
    """Seconds between two calls, with or without an address of ours."""
    return WITH_CONTACT_S if contact else WITHOUT_CONTACT_S


class Crossref:
    """A client of the service; raises `RetrievalError` where it cannot answer."""

    name = NAME

    def __init__(self, web: OnlineTransport, url: str = ADDRESS, policy: ServicePolicy | None = None) -> None:
        self._service = ScholarlyService(NAME, url, web, policy or ServicePolicy(interval_s(web.contact)))

    async def find_retracted(self, keys: Sequence[PaperKey]) -> frozenset[PaperKey]:
        """Those of the DOIs that a later notice retracts, withdraws or removes."""
        dois = [key for key in dict.fromkeys(keys) if key.startswith("doi:") and "," not in key]
        found: set[PaperKey] = set()
        for start in range(0, len(dois), NAMED_AT_ONCE):
            part = dois[start : start + NAMED_AT_ONCE]
            named = ",".join(f"doi:{key.removeprefix('doi:')}" for key in part)
            params = {"filter": named, "select": "DOI,updated-by,title", "rows": str(NAMED_AT_ONCE)}
            items, _ = await self._service.read(ServiceRequest("/works", params), read_items)
            found.update(PaperKey(f"doi:{str(i.get('DOI')).lower()}") for i in items if _is_withdrawn(i))
        return frozenset(found)


def read_items(text: str) -> list[Any]:
    """The works of an answer. Raises `ValueError` where there is no list of them."""
    answer = json.loads(text)
    message = answer.get("message") if isinstance(answer, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("items"), list):
        raise ValueError("gave an answer without “items”")
    return list(message["items"])


def _is_withdrawn(item: Mapping[str, Any]) -> bool:
    notices = item.get("updated-by") or ()
    return any(isinstance(n, dict) and str(n.get("type", "")).lower() in WITHDRAWN for n in notices)
