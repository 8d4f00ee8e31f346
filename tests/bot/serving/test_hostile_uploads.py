"""Files that are meant to break the service: each gets its sentence, and the service goes on."""

from __future__ import annotations

import gzip
import json
import resource

import pytest

from adapters.chat import Attachment, Incoming
from bot.app import App
from bot.settings import load_settings
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from tests.fakes import HERE
from tests.lab import Lab, opened

GOOD = json.dumps({"title": "A Paper That Can Be Read", "doi": "10.1000/good"})


async def send(lab: Lab, name: str, content: bytes, person: str = "mara") -> str:
    await lab.chat.backend.handle(
        Incoming(HERE, person, f"f{name}{person}", "", attachments=(Attachment(name, content),))
    )
    await lab.settled()
    return lab.chat.last


async def test_a_bomb_costs_the_service_no_memory_and_says_what_was_wrong(library: LocalLibrary) -> None:
    bomb = gzip.compress(GOOD.encode() + b"\n" + bytes(200 * 2**20), 1)
    async with opened() as lab:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        said = await send(lab, "papers.jsonl.gz", bomb)
        assert "1 paper added" in said and "papers.jsonl.gz: it unpacks to more than 64 MB" in said
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150 * 1024


@pytest.mark.parametrize(
    ("name", "bad", "why"),
    [
        ("a.jsonl", b'"' + b"x" * (9 * 2**20), "line 1: the line is longer than 8 MB"),
        ("a.jsonl", b"[" * 200_000, "line 1: not valid JSON"),
        ("a.jsonl", b'{"title": ' + b"1" * 5_000 + b"}", "line 1: not valid JSON"),
    ],
    ids=["long", "deep", "digits"],
)
async def test_one_bad_line_does_not_keep_the_others_out(
    library: LocalLibrary, name: str, bad: bytes, why: str
) -> None:
    async with opened() as lab:
        said = await send(lab, name, bad + b"\n" + GOOD.encode())
        assert "1 paper added" in said and why in said


async def test_who_may_neither_change_nor_start_adds_no_papers(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_MAY_START", '["fake:lab:mara"]')
    async with opened() as lab:
        assert "You may not start surveys here" in await send(lab, "a.jsonl", GOOD.encode(), "eve")
        await lab.talk("survey dense retrieval")
        assert "Only @mara and those they `invite`" in await send(lab, "b.jsonl", GOOD.encode(), "eve")
        assert not await lab.service.app.libraries.has_papers(HERE.workspace)
        assert "1 paper added" in await send(lab, "c.jsonl", GOOD.encode())


async def test_a_library_s_name_is_no_path_out_of_the_home() -> None:
    app = App(load_settings())
    for name in ("../../evil", "/evil", "a/b", ".."):
        with pytest.raises(UserError, match="cannot be a library's name"):
            await app.libraries.new_library(name, "local")
    await app.close()
