"""What a language model can do, and what one call to a provider looks like."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

from engine.errors import LanguageModelError
from engine.limits import CHARACTERS_PER_TOKEN
from engine.local_models import Entailment
from engine.retry_after import read_retry_after
from engine.text import clean, remove_bare_numbers, shorten
from engine.values import PaperKey

Task = Literal["reading", "extraction", "outline", "drafting", "checking", "judging"]
"""What a call is for; each task can have a model of its own."""


IMAGE_TOKENS = 1_500
"""About what a picture of 1,024 by 1,024 pixels counts with either service."""


def tokens_of(text: str) -> int:
    """Estimated tokens of a text."""
    return len(text) // CHARACTERS_PER_TOKEN + 1


class TypedAnswer(BaseModel):
    """Base of typed answers.

    What is asked for is `strict_schema`; what is read may have more fields, or lack those that have a default.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)


PlainText = Annotated[str, AfterValidator(remove_bare_numbers)]
"""Text of a typed answer that reaches a document and cites nothing, whatever numbers a model puts in brackets."""

WrittenKey = Annotated[PaperKey, AfterValidator(lambda key: key.strip("[]@ "))]
"""The key of a paper, whether or not a model writes it as a citation."""

A = TypeVar("A", bound=TypedAnswer)


@cache
def strict_schema(kind: type[TypedAnswer]) -> dict[str, Any]:
    """The JSON schema of an answer, to be read only: every field required and no other allowed, as providers demand."""

    def strict(node: Any) -> Any:
        if isinstance(node, list):
            return [strict(item) for item in node]
        if not isinstance(node, dict):
            return node
        made = {name: strict(value) for name, value in node.items() if name != "default"}
        if "properties" in node:
            made |= {"required": list(node["properties"]), "additionalProperties": False}
        return made

    schema: dict[str, Any] = strict(kind.model_json_schema())
    return schema


@dataclass(frozen=True, slots=True)
class PromptImage:
    """A picture that is sent with a question: ``kind`` is png or jpeg, ``content`` base64."""

    kind: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent: rules, then the long part that many calls share to the byte, then the question and its pictures."""

    system: str
    shared: str
    question: str
    images: tuple[PromptImage, ...] = ()

    def tokens(self) -> int:
        """Estimated input tokens."""
        said = tokens_of(self.system) + tokens_of(self.shared) + tokens_of(self.question)
        return said + IMAGE_TOKENS * len(self.images)


SAMPLED = ("temperature", "top_p", "frequency_penalty", "presence_penalty")
"""Fields of a request that say how its answer is sampled."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; ``step`` names it in the record and in the account, ``model`` one to ask in place of the task's."""

    task: Task
    step: str
    prompt: Prompt
    max_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer with what the provider counted."""

    text: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0


def estimate_completion(request: Request, text: str) -> Completion:
    """The completion where the provider has not counted: tokens by characters."""
    return Completion(text, request.prompt.tokens(), tokens_of(text))


def require_whole(finish: str, got: Completion, refusals: Mapping[str, str]) -> None:
    """Raises `CallFailed` where an answer did not end by itself; ``refusals`` words the service's other reasons."""
    if finish in refusals:
        raise CallFailed(refusals[finish], retryable=False, spent=got)
    if finish in {"length", "max_tokens"}:
        raise CallFailed("The answer was cut off at its token limit.", retryable=True, cut_off=True, spent=got)
    if not finish or not got.text.strip():
        raise CallFailed("The answer was empty or broke off.", retryable=True, spent=got)


LONGEST_REASON = 300
"""Characters of a server's own words that are shown."""


@dataclass(eq=False)
class CallFailed(LanguageModelError):
    """One call failed."""

    message: str
    _: KW_ONLY
    retryable: bool
    retry_after_s: float | None = None
    """What the provider asked for."""
    cut_off: bool = False
    """Whether the answer ran out of tokens."""
    spent: Completion | None = None
    """What the provider counts for the answer that cannot be used."""
    is_away: bool = False
    """Whether the service did not answer, or refused to."""
    is_crowded: bool = False
    """Whether the service had more calls than it takes."""
    is_misdirected: bool = False
    """Whether something else may have answered than a language model's service."""
    room: int | None = None
    """Tokens that the model's context has left beside the prompt, where more were asked for."""

    def __post_init__(self) -> None:
        super().__init__(self.message, retryable=self.retryable)


