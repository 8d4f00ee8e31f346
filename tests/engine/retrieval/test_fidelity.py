"""What programs really write into their exports: odd names, counts, identifiers and ends; and what is not kept."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.wording.ingesting import unread_records, word_dropped_fields
from engine.errors import RecordError
from engine.rendering.bibliography import bibtex, csl_json, ris
from engine.retrieval.paper_keys import doi_key
from engine.retrieval.records.bounded_files import GIVEN, read_bounded
from engine.retrieval.records.record_fields import make_paper
from engine.retrieval.records.record_files import read_papers
from engine.values import Paper


def read(tmp_path: Path, name: str, content: str) -> tuple[list[Paper], list[str], Counter[str]]:
    """Papers, what was said of records, and the fields that were dropped."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    dropped = Counter[str]()
    found = list(read_papers(path, lambda _, __: None, dropped=dropped))
    said = [str(item) for item in found if isinstance(item, RecordError)]
    return [item for item in found if isinstance(item, Paper)], said, dropped


def made(**fields: Any) -> Paper:
    paper = make_paper("x", {"title": "Effects of Things", **fields})
    assert isinstance(paper, Paper)
    return paper


@pytest.mark.parametrize(
    ("authors", "read"),
    [
        ([{"name": "Ada Lovelace"}, {"name": "Alan Turing"}], ("Ada Lovelace", "Alan Turing")),
        ([{"family": "Lovelace", "given": "Ada"}], ("Ada Lovelace",)),
        ([{"firstName": "Ada", "lastName": "Lovelace"}], ("Ada Lovelace",)),
        ([{"author": {"display_name": "Ada Lovelace"}}], ("Ada Lovelace",)),
        ([{"literal": "Johnson and Johnson"}], ("Johnson and Johnson",)),
        ("Ada Lovelace and Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("Ada Lovelace, Alan Turing, Grace Hopper", ("Ada Lovelace", "Alan Turing", "Grace Hopper")),
        ("Ada Lovelace, Alan Turing and Grace Hopper", ("Ada Lovelace", "Alan Turing", "Grace Hopper")),
        ("Lovelace, A., Turing, A. M.", ("A. Lovelace", "A. M. Turing")),
        ("Lovelace, Ada", ("Ada Lovelace",)),
        ("Lovelace, Ada; Turing, Alan", ("Ada Lovelace", "Alan Turing")),
        ("King, Jr., Martin Luther", ("Martin Luther King Jr.",)),
        ([r"Erd{\H{o}}s, P{\'a}l~B."], ("Pál B. Erdős",)),
        ("Yu Wang; v.srinivasan@example.org; Hongxia Jin", ("Yu Wang", "Hongxia Jin")),
        (["Patrick Lewis et al."], ("Patrick Lewis", "et al.")),
        ("{National Institute of Standards and Technology}", ("National Institute of Standards and Technology",)),
        ([7, None, {"family": 3}], ()),
    ],
)
def test_authors_however_they_are_written(authors: Any, read: tuple[str, ...]) -> None:
    assert made(authors=authors).authors == read


@pytest.mark.parametrize(
    ("count", "read"), [("12.0", 12), (12.0, 12), ("1,234", 1234), ("1 234", 1234), ("many", None), (-1, None)]
)
def test_counts_however_they_are_written(count: Any, read: int | None) -> None:
    assert made(citations=count).citations == read


def test_a_sici_doi_is_one_identifier_in_all_its_forms() -> None:
    plain = "10.1002/(SICI)1097-4571(199006)41:4<288::AID-ASI9>3.0.CO;2-2"
    escaped = "https://doi.org/10.1002/(SICI)1097-4571(199006)41:4%3C288::AID-ASI9%3E3.0.CO%3B2-2"
    assert doi_key(plain) == doi_key(escaped) == doi_key(f"DOI: {plain}")
    assert doi_key(made(doi=plain).url) == doi_key(plain)


@given(st.from_regex(r"10\.1175/[A-Z0-9()]{1,12}[0-9]<[0-9]{4}:[A-Z]{2,6}>2\.0\.CO;2", fullmatch=True))
def test_a_doi_comes_out_of_every_export_as_it_went_in(doi: str) -> None:
    paper = made(doi=doi, authors="W. Zhang, J. Li … and L. Kong")
    assert paper.authors == ("W. Zhang", "J. Li", "L. Kong")
    assert f"doi = {{{doi}}}" in bibtex([paper])
    assert f"DO  - {doi}" in ris([paper])
    assert json.loads(csl_json([paper]))[0]["DOI"] == doi


def test_a_bibtex_field_with_commas_and_dots_is_divided_at_both(tmp_path: Path) -> None:
    entry = "@article{a, title={Winds and Waves}, author={W. Zhang, J. Li … and L. Kong}, year={1999}}"
    [paper], _, _ = read(tmp_path, "a.bib", entry)
    assert paper.authors == ("W. Zhang", "J. Li", "L. Kong")


def test_identifiers_of_pubmed() -> None:
    assert made(pmid="26819042", pmcid="PMC123").identifiers == ("pmid:26819042", "pmcid:pmc123")


BIBTEX = r"""
@string{jmlr = "Journal of Machine Learning Research"}
@article{key, author={Lovelace, Ada}, title={First {P}aper on Things}, journal=jmlr, year=2020, month=jan, pages={1--9}}
@article{key, author={{National Institute of Standards and Technology}}, title={Second Paper on Things}, year={2021},
  journaltitle={Tools}, pages={2--3}, doi={10.1000\_x/7\_8}}
@phdthesis{three, author={Turing, Alan and others}, title={Third Paper on Things}, school={Princeton University},
  year={1938}, abstract={[No abstract available]}, doi={unknown}}
"""


def test_bibtex_entries_of_one_key_are_kept(tmp_path: Path) -> None:
    found, said, dropped = read(tmp_path, "x.bib", BIBTEX)
    assert [p.title for p in found] == [f"{n} Paper on Things" for n in ("First", "Second", "Third")]
    assert found[0].venue == "Journal of Machine Learning Research"
    assert found[1].authors == ("National Institute of Standards and Technology",)
    assert (found[2].authors, found[2].venue) == (("Alan Turing", "et al."), "Princeton University")
    assert not said
    assert dropped == {"pages": 2, "doi (unreadable)": 2}


RIS = """Exported by a program
TY  - JOUR
AU  - Lovelace, Ada
AU  - World Health Organization,
TI  - A title that goes on
in a second line
T2  - Journal of Things
PY  - 2020/05/17/
DO  - https://doi.org/10.1000/ris.1
KW  - one
KW  - two
N1  - Cited By :1,204
ER  - 

TY  - THES
A1  - Turing, Alan
T1  - On computable things
PB  - Princeton University
Y1  - 1938
"""


def test_ris_with_text_between_and_a_record_without_its_end(tmp_path: Path) -> None:
    found, said, dropped = read(tmp_path, "x.ris", RIS)
    first, second = found
    assert first.title == "A title that goes on in a second line"
    assert first.authors == ("Ada Lovelace", "World Health Organization")
    assert (first.venue, first.year, first.citations) == ("Journal of Things", 2020, 1204)
    assert first.identifiers == ("doi:10.1000/ris.1",)
    assert (second.title, second.venue, second.year) == ("On computable things", "Princeton University", 1938)
    assert len(said) == 1 and "record 2: its end (ER) is missing" in said[0]
    assert dropped == {"kw": 1}


def test_a_record_that_cannot_be_read_is_named_across_the_process_that_reads(tmp_path: Path) -> None:
    (tmp_path / "x.ris").write_text(
        "TY  - JOUR\nAU  - Nobody\nER  - \nTY  - JOUR\nTI  - Things\nER  - \n", encoding="utf-8"
    )
    unread, paper = read_bounded(tmp_path / "x.ris", lambda _, __: None, GIVEN)
    assert isinstance(paper, Paper) and isinstance(unread, RecordError)
    assert "1 record could not be read:\n- x.ris, record 1: it has no title" in unread_records([unread])


def test_what_was_read_with_doubt_is_told_apart_from_what_was_not_read(tmp_path: Path) -> None:
    whole = "TY  - JOUR\nTI  - A whole record of things\nER  - \n"
    cut = "TY  - JOUR\nTI  - One that was cut off\n"
    (tmp_path / "x.ris").write_text(f"{whole}TY  - JOUR\nAU  - Nobody\nER  - \n{cut}TY  - JOUR\n", encoding="utf-8")
    found = read_bounded(tmp_path / "x.ris", lambda _, __: None, GIVEN)
    wrong = [item for item in found if isinstance(item, RecordError)]
    assert [(item.place, item.was_read) for item in wrong] == [
        ("x.ris, record 2", False), ("x.ris, record 3", True), ("x.ris, record 4", False),
    ]  # fmt: skip
    said = unread_records(wrong)
    assert "2 records could not be read" in said and "1 record read, but to be checked:\n- x.ris, record 3" in said


def test_csl_json_of_a_body_and_a_preprint(tmp_path: Path) -> None:
    items = [
        {
            "id": "a", "type": "report", "title": "Guidance", "author": [{"literal": "WHO and UNICEF"}], "PMID": "123",
            "issued": {"date-parts": [["2019", 2]]}, "volume": "3",
        },
        {"id": "b", "type": "article", "title": "One", "note": "arXiv: 2005.11401 [cs]", "issued": {"raw": "2020"}},
    ]  # fmt: skip
    (one, two), said, dropped = read(tmp_path, "x.json", json.dumps(items))
    assert (one.authors, one.year, one.identifiers) == (("WHO and UNICEF",), 2019, ("pmid:123",))
    assert two.identifiers == ("arxiv:2005.11401",)
    assert not said and dropped == {"volume": 1, "note": 1}


def test_json_as_services_give_it(tmp_path: Path) -> None:
    record = {
        "title": "Paper of a Service", "authors": [{"authorId": "1", "name": "Ada Lovelace"}], "year": 2020.0,
        "journal": {"name": "Journal of Things", "volume": "1"}, "citationCount": 12, "DOI": "10.1000/s2",
    }  # fmt: skip
    (paper,), _, dropped = read(tmp_path, "x.jsonl", json.dumps(record))
    assert (paper.authors, paper.year, paper.venue) == (("Ada Lovelace",), 2020, "Journal of Things")
    assert (paper.citations, paper.identifiers) == (12, ("doi:10.1000/s2",))
    assert not dropped


def test_what_is_dropped_is_counted_across_the_process_that_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.bib"
    path.write_text(BIBTEX, encoding="utf-8")
    dropped = Counter[str]()
    assert len(list(read_bounded(path, lambda _, __: None, GIVEN, dropped))) == 3
    assert list(word_dropped_fields(dropped, 3)) == [
        "Of 3 records, could not be read: doi in 2.", "Of 3 records, not kept: pages in 2.",
    ]  # fmt: skip
