"""Every bound of a run, with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass

LENGTH_CLASSES_TOKENS = {"8k": 8_000, "16k": 16_000, "32k": 32_000, "64k": 64_000}
"""AutoSurvey's length classes: a survey of 8,000 up to 16,000 tokens counts as ``8k``, and so on."""

CHARACTERS_PER_TOKEN = 4
"""A token is counted as four characters where the provider has not counted yet."""

TOKENS_PER_WORD = 1.5
"""Tokens a written word costs, citations and punctuation included; tokens are counted as characters / 4."""


def length_class(tokens: int) -> str:
    """The class a document of so many tokens counts as; below 8,000 it is ``under 8k`` (AutoSurvey, 3.1)."""
    return next((name for name, least in reversed(LENGTH_CLASSES_TOKENS.items()) if tokens >= least), "under 8k")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. Every field can be changed by a setting."""

    topic_characters: int = 300
    """A longer topic is a text, not a topic; full-text search slows down on it."""

    keywords: int = 12
    """More than a person reads at a glance."""

    keyword_rounds: int = 8
    """Rounds of keyword expansion; each adds one keyword (SurveyX stops at 3 in its code)."""

    candidate_papers: int = 1_000
    """SurveyX's θ: keyword expansion ends when so many papers are known."""

    survey_papers: int = 300
    """Papers proposed to the person; human surveys cite 256 on average."""

    outline_papers: int = 1_200
    """Papers that AutoSurvey plans from; each subsection retrieves its own among them."""

    more_papers: int = 100
    """Papers that `more` adds."""

    judging_calls: int = 50
    """Calls to the language model that judge the papers found, the best first; those behind stay unjudged."""

    papers_per_node: int = 60
    """AutoSurvey's papers for one subsection; the bot gives a language model fewer (`SCHOLIUM_PAPERS_PER_SECTION`)."""

    full_texts: int = 20
    """Papers whose full text is read, the best first; each costs a download and up to 1,500 tokens a section."""

    review_tokens: int = 4_000
    """Tokens of a quick review with the summaries it is written from (Jarvis' default)."""

    answer_papers: int = 8
    """Papers quoted in one answer to a follow-up question."""
