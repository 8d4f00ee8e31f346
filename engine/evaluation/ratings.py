"""What people say of surveys: the tasks they rate, the ratings they gave, and how far they agree (AE9, XE6)."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, get_args

from markupsafe import Markup
from markupsafe import escape as escape_html

from engine.errors import UserError
from engine.evaluation.documents import Document
from engine.evaluation.scores import Score, mean_and_spread, rank_correlation, score_criteria
from engine.rubrics import CRITERIA, Criterion

LEAST_SHARED = 3
"""Surveys that two people must both have rated for their orders to be compared."""

_SCORE = re.compile(r"\s*([1-5])(?:\b|:)")


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person gave one survey for one criterion, 1 to 5; ``survey`` is the number of its task."""

    rater: str
    survey: str
    criterion: Criterion
    score: int


def number_surveys(names: Iterable[str], seed: int) -> dict[str, str]:
    """The key, which raters do not see: “system/topic” by numbers that tell nothing, in an order by the seed."""
    ordered = sorted(names)
    shuffled = random.Random(seed).sample(ordered, len(ordered))
    width = len(str(len(shuffled)))
    return {f"{number:0{width}}": name for number, name in enumerate(shuffled, start=1)}


def label_studio_interface() -> str:
    """The labelling interface: the survey, and for each criterion five choices with their descriptions."""
    choices = []
    for criterion, levels in CRITERIA.items():
        shown = "\n".join(
            f'    <Choice alias="{score}" value="{escape_html(f"{score}: {said}")}"/>'
            for score, said in enumerate(levels, start=1)
        )
        choices.append(
            f'  <Header value="{criterion.capitalize()}" size="4"/>\n'
            f'  <Choices name="{field_of(criterion)}" toName="text" choice="single-radio" required="true">\n'
            f"{shown}\n  </Choices>\n"
        )
    return (
        '<View>\n  <Header value="Survey $survey: $topic"/>\n  <HyperText name="text" value="$html"/>\n'
        f"{''.join(choices)}"
        '  <TextArea name="remarks" toName="text" placeholder="Remarks (optional)" rows="3"/>\n</View>\n'
    )


def field_of(criterion: Criterion) -> str:
    """The criterion's name in the form and in exports."""
    return criterion.replace(" ", "_")


def label_studio_tasks(key: Mapping[str, str], surveys: Mapping[str, tuple[str, Document]]) -> str:
    """The tasks to import, JSON; ``surveys`` are topic and text by name."""
    shown = [(number, *surveys[name]) for number, name in key.items()]
    rows = [{"data": {"survey": number, "topic": topic, "html": _page(text)}} for number, topic, text in shown]
    return json.dumps(rows, ensure_ascii=False, indent=1)


def _page(document: Document) -> str:
    """The survey as HTML; whatever its text holds is escaped."""
    parts = [Markup("<h1>{}</h1>").format(document.title)]
    for part in document.parts:
        if part.title:
            parts.append(Markup("<h{0}>{1}</h{0}>").format(min(6, part.level + 1), part.title))
        parts += [Markup("<p>{}</p>").format(text) for text in re.split(r"\n\s*\n", part.text) if text.strip()]
    if document.references:
        parts.append(Markup("<h2>References</h2>"))
        parts += [Markup("<p>[{}] {}</p>").format(entry.name, entry.text) for entry in document.references]
    return str(Markup("\n").join(parts))


def read_ratings(content: str) -> tuple[Rating, ...]:
    """Ratings from an export of Label Studio, or a CSV of rater, survey and criteria; raises `UserError` for others."""
    text = content.lstrip("\ufeff").strip()
    try:
        rows = json.loads(text) if text.startswith("[") else list(csv.DictReader(io.StringIO(text)))
    except (ValueError, csv.Error) as error:
        raise UserError(f"The ratings can be read neither as JSON nor as CSV: {error}.") from error
    ratings = [rating for row in rows if isinstance(row, dict) for rating in _read_row(row)]
    if not ratings:
        raise UserError(
            "No ratings could be read. I read what Label Studio exports (JSON, JSON-MIN, CSV), and CSV with the "
            f"columns rater, survey, {', '.join(map(field_of, CRITERIA))}."
        )
    return tuple(ratings)


