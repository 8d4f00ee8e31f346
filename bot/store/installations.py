"""Workspaces that have installed us: their tokens, encrypted, in the store; the form that Slack's library asks for."""

from __future__ import annotations

import json
import logging
import secrets
import time
from typing import Any

import sqlalchemy as sa
from cryptography.fernet import Fernet, InvalidToken
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.store.schema import installations, tickets
from bot.store.sessions import Store
from engine.errors import UserError

TICKET_S = 600.0
"""How long a person may take to install us."""

NEEDS_KEY = (
    "To keep tokens of workspaces, set SCHOLIUM_TOKEN_KEY to a key, made with: "
    'python -c "from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
)


class Installations(AsyncInstallationStore):
    """Tokens of Slack's workspaces, of one app; at rest they are encrypted with the key."""

    logger = logging.getLogger(__name__)

    def __init__(self, store: Store, client_id: str, key: str) -> None:
        try:
            self._cipher = Fernet(key)
        except ValueError as error:
            raise UserError(NEEDS_KEY) from error
        self._store = store
        self._client_id = client_id

    async def async_save(self, installation: Installation) -> None:
        """Keep the workspace's bot; of the person who installed it nothing."""
        await self.async_save_bot(installation.to_bot())

    async def async_save_bot(self, bot: Bot) -> None:
        """Keep it, instead of the one before."""
        where = self._where(bot.enterprise_id, None if bot.is_enterprise_install else bot.team_id)
        content = self._cipher.encrypt(json.dumps(vars(bot)).encode())
        row = {**where, "content": content, "installed_at": time.time()}
        former = installations.delete().filter_by(**where)
        await self._store.write(former, self._store.insert_once(installations).values(row))

    async def async_find_bot(
        self, *, enterprise_id: str | None, team_id: str | None, is_enterprise_install: bool | None = False
    ) -> Bot | None:
        """The workspace's bot; ``None`` where it is not installed. Raises `UserError` where the key is another."""
        where = self._where(enterprise_id, None if is_enterprise_install else team_id)
        # That of the organisation named comes first.
        query = sa.select(installations.c.content).order_by(installations.c.enterprise != where["enterprise"])
        if not is_enterprise_install:  # a workspace is found by its own name, whatever organisation it is in
            del where["enterprise"]
        rows = await self._store.select(query.filter_by(**where))
        return Bot(**self._read(rows[0].content)) if rows else None

    async def async_find_installation(self, **_: Any) -> Installation | None:
        """Nothing is kept of persons."""
        return None

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        where = self._where(enterprise_id, team_id)
        if team_id:  # by its own name, whatever organisation it is in; an organisation only by its own
            del where["enterprise"]
        await self._store.write(installations.delete().filter_by(**where))

    async def async_delete_installation(self, **_: Any) -> None:
        """Nothing is kept of persons."""

    def _where(self, enterprise: str | None, tenant: str | None) -> dict[str, str]:
        of_app = {"platform": "slack", "client_id": self._client_id}
        return {**of_app, "enterprise": enterprise or "", "tenant": tenant or ""}

    def _read(self, content: bytes) -> dict[str, Any]:
        try:
            return dict(json.loads(self._cipher.decrypt(content)))
        except InvalidToken as error:
            raise UserError(
                "SCHOLIUM_TOKEN_KEY is not the key that the workspaces' tokens were encrypted with. Set the former "
                "key again, or let the workspaces install Scholium anew."
            ) from error


class InstallationTickets(AsyncOAuthStateStore):
    """Installations that were begun: each ticket is good once, for `TICKET_S`."""

    logger = logging.getLogger(__name__)

    def __init__(self, store: Store) -> None:
        self._store = store

    async def async_issue(self, *args: Any, **kwargs: Any) -> str:
        """A new ticket; old ones are swept away."""
        ticket = secrets.token_urlsafe(32)
        old = tickets.delete().where(tickets.c.made_at < time.time() - TICKET_S)
        await self._store.write(old, tickets.insert().values(id=ticket, made_at=time.time()))
        return ticket

    async def async_consume(self, state: str) -> bool:
        """Take it back; ``False`` for one that is unknown, used, or too old."""
        same = (tickets.c.id == state) & (tickets.c.made_at >= time.time() - TICKET_S)
        return bool(await self._store.write(tickets.delete().where(same)))
