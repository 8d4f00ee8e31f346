"""Sending to Discord: one status message for each job, files within the server's limit, what is private privately."""

from __future__ import annotations

import io
import zipfile
from collections import defaultdict
from collections.abc import Awaitable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import aiohttp
import discord
import structlog
from aiolimiter import AsyncLimiter

from adapters.chat import AdapterTexts, Conversation, Incoming, Outgoing, PlatformError
from adapters.discord.components import card, view
from adapters.discord.discord_markup import messages, thread_name
from adapters.editing import MessageSender

log = structlog.get_logger()

_T = TypeVar("_T")

EDIT_S = 5.0
"""Between two edits in a conversation; Discord allows five in five seconds, for everything there."""

FILES, FILE_BYTES, REQUEST_BYTES = 10, 10 * 2**20, 25 * 2**20
ARCHIVE_MINUTES: Literal[10080] = 10_080

ARCHIVED, LOCKED, HAS_THREAD, UNKNOWN_MESSAGE, CANNOT_DM = 50083, 160005, 160004, 10008, 50007
UNKNOWN_CHANNEL, MISSING_ACCESS, MISSING_PERMISSIONS = 10003, 50001, 50013
NO_PLACE = frozenset({UNKNOWN_CHANNEL, MISSING_ACCESS, LOCKED})
"""Errors after which nothing can be written in that conversation."""

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,
    attach_files=True,
    read_message_history=True,
)
"""What the invitation asks for; the guide names its number, and a test compares."""


