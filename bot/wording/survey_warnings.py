"""What a reader of a finished survey should know: what is missing in it, and what was changed in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bot.wording.sentences import MODEL_AWAY, list_first
from engine.rendering.markdown import escape_markdown
from engine.survey import UNCHECKED, UNJUDGED, UNWRITTEN, Survey, SurveyWarning
from engine.text import clean, shorten

REASON_CHARACTERS, PLACE_CHARACTERS = 150, 60
MOST_PLACES = 3
"""Of what is not finished; the others are counted."""
_SERVICE = "language model's service"
"""In a warning whose reason is that the model was away."""
_COUNTED = {
    "unsupported claim": (
        "citation was removed, because the paper does not say so (the files list it)",
        "citations were removed, because the papers do not say so (the files list them)",
    ),
    "unknown citation": (
        "citation was not among the papers given, and was repaired or removed (the files list it)",
        "citations were not among the papers given, and were repaired or removed (the files list them)",
    ),
}
_KINDS = {
    "thin evidence": "Thin evidence",
    "search": "Search",
    "length": "Length",
    UNJUDGED: "Claims removed because the model gave no verdict on them",
    UNCHECKED: UNCHECKED.capitalize(),
    "unfinished": "Not finished",
}
"""What is not finished stands last: what can be done about it follows."""


def word_warnings(survey: Survey) -> list[str]:
    """What a reader should know, each kind once."""
    counts: Counter[str] = Counter(w.kind for w in survey.warnings)
    told = [f"⚠ {counts[kind]} {_COUNTED[kind][counts[kind] > 1]}." for kind in _COUNTED if counts[kind]]
    for kind, name in _KINDS.items():
        found = [w for w in survey.warnings if _kind_of(w) == kind]
        if found:
            places = _name_places(found, name)
            detail = "" if kind == UNJUDGED else shorten(clean(_find_reason(found)), REASON_CHARACTERS)
            said = f"{places} ({detail})" if places and detail else places or detail
            told.append(f"⚠ {escape_markdown(f'{name}: {said}')}")
    if counts["unfinished"] and any(w.detail == UNWRITTEN or _kind_of(w) == UNCHECKED for w in survey.warnings):
        told.append("`back`, then `ok`, writes and checks what is missing; what is finished stays.")
        told += [MODEL_AWAY] if any(_SERVICE in warning.detail for warning in survey.warnings) else []
    return told


def _kind_of(warning: SurveyWarning) -> str:
    """The kind under which it is said; of what is not finished, claims not checked or without verdict are their own."""
    named = (kind for kind in (UNCHECKED, UNJUDGED) if warning.detail.startswith(kind))
    return next(named, warning.kind) if warning.kind == "unfinished" else warning.kind


def _name_places(found: Sequence[SurveyWarning], kind: str) -> str:
    """The first places but for one called as the ``kind``, each once: with its number where one warning has it."""
    places = dict.fromkeys(warning.place for warning in found if warning.place)
    numbered = {place.partition(" ")[2] for place in places if place[0].isdigit()}
    once = [shorten(clean(place), PLACE_CHARACTERS) for place in places if place not in numbered and place != kind]
    return ", ".join(list_first(once, MOST_PLACES, "and {} more"))


def _find_reason(found: Sequence[SurveyWarning]) -> str:
    """Why it is so, where all have one reason; empty where they have several."""
    if len(found) == 1:
        return found[0].detail.removeprefix(f"{UNCHECKED}: ")
    reasons = {warning.detail.rpartition(": ")[2] for warning in found} - {UNWRITTEN}
    return reasons.pop() if len(reasons) == 1 and found[0].kind == "unfinished" else ""
