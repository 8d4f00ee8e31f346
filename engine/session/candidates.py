"""The surveys that were written for one brief, of which a person takes one. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import UserError
from engine.session.events import Candidate

ONE_SURVEY = "Only one survey was written. SCHOLIUM_CANDIDATES=2 has autosurvey or surveyx write two."


def require_candidate(candidates: Sequence[Candidate], number: int) -> None:
    """Raise `UserError` where there is no candidate of that number, counted from 1."""
    if not candidates:
        raise UserError(ONE_SURVEY)
    if not 1 <= number <= len(candidates):
        raise UserError(f"There is no candidate {number}; the candidates are 1 to {len(candidates)}.")
