"""Files of records: every format, and what is wrong with them in one clear line each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RecordError, UserError
from engine.retrieval.merging.merged_papers import merge_records
from engine.retrieval.paper_keys import arxiv_key, doi_key, surname
from engine.retrieval.records.record_files import read_papers
from engine.values import Paper
from tests.fakes import paper


def read(path: Path) -> tuple[list[Paper], list[RecordError]]:
    items = list(read_papers(path, lambda _, __: None))
    return [i for i in items if isinstance(i, Paper)], [i for i in items if isinstance(i, RecordError)]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_json_lines_plain_and_gzip(tmp_path: Path) -> None:
    record = {
        "id": "aaai2022:03179",
        "title": "A  Title\n of two lines",
        "abstract": "Text.",
        "authors": ["Ada One", "Ben Two"],
        "year": 2022,
        "venue": "AAAI",
        "citations": 7,
        "url": "https://x.org/p",
        "arxiv": "2201.00001v3",
    }
    line = json.dumps(record)
    (plain,), errors = read(written(tmp_path, "a.jsonl", line + "\n\n"))
    assert errors == []
    assert plain.title == "A Title of two lines"
    assert plain.key == "arxiv:2201.00001"
    assert set(plain.identifiers) == {"arxiv:2201.00001", "aaai2022:03179"}
    assert plain.citations == 7
    assert read(written(tmp_path, "a.jsonl.gz", gzip.compress(line.encode())))[0] == [plain]


def test_the_arxiv_snapshot(tmp_path: Path) -> None:
    record = {
        "id": "0704.0001",
        "authors": "C. Balázs, E. L. Berger",
        "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", ""]],
        "title": "Calculation of\n  prompt diphoton production",
        "abstract": "  A fully differential calculation.\n",
        "journal-ref": "Phys.Rev.D76:013009,2007",
        "doi": "10.1103/PhysRevD.76.013009",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": "2008-11-26",
    }
    (found,), errors = read(written(tmp_path, "arxiv.json", json.dumps(record)))
    assert errors == []
    assert found.authors == ("C. Balázs", "E. L. Berger")
    assert found.year == 2007
    assert found.venue == "Phys.Rev.D76:013009,2007"
    assert {"arxiv:0704.0001", "doi:10.1103/physrevd.76.013009"} == set(found.identifiers)


BIBTEX = r"""
@article{good, title={The {B}ERT \& \"Uber Study}, author={van der Berg, Jan and M{\"u}ller, Karl and others},
  year=2019, journal={TACL}, doi={https://doi.org/10.1162/ABC}}
@article{untitled, author={X Y}, year={2020}}
@article{broken, title={never closed, author={Z}
@inproceedings{after, title = {Good After Broken}, booktitle={ICML}, year={2021}, eprint={2101.00001v2},
  archivePrefix={arXiv}}
"""


def test_bibtex_keeps_going_after_a_broken_entry(tmp_path: Path) -> None:
    found, errors = read(written(tmp_path, "lab.bib", BIBTEX))
    assert [p.title for p in found] == ["The BERT & Über Study", "Good After Broken"]
    assert found[0].authors == ("Jan van der Berg", "Karl Müller", "et al.")
    assert found[0].key == "doi:10.1162/abc"
    assert found[1].key == "arxiv:2101.00001"
    assert found[1].venue == "ICML"
    text = " ".join(map(str, errors))
    assert "entry untitled: it has no title" in text
    assert "not a valid BibTeX entry" in text
    assert len(errors) == 2


LATEX = r"""
@article{a, title={Codes over \{0,1\} and {\frac}  {D}NA}, author={Erd{\H{o}}s, P{\'a}l}, journal={Proc.~of~{IEEE}},
  url={https://x.org/~jim/a\_b.pdf}}
"""


def test_latex_of_any_kind_costs_no_entry_and_no_letter(tmp_path: Path) -> None:
    (found,), errors = read(written(tmp_path, "lab.bib", LATEX))
    assert (found.title, found.authors, found.venue) == (
        "Codes over {0,1} and frac DNA", ("Pál Erdős",), "Proc. of IEEE",
    )  # fmt: skip
    assert found.pdf == "https://x.org/~jim/a_b.pdf" and errors == []


def test_signs_that_zotero_writes_as_commands_of_latex_stay(tmp_path: Path) -> None:
    said = r"Of \textasciitilde 90 A{\textbar}B tests p {\textless} 0.05, r \textgreater{} {\textminus}1."
    entry = f"@article{{a, title={{Of signs in texts}}, abstract={{{said}}}, year=2001}}"
    (found,), _ = read(written(tmp_path, "zotero.bib", entry))
    assert found.abstract == "Of ~90 A|B tests p < 0.05, r > −1."


def test_ris(tmp_path: Path) -> None:
    ris = (
        "TY  - JOUR\nAU  - Shannon, Claude E.\nPY  - 1948/07//\nTI  - A Mathematical Theory of Communication\n"
        "JO  - Bell System Technical Journal\nDO  - 10.1002/j.1538-7305.1948.tb01338.x\nER  - \n"
    )
    (found,), _ = read(written(tmp_path, "x.ris", ris))
    assert (found.authors, found.year) == (("Claude E. Shannon",), 1948)
    assert found.url == "https://doi.org/10.1002/j.1538-7305.1948.tb01338.x"


def test_csv(tmp_path: Path) -> None:
    rows = 'Title,Authors,Year,Abstract\n"One, Two",Ada Lovelace; Menabrea,1843,Notes.\n,nobody,2000,\n'
    found, errors = read(written(tmp_path, "x.csv", rows))
    assert found[0].title == "One, Two"
    assert found[0].authors == ("Ada Lovelace", "Menabrea")
    assert [e.why for e in errors] == ["it has no title"]
    with pytest.raises(UserError, match="one of them “title”"):
        read(written(tmp_path, "y.csv", "a,b\n1,2\n"))


def test_a_row_that_is_no_csv_is_one_line_and_the_rows_after_it_are_read(tmp_path: Path) -> None:
    rows = f'title,year\nOne good paper,2020\n\n"No end,2021\nTwo good papers,2022\nA long one {"x" * 200_000},2023\n'
    found, errors = read(written(tmp_path, "x.csv", rows))
    assert [paper.year for paper in found] == [2020, 2022, 2023]
    assert [str(error) for error in errors] == ["x.csv, line 4: not valid CSV (unexpected end of data)"]


def test_one_bad_line_far_down_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps({"title": "T{}", "year": 2000})
    lines = [good.replace("{}", str(i)) for i in range(2_100)]
    lines[1_999] = '{"title": "cut off'
    found, (error,) = read(written(tmp_path, "big.jsonl", "\n".join(lines)))
    assert len(found) == 2_099
    assert error.place == "big.jsonl, line 2000"
    assert "not valid JSON" in error.why


def test_fields_without_end_are_read_so_far(tmp_path: Path) -> None:
    endless = {"title": "word " * 10**5, "abstract": "Said. " * 10**5, "venue": "at " * 10**5}
    names = {"authors": [f"Ada Author{n}" for n in range(20_000)], "doi": f"10.1000/{'x' * 10**5}"}
    people = {"title": "One", "authors": "a and " * 10**5, "url": f"https://example.org/{'x' * 10**5}"}
    file = written(tmp_path, "a.jsonl", "\n".join(map(json.dumps, [{**endless, **names}, people])))
    first, second = (item for item in read_papers(file, lambda *_: None) if isinstance(item, Paper))
    assert first.title.endswith("word…") and first.abstract.endswith("Said.…")
    assert (len(first.title), len(first.abstract), len(first.venue)) <= (1_000, 20_000, 1_000)
    assert 9_000 < len(first.authors) <= 10_001 and first.authors[-1] == "et al." and first.key.startswith("title:")
    assert max(map(len, second.authors)) <= 200 and second.url == ""


def test_a_damaged_gzip_gives_what_stood_before_the_damage(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"title": f"T{i}", "abstract": f"{i * 7919}" * 20}) for i in range(5_000))
    damaged = gzip.compress(lines.encode())[:-20_000]
    found, (error,) = read(written(tmp_path, "cut.jsonl.gz", damaged))
    assert 0 < len(found) < 5_000
    assert "damaged" in str(error)
    assert "nothing will be doubled" in str(error)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("x.docx", b"", "I can read"),
        ("x.txt", b"Dear all", "no list of references"),
        ("x.csv", b"\xe9", "name the columns"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    with pytest.raises(UserError, match=why):
        read(written(tmp_path, name, content))
    with pytest.raises(UserError, match="There is no file"):
        read(tmp_path / "missing.bib")


@given(
    st.lists(
        st.one_of(
            st.text(),
            st.dictionaries(
                st.sampled_from(["title", "id", "authors", "year", "doi"]),
                st.one_of(st.text(), st.integers(), st.none(), st.lists(st.text())),
            ),
        )
    )
)
def test_any_json_is_a_paper_or_a_rejection(records: Sequence[object]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.jsonl"
        path.write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
        found, errors = read(path)
    assert len(found) + len(errors) == len(records)
    assert all(p.title and p.title.isprintable() for p in found)


@pytest.mark.parametrize(
    "text",
    [
        "2406.10252",
        "arXiv:2406.10252v2",
        "https://arxiv.org/abs/2406.10252v1",
        "https://arxiv.org/pdf/2406.10252.pdf",
        "10.48550/arXiv.2406.10252",
        "https://doi.org/10.48550/arXiv.2406.10252",
    ],
)
def test_arxiv_identifiers(text: str) -> None:
    assert arxiv_key(text) == "arxiv:2406.10252"
    assert doi_key(text) is None


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Jan van den Berg", "van den Berg"),
        ("van den Berg, Jan", "van den Berg"),
        ("Plato", "Plato"),
        ("Ada Lovelace", "Lovelace"),
        ("Ludwig van Beethoven", "van Beethoven"),
        ("Marhofer PA", "Marhofer"),
        ("O Suilleabhain P", "O Suilleabhain"),
        ("Department of Electrical Engineering University " * 20, "University"),
        ("García López MJ", "García López"),
    ],
)
def test_family_names(name: str, family: str) -> None:
    assert surname(name) == family


def test_the_american_psychologists_doubled_slash_is_one() -> None:
    assert doi_key("http://dx.doi.org/10.1037//0033-2909.112.1.155") == doi_key("10.1037/0033-2909.112.1.155")


def test_merging_keeps_the_old_key_and_the_fuller_fields() -> None:
    old = paper(1, abstract="Short.", citations=3)
    new = paper(1, key="doi:10.1/x", identifiers=("doi:10.1/x",), citations=9)
    both = merge_records(old, new)
    assert both.key == old.key
    assert both.abstract == new.abstract
    assert both.citations == 9
    assert set(both.identifiers) == {old.key, "doi:10.1/x"}


def test_a_record_s_pdf_is_where_its_text_is_read_from(tmp_path: Path) -> None:
    """PMLR and CVF give both addresses; another record's address may be the PDF's own."""
    entries = (
        "@inproceedings{a, title={On the Dance of Bees}, url={https://x.org/a.html}, pdf={https://x.org/a/a.pdf}}",
        "@article{b, title={On the Song of Birds}, url={https://x.org/b.PDF?download=1}}",
        "@article{c, title={On the Flight of Bats}, url={https://x.org/c}, pdf={files/c.pdf}}",
    )
    found, _ = read(written(tmp_path, "a.bib", "\n".join(entries)))
    assert [p.pdf for p in found] == ["https://x.org/a/a.pdf", "https://x.org/b.PDF?download=1", ""]
    assert [p.url for p in found] == ["https://x.org/a.html", "https://x.org/b.PDF?download=1", "https://x.org/c"]