class DiscordSender(MessageSender[dict[str, Any]]):
    """Shows what is outgoing."""

    def __init__(
        self, client: discord.Client, words: AdapterTexts, edit_s: float, *, reads_messages: bool = False
    ) -> None:
        super().__init__()
        self.client = client
        self._reads_messages = reads_messages
        self.words = words
        self._edits: defaultdict[Conversation, AsyncLimiter] = defaultdict(lambda: AsyncLimiter(1, edit_s))
        self._asked: dict[tuple[Conversation, str], discord.Interaction] = {}

    def remember_interaction(self, at: Conversation, interaction: discord.Interaction) -> None:
        """Remember what can be answered to one person alone, while its token lives."""
        self._asked = {key: asked for key, asked in self._asked.items() if not asked.is_expired()}
        self._asked[at, str(interaction.user.id)] = interaction

    # Messages.

    def draw_pages(self, outgoing: Outgoing) -> list[dict[str, Any]]:
        """Its messages, the buttons under the last; what has a slot is a card, which has no text beside it."""
        plainly = self._reads_messages or not outgoing.conversation.tenant.isdigit()
        texts = messages(outgoing, self.words.say if plainly else self.words.mention)
        below = [(text, ()) for text in texts[:-1]] + [(texts[-1], outgoing.buttons)]
        if outgoing.slot:
            return [{"content": None, "view": card(text, buttons)} for text, buttons in below]
        return [{"content": text, "view": view(buttons)} for text, buttons in below]

    async def post(self, outgoing: Outgoing) -> None:
        """Post its text and its files; sent again with the same key, nothing is posted twice."""
        if outgoing.only_for:
            await self._alone(outgoing)
            return
        at, pages = outgoing.conversation, self.draw_pages(outgoing)
        bundles = self._bundles(at, outgoing.files)
        # With files and without buttons nothing is said before the files are there.
        comment = pages.pop()["content"] if bundles and outgoing.text and not outgoing.buttons else ""
        await self.post_pages(outgoing, pages if outgoing.text or not bundles else ())
        for number, bundle in enumerate(bundles):
            files = [discord.File(io.BytesIO(content), name) for name, content in bundle]
            nonce, text = f"{outgoing.key}-f{number}"[-25:], comment if number == 0 else ""
            await self._done(at, self._channel(at).send(text or None, files=files, nonce=nonce), of_files=True)

    async def post_page(self, at: Conversation, page: dict[str, Any], key: str = "") -> str:
        """Post it; the same nonce a second time gives the message of the first."""
        options = page | ({"nonce": key[-25:]} if key else {})
        return str((await self._done(at, self._channel(at).send(suppress_embeds=True, **options))).id)

    async def _alone(self, outgoing: Outgoing) -> None:
        """To one person: as an answer to what they did last here, else directly."""
        at, pages = outgoing.conversation, self.draw_pages(outgoing)
        asked = self._asked.get((at, outgoing.only_for))
        if asked and not asked.is_expired():
            try:
                for page in pages:
                    await asked.followup.send(
                        page["content"], ephemeral=True, view=page["view"] or discord.utils.MISSING
                    )
            except discord.HTTPException as error:
                log.info("an interaction could not be answered", code=error.code)
            else:
                return
        try:
            person = await self.client.fetch_user(int(outgoing.only_for))
            for page in pages:
                await person.send(page["content"])
        except discord.HTTPException as error:
            if error.code != CANNOT_DM:
                raise self._refusal(at, error) from error
            for page in pages:  # better seen by others than not at all
                await self.post_page(at, {"content": page["content"]})

    def _channel(self, at: Conversation) -> discord.PartialMessageable:
        guild = int(at.tenant) if at.tenant.isdigit() else None
        return self.client.get_partial_messageable(int(at.thread or at.channel), guild_id=guild)

    async def _done(self, at: Conversation, sending: Awaitable[_T], *, of_files: bool = False) -> _T:
        try:
            return await sending
        except discord.HTTPException as error:
            if error.code == LOCKED:
                await self.backend.close_conversation(at)
            raise self._refusal(at, error, of_files=of_files) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise unreachable(error) from error

    def _bundles(self, at: Conversation, paths: Iterable[Path]) -> list[list[tuple[str, bytes]]]:
        """The files in messages that the server takes: one too large is compressed, one still too large is named."""
        guild = self.client.get_guild(int(at.tenant)) if at.tenant.isdigit() else None
        limit = guild.filesize_limit if guild else FILE_BYTES
        made: list[list[tuple[str, bytes]]] = []
        left_out = []
        for path in paths:
            try:
                name, content = path.name, path.read_bytes()
            except OSError as error:
                raise PlatformError(self.words.refusals["file gone"]) from error
            if len(content) > limit:
                name, content = f"{name}.zip", _compress_file(name, content)
            if len(content) > limit:
                left_out.append(path.name)
                continue
            size = sum(len(c) for _, c in made[-1]) if made else 0
            if not made or len(made[-1]) == FILES or size + len(content) > min(REQUEST_BYTES, 2 * limit):
                made.append([])
            made[-1].append((name, content))
        if left_out:
            made.append([("not-sent.txt", self.words.too_large.format(", ".join(left_out)).encode())])
        return made

    async def begin_thread(self, incoming: Incoming, starter: Outgoing) -> Conversation:
        """A thread of the message that asked for it where there is one, else of a message of ours."""
        at = incoming.conversation
        page = self.draw_pages(starter)[0]
        text = page["content"]
        if not at.tenant.isdigit():  # direct messages have no threads
            await self.post_page(at, page)
            return replace(at, thread="")
        http, title = self.client.http, thread_name(starter)
        message = int(at.thread) if at.thread else 0
        channel = self.client.get_channel(int(at.channel))
        if isinstance(channel, discord.ForumChannel):
            return replace(at, thread=at.thread or await self._open_post(at, channel, title, text))
        if not message:
            message = int(await self.post_page(replace(at, thread=""), {"content": text}, incoming.key))
        making = http.start_thread_with_message(
            int(at.channel), message, name=title, auto_archive_duration=ARCHIVE_MINUTES
        )
        try:
            await making
        except discord.HTTPException as error:
            if error.code != HAS_THREAD:
                if not at.thread:  # nobody needs the beginning of a thread that there is not
                    await self.delete_page(replace(at, thread=""), str(message))
                raise self._refusal(at, error) from error
        return replace(at, thread=str(message))

    async def _open_post(self, at: Conversation, forum: discord.ForumChannel, title: str, text: str) -> str:
        """A post of a forum, in which nothing else can be written; with a tag where each post needs one."""
        tags = [tag for tag in forum.available_tags if not tag.moderated and forum.flags.require_tag][:1]
        making = forum.create_thread(
            name=title, content=text, applied_tags=tags, auto_archive_duration=ARCHIVE_MINUTES, suppress_embeds=True
        )
        return str((await self._done(at, making)).thread.id)

    def _refusal(self, at: Conversation, error: discord.HTTPException, *, of_files: bool = False) -> PlatformError:
        """What it means: missing permissions by their names, else by Discord's code."""
        gone = error.code in NO_PLACE or (error.code == MISSING_PERMISSIONS and not of_files)
        if error.code in {MISSING_PERMISSIONS, MISSING_ACCESS}:
            return PlatformError(self.words.missing.format(", ".join(self._find_missing(at))), gone=gone)
        meaning = self.words.refusals.get(str(error.code), f"Discord refused ({error.status}, {error.code}).")
        retryable = error.status >= 500 or error.status == 429
        return PlatformError(meaning, retryable=retryable, gone=gone)

    def _find_missing(self, at: Conversation) -> list[str]:
        guild = self.client.get_guild(int(at.tenant))  # a process that does not listen knows none
        channel = guild.get_channel(int(at.channel)) if guild else None
        has = channel.permissions_for(guild.me) if guild and channel else discord.Permissions.none()
        needed = [name for name, is_needed in PERMISSIONS if is_needed]
        missing = [name for name in needed if not getattr(has, name)]
        return [name.replace("_", " ") for name in missing or needed]

    # What is edited; see `adapters.editing.MessageSender`.

    async def edit_page(self, at: Conversation, name: str, page: dict[str, Any]) -> bool:
        return await self._change(at, self._channel(at).get_partial_message(int(name)).edit(**page))

    async def delete_page(self, conversation: Conversation, name: str) -> None:
        await self._change(conversation, self._channel(conversation).get_partial_message(int(name)).delete())

    async def _change(self, at: Conversation, changing: Awaitable[object]) -> bool:
        """Whether it was possible: a message may be gone, or its thread archived."""
        try:
            await self._done(at, changing)
        except PlatformError as error:
            if getattr(error.__cause__, "code", 0) in {ARCHIVED, UNKNOWN_MESSAGE}:
                return False
            raise
        return True

    async def wait_for_edit(self, conversation: Conversation) -> None:
        """Discord counts the edits of a conversation with its posts, so nothing is won by posting instead."""
        await self._edits[conversation].acquire()


def unreachable(error: Exception) -> PlatformError:
    """What is said where Discord cannot be reached."""
    return PlatformError(f"Discord could not be reached ({type(error).__name__}).", retryable=True)


def _compress_file(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()
