"""The Slack adapter over the real wire: what comes in, what is shown, and what Slack does when it is in a bad mood."""

from __future__ import annotations

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest

from adapters.chat import (
    Attachment,
    Button,
    Conversation,
    Form,
    FormFault,
    FormField,
    Incoming,
    Outgoing,
    PlatformError,
    ProgressBar,
)
from adapters.slack.slack_adapter import SlackAccess, SlackAdapter
from bot.wording.labels import WORDS
from tests.fakes import FakeBackend
from tests.stand_ins.slack_server import APP_TOKEN
from tests.stand_ins.slack_workspace import SECRET, Slack, serve_slack, sign_request

AT = Conversation("slack", "T1", "C1", "1700000000.000001")
FAST = 0.01, 0.02


@asynccontextmanager
async def connected(
    slack: Slack, backend: FakeBackend, *, http: bool = False, pace: tuple[float, float] = FAST
) -> AsyncIterator[SlackAdapter]:
    """The adapter, listening while the block runs."""
    access = SlackAccess("xoxb-T1", api_url=f"{slack.url}/api/", app_token="" if http else APP_TOKEN)
    if http:
        access = replace(access, signing_secret=SECRET, port=0)
    adapter = SlackAdapter(access, WORDS, *pace)
    await adapter.open(backend)
    listening = asyncio.create_task(adapter.run())
    if http:
        while not adapter.port:  # noqa: ASYNC110
            await asyncio.sleep(0)
        slack.target = f"http://127.0.0.1:{adapter.port}/slack/events"
    else:
        await slack.until(lambda: len(slack.sockets) % 2 == 0 and slack.sockets)
    try:
        yield adapter
    finally:
        listening.cancel()
        await asyncio.wait([listening])
        await adapter.close()


@pytest.mark.parametrize("http", [False, True])
async def test_each_way_of_speaking_to_us_comes_in_once(slack: Slack, http: bool) -> None:  # noqa: FBT001
    backend = FakeBackend()
    async with connected(slack, backend, http=http):
        mention = await slack.say("<@UBOT> survey &lt;graphs&gt; &amp; <https://x.org/a|links>", times=2)
        there = Conversation("slack", "T1", "C1", mention)
        await slack.say("nobody's business")
        await slack.say("nor this", thread="1.5")
        await slack.say("ok", thread=mention, client_msg_id="m1")
        direct = await slack.say("hello", channel="D1", user="U2")
        await slack.say("in a thread", channel="D1", thread="1.7")
        await slack.say("I am a bot", thread=mention, bot_id="B9")
        await slack.say("edited", thread=mention, subtype="message_changed")
        await slack.say("joined", thread=mention, subtype="channel_join")
        await slack.say("to all", thread=mention, subtype="thread_broadcast")
        await slack.say("<@UBOT> mine", user="UBOT")
    heard = {incoming.key: incoming for incoming in backend.received}  # the backend drops what has a known key
    assert [(i.conversation, i.text) for i in heard.values()] == [
        (there, "survey <graphs> & https://x.org/a"),
        (there, "ok"),
        (Conversation("slack", "T1", "D1", direct), "hello"),
        (Conversation("slack", "T1", "D1", "1.7"), "in a thread"),
        (there, "to all"),
    ]
    assert backend.received[0].person == "U1"
    assert slack.late == []


async def test_what_is_not_stored_is_not_acknowledged_and_comes_again(slack: Slack) -> None:
    failures = iter([OSError("disk full"), None])

    async def store(_: Incoming) -> None:
        failure = next(failures, None)
        if failure:
            raise failure

    backend = FakeBackend(store)
    async with connected(slack, backend, http=True):
        await slack.say("<@UBOT> help", channel="D1")
    assert slack.late == ["events_api 0"]
    assert [i.text for i in backend.received] == ["help", "help"]
    assert len({i.key for i in backend.received}) == 1


async def test_dropped_sockets_lose_nothing_and_what_was_not_acknowledged_comes_again(slack: Slack) -> None:
    async def drop(_: Incoming) -> None:
        if len(backend.received) == 1:
            await slack.drop_sockets()

    backend = FakeBackend(drop)
    async with connected(slack, backend):
        await slack.drop_sockets()
        await slack.say("are you there?", channel="D1")
    assert [i.text for i in backend.received] == ["are you there?", "are you there?"]
    assert len({i.key for i in backend.received}) == 1
    assert slack.late == []  # Slack has not waited


