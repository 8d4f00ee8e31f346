"""Papers that people send, as lists or as texts: into the library of their workspace, seen in that workspace only."""

from __future__ import annotations

import asyncio
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from adapters.chat import Attachment, Incoming
from bot.app import App
from bot.conversation.services import Upload
from bot.serving.online_sources import online_sources
from bot.store.notes import note_sent
from bot.store.online_cache import StoredOnlineCache
from bot.store.sessions import Store
from bot.wording import ingesting as wording
from engine.errors import RecordError, RetrievalError, UserError
from engine.reading.full_text import FullText, from_pdf, title_page_of, titles_of
from engine.reading.open_access import TextFolder
from engine.reading.pdf_text import MOST_CHARACTERS, PdfText, read_pdf, read_plain
from engine.retrieval.libraries.combined import complete_records
from engine.retrieval.libraries.library import Library
from engine.retrieval.matching import recognise_document, stands_as_title
from engine.retrieval.online.sources import Online
from engine.retrieval.records.bounded_files import SENT, read_bounded
from engine.retrieval.records.record_files import begins_as_list
from engine.text import fold
from engine.values import Paper, PaperKey

LISTS = (".bib", ".ris", ".csv", ".jsonl", ".json", ".nbib", ".ciw", ".tsv", ".enw", ".xml", ".gz")
LARGEST_BYTES = 20 * 2**20
PATIENCE_S = 15.0
"""Somebody waits for the answer, so online services are not waited for as long as by a job."""


async def add_papers(app: App, store: Store, incoming: Incoming) -> Upload:
    """Add lists and papers, once it is noted who sent them. Raises `UserError` for a file that cannot be read."""
    upload, workspace = Upload(), incoming.conversation.workspace
    # Lists first: a paper that nobody knows yet may be described by a file sent with it.
    for attachment in sorted(incoming.attachments, key=lambda attached: not _is_list(attached)):
        try:
            await _read_attachment(app, store, incoming, attachment, upload)
        except UserError as error:
            if len(incoming.attachments) == 1:
                raise
            upload.rejected.append(RecordError(Path(attachment.name).name[:80], str(error)))
    if not upload.papers:
        raise UserError(f"There is no paper in what you sent.{wording.unread_records(upload.rejected)}")
    upload.papers[:] = await complete_records(upload.papers, await _open_known_papers(app, workspace))
    titles = {paper.key: paper.title for paper in upload.papers}
    await note_sent(store, incoming.conversation, incoming.person, titles)
    library = await app.libraries.workspace_library(workspace)
    report = await library.add(upload.papers)
    await library.index(lambda _: None)
    await app.libraries.refit_beside(library)
    for paper, text in upload.texts:
        await asyncio.to_thread(app.libraries.texts_of(workspace).save, paper.key, text)
    upload.said = wording.papers_added(
        report, upload.rejected, list({paper.key: paper for paper, _ in upload.texts}.values())
    )
    return upload


async def _read_attachment(app: App, store: Store, incoming: Incoming, attachment: Attachment, upload: Upload) -> None:
    name = Path(attachment.name).name[:80]
    if len(attachment.content) > LARGEST_BYTES:
        raise UserError(f"“{name}” is larger than {LARGEST_BYTES // 2**20} MB. Whoever runs Scholium can ingest it.")
    if _is_list(attachment):
        unknown = app.libraries.unknown_texts_of(incoming.conversation.workspace)
        await asyncio.to_thread(_read_list, attachment, upload, unknown)
    elif name.lower().endswith(TEXTS):
        await _read_text(app, store, incoming, attachment, upload)
    else:
        raise UserError(
            f"I cannot read “{name}”. I can read lists of papers ({', '.join(LISTS[:4])}) and papers as PDF or text."
        )


def _is_list(attachment: Attachment) -> bool:
    """Whether it lists papers; a text does so where it is the export of a database."""
    name = attachment.name.lower()
    return name.endswith(LISTS) or (name.endswith(".txt") and begins_as_list(attachment.content))


def _read_list(attachment: Attachment, upload: Upload, unknown: TextFolder) -> None:
    """Read its papers, with texts that were sent before; blocks while the file is read in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / re.sub(r"[^\w. -]", "_", Path(attachment.name).name)[-80:]
        path.write_bytes(attachment.content)
        for item in read_bounded(path, lambda _, __: None, SENT):
            if isinstance(item, Paper):
                upload.papers.append(item)
                if text := unknown.take(title_key(item.title)):
                    upload.texts.append((item, text))
            else:
                upload.rejected.append(item)


async def _read_text(app: App, store: Store, incoming: Incoming, attachment: Attachment, upload: Upload) -> None:
    """A paper as PDF or text. Raises `UserError` where it cannot be read, or is no paper that anybody knows."""
    file = await asyncio.to_thread(read_paper_file, Path(attachment.name).name[:80], attachment.content)
    paper = next((paper for paper in upload.papers if stands_as_title(paper.title, file.title_page)), None)
    if paper is None:
        workspace, online = incoming.conversation.workspace, None
        if app.settings.online != "never":
            online = online_sources(app.settings, app.web(StoredOnlineCache(store)), PATIENCE_S)
        paper = await find_paper(file, await _open_known_papers(app, workspace), online)
        if paper is None:
            unknown = app.libraries.unknown_texts_of(workspace)
            key = title_key(file.text.title)
            await note_sent(store, incoming.conversation, incoming.person, {key: file.text.title})
            await asyncio.to_thread(unknown.save, key, file.text)
            raise UserError(f"{say_unknown(file)} Send a BibTeX file that has it; I keep the text until then.")
        upload.papers.append(paper)
    upload.texts.append((paper, file.text))


async def _open_known_papers(app: App, workspace: str) -> Library:
    libraries, name = app.libraries, app.default_library()
    return await app.join_papers(await libraries.library(name) if name in libraries.names() else None, workspace)


def title_key(title: str) -> PaperKey:
    return PaperKey(f"title:{fold(title)}")


TEXTS = (".pdf", ".txt")


@dataclass(frozen=True, slots=True)
class PaperFile:
    """A file as it was read: its pages, its text in sections, and where its title stands."""

    pages: PdfText
    text: FullText
    title_page: str


def read_paper_file(name: str, content: bytes) -> PaperFile:
    """What a file says; blocks, so call it in a thread. Raises `UserError` where it cannot be read."""
    if Path(name).suffix.lower() == ".pdf":
        pages = read_pdf(name, content)
    else:
        pages = read_plain(content.decode("utf-8", "replace")[:MOST_CHARACTERS])
    return PaperFile(pages, from_pdf(pages, name), title_page_of(pages))


async def find_paper(file: PaperFile, library: Library, online: Online | None) -> Paper | None:
    """The paper that a file is, never made up; ``None`` where none is known. Raises `UserError` where services fail."""
    try:
        return await recognise_document(file.pages.first_page, file.title_page, titles_of(file.pages), library, online)
    except RetrievalError as error:
        raise UserError(
            f"I read “{file.text.source}”, but could not look up which paper it is ({error}) "
            "Send it again later, or with a BibTeX file that has its DOI."
        ) from error


def say_unknown(file: PaperFile) -> str:
    return (
        f"I read “{file.text.source}”, but found no paper with its DOI, arXiv id or title "
        f"(“{file.text.title[:120]}”), and I do not make up references."
    )
