"""True sentences in words far from their source's, beside false ones that differ from it as little."""

from __future__ import annotations

import pytest

from bot.bench.measured_papers import MEASURED_PAPERS
from engine.checking.back_references import is_dangling, remove_connective
from engine.checking.claims import is_connecting
from engine.checking.faults import Source, find_faults
from engine.checking.names import Vocabulary
from engine.values import Paper
from tests.fakes import paper

INSERTION = paper(
    1,
    title="NeedleNet: Guided Insertion by Anytime Planning",
    abstract=(
        "We introduce a planner that guides a needle from pixels. "
        "In a study on cadaver eyes, the depth of the robot was 90.05% +/- 2.33% compared to 79.16% +/- 5.68% "
        "for manual insertions. On average, NeedleNet plans an insertion in 138.4 seconds. "
        "Accuracy rises by 2.1%, 1.54% and 2.34% on EyeSet (video), CorneaBench (video) and IrisPairs (image). "
        "The results increased the precision and consistency of the placement. "
        "Crucially, no assumptions are made on the form of the tissue. "
        "The module is completely convolution-based. "
        "While surgeons may understand the display, they do not follow it. "
        "The new loss down-weights well-classified examples. "
        "It surpasses all the strong baselines on all metrics. "
        "In 2D and 3D, its speed is comparable, and its precision competitive with existing planners."
    ),
    authors=("Ida Shaw", "Ben Lee"),
    year=2021,
)
CORNEA = paper(
    2,
    title="Suction for Corneal Grafts",
    abstract=(
        "A suction tool places grafts on the cornea. In simulation, the tool drops one graft in eight. "
        "The gripping force is measured with a load cell."
    ),
    authors=("Ana Ruiz",),
    year=2019,
)


def kinds(claim: str, *papers: Paper) -> set[str]:
    cited = papers or (INSERTION,)
    return {f.kind for f in find_faults(claim, [Source(one) for one in cited], Vocabulary.of(cited))}


@pytest.mark.parametrize(
    "claim",
    [
        "The robot reached about 90% of the depth, manual insertions about 79%.",
        "An insertion is planned in a little over two minutes on average.",
        "Accuracy rises by between 1.54% and 2.34% on EyeSet, CorneaBench and IrisPairs.",
        "The needle is placed more precisely and more consistently.",
        "The tissue may have any form.",
        "The module consists of convolutions only.",
        "Surgeons understand the display but do not follow it.",
        "All strong baselines are surpassed.",
        "The depths on EyeSet, CorneaBench and IrisPairs all increase the accuracy.",
        "Manual insertions reach 79% of the depth, if they are placed at all.",
        "Shaw and Lee (2021) guide the needle with the help of a camera.",
        "Shaw and Lee (2021) search for a path that leads the needle through the tissue.",
    ],
)
def test_what_is_so_has_no_fault_however_it_is_worded(claim: str) -> None:
    assert kinds(claim) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("The robot reached about 79% of the depth, manual insertions about 90%.", "place"),
        ("The robot reached about 75% of the depth.", "number"),
        ("An insertion is planned in a little over three minutes on average.", "number"),
        ("An insertion is planned in 138.4 minutes.", "place"),
        ("Accuracy rises by 2.34% on EyeSet.", "place"),
        ("The needle is placed by speech recognition.", "term"),
        ("Surgeons always follow the display.", "strength"),
        ("The new loss amplifies well-classified examples.", "polarity"),
    ],
)
def test_what_is_not_so_is_seen_beside_it(claim: str, kind: str) -> None:
    assert kind in kinds(claim)


def test_what_one_of_two_papers_says_is_not_said_of_both() -> None:
    assert "merged" in kinds("Both tools were tried on cadaver eyes in a study of depth.", INSERTION, CORNEA)
    assert "merged" in kinds("Both tools measure the gripping force with a load cell.", INSERTION, CORNEA)
    assert kinds("Both tools work on the cornea.", CORNEA, CORNEA) == set()


def test_british_and_american_spelling_are_the_same() -> None:
    source = paper(3, title="Colour", abstract="No optimization is required, as the behavior of the model is analyzed.")
    assert kinds("No optimisation is required, because the behaviour of the model is analysed.", source) == set()


def test_a_pronoun_at_the_beginning_of_a_text_speaks_of_nothing() -> None:
    assert is_dangling("Its accuracy on IrisPairs rises [@a].", [], is_first=True)
    assert not is_dangling("Its accuracy on IrisPairs rises [@a].", [])
    assert not is_dangling("It is known that accuracy rises [@a].", [], is_first=True)


