"""Models that run on this machine, loaded from tiny ONNX files that are made here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from engine.errors import ServiceError
from engine.local_models import LocalCrossEncoder, LocalEmbedder, LocalEntailment

WORDS = ("[PAD]", "[UNK]", "drones", "race", "corals", "bleach", "not")
LABELS = ("contradiction", "entailment", "neutral")


def write_model(folder: Path, rows: list[list[float]], *, pooled: bool) -> Path:
    """A model whose output is its tokens' rows: of each token, or, where it is ``pooled``, their sum."""
    folder.mkdir(parents=True)
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
    wide = len(rows[0])
    config = {"hidden_size": wide, "pad_token_id": 0, "id2label": dict(enumerate(LABELS))}
    (folder / "config.json").write_text(json.dumps(config))
    table = numpy_helper.from_array(np.array(rows, np.float32), "table")
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])]
    shape: list[str | int] = ["batch", "tokens", wide]
    if pooled:
        axes = numpy_helper.from_array(np.array([1], np.int64), "axes")
        nodes.append(helper.make_node("ReduceSum", ["tokens", "axes"], ["summed"], keepdims=0))
        shape = ["batch", wide]
    name = "summed" if pooled else "tokens"
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, [table, *([axes] if pooled else [])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    return folder.parent


def test_an_embedder_is_read_from_its_folder_and_brings_alike_texts_together(tmp_path: Path) -> None:
    rows: list[list[float]] = [[0.0, 0], [0.1, 0.1], [1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9], [0.5, 0.5]]
    embedder = LocalEmbedder("lab/tiny-embedder", write_model(tmp_path / "tiny-embedder", rows, pooled=False))
    vectors = embedder.embed(["drones race", "drones", "corals bleach"])
    assert vectors.shape == (3, 2)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0] @ vectors[1] > 0.9 > vectors[0] @ vectors[2]


def test_a_cross_encoder_is_read_from_its_folder_and_scores_texts_for_a_query(tmp_path: Path) -> None:
    rows: list[list[float]] = [[0.0], [0.0], [2.0], [1.0], [-2.0], [-1.0], [0.0]]
    encoder = LocalCrossEncoder(
        "lab/tiny-reranker", write_model(tmp_path / "lab" / "tiny-reranker", rows, pooled=True).parent
    )
    scores = encoder.score("race", ["drones race", "corals bleach"])
    assert scores[0] > scores[1]


def test_an_entailment_model_is_read_from_its_folder_and_names_its_label(tmp_path: Path) -> None:
    rows: list[list[float]] = [[0.0, 0, 0], [0, 0, 0], [0, 3, 0], [0, 2, 0], [0, 0, 3], [0, 0, 2], [20, 0, 0]]
    entailment = LocalEntailment("tiny-nli", write_model(tmp_path / "tiny-nli", rows, pooled=True))
    judged = entailment.judge(
        [("drones race", "drones race"), ("drones race", "drones not race"), ("corals", "bleach")]
    )
    assert judged[0] > 0.9
    assert max(judged[1:]) < 0.1


def test_what_is_not_here_is_said_with_what_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServiceError, match=r"some/model is not in SCHOLIUM_MODELS_DIR .*model\.onnx"):
        LocalEmbedder("some/model", tmp_path)
    with pytest.raises(ServiceError, match="needs SCHOLIUM_MODELS_DIR"):
        LocalEntailment("some/model", None)
    (write_model(tmp_path / "broken", [[0.0]] * 7, pooled=True) / "broken" / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ServiceError, match="cross-encoder broken could not be loaded from this machine"):
        LocalCrossEncoder("broken", tmp_path)
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    with pytest.raises(ServiceError, match="needs the package fastembed; install scholium with its extra “neural”"):
        LocalCrossEncoder("some/model")
