"""Traces by OpenTelemetry, off unless asked for; what they hold is said in `engine.tracing`."""

from __future__ import annotations

from opentelemetry import trace

from engine.errors import UserError

WANTED = "SCHOLIUM_TRACES needs OpenTelemetry's SDK: install Scholium with its extra, `uv sync --extra traces`."


def send_traces() -> None:
    """Send every span where OpenTelemetry's own variables say. Raises `UserError` where its SDK is missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise UserError(WANTED) from error
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return  # a process sends them once
    # What the environment says of the resource wins over our name.
    resource = Resource.create({"service.name": "scholium"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