async def test_only_signed_recent_wellformed_requests_come_in(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend, http=True), aiohttp.ClientSession() as session:

        async def status(body: bytes, headers: dict[str, str]) -> int:
            kind = {"Content-Type": "application/json"}
            async with session.post(slack.target, data=io.BytesIO(body), headers={**kind, **headers}) as response:
                assert "Traceback" not in await response.text()
                return response.status

        body = json.dumps({"type": "url_verification", "challenge": "c"})
        now = int(time.time())
        assert await status(body.encode(), sign_request(body)) == 200
        assert await status(body.encode(), sign_request(body, stamp=str(now - 290))) == 200
        assert await status(body.encode(), sign_request(body, stamp=str(now - 301))) == 401
        assert await status(body.encode(), sign_request(body, "another secret")) == 401
        assert await status(body.encode() + b" ", sign_request(body)) == 401
        assert await status(body.encode(), {}) == 401
        assert await status(body.encode(), {**sign_request(body), "X-Slack-Request-Timestamp": "soon"}) == 401
        assert await status(b"{not json", sign_request("{not json")) in {400, 401}
        assert await status(b"\xff\xfe", sign_request("x")) in {400, 401}
        for odd in (
            "[1]",
            '"x"',
            "5",
            "null",
            "[" * 100_000,
            '{"event": [1]}',
            '{"team_id": 5, "event": {"user": []}}',
        ):
            assert await status(odd.encode(), {}) == 401, odd
            assert await status(odd.encode(), sign_request(odd, "another secret")) in {400, 401}, odd
        assert await status(b"x" * (2**20 + 1), sign_request("x")) == 413
    assert backend.received == []


async def test_a_command_with_words_begins_and_without_asks(slack: Slack) -> None:
    fields = (
        FormField("topic", "Topic", "", "graphs"),
        FormField("recipe", "Method", "b", kind="choice", choices=(("a", "A"), ("b", "B"))),
        FormField("notes", "Notes", "", kind="text", optional=True),
    )
    backend = FakeBackend(asked=Form("New survey", "start", "Begin", fields))
    async with connected(slack, backend):
        await slack.command("graph &amp; nets")
        assert backend.received[-1].text == "graph & nets"
        assert backend.received[-1].opens
        await slack.command("  ")
        (view,) = slack.views.values()
        backend.wrong = FormFault("topic", "Too short.")
        answer = await slack.submit(view, topic="x")
        assert answer == {"response_action": "errors", "errors": {"topic": "Too short."}}
        backend.wrong = None
        assert await slack.submit(view, topic="graphs") == {}
        filled = backend.received[-1]
        assert (filled.button, filled.opens, filled.conversation) == ("start", True, replace(AT, thread=""))
        assert dict(filled.values) == {"topic": "graphs", "recipe": "b", "notes": ""}
        await slack.shortcut("a long message", "C2", "1700000000.000001")
        await slack.submit(list(slack.views.values())[-1], topic="other")
        assert backend.received[-1].conversation == replace(AT, channel="C2")
        backend.asked = Outgoing(AT, "Nothing to edit.", only_for="U1")
        await slack.command("")
        assert "Nothing to edit" in slack.messages[-1].text
        assert slack.messages[-1].only_for == "U1"


