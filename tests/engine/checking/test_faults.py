"""What a program sees of a claim that its source does not say."""

from __future__ import annotations

import pytest

from engine.checking.faults import Source, find_faults
from engine.checking.names import Vocabulary
from engine.checking.quantities import quantities
from engine.values import Paper
from tests.fakes import paper

ABSTRACT = (
    "Retrieval-augmented generation (RAG) grounds large language models (LLMs) in documents. "
    "We present DenseRAG, which may reduce hallucination on two data sets, TriviaQA and NaturalQuestions. "
    "DenseRAG outperforms BM25 by 9%-19% in accuracy and needs 1.5 million passages. "
    "It does not improve answers to questions about dates. "
    "Training takes half of the time that earlier retrievers take."
)
PAPER = paper(
    1, title="Dense Retrieval for Generation", abstract=ABSTRACT, authors=("Ada Karpukhin", "B. Oguz"), year=2020
)
VOCABULARY = Vocabulary.of([PAPER])


def kinds(claim: str) -> set[str]:
    return {fault.kind for fault in find_faults(claim, [Source(PAPER)], VOCABULARY)}


@pytest.mark.parametrize(
    "claim",
    [
        "DenseRAG outperforms BM25 by 9 to 19 percent in accuracy.",
        "Karpukhin et al. (2020) present DenseRAG, which may reduce hallucination.",
        "With 1,500,000 passages DenseRAG outperforms BM25.",
        "LLMs are grounded in documents by RAG.",
        "On TriviaQA, DenseRAG improves over BM25 in accuracy.",
        "Training takes 50% of the time of earlier retrievers.",
        "Retrieval can ground language models in documents.",
        "Answers to questions about dates are not improved by DenseRAG.",
    ],
)
def test_what_the_source_says_in_other_words_has_no_fault(claim: str) -> None:
    assert kinds(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("DenseRAG outperforms BM25 by 29% in accuracy.", "number"),
        ("DenseRAG needs 1.5 billion passages.", "number"),
        ("DenseRAG may reduce hallucination on three data sets.", "number"),
        ("In 2018, DenseRAG may have reduced hallucination.", "number"),
        ("DenseRAG outperforms BM25 by 9x in accuracy.", "number"),
        ("DenseRAG outperforms ColBERT in accuracy.", "name"),
        ("On HotpotQA, DenseRAG may reduce hallucination.", "name"),
        ("Smith et al. present DenseRAG, which may reduce hallucination.", "name"),
        ("DenseRAG is the first method that may reduce hallucination.", "strength"),
        ("DenseRAG always outperforms BM25 in accuracy.", "strength"),
        ("DenseRAG may fully reduce hallucination on two data sets.", "strength"),
        ("DenseRAG outperforms all methods in accuracy.", "strength"),
        ("DenseRAG eliminates hallucination on two data sets.", "strength"),
        ("DenseRAG is proven to reduce hallucination on two data sets.", "strength"),
        ("It does improve answers to questions about dates.", "polarity"),
        ("DenseRAG underperforms BM25 by 9%-19% in accuracy.", "polarity"),
        ("DenseRAG reduces hallucination on two data sets, TriviaQA and NaturalQuestions.", "hedge"),
        ("BM25 outperforms DenseRAG by 9%-19% in accuracy.", "order"),
        ("Bridges of steel corrode under salt water and heavy load.", "subject"),
    ],
)
def test_what_the_source_does_not_say_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim)


def test_a_claim_that_is_its_source_word_for_word_has_no_fault() -> None:
    for sentence in ABSTRACT.split(". "):
        assert kinds(sentence.removesuffix(".") + ".") == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("improves by 9%-19% absolute", [(9.0, "percent"), (19.0, "percent")]),
        ("1.5 million of 21M", [(1.5e6, ""), (2.1e7, "")]),
        ("twenty-five tasks, one of the first", [(25.0, "")]),
        ("twice as fast, a 3-fold gain", [(3.0, "times"), (2.0, "times")]),
        ("two thirds of the questions", [(2 / 3, "times")]),
        ("on the 3rd of May", []),
        ("one hundred thousand questions", [(100_000.0, "")]),
    ],
)
def test_numbers_are_read_however_they_are_written(text: str, found: list[tuple[float, str]]) -> None:
    assert [(q.value, q.unit) for q in quantities(text) if q.words != "two"] == found


