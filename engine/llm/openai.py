"""OpenAI, and every server that speaks its chat completions: Gemini, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from functools import partial
from typing import Any, TypeVar

import httpx2
import openai
from openai import AsyncOpenAI

from engine.llm.answers import OddAnswer, check_length, describe, read_body, read_chat_answer
from engine.llm.model import (
    LONGEST_CONNECTING_S,
    SAMPLED,
    CallFailed,
    Completion,
    Prompt,
    Request,
    Unreachable,
    estimate_completion,
    failure_of_status,
    read_room,
    require_whole,
)

R = TypeVar("R")
_STOPPED = {"content_filter": "The provider's content filter stopped the answer."}


class OpenAIProvider:
    """Chat completions with structured output by JSON schema where the server has it."""

    def __init__(self, api_key: str, base_url: str | None, timeout_s: float) -> None:
        patience = openai.Timeout(timeout_s, connect=min(timeout_s, LONGEST_CONNECTING_S))
        # Retries are ours: the client would honour a Retry-After of two minutes for each of them.
        self._client = AsyncOpenAI(api_key=api_key, base_url=base_url or None, timeout=patience, max_retries=0)
        self._address = str(self._client.base_url).rstrip("/")
        self._refused: dict[str, set[str]] = {}

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """One answer; what a model refuses of the request is left out from then on."""
        asked = self._client.chat.completions.with_streaming_response

        async def call(**options: Any) -> bytes:
            async with asked.create(**options) as response:
                return await read_body(response.iter_bytes(), self._address)

        answer, finish = read_chat_answer(await self._ask(call, model, request, schema), self._address, request)
        require_whole(finish, answer, _STOPPED)
        return answer

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """Pieces of the answer; a stream that breaks is an error."""
        finish, text = "", ""
        create: Any = partial(self._client.chat.completions.create, stream=True)
        response = await self._ask(create, model, request, None)
        chunk: Any = None
        try:
            async for chunk in response:
                for choice in chunk.choices or ():
                    finish = choice.finish_reason or finish
                    if piece := choice.delta and choice.delta.content:
                        text += piece
                        check_length(text, self._address)
                        yield piece
        except openai.OpenAIError as error:
            if type(error) is openai.APIError:  # said in the stream itself
                raise OddAnswer(self._address, describe({"error": error.message}), retryable=True) from error
            raise _to_call_failure(error, estimate_completion(request, text) if text else None) from error
        except (AttributeError, TypeError, ValueError) as error:  # the client reads whatever JSON comes
            raise OddAnswer(self._address, describe(str(chunk or error)), retryable=not text) from error
        if chunk is None:
            sent = response.response.headers.get("content-type", "nothing")
            raise OddAnswer(self._address, f"{sent} in place of a stream", retryable=False)
        require_whole(finish, estimate_completion(request, text), _STOPPED)

    async def _ask(
        self, call: Callable[..., Awaitable[R]], model: str, request: Request, schema: dict[str, Any] | None
    ) -> R:
        """What the call gives; a refused optional part is left out, that is remembered, and the model asked again."""
        refused = self._refused.setdefault(model, set())
        while True:
            options = _options(request, schema, refused)
            messages = _messages(request.prompt, with_system="system" not in refused)
            try:
                return await call(model=model, messages=messages, **options)
            except openai.APIStatusError as error:
                part = _find_refused_part(error, options, messages)
                if part is None:
                    raise _to_call_failure(error) from error
                refused.add(part)
            except openai.OpenAIError as error:
                raise _to_call_failure(error) from error
            except httpx2.HTTPError as error:  # the client leaves a body that breaks off to whoever reads it
                raise Unreachable(type(error).__name__) from error


_SIGNS = {
    **{name: name for name in SAMPLED},
    "max_completion_tokens": "max_completion_tokens",
    "response_format": "response_format|json_schema|structured output|grammar",
    "system": r"system(?:_| )?(?:role|message|prompt|instruction)|\brole\b.*\bsystem\b|developer instruction|"
    "roles must alternate",
}
"""How services name what they refuse of a request."""


_REFUSING = re.compile(
    r"unsupported|not (?:be )?(?:supported|implemented|enabled|allowed)|not support\b|must alternate", re.I
)
"""What a failure of the server itself says where it only refuses: llama.cpp's template engine, for example."""


def _find_refused_part(error: openai.APIStatusError, options: dict[str, Any], messages: list[Any]) -> str | None:
    """Which optional part of the request was refused; ``None`` where the reason names none that was sent."""
    reason = _read_reason(error.body)
    is_refusal = error.status_code in {400, 422} or (error.status_code >= 500 and _REFUSING.search(reason))
    if not is_refusal or read_room(reason) is not None:
        return None
    named = f"{error.param or ''} {reason}"
    sent = {*options, *(message["role"] for message in messages)}
    return next((part for part, sign in _SIGNS.items() if part in sent and re.search(sign, named, re.I)), None)


def _messages(prompt: Prompt, *, with_system: bool) -> list[Any]:
    """One user message, because some servers want roles to alternate; the shared part comes first for their caches."""
    asked = "\n\n".join(part for part in (prompt.shared, prompt.question) if part)
    if with_system and prompt.system:
        return [{"role": "system", "content": prompt.system}, {"role": "user", "content": _content(asked, prompt)}]
    return [{"role": "user", "content": _content(f"{prompt.system}\n\n{asked}".strip(), prompt)}]


def _content(text: str, prompt: Prompt) -> str | list[dict[str, Any]]:
    """The text alone, or with the prompt's pictures behind it."""
    if not prompt.images:
        return text
    urls = (f"data:image/{image.kind};base64,{image.content}" for image in prompt.images)
    return [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _options(request: Request, schema: dict[str, Any] | None, refused: Collection[str]) -> dict[str, Any]:
    limit = "max_tokens" if "max_completion_tokens" in refused else "max_completion_tokens"
    options: dict[str, Any] = {limit: request.max_tokens}
    options |= {name: value for name in SAMPLED if (value := getattr(request, name)) is not None}
    if schema is not None:
        strict = {"name": "answer", "schema": schema, "strict": True}
        options["response_format"] = {"type": "json_schema", "json_schema": strict}
    return {name: value for name, value in options.items() if name not in refused}


def _to_call_failure(error: openai.OpenAIError, spent: Completion | None = None) -> CallFailed:
    if isinstance(error, openai.APIStatusError):
        wait = error.response.headers.get("retry-after", "")
        final = error.code == "insufficient_quota"
        return failure_of_status(error.status_code, wait, spent, final=final, reason=_read_reason(error.body))
    if isinstance(error, openai.APIConnectionError):
        return Unreachable(type(error).__name__, spent)
    kind = type(error).__name__
    return CallFailed(f"The language model's answer could not be read ({kind}).", retryable=True, spent=spent)


def _read_reason(body: object) -> str:
    """The words of a refusal in any of the forms that servers give it; empty of a web page."""
    match body:
        case str():
            return "" if body.lstrip().startswith("<") else body
        case list():
            return "; ".join(filter(None, map(_read_reason, body)))
        case dict():
            said = next((body[name] for name in ("error", "message", "detail", "msg") if body.get(name)), "")
            place = body.get("loc")  # of pydantic, which names the field apart
            where = f"{'.'.join(map(str, place))}: " if isinstance(place, list) else ""
            return f"{where}{_read_reason(said)}"
        case _:
            return ""
