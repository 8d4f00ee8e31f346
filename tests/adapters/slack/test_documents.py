"""A finished survey in Slack: a canvas where the workspace takes it, else files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.chat import Document, Outgoing
from tests.adapters.slack.test_adapter import AT, connected
from tests.fakes import FakeBackend
from tests.stand_ins.slack_server import CANVAS_CHARACTERS, Canvas
from tests.stand_ins.slack_workspace import Slack


async def test_a_document_is_a_canvas_and_its_next_edition_changes_it(slack: Slack, tmp_path: Path) -> None:
    backend, path = FakeBackend(), tmp_path / "survey.pdf"
    path.write_text("a survey")
    first, second = (Document("s1", "Graphs", text) for text in ("## 1 Paths", "## 1 Walks"))
    delivered = Outgoing(AT, "The survey as files:", files=(path,), document=first)
    async with connected(slack, backend) as adapter:
        await adapter.send(replace(delivered, document=None))
        await adapter.send(Outgoing(AT, "", document=first))  # nothing is shown where nothing was delivered
        assert (len(slack.messages), slack.canvases) == (1, {})
        await adapter.send(delivered)
    async with connected(slack, backend) as adapter:  # after a restart
        await adapter.send(Outgoing(AT, "", document=second))
        ((name, canvas),) = slack.canvases.items()
        assert (canvas.channel, canvas.title, canvas.text, canvas.edits) == ("C1", "Graphs", "## 1 Walks", 1)
        assert [m.files for m in slack.messages] == [["survey.pdf"], []]
        assert f"docs/T1/{name}" in str(slack.messages[1].body["blocks"])
        del slack.canvases[name]  # by a person
        await adapter.send(Outgoing(AT, "", document=second))
        await adapter.send(delivered)
        assert [canvas.text for canvas in slack.canvases.values()] == ["## 1 Paths"]
    assert slack.refused == [("canvases.edit", "canvas_not_found")]


@pytest.mark.parametrize("why", ["no canvases", "missing scope", "free team", "too long"])
async def test_where_slack_takes_no_canvas_the_files_come(slack: Slack, tmp_path: Path, why: str) -> None:
    path = tmp_path / "survey.pdf"
    path.write_text("a survey")
    slack.has_canvases, slack.is_free = why != "no canvases", why == "free team"
    slack.canvases = {"F0": Canvas("C1", "another", "")} if slack.is_free else {}
    slack.missing_scopes |= {"canvases:write"} if why == "missing scope" else set()
    document = Document("s1", "Graphs", "x" * (CANVAS_CHARACTERS + 1 if why == "too long" else 1))
    async with connected(slack, FakeBackend()) as adapter:
        await adapter.send(Outgoing(AT, "The survey as files:", files=(path,), document=document))
        await adapter.send(Outgoing(AT, "", document=document))
    assert [(m.text, m.files) for m in slack.messages] == [("The survey as files:", ["survey.pdf"])]
    assert len(slack.refused) == (why != "too long")  # which is not even tried