MEASURED = paper(
    2,
    title="Fusion of Features for Captions",
    abstract=(
        "We present FuseNet, which reaches METEOR scores of 0.333 on MSVD and 0.278 on MSR-VTT-10K. "
        "Compared to single features, it improves by 10.0% and 5.7% on MSVD and MSR-VTT-10K, respectively. "
        "It achieves comparable results with StaticNet, but needs 1.02 seconds as compared to 27.04 seconds for "
        "the StaticNet model on a Titan Xp. It surpasses all tested baselines in English and gains up to 2.5 "
        "percentage points. Unlike methods that rely on a draft model, it needs no additional training. "
        "Inappropriate strategies often harm the results. Larger batches slightly reduce the test accuracy. "
        "On YouCook, it sets a new state of the art. The GPT4o judge and the RL-trained14B model agree."
    ),
    authors=("Carla Zhang", "Ke Gao"),
    year=2017,
)


def kinds_of_measured(claim: str) -> set[str]:
    faults = find_faults(claim, [Source(MEASURED)], Vocabulary.of([MEASURED]))
    return {fault.kind for fault in faults}


@pytest.mark.parametrize(
    "claim",
    [
        "On MSR-VTT-10K FuseNet reaches a METEOR score of 0.278, and on MSVD 0.333.",
        "FuseNet reaches METEOR scores of 0.333 and 0.278 on MSVD and MSR-VTT-10K, respectively.",
        "Against single features it improves by 5.7% on MSR-VTT-10K.",
        "StaticNet needs 27.04 seconds on a Titan Xp, where FuseNet needs 1.02 seconds.",
        "FuseNet surpasses all baselines that were tested.",
        "It gains at most 2.5 percentage points.",
        "Additional training is not needed.",
        "Larger batches lower the test accuracy slightly.",
        "Zhang et al. (2017) set a new state of the art on YouCook.",
        "The GPT-4o judge agrees with the 14B model trained with RL.",
        "GPT4o and the RL-trained14B model agree.",
    ],
)
def test_numbers_and_names_in_their_place_have_no_fault(claim: str) -> None:
    assert kinds_of_measured(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("FuseNet reaches METEOR scores of 0.278 on MSVD and 0.333 on MSR-VTT-10K.", "place"),
        ("On MSVD, FuseNet reaches a METEOR score of 0.278.", "place"),
        ("It improves by 5.7% and 10.0% on MSVD and MSR-VTT-10K, respectively.", "place"),
        ("FuseNet needs 27.04 seconds, while the StaticNet model takes 1.02 seconds.", "place"),
        ("FuseNet needs 1.02 hours on a Titan Xp.", "place"),
        ("It gains up to 2.5% over all tested baselines.", "place"),
        ("It gains 2.5 percentage points over the tested baselines.", "place"),
        ("It improves to 10.0% on MSVD compared to single features.", "place"),
        ("On MSVD, it sets a new state of the art.", "place"),
        ("FuseNet outperforms StaticNet with comparable results on a Titan Xp in all languages.", "strength"),
        ("It surpasses all baselines in English.", "reach"),
        ("It surpasses all tested baselines because its authors collected cleaner photographs.", "addition"),
        ("FuseNet relies on a draft model.", "polarity"),
        ("It needs additional training.", "polarity"),
        ("Larger batches slightly increase the test accuracy.", "polarity"),
        ("Inappropriate strategies harm the results.", "hedge"),
        ("On MSR-VTT-20K, FuseNet reaches a METEOR score of 0.278.", "name"),
        ("The GPT-5 judge agrees with the RL-trained14B model.", "name"),
        ("Gao et al. (2017) present FuseNet.", "author"),
        ("Zhang et al. (2015) present FuseNet.", "author"),
        ("FuseNet is orders of magnitude faster than StaticNet.", "strength"),
    ],
)
def test_what_stands_in_another_place_or_reaches_too_far_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds_of_measured(claim)


def test_better_than_what_is_only_alike_is_seen() -> None:
    alike = paper(3, title="Two Retrievers", abstract="DuoNet performs on par with BM25 in recall on TriviaQA.")
    faults = find_faults("DuoNet outperforms BM25 in recall on TriviaQA.", [Source(alike)], Vocabulary.of([alike]))
    assert faults


