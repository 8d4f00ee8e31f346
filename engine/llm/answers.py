"""The answer of chat completions, or what came in its place in words: an address may belong to anything."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from engine.llm.model import CallFailed, Completion, Request, mask_keys, tokens_of
from engine.text import clean, shorten

LONGEST_ANSWER = 400_000
"""Characters of an answer: no model writes 64,000 tokens, and reading JSON may take the square of the length."""

LONGEST_BODY = 4 * LONGEST_ANSWER
"""Bytes of an answer as it is sent, escaped and with what is counted; no more of it is read."""

SHOWN = 80
"""Characters of what came that are shown."""

MOST_TOKENS = 10**8
"""What is counted above that is no count."""


class OddAnswer(CallFailed):
    """What came from this address is no answer, but this."""

    def __init__(self, address: str, what: str, *, retryable: bool) -> None:
        message = f"{address} does not answer as a language model does: it sent {what}."
        super().__init__(message, retryable=retryable, is_away=True, is_misdirected=True)


async def read_body(pieces: AsyncIterator[bytes], address: str) -> bytes:
    """The whole body. Raises `OddAnswer` where it is longer than any answer."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > LONGEST_BODY:
            raise OddAnswer(address, f"more than {LONGEST_BODY // 1_000_000} MB", retryable=False)
    return bytes(body)


def read_chat_answer(body: bytes, address: str, request: Request) -> tuple[Completion, str]:
    """The answer of chat completions in a body, and why it ended (empty where the service does not say).

    Raises `OddAnswer` where there is none in it, or one longer than any, and `CallFailed` where the model refused.
    """
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise OddAnswer(address, describe(body.decode("utf-8", "replace")), retryable=False) from error
    choices = sent.get("choices") if isinstance(sent, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    text = _read_content(message.get("content")) if isinstance(message, dict) else None
    if choice is None or text is None or not isinstance(message, dict):
        raise OddAnswer(address, describe(sent), retryable=True)
    usage, *said = sent.get("usage"), choice.get("finish_reason"), message.get("refusal")
    finish, refusal = (words if isinstance(words, str) else "" for words in said)
    completion = _count_tokens(usage if isinstance(usage, dict) else {}, text, request)
    if refusal:
        raise CallFailed(f"The model refused: {mask_keys(refusal[:200])}", retryable=False, spent=completion)
    check_length(text, address)
    return completion, finish


def check_length(text: str, address: str) -> None:
    """Raises `OddAnswer` where this is more than any answer."""
    if len(text) > LONGEST_ANSWER:
        raise OddAnswer(address, f"{len(text):,} characters for one answer", retryable=False)


def _read_content(content: object) -> str | None:
    """The text, also where it is sent in parts; nothing is an empty text, ``None`` is no text at all."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str)) if parts else None
    return content if isinstance(content, str) else "" if content is None else None


def _count_tokens(usage: dict[str, Any], text: str, request: Request) -> Completion:
    """What the service counts, or an estimate where its count is none."""

    def count(value: Any, otherwise: int) -> int:
        return value if type(value) is int and 0 <= value <= MOST_TOKENS else otherwise

    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    read = count(usage.get("prompt_tokens"), request.prompt.tokens())
    return Completion(text, read, count(usage.get("completion_tokens"), tokens_of(text)), count(cached, 0))


def describe(sent: object) -> str:
    """What came, in a few words: a text or JSON by its beginning."""
    match sent:
        case str():
            words = sent[: 20 * SHOWN]
            if words.lstrip().startswith("<"):
                return "a web page"
            said = shorten(mask_keys(clean(words)), SHOWN)
            return f"“{said}”" if said else "nothing"
        case {"error": {"message": said}} | {"error": said} if said:
            return f"an error, {describe(said)}"
        case _:
            return f"JSON without an answer, {shorten(mask_keys(json.dumps(sent)[: 20 * SHOWN]), SHOWN)}"