async def test_a_thread_is_opened_once_and_elsewhere_where_we_may_not_write(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        asked = Incoming(Conversation("slack", "T1", "C1"), "U1", "k1", "graphs", opens=True)
        starter = Outgoing(asked.conversation, "A survey, asked for by @U1", people=("U1",))
        first = await adapter.open_thread(asked, starter)
        assert await adapter.open_thread(asked, starter) == first
        assert first == replace(asked.conversation, thread=slack.messages[0].ts)
        assert "@U1" in slack.messages[0].text
        closed = replace(asked, conversation=Conversation("slack", "T1", "C9"), key="k2")
        there = await adapter.open_thread(closed, replace(starter, conversation=closed.conversation))
        assert there.channel == "DU1"
        assert "cannot write in that channel" in slack.messages[-1].text
        home = replace(asked, conversation=Conversation("slack", "T1", ""), key="k3")
        assert (await adapter.open_thread(home, replace(starter, conversation=home.conversation))).channel == "DU1"


async def test_buttons_carry_what_they_mean_and_every_press_comes_in(slack: Slack) -> None:
    backend = FakeBackend(asked=Form("Edit", "edit:s:1", "Save", (FormField("x", "X", "y"),)))
    async with connected(slack, backend) as adapter:
        buttons = (Button("Go on", "ok:s:1", "ok"), Button("Edit", "edit:s:1", "", asks=True))
        await adapter.send(Outgoing(AT, "Proposal", buttons=buttons))
        message = slack.messages[-1]
        assert "or say `ok`" in message.text
        await slack.press(message, "Go on", user="U7", times=2)
        assert {(i.person, i.button, i.conversation) for i in backend.received} == {("U7", "ok:s:1", AT)}
        assert len({i.key for i in backend.received}) == 1
        await slack.press(message, "Edit")
        (view,) = slack.views.values()
        await slack.submit(view, x="z")
        assert backend.received[-1].values == (("x", "z"),)
        assert backend.received[-1].conversation == AT
        backend.asked = Outgoing(AT, "No.", only_for="U7")
        await slack.press(message, "Edit", user="U7")
        assert (slack.messages[-1].only_for, slack.messages[-1].text) == ("U7", "No.\n")


async def test_one_status_message_is_edited_within_the_rate_and_ends(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        stop = (Button("Stop", "stop:s:1", "stop"),)
        places = [replace(AT, thread=AT.thread), replace(AT, channel="C2")]
        for at in places:
            await adapter.send(Outgoing(at, "Writing …", "started", buttons=stop))
        began = time.monotonic()
        for number in range(200):
            for at in places:
                facts = (f"{number} of 200", "3 s", "$0.10 so far")
                text, bar = f"Writing: part {number}", ProgressBar(number, 200)
                await adapter.send(Outgoing(at, text, "progress", bar=bar, facts=facts, buttons=stop))
        for message in list(slack.messages):
            await slack.until(lambda m=message: "199 of 200 · 3 s · $0.10 so far" in m.text)
        assert len(slack.messages) == 2
        assert slack.calls["chat.update"] <= 3 + (time.monotonic() - began) / FAST[1]
        for at in places:
            await adapter.send(Outgoing(at, "✓ Written", "ended", facts=("4 s",)))
        assert [m.text for m in slack.messages] == ["✓ Written\n\n4 s"] * 2
        assert not any(m.buttons for m in slack.messages)
        await adapter.send(Outgoing(AT, "late", "progress"))
        await slack.until(lambda: slack.statuses and slack.statuses[-1][1] == "suspended")  # it is the person's turn
    assert set(backend.notes.values()) == {""}
    assert slack.refused == []


async def test_a_status_of_a_former_process_is_found_and_ended(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(AT, "Writing …", "started"))
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(AT, "✓ Written", "ended"))
    assert [m.text for m in slack.messages] == ["✓ Written\n"]


async def test_the_status_of_a_job_is_not_the_next_ones(slack: Slack) -> None:
    backend = FakeBackend()
    async with (
        connected(slack, backend) as one,
        connected(slack, backend) as two,
    ):  # two processes share the conversation
        await one.send(Outgoing(AT, "Gathering …", "started", job="1"))
        await two.send(Outgoing(AT, "Drafting …", "started", job="2"))
        await one.send(Outgoing(AT, "✓ Gathered", "ended", job="1"))
        assert [m.text for m in slack.messages] == ["✓ Gathered\n", "Drafting …\n"]
        await two.send(Outgoing(AT, "✓ Drafted", "ended", job="2"))
    assert [m.text for m in slack.messages] == ["✓ Gathered\n", "✓ Drafted\n"]


async def test_a_job_that_ends_before_its_start_is_shown_is_not_shown_as_running(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(AT, "✓ Gathered", "ended", job="1"))
        await adapter.send(Outgoing(AT, "Gathering …", "started", job="1"))
        await adapter.send(Outgoing(AT, "Gathering: 3", "progress", job="1"))
        assert slack.messages == []
    assert set(backend.notes.values()) == {""}


async def test_the_stop_of_an_agent_session_is_a_stop(slack: Slack) -> None:
    backend = FakeBackend()
    async with connected(slack, backend):
        stopped = {"type": "agent_session_stopped", "channel_id": "C1", "thread_ts": AT.thread, "user_id": "U1"}
        await slack.event(stopped)
    assert [(i.conversation, i.text, i.person) for i in backend.received] == [(AT, "stop", "U1")]


async def test_refused_rich_text_is_sent_plainly_and_nothing_is_cut(slack: Slack) -> None:
    slack.next_errors.append("invalid_blocks")
    text = "\n\n".join(f"**Part {i}** says <!channel> and [1, 3–5]. {'More. ' * 30}" for i in range(39))
    async with connected(slack, FakeBackend()) as adapter:
        await adapter.send(Outgoing(AT, text.replace("<", "\\<"), buttons=(Button("Go", "ok:s:1", "ok"),)))
    shown = "\n".join(m.text for m in slack.messages)
    assert all(f"Part {i} says" in shown for i in range(39))
    assert "or say `ok`" in shown
    assert slack.pinged == []
    assert len(slack.messages) > 1


async def test_what_slack_cannot_take_now_is_tried_again_and_what_it_never_takes_is_not(slack: Slack) -> None:
    async with connected(slack, FakeBackend()) as adapter:
        slack.next_errors.append("ratelimited")
        began = time.monotonic()
        await adapter.send(Outgoing(AT, "patience"))
        assert time.monotonic() - began >= 1.0  # Retry-After
        assert [m.text for m in slack.messages] == ["patience\n"]
        slack.next_errors.append("fatal_error")
        with pytest.raises(PlatformError) as later:
            await adapter.send(Outgoing(AT, "x"))
        assert later.value.retryable
        with pytest.raises(PlatformError, match="/invite") as never:
            await adapter.send(Outgoing(replace(AT, channel="C9"), "x"))
        assert not never.value.retryable
        assert never.value.gone


async def test_a_message_broken_off_in_the_middle_goes_on_where_it_was(slack: Slack) -> None:
    text = "\n\n".join(f"Paragraph {i} " + "word " * 300 for i in range(12))
    async with connected(slack, FakeBackend()) as adapter:
        outgoing = Outgoing(AT, text, key="7")
        await adapter.send(replace(outgoing, text="first", key="6"))
        slack.next_errors.extend(["", "fatal_error"])
        slack.next_errors.popleft()
        with pytest.raises(PlatformError):
            await adapter.send(outgoing)
        await adapter.send(outgoing)
    shown = "\n".join(m.text for m in slack.messages)
    assert [shown.count(f"Paragraph {i} ") for i in range(12)] == [1] * 12


async def test_files_go_up_and_come_down(slack: Slack, tmp_path: Path) -> None:
    backend = FakeBackend()
    paths = [tmp_path / "survey.md", tmp_path / "survey.bib"]
    for path in paths:
        path.write_text(f"content of {path.name}")
    async with connected(slack, backend) as adapter:
        await adapter.send(Outgoing(AT, "Here are the files:", files=tuple(paths)))
        assert [slack.files[name] for _, _, name in slack.shared] == [(p.name, p.read_bytes()) for p in paths]
        assert {(channel, thread) for channel, thread, _ in slack.shared} == {("C1", AT.thread)}
        assert [(m.text, m.files) for m in slack.messages] == [("Here are the files:", [p.name for p in paths])]
        slack.missing_scopes.add("files:write")
        with pytest.raises(PlatformError, match=r"was not given a right that it needs \(files:write\)"):
            await adapter.send(Outgoing(AT, "Here they are:", files=tuple(paths)))
        slack.missing_scopes.clear()
        assert len(slack.messages) == 1  # nothing is said of files that are not there
        slack.files["F9"] = ("own.bib", b"@misc{x}")
        url = f"{slack.url}/files/F9"
        shared = [{"name": "own.bib", "url_private_download": url}]
        await slack.say("", channel="D1", subtype="file_share", files=shared)
        (attachment,) = backend.received[-1].attachments
        assert await adapter.fetch(AT, attachment) == b"@misc{x}"
        for elsewhere in ("https://evil.example/x", "http://files.slack.com/x", "https://slack.com.evil.example/x"):
            with pytest.raises(PlatformError, match="not kept at Slack"):
                await adapter.fetch(AT, Attachment("own.bib", source=elsewhere))
        with pytest.raises(PlatformError, match="not on my disk"):
            await adapter.send(Outgoing(AT, "gone", files=(tmp_path / "missing.md",)))


async def test_the_home_page_lists_surveys_and_begins_new_ones(slack: Slack) -> None:
    form = Form("New survey", "start", "Begin", (FormField("topic", "Topic"),))
    survey = Outgoing(AT, "**Graphs** (outline, your turn)", buttons=(Button("Export", "export:s", "export"),))
    backend = FakeBackend(asked=form, surveys=[survey] * 30)
    async with connected(slack, backend):
        await slack.event({"type": "app_home_opened", "user": "U1", "tab": "messages"})
        assert slack.homes == {}
        await slack.event({"type": "app_home_opened", "user": "U1", "tab": "home"})
        assert "Graphs" in json.dumps(slack.homes["U1"])
        await slack.press_at_home("Export", 3)
        assert (backend.received[-1].conversation, backend.received[-1].button) == (AT, "export:s")
        await slack.press_at_home("New")
        await slack.submit(next(iter(slack.views.values())), topic="nets")
        assert backend.received[-1].opens
        assert backend.received[-1].conversation == Conversation("slack", "T1", "")
        backend.surveys = []
        await slack.event({"type": "app_home_opened", "user": "U2", "tab": "home"})
        assert "None" in json.dumps(slack.homes["U2"])


async def test_a_wrong_token_is_said_at_once() -> None:
    async with serve_slack(Slack()) as slack:
        adapter = SlackAdapter(SlackAccess("xoxb-wrong", APP_TOKEN, api_url=f"{slack.url}/api/"), WORDS)
        with pytest.raises(PlatformError, match="SLACK_BOT_TOKEN"):
            await adapter.open(FakeBackend())
        wrong = SlackAdapter(SlackAccess("xoxb-T1", "xapp-wrong", api_url=f"{slack.url}/api/"), WORDS)
        with pytest.raises(PlatformError, match="SLACK_APP_TOKEN"):
            await wrong.open(FakeBackend())
