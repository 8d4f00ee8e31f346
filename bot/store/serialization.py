"""Sessions, messages and events as JSON, and back.

A session's states share most of their contents: an edited outline leaves 1,200 papers as they were. So every large
part is a piece, stored once by its digest, and a state is a small list of digests.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from adapters.chat import Attachment, Conversation, Incoming, Outgoing
from engine.session.events import Candidate, Job
from engine.session.kept_text import KeptPart
from engine.session.state import Phase, State, SurveySession
from engine.survey import Section, Survey
from engine.values import Brief, KeywordPool, Outline, PaperSelection

KEPT_DIGESTS = 2_000
"""Parts whose digests are remembered while they live, so that an unchanged part is not encoded again."""

_KINDS: dict[str, TypeAdapter[Any]] = {
    "keywords": TypeAdapter(KeywordPool),
    "papers": TypeAdapter(PaperSelection),
    "outline": TypeAdapter(Outline),
    "written_from": TypeAdapter(Outline),
    "survey": TypeAdapter(Survey),
    "section": TypeAdapter(Section),
    "candidate": TypeAdapter(Candidate),
}
_LARGE = ("keywords", "papers", "outline", "written_from", "survey")
_SMALL = ("phase", "brief", "paper_limit", "attempt", "chosen", "keeps_outline")
"""Fields of a state that are stored as they are."""

OUTGOING = TypeAdapter(Outgoing)


@dataclass(frozen=True, slots=True)
class StoredState:
    """A `State` whose large parts are digests."""

    phase: Phase
    brief: Brief | None
    paper_limit: int
    attempt: int
    parts: dict[str, str]
    sections: tuple[tuple[int, str], ...]
    kept: tuple[tuple[str, str, bool], ...] = ()
    """Parts kept of a text written before: number, digest, and what earlier versions said of their neighbours."""
    unchecked: tuple[str, ...] = ()
    """The numbers of those whose claims are still to be checked."""
    candidates: tuple[str, ...] = ()
    chosen: int = 0
    keeps_outline: bool = False


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A `SurveySession` whose states are stored states."""

    id: str
    revision: int
    jobs_started: int
    job: Job | None
    state: StoredState
    past: tuple[StoredState, ...]
    undone: tuple[StoredState, ...] = ()


_STORED = TypeAdapter(StoredSession)


@dataclass
class SessionCodec:
    """Encodes and decodes; remembers digests of stored parts, because most parts of a session stay the same."""

    _digests: OrderedDict[tuple[str, int], tuple[object, str]] = field(default_factory=OrderedDict)

    def pack(self, session: SurveySession) -> tuple[str, dict[str, tuple[object, bytes]]]:
        """The session's JSON, and the parts not known to be stored, by digest; tell `remember` once they are."""
        new: dict[str, tuple[object, bytes]] = {}

        def digest(kind: str, value: object) -> str:
            known = self._digests.get((session.id, id(value)))
            if known and known[0] is value:
                self._digests.move_to_end((session.id, id(value)))
                return known[1]
            content = _KINDS[kind].dump_json(value)
            made = hashlib.sha256(content).hexdigest()
            new[made] = value, zlib.compress(content, 1)
            return made

        def state(value: State) -> StoredState:
            large = {kind: getattr(value, kind) for kind in _LARGE}
            return StoredState(
                **{name: getattr(value, name) for name in _SMALL},
                parts={kind: digest(kind, part) for kind, part in large.items() if part is not None},
                sections=tuple((at, digest("section", section)) for at, section in value.sections),
                kept=tuple((p.place, digest("section", p.section), True) for p in value.kept),
                unchecked=tuple(part.place for part in value.kept if not part.is_checked),
                candidates=tuple(digest("candidate", candidate) for candidate in value.candidates),
            )

        past, undone = tuple(map(state, session.past)), tuple(map(state, session.undone))
        body = StoredSession(
            session.id, session.revision, session.jobs_started, session.job, state(session.state), past, undone
        )
        return _STORED.dump_json(body).decode(), new

    def unpack(self, stored_session: str, pieces: Mapping[str, bytes]) -> SurveySession:
        """The session of its JSON; a piece that several states share is decoded once and is one value afterwards."""
        body = _STORED.validate_json(stored_session)
        made: dict[str, Any] = {}

        def piece(kind: str, digest: str) -> Any:
            if digest not in made:
                made[digest] = _KINDS[kind].validate_json(zlib.decompress(pieces[digest]))
                self.remember(body.id, {digest: made[digest]})
            return made[digest]

        def state(stored: StoredState) -> State:
            return State(
                **{name: getattr(stored, name) for name in _SMALL},
                **{kind: piece(kind, digest) for kind, digest in stored.parts.items()},
                sections=tuple((at, piece("section", digest)) for at, digest in stored.sections),
                kept=tuple(
                    KeptPart(place, piece("section", digest), place not in stored.unchecked)
                    for place, digest, _ in stored.kept
                ),
                candidates=tuple(piece("candidate", digest) for digest in stored.candidates),
            )

        past, undone = tuple(map(state, body.past)), tuple(map(state, body.undone))
        return SurveySession(body.id, body.revision, state(body.state), past, body.job, body.jobs_started, undone)

    def remember(self, session_id: str, values: Mapping[str, object]) -> None:
        """These parts of the session are stored under these digests."""
        for digest, value in values.items():
            self._digests[session_id, id(value)] = (value, digest)
        while len(self._digests) > KEPT_DIGESTS:
            self._digests.popitem(last=False)


def encode_incoming(incoming: Incoming) -> str:
    """Everything that came in, files too."""
    files = [[a.name, base64.b64encode(a.content).decode(), a.source] for a in incoming.attachments]
    return json.dumps({**asdict(replace(incoming, attachments=())), "attachments": files})


def read_incoming(text: str) -> Incoming:
    values = json.loads(text)
    conversation = Conversation(**values.pop("conversation"))
    files = tuple(
        Attachment(name, base64.b64decode(content), *source) for name, content, *source in values.pop("attachments")
    )
    filled = tuple((name, value) for name, value in values.pop("values", ()))  # older events have no forms
    return Incoming(conversation, attachments=files, values=filled, **values)
