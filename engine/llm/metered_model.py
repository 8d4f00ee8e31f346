"""The language model that recipes get: provider, meter, record of paid calls, retries, typed answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol
from weakref import WeakValueDictionary

from pydantic import ValidationError
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_after_delay
from tenacity.wait import wait_random_exponential

from engine.errors import LanguageModelError
from engine.llm.meter import Ledger, Settle, Throttle
from engine.llm.model import (
    A,
    CallFailed,
    Completion,
    Provider,
    Request,
    Task,
    TypedAnswer,
    estimate_completion,
    strict_schema,
)
from engine.local_models import Entailment
from engine.text import clean, shorten, storable
from engine.tracing import trace_call

ATTEMPTS = 6
LONGEST_RETRYING_S = 300.0
LONGEST_FIRST_CONTACT_S = 60.0
"""A service that never had an answer is more likely a wrong address than a slow one."""

LONGEST_WAIT_S = 60.0
"""A provider that asks for a longer wait is not waited for longer; the next attempt may fail and say so."""

TYPED_ATTEMPTS = 3
"""How often a model may get its JSON wrong; each time it is shown what was wrong."""

SHOWN_OF_AN_ANSWER = 60
"""Characters of an answer that could not be read."""


class CallRecord(Protocol):
    """Finished calls by content, so that a job that runs again pays for none of them twice."""

    async def find(self, key: str) -> Completion | None:
        """The finished call, if it is there."""

    async def keep(self, key: str, completion: Completion) -> None:
        """Remember a finished call."""

    async def forget(self, key: str) -> None:
        """Let go of a finished call, if it is there."""


class MemoryRecord:
    """A record that lives as long as the process."""

    def __init__(self) -> None:
        self._calls: dict[str, Completion] = {}

    async def find(self, key: str) -> Completion | None:
        return self._calls.get(key)

    async def keep(self, key: str, completion: Completion) -> None:
        self._calls[key] = completion

    async def forget(self, key: str) -> None:
        self._calls.pop(key, None)


@dataclass(frozen=True)
class MeteredModel:
    """A `LanguageModel`; ``models`` names the provider's model for each task, ``job`` scopes the record."""

    provider: Provider
    models: Mapping[Task, str]
    throttle: Throttle
    account: Ledger
    record: CallRecord
    job: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    """How drafts are sampled, where a person has chosen it; other steps have parameters that suit them."""
    entailment: Entailment | None = None
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """One asker at a time for each content: the next one finds the answer recorded."""

    async def text(self, request: Request) -> str:
        """The whole answer."""
        return "".join([piece async for piece in self._ask(request, None, in_pieces=False)])

    def stream(self, request: Request) -> AsyncIterator[str]:
        """The answer in pieces; it is recorded when it is whole. Tried again only while no piece was given."""
        return self._ask(request, None, in_pieces=True)

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        """The answer as a value; a wrong one is sent back with its error, `TYPED_ATTEMPTS` times at most."""
        schema, problem, said = strict_schema(kind), "", ""
        for attempt in range(TYPED_ATTEMPTS):
            asked = _ask_for_json(request, schema, attempt)
            said = "".join([piece async for piece in self._ask(asked, schema, in_pieces=False, problem=problem)])
            answer = _read_json(said, kind)
            if not isinstance(answer, str):
                return answer
            problem = answer
        await self.forget(request, kind)
        raise LanguageModelError(
            f"The model's answers were not of the form asked for ({problem}); the last one began: "
            f"“{shorten(clean(said), SHOWN_OF_AN_ANSWER)}”.",
            retryable=True,
        )

    async def forget(self, request: Request, kind: type[TypedAnswer] | None = None) -> None:
        """Let go of a recorded answer, and of those before it whose JSON was wrong."""
        schema = strict_schema(kind) if kind else None
        for asked in [_ask_for_json(request, schema, n) for n in range(TYPED_ATTEMPTS)] if schema else [request]:
            await self.record.forget(self._key(self._sample(asked), schema))

    async def _ask(
        self, request: Request, schema: dict[str, Any] | None, *, in_pieces: bool, problem: str = ""
    ) -> AsyncIterator[str]:
        """The answer, whole or in pieces; what was asked before is taken from the record.

        A ``problem`` of the last answer is told, and is no part of what the record knows the answer by.
        """
        request = self._sample(request)
        key = self._key(request, schema)
        async with self._turns.setdefault(key, asyncio.Lock()):
            if known := await self.record.find(key):
                yield known.text
                return
            model = request.model or self.models[request.task]
            with trace_call(*_name_span(request, model)) as span, self.throttle.breaker.guard_call():
                current, pieces = _tell_problem(request, problem), list[str]()
                async for attempt in self._attempts(lambda: not pieces):
                    with attempt:
                        try:
                            async with self._reserve_call(model, current) as settle:
                                if in_pieces:
                                    async for piece in self.provider.stream(model, current):
                                        pieces.append(storable(piece))
                                        yield pieces[-1]
                                    completion = estimate_completion(request, "".join(pieces))
                                else:
                                    completion = await self._complete(model, current, schema)
                                # In this order: a crash between the two leaves a reservation, which is counted, and no
                                # call to be paid again.
                                await self.record.keep(key, completion)
                                await settle(completion)
                        except CallFailed as error:
                            current = _adjust_answer(current, error)
                            raise
                span.set_attribute("gen_ai.usage.input_tokens", completion.input_tokens)
                span.set_attribute("gen_ai.usage.output_tokens", completion.output_tokens)
                span.set_attribute("scholium.attempts", attempt.retry_state.attempt_number)
            if not in_pieces:
                yield completion.text

    async def _complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        begun = time.perf_counter()
        answer = await self.provider.complete(model, request, schema)
        self.throttle.note_answer(answer, time.perf_counter() - begun)
        return replace(answer, text=storable(answer.text))

    def _attempts(self, may_repeat: Callable[[], bool]) -> AsyncRetrying:
        """The attempts of one call: one where the service was away a moment ago, few where it was never there."""
        breaker = self.throttle.breaker
        longest = LONGEST_RETRYING_S if breaker.reached else LONGEST_FIRST_CONTACT_S
        bounds = stop_after_attempt(ATTEMPTS) | stop_after_delay(longest)
        return AsyncRetrying(
            retry=retry_if_exception(lambda e: isinstance(e, LanguageModelError) and e.retryable and may_repeat()),
            stop=lambda state: breaker.is_open or bounds(state),
            wait=_wait,
            reraise=True,
        )

    @asynccontextmanager
    async def _reserve_call(self, model: str, request: Request) -> AsyncIterator[Settle]:
        """A place in the throttle and, only once it is there, a reservation; what a failed call cost is entered."""
        tokens = request.prompt.tokens()
        async with (
            self.throttle.slot(tokens + request.max_tokens),
            self.account.reserve(request.step, model, tokens, request.max_tokens) as settle,
        ):
            try:
                yield settle
            except CallFailed as error:
                if error.is_crowded:
                    self.throttle.note_refusal()
                if error.spent:
                    await settle(error.spent)
                raise

    def _sample(self, request: Request) -> Request:
        return replace(request, **self.sampling) if request.task == "drafting" else request

    def _key(self, request: Request, schema: dict[str, Any] | None) -> str:
        fields = asdict(request)
        model = fields.pop("model") or self.models[request.task]
        content = [self.job, model, fields, schema]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _ask_for_json(request: Request, schema: dict[str, Any], attempt: int) -> Request:
    """The request for an answer of this schema, for the first time or again."""
    shape = json.dumps(_bare_schema(schema, schema.get("$defs", {})), separators=(",", ":"))
    rules = f"\n\nAnswer with JSON only, with all fields of this JSON schema and no others:\n{shape}"
    prompt = replace(request.prompt, question=request.prompt.question + rules)
    return replace(request, step=request.step + (f"#{attempt}" if attempt else ""), prompt=prompt)


