"""Models that run on this machine from files: an embedder, a cross-encoder, and a judge of entailment.

A model named ``owner/name`` is read from ``FOLDER/owner/name`` or ``FOLDER/name``, exported to ONNX: ``model.onnx`` (or
``onnx/model.onnx``) with ``tokenizer.json``, ``tokenizer_config.json`` and ``config.json``. Without a folder fastembed
finds the models that it knows among its own files; only the embedder may be downloaded, when it is first used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import ServiceError

Scores = NDArray[np.float64]

ONNX_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
ENTAILMENT_BATCH = 16
MOST_TOKENS = 512
"""Of a claim with its evidence: what models of entailment were trained on."""


class CrossEncoder(Protocol):
    """Scores texts for one query; the scores of one query can be compared, those of two cannot."""

    name: str

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Shape (texts,), greater where a text says more of the query; runs for a while, call it in a thread."""


class Entailment(Protocol):
    """Says how likely evidence entails a claim."""

    name: str

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Shape (pairs of evidence and claim,), probabilities; runs for a while, call it in a thread."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of one model, and what its ``config.json`` says."""

    folder: Path
    onnx: str
    config: dict[str, Any]


def find_files(name: str, folder: Path | None) -> ModelFiles | None:
    """The files of the model in the folder; ``None`` without a folder. Raises `ServiceError` where they are absent."""
    if folder is None:
        return None
    for place in (folder / name, folder / name.rpartition("/")[2]):
        found = next((onnx for onnx in ONNX_FILES if (place / onnx).is_file()), "")
        if found and (place / "tokenizer.json").is_file():
            config = place / "config.json"
            return ModelFiles(place, found, json.loads(config.read_text("utf-8")) if config.is_file() else {})
    raise ServiceError(
        f"The model {name} is not in SCHOLIUM_MODELS_DIR ({folder}): a folder {name} there has to hold model.onnx and "
        "tokenizer.json."
    )


class LocalEmbedder:
    """A sentence-embedding model, run by fastembed."""

    def __init__(self, model: str, folder: Path | None = None) -> None:
        self.name = f"fastembed:{model}"
        with _loading("embedding model", model):
            self._model = self._open(model, find_files(model, folder))

    def _open(self, model: str, files: ModelFiles | None) -> Any:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import PoolingType

        if files is None:
            return TextEmbedding(model)
        stated_in = files.folder / "1_Pooling" / "config.json"
        stated = json.loads(stated_in.read_text("utf-8")) if stated_in.is_file() else {}
        pooling = PoolingType.CLS if stated.get("pooling_mode_cls_token") else PoolingType.MEAN
        return _open_own(TextEmbedding, files, pooling=pooling, normalization=True, dim=files.config["hidden_size"])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, dimensions of the model)."""
        from sklearn.preprocessing import normalize

        vectors: NDArray[np.float32] = normalize(np.array(list(self._model.embed(list(texts))), dtype=np.float32))
        return vectors


class LocalCrossEncoder:
    """A cross-encoder, run by fastembed; it is never downloaded."""

    def __init__(self, model: str, folder: Path | None = None) -> None:
        self.name = model
        self._model: Any
        with _loading("cross-encoder", model):
            from fastembed.rerank.cross_encoder import TextCrossEncoder

            if files := find_files(model, folder):
                self._model = _open_own(TextCrossEncoder, files)
            else:
                self._model = TextCrossEncoder(model, local_files_only=True)

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        return np.array(list(self._model.rerank(query, list(texts))), np.float64)


class LocalEntailment:
    """A cross-encoder for natural-language inference (evidence, claim), run by ONNX Runtime.

    Of three labels that its ``config.json`` names the one called entailment counts, of two the second (MiniCheck).
    """

    def __init__(self, model: str, folder: Path | None) -> None:
        self.name = model
        files = find_files(model, folder)
        if files is None:
            raise ServiceError(f"The entailment model {model} needs SCHOLIUM_MODELS_DIR, the folder with its files.")
        labels = {int(place): str(label).casefold() for place, label in files.config.get("id2label", {}).items()}
        self._place = next((place for place, label in labels.items() if label == "entailment"), 1)
        with _loading("entailment model", model):
            from onnxruntime import InferenceSession
            from tokenizers import Tokenizer

            self._tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
            self._tokenizer.enable_truncation(MOST_TOKENS, strategy="only_first")
            self._tokenizer.enable_padding(pad_id=files.config.get("pad_token_id", 0))
            self._session = InferenceSession(str(files.folder / files.onnx), providers=["CPUExecutionProvider"])

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Shape (pairs of evidence and claim,), probabilities of entailment, rounded so that no processor differs."""
        from scipy.special import softmax

        scores: list[float] = []
        names = {wanted.name for wanted in self._session.get_inputs()}
        for start in range(0, len(pairs), ENTAILMENT_BATCH):
            read = self._tokenizer.encode_batch(list(pairs[start : start + ENTAILMENT_BATCH]))
            given = {
                "input_ids": np.array([one.ids for one in read], np.int64),
                "attention_mask": np.array([one.attention_mask for one in read], np.int64),
                "token_type_ids": np.array([one.type_ids for one in read], np.int64),
            }
            (logits,) = self._session.run(None, {name: given[name] for name in names})[:1]
            scores += softmax(np.asarray(logits, np.float64), axis=1)[:, self._place].round(4).tolist()
        return np.array(scores, np.float64)


def _open_own(kind: Any, files: ModelFiles, **described: Any) -> object:
    """A model of fastembed's ``kind`` from files that it does not know."""
    from fastembed.common.model_description import ModelSource

    known = str(files.folder)
    if known not in {supported["model"] for supported in kind.list_supported_models()}:
        kind.add_custom_model(known, sources=ModelSource(url=known), model_file=files.onnx, **described)
    return kind(known, specific_model_path=known)


@contextmanager
def _loading(kind: str, model: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ServiceError(
            f"The {kind} {model} needs the package fastembed; install scholium with its extra “neural”."
        ) from error
    except ServiceError:
        raise
    except Exception as error:  # the hub's client and ONNX Runtime raise whatever they like
        raise ServiceError(f"The {kind} {model} could not be loaded from this machine: {error}") from error
