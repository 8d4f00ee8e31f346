"""Discord: commands, buttons, forms, messages. A thread is a conversation; direct messages are one of their own.

Every interaction is answered within Discord's three seconds; what takes longer is sent with our own token.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import discord
import structlog
from discord import app_commands

from adapters.attachments import fetch_file
from adapters.chat import (
    AccessRefused,
    AdapterTexts,
    Attachment,
    ChatBackend,
    Conversation,
    FormPlace,
    Incoming,
    Outgoing,
    Place,
    PlatformError,
)
from adapters.discord.components import VALUE, ActionButton, modal, read_filled_form
from adapters.discord.discord_markup import MESSAGE_CHARACTERS, link, literal, messages
from adapters.discord.discord_sender import EDIT_S, DiscordSender, unreachable
from adapters.discord.slash_commands import SurveyCommands, survey_this, to_incoming

log = structlog.get_logger()

FILE_HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})

EVENTS = ("message", "interaction", "ready", "raw_thread_delete", "raw_thread_update", "guild_remove")
EVERYWHERE = Conversation("discord", "", "")


class DiscordAdapter(DiscordSender):
    """All servers that have invited us.

    ``reads_messages``: whether the bot may read plain words in threads, which takes Discord's privileged intent.
    ``shards``: how many connections share the servers; ``None`` is one connection without sharding.
    """

    platform = "discord"

    def __init__(
        self,
        token: str,
        words: AdapterTexts,
        edit_s: float = EDIT_S,
        *,
        reads_messages: bool = False,
        shards: int | None = None,
    ) -> None:
        self._token = token
        # What we want to hear of: servers, messages, and with the privileged intent what is in them.
        wanted = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
        wanted.message_content = reads_messages
        kind, mentions = _ShardedClient if shards else _Client, discord.AllowedMentions.none()
        client = kind(intents=wanted, allowed_mentions=mentions, max_messages=None, shard_count=shards)
        super().__init__(client, words, edit_s, reads_messages=reads_messages)
        for name in EVENTS:
            client.event(getattr(self, f"on_{name}"))
        self.tree = app_commands.CommandTree(
            self.client,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
        )
        self.tree.add_command(SurveyCommands(self))
        self.tree.add_command(survey_this(self))

    async def open(self, backend: ChatBackend) -> None:
        """Log in, and register the commands where they have changed. Raises `PlatformError`."""
        self.backend = backend
        ActionButton.press = self.handle_button
        self.client.add_dynamic_items(ActionButton)
        try:
            await self.client.login(self._token)
            await self._register()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            await self.client.close()
            raise self._to_platform_error(error) from error

    def _to_platform_error(self, error: Exception) -> PlatformError:
        match error:
            case discord.LoginFailure():
                return AccessRefused(self.words.refusals["discord token"])
            case discord.PrivilegedIntentsRequired():
                return AccessRefused(self.words.refusals["discord intent"])
            case discord.HTTPException() | discord.ConnectionClosed():
                return PlatformError(f"Discord does not let us in ({error}).")
            case _:
                return unreachable(error)

    async def _register(self) -> None:
        """Discord allows 200 registrations a day in a server, and nothing says that they were needed."""
        payload = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        payload += [c.to_dict(self.tree) for c in self.tree.get_commands(type=discord.AppCommandType.message)]
        digest = hashlib.sha256(json.dumps(payload, sort_keys=True, default=str).encode()).hexdigest()
        if await self.backend.recall(EVERYWHERE, "commands") != digest:
            await self.tree.sync()
            await self.backend.remember(EVERYWHERE, "commands", digest)

    async def run(self) -> None:
        try:
            await self.client.connect()
        except (discord.PrivilegedIntentsRequired, discord.ConnectionClosed) as error:
            raise self._to_platform_error(error) from error

    async def close(self) -> None:
        await super().close()
        await self.client.close()

    async def fetch(self, conversation: Conversation, attachment: Attachment) -> bytes:
        """The contents of a file, from where Discord keeps them. Raises `PlatformError`."""
        is_theirs, base = urlsplit(attachment.source).hostname in FILE_HOSTS, discord.http.Route.BASE
        async with aiohttp.ClientSession() as session:
            return await fetch_file(session, attachment, "Discord", is_theirs=is_theirs, base=base)

    # What comes in.

    async def on_message(self, message: discord.Message) -> None:
        """A message: ours where it is direct, names us, or is in a thread that we know."""
        us = self.client.user
        if message.author.bot or us is None or message.type not in _SAYING:
            return
        files = tuple(Attachment(a.filename, source=a.url) for a in message.attachments)
        text = message.content.replace(f"<@{us.id}>", " ").replace(f"<@!{us.id}>", " ").strip()
        if not text and not files and us not in message.mentions:
            return  # without the privileged intent most messages are empty
        at = place_of(message.channel, message.guild, message.author)
        is_mention = us in message.mentions
        in_thread = isinstance(message.channel, discord.Thread)
        opens = message.guild is not None and not in_thread
        if message.guild is not None and not is_mention and (opens or not await self.backend.knows(at)):
            return
        at = replace(at, thread=str(message.id)) if opens else at
        key = f"message:{message.id}"
        text = text or ("" if files else "help")  # a bare mention asks what we are
        place: Place = "direct" if message.guild is None else "mentioned" if is_mention else "thread"
        incoming = Incoming(at, str(message.author.id), key, text, attachments=files, opens=opens, place=place)
        await self.backend.handle(incoming)

    async def handle_button(self, interaction: discord.Interaction, action: str, asks: bool) -> None:  # noqa: FBT001
        """A button; also one that was shown by a process long gone."""
        at = await self.place(interaction)
        incoming = replace(to_incoming(interaction, at), button=action, alone=True)
        if asks:
            await self.ask(interaction, incoming)
            return
        await interaction.response.defer()
        await self.take(interaction, incoming)

    async def ask(self, interaction: discord.Interaction, incoming: Incoming) -> None:
        """Show the form; it has to be the first answer, so nothing is deferred."""
        form = await self.backend.form(incoming, VALUE)
        if isinstance(form, Outgoing):
            await interaction.response.send_message(messages(form)[0], ephemeral=True)
            return
        thread = incoming.conversation.thread if incoming.opens else ""
        place = FormPlace(thread=thread, action=form.action, opens=incoming.opens)
        await interaction.response.send_modal(modal(form, place, self.words.more_options))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A form that was filled in, whoever showed it; commands and buttons come by themselves."""
        if interaction.type is not discord.InteractionType.modal_submit:
            return
        data: Any = interaction.data or {}
        try:
            name = FormPlace.read(str(data.get("custom_id", "")))
        except ValueError:
            return  # of another program
        at, values = await self.place(interaction), read_filled_form(data)
        at = replace(at, thread=name.thread) if name.opens else at
        pressed = replace(to_incoming(interaction, at), button=name.action, alone=True)
        incoming = replace(pressed, values=values, opens=name.opens)
        if fault := await self.backend.fault(incoming):
            # A form cannot be answered with another one, so what was written is given back as a text.
            written = "\n".join(f"{field}: {value}" for field, value in values if value).replace("`", "'")
            text = f"{literal(fault.sentence)}\n```\n{written[:1500]}\n```"[:MESSAGE_CHARACTERS]
            await interaction.response.send_message(text, ephemeral=True)
            return
        await interaction.response.defer(ephemeral=True, thinking=name.opens)
        await self.take(interaction, incoming, self.words.begun if name.opens else "")

    async def take(self, interaction: discord.Interaction, incoming: Incoming, said: str = "") -> None:
        """Store what was done; Discord does not send it again, so a failure is said.

        ``said`` answers a command that goes on in a conversation: with where, if that is not here.
        """
        at = incoming.conversation
        self.remember_interaction(at, interaction)
        try:
            await self.backend.handle(incoming)
        except Exception:  # whatever it is, the person must know
            log.exception("an interaction could not be stored")
            await interaction.followup.send(self.words.failed, ephemeral=True)
            return
        if said:
            is_here = interaction.channel_id == int(at.thread or at.channel)
            text = said if at.tenant.isdigit() else self.words.directly
            await interaction.edit_original_response(content=text if is_here else f"{text} {link(at)}")

    async def place(self, interaction: discord.Interaction) -> Conversation:
        """Where an interaction is; for a person who has installed us where we are no member, with them directly."""
        is_ours = (
            interaction.is_guild_integration() if interaction.guild_id else not interaction.context.private_channel
        )
        if is_ours:
            return place_of(interaction.channel, interaction.guild, interaction.user, interaction.channel_id or 0)
        return place_of(await interaction.user.create_dm(), None, interaction.user)

    async def place_to_begin(self, interaction: discord.Interaction) -> Conversation:
        """Where a survey begins that is asked for here: the channel, but a forum's post that is nobody's yet."""
        at = await self.place(interaction)
        parent = getattr(interaction.channel, "parent", None)
        is_free = isinstance(parent, discord.ForumChannel) and not await self.backend.knows(at)
        return at if is_free else replace(at, thread="")

    async def on_ready(self) -> None:
        await self.backend.note_listening()

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        await self._close(payload, self.words.refusals["10003"])

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        if payload.data.get("thread_metadata", {}).get("locked"):
            await self._close(payload)

    async def _close(self, thread: discord.RawThreadDeleteEvent | discord.RawThreadUpdateEvent, why: str = "") -> None:
        at = Conversation("discord", str(thread.guild_id), str(thread.parent_id), str(thread.thread_id))
        if await self.backend.knows(at):
            await self.backend.close_conversation(at, why)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.backend.left("discord", str(guild.id))


_SAYING = frozenset({discord.MessageType.default, discord.MessageType.reply})


def place_of(
    channel: Any, guild: discord.Guild | None, person: discord.User | discord.Member, channel_id: int = 0
) -> Conversation:
    """A channel as a conversation; a person's direct messages are a workspace of their own."""
    if guild is None:
        return Conversation("discord", f"dm-{person.id}", str(getattr(channel, "id", channel_id)))
    if isinstance(channel, discord.Thread):
        return Conversation("discord", str(guild.id), str(channel.parent_id), str(channel.id))
    return Conversation("discord", str(guild.id), str(getattr(channel, "id", channel_id)))


class _Client(discord.Client):
    """One connection."""

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Handle an event, unless the client is closed: discord.py's own tasks outlive it, and it has no loop then."""
        if not self.is_closed():
            super().dispatch(event, *args, **kwargs)

    async def on_error(self, event: str, /, *_: Any, **__: Any) -> None:
        log.exception("Discord's event could not be handled", event_name=event)


class _ShardedClient(_Client, discord.AutoShardedClient):
    """A connection for each shard."""
