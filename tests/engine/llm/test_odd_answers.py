"""Whatever answers at the model's address: a sentence that names the address and what came, or the answer in it."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import LanguageModelError
from engine.llm import answers
from engine.llm.answers import OddAnswer, read_chat_answer
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import CallFailed, Provider, failure_of_status, mask_keys
from tests.engine.llm.test_language_models import MODELS, PROVIDERS, Colour, request
from tests.single_answers import ADDRESS, Answer, answer_everything
from tests.stand_ins.changes import PATIENCE_S

PAGE = "text/html"
JSON = "application/json"
EVENTS = "text/event-stream"


def chat(**changes: Any) -> dict[str, Any]:
    """A whole answer of chat completions, with what is odd about it."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Blue."}}
    return {"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], **changes}


def message(**changes: Any) -> dict[str, Any]:
    return chat(choices=[{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **changes}}])


USAGE = {"prompt_tokens": 7, "completion_tokens": 3}
ODD: list[tuple[str, str, str]] = [
    (PAGE, "<!doctype html><html><head><title>Log in</title></head></html>", "a web page"),
    (PAGE, "<html><body>It works!</body></html>", "a web page"),
    (PAGE, "", "nothing"),
    (JSON, "", "nothing"),
    ("text/plain", "Ollama is running", "“Ollama is running”"),
    ("text/plain", "404 page not found", "“404 page not found”"),
    ("text/xml", "<?xml version='1.0'?><error/>", "a web page"),
    (JSON, "[]", "JSON without an answer"),
    (JSON, "null", "null"),
    (JSON, "true", "true"),
    (JSON, "42", "42"),
    (JSON, '"hello"', "“hello”"),
    (JSON, "{}", "{}"),
    (JSON, '{"choices": ', "“{"),
    (JSON, '{"status": "ok"}', "status"),
    (JSON, '{"detail": "Not Found"}', "Not Found"),
    (JSON, '{"object": "list", "data": [{"id": "llama3"}]}', "llama3"),
    (JSON, '{"error": {"message": "model not loaded"}}', "an error, “model not loaded”"),
    (JSON, '{"error": "busy"}', "an error, “busy”"),
    (JSON, '{"error": {"code": 7}}', "7"),
    (JSON, json.dumps(chat(choices=None)), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=[])), "JSON without an answer"),
    (JSON, json.dumps(chat(choices={})), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=[None])), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=["Blue."])), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=[{"finish_reason": "stop"}])), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=[{"message": None}])), "JSON without an answer"),
    (JSON, json.dumps(chat(choices=[{"message": "Blue."}])), "JSON without an answer"),
    (JSON, json.dumps(message(content=3)), "JSON without an answer"),
    (JSON, json.dumps(message(content={"text": "Blue."})), "JSON without an answer"),
    (JSON, json.dumps(message(content=["Blue."])), "JSON without an answer"),
    (JSON, "[" * 100_000, "“["),
    (EVENTS, "data: [DONE]\n\n", "“data: [DONE]”"),
]
READABLE: list[dict[str, Any]] = [
    chat(usage=None),
    chat(usage={}),
    chat(usage=[]),
    chat(usage="7 tokens"),
    chat(usage={"prompt_tokens": "7", "completion_tokens": None}),
    chat(usage={"prompt_tokens": -1, "completion_tokens": 10**30}),
    chat(usage={**USAGE, "prompt_tokens_details": "none"}),
    chat(usage={**USAGE, "prompt_tokens_details": {"cached_tokens": None}}),
    chat(id=None, created="today", model=None, object=7),
    message(content=[{"type": "text", "text": "Bl"}, {"type": "text", "text": "ue."}]),
    message(content="Blue.", refusal=None, tool_calls="none", reasoning_content=3),
]


@asynccontextmanager
async def provider_that_gets(kind: str, body: str, name: str = "openai") -> AsyncIterator[Provider]:
    """A provider whose address, `ADDRESS`, answers everything so."""
    with answer_everything(Answer(200, text=body, headers={"Content-Type": kind})):
        provider = PROVIDERS[name](ADDRESS, PATIENCE_S)
        yield provider
        await provider.close()


@pytest.mark.parametrize(("kind", "body", "named"), ODD)
async def test_what_is_no_answer_is_named_with_its_address(kind: str, body: str, named: str) -> None:
    async with provider_that_gets(kind, body) as provider:
        with pytest.raises(CallFailed) as failed:
            await provider.complete("m", request(), None)
        with pytest.raises(CallFailed) as streamed:
            _ = [piece async for piece in provider.stream("m", request())]
    assert ADDRESS in str(failed.value) and named in str(failed.value)
    assert len(str(failed.value)) < 300
    assert ADDRESS in str(streamed.value) or "broke off" in str(streamed.value)


