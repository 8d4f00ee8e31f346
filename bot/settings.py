"""Every setting and secret, read once; keys and addresses of services are called as by their own clients."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from engine.errors import UserError
from engine.gathering.keywords import Selector
from engine.limits import Limits
from engine.llm.model import SAMPLED, Task
from engine.llm.prices import Price, PriceList
from engine.naming.clustering import AlgorithmChoice, Reduction
from engine.naming.phrases import Formula
from engine.retrieval.online import arxiv, crossref, pubmed, semantic_scholar
from engine.retrieval.online import openalex as open_alex
from engine.run import Judging

PREFIX = "SCHOLIUM_"

Secret = SecretStr | None
Whose = Literal["owner", "channel"]
Frequency = Literal["auto", "always", "never"]

_MODELS = ("openai_", "anthropic_")
_SOURCES = ("semantic_scholar_api_", "openalex_", "arxiv_", "unpaywall_", "wikipedia_", "crossref_", "pubmed_")
_LIBRARIES = ("elsevier_", "springer_", "ncbi_", "weaviate_url", "weaviate_grpc_", "weaviate_api_")
NAMED_BY_OTHERS = (*_MODELS, *_SOURCES, *_LIBRARIES, "slack_", "discord_token")
"""How settings begin that have no prefix of ours."""

AutoSurveyPart = Literal["retrieval", "check", "coherence"]
SurveyXPart = Literal["attribute trees", "outline optimisation", "rewriting", "tables"]
RecipePart = Literal["keyword expansion", "clustering", AutoSurveyPart, SurveyXPart]
"""What can be left out."""


def name_setting(field: str) -> str:
    return field.upper() if field.startswith(NAMED_BY_OTHERS) else f"{PREFIX}{field.upper()}"


class Settings(BaseSettings):
    """All settings with their defaults. ``.env`` may hold other programs' too: compose reads it for Postgres."""

    model_config = SettingsConfigDict(
        alias_generator=name_setting,
        validate_by_name=True,
        env_prefix=PREFIX,
        env_file=".env",
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    home: Path = Field(default_factory=lambda: user_data_path("scholium"), description="Where libraries are kept.")
    library: str = Field("main", description="The library used when none is named.")
    recipe: str = Field("auto", description="The recipe used when none is named; “auto”: autosurvey with a model.")
    length: Literal["8k", "16k", "32k", "64k"] = Field("8k", description="Length class in tokens.")
    output: Path = Field(Path("surveys"), description="The folder exported files go to.")
    survey_papers: int = Field(Limits().survey_papers, ge=1, le=2_000, description="Papers proposed at first.")
    outline_papers: int = Field(Limits().outline_papers, ge=1, le=2_000, description="The same for autosurvey.")
    papers_per_section: int = Field(20, ge=3, le=200, description="Papers a model reads a subsection (AutoSurvey: 60).")
    more_papers: int = Field(Limits().more_papers, ge=1, le=1_000, description="Papers that “more” adds.")
    online: Frequency = Field(
        "auto", description="Search online always; “auto”: where SEMANTIC_SCHOLAR_API_KEY is set."
    )
    online_cache_days: float = Field(7.0, ge=0, description="Days for which an online answer is not asked for again.")
    online_seconds: float = Field(60.0, gt=0, description="Seconds that one question to an online service may take.")
    semantic_scholar_per_second: float | None = Field(
        None, gt=0, description="Calls a second to Semantic Scholar; empty: 1 with a key, one in 3 seconds without."
    )
    judge: Frequency = Field(
        "auto", description="Judge papers once more; “auto”: those in doubt, and all found online."
    )
    judging_calls: int = Field(Limits().judging_calls, ge=1, le=200, description="Calls that judge 8 papers each.")
    models_dir: Path | None = Field(None, description="Folder of models as ONNX files; empty: fastembed's own.")
    cross_encoder: str = Field("", description="A cross-encoder for fastembed, here in files: judges without a model.")
    entailment_model: str = Field("", description="A model in SCHOLIUM_MODELS_DIR that doubts what evidence lacks.")
    weaviate_vectoriser: str = Field("", description="Weaviate's module that makes vectors; empty: made here.")
    weaviate_replicas: int = Field(1, ge=1, le=32, description="Copies of each object in a Weaviate cluster.")
    weaviate_shards: int | None = Field(None, ge=1, le=1_024, description="Parts of a collection in the cluster.")
    weaviate_quantisation: Literal["none", "rq", "bq", "sq"] = Field(
        "none", description="How Weaviate shrinks a new library's vectors in memory: rq keeps most of the recall."
    )
    weaviate_batch: int = Field(500, ge=1, le=10_000, description="Papers in one request that writes to Weaviate.")
    weaviate_parallel: int = Field(2, ge=1, le=32, description="Such requests under way at once.")
    contact: str = Field("", description="Your e-mail or web address, which online services are told, as they ask for.")
    trusted_hosts: frozenset[str] = Field(
        frozenset(), description="“host:port” from which papers are fetched although it is private; a JSON list."
    )
    full_texts: int = Field(Limits().full_texts, ge=0, le=200, description="Papers whose open-access text is read.")
    fetch_texts: Frequency = Field(
        "auto", description="Fetch open-access texts; “auto”: for surveys that search online. Texts at hand are read."
    )
    full_text_seconds: float = Field(300.0, gt=0, description="Seconds that fetching a survey's texts may take.")
    full_text_megabytes: float = Field(200.0, gt=0, description="Megabytes of texts that a survey may fetch.")
    quick_tokens: int = Field(Limits().review_tokens, ge=500, le=100_000, description="Tokens of a whole quick review.")
    job_seconds: float = Field(1_800.0, gt=0, description="Seconds after which a job is stopped.")
    seed: int = Field(0, description="Decides every random choice.")
    embedder: str = Field("lsa", description="“lsa”, or the name of a sentence-embedding model for fastembed.")
    cluster_algorithm: AlgorithmChoice = Field("k-means", description="How papers are clustered; or “random”.")
    cluster_reduction: Reduction = Field("spectral", description="How papers are placed before clustering.")
    cluster_terms: Formula = Field("bounded", description="How clusters' terms are weighed; or “published”: by counts.")
    cluster_count: Literal["silhouette", "published"] = Field("silhouette", description="How many clusters.")
    keyword_selector: Selector = Field("farthest", description="How keyword expansion chooses.")

    model: str = Field("", description="The language model; empty: gpt-4o-mini or claude-3-haiku-20240307.")
    model_extraction: str = Field("", description="The model for attribute trees and the cells of tables.")
    model_outline: str = Field("", description="The model for outlines, where another than `model`.")
    model_drafting: str = Field("", description="The model for drafting.")
    model_checking: str = Field("", description="The model for checking citations.")
    model_judging: str = Field("", description="The model for judging.")
    temperature: float | None = Field(None, ge=0, le=2, description="Temperature of drafting; unset: the recipe's.")
    top_p: float | None = Field(None, gt=0, le=1, description="Nucleus sampling of drafting; unset: the recipe's.")
    frequency_penalty: float | None = Field(None, ge=-2, le=2, description="Frequency penalty of drafting, if offered.")
    presence_penalty: float | None = Field(None, ge=-2, le=2, description="Presence penalty of drafting, if offered.")
    candidates: int = Field(1, ge=1, le=5, description="Surveys that autosurvey or surveyx writes; the best is kept.")
    judges: tuple[str, ...] = Field((), description="Models that judge autosurvey's draft, then refined; a JSON list.")
    cite_known: bool = Field(
        False, description="Let autosurvey's model cite titles it knows, where the library has them; each is marked."
    )
    without: frozenset[RecipePart] = Field(frozenset(), description="Parts left out, to see their worth; a JSON list.")
    outline_text: Literal["contributions", "abstracts"] = Field(
        "contributions", description="What autosurvey plans from: papers' contributions, or, as published, abstracts."
    )
    planned_from: int = Field(60, ge=0, le=300, description="Abstracts that surveyx plans the main sections from.")
    look_at_figures: bool = Field(False, description="The model chooses figures by looking at their pictures.")
    paper_figures: int = Field(0, ge=0, le=12, description="Figures surveyx takes from texts, where licences allow.")
    budget: float | None = Field(None, gt=0, description="Dollars one survey may cost.")
    budget_tokens: int | None = Field(None, gt=0, description="Tokens one survey may use.")
    prices: dict[str, tuple[float, float]] = Field(
        {}, description="Dollars for a million tokens read and written, by model; a JSON object."
    )
    budget_person: float | None = Field(None, gt=0, description="Dollars one person may spend on one day (UTC).")
    budget_workspace: float | None = Field(None, gt=0, description="Dollars one workspace may spend on one day.")
    concurrent_calls: int = Field(100, ge=1, le=500, description="Most calls at once to a model that keeps its pace.")
    requests_per_minute: int | None = Field(None, ge=1, description="Most calls a minute.")
    tokens_per_minute: int | None = Field(None, ge=1, description="Most tokens a minute.")
    call_seconds: float = Field(120.0, gt=0, description="Seconds after which one call is given up and retried.")

    database_url: Secret = Field(None, description="postgresql://…; empty: SQLite in the home folder.")
    http_host: str = Field("127.0.0.1", description="Address on which platforms reach us; 0.0.0.0 in a container.")
    http_port: int = Field(3000, ge=0, le=65_535, description="Port for that.")
    http_connections: int = Field(100, ge=0, le=100_000, description="Connections of an address or a proxy; 0: any.")
    discord_messages: bool = Field(False, description="Read plain words in threads (needs Discord's intent for it).")
    discord_shards: int | None = Field(None, ge=1, description="Connections to Discord, for over 2,500 servers.")
    token_key: Secret = Field(None, description="Encrypts the tokens of workspaces that install us.")

    jobs: int = Field(4, ge=0, le=200, description="Jobs of a queue in one process; 0: it talks, workers run them.")
    jobs_everywhere: int = Field(32, ge=1, le=2_000, description="Jobs of each queue that all processes run at once.")
    jobs_per_workspace: int = Field(16, ge=1, le=2_000, description="Jobs that run at once for one workspace.")
    jobs_per_person: int = Field(2, ge=1, le=100, description="Jobs that run at once for one person.")
    stop_seconds: float = Field(20.0, ge=0, description="Seconds that running calls get when the service is stopped.")
    keep_days: float | None = Field(None, gt=0, description="Days after which an untouched survey is forgotten.")
    metrics_port: int | None = Field(None, ge=0, le=65_535, description="Port for /healthz, /readyz and /metrics.")
    metrics_host: str = Field("127.0.0.1", description="Address for that port; 0.0.0.0 in a container.")
    traces: bool = Field(False, description="Send traces to OTEL_EXPORTER_OTLP_ENDPOINT (install the extra `traces`).")
    log_level: Literal["debug", "info", "warning", "error"] = Field("warning", description="What is logged.")
    may_start: frozenset[str] = Field(
        frozenset(), description="Who may start surveys (platform:workspace:person …); a JSON list; empty: everyone."
    )
    changed_by: Whose = Field("owner", description="Who may approve and change a survey.")
    read_by: Whose = Field("channel", description="Who may read a survey.")
    asked_by: Whose = Field("channel", description="Who may ask about a survey; outsiders do so on their own budget.")
    administrators: frozenset[str] = Field(frozenset(), description="Who may do all that, and raise budgets.")

    openai_api_key: Secret = Field(None, description="OpenAI's key, or that of a server which speaks its interface.")
    openai_base_url: str | None = Field(None, description="Address of such a server: Ollama, vLLM, llama.cpp, Gemini.")
    anthropic_api_key: Secret = Field(None, description="Anthropic's key.")
    anthropic_base_url: str | None = Field(None, description="Another address for Anthropic's interface.")
    semantic_scholar_api_key: Secret = Field(None, description="Semantic Scholar's key: one call a second.")
    semantic_scholar_api_url: str = Field(semantic_scholar.ADDRESS, description="Another address for Semantic Scholar.")
    openalex_api_key: Secret = Field(
        None, description="Free at openalex.org/settings/api; without: few searches a day."
    )
    openalex_api_url: str = Field(open_alex.ADDRESS, description="Another address for OpenAlex.")
    arxiv_api_url: str = Field(arxiv.ADDRESS, description="Another address for arXiv's search.")
    unpaywall_api_url: str = Field("https://api.unpaywall.org", description="Another address for Unpaywall.")
    wikipedia_url: str = Field("https://en.wikipedia.org", description="The Wikipedia that `background` reads.")
    arxiv_url: str = Field("https://arxiv.org", description="Another address for arXiv's texts.")
    crossref_api_url: str = Field(crossref.ADDRESS, description="Another address for Crossref.")
    elsevier_api_key: Secret = Field(None, description="For Scopus.")
    springer_api_key: Secret = Field(None, description="For Springer.")
    ncbi_api_key: Secret = Field(None, description="NCBI's key for PubMed: ten calls a second instead of three.")
    pubmed_api_url: str = Field(pubmed.ADDRESS, description="Another address for PubMed's E-utilities.")
    weaviate_url: str | None = Field(None, description="Where Weaviate is; empty: libraries are folders.")
    weaviate_grpc_port: int = Field(50_051, ge=1, le=65_535, description="Weaviate's gRPC port.")
    weaviate_grpc_host: str = Field("", description="Host of its gRPC where another, as in Weaviate Cloud (port 443).")
    weaviate_api_key: Secret = Field(None, description="Weaviate's key.")
    slack_bot_token: Secret = Field(None, description="Slack's bot token (xoxb-…); see deploy/slack.md.")
    slack_app_token: Secret = Field(None, description="Slack's app token (xapp-…), for Socket Mode.")
    slack_signing_secret: Secret = Field(None, description="Slack's signing secret, for HTTP.")
    slack_client_id: str = Field("", description="Slack's client id, where other workspaces install us.")
    slack_client_secret: Secret = Field(None, description="Slack's client secret, for the same.")
    slack_api_url: str = Field("https://slack.com/api/", description="Another address for Slack.")
    discord_token: Secret = Field(None, description="Discord's bot token; see deploy/discord.md.")

    def models(self) -> dict[Task, str]:
        first = self.model or ("gpt-4o-mini" if self.uses_openai() else "claude-3-haiku-20240307")
        return {task: getattr(self, f"model_{task}", "") or first for task in get_args(Task)}

    def sampling(self) -> dict[str, float]:
        return {name: value for name in SAMPLED if (value := getattr(self, name)) is not None}

    def price_list(self) -> PriceList:
        return PriceList({name: Price(*pair, "", "SCHOLIUM_PRICES") for name, pair in self.prices.items()})

    def uses_openai(self) -> bool:
        """Whether OpenAI's interface is configured; local servers need an address but no key."""
        return bool(self.openai_api_key or self.openai_base_url)

    def has_model(self) -> bool:
        return self.uses_openai() or bool(self.anthropic_api_key)

    def searches_online(self) -> bool:
        return self.online == "always" or (self.online == "auto" and self.semantic_scholar_api_key is not None)

    def judging(self, *, online: bool) -> Judging:
        """Which of the papers found are judged once more."""
        return "none" if self.judge == "never" else "all" if self.judge == "always" or online else "unsure"

    def fetches_texts(self, *, online: bool) -> bool:
        """Whether open-access texts are fetched for a survey that searches online, or in a library alone."""
        return self.fetch_texts == "always" or (self.fetch_texts == "auto" and online)

    def store_url(self) -> str:
        return self.database_url.get_secret_value() if self.database_url else sqlite_url(self.home, "store.sqlite")

    def jobs_url(self) -> str:
        """The database that holds the queue of jobs: a file of its own beside SQLite, the same one with Postgres."""
        return self.database_url.get_secret_value() if self.database_url else sqlite_url(self.home, "jobs.sqlite")

    def limits(self) -> Limits:
        return Limits(
            survey_papers=self.survey_papers,
            outline_papers=self.outline_papers,
            more_papers=self.more_papers,
            papers_per_node=self.papers_per_section if self.has_model() else Limits().papers_per_node,
            judging_calls=self.judging_calls,
            full_texts=self.full_texts,
            review_tokens=self.quick_tokens,
        )


def sqlite_url(folder: Path, name: str) -> str:
    """The address of a database, made for its owner alone where there is none. Raises `UserError` where it cannot."""
    file = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError as error:
        raise not_writable(folder, error) from error
    if file.stat().st_uid == os.getuid():  # SQLite gives the files beside it the same rights
        file.chmod(0o600)
    return f"sqlite:///{file}"


def not_writable(home: Path, error: OSError) -> UserError:
    """What is said where the home folder cannot be used, and what to do."""
    return UserError(f"{home} cannot be written ({error.strerror}). Set SCHOLIUM_HOME to a folder of yours.")


def load_settings() -> Settings:
    """Read the settings; raises `UserError` that names the setting and what it may be, never its value."""
    known = {name for name in map(name_setting, Settings.model_fields) if name.startswith(PREFIX)}
    given = {name.upper() for name in (*os.environ, *DotEnvSettingsSource(Settings).env_vars)}
    if unknown := sorted(name for name in given - known if name.startswith(PREFIX)):
        raise UserError(f"There is no setting {unknown[0]}. The settings are: {', '.join(sorted(known))}.")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise UserError(f"The setting {first['loc'][0]} is not right: {first['msg']}.") from error
