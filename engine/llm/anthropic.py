"""Anthropic's messages."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Collection
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic
from anthropic.types import Message

from engine.llm.answers import OddAnswer, check_length, describe
from engine.llm.model import (
    LONGEST_CONNECTING_S,
    CallFailed,
    Completion,
    Prompt,
    Request,
    Unreachable,
    estimate_completion,
    failure_of_status,
    require_whole,
)

_STOPPED = {
    "refusal": "The model refused.",
    "model_context_window_exceeded": "The request is longer than the model reads.",
}


class AnthropicProvider:
    """Messages with structured output by JSON schema and a cached shared part."""

    def __init__(self, api_key: str, base_url: str | None, timeout_s: float) -> None:
        patience = anthropic.Timeout(timeout_s, connect=min(timeout_s, LONGEST_CONNECTING_S))
        # Retries are ours: the client would wait for any Retry-After, however long.
        self._client = AsyncAnthropic(api_key=api_key, base_url=base_url or None, timeout=patience, max_retries=0)
        self._address = str(self._client.base_url).rstrip("/")
        self._refused: dict[str, set[str]] = {}
        """Optional parts of a request that a model refused, and is asked without from then on."""

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """One answer."""
        *_, completion = [part async for part in self._converse(model, request, schema)]
        assert isinstance(completion, Completion)
        return completion

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """Pieces of the answer; a stream that breaks is an error."""
        async for part in self._converse(model, request, None):
            if isinstance(part, str):
                yield part

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def _converse(
        self, model: str, request: Request, schema: dict[str, Any] | None
    ) -> AsyncIterator[str | Completion]:
        """The pieces of the answer, then the whole; streamed, because the client refuses long answers otherwise."""
        options = _options(model, request, schema, self._refused.get(model, ()))
        text = ""
        try:
            async with self._client.messages.stream(**options) as stream:
                async for piece in stream.text_stream:
                    text += piece
                    check_length(text, self._address)
                    yield piece
                message = await stream.get_final_message()
                completion = _completion(message)
        except (anthropic.AnthropicError, httpx2.HTTPError) as error:
            if not text and self._learns_from(error, model, options):
                async for part in self._converse(model, request, schema):
                    yield part
                return
            raise self._to_call_failure(error, estimate_completion(request, text) if text else None) from error
        except _MISREAD as error:
            came = describe(text) if text else "something else than the events of a message"
            raise OddAnswer(self._address, came, retryable=bool(text)) from error
        require_whole(message.stop_reason or "", completion, _STOPPED)
        yield completion

    def _learns_from(self, error: Exception, model: str, options: dict[str, Any]) -> bool:
        """Whether the model refused an optional part of these, which it is asked without from now on."""
        sent = json.dumps(options) if isinstance(error, anthropic.BadRequestError) else ""
        part = next((part for part, sign in _SIGNS if f'"{part}"' in sent and sign.search(str(error))), None)
        self._refused.setdefault(model, set()).update([part] if part else [])
        return part is not None

    def _to_call_failure(self, error: Exception, spent: Completion | None) -> CallFailed:
        if isinstance(error, anthropic.APIStatusError):
            body = error.body if isinstance(error.body, dict) else {}
            inner = body.get("error", body)
            reason = str(inner.get("message", "")) if isinstance(inner, dict) else ""
            if error.status_code < 400:  # said in the stream itself
                return OddAnswer(self._address, describe({"error": reason}), retryable=True)
            wait = error.response.headers.get("retry-after", "")
            return failure_of_status(error.status_code, wait, spent, reason=reason)
        return Unreachable(type(error).__name__, spent)


_SIGNS = (
    ("temperature", re.compile(r"temperature", re.I)),
    ("output_config", re.compile(r"output_config|output[_ ]format|json_schema|structured output", re.I)),
    ("cache_control", re.compile(r"cache_control|prompt caching", re.I)),
)
"""How the service names what a model refuses of a request."""


def _options(model: str, request: Request, schema: dict[str, Any] | None, refused: Collection[str]) -> dict[str, Any]:
    prompt: Prompt = request.prompt
    content: list[dict[str, Any]] = []
    if prompt.shared:
        cached = {} if "cache_control" in refused else {"cache_control": {"type": "ephemeral"}}
        content.append({"type": "text", "text": prompt.shared, **cached})
    content.append({"type": "text", "text": prompt.question})
    for image in prompt.images:
        source = {"type": "base64", "media_type": f"image/{image.kind}", "data": image.content}
        content.append({"type": "image", "source": source})
    options: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "system": prompt.system,
        "messages": [{"role": "user", "content": content}],
    }
    if schema is not None and "output_config" not in refused:
        options["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if request.temperature is not None and "temperature" not in refused:
        # The client has no such argument any more, the service still takes it for some models.
        options["extra_body"] = {"temperature": min(1.0, request.temperature)}
    return options


def _completion(message: Message) -> Completion:
    text = "".join(block.text for block in message.content if block.type == "text")
    usage = message.usage
    cached = usage.cache_read_input_tokens or 0
    written = usage.cache_creation_input_tokens or 0
    return Completion(text, usage.input_tokens + cached + written, usage.output_tokens, cached)


_MISREAD = (AssertionError, AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError)
"""What the client raises over a stream of something else: it takes each event for what it should be."""
