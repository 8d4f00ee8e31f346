"""Spans for OpenTelemetry: what a survey does, for how long, at what cost; never what people, papers or models say.

Without OpenTelemetry's SDK, which only an application sets up, spans are nothing and cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

tracer = trace.get_tracer("scholium")


@contextmanager
def trace_step(name: str, attributes: Mapping[str, str | int | float | bool]) -> Iterator[Span]:
    """A span around the block, under which other spans stand."""
    with (
        trace_call(name, attributes) as span,
        trace.use_span(span, record_exception=False, set_status_on_exception=False),
    ):
        yield span


@contextmanager
def trace_call(name: str, attributes: Mapping[str, str | int | float | bool]) -> Iterator[Span]:
    """A span around the block that is not the current one: a generator's context is not its caller's.

    Of an error its type is kept, not its text, which can hold what a person wrote.
    """
    span = tracer.start_span(name, attributes=dict(attributes))
    try:
        yield span
    except BaseException as error:
        span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        raise
    finally:
        span.end()
