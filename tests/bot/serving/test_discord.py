"""Surveys in Discord: the whole service and the real discord.py against the stand-in, over the real wire."""

from __future__ import annotations

import asyncio
from copy import deepcopy

import pytest
import sqlalchemy as sa

from adapters.chat import Conversation
from bot.cli.platforms import make_discord
from bot.serving.service import Service
from bot.settings import load_settings
from bot.store.schema import events
from bot.wording.labels import WORDS
from engine.errors import UserError
from engine.rendering.files import FORMATS
from engine.retrieval.libraries.local import LocalLibrary
from tests.platforms import on_discord
from tests.stand_ins.discord_guild import Discord
from tests.stand_ins.discord_server import BOT, OTHER_GUILD
from tests.stand_ins.simulation import SimulatedService as Simulation
from tests.stand_ins.simulation import run_simulated_service as simulating


async def test_the_demonstration_from_command_to_files(library: LocalLibrary, discord: Discord) -> None:
    async with on_discord(discord):
        begun = await discord.command("start", topic="dense retrieval", recipe="cluster")
        thread = (await discord.message("A literature survey on")).id
        await discord.until(lambda: discord.threads.get(thread, {}).get("name") == "dense retrieval")
        await discord.until(lambda: begun.answers == [WORDS.begun])
        keywords = await discord.find_offer("Search with these")
        form = await discord.press(keywords, "Edit")
        await discord.submit(form, thread, keywords="dense retrieval\nhard negatives")
        await discord.until(lambda: "added by you" in keywords.content)
        await discord.press(keywords, "Search with these")
        papers = await discord.find_offer("Make an outline")
        await discord.say(f"<@{BOT}> exclude 1", channel=thread)
        await discord.until(lambda: "**excluded**" in papers.content)
        await discord.press(papers, "Make an outline")
        outline = await discord.find_offer("Write it")
        form = await discord.press(outline, "Edit")
        lines = discord.values(form)["outline"].splitlines()
        await discord.submit(form, thread, outline="\n".join([lines[0], "2 Learning to Retrieve", *lines[2:]]))
        await discord.until(lambda: "Learning to Retrieve" in outline.content)
        await discord.press(outline, "Write it")
        done = await discord.find_offer("Change a section")
        await discord.until(lambda: sum(len(m.files) for m in discord.messages) == 3)  # they come with it
        await discord.press(done, "2 Learning to Retrieve")
        await discord.find_offer("Evidence")
        assert any(m.content.startswith("### 2 Learning to Retrieve") for m in discord.messages)
        asked = await discord.command("ask", channel=thread, question="which systems outperform earlier systems?")
        await discord.message("in their own words", thread)
        assert asked.answers == [WORDS.noted]
        await discord.press(done, "All files")
        await discord.until(lambda: sum(len(m.files) for m in discord.messages) == 3 + len(FORMATS))
    assert {name.split(".")[-1] for m in discord.messages for name, _ in m.files} >= {"md", "pdf", "bib"}
    cards = [m for m in discord.messages if "approved by <@1>" in m.content]
    assert [m.content.split("**")[1] for m in cards] == ["Keywords", "Papers", "Outline"]
    assert not any(m.buttons for m in cards)
    assert not any("Stop" in m.buttons for m in discord.messages)
    assert (discord.refused, discord.unsafe, discord.syncs) == ([], [], 1)


