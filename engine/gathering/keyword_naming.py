"""A language model names clusters of papers by keywords (SurveyX, algorithm 1, line 8)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from engine.errors import LanguageModelError
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.text import clean, inert, shorten
from engine.values import Keyword, Paper

SHOWN_PAPERS = 15
"""Papers of a cluster that are shown, drawn at random (SurveyX's code)."""

LONGEST_KEYWORD, MOST_WORDS = 60, 5
"""Characters and words of a keyword; a longer one is not taken."""


class ClusterKeyword(TypedAnswer):
    """The keyword of a cluster; empty where none fits."""

    cluster: int
    keyword: str


class KeywordsAnswer(TypedAnswer):
    """A keyword for each cluster."""

    keywords: list[ClusterKeyword]


class ClusterNamer:
    """Names the clusters of one round in one call; after a failure the model is not asked by further ones."""

    def __init__(self, model: LanguageModel, topic: str, seed: int) -> None:
        self._model = model
        self._topic = topic
        self._seed = seed
        self.failure = ""
        """Why the model is not asked any more."""

    async def name(self, clusters: Sequence[Sequence[Paper]], pool: Sequence[Keyword]) -> list[str]:
        """A keyword for each cluster, of at most five words; empty where the model gives none or fails.

        Raises `LimitExceeded` where the budget is used up.
        """
        if self.failure or not clusters:
            return [""] * len(clusters)
        generator = random.Random(self._seed)
        shown = (generator.sample(list(papers), min(SHOWN_PAPERS, len(papers))) for papers in clusters)
        blocks = "\n\n".join(
            f"Cluster {number}:\n" + "\n".join(f"- {data(shorten(paper.title, 200))}" for paper in papers)
            for number, papers in enumerate(shown, start=1)
        )
        prompt = fill(
            "gathering/keywords",
            topic=data(self._topic),
            known="; ".join(data(keyword.text) for keyword in pool),
            clusters=blocks,
        )
        request = Request("outline", f"keywords/{len(clusters) - 1}", prompt, 512, 0.3)
        try:
            answer = await self._model.answer_typed(request, KeywordsAnswer)
        except LanguageModelError as error:
            # The clusters' own terms stand in; the list of keywords says where each comes from.
            self.failure = str(error)
            return [""] * len(clusters)
        named = {
            item.cluster: " ".join(inert(clean(item.keyword)).split()).strip(" .,;“”\"'") for item in answer.keywords
        }
        usable = {n: word for n, word in named.items() if len(word) <= LONGEST_KEYWORD and word.count(" ") < MOST_WORDS}
        return [usable.get(number, "") for number in range(1, len(clusters) + 1)]
