"""Where the text of a paper can be had: arXiv's HTML or PDF, an open-access link, Unpaywall; each read once."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter, ValidationError

from engine.errors import RetrievalError, ScholiumError
from engine.reading.downloading import Download, Downloader
from engine.reading.full_text import FullText, from_pdf
from engine.reading.html_page import read_html
from engine.reading.paper_figures import Picture, redraw_picture
from engine.reading.pdf_text import read_pdf
from engine.retrieval.online.transport import ScholarlyService, ServiceRequest
from engine.values import Paper, PaperKey

AT_ONCE = 4
LOCATIONS = 5
"""Places of one paper that Unpaywall names and that are tried."""
_STORED = TypeAdapter(FullText)


class FullTexts(Protocol):
    """What a job reads full texts from, and the pictures of their figures."""

    async def read(
        self, papers: Sequence[Paper], most: int, on_read: Callable[[int, int], Awaitable[None]]
    ) -> dict[PaperKey, FullText]:
        """Texts of at most so many of the papers, the first first; those that cannot be had are left out."""

    async def fetch_picture(self, address: str) -> Picture:
        """The picture of a figure, drawn again. Raises `ScholiumError` where it cannot be had."""


@dataclass(frozen=True, slots=True)
class TextFolder:
    """Texts that were read, each in a file."""

    folder: Path

    def save(self, key: PaperKey, text: FullText) -> None:
        """Keep a text, in place of an earlier one of the same paper."""
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self._file(key).with_suffix(".new")
        draft.write_bytes(_STORED.dump_json(text))
        draft.replace(self._file(key))

    def load(self, key: PaperKey) -> FullText | None:
        """The text, ``None`` where there is none."""
        try:
            return _STORED.validate_json(self._file(key).read_bytes())
        except (FileNotFoundError, ValidationError):  # the second was written by another version: read it again
            return None

    def take(self, key: PaperKey) -> FullText | None:
        """The text, which is not kept here any longer; ``None`` where there is none."""
        text = self.load(key)
        self._file(key).unlink(missing_ok=True)
        return text

    def holds(self, key: PaperKey) -> bool:
        """Whether a text of the paper is kept here."""
        return self._file(key).exists()

    def _file(self, key: PaperKey) -> Path:
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


@dataclass(frozen=True, slots=True)
class TextBudget:
    """What fetching the texts of one survey may take; after that no further one is begun."""

    seconds: float = 300.0
    bytes: int = 200_000_000
    now: Callable[[], float] = time.monotonic


@dataclass
class OpenAccess:
    """Reads what is openly there; ``own`` are the texts that the workspace uploaded, which come first."""

    downloader: Downloader
    shared: TextFolder
    own: TextFolder
    unpaywall: ScholarlyService | None = None
    """Asked with the e-mail address of those who run this; ``None`` where they gave none."""
    arxiv_url: str = "https://arxiv.org"
    wait_for_host: Callable[[str], Awaitable[None]] | None = None
    """Waits for our turn at the host of an address, where it wants a pace."""
    online: bool = True
    """Whether anything may be fetched; without it only what was read before is given."""
    budget: TextBudget = TextBudget()
    _fetched: int = 0
    """Bytes fetched so far."""

    async def read(
        self, papers: Sequence[Paper], most: int, on_read: Callable[[int, int], Awaitable[None]]
    ) -> dict[PaperKey, FullText]:
        """Texts of at most so many papers: those at hand, then the first that have a place to be fetched from."""
        held = {paper.key: await asyncio.to_thread(self._load, paper) for paper in papers}
        found = {key: text for key, text in held.items() if text}
        missing = [p for p in papers if p.key not in found and (p.is_open or self._doi_of(p))] if self.online else []
        wanted = missing[: max(0, most - len(found))]
        gate = asyncio.Semaphore(AT_ONCE)
        done, begun = 0, self.budget.now()

        async def one(paper: Paper) -> None:
            nonlocal done
            async with gate:
                if self.budget.now() - begun <= self.budget.seconds and self._fetched <= self.budget.bytes:
                    with suppress(ScholiumError):
                        if text := await self._fetch(paper):
                            found[paper.key] = text
            done += 1
            await on_read(done, len(wanted))

        async with asyncio.TaskGroup() as group:
            for paper in wanted:
                group.create_task(one(paper))
        return dict(list(found.items())[:most])

    def _load(self, paper: Paper) -> FullText | None:
        """The text that was read before, the workspace's own first."""
        names = dict.fromkeys((paper.key, *paper.identifiers))
        held = (folder.load(name) for name in names for folder in (self.own, self.shared))
        return next(filter(None, held), None)

    def _doi_of(self, paper: Paper) -> str:
        """What Unpaywall can be asked by; empty where there is none, or nobody to ask."""
        dois = (i.removeprefix("doi:") for i in paper.identifiers if i.startswith("doi:"))
        return next(dois, "") if self.unpaywall else ""

    async def fetch_picture(self, address: str) -> Picture:
        """The picture of a figure, drawn again. Raises `ScholiumError` where it cannot be had."""
        if not self.online or self._fetched > self.budget.bytes:
            raise RetrievalError("nothing more may be fetched")
        return await asyncio.to_thread(redraw_picture, (await self._download(address)).content)

    async def _download(self, url: str) -> Download:
        if self.wait_for_host:
            await self.wait_for_host(url)
        download = await self.downloader.fetch(url)
        self._fetched += len(download.content)
        return download

    async def _fetch(self, paper: Paper) -> FullText | None:
        """The first place's text that can be read; ``None`` where there is none."""
        async for url in self._places(paper):
            with suppress(ScholiumError):
                text = await asyncio.to_thread(_read, await self._download(url))
                await asyncio.to_thread(self.shared.save, paper.key, text)
                return text
        return None

    async def _places(self, paper: Paper) -> AsyncIterator[str]:
        """Addresses to try, the best first; Unpaywall is asked only where the others gave nothing."""
        numbers = [name.removeprefix("arxiv:") for name in paper.identifiers if name.startswith("arxiv:")]
        at_arxiv = [f"{self.arxiv_url}/{kind}/{number}" for number in numbers for kind in ("html", "pdf")]
        places = dict.fromkeys(filter(None, (*at_arxiv, paper.pdf)))
        for place in places:
            yield place
        if not self.unpaywall or not (doi := self._doi_of(paper)):
            return
        answer = (await self.unpaywall.ask(ServiceRequest(f"/v2/{doi}", may_be_absent=True)))[0] or {}
        # The best location first, of each the PDF before the page.
        locations = [answer.get("best_oa_location"), *(answer.get("oa_locations") or ())]
        named = [location.get(kind) for location in locations if location for kind in ("url_for_pdf", "url")]
        for place in list(dict.fromkeys(link for link in named if isinstance(link, str) and link))[:LOCATIONS]:
            if place not in places:
                yield place


def _read(download: Download) -> FullText:
    if download.kind in {"text/html", "application/xhtml+xml"}:
        return read_html(download.content, download.url)
    return from_pdf(read_pdf(download.url, download.content), download.url)
