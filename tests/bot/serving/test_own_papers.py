"""A person brings papers: a pasted list, a BibTeX file as the list, PDFs."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
import typst
from rich.console import Console

from adapters.chat import Attachment, Incoming
from bot.app import open_app
from bot.cli.administration import delete_papers, unmerge
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.values import PaperKey, Query
from tests.fakes import HERE, paper, papers
from tests.lab import Lab, opened
from tests.scholarly_server import scholarly

OWN = papers(3)


async def send(lab: Lab, name: str, content: bytes, text: str = "", key: str = "f") -> str:
    await lab.chat.backend.handle(
        Incoming(HERE, "mara", f"{key}{name}", text, attachments=(Attachment(name, content),))
    )
    await lab.settled()
    return lab.chat.last


def pdf(title: str, more: str = "") -> bytes:
    paragraphs = (f"= {title}\nAda Author", "Abstract", "We do things.", "1 Introduction", more)
    page = "\n\n".join(("#set page(width: 15cm, height: 20cm)", *paragraphs))
    made: bytes = typst.compile(page.encode())
    return made


async def test_a_pasted_list_is_the_survey_s_papers(library: LocalLibrary) -> None:
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        lines = [
            OWN[0].title,
            OWN[1].key,
            "A Title That Nobody Knows at All",
            OWN[2].title.replace("Number3", "Numbers"),
        ]
        await lab.chat.say("papers:\n" + "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1)))
        shown = lab.chat.last
        assert "not found: “A Title That Nobody Knows at All”" in shown
        state = await lab.state()
        assert state.papers and {OWN[0].key, OWN[1].key} <= {p.key for p in state.papers.list_included()}
        await lab.chat.say("sources")
        assert "your list" in lab.chat.last
        await lab.chat.say("back")
        assert (await lab.state()).phase == "keywords"


async def test_nothing_but_the_list_is_used(library: LocalLibrary) -> None:
    async with opened() as lab:
        (said,) = await lab.chat.say("papers: 2005.11401")
        assert "Name a topic first" in said.text
        await lab.talk("survey dense retrieval", "papers: " + "; ".join(p.key for p in OWN))
        state = await lab.state()
        assert state.papers and [f.paper.key for f in state.papers.found] == [p.key for p in OWN]


@pytest.mark.parametrize("identifier", ["doi={{10.1000/o{}}}", "note={{number {}}}"])
async def test_a_bibtex_file_said_to_be_the_papers(library: LocalLibrary, identifier: str) -> None:
    bib = "\n".join(
        f"@article{{k{n}, title={{{p.title} of Ours}}, author={{Ada Author}}, year={{2024}}, {identifier.format(n)}}}"
        for n, p in enumerate(OWN)
    )
    async with opened() as lab:
        await lab.talk("survey dense retrieval")
        lab.chat.turn.clear()
        await send(lab, "ours.bib", bib.encode(), "papers")
        await lab.chat.turn.wait()
        state = await lab.state()
        assert state.papers and [f.paper.title for f in state.papers.found] == [f"{p.title} of Ours" for p in OWN]
        assert not state.papers.excluded
        assert "3 of 3 lines are certain" in lab.chat.last and "title:" not in lab.chat.last


async def test_a_pdf_gets_its_true_metadata_and_its_text_is_read(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    async with opened() as lab:
        said = await send(lab, "paper.pdf", pdf(OWN[0].title, "The index holds 21 million passages."))
        assert "I read Ada Author1" in said and OWN[0].title in said
        texts = lab.service.app.libraries.texts_of(HERE.workspace)
        text = texts.load(OWN[0].key)
        assert text and "21 million" in next(text.body()).text
        other = lab.service.app.libraries.texts_of("another workspace")
        assert other.load(OWN[0].key) is None


async def test_a_workspace_s_papers_can_be_deleted(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    rivals = replace(HERE, tenant="rivals")
    bib = Attachment("o.bib", b"@misc{m, title={Secret Plans of Graph Attention}, author={Mara Meier}, year={2024}}")
    async with opened() as lab:
        libraries = lab.service.app.libraries
        for at in (HERE, rivals):
            await lab.chat.backend.handle(Incoming(at, "mara", f"k{at.tenant}", "", attachments=(bib,)))
            await lab.settled()
        assert await libraries.remove_workspace(HERE.workspace)
        assert not await libraries.has_papers(HERE.workspace) and not await libraries.remove_workspace(HERE.workspace)
        assert await (await libraries.workspace_library(rivals.workspace)).count() == 1
        assert await (await libraries.workspace_library(HERE.workspace)).count() == 0


async def test_a_merge_among_a_workspace_s_papers_is_undone_and_one_is_deleted(library: LocalLibrary) -> None:
    one = paper(
        1,
        key="arxiv:2009.00009",
        identifiers=("arxiv:2009.00009",),
        title="A secret plan of ours for bandits",
        venue="arXiv",
    )
    other = replace(one, key=PaperKey("doi:10.1000/x"), identifiers=(PaperKey("doi:10.1000/x"),), venue="ICML")
    async with open_app() as app:
        own = await app.libraries.workspace_library(HERE.workspace)
        await own.add([one, other, *papers(4)])
        await own.index(lambda _: None)
    said = Console(file=io.StringIO(), width=300)
    assert await unmerge(said, "2009.00009", "", HERE.workspace, None, show=True) == 0
    assert await unmerge(said, "2009.00009", "", HERE.workspace, None, show=False) == 0
    assert await delete_papers(said, HERE.workspace, ["10.1000/x", papers(1)[0].key]) == 0
    with pytest.raises(UserError, match="added none of these papers"):
        await delete_papers(said, HERE.workspace, ["10.1000/x"])
    with pytest.raises(UserError, match="slack:other has added no papers"):
        await unmerge(said, "10.1000/x", "", "slack:other", None, show=True)
    assert isinstance(said.file, io.StringIO)
    assert "was merged from 2 records" in said.file.getvalue() and "Taken apart into 2 papers" in said.file.getvalue()
    assert "Deleted: A secret plan of ours for bandits (doi:10.1000/x)" in said.file.getvalue()
    async with open_app() as app:
        own = await app.libraries.workspace_library(HERE.workspace)
        assert await own.count() == 4
        found = await own.search(Query("secret plan bandits", 5, ranking="relevance"))
        assert found[0].paper.key == one.key and other.key not in {f.paper.key for f in found}


async def test_a_text_file_is_read_too(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    text = f"{OWN[1].title}\nAda Author\n\n1 Introduction\nPlain words about passages."
    async with opened() as lab:
        assert OWN[1].title in await send(lab, "paper.txt", text.encode())
        kept = lab.service.app.libraries.texts_of(HERE.workspace).load(OWN[1].key)
        assert kept and "Plain words" in next(kept.body()).text


async def test_a_text_that_is_an_export_is_read_as_a_list(library: LocalLibrary) -> None:
    exported = (
        "FN Clarivate Web of Science\nVR 1.0\nPT J\nTI Bees and Their Dances\nPY 2019\nDI 10.1000/bees\nER\n\nEF\n"
    )
    async with opened() as lab:
        assert "1 paper added" in await send(lab, "savedrecs.txt", exported.encode())


async def test_a_pdf_that_nobody_knows_is_not_made_up(library: LocalLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scholarly(papers(3, "vision", 301)) as site:
        monkeypatch.setenv("SEMANTIC_SCHOLAR_API_URL", site.url)
        monkeypatch.setenv("OPENALEX_API_URL", f"{site.url}/openalex")
        monkeypatch.setenv("SCHOLIUM_SEMANTIC_SCHOLAR_PER_SECOND", "100")
        async with opened() as lab:
            said = await send(lab, "memo.pdf", pdf("Our Unpublished Internal Memo on Things"))
            assert "I do not make up references" in said
            known = papers(1, "vision", 301)[0]
            said = await send(lab, "known.pdf", pdf(known.title))
            assert known.title in said and "1 paper added" in said


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [("a.pdf", b"%PDF-1.4 broken", "damaged"), ("a.pdf", b"hello", "is not a PDF"), ("a.docx", b"PK", "I cannot read")],
)
async def test_what_cannot_be_read_gets_its_sentence(
    library: LocalLibrary, tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    async with opened() as lab:
        assert why in await send(lab, name, content)


@pytest.mark.parametrize("order", ["together", "list first", "text first"])
async def test_an_unpublished_paper_comes_with_a_bibtex_file(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    title = "Our Unpublished Internal Memo on Things"
    bib = Attachment("ours.bib", f"@misc{{m, title={{{title}}}, author={{Ada Author}}, year={{2026}}}}".encode())
    memo = Attachment("memo.pdf", pdf(title, "The memo holds 17 claims."))
    async with opened() as lab:
        sent: dict[str, list[tuple[Attachment, ...]]]
        sent = {"together": [(memo, bib)], "list first": [(bib,), (memo,)], "text first": [(memo,), (bib,)]}
        for number, files in enumerate(sent[order]):
            await lab.chat.backend.handle(Incoming(HERE, "mara", f"f{number}", "", attachments=files))
            await lab.settled()
        assert title in lab.chat.last and "I read Ada Author" in lab.chat.last


async def test_a_pdf_that_mentions_a_known_title_is_not_that_paper(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLIUM_ONLINE", "never")
    async with opened() as lab:
        memo = pdf("Our Unpublished Internal Memo on Things", f"We build on {OWN[0].title} and extend it.")
        assert "I do not make up references" in await send(lab, "memo.pdf", memo)
