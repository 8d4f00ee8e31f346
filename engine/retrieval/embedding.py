"""Texts to vectors: latent semantic analysis fitted on a library.

Vectors are rows of float32, of unit length, or all zero where a text has no known word.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.arrays import load_array
from engine.errors import ServiceError
from engine.text import terms
from engine.values import Paper

Vectors = NDArray[np.float32]

LSA_DIMENSIONS = 256
"""Enough to tell the sub-fields of a field apart; more finds papers no better and costs memory."""

LSA_NAME = f"lsa-{LSA_DIMENSIONS}"
LSA_SAMPLE = 100_000
"""Texts used for fitting: a larger library is sampled, its vocabulary no longer changes much."""


class Embedder(Protocol):
    """Turns texts into vectors of unit length that are close where the texts mean the same."""

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (number of texts, dimensions); runs for a while, call it in a thread."""


class LatentSemanticAnalysis:
    """TF-IDF (sublinear term frequency) projected on the largest singular vectors of the fitted texts.

    Row i of ``components`` (shape: words, `LSA_DIMENSIONS`) is where the vocabulary's word i points.
    """

    def __init__(self, vocabulary: Sequence[str], idf: Vectors, components: Vectors, fitted_on: int) -> None:
        self.name = LSA_NAME
        self.fitted_on = fitted_on
        self._places = {term: place for place, term in enumerate(vocabulary)}
        self._idf = idf
        self._components = components

    @classmethod
    def fit(cls, texts: Sequence[str], papers: int = 0) -> LatentSemanticAnalysis:
        """Fit on the texts of a library; ``papers`` says how many it has where they are a sample of them."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.utils.extmath import randomized_svd

        total = papers or len(texts)
        # In double precision what processors and threads round differently stays below what is stored.
        weighting = TfidfVectorizer(analyzer=terms, min_df=3 if len(texts) >= 1_000 else 1, sublinear_tf=True)
        try:
            weighted = weighting.fit_transform(texts)
        except ValueError:  # no text has a word that counts
            return cls([], np.zeros(0, np.float32), np.zeros((0, LSA_DIMENSIONS), np.float32), total)
        vocabulary = list(weighting.get_feature_names_out())
        components = np.zeros((len(vocabulary), LSA_DIMENSIONS), np.float32)
        rank = min(LSA_DIMENSIONS, *weighted.shape)
        _, _, directions = randomized_svd(weighted, rank, n_iter=3, random_state=0)
        components[:, :rank] = directions.T
        return cls(vocabulary, weighting.idf_.astype(np.float32), components, total)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (number of texts, `LSA_DIMENSIONS`)."""
        vectors = np.zeros((len(texts), LSA_DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            counts = Counter(self._places[term] for term in terms(text) if term in self._places)
            places = np.fromiter(counts.keys(), np.int64, len(counts))
            weights = (1.0 + np.log(np.fromiter(counts.values(), np.float64, len(counts)))) * self._idf[places]
            # Not a matrix product, whose order of adding differs between processors.
            vectors[row] = (weights[:, None] * self._components[places]).sum(axis=0)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors

    def save(self, folder: Path) -> None:
        """Write plain arrays and a word list; nothing that runs when it is read."""
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "lsa-components.npy", self._components)
        np.save(folder / "lsa-idf.npy", self._idf)
        document = {"vocabulary": list(self._places), "fitted_on": self.fitted_on}
        (folder / "lsa.json").write_text(json.dumps(document), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, *, mapped: bool = True) -> LatentSemanticAnalysis:
        """What `save` wrote, mapped from disk, or read whole."""
        document = json.loads((folder / "lsa.json").read_text(encoding="utf-8"))
        components = load_array(folder / "lsa-components.npy", mapped=mapped)
        idf = load_array(folder / "lsa-idf.npy")
        return cls(document["vocabulary"], idf, components, document["fitted_on"])


def sample_rows(size: int, most: int = LSA_SAMPLE) -> NDArray[np.int64]:
    """Rows of so many, ascending: all, or ``most`` that were chosen by chance, the same each time."""
    if size <= most:
        return np.arange(size)
    return np.sort(np.random.default_rng(0).choice(size, most, replace=False))


class FittedOnTopic:
    """Stands for latent semantic analysis fitted on the papers found for a topic, before they are found."""

    name = f"lsa-{LSA_DIMENSIONS}-topic"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Not possible yet: use `ready` with the papers found."""
        raise ServiceError("There are no papers yet on which the embedding could be fitted.")


def ready(embedder: Embedder, papers: Sequence[Paper]) -> Embedder:
    """The embedder itself, or, for `FittedOnTopic`, one fitted on these papers."""
    if not isinstance(embedder, FittedOnTopic):
        return embedder
    return fit_embedding(papers)


def fit_embedding(papers: Sequence[Paper], total: int = 0) -> LatentSemanticAnalysis:
    """Latent semantic analysis fitted on these papers; ``total`` says how many there are where they are a sample."""
    return LatentSemanticAnalysis.fit([f"{paper.title}. {paper.content}" for paper in papers], total)


def embed_papers(embedder: Embedder, papers: Sequence[Paper]) -> Vectors:
    """Vectors of the papers' abstracts, row i: paper i; one without an abstract goes by its title."""
    return embedder.embed([paper.content or paper.title for paper in papers])


def embed_both(embedder: Embedder, papers: Sequence[Paper]) -> tuple[Vectors, Vectors]:
    """Vectors of the papers' titles, and of their abstracts."""
    return embedder.embed([paper.title for paper in papers]), embed_papers(embedder, papers)


def nearest(papers: Sequence[Paper], vectors: Vectors, about: Vectors, count: int) -> list[Paper]:
    """At most so many of the papers (row i of ``vectors``: paper i) with a positive cosine, the closest first."""
    closeness = vectors @ about
    order = np.argsort(-closeness, kind="stable")[:count]
    return [papers[int(i)] for i in order if closeness[i] > 0]
