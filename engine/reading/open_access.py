"""Where the text of a paper can be had: arXiv's HTML or PDF, an open-access link, Unpaywall; each read once."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
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
    """What a job reads full texts from."""

    async def read(
        self, papers: Sequence[Paper], most: int, on_read: Callable[[int, int], Awaitable[None]]
    ) -> dict[PaperKey, FullText]:
        """Texts of at most so many of the papers, the first first; those that cannot be had are left out."""


class Pictures(Protocol):
    """Where the pictures of figures are fetched."""

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
    contact: str = ""
    arxiv_url: str = "https://arxiv.org"
    wait_for_host: Callable[[str], Awaitable[None]] | None = None
    """Waits for our turn at the host of an address, where it wants a pace."""
    online: bool = True
    """Whether anything may be fetched; without it only what was read before is given."""
    budget: TextBudget = TextBudget()
    unread: dict[PaperKey, str] = field(default_factory=dict)
    """Papers whose text could not be had, and why."""
    _fetched: int = 0
    """Bytes fetched so far."""

    async def read(
        self, papers: Sequence[Paper], most: int, on_read: Callable[[int, int], Awaitable[None]]
    ) -> dict[PaperKey, FullText]:
        """Texts of at most so many papers: those at hand, then the first that have a place to be fetched from."""
        found: dict[PaperKey, FullText] = {}
        for paper in papers:
            for key in dict.fromkeys((paper.key, *paper.identifiers)):
                text = await asyncio.to_thread(lambda key: self.own.load(key) or self.shared.load(key), key)
                if text:
                    found[paper.key] = text
                    break
        missing = [p for p in papers if p.key not in found] if self.online else []
        places = ("arxiv:", "doi:") if self._asks_unpaywall else ("arxiv:",)
        for paper in missing:
            if not paper.pdf and not any(identifier.startswith(places) for identifier in paper.identifiers):
                self.unread[paper.key] = "no open-access text is known"
        wanted = [p for p in missing if p.key not in self.unread][: max(0, most - len(found))]
        gate = asyncio.Semaphore(AT_ONCE)
        done, begun, fetched = 0, self.budget.now(), self._fetched

        async def one(paper: Paper) -> None:
            nonlocal done
            async with gate:
                late = self.budget.now() - begun > self.budget.seconds
                if late or self._fetched - fetched > self.budget.bytes:
                    self.unread[paper.key] = f"the {'time' if late else 'bytes'} for full texts had been used up"
                    return
                try:
                    found[paper.key] = await self._fetch(paper)
                except ScholiumError as error:
                    self.unread[paper.key] = str(error)
            done += 1
            await on_read(done, len(wanted))

        async with asyncio.TaskGroup() as group:
            for paper in wanted:
                group.create_task(one(paper))
        return dict(list(found.items())[:most])

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

    @property
    def _asks_unpaywall(self) -> bool:
        return self.unpaywall is not None and bool(self.contact)

    async def _fetch(self, paper: Paper) -> FullText:
        """The first place that gives a text. Raises what the last place said."""
        error: ScholiumError = RetrievalError("no open-access text is known")
        async for url in self._places(paper):
            try:
                download = await self._download(url)
                if download.kind in {"text/html", "application/xhtml+xml"}:
                    text = await asyncio.to_thread(read_html, download.content, download.url)
                else:
                    pdf = await asyncio.to_thread(read_pdf, download.url, download.content)
                    text = await asyncio.to_thread(from_pdf, pdf, download.url)
            except ScholiumError as failed:
                error = failed
                continue
            await asyncio.to_thread(self.shared.save, paper.key, text)
            return text
        raise error

    async def _places(self, paper: Paper) -> AsyncIterator[str]:
        """Addresses to try, the best first; Unpaywall is asked only where the others gave nothing."""
        places: list[str] = []
        for identifier in paper.identifiers:
            if identifier.startswith("arxiv:"):
                number = identifier.removeprefix("arxiv:")
                places += [f"{self.arxiv_url}/html/{number}", f"{self.arxiv_url}/pdf/{number}"]
        places += [paper.pdf] if paper.pdf else []
        for place in dict.fromkeys(places):
            yield place
        doi = next((i.removeprefix("doi:") for i in paper.identifiers if i.startswith("doi:")), "")
        if not doi or not self.unpaywall or not self._asks_unpaywall:
            return
        ask = ServiceRequest(f"/v2/{doi}", {"email": self.contact}, may_be_absent=True)
        answer = (await self.unpaywall.ask(ask))[0] or {}
        # The best location first, of each the PDF before the page.
        locations = [answer.get("best_oa_location"), *(answer.get("oa_locations") or ())]
        named = [location.get(kind) for location in locations if location for kind in ("url_for_pdf", "url")]
        for place in list(dict.fromkeys(link for link in named if isinstance(link, str) and link))[:LOCATIONS]:
            if place not in places:
                yield place
