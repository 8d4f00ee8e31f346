"""A language model's service on this machine that thinks nothing: for measuring, and for tests.

It speaks OpenAI's chat completions and Anthropic's messages, streamed and not, answers after
``0.5 s + input/20,000 s + output/80 s`` (tokens are characters / 4) times ``pace``, logs each call, and can fail in the
ways real services fail. ``python -m tests.stand_ins.simulation`` serves it until it is interrupted.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal

from aiohttp import web

from adapters.http_server import serve_http
from tests.stand_ins import simulated_notes, simulated_reviews, simulated_surveyx

Fault = Literal["429", "500", "empty", "truncated", "malformed", "cut", "hang", "refused"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the service saw it; times in seconds from the start of the service."""

    kind: str
    start: float
    end: float
    input_tokens: int
    output_tokens: int
    status: int
    body: dict[str, Any]


@dataclass
class SimulatedService:
    """The service's behaviour and its log. ``fault`` decides from the number of the call (from 0)."""

    pace: float = 1.0
    concurrent: int | None = None
    per_minute: int | None = None
    fault: Callable[[int], Fault | None] = lambda _: None
    reply: Callable[[str, str], str] | None = None
    hang_s: float = 30.0
    calls: list[Call] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""
    _arrived: int = 0
    _at_once: int = 0
    began: float = 0.0
    began_at: float = 0.0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One call to either interface."""
        body = await request.json()
        is_openai = request.path.endswith("/chat/completions")
        number, self._arrived = self._arrived, self._arrived + 1
        start = time.perf_counter() - self.began
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        prompt = _read_prompt(body)
        name = _schema_name(body)
        fault = self.fault(number)
        recent = sum(call.start > start - 60 and call.status != 429 for call in self.calls) + self._at_once
        if self._at_once > (self.concurrent or self._at_once) or recent > (self.per_minute or recent):
            fault = "429"
        text, status = "", 200
        try:
            if fault in {"429", "500"}:
                status = int(fault)
                headers = {"Retry-After": "1"} if fault == "429" else {}
                return web.json_response({"error": {"message": "no", "type": "x"}}, status=status, headers=headers)
            if fault == "hang":
                await asyncio.sleep(self.hang_s)
            text = _break_answer(fault, (self.reply or simulate_answer)(prompt, name))
            await asyncio.sleep(self.pace * estimate_thinking_s(prompt, text))
            if fault == "cut":
                status = 0
                if is_openai and not body.get("stream") and request.transport:
                    request.transport.close()
            reason = {"truncated": "length", "refused": "refusal", "cut": "cut"}.get(fault or "", "stop")
            if is_openai:
                return await _openai(request, body, prompt, text, reason)
            return await _anthropic(request, prompt, text, reason)
        finally:
            self._at_once -= 1
            end = time.perf_counter() - self.began
            self.calls.append(Call(name or "text", start, end, len(prompt) // 4, len(text) // 4, status, body))


def estimate_thinking_s(prompt: str, text: str) -> float:
    """Seconds that a typical service takes to read a prompt and to write its answer."""
    return 0.5 + len(prompt) / 4 / 20_000 + len(text) / 4 / 80


@asynccontextmanager
async def run_simulated_service(service: SimulatedService) -> AsyncIterator[SimulatedService]:
    """The service on a free port of this machine while the block runs; its address is ``service.url``."""
    application = web.Application(client_max_size=64 * 2**20)
    application.router.add_post("/v1/chat/completions", service.answer)
    application.router.add_post("/v1/messages", service.answer)
    async with serve_http(application, "127.0.0.1", 0, shutdown_s=1.0) as port:
        service.url = f"http://127.0.0.1:{port}"
        service.began, service.began_at = time.perf_counter(), time.time()
        yield service


def _read_prompt(body: dict[str, Any]) -> str:
    parts = [body.get("system", "")]
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [block["text"] for block in content]
    return "\n".join(parts)


def _schema_name(body: dict[str, Any]) -> str:
    wrapped = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    direct = ((body.get("output_config") or {}).get("format") or {}).get("schema", {})
    return str((wrapped or direct).get("title", ""))


def _break_answer(fault: Fault | None, text: str) -> str:
    match fault:
        case "empty":
            return ""
        case "malformed":
            return "Certainly! Here is what you asked for: {not json"
        case "truncated":
            return text[: len(text) // 2]
        case _:
            return text


# What is answered: enough like a survey to be checked, cited and put together.


_PAPER = re.compile(r'<paper key="[^"]+">\n(?:.*\n)*?</paper>')
_NUMBER = re.compile(r"^\d+\. ", re.M)
"""Of a sentence of a paper."""


def simulate_answer(prompt: str, schema: str) -> str:
    """An answer of the right shape and length, made of the prompt's own papers."""
    made = _TYPED.get(schema)
    return json.dumps(made(prompt)) if made else _prose(prompt)


def _reading(prompt: str) -> dict[str, Any]:
    """A question to a finished survey is asked; nothing else is understood."""
    said = html.unescape(_find_or(r"<said>\n(.+?)\n</said>", prompt, ""))
    asks = said.endswith("?") and "The step is: discussion" in prompt
    return {"commands": [f"ask {said}"] if asks else [], "sure": True, "for_bot": True}


