"""The commands that serve a chat platform: ``slack``, ``discord``, and ``worker``, which runs jobs only."""

from __future__ import annotations

from typing import Literal

from rich.console import Console

from adapters.chat import ChatAdapter
from adapters.discord.discord_adapter import DiscordAdapter
from adapters.discord.discord_sender import EDIT_S
from adapters.http_server import ConnectionLimits
from adapters.slack.slack_adapter import SlackAccess, SlackAdapter
from bot.app import App, open_app
from bot.cli.conversations import prepare_library
from bot.jobs.sharing import QUEUES, QueueKind
from bot.serving.online_sources import text_of
from bot.serving.service import ProcessRole, run_service
from bot.settings import Settings
from bot.store.installations import NEEDS_KEY, Installations, InstallationTickets
from bot.store.sessions import Store, open_store
from bot.wording.labels import WORDS
from engine.errors import UserError

SLACK_WANTS = (
    "Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (Socket Mode), or SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET (HTTP), or for "
    "several workspaces SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_SIGNING_SECRET and SCHOLIUM_TOKEN_KEY. "
    "See deploy/slack.md."
)


Platform = Literal["slack", "discord"]


async def serve(console: Console, platform: Platform) -> int:
    """Talk on a platform until ended, and run jobs where the settings say so."""
    async with open_app() as app, open_store(app.settings.store_url()) as store:
        return await _serve(console, app, make_adapter(platform, app.settings, store), store, ProcessRole())


async def work(console: Console, platform: Platform | None, queue: QueueKind | None) -> int:
    """Run jobs of a platform's conversations until ended, of one queue or of all."""
    async with open_app() as app, open_store(app.settings.store_url()) as store:
        role = ProcessRole(talks=False, runs=(queue,) if queue else QUEUES)
        if app.settings.jobs == 0:
            raise UserError("A worker runs jobs: set SCHOLIUM_JOBS to 1 or more for it.")
        adapter = make_adapter(platform or choose_platform(app.settings), app.settings, store)
        return await _serve(console, app, adapter, store, role)


def choose_platform(settings: Settings) -> Platform:
    """The only platform that there are settings for. Raises `UserError` where that is not one."""
    on_slack, on_discord = bool(settings.slack_bot_token or settings.slack_client_id), bool(settings.discord_token)
    if on_slack == on_discord:
        raise UserError("Say whose jobs are to be run: scholium worker slack, or scholium worker discord.")
    return "slack" if on_slack else "discord"


def make_adapter(platform: Platform, settings: Settings, store: Store) -> ChatAdapter:
    """The platform's adapter. Raises `UserError` where a setting for it is missing."""
    if platform == "slack":
        return SlackAdapter(slack_access(settings, store), WORDS)
    return make_discord(settings)


def make_discord(settings: Settings, edit_s: float = EDIT_S) -> DiscordAdapter:
    if settings.discord_token is None:
        raise UserError("Set DISCORD_TOKEN. See deploy/discord.md.")
    token, reads, shards = text_of(settings.discord_token), settings.discord_messages, settings.discord_shards
    return DiscordAdapter(token, WORDS, edit_s, reads_messages=reads, shards=shards)


def slack_access(settings: Settings, store: Store) -> SlackAccess:
    many = check_slack(settings)
    return SlackAccess(
        bot_token="" if many else text_of(settings.slack_bot_token),
        app_token=text_of(settings.slack_app_token),
        signing_secret=text_of(settings.slack_signing_secret),
        client_id=settings.slack_client_id,
        client_secret=text_of(settings.slack_client_secret),
        installations=Installations(store, settings.slack_client_id, text_of(settings.token_key)) if many else None,
        states=InstallationTickets(store) if many else None,
        host=settings.http_host,
        port=settings.http_port,
        limits=ConnectionLimits(settings.http_connections),
        api_url=settings.slack_api_url,
    )


def check_slack(settings: Settings) -> bool:
    """Whether many workspaces are served. Raises `UserError` naming what is missing."""
    many = bool(settings.slack_client_id and settings.slack_client_secret)
    if not (settings.slack_app_token or settings.slack_signing_secret) or not (settings.slack_bot_token or many):
        raise UserError(SLACK_WANTS)
    if many and settings.token_key is None:
        raise UserError(NEEDS_KEY)
    return many


async def _serve(console: Console, app: App, adapter: ChatAdapter, store: Store, role: ProcessRole) -> int:
    """Serve with the library of the settings, or the bundled one."""
    await prepare_library(console, app, app.default_library())
    async with run_service(app, adapter, store=store, role=role) as service:
        name = adapter.platform.title()
        if role.talks:
            said = f"Scholium listens to {name}. Ctrl-C ends it; what runs goes on next time."
            service.backend.on_listening = lambda: console.print(said, soft_wrap=True)
        else:
            kinds = " and ".join(role.runs)
            said = f"Scholium runs {kinds} jobs of {name}. Ctrl-C ends it; another worker goes on with them."
            console.print(said, soft_wrap=True)
        await service.run()
    return 0
