"""Traces say what a survey did, how long and at what cost, and nothing that a person, a paper or a model said."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.monitoring.traces import send_traces
from engine.errors import UserError
from engine.retrieval.libraries.local import LocalLibrary
from engine.tracing import trace_step
from tests.lab import opened
from tests.stand_ins.simulation import SimulatedService, run_simulated_service

TOPIC, KEYWORD, TITLE = "dense retrieval", "passage index", "Secret plans of Mara"


@pytest.fixture(scope="module")
def provider() -> TracerProvider:
    """The process has one for ever; no other test looks at it."""
    made = TracerProvider()
    trace.set_tracer_provider(made)
    return made


@pytest.fixture
def spans(provider: TracerProvider) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    processor = SimpleSpanProcessor(exporter)
    provider.add_span_processor(processor)
    yield exporter
    processor.shutdown()


async def test_steps_calls_and_searches_are_spans_without_what_was_said(
    library: LocalLibrary, monkeypatch: pytest.MonkeyPatch, spans: InMemorySpanExporter
) -> None:
    async with run_simulated_service(SimulatedService(pace=0.0)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        async with opened() as lab:
            await lab.talk(f"survey {TOPIC} sections=3 words=80", f"add {KEYWORD}", "ok", "ok")
            await lab.talk(f"rename 2 to {TITLE}", "ok")
    found = spans.get_finished_spans()
    names = {span.name for span in found}
    assert {"answer", "job keywords", "job papers", "job outline", "job write", "search a library"} <= names
    jobs = {span.context.span_id: span for span in found if span.name.startswith("job ")}
    stages = [span for span in found if span.name.startswith("stage ")]
    assert stages and all(span.parent and span.parent.span_id in jobs for span in stages)
    calls = [span for span in found if span.name == "chat gpt-4o-mini"]
    assert len(calls) == len(model.calls)
    assert {span.attributes["scholium.step"] for span in calls} >= {"draft", "check"}
    assert all(span.attributes["gen_ai.usage.output_tokens"] for span in calls)
    traces = {span.context.trace_id for span in jobs.values()}
    assert all(span.context.trace_id in traces for span in calls)
    said = "\n".join(span.to_json() for span in found).lower()
    assert TOPIC not in said and KEYWORD not in said and TITLE.lower() not in said and "mara" not in said


def test_an_error_is_told_by_its_type_alone(spans: InMemorySpanExporter) -> None:
    with pytest.raises(UserError), trace_step("answer", {}):
        raise UserError("“my secret topic” is unknown.")
    (span,) = spans.get_finished_spans()
    assert span.status.description == "UserError"
    assert "secret" not in span.to_json()


def test_traces_are_sent_once_for_a_process(provider: TracerProvider) -> None:
    send_traces()
    assert trace.get_tracer_provider() is provider


@pytest.mark.parametrize(("said", "name"), [({}, "scholium"), ({"OTEL_SERVICE_NAME": "lab"}, "lab")])
def test_a_process_sends_its_spans_under_the_name_of_scholium_or_one_of_the_environment(
    said: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in said.items():
        monkeypatch.setenv(variable, value)
    code = (
        "from opentelemetry import trace; from bot.monitoring.traces import send_traces; "
        "send_traces(); print(trace.get_tracer_provider().resource.attributes['service.name'])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == name
