"""People rate surveys without knowing who wrote them; what they gave, and how far they agree."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from engine.errors import UserError
from engine.evaluation.documents import from_markdown
from engine.evaluation.ratings import (
    field_of,
    label_studio_interface,
    label_studio_tasks,
    measure_agreement,
    name_surveys,
    number_surveys,
    rank_surveys,
    read_ratings,
    score_systems,
)
from engine.rubrics import CRITERIA
from tests.engine.evaluation.test_documents import MARKDOWN

NAMES = {"1": "ours/A", "2": "theirs/A", "3": "ours/B"}


def task(survey: str, *given: tuple[str, int]) -> dict[str, object]:
    """A task as Label Studio exports it: who gave which score for all criteria."""
    results = [
        {
            "completed_by": {"id": 1, "email": rater},
            "result": [
                {"from_name": field_of(c), "type": "choices", "value": {"choices": [str(score)]}} for c in CRITERIA
            ],
        }
        for rater, score in given
    ]
    return {"id": 7, "data": {"survey": survey}, "annotations": [*results, {"was_cancelled": True, "result": []}]}


def test_the_form_shows_the_survey_and_every_description_but_not_who_wrote_it() -> None:
    document = from_markdown(MARKDOWN.replace("Methods", "Methods &lt;script&gt;"))
    surveys = {"secret-system/Graphs": ("Graphs", document), "other/Graphs": ("Graphs", document)}
    key = number_surveys(surveys, 0)
    assert (set(key), set(key.values())) == ({"1", "2"}, set(surveys))
    imported = label_studio_tasks(key, surveys)
    assert "secret-system" not in imported
    shown = json.loads(imported)[0]["data"]
    assert "Methods &lt;script&gt;" in shown["html"]
    assert "<h2>References</h2>" in shown["html"]
    form = ElementTree.fromstring(label_studio_interface())
    choices = {c.get("name"): [choice.get("alias") for choice in c] for c in form.iter("Choices")}
    assert choices == {field_of(criterion): ["1", "2", "3", "4", "5"] for criterion in CRITERIA}


def test_an_export_becomes_scores_ranks_and_agreement() -> None:
    export = [task("1", ("a@x", 5), ("b@x", 4)), task("2", ("a@x", 2), ("b@x", 2)), task("3", ("a@x", 4), ("b@x", 3))]
    ratings = name_surveys(read_ratings(json.dumps(export)), NAMES)
    systems = score_systems(ratings)
    coverage = systems["ours"]["coverage"]
    assert (coverage.value, coverage.spread) == (4.0, pytest.approx(0.816, abs=0.001))
    assert systems["ours"]["average of three, AutoSurvey's"].value == 4.0
    assert systems["theirs"]["average of five, SurveyX's"].value == 2.0
    assert rank_surveys(ratings) == {"ours/A": 1.0, "ours/B": 2.0, "theirs/A": 3.0}
    agreement = {score.name: score for score in measure_agreement(ratings)}
    assert agreement["agreement on the order of surveys"].value == pytest.approx(1.0)
    assert agreement["agreement on coverage"].value == pytest.approx(1.0)


def test_flat_exports_and_a_sheet_made_by_hand_are_read_alike() -> None:
    flat = json.dumps([{"id": 1, "survey": "1", "annotator": 4, "coverage": "3", "critical_analysis": "2: Single …"}])
    sheet = "rater,survey,coverage,critical_analysis,structure\n4,1,3,2,\n"
    assert read_ratings(flat) == read_ratings(sheet)
    assert [(r.rater, r.criterion, r.score) for r in read_ratings(sheet)] == [
        ("4", "coverage", 3),
        ("4", "critical analysis", 2),
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[1, 2", "neither as JSON nor as CSV"),
        ("a,b\n1,2\n", "No ratings could be read"),
        ("rater,survey,coverage\nx,1,7\n", "scores are 1 to 5"),
        ("rater,survey,coverage\n,1,3\n", "does not say who gave it"),
    ],
)
def test_what_is_no_export_is_said(content: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        read_ratings(content)


def test_a_survey_that_the_key_lacks_is_said() -> None:
    with pytest.raises(UserError, match="no survey “9”"):
        name_surveys(read_ratings("rater,survey,coverage\nx,9,3\n"), NAMES)


def test_columns_are_read_as_people_write_them() -> None:
    (rating,) = read_ratings("Rater,Survey,Critical analysis\nann,1,4\n")
    assert (rating.rater, rating.criterion, rating.score) == ("ann", "critical analysis", 4)
