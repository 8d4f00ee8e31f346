"""Files with papers that a person sends: into the library of their workspace, seen in that workspace only."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from adapters.chat import Attachment, Incoming
from bot.app import App
from bot.conversation.services import Upload
from bot.serving.sources import online_sources
from bot.wording import uploads as wording
from engine.errors import RetrievalError, UserError
from engine.reading.full_text import FullText, from_pdf, titles_of
from engine.reading.pdf import MOST_CHARACTERS, PdfText, read_pdf
from engine.retrieval.bounded_files import SENT, read_bounded
from engine.retrieval.libraries.joint import JointLibrary
from engine.retrieval.libraries.library import EmptyLibrary, Library
from engine.retrieval.matching import recognise_document, stands_as_title
from engine.retrieval.online.transport import OnlineCache
from engine.values import Paper

LISTS = (".bib", ".ris", ".csv", ".jsonl", ".json", ".nbib", ".ciw", ".tsv", ".gz")
TEXTS = (".pdf", ".txt")
LARGEST_BYTES = 20 * 2**20
PATIENCE_S = 15.0
"""Somebody waits for the answer, so online services are not waited for as long as by a job."""


async def add_papers(app: App, incoming: Incoming, memory: OnlineCache) -> Upload:
    """Lists of papers, and papers themselves; raises `UserError` for a file that cannot be read."""
    upload = Upload()
    # Lists first: a paper that nobody knows yet may be described by a file sent with it.
    for attachment in sorted(incoming.attachments, key=lambda a: not a.name.lower().endswith(LISTS)):
        name = Path(attachment.name).name[:80]
        if len(attachment.content) > LARGEST_BYTES:
            raise UserError(f"“{name}” is larger than {LARGEST_BYTES // 2**20} MB. Use: scholium ingest FILE")
        if name.lower().endswith(LISTS):
            await asyncio.to_thread(_read_list, attachment, upload)
        elif name.lower().endswith(TEXTS):
            await _read_text(app, incoming.conversation.workspace, attachment, memory, upload)
        else:
            raise UserError(
                f"I cannot read “{name}”. I can read lists of papers ({', '.join(LISTS[:4])}) "
                "and papers as PDF or text."
            )
    if not upload.papers:
        raise UserError(f"There is no paper in what you sent.{wording.unread_records(upload.rejected)}")
    workspace = incoming.conversation.workspace
    library = await app.libraries.workspace_library(workspace)
    report = await library.add(upload.papers)
    await library.index(lambda _: None)
    for paper, text in upload.texts:
        await asyncio.to_thread(app.libraries.texts_of(workspace).save, paper.key, text)
    upload.said = wording.papers_added(report, upload.rejected, [paper for paper, _ in upload.texts])
    return upload


def _read_list(attachment: Attachment, upload: Upload) -> None:
    """Blocks while the file is read in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / re.sub(r"[^\w. -]", "_", Path(attachment.name).name)[-80:]
        path.write_bytes(attachment.content)
        for item in read_bounded(path, lambda _, __: None, SENT):
            if isinstance(item, Paper):
                upload.papers.append(item)
            else:
                upload.rejected.append(item)


async def _read_text(app: App, workspace: str, attachment: Attachment, memory: OnlineCache, upload: Upload) -> None:
    """A paper as PDF or text. Raises `UserError` where it cannot be read, or is no paper that anybody knows."""
    name = Path(attachment.name).name[:80]
    if name.lower().endswith(".pdf"):
        pdf = await asyncio.to_thread(read_pdf, name, attachment.content)
    else:
        pdf = PdfText("", (attachment.content.decode("utf-8", "replace")[:MOST_CHARACTERS],))
    text = await asyncio.to_thread(from_pdf, pdf, name)
    paper = next((paper for paper in upload.papers if stands_as_title(paper.title, pdf.pages[0])), None)
    if paper is None:
        paper = await _find_paper(app, workspace, pdf, text, memory)
        upload.papers.append(paper)
    upload.texts.append((paper, text))


async def _find_paper(app: App, workspace: str, pdf: PdfText, text: FullText, memory: OnlineCache) -> Paper:
    """The paper's true metadata. Raises `UserError` where nobody knows it: they are never made up."""
    never = app.settings.online == "never"
    online = None if never else online_sources(app.settings, app.web(memory), PATIENCE_S)
    name = app.default_library()
    library: Library = await app.libraries.library(name) if name in app.libraries.names() else EmptyLibrary()
    if await app.libraries.has_papers(workspace):
        library = JointLibrary(await app.libraries.workspace_library(workspace), library)
    try:
        paper = await recognise_document(pdf.pages[0], titles_of(pdf), library, online)
    except RetrievalError as error:
        raise UserError(
            f"I read “{text.source}”, but could not look up which paper it is ({error}) "
            "Send it again later, or with a BibTeX file that has its DOI."
        ) from error
    if paper is None:
        raise UserError(
            f"I read “{text.source}”, but found no paper with its DOI, arXiv id or title "
            f"(“{text.title[:120]}”), and I do not make up references. Send a BibTeX file with it."
        )
    return paper
