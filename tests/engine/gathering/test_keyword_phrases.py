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
    replace(p, abstract=f"{p.abstract} We compare Schema Linking with deep networks and learn to link.")
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
