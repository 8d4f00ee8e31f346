"""What the end of a survey needs is loaded while its outline is awaited."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from bot.jobs import reports
from bot.jobs.reports import begin_preloading
from tests.stand_ins.changes import PATIENCE_S


@pytest.fixture(autouse=True)
def _begun_anew() -> Iterator[None]:
    begin_preloading.cache_clear()
    yield
    begin_preloading.cache_clear()


def test_it_is_loaded_once() -> None:
    thread = begin_preloading()
    assert begin_preloading() is thread
    thread.join(PATIENCE_S)
    assert {*reports.LATER, "docx", "jinja2"} <= set(sys.modules)


def test_what_cannot_be_loaded_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "LATER", ("no_such_module",))
    unhandled: list[object] = []
    monkeypatch.setattr("threading.excepthook", unhandled.append)
    begin_preloading().join(PATIENCE_S)
    assert not unhandled
