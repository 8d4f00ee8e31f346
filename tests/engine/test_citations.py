"""Every key resolves, none is orphaned, no number has a gap (A14)."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.citations import (
    citation_order,
    cite,
    keep_allowed_citations,
    list_cited_keys,
    number_ranges,
    reference_text,
    replace_citations,
    with_references,
)
from engine.overview import LineOfWork, Overview, StartingPoint
from engine.rendering.markdown import render_markdown
from engine.survey import Citation, Section, Survey, Table, walk
from engine.text import inert
from engine.values import PaperKey
from tests.fakes import claim, paper, papers

KNOWN = {p.key: p for p in papers(8)}
UNKNOWN = [PaperKey("doi:10.1/invented"), PaperKey("arxiv:9999.99999")]
keys = st.sampled_from([*KNOWN, *UNKNOWN])
words = st.sampled_from(["Plain words.", "See [12] and [a].", "An [@] sign, mail@x.org.", "Two\n\nparagraphs."])
texts = st.lists(st.one_of(words, st.lists(keys, min_size=1, max_size=3).map(cite)), max_size=8).map(" ".join)
sections = st.recursive(
    st.builds(Section, st.just("T"), texts),
    lambda inner: st.builds(Section, st.just("T"), texts, sections=st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@given(st.lists(sections, max_size=4).map(tuple), texts)
def test_every_key_resolves_no_orphan_no_gap(parts: tuple[Section, ...], cell: str) -> None:
    table = Table("c", ("h",), ((cell,),))
    survey = with_references(Survey("T", "", (*parts, Section("Last", "", tables=(table,))), ()), KNOWN)
    order = citation_order(survey)
    assert [p.key for p in survey.references] == list(order)
    assert set(order) <= set(KNOWN)
    reported = {w.detail for w in survey.warnings if w.kind == "unknown citation"}
    used = {k for _, s in walk(parts) for k in list_cited_keys(s.text)} | set(list_cited_keys(cell))
    assert reported == used & set(UNKNOWN)
    assert set(order) == used & set(KNOWN)
    printed = render_markdown(survey).split("## References")[1].split("## How")[0]
    assert [int(n) for n in re.findall(r"^\[(\d+)\]", printed, re.M)] == list(range(1, len(order) + 1))


@given(texts)
def test_checking_changes_nothing_but_citations(text: str) -> None:
    def bare(t: str) -> str:
        return re.sub(r"\s+", "", replace_citations(t, lambda _: ""))

    result = keep_allowed_citations(text, KNOWN)
    assert bare(result) == bare(text)
    assert set(list_cited_keys(result)) == set(list_cited_keys(text)) & set(KNOWN)


def test_an_invented_key_is_removed_and_never_matched_to_a_neighbour() -> None:
    first = next(iter(KNOWN))
    near = PaperKey(first + "1")
    result = keep_allowed_citations(f"One thing [@{near}]. Another [@{first}; @{near}].", KNOWN)
    assert result == f"One thing. Another [@{first}]."


def test_a_claim_without_a_known_paper_is_dropped_with_its_citation() -> None:
    known, other = paper(1), paper(99)
    survey = Survey("T", "", (Section("S", "x", claims=(claim(known, "a"), claim(other, "b"))),), ())
    assert [c.citations[0].key for c in with_references(survey, {known.key: known}).sections[0].claims] == [known.key]


def test_text_from_outside_cannot_cite() -> None:
    assert list_cited_keys(inert("see [@arxiv:2001.00001]")) == ()


@given(st.sets(st.integers(1, 60), min_size=1))
def test_ranges_say_exactly_the_numbers(values: set[int]) -> None:
    said: set[int] = set()
    for part in number_ranges(values).split(", "):
        first, _, last = part.partition("–")
        said |= set(range(int(first), int(last or first) + 1))
    assert said == values


def test_three_numbers_in_a_row_become_a_range() -> None:
    assert number_ranges([7, 1, 2, 4, 5, 6]) == "1, 2, 4–7"


def test_several_keys_are_cited_in_one_bracket_each_once() -> None:
    one, other = papers(2)
    assert cite([one.key, other.key, one.key]) == f"[@{one.key}; @{other.key}]"


def test_a_removed_citation_leaves_no_space_at_the_end_of_any_line() -> None:
    assert keep_allowed_citations("First [@doi:10.1/x]\nSecond [@doi:10.1/x].", KNOWN) == "First\nSecond."


def test_a_reference_leaves_out_what_is_not_known() -> None:
    full = paper(3)
    assert reference_text(full).endswith(f"{full.title}. ACL, {full.year}.")
    bare = replace(full, authors=(), venue="", year=None)
    assert reference_text(bare) == f"{full.title}."


def test_what_is_removed_is_reported_with_its_place_and_nowhere_left() -> None:
    known, gone = paper(1), PaperKey("doi:10.1/invented")
    mixed = claim(known, "a")
    mixed = replace(mixed, text=f"{mixed.text} [@{gone}]", citations=(*mixed.citations, Citation(gone, "b", "quoted")))
    inner = Section("Inner", f"Yes [@{known.key}]. No [@{gone}].", claims=(mixed,))
    lines = (LineOfWork("2", "One line", f"It began [@{known.key}]. It went on [@{gone}].", 2),)
    start = (StartingPoint(known.key, "first"), StartingPoint(gone, "second"))
    overview = Overview("Two papers.", lines, start)
    sections = (Section("First", "Plain."), Section("Second", f"No [@{gone}].", sections=(Section("A", ""), inner)))
    survey = with_references(
        Survey("T", f"Known [@{known.key}], not [@{gone}].", sections, (), overview=overview), {known.key: known}
    )
    places = [(w.kind, w.place, w.detail) for w in survey.warnings]
    assert places == [("unknown citation", where, gone) for where in ("2", "2.2", "abstract")]
    assert survey.abstract == f"Known [@{known.key}], not."
    (kept,) = survey.sections[1].sections[1].claims
    assert [c.key for c in kept.citations] == list(list_cited_keys(kept.text)) == [known.key]
    assert survey.overview
    assert [list_cited_keys(line.text) for line in survey.overview.lines] == [(known.key,)]
    assert [point.key for point in survey.overview.start] == [known.key]


def test_six_authors_are_named_and_of_seven_the_first_six() -> None:
    authors = ("Ada A", "Ben B", "Cleo C", "Dan D", "Eve E", "Fay F", "Gus G")
    full = replace(paper(3), title="A Title.", venue="ACL", year=2003)
    assert reference_text(replace(full, authors=authors[:6])) == (
        "Ada A, Ben B, Cleo C, Dan D, Eve E and Fay F. A Title. ACL, 2003."
    )
    assert reference_text(replace(full, authors=authors)) == (
        "Ada A, Ben B, Cleo C, Dan D, Eve E, Fay F, et al. A Title. ACL, 2003."
    )