def _tell_problem(request: Request, problem: str) -> Request:
    wrong = f"\n\nYour last answer was wrong: {problem}" if problem else ""
    return replace(request, prompt=replace(request.prompt, question=request.prompt.question + wrong))


def _read_json(text: str, kind: type[A]) -> A | str:
    """The answer as a value, or what is wrong with it."""
    try:
        return kind.model_validate_json(_ESCAPE.sub(lambda escape: escape[1] or "", _json_of(text)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return f"{where}: {first['msg']}" if where else first["msg"]


def _adjust_answer(request: Request, error: CallFailed) -> Request:
    """The request with more room for its answer where that was cut off, with less where the context has no more."""
    if error.cut_off:
        return replace(request, max_tokens=request.max_tokens * 2)
    if error.room is not None:
        return replace(request, max_tokens=min(error.room, request.max_tokens))
    return request


def _name_span(request: Request, model: str) -> tuple[str, dict[str, str | int | float | bool]]:
    """A call's span, by OpenTelemetry's conventions for generative models."""
    # What follows the slash can name a section, whose title is a person's.
    step = request.step.partition("/")[0].partition("#")[0]
    return f"chat {model}", {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, "scholium.step": step}


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after_s if isinstance(error, CallFailed) else None
    if asked is not None:
        return min(asked, LONGEST_WAIT_S)
    return float(wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT_S)(state))


_SAID_ELSEWHERE = frozenset(["$defs", "required", "additionalProperties"])


def _bare_schema(node: Any, parts: Mapping[str, Any]) -> Any:
    """The schema with its ``parts`` in their places, without what names or explains them: no type contains itself."""
    if isinstance(node, list):
        return [_bare_schema(item, parts) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _bare_schema(parts[node["$ref"].rpartition("/")[2]], parts)
    said = {name: value for name, value in node.items() if name not in _SAID_ELSEWHERE}
    names = {"title", "description"}
    return {k: _bare_schema(v, parts) for k, v in said.items() if k not in names or not isinstance(v, str)}


_ESCAPE = re.compile(
    r"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""In JSON: a backslash of the text or a whole pair of surrogates, which stay; what `storable` drops, escaped."""


def _json_of(text: str) -> str:
    """The JSON object in an answer that may have thoughts and words before it, and a fence around it."""
    for name in ("think", "thinking", "reasoning"):
        text = text.rpartition(f"</{name}>")[2]
    return text[text.find("{") : text.rfind("}") + 1] or text
