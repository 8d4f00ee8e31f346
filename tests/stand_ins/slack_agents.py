"""A stand-in Slack's messages, and what it has for agents: sessions, suggested prompts, messages that are streamed.

Of streams the documentation says little. That an open one refuses to be edited and deleted, and that each is closed
five minutes after its start, is what others measured in September 2026.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tests.stand_ins.changes import ObservedChanges
from tests.stand_ins.slack_rules import TOGETHER, Json, check_block, need, render_block, texts

STATES = frozenset({"processing", "active", "suspended", "closed"})
STREAM_BLOCKS = 50
"""Of all chunks of a stream together."""


@dataclass
class Message:
    """A message as it stands now; ``streams_until`` is when it is closed, if it is streamed."""

    team: str
    channel: str
    ts: str
    body: Json
    only_for: str = ""
    edits: int = 0
    appended: int = 0
    files: list[str] = field(default_factory=list)
    streams_until: float = 0.0

    @property
    def thread(self) -> str:
        return str(self.body.get("thread_ts") or "")

    @property
    def text(self) -> str:
        """Everything that can be read in it."""
        return "\n".join(render_block(block) for block in self.body.get("blocks") or []) or str(self.body.get("text"))

    @property
    def buttons(self) -> dict[str, Json]:
        actions = [b for b in self.body.get("blocks") or [] if b["type"] == "actions"]
        return {e["text"]["text"]: e for b in actions for e in b["elements"]}

    @property
    def is_streamed(self) -> bool:
        return time.monotonic() < self.streams_until


class SlackAgents(ObservedChanges):
    """Methods of the Web API; ``stream_s`` is how long a stream lives."""

    has_agents: bool
    has_streams: bool
    stream_s: float
    messages: list[Message]
    statuses: list[tuple[str, str]]
    titles: dict[str, str]
    prompts: dict[str, list[tuple[str, str]]]

    def stamp(self) -> str:
        raise NotImplementedError

    def _reachable(self, channel: str, thread: str) -> None:
        raise NotImplementedError

    def _find(self, team: str, body: Json) -> Message:
        """One of our messages that all can see."""
        found = [m for m in self.messages if (m.team, m.channel, m.ts) == (team, body["channel"], body["ts"])]
        need(bool(found) and not found[0].only_for, "message_not_found")
        return found[0]

    async def _agents_sessions_setStatus(self, _: str, body: Json, __: str) -> Json:
        need(self.has_agents, "unknown_method")
        need(body["status"] in STATES and bool(body["thread_ts"]), "invalid_arguments")
        need(1 <= len(body.get("title", "-")) <= 200, "invalid_arguments")
        self.titles.setdefault(body["thread_ts"], body.get("title", ""))  # a session that there is keeps its title
        self.statuses.append((body["thread_ts"], body["status"]))
        return {}

    async def _agents_sessions_rename(self, _: str, body: Json, __: str) -> Json:
        need(self.has_agents, "unknown_method")
        need(body["thread_ts"] in self.titles, "session_not_found")
        need(1 <= len(body["title"]) <= 200, "invalid_arguments")
        self.titles[body["thread_ts"]] = body["title"]
        return {}

    async def _assistant_threads_setSuggestedPrompts(self, _: str, body: Json, __: str) -> Json:
        need(self.has_agents, "unknown_method")
        need(body["channel_id"].startswith("D"), "channel_not_found")
        need(1 <= len(body["prompts"]) <= 4, "invalid_arguments")
        need(all(prompt["title"] and prompt["message"] for prompt in body["prompts"]), "invalid_arguments")
        if "thread_ts" not in body:  # with one, an agent's call does nothing
            self.prompts[body["channel_id"]] = [(p["title"], p["message"]) for p in body["prompts"]]
        return {}

    async def _chat_startStream(self, team: str, body: Json, _: str) -> Json:
        need(self.has_streams, "feature_not_enabled")
        self._reachable(body["channel"], body.get("thread_ts") or "")
        is_direct = body["channel"].startswith("D")
        need(not is_direct or bool(body.get("thread_ts")), "invalid_thread_ts")
        need(is_direct or bool(body.get("recipient_team_id")), "missing_recipient_team_id")
        need(is_direct or bool(body.get("recipient_user_id")), "missing_recipient_user_id")
        made = Message(team, body["channel"], self.stamp(), {"thread_ts": body.get("thread_ts"), "blocks": []})
        _append(made, body.get("chunks") or [])
        made.streams_until = time.monotonic() + self.stream_s
        self.messages.append(made)
        return {"ts": made.ts, "channel": made.channel}

    async def _chat_appendStream(self, team: str, body: Json, _: str) -> Json:
        found = self._find(team, body)
        need(found.is_streamed, "message_not_in_streaming_state")
        need(bool(body.get("chunks")), "no_text")
        _append(found, body["chunks"])
        found.appended += 1
        return {"ts": found.ts, "channel": found.channel}

    async def _chat_stopStream(self, team: str, body: Json, _: str) -> Json:
        found = self._find(team, body)
        need(found.is_streamed, "message_not_in_streaming_state")
        need(body.get("session_status", "active") in STATES, "invalid_arguments")
        _append(found, body.get("chunks") or [])
        found.streams_until = 0.0
        self.statuses.append((found.thread, body.get("session_status", "active")))
        return {"ts": found.ts, "channel": found.channel}


def _append(message: Message, chunks: list[Json]) -> None:
    """Chunks of blocks, which nothing reads as markup; what we were not seen to send is refused."""
    need(all(chunk["type"] == "blocks" and chunk["blocks"] for chunk in chunks), "invalid_chunks")
    blocks = [*message.body["blocks"], *(block for chunk in chunks for block in chunk["blocks"])]
    for block in blocks:
        check_block(block)
    need(len(blocks) <= STREAM_BLOCKS and sum(map(len, texts(blocks))) <= TOGETHER, "msg_too_long")
    message.body["blocks"] = blocks
