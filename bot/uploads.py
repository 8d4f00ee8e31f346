"""Files with papers that a person sends: into the library of their workspace, seen in that workspace only."""

from __future__ import annotations

import tempfile
from pathlib import Path

from adapters.chat import Incoming
from bot import wording
from bot.app import App
from engine.errors import RecordError, UserError
from engine.retrieval.records import read_papers
from engine.values import Paper

KINDS = (".bib", ".ris", ".csv", ".jsonl", ".json", ".gz")
LARGEST_BYTES = 20 * 2**20


async def add_papers(app: App, incoming: Incoming) -> str:
    """What became of the files; raises `UserError` for one that cannot be read as a list of papers."""
    found: list[Paper] = []
    rejected: list[RecordError] = []
    for attachment in incoming.attachments:
        name = Path(attachment.name).name
        if not name.lower().endswith(KINDS):
            raise UserError(f"I cannot read “{name[:80]}” yet. I can read lists of papers: {', '.join(KINDS[:4])}.")
        if len(attachment.content) > LARGEST_BYTES:
            raise UserError(f"“{name[:80]}” is larger than {LARGEST_BYTES // 2**20} MB. Use: scholium ingest FILE")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"upload{''.join(Path(name.lower()).suffixes[-2:])}"
            path.write_bytes(attachment.content)
            for item in read_papers(path, lambda _, __: None):
                if isinstance(item, Paper):
                    found.append(item)
                else:
                    rejected.append(item)
    if not found:
        why = f" {rejected[0]}" if rejected else ""
        raise UserError(f"There is no paper in what you sent.{why}")
    library = await app.shelf.workspace_library(incoming.conversation.workspace)
    report = await library.add(found)
    await library.index(lambda _: None)
    return wording.papers_added(report, len(rejected))