async def test_a_quick_review_by_its_command_and_a_follow_up_by_button(
    library: LocalLibrary, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with on_discord(discord):
            begun = await discord.command("quick", question="how does dense retrieval use a passage index?", papers=20)
            review = await discord.find_offer("Write a full survey")
            assert begun.answers == [WORDS.begun]
            assert "References" in "".join(m.content for m in discord.messages if m.channel == review.channel)
            await discord.press(review, next(iter(review.buttons)))
            following = await discord.until(
                lambda: next(
                    (m for m in discord.messages if "Write a full survey" in m.buttons and m is not review), None
                )
            )
            assert following.channel == review.channel
            await discord.press(following, "Write a full survey")
            await discord.find_offer("Make an outline")
    assert (discord.refused, discord.unsafe) == ([], [])


async def test_groups_are_changed_in_a_thread_with_their_map(
    library: LocalLibrary, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with on_discord(discord):
            await discord.say(f"<@{BOT}> survey dense retrieval recipe=cluster words=50")
            await discord.press(await discord.find_offer("Search with these"), "Search with these")
            await discord.press(await discord.find_offer("Make an outline"), "Make an outline")
            groups = await discord.find_offer("Write headings")

            def maps() -> list[bytes]:
                return [content for m in discord.messages for name, content in m.files if name.endswith(".png")]

            await discord.until(lambda: len(maps()) == 1)
            for number, (said, answer) in enumerate(
                (
                    ("rename 2 to Encoders", "is now “Encoders”"),
                    ("merge 1 and 2", "are one section now"),
                    ("rename 1 to Readers", "is now “Readers”"),
                ),
                start=2,
            ):
                await discord.say(f"<@{BOT}> {said}", channel=groups.channel)
                await discord.message(answer, groups.channel)
                await discord.until(lambda count=number: len(maps()) == count)  # type: ignore[misc]
            assert len({*maps()}) == 4
            await discord.say(f"<@{BOT}> split 1", channel=groups.channel)
            await discord.message("sections now: ", groups.channel)
            await discord.until(lambda: len(maps()) == 5)
            await discord.press(await discord.find_offer("Write headings"), "Write headings")
            await discord.find_offer("Write it")
    assert (discord.refused, discord.unsafe) == ([], [])


async def test_a_restart_in_the_middle_of_a_job_and_buttons_from_before(
    library: LocalLibrary, discord: Discord, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0, hang_s=3.0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        model.fault = lambda _: "hang" if any(call.kind == "text" for call in model.calls) else None
        async with on_discord(discord):
            thread = await discord.say(f"<@{BOT}> survey dense retrieval sections=3 words=80")
            await discord.press(await discord.find_offer("Search with these"), "Search with these")
            await discord.press(await discord.find_offer("Make an outline"), "Make an outline")
            outline = await discord.find_offer("Write it")
            pressed = deepcopy(outline)
            await discord.press(outline, "Write it")
            status = await discord.message("Writing: ", thread)
        model.fault = lambda _: None
        async with on_discord(discord):
            done = await discord.find_offer("Change a section")
            assert done is status
            assert "Stop" not in status.buttons
            stale = await discord.press(pressed, "Write it")  # by somebody who had not seen what became of it
            await discord.until(lambda: "earlier proposal" in "".join(stale.answers))
            await discord.until(lambda: any(m.files for m in discord.messages))
    assert discord.unsafe == []


async def test_stop_by_the_button_by_a_command_and_by_locking(library: LocalLibrary, discord: Discord) -> None:
    async with on_discord(discord) as service:
        stored = await _hold_jobs(service)
        for number, stop in enumerate(("button", "command", "lock")):
            thread = await discord.say(f"<@{BOT}> survey dense retrieval", channel=str(201 + number))
            status = await discord.message("Looking for keywords", thread)
            if stop == "button":
                await discord.press(status, "Stop", user="2")
                assert "Only" in (await discord.until(lambda: _private(discord, "2")))
                await discord.press(status, "Stop")
            elif stop == "command":
                await discord.command("stop", channel=thread)
            else:
                discord.lock(thread)
            if stop == "lock":
                told = await discord.message("was locked, so I stopped", "71")
                assert told.channel == "71"
                await service.outbox.drain()
                assert not [m for m in discord.messages if "locked, so I cannot" in m.content]
            else:
                await discord.until(lambda status=status: "Stopped by" in status.content)
                assert {"Look for keywords", "Search online", "Other words"} <= set(status.buttons)
        stored.set()


async def _hold_jobs(service: Service) -> asyncio.Event:
    """Jobs wait before they begin, until the event."""
    released, run = asyncio.Event(), service.jobs._run

    async def later(at: Conversation, job_id: str) -> None:
        await released.wait()
        await run(at, job_id)

    service.jobs._run = later
    return released


def _private(discord: Discord, user: str) -> str:
    return "\n".join(text for i in discord.interactions.values() if i.user == user for text in i.answers)


async def test_sixty_threads_at_once_are_answered_once_each(library: LocalLibrary, discord: Discord) -> None:
    async with on_discord(discord):
        names = [discord.snowflake() for _ in range(60)]
        for number, name in enumerate(names):
            made = {"id": name, "parent": str(200 + number % 50), "name": "x", "archived": False, "locked": False}
            discord.threads[name] = made
            discord.dispatch("THREAD_CREATE", discord.thread_json(name))
            for _ in range(2):  # the same message twice
                await discord.say(f"<@{BOT}> status", channel=name, id=str(int(name) + 1), user=str(number + 1))
        for name in names:
            await discord.message("no topic yet", name)
    assert [sum(m.channel == name for m in discord.messages) for name in names] == [1] * 60
    assert discord.unsafe == []


async def test_unclear_words_in_a_channel_are_asked_back_where_the_answer_can_be_pressed(
    library: LocalLibrary, discord: Discord
) -> None:
    async with on_discord(discord):
        said = await discord.say(f"<@{BOT}> could you get me an overview of dense retrieval")
        offer = await discord.find_offer("survey dense retrieval")
        assert offer.channel == said and discord.threads[said]["name"].startswith("could you get me")
        await discord.press(offer, "survey dense retrieval")
        await discord.message("(your topic)", said)
        greeted = await discord.say(f"<@{BOT}> hello")
        assert (await discord.message("Hello", greeted)).channel == greeted
    assert discord.refused == []


async def test_servers_and_direct_messages_see_only_their_own(library: LocalLibrary, discord: Discord) -> None:
    async with on_discord(discord) as service:
        thread = await discord.say(f"<@{BOT}> survey dense retrieval")
        await discord.message("(your topic)", thread)
        await discord.say("survey graph attention", channel="72", user="2")
        await discord.message("(your topic)", "72")
        assert await discord.type_option("status", "survey", "") == [f"200/{thread}"]
        assert await discord.type_option("status", "survey", "", user="2") == []
        elsewhere = await discord.interact(
            2,
            {
                "id": "1",
                "name": "survey",
                "type": 1,
                "options": [
                    {"name": "status", "type": 1, "options": [{"name": "survey", "type": 3, "value": f"200/{thread}"}]}
                ],
            },
            "200",
            guild=OTHER_GUILD,
        )
        await discord.until(lambda: elsewhere.answers == [WORDS.nothing_here])
        await service.dispatcher.drain()
        assert not any("Topic:" in m.content for m in discord.messages)


async def test_papers_attached_in_the_thread_are_read_and_help_is_private(
    library: LocalLibrary, discord: Discord
) -> None:
    async with on_discord(discord) as service:
        asked = await discord.command("help")
        await discord.until(lambda: "survey TOPIC" in "".join(asked.answers))
        thread = await discord.say(f"<@{BOT}> survey dense retrieval")
        await discord.message("(your topic)", thread)
        await discord.say("", channel=thread, files=[("own.bib", f"{discord.url}/files/own.bib")])
        await discord.message("1 paper added", thread)
        discord.permissions.create_public_threads = False
        refused = await discord.command("start", topic="dense retrieval")
        await discord.until(lambda: "create public threads" in "".join(refused.answers))
        await service.dispatcher.drain()
        async with service.store.connect() as connection:  # no later process opens it after all
            left = sa.select(sa.func.count()).where(events.c.handled_at.is_(None))
            assert (await connection.execute(left)).scalar_one() == 0
    assert all("What you can say" not in m.content for m in discord.messages)


async def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="DISCORD_TOKEN"):
        make_discord(load_settings())
