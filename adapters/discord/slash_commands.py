"""The commands ``/survey start|quick|show|why|ask|change|status|list|stop|export|cost|help``, and “Survey this”."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from adapters.chat import Conversation, Form, Incoming, SurveyList
from adapters.discord.components import VALUE
from adapters.discord.discord_markup import MESSAGE_CHARACTERS, link, literal, messages
from adapters.markup import blocks

if TYPE_CHECKING:
    from adapters.discord.discord_adapter import DiscordAdapter

COMMAND = "survey"
MENU = "Survey this"
CHOICES, LABEL = 25, 100
ONE_OF_YOURS = "One of your surveys; without it the one of this thread"

_Text = app_commands.Range[str, 1, 200]
_Words = app_commands.Range[str, 1, 1_000]
_Choice = app_commands.Choice[str]


class SurveyCommands(app_commands.Group):
    """``/survey …``; what can be chosen is what the backend's form and list say."""

    def __init__(self, adapter: DiscordAdapter) -> None:
        super().__init__(name=COMMAND, description="Write literature surveys together")
        self._adapter = adapter

    @app_commands.command()
    @app_commands.describe(
        topic="What the survey is about",
        recipe="The published method to follow",
        library="Where the papers come from",
        length="Length class in tokens",
        sections="Number of sections, introduction and conclusion included",
        years="Years of publication, for example 2018..2025",
        language="The language of the survey",
        online="Whether papers are searched online too",
        budget="Most it may cost, in dollars",
    )
    async def start(
        self,
        interaction: discord.Interaction,
        topic: _Words | None = None,
        recipe: _Text | None = None,
        library: _Text | None = None,
        length: _Text | None = None,
        sections: _Text | None = None,
        years: _Text | None = None,
        language: _Text | None = None,
        online: _Text | None = None,
        budget: _Text | None = None,
    ) -> None:
        """Begin a survey; without a topic you are asked for everything."""
        values = tuple(interaction.namespace)  # what was given of these options, by name
        incoming = replace(await self._make_incoming(interaction), button="start")
        if topic:
            await self._begin(interaction, replace(incoming, values=values))
        else:
            await self._adapter.ask(interaction, incoming)

    @app_commands.command()
    @app_commands.describe(question="A question, or a topic", papers="Papers of each query, 10 to 500")
    async def quick(
        self, interaction: discord.Interaction, question: _Words, papers: app_commands.Range[int, 10, 500] | None = None
    ) -> None:
        """Answer a question from papers in two or three minutes."""
        text = f"quick {question}" + (f" papers={papers}" if papers else "")
        await self._begin(interaction, await self._make_incoming(interaction, text))

    async def _begin(self, interaction: discord.Interaction, incoming: Incoming, said: str | None = None) -> None:
        """Take it unless an option is wrong; ``said`` is answered, else where it goes on."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        fault = await self._adapter.backend.fault(incoming) if incoming.values else None
        if fault:
            await interaction.edit_original_response(content=literal(fault.sentence)[:MESSAGE_CHARACTERS])
        else:
            await self._adapter.take(interaction, incoming, self._adapter.words.begun if said is None else said)

    @app_commands.command()
    @app_commands.describe(what="A section's number, papers, keywords or outline; without it what is proposed now")
    async def show(self, interaction: discord.Interaction, what: _Text | None = None) -> None:
        """A section, or what is proposed now."""
        await self._say(interaction, f"show {what or ''}".strip())

    @app_commands.command()
    @app_commands.describe(what="A section's number, or a reference as [12]")
    async def why(self, interaction: discord.Interaction, what: _Text) -> None:
        """Which words of which paper stand behind a section or a reference."""
        await self._say(interaction, f"why {what}")

    @app_commands.command()
    @app_commands.describe(question="For example: which data sets are used for evaluation?")
    async def ask(self, interaction: discord.Interaction, question: _Words) -> None:
        """Ask the papers of this survey something."""
        await self._say(interaction, f"ask {question}", alone=False)

    @app_commands.command()
    @app_commands.describe(words="For example: add WORDS · exclude 3 7 · rename 2 to … · shorten 2.1")
    async def change(self, interaction: discord.Interaction, words: _Words) -> None:
        """Change what is proposed, or a section of the survey."""
        await self._say(interaction, words, alone=False)

    @app_commands.command()
    @app_commands.describe(survey=ONE_OF_YOURS)
    async def status(self, interaction: discord.Interaction, survey: str | None = None) -> None:
        """Where a survey is."""
        await self._say(interaction, "status", survey)

    @app_commands.command()
    @app_commands.describe(survey=ONE_OF_YOURS)
    async def stop(self, interaction: discord.Interaction, survey: str | None = None) -> None:
        """Stop what runs; what is finished is kept."""
        await self._say(interaction, "stop", survey, alone=False)

    @app_commands.command()
    @app_commands.describe(survey=ONE_OF_YOURS)
    async def cost(self, interaction: discord.Interaction, survey: str | None = None) -> None:
        """What a survey has cost so far."""
        await self._say(interaction, "cost", survey)

    @app_commands.command()
    @app_commands.describe(formats="For example: pdf bib; without it all", survey=ONE_OF_YOURS)
    async def export(
        self, interaction: discord.Interaction, formats: _Text | None = None, survey: str | None = None
    ) -> None:
        """The survey as files."""
        await self._say(interaction, f"export {formats or ''}".strip(), survey, alone=False)

    @app_commands.command(name="list")
    async def surveys(self, interaction: discord.Interaction) -> None:
        """Your surveys in this server."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        found = await self._list_surveys(interaction)
        lines = [
            f"- {messages(replace(survey, buttons=()))[0].strip()} {link(survey.conversation)}"
            for survey in found.surveys
        ]
        while len("\n".join(lines)) > MESSAGE_CHARACTERS:
            lines.pop()
        await interaction.edit_original_response(content="\n".join(lines) or found.nothing)

    @app_commands.command(name="help")
    async def help_(self, interaction: discord.Interaction) -> None:
        """What can be said."""
        await self._begin(interaction, await self._make_incoming(interaction, "help"), "")

    @start.autocomplete("recipe")
    @start.autocomplete("library")
    @start.autocomplete("length")
    @start.autocomplete("language")
    @start.autocomplete("online")
    async def complete_option(self, interaction: discord.Interaction, current: str) -> list[_Choice]:
        """What can be chosen for the option that is being typed."""
        incoming = replace(await self._make_incoming(interaction), button="start")
        form = await self._adapter.backend.form(incoming, VALUE)
        focused = _find_focused_option(interaction)
        fields = form.fields if isinstance(form, Form) else ()
        found = [choice for field in fields if field.name == focused for choice in field.choices]
        fitting = [(value, label) for value, label in found if current.lower() in label.lower()]
        return [_Choice(name=label[:LABEL], value=value) for value, label in fitting[:CHOICES]]

    @status.autocomplete("survey")
    @stop.autocomplete("survey")
    @cost.autocomplete("survey")
    @export.autocomplete("survey")
    async def own(self, interaction: discord.Interaction, current: str) -> list[_Choice]:
        """The person's own surveys in this server."""
        fitting = []
        for survey in (await self._list_surveys(interaction)).surveys:
            title, at = " ".join(block.text() for block in blocks(survey.text)), survey.conversation
            if current.lower() in title.lower():
                fitting.append(_Choice(name=title[:LABEL] or "…", value=f"{at.channel}/{at.thread}"))
        return fitting[:CHOICES]

    async def _list_surveys(self, interaction: discord.Interaction) -> SurveyList:
        at = await self._adapter.place(interaction)
        return await self._adapter.backend.overview(self._adapter.platform, at.tenant, str(interaction.user.id))

    async def _make_incoming(self, interaction: discord.Interaction, text: str = "") -> Incoming:
        """Something that was done where what follows gets a thread of its own."""
        return replace(to_incoming(interaction, await self._adapter.place_to_begin(interaction)), text=text, opens=True)

    async def _say(
        self, interaction: discord.Interaction, text: str, survey: str | None = None, *, alone: bool = True
    ) -> None:
        """Say it in the thread, or in the one named; what is asked ``alone`` is answered to this person."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        here = await self._adapter.place(interaction)
        channel, _, thread = (survey or "").partition("/")
        is_named = channel.isdigit() and (thread.isdigit() or not thread)
        at = replace(here, channel=channel, thread=thread) if is_named else here
        is_channel = at.tenant.isdigit() and not at.thread
        if is_channel or not await self._adapter.backend.knows(at):
            await interaction.edit_original_response(content=self._adapter.words.nothing_here)
            return
        incoming = replace(to_incoming(interaction, at), text=text, alone=alone)
        await self._adapter.take(interaction, incoming, "" if alone else self._adapter.words.noted)


def to_incoming(interaction: discord.Interaction, at: Conversation) -> Incoming:
    """Something that a person did there."""
    return Incoming(at, str(interaction.user.id), f"interaction:{interaction.id}")


def survey_this(adapter: DiscordAdapter) -> app_commands.ContextMenu:
    """“Survey this”: the message is the suggestion, and its thread the place."""

    async def menu(interaction: discord.Interaction, message: discord.Message) -> None:
        at = await adapter.place_to_begin(interaction)
        is_channel = at.tenant.isdigit() and interaction.channel_id == int(at.channel)
        there = replace(at, thread=str(message.id)) if is_channel else at
        asked = replace(to_incoming(interaction, there), text=message.content, button="start", opens=True)
        await adapter.ask(interaction, asked)

    return app_commands.ContextMenu(name=MENU, callback=menu)


def _find_focused_option(interaction: discord.Interaction) -> str:
    """The option that is being typed, below the subcommand."""
    data: Any = interaction.data or {}
    options = data["options"][0]["options"]
    return next(str(option["name"]) for option in options if option.get("focused"))
