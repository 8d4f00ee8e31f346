"""A survey with everything a page can show."""

from __future__ import annotations

from engine.citations import with_references
from engine.overview import (
    LineOfWork,
    NearbyGroup,
    Overview,
    StartingPoint,
    TimeLane,
    TimeLine,
    Turn,
)
from engine.survey import BarChart, Citation, Claim, FieldMap, MapPoint, Section, Survey, SurveyWarning, Table
from engine.values import LeftOut, SearchRecord
from tests.fakes import paper, papers

HEADER = ("Work", "Year", "Contributes", "Data and metrics", "Result")
GROUPS = ("Dense Retrieval", "Reading Comprehension")


def full_survey() -> Survey:
    """Two lines of work with tables, a time line, a map and what is not covered."""
    found = papers(12)
    sections = []
    for number, group in enumerate(GROUPS):
        own = found[number * 6 : number * 6 + 6]
        rows = tuple(
            (f"Author {i} [@{p.key}]", str(p.year), f"“{p.title} is learned.”", "MS MARCO", f"“{90 - i * 7}.5 % right”")
            for i, p in enumerate(own)
        )
        claim = Claim(f"“A finding” [@{own[0].key}].", (Citation(own[0].key, "A finding", "quoted"),))
        text = f"Six papers study this [@{own[0].key}; @{own[1].key}].\n\n- one [@{own[2].key}]\n- two [@{own[3].key}]"
        below = (Section("Agreement", f"They agree on most [@{own[4].key}]."),)
        sections.append(Section(group, text, (claim,), below, (Table("Its papers.", HEADER, rows, (3, 1, 5, 2, 4)),)))
    points = tuple(
        MapPoint(float(i % 4), float(i // 4), GROUPS[i // 6], p.key, f"Author {i}" if i % 5 == 0 else "")
        for i, p in enumerate(found)
    )
    lanes = tuple(
        TimeLane(
            g,
            ((2019, 2), (2020, 0), (2021, 4)),
            (Turn(2019, "first", "Author 0", found[0].key), Turn(2021, "burst", "4 papers")),
        )
        for g in GROUPS
    )
    figures = (
        TimeLine("How the lines of work grew.", lanes),
        FieldMap("A map of the field.", points),
        BarChart("Papers by year.", "Year", "Papers", (("2019", 4), ("2020", 0), ("2021", 8))),
    )
    introduction = Section("Introduction", "This survey covers two lines of work.", figures=figures)
    lines = tuple(
        LineOfWork(str(i + 2), g, f"A plain sentence [@{found[i * 6].key}].", 6, 2019, 2021)
        for i, g in enumerate(GROUPS)
    )
    survey = Survey(
        "How Machines Read",
        "",
        (introduction, *sections),
        (),
        notice="This survey was made without a language model.",
        searches=(SearchRecord("main", "reading", "2026-01-01", 12, "an older answer"),),
        left_out=(LeftOut(paper(40), "not relevant", "it is about cooking"),),
        warnings=(SurveyWarning("thin evidence", "2", "6 papers"),),
        facts=(("Records found", "120"), ("Papers cited", "12")),
        overview=Overview(
            "12 papers from 2019 to 2021.",
            lines,
            (StartingPoint(found[0].key, "cited most"), StartingPoint(found[6].key, "the first of its line")),
        ),
        not_covered=(NearbyGroup("Cooking", 9, ("On Soup (2020)",)),),
    )
    return with_references(survey, {p.key: p for p in found})
