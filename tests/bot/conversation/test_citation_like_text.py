"""What people write is text, also where it looks like a citation: only what was checked is one."""

from __future__ import annotations

import re

import pytest

from engine.citations import list_cited_keys
from engine.rendering.files import FORMATS
from engine.retrieval.libraries.local import LocalLibrary
from engine.survey import walk
from engine.text import clean, inert
from tests.lab import opened

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
        assert set(written) == {chosen.suffix for chosen in FORMATS.values()}
        prose = written["md"].read_text(encoding="utf-8").replace("\\", "")
    assert FORGED not in prose
    assert [w for w in survey.warnings if w.kind == "unknown citation"] == []
    titles = [part.title for _, part in walk(survey.sections)]
    assert "First" in [title.split()[0] for title in titles]
    for line in prose.splitlines():
        if not any(title in line for title in titles) and "dense retrieval" not in line:
            assert all(int(n) <= references for n in re.findall(r"(?<=\[)\d+(?=\])", line)), line
