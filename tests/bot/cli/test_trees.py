"""Attribute trees made ahead of time, and asked for in a conversation."""

from __future__ import annotations

import json
from io import StringIO

import pytest
import typer
from rich.console import Console

from bot.app import open_app
from bot.cli.trees import grow_trees
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service, simulate_answer


async def run(**options: object) -> tuple[str, int]:
    console = Console(width=200, file=StringIO())
    values = {"about": "", "most": 1_000, "full_texts": 0, "accept_cost": True} | options
    code = await grow_trees(console, "main", **values)  # type: ignore[arg-type]
    return console.file.getvalue(), code  # type: ignore[attr-defined]


async def test_trees_are_made_once_with_their_cost_said_before(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        said, code = await run(most=10)
        assert code == 0
        assert "10 papers of the library “main”, 0 of them with an attribute tree." in said
        assert "Making 10 attribute trees takes about 5 calls" in said
        assert "10 trees made with 5 calls" in said
        first = len(service.calls)
        said, _ = await run(most=30)
        assert "30 papers of the library “main”, 10 of them with an attribute tree." in said
        assert "20 trees made" in said
        asked = {call.kind for call in service.calls[first:]}
        assert asked == {"KindsAnswer", "TreesAnswer"}
        before = len(service.calls)
        said, _ = await run(most=30)
        assert "30 of them with an attribute tree." in said
        assert len(service.calls) == before


async def test_whoever_refuses_the_cost_pays_nothing(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("n\n"))
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        with pytest.raises(typer.Abort):
            await run(accept_cost=False)
        assert service.calls == []


async def test_a_broken_off_run_goes_on_where_it_was(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty-four papers enter the forest together; those of the second group failed at first."""
    broken = [True]

    def reply(prompt: str, schema: str) -> str:
        if broken[0] and schema == "KindsAnswer" and prompt.count("<paper key") < 20:
            return json.dumps({"papers": []})
        return simulate_answer(prompt, schema)

    async with run_simulated_service(SimulatedService(pace=0, reply=reply)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        said, _ = await run()
        assert "24 trees made" in said
        assert said.count("No tree: ") == 6
        broken[0] = False
        said, _ = await run()
        assert "30 papers of the library “main”, 24 of them with an attribute tree." in said
        assert "6 trees made" in said


async def test_without_a_model_it_says_what_to_set(library: LocalLibrary) -> None:
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        await run()


async def test_a_tree_can_be_asked_for(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        await run(most=20)
        async with opened() as lab:
            await lab.chat.say("tree 1")
            assert "no papers yet" in lab.chat.last
            await lab.talk("survey dense retrieval library=main recipe=cluster", "ok")
            found = [item.paper.key for item in (await lab.state()).papers.found]  # type: ignore[union-attr]
            async with open_app() as app:
                forest = await app.libraries.forest("main")
                known = await forest.get(found)
            there = next(i for i, key in enumerate(found, start=1) if key in known)
            missing = next(i for i, key in enumerate(found, start=1) if key not in known)
            await lab.chat.say(f"tree {there}")
            tree = known[found[there - 1]]
            name, value = next(tree.list_known())
            assert f"**{name}**: " in lab.chat.last
            assert value.quote.split(".")[0] in lab.chat.last
            assert f"Not said in its abstract: {next(n for n, v in tree.values if v is None)}" in lab.chat.last
            await lab.chat.say(f"tree {missing}")
            assert "No attribute tree" in lab.chat.last
            await lab.chat.say("tree 999")
            assert "the list has 1 to" in lab.chat.last
