"""What the end of a survey needs is loaded while its outline is awaited; what a job has freed is given back."""

from __future__ import annotations

import ctypes
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module

import structlog

from engine.errors import UserError
from engine.rendering.files import prepare_formats

log = structlog.get_logger()

WAITING = frozenset({"outlining"})
"""Stages of a job in which the language model is asked and there is nothing else to do."""

LATER = ("sklearn.cluster", "sklearn.manifold")
"""What the overview of a survey is made with; loading it takes a second."""


@cache
def begin_preloading() -> threading.Thread:
    """Load it in a thread, once in a process. What cannot be loaded is so again, and said, where it is needed."""
    thread = threading.Thread(target=_preload, name="preloading")
    thread.start()
    return thread


def _preload() -> None:
    try:
        for name in LATER:
            import_module(name)
        prepare_formats()
    except (ImportError, OSError, UserError) as error:
        log.info("what a survey needs at its end could not be loaded ahead", error=str(error))


def return_memory() -> None:
    """Give it back now; nothing happens where the C library has no way to do so (it is glibc's)."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