def _read_row(row: Mapping[str, Any]) -> Iterator[Rating]:
    """One task with its annotations, or one annotation of a flat export."""
    if "annotations" not in row:
        # Columns as people write them.
        named = {str(column).strip().lower().replace(" ", "_"): said for column, said in row.items()}
        yield from _read_scores(str(named.get("rater") or named.get("annotator") or ""), named.get("survey"), named)
        return
    survey = row.get("data", {}).get("survey")
    for annotation in row["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        by = annotation.get("completed_by")
        rater = by.get("email") or by.get("id") if isinstance(by, dict) else by
        given = {item.get("from_name"): item.get("value", {}).get("choices") for item in annotation.get("result", ())}
        yield from _read_scores(str(rater or ""), survey, given)


def _read_scores(rater: str, survey: object, given: Mapping[str, Any]) -> Iterator[Rating]:
    for criterion in get_args(Criterion):
        said = given.get(field_of(criterion))
        if isinstance(said, list):
            said = said[0] if said else None
        if said in (None, ""):
            continue
        if not (score := _SCORE.match(str(said))):
            raise UserError(f"“{str(said)[:40]}” is no score for {criterion}: scores are 1 to 5.")
        if not rater or not survey:
            raise UserError("A rating does not say who gave it, or for which survey: rater and survey are needed.")
        yield Rating(rater, str(survey).strip(), criterion, int(score[1]))


def name_surveys(ratings: Sequence[Rating], names: Mapping[str, str]) -> tuple[Rating, ...]:
    """The ratings with “system/topic” for each number. Raises `UserError` for a number that the key does not have."""
    if unknown := next((rating.survey for rating in ratings if rating.survey not in names), None):
        raise UserError(f"The key has no survey “{unknown}”. Give the key that was written with the tasks.")
    return tuple(replace(rating, survey=names[rating.survey]) for rating in ratings)


def score_systems(ratings: Sequence[Rating]) -> dict[str, dict[str, Score]]:
    """What people gave each system, over all its surveys and raters, by name."""
    given: dict[str, dict[Criterion, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        given[rating.survey.rpartition("/")[0]][rating.criterion].append(float(rating.score))
    return {name: score_criteria(own, "1 to 5, by people") for name, own in sorted(given.items())}


def rank_surveys(ratings: Sequence[Rating]) -> dict[str, float]:
    """The rank of each survey by the mean of all it was given, 1 the best; equal means share a rank."""
    from scipy import stats

    means = _average(ratings)
    ranks = stats.rankdata([-mean for mean in means.values()])
    return dict(zip(means, map(float, ranks), strict=True))


def _average(ratings: Iterable[Rating]) -> dict[str, float]:
    given: dict[str, list[int]] = defaultdict(list)
    for rating in ratings:
        given[rating.survey].append(rating.score)
    return {survey: statistics.fmean(scores) for survey, scores in given.items()}


def measure_agreement(ratings: Sequence[Rating]) -> tuple[Score, ...]:
    """How far raters agree on each criterion and on all: mean Spearman's rho of pairs, of what both rated (AE9)."""
    asked = {f"agreement on {c}": [r for r in ratings if r.criterion == c] for c in CRITERIA}
    asked["agreement on the order of surveys"] = list(ratings)
    scores = []
    for name, some in asked.items():
        means = [_average(r for r in some if r.rater == one) for one in dict.fromkeys(r.rater for r in some)]
        both = [[(one[s], other[s]) for s in one if s in other] for one, other in combinations(means, 2)]
        pairs = [list(zip(*pair, strict=True)) for pair in both if len(pair) >= LEAST_SHARED]
        found = [rank_correlation(*given)[0] for given in pairs if all(len(set(side)) > 1 for side in given)]
        if found:
            mean, spread = mean_and_spread(found)
            scores.append(Score(name, mean, f"mean Spearman's rho of {len(found)} pairs of raters", spread))
        else:
            why = f"not measurable: no two raters rated {LEAST_SHARED} of the same surveys differently"
            scores.append(Score(name, None, why))
    return tuple(scores)