def test_sides_of_unlike_that_changed_places_are_seen() -> None:
    source = paper(4, title="Means", abstract="Unlike K-means, however, DP-means is hard to parallelize on many cores.")
    assert "role" in kinds("Unlike DP-means, K-means is hard to parallelize.", source)
    assert kinds("DP-means is hard to parallelize, unlike K-means.", source) == set()


@pytest.mark.parametrize(
    ("claim", "is_wrong"),
    [
        ("With (epsilon, delta) of (3, 1e-5), it reaches 74.5%.", False),
        ("At a privacy budget of (3, 10^-5), it reaches 74.5%.", False),
        ("It is trained with a learning rate of 0.0002.", False),
        ("Its error falls below 3.2 × 10⁻³ after 1.5 million steps.", False),
        ("With (epsilon, delta) of (5, 1e-5), it reaches 74.5%.", True),
        ("With (epsilon, delta) of (3, 1e-6), it reaches 74.5%.", True),
        ("It is trained with a learning rate of 2e-5.", True),
        ("Its error falls below 3.2 × 10^{-4} after 1.5 million steps.", True),
    ],
)
def test_a_power_of_ten_is_one_number_however_it_is_written(claim: str, is_wrong: bool) -> None:  # noqa: FBT001
    text = (
        "We train it with privacy and a learning rate of 2e-4. At (epsilon, delta)=(3, 1e-5) it reaches 74.5%. "
        "Its error falls below 3.2 \\times 10^{-3} after 1.5e6 steps."
    )
    source = paper(1, title="Private training", abstract=text)
    found = find_faults(claim, [Source(source)], Vocabulary.of([source]))
    assert [fault.kind for fault in found] == (["number"] if is_wrong else [])


@pytest.mark.parametrize("claim", ["The detector is accurate but slow.", "Its convergence remains unproven."])
def test_a_weakness_needs_one_in_the_source(claim: str) -> None:
    source = paper(1, title="A detector", abstract="The detector is accurate and very efficient. It converges.")
    assert "strength" in {fault.kind for fault in find_faults(claim, [Source(source)], Vocabulary.of([source]))}
    slow = paper(1, title="A detector", abstract="The accurate detector needs much time. Its convergence is unknown.")
    assert find_faults(claim, [Source(slow)], Vocabulary.of([slow])) == ()


@pytest.mark.parametrize(
    ("said", "claim", "kinds"),
    [
        ("It achieves a 70% reduction in FLOPs of decoding.", "It cuts latency of decoding by 70%.", {"place"}),
        ("It achieves a 70% reduction in FLOPs of decoding.", "It saves 70% of the computation of decoding.", set()),
        ("Its speedups are 2.16×∼2.62× over plain decoding.", "It reaches 2.16× to 2.62× over plain decoding.", set()),
        ("Others use A or B but fail to use both of them.", "Others use both A and B of them.", {"polarity"}),
        ("Some index, and others search the web.", "In a third, others search the web.", set()),
        ("It works with links or with an index of pages.", "A third of the links work with an index.", {"number"}),
        ("It beats search without links or with an index.", "It beats search with an index.", set()),
        ("Tokens come from early exits.", "Section 2 asks where tokens come from, such as early exits.", set()),
    ],
)
def test_a_number_is_of_what_is_measured_and_no_ordinal(said: str, claim: str, kinds: set[str]) -> None:
    source = paper(1, title="Decoding", abstract=f"We study decoding. {said}")
    assert {fault.kind for fault in find_faults(claim, [Source(source)], Vocabulary.of([source]))} == kinds


def test_how_many_parts_a_text_has_is_no_claim() -> None:
    assert is_connecting("This survey divides the field by these two questions.", Vocabulary.of([]))
    assert not is_connecting("This survey divides the field by 5 % of accuracy.", Vocabulary.of([]))


CHANNEL = paper(
    3,
    title="TriSend: Ternary Messages for Shared Training",
    abstract=(
        "Existing schemes often overlook the cost of the network. TriSend sends ternary messages, where BALM gives "
        "data of limited relevance. We prove its convergence under the assumption of bounded messages. "
        "A greedy planner picks the messages. This planner is guaranteed to reach half of the optimum. "
        "TriSend runs on a dual-arm robot with a microprocessor and wireless communication. "
        "The control effort for keeping the pose decreases. Numerical simulations demonstrate the method. "
        "The accuracy loss on OxNet is 2%, and training is 7.92/8.02x as fast. "
        "We report face identification on PieFaces, and verification on Wild (WFL). "
        "It improves the state of the art by over 5 and 7 BLEU respectively on sign-to-text and video-to-text "
        "translation of Storm 2014T."
    ),
    authors=("Kay Yin", "Jo Read"),
    year=2020,
)


