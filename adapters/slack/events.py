"""What people write in Slack, as `Incoming`. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from adapters.chat import Attachment, Conversation, Incoming
from adapters.slack.blocks import unescape_markup


def to_incoming(event: Mapping[str, Any], tenant: str, us: str) -> Incoming | None:
    """A message as `Incoming`; ``None`` for what nobody says to us: edits, bots, joins."""
    if event.get("subtype") not in {None, "file_share", "thread_broadcast"}:
        return None
    if event.get("bot_id") or not event.get("user") or event["user"] == us:
        return None
    thread = event.get("thread_ts") or event["ts"]  # in direct messages too, where each message roots a thread
    text = re.sub(rf"<@{re.escape(us)}(?:\|[^>]*)?>", " ", event.get("text") or "") if us else event.get("text") or ""
    text = re.sub(r"<(https?://[^|<>]+)(?:\|[^<>]*)?>", r"\1", text)
    files = tuple(
        Attachment(str(file.get("name") or "file"), source=str(file["url_private_download"]))
        for file in event.get("files") or ()
        if file.get("url_private_download")
    )
    at = Conversation("slack", tenant, event["channel"], thread)
    return Incoming(
        at, event["user"], f"said:{event['channel']}:{event['ts']}", unescape_markup(text).strip(), "", files
    )
