"""What is said of papers that come into a library: what they lack, and merges undone."""

from __future__ import annotations

from collections.abc import Sequence

from bot.wording.sentences import counted
from engine.citations import reference_text
from engine.values import Paper


def without_abstracts(lacking: int, papers: int) -> str:
    """Papers that cannot stand behind a sentence."""
    return f"{lacking:,} of {papers:,} papers have no abstract: a survey can list them, but cannot quote them."


def merged_records(paper: Paper, records: Sequence[Paper]) -> str:
    """The records that a paper was merged from, numbered, and how to take one out."""
    if not records:
        return f"“{paper.title}” was made from one record; there is no merge to undo."
    listed = "\n".join(f"{n}. {_record(record)}" for n, record in enumerate(records, start=1))
    return (
        f"{paper.key} was merged from {counted(len(records), 'record')}:\n{listed}\n"
        f"Take one out with: scholium unmerge {paper.key} --record NUMBER"
    )


def unmerged(parts: Sequence[Paper]) -> str:
    """The papers that one was taken apart into."""
    listed = "\n".join(f"- {part.key}: {reference_text(part)}" for part in parts)
    return f"Taken apart into {counted(len(parts), 'paper')}, which will not be merged again:\n{listed}"


def _record(record: Paper) -> str:
    known = ", ".join(i for i in record.identifiers if not i.startswith("title:")) or "no identifier"
    return f"{reference_text(record)} ({known})"
