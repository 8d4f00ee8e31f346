"""Papers of the bench's own, full of what falsehoods are made from: measures, rivals, ranges, steps, hedges.

The bundled library has summaries, which hold few numbers. No reader sees these papers.
"""

from __future__ import annotations

from engine.values import Paper, PaperKey

MEASURED_PAPERS: tuple[Paper, ...] = (
    Paper(
        key=PaperKey("arxiv:2104.99001"),
        title="PatchNet: Sparse Attention for Retrieval from Long Documents",
        abstract=(
            "Long documents are hard to read for transformers because attention is quadratic. "
            "PatchNet first splits a document into patches and then attends to few of them. "
            "PatchNet reaches an accuracy of 84.2% on LongQA and 71.9% on BookSum. "
            "PatchNet is 3.2 times faster than Longformer in training and needs 41% less memory. "
            "Inference takes between 12 and 18 ms on average for each of seven data sets. "
            "Overlapping patches may be one of the first reasons for the gain on LongQA. "
            "On short documents, the accuracy of PatchNet is comparable to that of BERT."
        ),
        authors=("Ana Ruiz", "Per Holm", "Li Chen"),
        year=2021,
        venue="ACL",
    ),
    Paper(
        key=PaperKey("arxiv:2206.99002"),
        title="ScoutRank: Learning to Rank Passages from Clicks",
        abstract=(
            "ScoutRank learns to rank passages from 1.5 million clicks without manual labels. "
            "ScoutRank improves recall by 6.4 points over BM25 and by 2.1 points over DPR on WebPass. "
            "Replacing the hinge loss by a logistic loss stabilizes the training of ScoutRank. "
            "Up to 40 passages are ranked by ScoutRank in one pass. "
            "ScoutRank suffers from overconfidence on queries with many clicks. "
            "The ranker can learn from clicks of a single day. "
            "Training ScoutRank for longer lowers its recall from 61.3% to 58.8% on WebPass."
        ),
        authors=("Mia Berg", "Jo Stone", "Eva Lind"),
        year=2022,
        venue="SIGIR",
    ),
    Paper(
        key=PaperKey("arxiv:2307.99003"),
        title="A Test Bench for Electric Drives",
        abstract=(
            "The bench holds the very first globally optimal design for the cooling of drives. "
            "Tests of the drives cover 24 to 50 °C at kilohertz rates. "
            "Current state-of-the-art models are finetuned on costly oven data. "
            "By contrast, the proposed approach, called HEATCAL, asks GPT-4 for the settings of an oven. "
            "HEATCAL reduces its parameters by 98.87% and compares 4,992 drives. "
            "HEATCAL gains 60% over an older bench on a subset of the benchmark OVEN-X. "
            "High accuracy is achieved for parts sufficiently far from the oven door. "
            "Coarse feedback may lead to suboptimal performance of the oven. "
            "The estimate of HEATCAL is order-independent and stable. "
            "HEATCAL uses the Fast Heat Transform (FHT) for gains of up to 1.2 F1 on RIGS. "
            "The error is 0.4 IoU_thin after a pipeline of two steps. "
            "The authors will release all records of the drives."
        ),
        authors=("Ida Shaw", "Ben Lee"),
        year=2023,
        venue="ICRA",
    ),
)