GRASPING = paper(
    4,
    title="Grasping in Unknown Scenes",
    authors=("Jörg Müller", "Ada Berg"),
    abstract=(
        "We study single-arm grasping of rigid objects in unknown indoor scenes without retraining the detector. "
        "A Kalman filter fuses depth and touch. Choosing the grasp first gives a higher success rate than planning "
        "the path first. The system is on par with state-of-the-art planners. It succeeds in classification "
        "(ShapeNet) and segmentation (Cityscapes). Modelling friction is not straightforward. "
        "The failures in simulation were fewer than those with gloves, but similar to those with suction. "
        "At 5Hz, two public simulators and three robots were used, and earlier grippers were not well suited."
    ),
)


def kinds_of_grasping(claim: str) -> set[str]:
    return {fault.kind for fault in find_faults(claim, [Source(GRASPING)], Vocabulary.of([GRASPING]))}


@pytest.mark.parametrize(
    "claim",
    [
        "Rigid objects are grasped with one arm in scenes that were not known before.",
        "The detector need not be retrained for unknown indoor scenes.",
        "Depth and touch are combined by a Kalman filter.",
        "The success rate is higher when the grasp is chosen first than when the path is planned first.",
        "It is not straightforward to model friction.",
        "Segmentation succeeds on Cityscapes, classification on ShapeNet.",
        "Earlier grippers are said to be poorly suited.",
        "Two simulators ran at 5 Hz.",
        "Mueller et al. use three robots.",
    ],
)
def test_a_true_paraphrase_with_other_words_has_no_fault(claim: str) -> None:
    assert kinds_of_grasping(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("The method grasps rigid objects in known indoor scenes.", "contrast"),
        ("Deformable objects are grasped in unknown indoor scenes.", "contrast"),
        ("Rigid objects are grasped in unknown outdoor scenes.", "contrast"),
        ("The method is made for multi-arm grasping of rigid objects.", "contrast"),
        ("A particle filter fuses depth and touch.", "term"),
        ("Depth and lidar scans are fused by a Kalman filter.", "term"),
        ("Planning the path first gives a higher success rate than choosing the grasp first.", "order"),
        ("The failures in simulation were fewer than those with suction.", "order"),
        ("The system outperforms state-of-the-art planners.", "reach"),
        ("It succeeds in segmentation on ShapeNet.", "place"),
        ("Modelling friction is straightforward.", "polarity"),
        ("The failures were counted in three public simulators.", "place"),
        ("Depth and touch require two cameras to be fused by a Kalman filter.", "strength"),
        ("Success with gloves is identical to success with suction in simulation.", "strength"),
        ("Depth and touch are fused for any kind of object by a Kalman filter.", "strength"),
    ],
)
def test_the_counterpart_of_what_the_source_says_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds_of_grasping(claim)


FILTERING = paper(
    3,
    title="TwinFilter: Odometry from Events",
    abstract=(
        "Most existing methods treat events as frames and require a long calibration. "
        "We present TwinFilter, in which a slow thread that tracks planes corrects a fast thread that integrates "
        "inertial data. "
        "Planes turn drift into bounded error, so that GPS can be neglected. "
        "The predictor estimates the velocity from a few events. "
        "A recurrent layer selects the events of each plane. "
        "TwinFilter sets a new state of the art in rotation and shows competitive results in translation. "
        "Its error of 0.4% compares favorably to that of human pilots, who reach 0.9%. "
        "The analysis in simulation covers corridors, halls and streets."
    ),
    authors=("Cleo Marsh",),
    year=2022,
)


def kinds_of_filtering(claim: str) -> set[str]:
    return {fault.kind for fault in find_faults(claim, [Source(FILTERING)], Vocabulary.of([FILTERING]))}


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("TwinFilter treats events as frames and requires a long calibration.", "role"),
        ("The proposed method requires a long calibration of its frames.", "role"),
        ("A fast thread that integrates inertial data corrects a slow thread that tracks planes.", "role"),
        ("The predictor selects the events of each plane.", "role"),
        ("TwinFilter sets a new state of the art in translation.", "reach"),
        ("Bounded error is turned into drift by planes.", "order"),
        ("Human pilots reach an error of 0.4%.", "place"),
        ("Field trials with TwinFilter bound the error.", "strength"),
        ("TwinFilter estimates the velocity from thousands of events.", "strength"),
        ("TwinFilter was evaluated on parking garages at night.", "reach"),
    ],
)
def test_who_does_what_and_what_was_tried_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds_of_filtering(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "Earlier methods need a long calibration and treat events as frames.",
        "Unlike existing methods, TwinFilter requires no long calibration.",
        "In TwinFilter, a fast thread is corrected by a slow one that tracks planes.",
        "Marsh (2022) selects the events of each plane with a recurrent layer.",
        "Drift turns into bounded error when planes are used.",
        "TwinFilter errs by 0.4%, human pilots by 0.9%.",
        "Three kinds of places are covered in simulation.",
    ],
)
def test_a_true_paraphrase_of_who_does_what_has_no_fault(claim: str) -> None:
    assert kinds_of_filtering(claim) == set()


