"""The bundled library says only what was checked."""

from __future__ import annotations

from importlib import resources

from bot.serving.bundled import PAPERS, read_bundled
from engine.text import sentences
from engine.values import Paper


def test_the_bundled_texts_are_summaries_that_nothing_can_quote() -> None:
    papers = read_bundled()
    assert len(papers) > 100
    assert all(p.summary and not p.abstract and p.content == p.summary for p in papers)
    assert all(3 <= len(sentences(p.summary)) <= 6 for p in papers)
    assert all(p.title and p.year and p.authors and p.url.startswith("https://") for p in papers)
    assert len({p.key for p in papers}) == len(papers)


def test_a_citation_count_of_the_bundled_library_has_the_day_it_was_counted() -> None:
    papers = read_bundled()
    assert all((p.citations is None) == (not p.counted) for p in papers)
    assert any(p.counted for p in papers)
    assert not [p.title for p in papers if p.citations and p.citations % 100 == 0 and p.citations != 600]


def test_every_field_of_the_bundled_library_has_an_address_that_gives_it() -> None:
    checked: dict[str, set[str]] = {}
    for line in _sources():
        key, fields, address = line.split("\t")
        assert address.startswith(("https://", "http://"))
        checked.setdefault(key, set()).update(fields.split())
    assert checked == {str(paper.key): _filled(paper) for paper in read_bundled()}


def _sources() -> list[str]:
    name = PAPERS.name.replace(".jsonl", "_sources.tsv")
    lines = resources.files("bot").joinpath("data", name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def _filled(paper: Paper) -> set[str]:
    fields = ("title", "authors", "year", "venue", "url", "citations")
    return {field for field in fields if getattr(paper, field)} | {"abstract"}
