"""When a platform says no: the owner is told alone, what has no place any more stops, nothing is said that is not."""

from __future__ import annotations

import pytest

from adapters.chat import AccessRefused
from bot.app import App
from bot.cli.platforms import make_discord
from bot.serving.service import run_service
from bot.settings import load_settings
from bot.store.sessions import open_store
from engine.retrieval.libraries.local import LocalLibrary
from tests.platforms import on_discord, on_slack
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_server import BOT
from tests.stand_ins.slack_workspace import Slack


async def test_files_that_slack_refuses_are_not_announced_and_the_owner_knows_why(
    library: LocalLibrary,
    slack: Slack,
) -> None:
    slack.missing_scopes |= {"files:write", "canvases:write"}
    async with on_slack(slack):
        thread = await slack.say("<@UBOT> survey dense retrieval sections=4")
        for label in ("Search with these", "Make an outline", "Write it"):
            await slack.press(await slack.message(label, thread, 300), label)
        await slack.message("Change a section", thread, 300)
        told = await slack.message("was not given a right", thread)
        assert told.only_for == "U1"
        assert "dense retrieval" in told.text
        assert not any("The survey as files" in message.text for message in slack.messages)


@pytest.mark.parametrize("why", ["archived", "removed", "deleted"])
async def test_where_nothing_can_be_written_any_more_the_job_stops_and_the_list_has_no_way_there(
    library: LocalLibrary,
    slack: Slack,
    why: str,
) -> None:
    async with on_slack(slack) as service:
        thread = await slack.say("<@UBOT> survey dense retrieval")
        card = await slack.message("Search with these", thread)
        if why == "archived":
            slack.archived.add("C1")
        elif why == "removed":
            slack.members.discard("C1")
        else:
            slack._said.discard(thread)
        await slack.press(card, "Search with these")
        told = await slack.message("the survey cannot go on there")
        assert told.channel == "DU1"
        assert told.text.startswith("This is about your survey on “dense retrieval”. I cannot write")
        await slack.until(lambda: not service.jobs.running)
        (mine,) = (await service.backend.overview("slack", "T1", "U1")).surveys
        assert mine.conversation.thread == ""
        assert not mine.buttons
        await service.dispatcher.drain()
        await service.outbox.drain()
        assert sum("cannot go on there" in message.text for message in slack.messages) == 1


async def test_a_thread_that_can_be_written_in_again_gets_what_was_held_back_and_its_work_goes_on(
    library: LocalLibrary,
    slack: Slack,
) -> None:
    async with on_slack(slack) as service:
        thread = await slack.say("<@UBOT> survey dense retrieval")
        card = await slack.message("Search with these", thread)
        slack.members.discard("C1")
        await slack.press(card, "Search with these")
        await slack.message("the survey cannot go on there")
        for text in ("status", "why so silent?"):
            await slack.say(text, thread=thread)
            await service.dispatcher.drain()
            await service.outbox.drain()
        assert sum("cannot go on there" in message.text for message in slack.messages) == 1
        slack.members.add("C1")
        await slack.say("status", thread=thread)
        await slack.message("Make an outline", thread)  # the papers that were being gathered
        assert any("Your survey on" in m.text or "Keywords" in m.text for m in slack.messages if m.thread == thread)
        (mine,) = (await service.backend.overview("slack", "T1", "U1")).surveys
        assert mine.conversation.thread == thread


async def test_a_thread_that_is_deleted_in_discord_ends_what_runs_there(
    library: LocalLibrary,
    discord: Discord,
) -> None:
    async with on_discord(discord) as service:
        thread = await discord.say(f"<@{BOT}> survey dense retrieval")
        await discord.find_offer("Search with these")
        gone = discord.thread_json(thread)
        del discord.threads[thread]
        discord.dispatch("THREAD_DELETE", {key: gone[key] for key in ("id", "guild_id", "parent_id", "type")})
        told = await discord.message("was deleted")
        assert told.channel == "71"
        (mine,) = (await service.backend.overview("discord", "100", "1")).surveys
        assert not mine.buttons


async def test_without_the_right_to_write_in_threads_the_owner_is_told_directly(
    library: LocalLibrary,
    discord: Discord,
) -> None:
    async with on_discord(discord):
        await discord.say(f"<@{BOT}> survey dense retrieval")
        card = await discord.find_offer("Search with these")
        discord.permissions.send_messages_in_threads = False
        pressed = await discord.press(card, "Search with these")
        await discord.until(lambda: "send messages in threads" in "".join(pressed.answers))


@pytest.mark.parametrize(
    ("setting", "value", "said"), [("DISCORD_TOKEN", "wrong", "DISCORD_TOKEN"), ("", "", "Intent")]
)
async def test_what_discord_does_not_allow_is_one_sentence(
    discord: Discord,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    value: str,
    said: str,
) -> None:
    monkeypatch.setenv("SCHOLIUM_DISCORD_MESSAGES", str(not setting))
    if setting:
        monkeypatch.setenv(setting, value)
    discord.allows_content = False
    app = App(load_settings())
    async with open_store(app.settings.store_url()) as store:
        with pytest.raises(AccessRefused, match=said):
            async with run_service(app, make_discord(app.settings), store=store) as service:
                await service.run()