def test_a_term_that_most_papers_of_a_section_share_is_no_strange_one() -> None:
    others = [paper(n, title=f"Lidar {n}", abstract="Lidar maps are built.") for n in range(5, 9)]
    claim = "Rigid objects are grasped in unknown lidar scenes."
    assert find_faults(claim, [Source(GRASPING)], Vocabulary.of([GRASPING]))
    assert find_faults(claim, [Source(GRASPING)], Vocabulary.of([GRASPING, *others])) == ()


GRIPPER = paper(
    11,
    title="SoftGrip: Compliant Grasping",
    abstract=(
        "Suction grippers lift flat parcels quickly, whereas fingered grippers handle porous objects. "
        "Earlier controllers fail on wet objects because of slip. "
        "We present SoftGrip, which learns from a single camera image. "
        "SoftGrip raises the success rate by 12.4% relative (3.1% absolute) on the YCB objects "
        "without sacrificing speed. "
        "It runs an order of magnitude faster than planners and is tested on 40 non-rigid objects."
    ),
    authors=("Ira Stone",),
    year=2023,
)
TOUCH = paper(
    12,
    title="TouchNet: Tactile Slip Detection",
    abstract="We present TouchNet, which detects slip from tactile arrays. It reaches 91% accuracy on many grasps.",
    authors=("Lee Moor",),
    year=2021,
)


def kinds_of(claim: str, *papers: Paper) -> set[str]:
    faults = find_faults(claim, [Source(one) for one in papers], Vocabulary.of([GRIPPER, TOUCH]))
    return {fault.kind for fault in faults}


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("These works show that SoftGrip raises the success rate.", "speakers"),
        ("Several studies report success on the YCB objects.", "speakers"),
        ("Experiments demonstrate the effectiveness of the approach.", "empty"),
        ("SoftGrip was evaluated in extensive experiments.", "empty"),
        ("Earlier controllers fail on wet objects because of their weight.", "reason"),
        ("Suction grippers handle porous objects, whereas fingered grippers lift flat parcels quickly.", "role"),
        ("SoftGrip runs faster than reinforcement learning.", "reach"),
        ("SoftGrip raises the success rate at the expense of speed.", "strength"),
        ("SoftGrip learns from several camera images.", "place"),
        ("SoftGrip performs worse on the YCB objects.", "role"),
    ],
)
def test_what_is_said_of_results_and_by_whom_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds_of(claim, GRIPPER)


@pytest.mark.parametrize(
    "claim",
    [
        "SoftGrip learns from one camera image and runs ten times as fast as planners.",
        "On the YCB objects the success rate rises by 12.4% relative, or by 3.1% absolute.",
        "SoftGrip gains an absolute 3.1% on the YCB objects.",
        "SoftGrip is tested on 40 objects that are not rigid.",
        "SoftGrip raises the success rate and keeps the speed of grasping.",
        "Earlier controllers fail on wet objects because these slip.",
        "Fingered grippers handle porous objects, while suction grippers lift flat parcels.",
    ],
)
def test_results_told_in_other_words_have_no_fault(claim: str) -> None:
    assert kinds_of(claim, GRIPPER) == set()


@pytest.mark.parametrize(
    ("claim", "merged"),
    [
        ("SoftGrip and TouchNet both detect slip from tactile arrays.", True),
        ("SoftGrip reaches 91% accuracy.", True),
        ("SoftGrip learns from a camera image, while TouchNet detects slip from tactile arrays.", False),
        ("TouchNet reaches 91% accuracy, and SoftGrip gains 12.4% relative.", False),
    ],
)
def test_what_one_paper_says_is_not_told_of_another_that_is_cited_beside_it(claim: str, *, merged: bool) -> None:
    assert ("merged" in kinds_of(claim, GRIPPER, TOUCH)) is merged


def test_a_fraction_that_stands_anywhere_in_the_source_is_no_unknown_number() -> None:
    assert "number" not in kinds_of("A gain of 3.1% absolute is reached by the hand.", GRIPPER)
    assert "number" in kinds_of("A gain of 3.2% absolute is reached by the hand.", GRIPPER)
