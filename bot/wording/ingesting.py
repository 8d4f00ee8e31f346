"""What is said of papers that come into a library: what became of files, what they lack, merges undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bot.wording.sentences import list_first, pluralize
from engine.citations import reference_text
from engine.errors import RecordError
from engine.rendering.markdown import escape_markdown
from engine.retrieval.libraries.library import AddReport
from engine.retrieval.records.record_fields import UNREADABLE
from engine.text import shorten
from engine.values import Paper

SHOWN_FIELDS, SHOWN_REJECTIONS = 12, 5
"""A file may have thousands of them."""


def word_missing_abstracts(lacking: int, papers: int) -> str:
    have, them = ("has", "it") if lacking == 1 else ("have", "them")
    lack = f"{lacking:,} of {pluralize(papers, 'paper')} {have} no abstract"
    return f"{lack}: a survey can list {them}, but cannot quote {them}."


def no_records(name: str, beginning: bytes) -> str:
    """A file in which nothing was found, and what it is where its beginning tells."""
    start = beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        return f"{name} is empty."
    if start.startswith((b"<!doctype html", b"<html")):
        return f"{name} is a web page, perhaps the one to sign in at. Export the references once more."
    return f"{name} holds no record that I can read."


def texts_read(count: int) -> str:
    return f"The text of {pluralize(count, 'paper')} was read; answers and checks of a survey use it."


def word_dropped_fields(dropped: Mapping[str, int], papers: int) -> Iterator[str]:
    """Fields of the files that could not be read, then those that are not kept, the most frequent first."""
    listed = sorted(dropped.items(), key=lambda item: (-item[1], item[0]))
    for unreadable, what in ((True, "could not be read"), (False, "not kept")):
        names = [(name, count) for name, count in listed if name.endswith(UNREADABLE) == unreadable]
        if names:
            said = (f", {name.removesuffix(UNREADABLE)} in {count:,}" for name, count in names)
            shown = "".join(list_first([*said], SHOWN_FIELDS, " and {:,} other fields")).removeprefix(", ")
            yield f"Of {pluralize(papers, 'record')}, {what}: {shown}."


def list_merged_records(paper: Paper, records: Sequence[Paper]) -> str:
    """The records that a paper was merged from, numbered, and how to take one out."""
    if not records:
        return f"“{paper.title}” was made from one record; there is no merge to undo."
    lines = [f"{paper.key} was merged from {pluralize(len(records), 'record')}:"]
    for number, record in enumerate(records, start=1):
        known = ", ".join(i for i in record.identifiers if not i.startswith("title:")) or "no identifier"
        lines.append(f"{number}. {reference_text(record)} ({known})")
    return "\n".join([*lines, f"Take one out with: scholium unmerge {paper.key} --record NUMBER"])


def no_papers_of(workspace: str) -> str:
    return f"The workspace {workspace} has added no papers. Check its name."


def word_unmerged(parts: Sequence[Paper]) -> str:
    listed = "\n".join(f"- {part.key}: {reference_text(part)}" for part in parts)
    return f"Taken apart into {pluralize(len(parts), 'paper')}, which will not be merged again:\n{listed}"


def papers_added(report: AddReport, rejected: Sequence[RecordError], read: Sequence[Paper]) -> str:
    """What became of files with papers; ``read`` are those whose text was kept."""
    texts = "".join(f"\n- I read {escape_markdown(reference_text(paper))} " for paper in read)
    known = report.updated + report.unchanged
    there = f", {known} {'was' if known == 1 else 'were'} there already" if known else ""
    return (
        f"{pluralize(report.added, 'paper')} added{there}. Only this workspace sees them; they are found when "
        f"papers are searched again.{texts}{unread_records(rejected)}"
    )


def unread_records(rejected: Sequence[RecordError]) -> str:
    """The records that could not be read, or not surely whole, the first few with reasons; empty without any."""
    told = ""
    for was_read, what in ((False, "could not be read"), (True, "read, but to be checked")):
        lines = [f"\n- {escape_markdown(shorten(str(e), 300))}" for e in rejected if e.was_read == was_read]
        shown = "".join(list_first(lines, SHOWN_REJECTIONS, "\n- … and {:,} more"))
        told += f"\n\n{pluralize(len(lines), 'record')} {what}:{shown}" if lines else ""
    return told