@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, body, _ in ODD[:16]] + [
    (EVENTS, 'event: message_start\ndata: {"type": "message_start", "message": null}\n\n'),
    (EVENTS, 'event: message_start\ndata: []\n\n'),
    (EVENTS, 'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 3}\n\n'),
    (EVENTS, "event: message_stop\ndata: {}\n\n"),
    (EVENTS, "event: message_start\ndata: {\n\n"),
    (EVENTS, 'event: error\ndata: {"type": "error", "error": {"message": "sorry"}}\n\n'),
])  # fmt: skip
async def test_anthropics_client_is_not_misled_either(kind: str, body: str) -> None:
    async with provider_that_gets(kind, body, "anthropic") as provider:
        with pytest.raises(CallFailed) as failed:
            await provider.complete("m", request(), None)
        with pytest.raises(CallFailed):
            _ = [piece async for piece in provider.stream("m", request())]
    assert ADDRESS in str(failed.value)


@pytest.mark.parametrize("body", READABLE)
async def test_what_is_odd_beside_an_answer_does_no_harm(body: dict[str, Any]) -> None:
    async with provider_that_gets(JSON, json.dumps(body)) as provider:
        answer = await provider.complete("m", request(), None)
    assert answer.text == "Blue."
    assert 0 < answer.input_tokens < 1_000 and 0 < answer.output_tokens < 1_000 and answer.cached_tokens == 0


@pytest.mark.parametrize("data", [
    '{"choices": null}', '{"choices": [null]}', '{"choices": [{"delta": null}]}', '{"choices": [{"delta": 3}]}',
    "[]", "null", "{", '{"choices": [{"delta": {"content": 3}}]}', '{"error": {"message": "sorry"}}',
])  # fmt: skip
async def test_odd_pieces_of_a_stream_are_a_sentence(data: str) -> None:
    async with provider_that_gets(EVENTS, f"data: {data}\n\ndata: [DONE]\n\n") as provider:
        with pytest.raises(CallFailed):
            _ = [piece async for piece in provider.stream("m", request())]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "usage", "error", "text"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(_VALUES)
def test_any_json_is_an_answer_or_a_sentence(sent: Any) -> None:
    try:
        assert isinstance(read_chat_answer(json.dumps(sent).encode(), "http://x", request())[0].text, str)
    except OddAnswer as error:
        assert str(error).startswith("http://x does not answer as a language model does: it sent ")


@pytest.mark.parametrize("size", [1, 3])
async def test_an_answer_of_megabytes_is_not_read(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(answers, "LONGEST_ANSWER", 100_000)
    monkeypatch.setattr(answers, "LONGEST_BODY", 250_000)
    async with provider_that_gets(JSON, json.dumps(message(content="{" * 100_001 * size))) as provider:
        began = time.process_time()
        with pytest.raises(OddAnswer):
            await provider.complete("m", request(), None)
    assert time.process_time() - began < 1


def test_what_looks_like_a_key_is_masked() -> None:
    for key in ("sk-proj-abcdefGHIJ1234567890xyz", "sk-ant-api03-Abc_123-defghijklmnop", "sk-1********cdef"):
        failure = failure_of_status(429, "", None, reason=f"Quota of key {key} used up for gpt-4o-mini-2024-07-18.")
        assert key[6:] not in str(failure) and "Quota of key" in str(failure)
    said = "gpt-4o-mini-2024-07-18 needs max_completion_tokens, at most 16384, see key features"
    assert mask_keys(said) == said
    assert "abc" not in str(failure_of_status(401, "", None, reason="Incorrect API key provided: abc."))


@pytest.mark.parametrize(
    "piece", ["<think>", "{", '{"a": [', '{"a": "', '"{', "\\u0000{", "[@", "<thinking></think>{ "]
)
async def test_a_long_answer_of_anything_is_read_in_a_second(piece: str) -> None:
    async with provider_that_gets(JSON, json.dumps(message(content=piece * (300_000 // len(piece))))) as provider:
        model = MeteredModel(provider, MODELS, Throttle(1), Account(), MemoryRecord())
        began = time.process_time()
        with pytest.raises(LanguageModelError):
            await model.answer_typed(request(), Colour)
    assert time.process_time() - began < 3
