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
    """A span around the block. Of an error its type is kept, not its text, which can hold what a person wrote."""
    with tracer.start_as_current_span(
        name, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
