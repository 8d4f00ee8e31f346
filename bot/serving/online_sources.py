"""The online sources that the settings name."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr

from bot.settings import Settings
from engine.reading.downloading import Downloader
from engine.reading.open_access import OpenAccess, TextBudget, TextFolder
from engine.retrieval.online.arxiv import Arxiv
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import OpenAlex
from engine.retrieval.online.publishers import SCIENCE_DIRECT, SCOPUS, SPRINGER, Publisher, PublisherSearch
from engine.retrieval.online.pubmed import PubMed
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.sources import Online
from engine.retrieval.online.transport import DAY_S, OnlineTransport, ScholarlyService, ServicePolicy
from engine.retrieval.online.wikipedia import Wikipedia


def online_sources(settings: Settings, web: OnlineTransport, patience_s: float | None = None) -> Online:
    """Semantic Scholar first, then OpenAlex, then arXiv; for one job."""
    policy = _policy(settings, patience_s)
    rate = settings.semantic_scholar_per_second
    own = replace(policy, interval_s=1 / rate) if rate else policy
    open_alex = OpenAlex(web, text_of(settings.openalex_api_key), settings.openalex_api_url, policy)
    return Online(
        SemanticScholar(web, text_of(settings.semantic_scholar_api_key), settings.semantic_scholar_api_url, own),
        (open_alex, Arxiv(web, settings.arxiv_api_url, policy)),
        open_alex,
        Crossref(web, settings.crossref_api_url, policy),
        PubMed(web, text_of(settings.ncbi_api_key), settings.pubmed_api_url, policy),
        [PublisherSearch(publisher, web, key, policy) for publisher, key in list_publishers(settings)],
    )


def _policy(settings: Settings, patience_s: float | None = None) -> ServicePolicy:
    fresh_s = settings.online_cache_days * DAY_S
    return ServicePolicy(patience_s=patience_s or settings.online_seconds, fresh_s=fresh_s)


def list_publishers(settings: Settings) -> list[tuple[Publisher, str]]:
    """The publishers whose keys are set, with these."""
    elsevier, springer = text_of(settings.elsevier_api_key), text_of(settings.springer_api_key)
    keys = ((SCOPUS, elsevier), (SCIENCE_DIRECT, elsevier), (SPRINGER, springer))
    return [(publisher, key) for publisher, key in keys if key]


def wikipedia(settings: Settings, web: OnlineTransport) -> Wikipedia:
    return Wikipedia(web, settings.wikipedia_url, _policy(settings))


def downloader(settings: Settings) -> Downloader:
    parts = (host.rpartition(":") for host in settings.trusted_hosts)
    trusted = frozenset((name, int(port)) for name, _, port in parts if port.isdigit())
    return Downloader(settings.contact, trusted)


def open_access(
    settings: Settings, web: OnlineTransport, fetcher: Downloader, own: TextFolder, *, online: bool
) -> OpenAccess:
    """Full texts: the workspace's own, those read before, and, ``online``, what is openly there."""
    policy = replace(_policy(settings, min(20.0, settings.online_seconds)), interval_s=0.2)
    unpaywall = None
    if settings.contact:
        asking = {"email": settings.contact}
        unpaywall = ScholarlyService("Unpaywall", settings.unpaywall_api_url, web, policy, secret_params=asking)
    return OpenAccess(
        fetcher,
        TextFolder(settings.home / "texts"),
        own,
        unpaywall,
        settings.arxiv_url,
        web.wait_for_host,
        online,
        TextBudget(settings.full_text_seconds, round(settings.full_text_megabytes * 1_000_000)),
    )


def text_of(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret else ""
