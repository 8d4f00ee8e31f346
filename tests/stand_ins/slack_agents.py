"""A stand-in Slack's messages, and what it has for agents: sessions and suggested prompts."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.stand_ins.changes import ObservedChanges
from tests.stand_ins.slack_rules import Json, need, render_block

STATES = frozenset({"processing", "active", "suspended", "closed"})


@dataclass
class Message:
    """A message as it stands now."""

    team: str
    channel: str
    ts: str
    body: Json
    only_for: str = ""
    edits: int = 0
    files: list[str] = field(default_factory=list)

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


class SlackAgents(ObservedChanges):
    """Methods of the Web API."""

    has_agents: bool
    messages: list[Message]
    statuses: list[tuple[str, str]]
    titles: dict[str, str]
    prompts: dict[str, list[tuple[str, str]]]

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
