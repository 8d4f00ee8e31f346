"""Lines of a list and first pages of files: which paper they are, how sure that is, and what is not found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UserError
from engine.gathering.reading_lists import gather_list
from engine.retrieval.embedding import FittedOnTopic
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.retrieval.matching import SURE, lines_of, match_line, recognise_document, stands_as_title
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.sources import Online
from engine.retrieval.online.transport import ServicePolicy
from engine.run import RunContext
from engine.values import Paper, PaperKey
from tests.fakes import MovedClock, paper, papers
from tests.scholarly_server import Scholarly, scholarly, transport

RAG = paper(
    1,
    key=PaperKey("arxiv:2005.11401"),
    identifiers=(PaperKey("arxiv:2005.11401"), PaperKey("doi:10.1000/rag")),
    title="Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks",
    authors=("Patrick Lewis",),
)
OWN = paper(3, "graph", title="Tin Mines of Nepal", key=PaperKey("acl2021:2021.acl-long.392"), identifiers=(), url="")
BERT = paper(
    2,
    key=PaperKey("arxiv:1810.04805"),
    identifiers=(PaperKey("arxiv:1810.04805"),),
    title="BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    authors=("Jacob Devlin",),
)


@pytest.fixture
async def libraries(tmp_path: Path) -> LocalLibrary:
    library = await create_library(tmp_path / "lib")
    await library.add([RAG, BERT, OWN, *papers(10, "graph", 101)])
    await library.index(lambda _: None)
    return library


@pytest.fixture
async def online() -> AsyncIterator[tuple[Scholarly, Online]]:
    async with scholarly(papers(5, "vision", 301)) as site, transport(MovedClock()) as web:
        yield site, Online(SemanticScholar(web, "", site.url, ServicePolicy(0.0)))


@pytest.mark.parametrize(
    ("line", "paper_found", "sure"),
    [
        ("arXiv:2005.11401", RAG, True),
        ("https://arxiv.org/abs/2005.11401v4", RAG, True),
        ("2005.11401", RAG, True),
        ("acl2021:2021.acl-long.392", OWN, True),
        ("https://doi.org/10.1000/RAG", RAG, True),
        ("retrieval augmented generation for knowledge intensive nlp tasks", RAG, True),
        (f"Lewis, P., et al. {RAG.title}. NeurIPS 2020.", RAG, True),
        (f"Devlin et al. (2019) {BERT.title}", BERT, True),
        ("BERT: Pre-training of Deep Bidirectional Transformer Models for Language", BERT, False),
        ("BERT: Pre-training of Deep Bidirectional Transformers. arXiv:2005.11401", RAG, False),
        ("A Paper That Nobody Has Ever Written About Anything", None, False),
        ("10.9999/nothing", None, False),
    ],
)  # fmt: skip
async def test_a_line_is_that_paper_or_none(
    libraries: LocalLibrary, line: str, paper_found: Paper | None, *, sure: bool
) -> None:
    found = await match_line(line, libraries, None)
    assert (found.paper.key if found.paper else None) == (paper_found.key if paper_found else None)
    assert (found.listed.certainty >= SURE) is sure
    if found.paper and not sure:
        assert "“" in found.listed.note


async def test_what_the_library_lacks_is_found_online_and_an_outage_is_said(
    libraries: LocalLibrary, online: tuple[Scholarly, Online]
) -> None:
    site, sources = online
    there = papers(1, "vision", 301)[0]
    for line in (there.title, there.key):
        found = await match_line(line, libraries, sources)
        assert found.paper and found.paper.key == there.key and found.listed.certainty == 1.0
    site.fault = lambda _, __: "503"
    found = await match_line("Some Paper of Which the Library Knows Nothing", libraries, sources)
    assert found.paper is None and "could not be asked" in found.listed.note


async def test_a_list_keeps_its_order_each_paper_once_and_what_is_unsure_is_left_out(libraries: LocalLibrary) -> None:
    lines = (
        BERT.title,
        "arXiv:2005.11401",
        RAG.title,
        "Nothing of the Kind Exists",
        "BERT: Pre-training of Deep Bidirectional Transformers. arXiv:2005.11401",
        papers(1, "graph", 101)[0].title + " extended with more words",
    )
    selection = await gather_list(lines, RunContext(libraries, FittedOnTopic()))
    assert [f.paper.key for f in selection.found][:2] == [BERT.key, RAG.key]
    assert BERT.key in {p.key for p in selection.list_included()}
    assert selection.repeats == 2
    assert [item.line for item in selection.listed] == list(lines)
    assert [item.key is None for item in selection.listed][3]
    with pytest.raises(UserError, match="“Nothing of the Kind Exists” is no paper"):
        await gather_list(("Nothing of the Kind Exists",), RunContext(libraries, FittedOnTopic()))


async def test_a_paper_of_a_list_that_the_library_knows_to_be_retracted_is_left_out(libraries: LocalLibrary) -> None:
    gone = replace(papers(1, "vision", 701)[0], title="A Result That Was Withdrawn Later", retracted=True)
    await libraries.add([gone])
    await libraries.index(lambda _: None)
    selection = await gather_list((gone.title, RAG.title), RunContext(libraries, FittedOnTopic()))
    assert [paper.key for paper in selection.list_included()] == [RAG.key]
    assert [item.why for item in selection.all_left_out()] == ["retracted"]


async def test_that_retractions_of_a_list_were_not_checked_is_said(
    libraries: LocalLibrary, online: tuple[Scholarly, Online]
) -> None:
    selection = await gather_list((RAG.title,), RunContext(libraries, FittedOnTopic(), online=online[1]))
    (said,) = [search.note for search in selection.searches if search.note]
    assert said.startswith("retractions not checked: ")


async def test_a_whole_citation_on_one_line_is_one_paper(libraries: LocalLibrary) -> None:
    context = RunContext(libraries, FittedOnTopic())
    citation = f"Lewis, P., Perez, E., {RAG.title}, NeurIPS 2020"
    selection = await gather_list((citation,), context)
    assert [(item.line, item.key) for item in selection.listed] == [(citation, RAG.key)]


def test_bullets_numbers_and_semicolons() -> None:
    assert lines_of("1. First paper\n[2] Second paper\n- Third paper\n\n• Fourth paper\n(5) Fifth one") == (
        "First paper", "Second paper", "Third paper", "Fourth paper", "Fifth one",
    )  # fmt: skip
    assert lines_of("2005.11401; 10.1000/x ;1810.04805") == ("2005.11401", "10.1000/x", "1810.04805")
    assert lines_of("First paper\nFirst paper") == ("First paper",)
    assert lines_of("- arXiv:2005.11401, https://doi.org/10.1000/x and 1810.04805\nOn apples, pears") == (
        "arXiv:2005.11401", "https://doi.org/10.1000/x", "1810.04805", "On apples, pears",
    )  # fmt: skip
    assert lines_of("2005.11401 10.1000/x, acl2021:2021.acl-long.392 colm2025:ZYVA") == (
        "2005.11401", "10.1000/x", "acl2021:2021.acl-long.392", "colm2025:ZYVA",
    )  # fmt: skip
    assert lines_of("Lewis et al., RAG, arXiv:2005.11401, 10.1000/x") == (
        "Lewis et al., RAG, arXiv:2005.11401, 10.1000/x",
    )
    for text in ("", "-\n\n.", "\n".join(f"A paper with number {n}" for n in range(501))):
        with pytest.raises(UserError):
            lines_of(text)


@given(st.text(max_size=300))
def test_any_text_is_a_list_or_a_sentence(text: str) -> None:
    try:
        assert all(lines_of(text))
    except UserError as error:
        assert str(error)


async def test_a_file_is_the_paper_whose_title_it_begins_with(
    libraries: LocalLibrary, online: tuple[Scholarly, Online]
) -> None:
    first = f"{RAG.title}\nPatrick Lewis\nAbstract\nLarge models store knowledge. We build on BERT (arXiv:1810.04805)."
    assert await recognise_document(first, first, [RAG.title], libraries, None) == RAG
    memo = "A Memo\nWe cite arXiv:2005.11401 and 10.1000/rag."
    assert await recognise_document(memo, memo, ["A Memo"], libraries, None) is None
    # A known title in small type, on a page whose own title is set larger.
    assert await recognise_document(f"A Memo\n{RAG.title}", "A Memo", [RAG.title], libraries, None) is None
    there = papers(1, "vision", 301)[0]
    page = f"{there.title}\nAda Author"
    found = await recognise_document(page, page, [there.title], libraries, online[1])
    assert found and found.key == there.key
    page, other = "Attention\nis all", replace(there, title="Attention")  # too short to be told apart
    assert await recognise_document(page, page, [other.title], libraries, None) is None


@pytest.mark.parametrize(
    ("page", "is_title"),
    [
        (
            "X 2019\nBERT: Pre-training of Deep Bidirectional\nTransformers for Language Understanding\nJ. Devlin",
            True,
        ),
        ("Our Memo on Models\nAda\nAbstract\nWe use\n{title}\nand others.", False),
        ("Our Memo on Models\nAda\nIt builds on {title} and extends it.", False),
        ("A Reply to\n{title}\nAda\nAbstract\nWe disagree.", False),
        ("Limits of “{title}”\nAda\nAbstract\nWe disagree.", False),
        ("{title}\nJ. Devlin\nAbstract\nWe introduce BERT.", True),
    ],
)
def test_a_title_is_a_page_s_own_only_as_its_title(page: str, *, is_title: bool) -> None:
    assert stands_as_title(BERT.title, page.format(title=BERT.title)) is is_title


def test_another_version_s_title_is_another_title() -> None:
    page = "YOLOv4: Optimal Speed and Accuracy of Object Detection\nA. Bochkovskiy\nAbstract\nWe do."
    assert not stands_as_title("YOLOv3: Optimal Speed and Accuracy of Object Detection", page)
