"""What people and models write is text, also where it looks like a citation: only what was checked is one."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from engine.citations import list_cited_keys
from engine.rendering.files import FORMATS
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import walk
from engine.text import clean, inert, remove_bare_numbers
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service, simulate_answer

FORGED = "[@arxiv:9999.99999]"


@pytest.mark.parametrize("text", ["[@a:b]", "[\u200b@a:b]", "[[@a:b]]", "x[@a; @b] [@c]", "[\u202e\u200d@a:b] [ @c]"])
def test_inert_text_holds_no_citation_however_it_is_cleaned(text: str) -> None:
    assert list_cited_keys(clean(inert(text))) == ()
    assert inert(inert(text)) == inert(text)


async def test_text_of_a_person_that_looks_like_a_citation_is_never_one(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval sections=3 words=80", f"add passage index {FORGED}", "ok", "ok")
        await lab.talk(f"rename 1 to First {FORGED} [98]", f"add section Second {FORGED}", "ok")
        await lab.talk(f"add a paragraph on graphs {FORGED} to 2", "export")
        survey = await lab.survey()
        files = [path for message in lab.chat.sent for path in message.files]
        written = {path.name.partition(".")[2]: path for path in files}
        references = len(survey.references)
        assert {ending.split(".")[0] for ending in written} == FORMATS.keys()
        prose = written["md"].read_text(encoding="utf-8").replace("\\", "")
    assert FORGED not in prose
    assert [w for w in survey.warnings if w.kind == "unknown citation"] == []
    titles = [part.title for _, part in walk(survey.sections)]
    assert "First" in [title.split()[0] for title in titles]
    for line in prose.splitlines():
        if not any(title in line for title in titles) and "dense retrieval" not in line:
            assert all(int(n) <= references for n in re.findall(r"(?<=\[)\d+(?=\])", line)), line


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Dense [1] retrieval [2, 5–7].", "Dense retrieval."),
        ("In [98, [1] 99] brackets", "In brackets"),
        ("[3]", ""),
        ("a 95% CI [2, 5], an interval [1, 3]", "a 95% CI [2, 5], an interval [1, 3]"),
        ("[a] x[1:3] [1.5] [@k:1]", "[a] x[1:3] [1.5] [@k:1]"),
    ],
)
def test_numbers_in_brackets_are_left_out_of_what_cites_nothing(text: str, left: str) -> None:
    assert remove_bare_numbers(text) == left


def forge(value: Any, name: str = "") -> Any:
    """A typed answer that cites 1, 98 and 99 wherever it has words of its own."""
    if isinstance(value, dict):
        return {key: forge(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [forge(inner, name) for inner in value]
    if not isinstance(value, str) or " " not in value or name == "quote":
        return value
    head, _, last = value.rstrip(".").rpartition(" ")
    return f"{head} [1] {last} [98, 99]."


def answer_with_numbers(prompt: str, schema: str) -> str:
    text = simulate_answer(prompt, schema)
    if text.startswith("{"):
        return json.dumps(forge(json.loads(text)))
    return re.sub(r"(\w)( \[@[^\]]*\])?\.(?=\s|$)", r"\1 [98]\2 [99].", text)


@pytest.mark.parametrize(
    "said",
    [("survey dense retrieval sections=3 words=80 recipe=organiser", "ok", "ok", "ok"), ("quick dense retrieval",)],
)
async def test_numbers_that_a_model_writes_stand_in_no_document_and_no_answer(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...]
) -> None:
    async with run_simulated_service(SimulatedService(pace=0.0, reply=answer_with_numbers)) as service:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        async with opened() as lab:
            await lab.talk(*said, "what do systems learn from the passage index?", "export md")
            (file,) = (path for message in lab.chat.sent for path in message.files if path.suffix == ".md")
            shown = [file.read_text(encoding="utf-8").replace("\\", ""), *(message.text for message in lab.chat.sent)]
    assert len(shown[0]) > 1_000
    assert [line for text in shown for line in text.splitlines() if re.search(r"\[(?:98|99|1\] \w+ \[)", line)] == []
