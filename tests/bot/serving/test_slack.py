"""Surveys in Slack: the whole service and the real Bolt against the stand-in, over the real wire."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from pathlib import Path

import pytest
import sqlalchemy as sa
import yaml
from aiohttp import ClientSession
from cryptography.fernet import Fernet
from slack_sdk.oauth.installation_store.models.bot import Bot

from adapters.slack.slack_adapter import BOT_SCOPES, COMMAND, SHORTCUT, SlackAdapter
from bot.app import App
from bot.cli.platforms import slack_access
from bot.serving.service import Service, run_service
from bot.settings import load_settings
from bot.store.installations import Installations
from bot.store.schema import installations
from bot.store.sessions import open_store
from bot.wording.labels import WORDS
from engine.errors import UserError
from engine.rendering.files import FORMATS
from engine.retrieval.libraries.local import LocalLibrary
from tests.platforms import MINUTE_S, on_slack
from tests.stand_ins.simulation import SimulatedService as Simulation
from tests.stand_ins.simulation import run_simulated_service as simulating
from tests.stand_ins.slack_workspace import SECRET, Slack


async def test_the_demonstration_from_slash_command_to_files(library: LocalLibrary, slack: Slack) -> None:
    async with on_slack(slack):
        assert await slack.command("dense retrieval") == {}
        thread = (await slack.message("A literature survey on")).ts
        keywords = await slack.message("(your topic)", thread)
        await slack.say("add query encoder", thread=thread)
        keywords = await slack.message("(added by you)", thread)
        await slack.press(keywords, "Search with these")
        papers = await slack.message("Make an outline", thread)
        await slack.press(papers, "Edit")
        await slack.submit(next(iter(slack.views.values())), excluded="1 2")
        changed = await slack.message("Excluded", thread)
        assert changed.text.startswith("@U1: ")  # who handed the form in
        await slack.message(" · excluded", thread)
        await slack.press(papers, "Make an outline")
        outline = await slack.message("Write it", thread)
        await slack.say("rename 2 to Learning to Retrieve", thread=thread)
        await slack.message("Section 2 is now “Learning to Retrieve”", thread)
        await slack.until(lambda: "2 Learning to Retrieve ·" in outline.text)
        await slack.press(outline, "Write it")
        done = await slack.message("Change a section", thread)
        await slack.until(lambda: slack.canvases)  # it comes in place of the files
        await slack.press(done, "2 Learning to Retrieve")
        section = await slack.until(lambda: next((m for m in slack.messages if "Evidence" in m.buttons), 0))
        await slack.press(section, "More →")
        await slack.until(lambda: section.edits)  # the same card, another page
        await slack.press(section, "Sources")
        await slack.message("Ada Author", thread)
        await slack.say("which systems outperform earlier dense retrieval systems?", thread=thread)
        await slack.rate(await slack.message("in their own words", thread), "negative_button")
        await slack.press(done, "All files")
        await slack.until(lambda: len(slack.shared) == len(FORMATS))
        assert {slack.files[name][0].split(".")[-1] for _, _, name in slack.shared} >= {"md", "pdf", "bib"}
        assert {(channel, at) for channel, at, _ in slack.shared} == {("C1", thread)}
        cards = [m for m in slack.in_thread(thread) if "approved by @U1" in m.text]
        assert [m.text.split(" approved")[0] for m in cards] == ["✓ Keywords", "✓ Papers", "✓ Outline"]
        assert not any(m.buttons for m in cards)
        assert not any("Stop" in m.buttons for m in slack.messages)
        assert slack.refused == slack.pinged == slack.late == []
        assert ("processing" in dict(slack.statuses).values()) is False  # the last word is that it waits


async def test_a_restart_in_the_middle_of_a_job_and_buttons_from_before(
    library: LocalLibrary, slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0, hang_s=1.0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        model.fault = lambda _: "hang" if any(call.kind == "text" for call in model.calls) else None
        async with on_slack(slack):
            thread = await slack.say("<@UBOT> survey dense retrieval sections=3 words=80")
            await slack.press(await slack.message("(your topic)", thread), "Search with these")
            await slack.press(await slack.message("Make an outline", thread), "Make an outline")
            outline = await slack.message("Writing it takes", thread)
            pressed = deepcopy(outline)
            await slack.press(outline, "Write it")
            status = await slack.message("Writing: ", thread)
            assert "Stop" in status.buttons
        async with on_slack(slack):
            done = await slack.message("Change a section", thread)
            assert done is status
            assert "Stop" not in status.buttons
            assert "$" in status.text
            await slack.message("a canvas, which changes", thread)
            (canvas,) = slack.canvases.values()
            assert re.search(r"\[1\]\(<https?://", canvas.text)
            before = canvas.text
            await slack.say("shorten 1", thread=thread)
            await slack.until(lambda: canvas.edits)
            assert canvas.text != before
            assert not slack.shared
            await slack.press(pressed, "Write it")  # by somebody who had not seen what became of it
            stale = await slack.message("earlier proposal", thread)
            assert stale.only_for == "U1"
            assert not outline.buttons
    assert slack.pinged == []


async def test_stop_from_the_status_message_and_two_people_at_once(library: LocalLibrary, slack: Slack) -> None:
    async with on_slack(slack):
        thread = await slack.say("<@UBOT> survey dense retrieval")
        proposal = await slack.message("(your topic)", thread)
        await asyncio.gather(
            slack.press(proposal, "Search with these", user="U2"),
            slack.press(proposal, "Search with these", user="U1"),
            slack.press(proposal, "Search with these", user="U1"),
        )
        refused = await slack.message("Only @U1 and those", thread)
        assert refused.only_for == "U2"
        await slack.message("Make an outline", thread)
        told = [m for m in slack.in_thread(thread) if "still working" in m.text or "earlier proposal" in m.text]
        assert [m.only_for for m in told] == ["U1"]
        await slack.say("invite <@U2>", thread=thread)
        await slack.message("@U2 may approve", thread)
        await slack.say("more", thread=thread, user="U2")
        status = await slack.until(
            lambda: next((m for m in slack.in_thread(thread)[::-1] if {"Stop", "More papers"} & set(m.buttons)), None)
        )
        if "Stop" in status.buttons:
            await slack.press(status, "Stop", user="U2")
        await slack.until(lambda: not any("Stop" in m.buttons for m in slack.messages))


async def test_sixty_threads_with_every_event_twice_are_answered_once_each(library: LocalLibrary, slack: Slack) -> None:
    slack.members = {f"C{i}" for i in range(20)}
    async with on_slack(slack):
        stamps = await asyncio.gather(
            *(slack.say("<@UBOT> status", channel=f"C{i % 20}", user=f"U{i}", times=2) for i in range(60))
        )
        for stamp in stamps:
            await slack.message("no topic yet", stamp)
    assert [len(slack.in_thread(stamp)) for stamp in stamps] == [1] * 60
    assert slack.late == []


async def test_a_list_of_papers_dropped_in_the_thread_is_read(library: LocalLibrary, slack: Slack) -> None:
    slack.files["F1"] = ("own.bib", b"@misc{x, title={Our Own Dense Retrieval}, abstract={We retrieve.}, year={2026}}")
    async with on_slack(slack):
        thread = await slack.say("<@UBOT> survey dense retrieval")
        await slack.message("(your topic)", thread)
        files = [{"name": "own.bib", "url_private_download": f"{slack.url}/files/F1"}]
        await slack.say("", thread=thread, subtype="file_share", files=files)
        await slack.message("1 paper added", thread)


async def test_what_is_asked_beside_a_survey_is_answered_to_the_person_alone(
    library: LocalLibrary, slack: Slack
) -> None:
    async with on_slack(slack):
        for text, answer in (("help", "What you can say"), ("status", "belongs in the thread"), ("?", "What you")):
            await slack.command(text, user="U9")
            assert (await slack.message(answer)).only_for == "U9"
        await slack.command("graphs length=99k", user="U9")
        assert (await slack.message("length=99k is not possible")).only_for == "U9"
        assert not any(m.only_for == "" for m in slack.messages)
        await slack.command("")
        (view,) = slack.views.values()
        faults = await slack.submit(view, topic="dense retrieval", years="soon")
        assert faults["errors"] == {"years": "“soon” is not a range of years. Write for example years=2018..2025"}
        assert await slack.submit(view, topic="dense retrieval") == {}
        starter = await slack.message("A literature survey on")
        await slack.message("(your topic)", starter.ts)


@asynccontextmanager
async def installed(slack: Slack, monkeypatch: pytest.MonkeyPatch, key: str) -> AsyncIterator[Service]:
    """Scholium over HTTP for many workspaces."""
    monkeypatch.delenv("SLACK_APP_TOKEN", raising=False)
    monkeypatch.setenv("SLACK_SIGNING_SECRET", SECRET)
    monkeypatch.setenv("SLACK_CLIENT_ID", "1.2")
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "client-secret")
    monkeypatch.setenv("SCHOLIUM_TOKEN_KEY", key)
    monkeypatch.setenv("SCHOLIUM_HTTP_PORT", "0")
    app = App(load_settings())
    async with open_store(app.settings.store_url()) as store:
        adapter = SlackAdapter(slack_access(app.settings, store), WORDS, MINUTE_S / 40, MINUTE_S / 40)
        async with run_service(app, adapter, store=store) as service:
            running = asyncio.create_task(service.run())
            while not adapter.port:  # noqa: ASYNC110
                await asyncio.sleep(0)
            slack.target = f"http://127.0.0.1:{adapter.port}/slack/events"
            yield service
            running.cancel()
            await asyncio.wait([running])


async def test_workspaces_install_us_see_only_their_own_and_leave(
    library: LocalLibrary, slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = Fernet.generate_key().decode()
    slack._codes = {"code-T1": "T1", "code-T2": "T2"}
    slack.teams.clear()
    async with installed(slack, monkeypatch, key) as service, ClientSession() as browser:
        site = slack.target.rsplit("/", 1)[0]
        for team in ("T1", "T2"):
            async with browser.get(f"{site}/install", allow_redirects=False) as page:
                found = re.search(r"state=([\w%-]+)", await page.text())
                cookie = page.headers["Set-Cookie"].split(";")[0]
            assert found
            wanted = f"{site}/oauth_redirect?code=code-{team}&state={found[1]}"
            for expected in (200, 401):  # a ticket is good once
                async with browser.get(wanted, headers={"Cookie": cookie}) as page:
                    assert page.status == expected
        async with service.store.connect() as connection:
            rows = (await connection.execute(sa.select(installations))).all()
        assert len(rows) == 2
        assert not any(b"xoxb" in row.content for row in rows)
        threads = [await slack.say("<@UBOT> survey dense retrieval", team=team) for team in ("T1", "T2")]
        for team, thread in zip(("T1", "T2"), threads, strict=True):
            assert (await slack.message("(your topic)", thread)).team == team
        for team, thread in zip(("T2", "T1"), threads, strict=True):  # the other workspace asks for the same thread
            before = len(slack.messages)
            await slack.say("show", team=team, thread=thread)
            await service.dispatcher.drain()
            assert len(slack.messages) == before
        await slack.event({"type": "app_uninstalled"}, team="T2")
        slack.revoked.add("xoxb-T2")
        async with service.store.connect() as connection:
            assert len((await connection.execute(sa.select(installations))).all()) == 1
        await slack.say("ok", team="T1", thread=threads[0])
        await slack.message("papers from", threads[0])
        await slack.event({"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}}, team="T1")
        await slack.event({"type": "tokens_revoked", "tokens": {"bot": ["UBOT"]}}, team="T1")
        async with service.store.connect() as connection:
            assert (await connection.execute(sa.select(installations))).all() == []
    with pytest.raises(UserError, match="SCHOLIUM_TOKEN_KEY"):
        async with installed(slack, monkeypatch, "not a key"):
            pass


@pytest.mark.parametrize("missing", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_what_is_missing_is_named(
    slack: Slack, monkeypatch: pytest.MonkeyPatch, missing: str, tmp_path: Path
) -> None:
    monkeypatch.delenv(missing)
    app = App(load_settings())
    async with open_store(app.settings.store_url()) as store:
        with pytest.raises(UserError, match=missing):
            slack_access(app.settings, store)


def test_the_manifest_names_what_the_code_uses() -> None:
    manifest = yaml.safe_load((Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml").read_text())
    features, settings = manifest["features"], manifest["settings"]
    assert sorted(manifest["oauth_config"]["scopes"]["bot"]) == sorted(BOT_SCOPES)
    messages = {f"message.{where}" for where in ("channels", "groups", "im", "mpim")}
    others = {"agent_session_stopped", "app_home_opened", "app_mention", "app_uninstalled", "tokens_revoked"}
    assert {*settings["event_subscriptions"]["bot_events"]} == messages | others
    assert [command["command"] for command in features["slash_commands"]] == [COMMAND]
    assert [(s["callback_id"], s["type"]) for s in features["shortcuts"]] == [(SHORTCUT, "message")]
    assert settings["interactivity"]["is_enabled"] is True
    assert settings["socket_mode_enabled"] is True
    assert features["app_home"]["home_tab_enabled"] is True
    assert features["app_home"]["messages_tab_read_only_enabled"] is False
    assert "agent_view" in features


def test_the_manifest_for_http_has_every_address() -> None:
    """As deploy/slack.md makes it from the one for Socket Mode."""
    text = (Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml").read_text()
    for said, meant in (("# HTTP: ", ""), ("socket_mode_enabled: true", "socket_mode_enabled: false")):
        text = text.replace(said, meant)
    manifest = yaml.safe_load(text)
    address = "https://YOUR.HOST/slack/events"
    assert [command["url"] for command in manifest["features"]["slash_commands"]] == [address]
    assert manifest["settings"]["event_subscriptions"]["request_url"] == address
    assert manifest["settings"]["interactivity"]["request_url"] == address
    assert manifest["settings"]["socket_mode_enabled"] is False


async def test_an_organisation_that_leaves_takes_no_other_with_it() -> None:
    async with open_store(load_settings().store_url()) as store:
        known = Installations(store, "1.2", Fernet.generate_key().decode())
        for name in ("E1", "E2"):
            bot = Bot(bot_id="B", bot_user_id="U", bot_token=f"xoxb-{name}", enterprise_id=name, installed_at=1.0)
            bot.is_enterprise_install = True
            await known.async_save_bot(bot)
        await known.async_delete_all(enterprise_id="E1", team_id=None)
        left = [
            await known.async_find_bot(enterprise_id=name, team_id="T", is_enterprise_install=True)
            for name in ("E1", "E2")
        ]
    assert [bot.bot_token if bot else None for bot in left] == [None, "xoxb-E2"]


async def test_a_survey_by_surveyx_in_a_thread(
    library: LocalLibrary, slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with on_slack(slack):
            thread = await slack.say("<@UBOT> survey dense retrieval recipe=surveyx sections=4 words=80")
            await slack.press(await slack.message("(your topic)", thread), "Search with these")
            await slack.press(await slack.message("Make an outline", thread), "Make an outline")
            outline = await slack.message("hints", thread)
            await slack.press(outline, "Write it")
            await slack.message("Change a section", thread)
            await slack.say("tree 1", thread=thread)
            await slack.message("No attribute tree of", thread)
        assert {call.kind for call in model.calls} >= {"MountAnswer", "RewriteAnswer"}
        assert slack.refused == []


async def test_groups_are_approved_in_a_thread_with_their_map(
    library: LocalLibrary, slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with on_slack(slack):
            thread = await slack.say("<@UBOT> survey dense retrieval recipe=cluster words=50")
            keywords = await slack.message("(your topic)", thread)
            assert "Quick review first" in keywords.buttons
            await slack.press(keywords, "Search with these")
            await slack.press(await slack.message("Make an outline", thread), "Make an outline")
            await slack.message("groups of papers", thread)
            await slack.until(lambda: len(slack.shared) == 1)
            await slack.say("merge 1 and 2", thread=thread)
            await slack.message("are one section now", thread)
            await slack.until(lambda: len(slack.shared) == 2)
            assert [(c, t) for c, t, _ in slack.shared] == [("C1", thread)] * 2
            drawn, redrawn = (slack.files[name][1] for _, _, name in slack.shared)
            assert drawn != redrawn
            await slack.say("split 1", thread=thread)
            await slack.message("sections now", thread)
            await slack.until(lambda: len(slack.shared) == 3)
            groups = await slack.until(
                lambda: next((m for m in slack.in_thread(thread) if "Write headings" in m.buttons), None)
            )
            await slack.press(groups, "Write headings")
            await slack.message("Write it", thread)
        assert slack.refused == []


async def test_a_quick_review_by_slash_command_and_a_follow_up_by_button(
    library: LocalLibrary, slack: Slack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with simulating(Simulation(pace=0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with on_slack(slack):
            await slack.command("quick how does dense retrieval use a passage index?")
            offer = "Write a full survey"
            review = await slack.until(lambda: next((m for m in slack.messages if offer in m.buttons), None))
            assert "References" in "".join(m.text for m in slack.in_thread(review.thread))
            await slack.press(review, next(iter(review.buttons)))
            following = await slack.until(
                lambda: next((m for m in slack.messages if offer in m.buttons and m.ts != review.ts), None)
            )
        assert following.thread == review.thread
        assert slack.refused == []
