"""The commands that serve a chat platform: ``slack`` and ``discord``."""

from __future__ import annotations

from rich.console import Console

from adapters.chat import ChatAdapter
from adapters.discord.adapter import DiscordAccess, DiscordAdapter
from adapters.slack.adapter import SlackAccess, SlackAdapter
from bot.app import BUNDLED, App, open_app
from bot.commands.briefs import ONLINE
from bot.serving.service import open_store, run_service
from bot.serving.sources import text_of
from bot.settings import Settings
from bot.store.installations import NEEDS_KEY, Installations, InstallationTickets
from bot.store.sessions import Store
from bot.wording.labels import WORDS
from engine.errors import UserError

SLACK_WANTS = (
    "Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (Socket Mode), or SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET (HTTP), or for "
    "several workspaces SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_SIGNING_SECRET and SCHOLIUM_TOKEN_KEY. "
    "See deploy/slack.md."
)


async def slack(console: Console) -> int:
    """Serve Slack until ended."""
    async with open_app() as app, open_store(app) as store:
        adapter = SlackAdapter(slack_access(app.settings, store), WORDS)
        return await _serve(console, app, adapter, store)


async def discord(console: Console) -> int:
    """Serve Discord until ended."""
    async with open_app() as app, open_store(app) as store:
        return await _serve(console, app, DiscordAdapter(discord_access(app.settings), WORDS), store)


def discord_access(settings: Settings) -> DiscordAccess:
    """How Discord lets us in. Raises `UserError` where the token is missing."""
    if settings.discord_token is None:
        raise UserError("Set DISCORD_TOKEN. See deploy/discord.md.")
    return DiscordAccess(text_of(settings.discord_token), settings.discord_messages, settings.discord_shards)


def slack_access(settings: Settings, store: Store) -> SlackAccess:
    """How Slack lets us in. Raises `UserError` naming what is missing."""
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


async def _serve(console: Console, app: App, adapter: ChatAdapter, store: Store) -> int:
    """Serve with the library of the settings, or the bundled one."""
    if app.default_library() == BUNDLED:
        await app.install_bundled(lambda _: None)
    if app.default_library() != ONLINE:
        await app.libraries.library(app.default_library())
    for note in app.libraries.notes:
        console.print(note, markup=False, highlight=False, style="yellow")
    async with run_service(app, adapter, store=store) as service:
        said = f"Scholium listens to {adapter.platform.title()}. Ctrl-C ends it; what runs goes on next time."
        service.backend.on_listening = lambda: console.print(said)
        await service.run()
    return 0
