"""How a survey was searched, as systematic reviews report it: found, merged, left out and why, used (PRISMA)."""

from __future__ import annotations

from engine.values import PaperSelection

WITHOUT_ROOM = "Left out though relevant, beyond the share of tokens"


def search_flow(selection: PaperSelection) -> tuple[tuple[str, int], ...]:
    """Names and numbers in the order of the work; each paper that was found is in exactly one of the last lines."""
    why = [item.why for item in selection.all_left_out()]
    retracted, irrelevant, without_room = (why.count(reason) for reason in ("retracted", "not relevant", "no room"))
    used = len(selection.list_included())
    different = len(selection.found) + irrelevant + without_room + selection.beyond
    return (
        ("Records found", different + selection.repeats),
        ("Repeats of a paper", selection.repeats),
        ("Different papers", different),
        ("Left out as retracted", retracted),
        ("Left out as not relevant", irrelevant),
        *(((WITHOUT_ROOM, without_room),) if without_room else ()),  # a quick review only
        ("Left out because enough were better", selection.beyond),
        ("Left out by the reader", len(selection.found) - used - retracted),
        ("Papers gathered", used),
    )
