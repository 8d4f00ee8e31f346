"""OpenAI, and every server that speaks its chat completions: Gemini, vLLM, Ollama, llama.cpp and others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import openai
from openai import AsyncOpenAI

from engine.llm.model import CallFailed, Completion, Prompt, Request, estimate_completion, failure_of_status, tokens_of


class OpenAIProvider:
    """Chat completions with structured output by JSON schema where the server has it."""

    def __init__(self, api_key: str, base_url: str | None, timeout_s: float) -> None:
        # Retries are ours: the client would honour a Retry-After of two minutes for each of them.
        self._client = AsyncOpenAI(api_key=api_key, base_url=base_url or None, timeout=timeout_s, max_retries=0)
        self._has_schemas = True

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """One answer; a server that refuses JSON schemas is asked in words from then on."""
        options = _options(request)
        if schema is not None and self._has_schemas:
            options["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        try:
            response = await self._client.chat.completions.create(
                model=model, messages=_messages(request.prompt), **options
            )
        except openai.BadRequestError as error:
            if "response_format" in options and "response_format" in str(error):
                self._has_schemas = False
                return await self.complete(model, request, schema)
            raise _to_call_failure(error) from error
        except openai.OpenAIError as error:
            raise _to_call_failure(error) from error
        choice = response.choices[0] if response.choices else None
        text = (choice.message.content or "") if choice else ""
        usage = response.usage
        details = usage.prompt_tokens_details if usage else None
        completion = Completion(
            text,
            usage.prompt_tokens if usage else request.prompt.tokens(),
            usage.completion_tokens if usage else tokens_of(text),
            (details.cached_tokens or 0) if details else 0,
        )
        if choice and choice.message.refusal:
            refusal = choice.message.refusal[:200]
            raise CallFailed(f"The model refused: {refusal}", retryable=False, spent=completion)
        _check(choice.finish_reason if choice else "", completion)
        return completion

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """Pieces of the answer; a stream that breaks is an error."""
        finish: str | None = None
        pieces: list[str] = []
        try:
            response = await self._client.chat.completions.create(
                model=model, messages=_messages(request.prompt), stream=True, **_options(request)
            )
            async for chunk in response:
                for choice in chunk.choices:
                    finish = choice.finish_reason or finish
                    if choice.delta.content:
                        pieces.append(choice.delta.content)
                        yield choice.delta.content
        except openai.OpenAIError as error:
            raise _to_call_failure(error, estimate_completion(request, "".join(pieces)) if pieces else None) from error
        _check(finish or "", estimate_completion(request, "".join(pieces)))


def _messages(prompt: Prompt) -> list[Any]:
    # The shared part is a message of its own and comes first: providers cache equal beginnings.
    parts = (("system", prompt.system), ("user", prompt.shared), ("user", prompt.question))
    return [{"role": role, "content": text} for role, text in parts if text]


def _options(request: Request) -> dict[str, Any]:
    options: dict[str, Any] = {"max_completion_tokens": request.max_tokens}
    if request.temperature is not None:
        options["temperature"] = request.temperature
    return options


def _check(finish: str, got: Completion) -> None:
    if finish == "length":
        raise CallFailed("The answer was cut off at its token limit.", retryable=True, cut_off=True, spent=got)
    if finish == "content_filter":
        raise CallFailed("The provider's content filter stopped the answer.", retryable=False, spent=got)
    if not finish:
        raise CallFailed("The answer broke off.", retryable=True, spent=got)
    if not got.text.strip():
        raise CallFailed("The answer was empty.", retryable=True, spent=got)


def _to_call_failure(error: openai.OpenAIError, spent: Completion | None = None) -> CallFailed:
    if isinstance(error, openai.APIStatusError):
        wait = error.response.headers.get("retry-after", "")
        return failure_of_status(error.status_code, wait, spent, final=error.code == "insufficient_quota")
    if isinstance(error, openai.APIConnectionError):
        return CallFailed(
            f"The language model's service could not be reached ({type(error).__name__}).", retryable=True, spent=spent
        )
    kind = type(error).__name__
    return CallFailed(f"The language model's answer could not be read ({kind}).", retryable=True, spent=spent)
