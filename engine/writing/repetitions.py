"""What one subsection says is not said again by a later one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from engine.checking.back_references import is_dangling
from engine.citations import list_cited_keys, replace_citations
from engine.survey import Claim, ClaimTally
from engine.text import join_sentences, split_sentences
from engine.writing.drafting import Draft

SAME = 93.0
"""Least likeness, of 100, of two sentences about one paper and with the same numbers, from which they say the same."""

MOST_GONE = 1 / 3
"""Share of a subsection's claims that may go so; where more are repeated, its papers are too few for more words."""

FEWEST_LEFT = 3
"""Claims that a subsection keeps."""


def remove_repeated(draft: Draft, said: Sequence[Claim]) -> Draft:
    """The draft without its claims that those ``said`` before make in nearly the same words; they count as removed.

    One on which the next sentence rests stays.
    """
    repeated = {claim.text for claim in draft.claims if any(_say_the_same(claim, other) for other in said)}
    may_go = min(int(MOST_GONE * len(draft.claims)), len(draft.claims) - FEWEST_LEFT)
    paragraphs: list[list[str]] = []
    gone: set[str] = set()
    for lines in split_sentences(draft.text):
        left: list[str | None] = []
        for at, line in enumerate(lines):
            leads = at + 1 < len(lines) and is_dangling(lines[at + 1], [*left, None])
            if line in repeated and not leads and len(gone) < may_go:
                gone.add(line)
                left.append(None)
            else:
                left.append(line)
        paragraphs.append([line for line in left if line])
    removed = [claim for claim in draft.claims if claim.text in gone]
    if not removed:
        return draft
    tally = draft.tally and draft.tally.without(removed).plus(ClaimTally(claims=len(removed), removed=len(removed)))
    claims = tuple(claim for claim in draft.claims if claim.text not in gone)
    return replace(draft, text=join_sentences(paragraphs), claims=claims, tally=tally)


def _say_the_same(one: Claim, other: Claim) -> bool:
    if not set(list_cited_keys(one.text)) & set(list_cited_keys(other.text)):
        return False
    texts = [replace_citations(claim.text, lambda _: "").casefold() for claim in (one, other)]
    numbers = [re.findall(r"\d+", text) for text in texts]
    return numbers[0] == numbers[1] and fuzz.ratio(*texts) >= SAME