@pytest.mark.parametrize(
    "claim",
    [
        "TriSend sends ternary messages, so that the cost of the network is not overlooked.",
        "TriSend converges only if messages are bounded.",
        "The planner that picks the messages is greedy and comes with a guarantee.",
        "TriSend runs on a robot with two arms.",
        "BALM gives irrelevant data.",
        "In all, training is 7.92 times as fast on OxNet.",
        "On OxNet, training is 7.92 times as fast.",
        "TriSend gains over 5 BLEU on sign-to-text and over 7 BLEU on video-to-text translation of Storm 2014 T.",
    ],
)
def test_what_follows_from_a_sentence_has_no_fault(claim: str) -> None:
    assert kinds(claim, CHANNEL) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("TriSend needs no assumption on the messages to converge.", "polarity"),
        ("TriSend runs on a robot without wireless communication.", "polarity"),
        ("TriSend gains 2% accuracy on OxNet.", "polarity"),
        ("TriSend increases the control effort but keeps the pose.", "polarity"),
        ("Face verification on PieFaces and identification on Wild are reported.", "place"),
        ("TriSend gains over 5 BLEU on video-to-text and over 7 BLEU on sign-to-text translation.", "place"),
        ("TriSend was tried at sea.", "strength"),
        ("TriSend was shown on a real robot.", "strength"),
        ("TriSend controls a robot as smoothly as a human.", "strength"),
        ("The greedy planner is replaced by a ternary one.", "strength"),
    ],
)
def test_what_a_sentence_turns_round_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim, CHANNEL)


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("Yu et al. (2023) therefore send less.", "Yu et al. (2023) send less."),
        ("In addition, 16 BLEU more are reported.", "16 BLEU more are reported."),
        ("Transfer, on the other hand, narrows the gap.", "Transfer narrows the gap."),
        ("It is hard, however, as is sending.", "It is hard, as is sending."),
        ("Instead of words, signs are sent.", "Instead of words, signs are sent."),
        ("Messages are sent and therefore read.", "Messages are sent and therefore read."),
        ("They send less, thus saving time.", "They send less, thus saving time."),
    ],
)
def test_a_word_that_takes_up_what_is_gone_goes_too(sentence: str, bare: str) -> None:
    assert remove_connective(sentence) == bare


def test_a_view_likened_to_one_that_was_taken_out_dangles() -> None:
    assert is_dangling("Yin and Read (2020) come to a similar view.", [None])
    assert not is_dangling("Yin and Read (2020) come to a similar view.", ["Glosses say too little."])
    assert not is_dangling("Yin and Read (2020) come to results similar to those of others.", [None])


BATTER = paper(
    4,
    title="Batting by Bilinear Filters",
    abstract=(
        "This is the first work on such filters for a bat, in simulation and on a real arm. "
        "We show 76% of 258,000 balls seen. Maclaurin et al. (2015) guide the arm. "
        "Filters find the ball in the frames and guide the bat. Errors shrink by a factor of 4. "
        "Balls are hit with a HOTA of 9.5% (recall 75.9% at a distance of 2 m), and the team came second in the cup."
    ),
)


@pytest.mark.parametrize(
    "claim",
    [
        "The errors are a quarter of what they were.",
        "Balls are hit with no more than 9.5% HOTA.",
        "Three of four balls are seen, at a distance of two metres.",
        "No such filters were known before for a bat.",
        "More than a quarter of a million balls are seen.",
        "Unlike Maclaurin et al. (2015), the filters guide the bat.",
    ],
)
def test_a_part_and_a_bound_of_what_is_so_have_no_fault(claim: str) -> None:
    assert kinds(claim, BATTER) == set()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("Balls are hit with 75.9% HOTA.", "place"),
        ("The team won the cup.", "strength"),
        ("The filters were tried in simulation only.", "strength"),
        ("The filters are restricted to balls in frames.", "strength"),
        ("The filters that guide the bat are set by hand.", "strength"),
        ("The bat reaches human accuracy on balls.", "strength"),
        ("Filters make training slower than others.", "strength"),
    ],
)
def test_what_is_added_to_a_sentence_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim, BATTER)


