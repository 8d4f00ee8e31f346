"""Edits of proposals: keywords, papers, which section a paper belongs to. Pure."""

from __future__ import annotations

from dataclasses import replace

from engine.errors import UserError, pick
from engine.session.events import EditPapers
from engine.session.outline_edits import place_paper
from engine.text import shorten
from engine.values import Keyword, KeywordPool, Outline, PaperSelection

LONGEST_KEYWORD = 200
"""Characters of a search phrase that a person adds."""


def edit_keywords(pool: KeywordPool, add: tuple[str, ...], drop: tuple[str, ...]) -> KeywordPool:
    """The pool with keywords added and dropped. Raises `UserError` for the topic and for one that is not there."""
    if long := [text for text in add if len(text) > LONGEST_KEYWORD]:
        raise UserError(f"A keyword has at most {LONGEST_KEYWORD} characters; this one has {len(long[0]):,}.")
    topic, *rest = pool.keywords
    gone = {text.casefold() for text in drop}
    if topic.text.casefold() in gone:
        raise UserError("The topic itself stays a keyword. To change it, say: start over")
    unknown = [text for text in drop if text not in pool]
    if unknown:
        raise UserError(f"“{shorten(unknown[0], LONGEST_KEYWORD)}” is not among the keywords.")
    wanted = {text.casefold() for text in add}  # what was proposed and is asked for is the person's from now on
    owned = (replace(k, origin="person") if k.text.casefold() in wanted else k for k in rest)
    new = [Keyword(text, "person") for text in dict.fromkeys(add) if text not in pool]
    return replace(pool, keywords=(topic, *(k for k in owned if k.text.casefold() not in gone), *new))


def move_paper(outline: Outline, papers: PaperSelection, position: int, place: str) -> Outline:
    """The outline with the paper at that position of the list (from 1) in the section of that number."""
    return place_paper(outline, pick("paper", papers.found, position, "the list").paper, place)


def follow_selection(before: PaperSelection | None, found: PaperSelection, outline: Outline | None) -> PaperSelection:
    """The newly gathered papers, of which those left out before stay out; none that the ``outline`` holds is lost."""
    if before is None:
        return found
    listed = {item.paper.key for item in found.found}
    held = {key for node in outline.nodes for key in node.all_papers()} if outline else set()
    kept = tuple(item for item in before.found if item.paper.key in held - listed)
    excluded = tuple(dict.fromkeys((*before.excluded, *found.excluded)))
    return replace(found, found=(*found.found, *kept), excluded=excluded)


def edit_papers(selection: PaperSelection, edit: EditPapers) -> PaperSelection:
    """The selection with papers left out and taken in again. Raises `UserError` for a position that is not there."""
    out, taken_in = (
        [pick("paper", selection.found, at, "the list").paper.key for at in positions]
        for positions in (edit.exclude, edit.include)
    )
    excluded = dict.fromkeys((*selection.excluded, *out))
    return replace(selection, excluded=tuple(key for key in excluded if key not in taken_in))


ONE_SURVEY = "Only one survey was written. SCHOLIUM_CANDIDATES=2 has autosurvey or surveyx write two."
