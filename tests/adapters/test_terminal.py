"""The terminal adapter over a real console, and splitting."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from adapters.chat import Button, Incoming, Outgoing, PlatformError, ProgressBar
from adapters.markup import remove_controls, split
from adapters.terminal import HERE, TerminalAdapter, attach, divide_files, find_named_files
from tests.fakes import FakeBackend
from tests.stand_ins.changes import PATIENCE_S


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=70, force_terminal=terminal, color_system="standard" if terminal else None)


def printed(made: Console) -> str:
    assert isinstance(made.file, io.StringIO)
    return made.file.getvalue()


async def say(lines: Sequence[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def test_each_line_waits_for_its_turn_and_buttons_name_their_words() -> None:
    made = console()
    adapter = TerminalAdapter(made, say(["one", "", "two", "quit", "never"]), echo=True)
    heard: list[str] = []

    async def handle(incoming: Incoming) -> None:
        heard.append(incoming.text)
        await adapter.send(Outgoing(HERE, "…", "progress", bar=ProgressBar(1, 2)))
        buttons = (Button("Go on", "ok:s:1", "ok"),)
        await adapter.send(Outgoing(HERE, f"heard **{incoming.text}**", buttons=buttons, awaits=True))

    await adapter.send(Outgoing(HERE, "welcome", awaits=True))
    async with asyncio.timeout(PATIENCE_S):
        await adapter.open(FakeBackend(handle))
        await adapter.run()
    assert heard == ["one", "two"]
    assert "you › one" in printed(made)
    assert "[ok: Go on]" in printed(made)


@pytest.mark.parametrize("said", ["**Stopped by @ann_lee-1f.**", r"**Stopped by @ann\_lee\-1f.**"])
async def test_a_person_at_a_terminal_is_called_you(said: str) -> None:
    made = console()
    await TerminalAdapter(made, say([]), HERE, "ann_lee-1f").send(Outgoing(HERE, said))
    assert printed(made).strip() == "Stopped by you."


async def test_no_line_ends_in_spaces() -> None:
    for terminal in (True, False):
        made = console(terminal=terminal)
        text = "A paragraph.\n\n- one\n- **two**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n    survey graphs"
        await TerminalAdapter(made, say([])).send(Outgoing(HERE, text))
        lines = re.sub(r"\x1b\[[\d;]*m", "", printed(made)).split("\n")
        assert [line for line in lines if line != line.rstrip()] == []
        assert any("survey graphs" in line for line in lines)


async def test_nothing_from_a_paper_controls_the_terminal() -> None:
    made = console()
    adapter = TerminalAdapter(made, say([]))
    await adapter.send(Outgoing(HERE, "a\x1b]0;owned\x07b \x1b[2J \u202ec [red]d[/red]"))
    assert "\x1b" not in printed(made)
    assert "\u202e" not in printed(made)
    assert "[red]d" in printed(made)


async def test_colour_and_bar_only_on_a_terminal() -> None:
    for terminal in (True, False):
        made = console(terminal=terminal)
        adapter = TerminalAdapter(made, say([]))
        for done in range(3):
            written = "\n\n✓ 1 Bees (9 words)\n\n**Bees**: They fly." if done else ""
            await adapter.send(Outgoing(HERE, f"Writing: part {done}{written}", "progress", bar=ProgressBar(done, 3)))
        await adapter.send(Outgoing(HERE, "**done**"))
        assert ("\x1b[" in printed(made)) is terminal
        assert printed(made).count("They fly.") == int(terminal)
        if not terminal:
            assert printed(made).count("… Writing") == 1


@given(st.text(), st.integers(1, 50))
def test_splitting_loses_no_word_and_keeps_the_limit(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    if all(len(word) <= limit for word in text.split()):
        assert [w for part in parts for w in part.split()] == text.split()


def test_splitting_prefers_paragraphs() -> None:
    assert split("one two\n\nthree four", 12) == ["one two", "three four"]
    assert split("", 5) == [""]
    with pytest.raises(ValueError, match="at least one"):
        split("x", 0)


def test_controls_are_removed() -> None:
    assert remove_controls("a\x00\x1b[31m\u200bb\n\tc") == "a[31mb\n\tc"


def test_a_line_that_names_files_sends_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "my papers"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(b"%PDF")
    (folder / "b.bib").write_bytes(b"@misc{}")
    assert [path.name for path in find_named_files(f"'{folder}/a.pdf'")] == ["a.pdf"]
    assert [path.name for path in find_named_files(f'"{folder}/"')] == ["a.pdf", "b.bib"]
    (tmp_path / "papers").mkdir()
    for words in ("papers", "I don't know", "", f"see {folder}", "a.pdf", "x" * 5_000):
        assert find_named_files(words) == []
    assert attach(folder / "a.pdf").content == b"%PDF"


def test_papers_before_files_makes_them_the_list(tmp_path: Path) -> None:
    (tmp_path / "b.bib").write_bytes(b"@misc{}")
    for line in (f"papers {tmp_path}/b.bib", f"papers: '{tmp_path}/b.bib'", f"Papers {tmp_path}/"):
        said, files = divide_files(line)
        assert (said.lower(), [file.name for file in files]) == ("papers", ["b.bib"])
    assert divide_files(f"{tmp_path}/b.bib") == ("", [tmp_path / "b.bib"])
    for path in (f"{tmp_path}/gone.bib", "~/gone.bib", "./gone.pdf"):
        with pytest.raises(PlatformError, match="no file"):
            divide_files(path)
    for line in ("papers: A title of mine", f"read {tmp_path}/b.bib", "papers"):
        assert divide_files(line) == (line, [])


async def test_what_can_be_typed_breaks_between_two_hints_only() -> None:
    made = console()
    adapter = TerminalAdapter(made, say([]))
    hints = ("rename 2 to …", "drop 3", "move 4 before 2", "merge 3 4", "add section … after 2")
    await adapter.send(Outgoing(HERE, "An outline", hints=hints, awaits=True))
    assert "[rename 2 to … · drop 3 · move 4 before 2 · merge 3 4 ·\n add section … after 2]\n" in printed(made)