STEREO = paper(
    5,
    title="ScanFit: Dense Depth for Humanoids",
    abstract=(
        "ScanFit is a bipedal planner that reads a camera sequence. "
        "It does not rely on keypoints or poses, and hence is generally applicable to any walking scenario. "
        "Simple sketches replace real projections by complex ones. We first fit the slope and "
        "then convert it to depth. "
        "Thereby, planning time can be reduced significantly. It is faster and more scalable than Gauss filters. "
        "ScanFit overcomes the limitation to static scenes of previous work. "
        "We recommend against cutting the sequence. Calibrated during training, the filter avoids decompositions. "
        "On 12 datasets, 30 participants walked for 10 weeks. The loss suffers from over-confidence. "
        "All earlier filters remain susceptible to drift. Theoretical analysis and tests support the planner."
    ),
    authors=("Mia Berg", "Jo Stone"),
    year=2022,
)


@pytest.mark.parametrize(
    "claim",
    [
        "ScanFit joins two parts, a planner and a filter, for humanoids.",
        "The planner is applicable to any walking setting.",
        "Its complex sketches are no Gaussian filters.",
        "Walking no longer relies on keypoints.",
        "Fitting the slope and converting it to depth considerably reduces what planning takes.",
        "The depth is first fitted as a slope, then converted.",
        "None of the filters known before withstood such drift.",
        "The planner proved useful with humanoids that walk.",
        "Over ten weeks, 30 people walked, on 12 data sets.",
        "The planner is based on images of humanoids.",
        "A planner only needs to read the camera sequence.",
        "The slope that fits best is converted to depth.",
        "Calibrated during training, the filter does without decompositions.",
    ],
)
def test_more_true_wordings_far_from_the_source_have_no_fault(claim: str) -> None:
    assert kinds(claim, STEREO) <= {"addition"}


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("The planner is slower than Gauss filters.", "polarity"),
        ("Simple sketches replace complex projections by real ones.", "polarity"),
        ("First the depth is fitted, which is then converted to a slope.", "polarity"),
        ("Keypoints have to be given for each walking scenario.", "polarity"),
        ("The planner is limited to static scenes.", "polarity"),
        ("Berg and Stone recommend cutting the sequence.", "polarity"),
        ("The loss suffers from underconfidence.", "contrast"),
        ("The wheeled planner reads a camera sequence.", "contrast"),
        ("The planner was tested without any theory.", "polarity"),
        ("Gauss filters suffice for the planner.", "strength"),
        ("The slope has no effect on the depth.", "strength"),
        ("The planner cannot read a camera sequence.", "polarity"),
        ("A pre-trained language model plans the slope.", "strength"),
        ("The planner has to be fine-tuned for humanoids.", "strength"),
    ],
)
def test_what_is_turned_round_in_free_wording_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim, STEREO)


HEAT = MEASURED_PAPERS[2]


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("It is the second globally optimal design for the cooling of drives.", "polarity"),
        ("Tests cover 24 to 50 °F.", "place"),
        ("HEATCAL asks GPT-3.5 for settings.", "name"),
        ("HEATCAL is finetuned on costly oven data.", "role"),
        ("HEATCAL increases the number of parameters by 98.87%.", "polarity"),
        ("It gains 60% over an older bench on the whole benchmark OVEN-X.", "polarity"),
        ("High accuracy is achieved for parts close to the oven door.", "polarity"),
        ("Coarse feedback results in suboptimal performance.", "hedge"),
        ("The estimate is not order-independent.", "polarity"),
        ("FHT (fixed harmonic tuning) is used.", "name"),
        ("The records have been released.", "strength"),
        ("A thousand drives are compared.", "number"),
        ("Gains of up to 1.2 in exact match are seen on RIGS.", "place"),
        ("The oven is called 'the hottest drive of all times'.", "quotation"),
        ("HEATCAL is the most accurate bench.", "strength"),
        ("HEATCAL is shown to converge.", "strength"),
        ("Nobody had tested drives before.", "strength"),
        ("GPT-3.5 is asked for settings of an oven.", "name"),
        ("The bench was later extended to pumps.", "strength"),
        ("The settings of HEATCAL are derived analytically.", "strength"),
        ("Experts preferred HEATCAL over the older bench.", "strength"),
        ("HEATCAL is certain to gain on OVEN-X.", "strength"),
    ],
)
def test_what_is_told_otherwise_of_the_same_thing_is_seen(claim: str, kind: str) -> None:
    assert kind in kinds(claim, HEAT)


@pytest.mark.parametrize(
    "claim",
    [
        "One step of the pipeline measures drives, the other asks for settings.",
        "Gains amount to at most 1.2 F1 on RIGS.",
        "The error of the pipeline is 0.4 IoU_thin.",
        "Nearly five thousand drives are compared.",
        "HEATCAL attacks the settings of the oven.",
        "Drives are tested all over the range from 24 to 50 °C.",
    ],
)
def test_other_ways_to_say_it_have_no_fault(claim: str) -> None:
    assert kinds(claim, HEAT) == set()