LONGEST_CONNECTING_S = 10.0
"""A service that is there takes a connection at once, however long it thinks about the answer."""


class Unreachable(CallFailed):
    """The service did not answer at all: no connection, or nothing in time; ``kind`` is the client's word for it."""

    def __init__(self, kind: str, spent: Completion | None = None) -> None:
        self.kind, is_late = kind, "timeout" in kind.lower()
        what = f"The language model's service {'did not answer in time' if is_late else 'could not be reached'}."
        super().__init__(what, retryable=True, spent=spent, is_away=True, is_crowded=is_late)


CROWDED = frozenset({429, 503, 529})
"""Too many requests, unavailable for the moment, and Anthropic's overloaded."""


def failure_of_status(
    status: int, retry_after: str, spent: Completion | None, *, final: bool = False, reason: str = ""
) -> CallFailed:
    """The failure that an HTTP status means; ``final`` is one that no retry helps, ``reason`` the server's words."""
    room = read_room(reason) if status == 400 else None
    # Of a refused key nothing is repeated: some services show it.
    words = "it refused the key" if status in {401, 403} else mask_keys(shorten(clean(reason), LONGEST_REASON))
    said = f": {words}" if words else ""
    return CallFailed(
        f"The language model's service answered {status}{said if said.endswith('.') else f'{said}.'}",
        retryable=(status in {408, 409, 429} or status >= 500 or room is not None) and not final,
        retry_after_s=read_retry_after(retry_after),
        spent=spent,
        is_away=True,
        is_crowded=status in CROWDED,
        is_misdirected=status in {404, 405},
        room=room,
    )


_KEY = re.compile(
    r"\b(?:(?:sk|pk|rk|gsk|hf|xai|key)[-_]|AIza|Bearer )(?=\S*\d)\S{6,}|(?=\w*\d)(?=\w*[A-Za-z])\w{24,}|\S*\*{3,}\S*"
)
"""What looks like a key: by how services begin theirs, by its length, or with stars already."""


def mask_keys(text: str) -> str:
    """The text with “…” for what looks like a key."""
    return _KEY.sub("…", text)


LEAST_ROOM = 128
"""Tokens; an answer in less room would only be cut off."""

_OVERFLOWS = (
    re.compile(r"maximum context length is (?P<most>\d+) tokens\D+\d+ tokens \((?P<read>\d+) in", re.I),
    re.compile(r"maximum context length is (?P<most>\d+) tokens and your request has (?P<read>\d+) input tokens", re.I),
    re.compile(r"exceed context limit: (?P<read>\d+) \+ \d+ > (?P<most>\d+)", re.I),
    re.compile(r"supports at most (?P<most>\d+) completion tokens(?P<read>)", re.I),
)
"""How OpenAI, vLLM and Anthropic say that a prompt and the answer asked for are longer than the context together, or
the answer longer than any of the model's.
"""


def read_room(reason: str) -> int | None:
    """Tokens left for an answer, of a refusal that names context and prompt; ``None`` if it names none, or too few."""
    for pattern in _OVERFLOWS:
        if match := pattern.search(reason):
            room = int(match["most"]) - int(match["read"] or 0)
            return room if room >= LEAST_ROOM else None
    return None


class Provider(Protocol):
    """A service that answers one request once; retries, limits and money are not its business."""

    async def complete(self, model: str, request: Request, schema: dict[str, Any] | None) -> Completion:
        """The whole answer, as JSON of the schema where one is given. Raises `CallFailed`."""

    def stream(self, model: str, request: Request) -> AsyncIterator[str]:
        """The answer in pieces as they come. Raises `CallFailed`."""

    async def close(self) -> None:
        """Let go of the connections."""


class LanguageModel(Protocol):
    """What recipes use. All methods raise `LanguageModelError`, or `LimitExceeded` at the budget."""

    @property
    def entailment(self) -> Entailment | None:
        """The model of this machine that doubts claims beside it, where one is set."""

    async def text(self, request: Request) -> str:
        """The answer, never empty and never cut off."""

    def stream(self, request: Request) -> AsyncIterator[str]:
        """The answer in pieces."""

    async def answer_typed(self, request: Request, kind: type[A]) -> A:
        """The answer as a value of ``kind``."""

    async def forget(self, request: Request, kind: type[TypedAnswer] | None = None) -> None:
        """Let go of a recorded answer that was of no use, so that whoever asks again gets another."""
