"""What the program itself sees: figures in any notation, records, quotations, names, and how much evidence holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.checking.doubts import Source, carries, find_doubts, find_missing_names, find_wrong_authors, holds_words
from engine.checking.figures import find_missing_figures, read_figures, read_units
from tests.fakes import paper

KEPT = Source("SwiftNet flies at 60kmh−1 through 12 gates; 79.4% of 1,234 runs ended without a crash.", (paper(1),))


def kinds(claim: str, source: Source = KEPT, *, is_ours: bool = False) -> set[str]:
    return {doubt.kind for doubt in find_doubts(claim, source, is_ours=is_ours)}


@pytest.mark.parametrize(
    "said", ["60 km/h", "60kmh−1", "60 km h^-1", "60 km h⁻¹", "60 kilometres per hour", "16.7 m/s"]
)
@pytest.mark.parametrize("source", ["60 km/h", "60kmh−1", "60 kilometers per hour"])
def test_a_speed_is_one_speed_in_every_notation(said: str, source: str) -> None:
    assert find_missing_figures(f"It flies at {said}.", f"It flies at {source} there.") == ()
    assert find_missing_figures("It flies at 60 m/s.", f"It flies at {source} there.") == ("60",)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It holds in 79 % of runs", "79.4% of runs"),
        ("It holds in 79.4 percent", "a share of 0.794"),
        ("between 5 and 12 minutes", "5–12 min"),
        ("1234 runs", "1,234 runs"),
        ("a 3.2× speedup", "3.2-fold faster"),
        ("7 billion parameters", "7B parameters"),
        ("3.2e-3", "3.2 × 10^{-3}"),
        ("a hundred thousand or 10^5", "100,000"),
        ("twenty-one patients", "21 patients"),
        ("5.4 ± 0.3 mg/L", "5.4 ± 0.3 mg l−1"),
        ("it takes 1 h", "it takes 60 minutes"),
        ("more than 80 %", "83 %"),
        ("GPT-4 reads 3D images", "nothing"),
    ],
)
def test_the_same_figure_is_found(claim: str, source: str) -> None:
    assert find_missing_figures(claim, source) == ()


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It holds in 74 % of runs", "79.4% of runs"),
        ("60 mg", "60 kg"),
        ("3.2×", "3.2 %"),
        ("1,324 runs", "1,234 runs"),
        ("7 million parameters", "7B parameters"),
        ("in 2019", "in 2020"),
        ("thirty patients", "13 patients"),
    ],
)
def test_another_figure_is_not(claim: str, source: str) -> None:
    assert find_missing_figures(claim, source) != ()


@given(st.decimals(min_value="0.1", max_value="99999", places=1), st.sampled_from(["km/h", "mg/kg", "%", "GB", "ms"]))
def test_every_figure_agrees_with_itself_and_with_no_clearly_other_one(value: object, unit: str) -> None:
    figure, *more = read_figures(f"about {value} {unit}.")
    assert not more and figure.agrees_with(figure)
    (other,) = read_figures(f"{float(str(value)) * 2 + 1:.1f} {unit}.")
    assert not figure.agrees_with(other)


@given(
    st.lists(st.sampled_from(["km", "h", "s", "kg", "mol", "W"]), min_size=1, max_size=3), st.sampled_from([" ", "·"])
)
def test_the_order_of_a_units_parts_does_not_matter(parts: list[str], joint: str) -> None:
    one, other = (
        read_units(joint.join(f"{part}^2" for part in parts)),
        read_units(joint.join(f"{p}^2" for p in parts[::-1])),
    )
    assert {unit.powers for unit in one} & {unit.powers for unit in other}


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    assert all(figure.value >= 0 for figure in read_figures(text))
    find_doubts(text, KEPT)


def test_words_that_stand_in_the_evidence_are_never_doubted() -> None:
    assert kinds("SwiftNet flies at 60kmh−1 through 12 gates; 79.4% of 1,234 runs ended without a crash.") == set()
    assert kinds("SwiftNet flies at 60 km/h through 12 gates.") == set()


def test_each_kind_of_fault_is_named_as_what_it_is() -> None:
    assert kinds("SwiftNet flies at 75 km/h through gates.") == {"figure"}
    assert kinds("SwiftNet flies through gates of GhostNet.") == {"name"}
    assert kinds("SwiftNet does not fly through gates.", Source("SwiftNet flies through gates.")) == {"negation"}
    assert kinds("SwiftNet “flies through gates forever”.") == {"quotation"}
    assert kinds("Cooking pasta demands boiling salted water.") == {"terms"}
    assert kinds("Quimby et al. (2001) fly SwiftNet through gates.") == {"author"}


def test_our_own_sentence_may_count_and_compute() -> None:
    source = Source("Nets gain 4.5 points. Trees gain 1.5 points.")
    assert kinds("Nets gain 3.0 points more than trees, in both of the 14 cases.", source, is_ours=True) == set()
    assert kinds("Nets gain 3.7 points more than trees.", source, is_ours=True) == {"figure"}


def test_authors_and_years_are_those_of_the_record() -> None:
    told = paper(1, authors=("Jan van den Berg", "Ben Buddy"), year=2020)
    for right in ("van den Berg et al. (2020) show it", "Buddy and others show it", "In 2019, nets won", "COCO (2017)"):
        assert find_wrong_authors(right, [told], "COCO has images") == (), right
    for wrong in ("Van den Berg et al. (2019) show it", "Smith et al. show it", "Smith and Buddy (2020) show it"):
        assert find_wrong_authors(wrong, [told], "") != (), wrong


def test_names_stand_in_many_forms() -> None:
    known = "We train long short-term memory nets on the West-Nile data with ResNet50 and encoders."
    assert find_missing_names("The LSTMs and ResNet-50 of West Nile use Encoders.", known) == ()
    assert find_missing_names("Some use Conformers and ResNet-101.", known) == ("Conformers", "ResNet-101")


def test_a_quotation_is_letter_for_letter_but_for_marks_hyphens_and_gaps() -> None:
    text = "State-of-the-art nets “learn” from clicks, and they do so quickly."
    assert holds_words("state of the art nets 'learn' … they do so quickly", text)
    assert not holds_words("nets learn from many clicks", text)


def test_evidence_has_to_carry_the_claim() -> None:
    assert carries("Drones fly at 60 km/h through gates", "Drones race through gates at 60kmh−1.")
    assert not carries("Drones fly at 60 km/h through gates", "Drones race through gates at 70kmh−1.")
    assert not carries("Drones fly fast through narrow gates", "Pasta needs salt and patience.")
