"""Keywords are phrases that papers about the topic use more than the rest, as these papers write them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.gathering.keyword_phrases import PhraseReader
from engine.gathering.search import propose_keywords
from engine.retrieval.libraries.library import Library
from engine.retrieval.libraries.local import LocalLibrary, create_library
from engine.run import RunContext
from engine.values import Brief, Keyword, KeywordPool
from tests.fakes import papers

ABOUT = [
    replace(p, abstract=f"{p.abstract} We compare Schema Linking with deep networks and learn to link. The odd phase.")
    for p in papers(12, "graph", 101)
]
REST = [replace(p, abstract=f"{p.abstract} Deep networks again.") for p in papers(60, "vision", 301)]
POOL = KeywordPool((Keyword("graph attention", "topic"),))


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[LocalLibrary]:
    made = await create_library(tmp_path / "lib")
    await made.add([*ABOUT, *REST])
    await made.index(lambda _: None)
    yield made


@pytest.mark.parametrize(
    ("phrase", "written"),
    [
        ("schema linking", "Schema Linking"),  # as the papers write it
        ("deep networks", ""),  # the whole library says so
        ("learn to", ""),  # a fragment
        ("odd phase", ""),  # no name, no topic of the field, in no title
        ("attention graph", ""),  # the topic in another order
        ("compare", ""),  # a word alone
        ("quantum codes", ""),  # nobody says so
    ],
)
async def test_a_phrase_is_a_keyword_where_the_topics_papers_say_it_and_others_do_not(
    library: Library, phrase: str, written: str
) -> None:
    assert await PhraseReader(ABOUT, library).read(phrase, POOL) == written


async def test_a_topic_without_papers_is_said_before_keywords_are_proposed(library: LocalLibrary) -> None:
    brief = Brief("quantum error correction", library="lib")
    with pytest.raises(UserError, match="“quantum error correction”"):
        await propose_keywords(brief, RunContext(library, await library.embedder()))


async def test_a_topic_whose_words_alone_mean_little_gets_keywords_all_the_same(tmp_path: Path) -> None:
    """What a phrase of two words means is told by the papers that have it, not by the words."""
    kinds = ("Zebra Crossing", "Copper Lantern", "Velvet Harbour")
    own = [
        replace(p, title=f"Quokka Tickling with {kind}", abstract=f"{p.abstract} Quokka tickling needs a {kind}. {n}")
        for kind, start in zip(kinds, (101, 201, 401), strict=True)
        for n, p in enumerate(papers(8, "graph", start))
    ]
    made = await create_library(tmp_path / "lib")
    await made.add([*own, *REST])
    await made.index(lambda _: None)
    pool = await propose_keywords(Brief("quokka tickling", library="lib"), RunContext(made, await made.embedder()))
    assert len({*kinds} & {keyword.text for keyword in pool.keywords}) >= 2
