"""The bundled library of an earlier version is renewed: what Scholium wrote goes, what people added stays."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.app import App
from bot.serving.bundled import digest_text, plan_renewal, read_bundled
from bot.settings import load_settings
from engine.retrieval.libraries.adding import StoredPaper
from engine.retrieval.libraries.local import create_library
from engine.values import Paper, Query
from tests.fakes import paper


def as_abstract(bundled: Paper) -> Paper:
    """A bundled paper as earlier versions stored it."""
    return replace(bundled, abstract=bundled.summary, summary="", citations=100_000, counted="")


async def test_summaries_stored_as_abstracts_are_replaced_and_own_papers_stay() -> None:
    app = App(load_settings())
    first, second, *others = read_bundled()
    own = paper(1)
    real = replace(as_abstract(second), venue="Journal", abstract="What its authors wrote themselves.")
    former = await create_library(app.libraries.folder("demo"))
    await former.add([as_abstract(first), as_abstract(second), own, real])
    await former.index(lambda _: None)

    await app.libraries.install_bundled()

    library = await app.libraries.library("demo")
    assert await library.count() == len(others) + 3
    (now,) = await library.get([first.key])
    assert (now.abstract, now.summary, now.citations) == ("", first.summary, first.citations)
    (merged,) = await library.get([second.key])
    assert merged.abstract == real.abstract
    assert (await library.search(Query(own.title, 1, "title")))[0].paper.abstract == own.abstract


async def test_an_interrupted_renewal_is_done_again_and_a_finished_one_is_not() -> None:
    app = App(load_settings())
    # A bot and its worker start on a new machine at once: one of them makes the library, the other waits for it.
    await asyncio.gather(app.libraries.install_bundled(), App(load_settings()).libraries.install_bundled())
    (version,) = app.libraries.folder("demo").glob("*.sha256")
    version.unlink()
    await app.libraries.install_bundled()
    steps: list[object] = []
    await App(load_settings()).libraries.install_bundled(steps.append)
    library = await app.libraries.library("demo")
    assert await library.count() == len(read_bundled())
    assert not steps


def test_a_paper_that_is_bundled_no_longer_goes_with_its_text() -> None:
    bundled = read_bundled()
    former, theirs = paper(1), paper(2)
    changes = plan_renewal([StoredPaper(former), StoredPaper(theirs)], bundled, frozenset({digest_text(former)}))
    assert changes.remove == {former.key}
    assert theirs.key not in changes.write
    assert len(changes.write) == len(bundled)