def _outline(prompt: str) -> dict[str, Any]:
    count = int(_find_or(r"exactly (\d+) sections", prompt, "8"))
    titles = [_words(title, 6) for title in _titles(prompt) or re.findall(r'"title":"([^"]+)"', prompt)] or ["Work"]
    step = max(1, len(titles) // count)
    sections = [
        {
            "title": f"{titles[(i * step) % len(titles)]} {i + 1}",
            "description": f"It covers {titles[(i * step) % len(titles)]}.",
        }
        for i in range(count)
    ]
    return {"title": f"A Survey of {_find_or(r'about: (.+)', prompt, 'the Topic')}", "sections": sections}


def _subsections(prompt: str) -> dict[str, Any]:
    section = _find_or(r"less to say:\n(.+?):", prompt, "")
    count = int(_find_or(r"about (\d+) subsections", prompt, "4"))
    titles = [_words(title, 7) for title in _titles(prompt)] or ["Overview"]
    shift = sum(map(ord, section))
    chosen = dict.fromkeys(f"{titles[(shift + 11 * i) % len(titles)]} in {section}" for i in range(count))
    described = "It says what is known of {} within {}."
    return {"subsections": [{"title": t, "description": described.format(t, section)} for t in chosen]}


def _check(prompt: str) -> dict[str, Any]:
    """Nearly all is supported, by the first sentence shown."""
    claims = re.findall(r'<claim number="(\d+)"[^>]*>\n(.*)\n', prompt)
    return {
        "supported": [f"{n}a" for n, said in claims if len(said) % 23],
        "others": [{"claim": int(n), "verdict": "not said", "beyond": ""} for n, said in claims if not len(said) % 23],
    }


def _check_again(prompt: str) -> dict[str, Any]:
    """Half of what is asked twice follows; translations say the same."""
    pairs = re.findall(r'<pair number="(\d+)">', prompt)
    if pairs:
        return {"judgements": [{"statement": int(n), "follows": True} for n in pairs]}
    stated = re.findall(r"^Statement (\d+)[^:]*: (.*)$", prompt, re.M)
    return {"judgements": [{"statement": int(n), "follows": len(said) % 2 == 0} for n, said in stated]}


def _reword(prompt: str) -> dict[str, Any]:
    """What is wrong goes; what stood behind something that went needs nothing."""
    shown = re.findall(r'<sentence number="(\d+)"(?: own)?>\n.*\nsentence: .*\n.*\n(wrong|before it was)', prompt)
    return {"sentences": [{"sentence": int(n), "text": ""} for n, why in shown if why == "wrong"]}


def _relevance(prompt: str) -> dict[str, Any]:
    """Every ninth paper is not relevant."""
    keys = re.findall(r'<paper key="([^"]+)">', prompt)
    return {
        "judgements": [
            {"key": key, "reason": f"It is number {n} of the papers asked about.", "relevant": n % 9 != 0}
            for n, key in enumerate(keys, start=1)
        ]
    }


def _translation(prompt: str) -> dict[str, Any]:
    lines = re.findall(r"^\d+\. (.+)$", prompt.split("<draft>")[-1], re.M)
    return {"sentences": [f"Übersetzt: {html.unescape(line)}" for line in lines]}


_TYPED: dict[str, Callable[[str], dict[str, Any]]] = {
    **simulated_surveyx.ANSWERS,
    **simulated_reviews.ANSWERS,
    **simulated_notes.ANSWERS,
    "ReadingAnswer": _reading,
    "KeywordsAnswer": lambda _: {"keywords": []},
    "OutlineAnswer[Plan]": _outline,
    "PartsAnswer[Plan]": _subsections,
    "DuplicatesAnswer": lambda _: {"repeated": []},
    "CheckAnswer": _check,
    "SecondAnswer": _check_again,
    "RewordAnswer": _reword,
    "RelevanceAnswer": _relevance,
    "TranslationAnswer": _translation,
    "EntailmentAnswer": lambda prompt: {"faithful": len(prompt) % 7 != 0},
    "Grade": lambda prompt: {"reason": "As good as its length.", "score": 3 + len(prompt) % 3},
    "PreferenceAnswer": lambda _: {"reason": "It comes first.", "better": "first"},
    "TopicAnswer": lambda prompt: {"relevant": len(prompt) % 5 != 0},
    "FaultAnswer": lambda _: {"kind": "overgeneralisation", "reason": "It says more than the source."},
    "ChoiceAnswer": lambda prompt: {"letter": "A" if "(nothing)" in prompt else "B"},
    "JudgeAnswer": lambda prompt: {
        "coverage": 3 + len(prompt) % 3,
        "structure": 4,
        "relevance": 5,
        "reason": "It covers the main lines.",
    },
}


def _prose(prompt: str) -> str:
    papers = simulated_surveyx.read_papers(prompt)
    rules = _PAPER.sub("", prompt)  # an abstract may speak of "about 2000 words" too
    wanted = int(_find_or(r"(?i:more than|about) (\d+) words|of (\d+) to \d+ words", rules, "120"))
    findings = re.findall(r"^- (.+\[@.+)$", prompt, re.M)
    if findings and not papers:  # what stands around the sections is written from what they say
        return " ".join(html.unescape(line) for line in _up_to(findings, wanted))
    if not papers and (told := simulated_reviews.retell(prompt)):
        return told
    known = [(key, _sentences_of(said)) for key, _, said in papers] or [("", [("", NOTHING_KNOWN)])]
    sentences: list[str] = []
    count = 0
    while count <= wanted:
        at = len(sentences)
        key, lines = known[at % len(known)]
        address, line = lines[at // len(known) % len(lines)]
        gist = line.rstrip(".,;: !?")
        cited = f" [@{key}{address}]" if key else ""
        sentences.append(f"One study says that {gist[:1].lower() + gist[1:]}{cited}.")
        count += len(sentences[-1].split())
    text = "\n\n".join(" ".join(sentences[i : i + 6]) for i in range(0, len(sentences), 6))
    return f"{POINTS}\n---\n{text}" if "nothing but ---" in prompt else text


POINTS = "Settled: it works on data.\nParted: some need more of it than others.\nMissing: nobody has tried it outside."
NOTHING_KNOWN = "Nothing is known about it yet."


def _sentences_of(body: str) -> list[tuple[str, str]]:
    """What a paper says in a prompt, with addresses: its numbered sentences, or its notes line by line."""
    numbered = re.findall(r"^(\d+)\. (.+)$", body.replace("[", "(").replace("]", ")"), re.M)
    if numbered:  # what stands above them was noted
        return [(f":{number}", re.sub(r"^Kind of evidence:.*?Argument: ", "", line)) for number, line in numbered]
    found: list[str] = []
    for line in body.replace("[", "(").replace("]", ")").splitlines():
        said = re.sub(r"^[a-z]+(?:[. /][a-z]+)*: ", "", line.strip("“”"))  # a field of an attribute tree
        said = re.sub(r"^Kind of evidence:.*?Argument: ", "", said)  # a study's summary in a quick review
        found += [part for part in re.split(r"(?<=[.!?]) (?:… )?", said) if part]
    return [("", part) for part in found or [NOTHING_KNOWN]]


def _up_to(lines: Sequence[str], words: int) -> list[str]:
    """The first lines that have so many words together; the last may go beyond them."""
    before = accumulate((len(line.split()) for line in lines), initial=0)
    return [line for line, count in zip(lines, before, strict=False) if count < words]


def _titles(prompt: str) -> list[str]:
    return [html.unescape(title) for _, title in re.findall(r'<paper key="([^"]+)">\n(.*)\n', prompt)]


def _words(text: str, count: int) -> str:
    return " ".join(re.sub(r"[^\w\s-]", "", text).split()[:count])


def _find_or(pattern: str, text: str, otherwise: str) -> str:
    match = re.search(pattern, text)
    return next(filter(None, match.groups())) if match else otherwise


async def _openai(
    request: web.Request, body: dict[str, Any], prompt: str, text: str, reason: str
) -> web.StreamResponse:
    finish = "content_filter" if reason == "refusal" else reason
    base: dict[str, Any] = {"id": "c", "created": 0, "model": body["model"]}
    if not body.get("stream"):
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0}
        message = {"role": "assistant", "content": text}
        choices = [{"index": 0, "finish_reason": finish, "message": message}]
        return web.json_response({**base, "object": "chat.completion", "choices": choices, "usage": usage})
    events: list[dict[str, Any]] = [
        {"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in _pieces(text)
    ]
    events.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks = [json.dumps({**base, "object": "chat.completion.chunk", "choices": [event]}) for event in events]
    return await _events(request, [f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]], cut=reason == "cut")


async def _anthropic(request: web.Request, prompt: str, text: str, reason: str) -> web.StreamResponse:
    stop = {"stop": "end_turn", "length": "max_tokens"}.get(reason, reason)
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "simulated",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": len(prompt) // 4, "output_tokens": 1},
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        for piece in _pieces(text)
    ]
    delta = {"stop_reason": stop, "stop_sequence": None}
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": len(text) // 4}},
        {"type": "message_stop"},
    ]
    written = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
    return await _events(request, written, cut=reason == "cut")


def _pieces(text: str) -> list[str]:
    return [text[i : i + 400] for i in range(0, len(text), 400)]


async def _events(request: web.Request, events: Sequence[str], *, cut: bool) -> web.StreamResponse:
    """Send the events; a stream that is cut breaks after its first half."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for event in events[: len(events) // 2] if cut else events:
        await response.write(event.encode())
    if cut and request.transport:
        request.transport.close()
        return response
    await response.write_eof()
    return response


async def _serve() -> None:
    async with run_simulated_service(SimulatedService(pace=0)) as service:
        sys.stdout.write(f"OPENAI_API_KEY=simulated OPENAI_BASE_URL={service.url}/v1\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve())
