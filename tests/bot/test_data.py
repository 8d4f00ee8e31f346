"""The bundled library says only what was checked."""

from __future__ import annotations

from bot.serving.bundled import read_bundled
from engine.text import sentences


def test_the_bundled_texts_are_summaries_that_nothing_can_quote() -> None:
    papers = read_bundled()
    assert len(papers) > 100
    assert all(p.summary and not p.abstract and p.content == p.summary for p in papers)
    assert all(3 <= len(sentences(p.summary)) <= 6 for p in papers)
    assert all(p.title and p.year and p.url.startswith("https://") for p in papers)
    assert len({p.key for p in papers}) == len(papers)


def test_a_citation_count_of_the_bundled_library_has_the_day_it_was_counted() -> None:
    papers = read_bundled()
    assert all((p.citations is None) == (not p.counted) for p in papers)
    assert any(p.counted for p in papers)
    assert not [p.title for p in papers if p.citations and p.citations % 100 == 0 and p.citations != 600]
