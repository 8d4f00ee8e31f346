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
from engine.session.state import State, SurveySession
from engine.survey import Section, Survey
from engine.values import KeywordPool, Outline, PaperSelection

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
_SMALL = {"phase", "brief", "paper_limit", "attempt", "chosen", "keeps_outline"}
"""Fields of a state that are stored as they are."""

OUTGOING = TypeAdapter(Outgoing)


_STATE, _JOB = TypeAdapter(State), TypeAdapter(Job | None)


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

        def state(value: State) -> dict[str, Any]:
            large = {kind: getattr(value, kind) for kind in _LARGE}
            return {
                **_STATE.dump_python(value, mode="json", include=_SMALL),
                "parts": {kind: digest(kind, part) for kind, part in large.items() if part is not None},
                "sections": [(at, digest("section", section)) for at, section in value.sections],
                "kept": [(part.place, digest("section", part.section), True) for part in value.kept],
                "unchecked": [part.place for part in value.kept if not part.is_checked],
                "candidates": [digest("candidate", candidate) for candidate in value.candidates],
            }

        body = {
            "id": session.id,
            "revision": session.revision,
            "jobs_started": session.jobs_started,
            "job": _JOB.dump_python(session.job, mode="json"),
            "state": state(session.state),
            "past": [state(former) for former in session.past],
            "undone": [state(former) for former in session.undone],
        }
        return json.dumps(body, ensure_ascii=False), new

    def unpack(self, stored_session: str, pieces: Mapping[str, bytes]) -> SurveySession:
        """The session of its JSON; a piece that several states share is decoded once and is one value afterwards."""
        body = json.loads(stored_session)
        made: dict[str, Any] = {}

        def piece(kind: str, digest: str) -> Any:
            if digest not in made:
                made[digest] = _KINDS[kind].validate_json(zlib.decompress(pieces[digest]))
                self.remember(body["id"], {digest: made[digest]})
            return made[digest]

        def state(stored: dict[str, Any]) -> State:
            # Earlier versions had not all of these, and said of each kept part whether it knew its neighbours.
            unchecked = stored.get("unchecked", ())
            return replace(
                _STATE.validate_python({name: value for name, value in stored.items() if name in _SMALL}),
                **{kind: piece(kind, digest) for kind, digest in stored["parts"].items()},
                sections=tuple((at, piece("section", digest)) for at, digest in stored["sections"]),
                kept=tuple(
                    KeptPart(place, piece("section", digest), place not in unchecked)
                    for place, digest, _ in stored.get("kept", ())
                ),
                candidates=tuple(piece("candidate", digest) for digest in stored.get("candidates", ())),
            )

        job = _JOB.validate_python(body["job"])
        past, undone = (tuple(map(state, body.get(name, ()))) for name in ("past", "undone"))
        return SurveySession(
            body["id"], body["revision"], state(body["state"]), past, job, body["jobs_started"], undone
        )

    def remember(self, session_id: str, values: Mapping[str, object]) -> None:
        """These parts of the session are stored under these digests."""
        for digest, value in values.items():
            self._digests[session_id, id(value)] = (value, digest)
        while len(self._digests) > KEPT_DIGESTS:
            self._digests.popitem(last=False)


def encode_incoming(incoming: Incoming) -> str:
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
