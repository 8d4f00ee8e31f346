"""The online sources that the settings name."""

from __future__ import annotations

from pydantic import SecretStr

from bot.settings import Settings
from engine.reading.downloading import Downloader
from engine.reading.open_access import OpenAccess, TextBudget, TextFolder
from engine.retrieval.online import crossref as crossref_service
from engine.retrieval.online import publishers, pubmed
from engine.retrieval.online.arxiv import Arxiv
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import INTERVAL_S, OpenAlex
from engine.retrieval.online.semantic_scholar import SemanticScholar, interval_s
from engine.retrieval.online.sources import Online
from engine.retrieval.online.transport import DAY_S, OnlineTransport, ScholarlyService, ServicePolicy
from engine.retrieval.online.wikipedia import Wikipedia


def online_sources(settings: Settings, web: OnlineTransport, patience_s: float | None = None) -> Online:
    """Semantic Scholar first, then OpenAlex, then arXiv; for one job."""
    fresh_s = settings.online_cache_days * DAY_S
    patience_s = patience_s or settings.online_seconds
    key = text_of(settings.semantic_scholar_api_key)
    rate = settings.semantic_scholar_per_second
    pace = ServicePolicy(1 / rate if rate else interval_s(key), patience_s, fresh_s=fresh_s)
    scholar = SemanticScholar(web, key, settings.semantic_scholar_api_url, pace)
    open_alex = OpenAlex(
        web,
        text_of(settings.openalex_api_key),
        settings.openalex_api_url,
        ServicePolicy(INTERVAL_S, patience_s, fresh_s=fresh_s),
    )
    arxiv = Arxiv(web, settings.arxiv_api_url, ServicePolicy(3.0, patience_s, fresh_s=fresh_s))
    pace = ServicePolicy(crossref_service.interval_s(web.contact), patience_s, fresh_s=fresh_s)
    crossref = Crossref(web, settings.crossref_api_url, pace)
    ncbi = text_of(settings.ncbi_api_key)
    pace = ServicePolicy(pubmed.interval_s(ncbi), patience_s, fresh_s=fresh_s)
    life_sciences = pubmed.PubMed(web, ncbi, settings.pubmed_api_url, pace)
    pace = ServicePolicy(publishers.INTERVAL_S, patience_s, fresh_s=fresh_s)
    keyed = [make(web, key, pace) for make, key in _publishers(settings).values()]
    return Online(scholar, (open_alex, arxiv), open_alex, crossref, life_sciences, keyed)


def list_publishers(settings: Settings) -> tuple[str, ...]:
    """The publishers whose keys are set, as a person calls them."""
    return tuple(_publishers(settings))


def _publishers(settings: Settings) -> dict[str, tuple[publishers.MakeSearch, str]]:
    keys = {"springer": text_of(settings.springer_api_key)}
    elsevier = text_of(settings.elsevier_api_key)
    return {name: (make, key) for name, make in publishers.PUBLISHERS.items() if (key := keys.get(name, elsevier))}


def wikipedia(settings: Settings, web: OnlineTransport) -> Wikipedia:
    """The encyclopedia."""
    policy = ServicePolicy(0.5, settings.online_seconds, fresh_s=settings.online_cache_days * DAY_S)
    return Wikipedia(web, settings.wikipedia_url, policy)


def downloader(settings: Settings) -> Downloader:
    """What fetches full texts."""
    parts = (host.rpartition(":") for host in settings.trusted_hosts)
    trusted = frozenset((name, int(port)) for name, _, port in parts if port.isdigit())
    return Downloader(settings.contact, trusted)


def open_access(
    settings: Settings, web: OnlineTransport, fetcher: Downloader, own: TextFolder, *, online: bool
) -> OpenAccess:
    """Full texts: the workspace's own, those read before, and, ``online``, what is openly there."""
    policy = ServicePolicy(0.2, min(20.0, settings.online_seconds), fresh_s=settings.online_cache_days * DAY_S)
    return OpenAccess(
        fetcher,
        TextFolder(settings.home / "texts"),
        own,
        ScholarlyService("Unpaywall", settings.unpaywall_api_url, web, policy),
        settings.contact,
        settings.arxiv_url,
        web.wait_for_host,
        online,
        TextBudget(settings.full_text_seconds, round(settings.full_text_megabytes * 1_000_000)),
    )


def text_of(secret: SecretStr | None) -> str:
    """The secret itself, empty where there is none."""
    return secret.get_secret_value() if secret else ""
