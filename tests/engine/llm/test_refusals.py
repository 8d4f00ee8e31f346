"""What services refuse of a request, and how they say so."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from engine.errors import LanguageModelError
from engine.llm.meter import Account, Throttle
from engine.llm.metered_model import MemoryRecord, MeteredModel
from engine.llm.model import Prompt, PromptImage, Provider, Request, read_room
from tests.engine.llm.test_language_models import MODELS, PROVIDERS, Colour, request
from tests.single_answers import ADDRESS, Answer, Body, answer_everything
from tests.stand_ins.changes import PATIENCE_S


def completion_of(text: str) -> Answer:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return Answer(200, json={"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})


@asynccontextmanager
async def provider_with(answer: Callable[[Body], Answer] | Answer, name: str = "openai") -> AsyncIterator[Provider]:
    """The provider of a service that answers so."""
    with answer_everything(answer):
        provider = PROVIDERS[name](ADDRESS, PATIENCE_S)
        yield provider
        await provider.close()


@pytest.mark.parametrize(
    "refusal",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, "
        "2000 in the completion). Please reduce the length of the messages or completion.",
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 "
        "tokens and your request has 3000 input tokens (2000 > 4096 - 3000).",
        "input length and `max_tokens` exceed context limit: 3000 + 2000 > 4096, decrease input length or `max_tokens`",
        "max_tokens is too large: 2000. This model supports at most 1096 completion tokens, whereas you provided 2000.",
    ],
)
async def test_an_answer_too_long_for_the_context_is_asked_for_with_less_room(refusal: str) -> None:
    asked: list[dict[str, object]] = []

    def answer(body: Body) -> Answer:
        asked.append(body)
        if body["max_completion_tokens"] > 1096:
            return Answer(400, json={"error": {"message": refusal}})
        return completion_of("Blue.")

    chosen = {"temperature": 1.5, "frequency_penalty": 0.4}
    async with provider_with(answer) as provider:
        model = MeteredModel(provider, MODELS, Throttle(1), Account(), MemoryRecord(), sampling=chosen)
        assert await model.text(request(max_tokens=2_000)) == "Blue."
        assert await model.text(replace(request(), task="checking")) == "Blue."
    assert [body["max_completion_tokens"] for body in asked] == [2_000, 1_096, 100]
    assert [body["temperature"] for body in asked] == [1.5, 1.5, 0.7]
    assert ["frequency_penalty" in body for body in asked] == [True, True, False]


def test_a_context_that_the_prompt_fills_leaves_no_room() -> None:
    assert (
        read_room("This model's maximum context length is 4096 tokens and your request has 4090 input tokens") is None
    )
    assert read_room("max_tokens must be at least 1") is None


async def test_a_server_without_json_schemas_is_asked_in_words() -> None:
    bodies: list[dict[str, object]] = []

    def answer(body: Body) -> Answer:
        bodies.append(body)
        if "response_format" in body:
            return Answer(400, json={"error": {"message": "response_format is not supported"}})
        return completion_of('{"name": "blue", "strength": 2}')

    async with provider_with(answer) as provider:
        model = MeteredModel(provider, MODELS, Throttle(1), Account(), MemoryRecord())
        assert (await model.answer_typed(request("a"), Colour)).strength == 2
        assert (await model.answer_typed(request("b"), Colour)).strength == 2
    assert ["response_format" in body for body in bodies] == [True, False, False]
    assert "JSON schema" in str(bodies[1])


async def test_what_a_model_refuses_of_a_request_is_left_out_and_remembered() -> None:
    bodies: list[dict[str, object]] = []

    def answer(body: Body) -> Answer:
        bodies.append(body)
        reasons = {
            "Unsupported value: 'temperature' does not support 0.3 with this model.": "temperature" in body,
            "Unrecognized request argument supplied: max_completion_tokens": "max_completion_tokens" in body,
            "System role not supported": any(message["role"] == "system" for message in body["messages"]),
        }
        for reason, holds in reasons.items():
            if holds:
                return Answer(400, json={"error": {"message": reason}})
        if "forbidden" in str(body):
            return Answer(400, json={"error": {"message": "This word is not allowed here."}})
        return completion_of("Blue.")

    async with provider_with(answer) as provider:
        asked = Request("reading", "one", Prompt("Rules.", "Shared.", "Question?"), 100, 0.3)
        assert (await provider.complete("m", asked, None)).text == "Blue."
        refusals = len(bodies)
        assert (await provider.complete("m", asked, None)).text == "Blue."
        with pytest.raises(LanguageModelError, match=r"answered 400: This word is not allowed here\."):
            await provider.complete("m", Request("reading", "two", Prompt("", "", "forbidden"), 100), None)
    assert refusals == 4
    last = bodies[refusals]
    assert last["messages"] == [{"role": "user", "content": "Rules.\n\nShared.\n\nQuestion?"}]
    assert last["max_tokens"] == 100


_EXTRA = {"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}


@pytest.mark.parametrize(
    ("part", "status", "said"),
    [
        ("max_completion_tokens", 422, json.dumps({"object": "error", "message": {"detail": [_EXTRA]}})),
        ("temperature", 422, json.dumps({"detail": "unsupported parameter temperature"})),
        ("temperature", 400, "temperature is not supported by this model"),
        ("temperature", 400, json.dumps({"error": {"message": "Unsupported value.", "param": "temperature"}})),
        ("system", 400, json.dumps([{"error": {"code": 400, "message": "Developer instruction is not enabled"}}])),
        ("system", 500, json.dumps({"error": {"code": 500, "message": "Jinja Exception: System role not supported"}})),
        ("response_format", 501, json.dumps({"error": {"message": "response_format is not implemented"}})),
    ],
)
async def test_a_refusal_is_read_in_whatever_form_a_server_gives_it(part: str, status: int, said: str) -> None:
    calls = 0

    def answer(body: Body) -> Answer:
        nonlocal calls
        calls += 1
        if part in body or part in {message["role"] for message in body["messages"]}:
            return Answer(status, text=said, headers={"Content-Type": "application/json"})
        return completion_of("{}")

    async with provider_with(answer) as provider:
        for _ in range(2):
            asked = Request("reading", "one", Prompt("Rules.", "", "Question?"), 100, 0.3)
            assert (await provider.complete("m", asked, {"type": "object"})).text == "{}"
    assert calls == 3


@pytest.mark.parametrize(
    ("status", "said", "reason"),
    [
        (
            400,
            json.dumps([{"error": {"message": "Verify your organisation."}}]),
            "answered 400: Verify your organisation.",
        ),
        (
            500,
            json.dumps({"error": {"message": "The system ran out of memory."}}),
            "answered 500: The system ran out of",
        ),
        (502, "<html><body>Bad gateway</body></html>", r"answered 502\.$"),
    ],
)
async def test_a_servers_reason_is_said_where_nothing_can_be_left_out(status: int, said: str, reason: str) -> None:
    answer = Answer(status, text=said, headers={"Content-Type": "application/json"})
    async with provider_with(answer) as provider:
        with pytest.raises(LanguageModelError, match=reason):
            await provider.complete("m", request(), None)


async def test_what_a_model_of_anthropic_refuses_is_left_out_too() -> None:
    bodies: list[dict[str, object]] = []

    def answer(body: Body) -> Answer:
        bodies.append(body)
        refused = next((part for part in ("output_config", "temperature") if part in body), "the rest")
        return Answer(400, json={"error": {"message": f"{refused}: not supported"}})

    async with provider_with(answer, "anthropic") as provider:
        for _ in range(2):
            with pytest.raises(LanguageModelError, match="the rest: not supported"):
                await provider.complete("m", request(), {"type": "object"})
    found = [("output_config" in body, "temperature" in body) for body in bodies]
    assert found == [(True, True), (False, True), (False, False), (False, False)]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
async def test_pictures_are_sent_in_each_services_own_form(name: str) -> None:
    bodies: list[Body] = []

    def answer(body: Body) -> Answer:
        bodies.append(body)
        return Answer(400, json={"error": {"message": "this model takes no images"}})

    prompt = Prompt("Rules.", "", "What is it?", (PromptImage("png", "aGk="),))
    async with provider_with(answer, name) as provider:
        with pytest.raises(LanguageModelError, match="takes no images"):
            await provider.complete("m", Request("judging", "one", prompt, 100), None)
    sent = bodies[0]["messages"][-1]["content"]
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    assert sent == [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
        if name == "openai"
        else {"type": "image", "source": source},
    ]
