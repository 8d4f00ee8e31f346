"""What Discord refuses in messages, written from its documentation, and messages as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

COMPONENTS_V2 = 1 << 15
ROW, BUTTON, TEXT, CONTAINER = 1, 2, 10, 17
"""Kinds of components."""


class No(Exception):
    """A refusal: status, code."""

    def __init__(self, status: int, code: int) -> None:
        super().__init__(f"{status}/{code}")
        self.status, self.code = status, code


@dataclass
class Message:
    """A message as it stands now."""

    id: str
    channel: str
    content: str
    components: list[Json] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)
    edits: int = 0
    nonce: str = ""
    is_v2: bool = False

    @property
    def buttons(self) -> dict[str, str]:
        """Custom ids by label."""
        return {c["label"]: c["custom_id"] for c in walk(self.components) if c["type"] == BUTTON}

    def take(self, body: Json) -> None:
        """Become what is posted or edited; what is read is the content, or every text among the components."""
        self.is_v2 = self.is_v2 or bool(body.get("flags", 0) & COMPONENTS_V2)
        self.components = body.get("components", self.components) or []
        shown = "\n".join(c["content"] for c in walk(self.components) if c["type"] == TEXT)
        self.content = (shown if self.is_v2 else body.get("content", self.content)) or ""


def check_message(body: Json, *, has_files: bool, was_v2: bool) -> str:
    """What is read in a message; raises `No` for one that Discord does not take."""
    content, rows = body.get("content") or "", body.get("components") or []
    items = [item for item in walk(rows)]
    if was_v2 or body.get("flags", 0) & COMPONENTS_V2:  # no content beside it, and no way back
        need(not content and not body.get("embeds") and bool(rows) and len(items) <= 40, 400, 50035)
        need(all(item["type"] in {ROW, BUTTON, TEXT, CONTAINER} for item in items), 400, 50035)
        texts = [item["content"] for item in items if item["type"] == TEXT]
        need(all(texts) and 1 <= len("".join(texts)) <= 4_000, 400, 50035)
        content = "".join(texts)
    else:
        need(len(content) <= 2_000 and bool(content.strip() or has_files), 400, 50006 if not content else 50035)
        need(len(rows) <= 5 and all(row["type"] == ROW for row in rows), 400, 50035)
    need(all(1 <= len(row["components"]) <= 5 for row in items if row["type"] == ROW), 400, 50035)
    buttons = [item for item in items if item["type"] == BUTTON]
    names = [item["custom_id"] for item in buttons]
    need(len(set(names)) == len(names) and all(1 <= len(n) <= 100 for n in names), 400, 50035)
    need(all(1 <= len(item["label"]) <= 80 for item in buttons), 400, 50035)
    return content


def walk(components: list[Json]) -> Iterator[Json]:
    """Each component, with those inside it."""
    for item in components:
        yield item
        yield from walk(item.get("components") or [])


def need(holds: bool, status: int, code: int) -> None:  # noqa: FBT001
    if not holds:
        raise No(status, code)
