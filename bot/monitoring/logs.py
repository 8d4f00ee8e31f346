"""Structured logs on standard error: what happened, in which conversation and job; never what people wrote."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET_NAMES = re.compile(r"token|secret|password|api_?key|authorization", re.I)
_SECRETS = re.compile(r"\b(?:sk-|xox[a-z]-|xapp-)[\w-]+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)|\bBearer\s+\S+", re.I)
_HIDDEN = "…"


def configure(level: str) -> None:
    """Lines for people on a terminal, JSON elsewhere."""
    # A traceback with the values of variables would show texts and keys.
    last: list[Any]
    if sys.stderr.isatty():
        last = [hide_secrets, structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    else:
        last = [structlog.processors.format_exc_info, hide_secrets, structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The event with keys, tokens and passwords hidden, by their names and by their looks."""
    for name, value in event.items():
        if _SECRET_NAMES.search(name):
            event[name] = _HIDDEN
        elif isinstance(value, str):
            event[name] = _SECRETS.sub(_HIDDEN, value)
    return event
