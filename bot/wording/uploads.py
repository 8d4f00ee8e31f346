"""What became of files with papers that a person sent."""

from __future__ import annotations

from collections.abc import Sequence

from bot.wording.sentences import pluralize
from engine.citations import reference_text
from engine.errors import DoubtfulRecord, RecordError
from engine.rendering.markdown import escape_markdown
from engine.retrieval.libraries.library import AddReport
from engine.text import shorten
from engine.values import Paper


def papers_added(report: AddReport, rejected: Sequence[RecordError], read: Sequence[Paper]) -> str:
    """What became of files with papers; ``read`` are those whose text was kept."""
    texts = "".join(f"\n- I read {escape_markdown(reference_text(paper))} " for paper in read)
    known = report.updated + report.unchanged
    there = f", {known} {'was' if known == 1 else 'were'} there already" if known else ""
    return (
        f"{pluralize(report.added, 'paper')} added{there}. Only this workspace sees them; they are found when "
        f"papers are searched again.{texts}{unread_records(rejected)}"
    )


SHOWN_REJECTIONS = 5
"""A file may have thousands of them."""


def unread_records(rejected: Sequence[RecordError]) -> str:
    """The records that could not be read, or only with doubt, the first few with their reasons; empty without any."""
    doubtful = [error for error in rejected if isinstance(error, DoubtfulRecord)]
    unread = [error for error in rejected if error not in doubtful]
    be = "was" if len(doubtful) == 1 else "were"
    return _list_errors(unread, "could not be read") + _list_errors(doubtful, f"{be} read, but should be checked")


def _list_errors(errors: Sequence[RecordError], what: str) -> str:
    if not errors:
        return ""
    lines = "".join(f"\n- {escape_markdown(shorten(str(error), 300))}" for error in errors[:SHOWN_REJECTIONS])
    more = f"\n- … and {len(errors) - SHOWN_REJECTIONS:,} more" if len(errors) > SHOWN_REJECTIONS else ""
    return f"\n\n{pluralize(len(errors), 'record')} {what}:{lines}{more}"
