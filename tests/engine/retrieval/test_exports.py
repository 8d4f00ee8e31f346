"""Files as the programs of a lab export them: every field arrives as it stands in the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.retrieval.records.record_files import find_files, read_papers
from engine.values import Paper


def read(tmp_path: Path, name: str, content: str | bytes) -> list[Paper]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    found = list(read_papers(path, lambda _, __: None))
    assert all(isinstance(item, Paper) for item in found), found
    return [item for item in found if isinstance(item, Paper)]


BIBLATEX = r"""
@article{one,
  author       = {{Google Research} and {Johnson and Johnson} and van der Berg, Jan
                  and King, Jr., Martin Luther and others},
  title        = {The {B}erg Effect},
  journaltitle = {Journal of Effects},
  date         = {2020-05-17},
  doi          = {10.1000/one},
  eprinttype   = {arxiv}, eprint = {2005.11401},
  abstract     = {We measure it.},
}
@thesis{two, author={M{\"u}ller, J{\"o}rg}, title={On Effects}, institution={ETH Zürich}, type={phdthesis}, date={2019},
  abstract={[No abstract available]}}
"""

NBIB = """PMID- 35123456
OWN - NLM
DP  - 2022 Feb 3
TI  - A trial of something with a long title that goes on in a second
      line.
PG  - 1-9
LID - 10.1016/j.cell.2022.01.001 [doi]
AB  - BACKGROUND: It was unknown. METHODS: We
      tried it.
FAU - van den Berg, Anna
AU  - van den Berg A
FAU - Smith, John Jr
JT  - Cell
TA  - Cell

PMID- 35123457
TI  - Another trial.
CN  - The Trial Group
DP  - 2021
"""

WEB_OF_SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Smith, J
   Doe, A
AF Smith, John
   Doe, Anna
TI Graph networks for
   molecules
SO JOURNAL OF CHEMISTRY
AB We present a network.
   It works.
PY 2019
TC 17
Z9 18
DI 10.1000/wos.1
UT WOS:000123
ER

EF
"""

SCOPUS = (
    '"Authors","Author full names","Author(s) ID","Title","Year","Source title","Cited by","DOI","Link","Abstract",'
    '"Document Type","EID"\n'
    '"Smith J.; Doe A.","Smith, John (57200000001); Doe, Anna (57200000002)","1; 2","Graph networks","2021",'
    '"Neural Computing","12","10.1000/sco.1","https://www.scopus.com/x","[No abstract available]",'
    '"Article","2-s2.0-1"\n'
)

ZOTERO = (
    '"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","DOI","Url","Abstract Note",'
    '"Date","University","Conference Name","Extra"\n'
    '"A1","thesis","2018","Müller, Jörg","On Effects","","","","https://example.org/t","We did.","2018-03",'
    '"ETH Zürich","",""\n'
    '"A2","preprint","2020","Lewis, Patrick; Perez, Ethan",'
    '"RAG","","","","","Abstract.","2020","","","arXiv:2005.11401"\n'
)

WOS_TABLE = (
    "PT\tAU\tAF\tTI\tSO\tAB\tPY\tTC\tDI\n"
    "J\tSmith, J\tSmith, John; Doe, Anna\tGraphs\tJ CHEM\tWe do.\t2017\t3\t10.1000/t\n"
)

CSL = json.dumps(
    [
        {
            "type": "thesis",
            "title": "On Effects",
            "author": [
                {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
                {"literal": "The Group"},
            ],
            "issued": {"date-parts": [[2016, 4]]},
            "publisher": "ETH Zürich",
            "DOI": "10.1000/csl",
            "abstract": "We did.",
        }
    ]
)


def test_biblatex(tmp_path: Path) -> None:
    first, second = read(tmp_path, "x.bib", "\ufeff" + BIBLATEX)
    assert first.authors == (
        "Google Research", "Johnson and Johnson", "Jan van der Berg", "Martin Luther King Jr.", "et al.",
    )  # fmt: skip
    assert (first.title, first.venue, first.year) == ("The Berg Effect", "Journal of Effects", 2020)
    assert set(first.identifiers) == {"doi:10.1000/one", "arxiv:2005.11401"}
    assert (second.authors, second.venue, second.year, second.abstract) == (("Jörg Müller",), "ETH Zürich", 2019, "")


SHARED = """@xdata{conf, booktitle = {Proceedings of the Marsh Conference}, date = {2020-07-02}}
@xdata{loop, xdata = {conf, loop}}
@inproceedings{a, xdata = {loop}, title = {Reeds that bend}, author = {von Trapp, Hans}}
@book{Whole, editor = {Poe, E. A.}, title = {Ravens}, year = 1845, publisher = {Wiley}, doi = {10.1000/whole}}
@incollection{b, crossref = {whole}, author = {Lee, Ann}, title = {Black birds in verse}}
@incollection{c, crossref = {nothing}, author = {Lee, Ann}, title = {White birds in verse}, xdata = {nothing}}
"""


def test_fields_that_entries_of_bibtex_share(tmp_path: Path) -> None:
    reeds, whole, birds, alone = read(tmp_path, "x.bib", SHARED)
    assert (reeds.authors, reeds.venue, reeds.year) == (
        ("Hans von Trapp",), "Proceedings of the Marsh Conference", 2020,
    )  # fmt: skip
    assert (birds.authors, birds.venue, birds.year) == (("Ann Lee",), "Ravens", 1845)
    assert whole.identifiers == ("doi:10.1000/whole",)
    assert not set(birds.identifiers) & set(whole.identifiers)
    assert (alone.venue, alone.year) == ("", None)


NOTED = [
    ("x.nbib", "PMID- 35123456\nTI  - Naps.\nFAU - Brown, James Jr\n", "pmid:35123456"),
    (
        "x.ris",
        "TY  - CONF\nA1  - Brown, James Jr\nTI  - Naps\nUR  - https://doi.org/10.1000/n\nER  - \n",
        "doi:10.1000/n",
    ),
    ("x.csv", '"Title","Author","Extra"\n"Naps","Brown, James, Jr","PMCID: PMC654321"\n', "pmcid:pmc654321"),
    (
        "x.json",
        '[{"type": "book", "title": "Naps", "URL": "u", "note": "PMID: 7", '
        '"author": [{"family": "Brown", "given": "James", "suffix": "Jr"}]}]',
        "pmid:7",
    ),
]


@pytest.mark.parametrize(("name", "content", "identifier"), NOTED)
def test_identifiers_in_links_and_notes_and_suffixes_behind_names(
    tmp_path: Path, name: str, content: str, identifier: str
) -> None:
    (found,) = read(tmp_path, name, content)
    assert (found.authors, found.identifiers) == (("James Brown Jr",), (identifier,))


def test_pubmed(tmp_path: Path) -> None:
    first, second = read(tmp_path, "x.nbib", NBIB)
    assert first.title.startswith("A trial of something with a long title that goes on in a second line")
    assert first.authors[0] == "Anna van den Berg"
    assert (first.year, first.venue) == (2022, "Cell")
    assert first.identifiers == ("doi:10.1016/j.cell.2022.01.001", "pmid:35123456")
    assert first.abstract == "BACKGROUND: It was unknown. METHODS: We tried it."
    assert second.authors == ("The Trial Group",)
    assert second.url == "https://pubmed.ncbi.nlm.nih.gov/35123457/"


@pytest.mark.parametrize(("name", "line_end"), [("savedrecs.txt", "\n"), ("savedrecs.ciw", "\r\n")])
def test_web_of_science(tmp_path: Path, name: str, line_end: str) -> None:
    (found,) = read(tmp_path, name, WEB_OF_SCIENCE.replace("\n", line_end))
    assert found.title == "Graph networks for molecules"
    assert found.authors == ("John Smith", "Anna Doe")
    assert (found.abstract, found.year, found.citations) == ("We present a network. It works.", 2019, 18)
    assert found.identifiers == ("doi:10.1000/wos.1",)


def test_scopus(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "scopus.csv", "\ufeff" + SCOPUS)
    assert found.authors == ("John Smith", "Anna Doe")
    assert (found.venue, found.year, found.citations, found.abstract) == ("Neural Computing", 2021, 12, "")


def test_zotero(tmp_path: Path) -> None:
    first, second = read(tmp_path, "zotero.csv", ZOTERO)
    assert (first.authors, first.venue, first.year, first.abstract) == (("Jörg Müller",), "ETH Zürich", 2018, "We did.")
    assert second.authors == ("Patrick Lewis", "Ethan Perez")
    assert second.identifiers == ("arxiv:2005.11401",)


def test_a_table_of_web_of_science_with_tabs(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "savedrecs.txt", WOS_TABLE)
    assert (found.title, found.authors, found.year) == ("Graphs", ("John Smith", "Anna Doe"), 2017)
    assert (found.venue, found.citations) == ("J CHEM", 3)


def test_csl_json(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "x.json", CSL)
    assert found.authors == ("Jan van der Berg", "The Group")
    assert (found.year, found.venue, found.abstract) == (2016, "ETH Zürich", "We did.")


def test_files_that_windows_wrote_are_read(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "x.csv", "title,authors\nÜber Effekte,Jörg Müller\n".encode("cp1252"))
    assert (found.title, found.authors) == ("Über Effekte", ("Jörg Müller",))
    (again,) = read(tmp_path, "y.csv", "title,authors\nÜber Effekte,Jörg Müller\n".encode("utf-16"))
    assert again.title == "Über Effekte"


def test_a_folder_gives_its_files_of_references(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in ("b.bib", "a.ris", "notes.md", "below/c.nbib", "d.csv.gz"):
        (tmp_path / name).write_text("")
    assert [path.name for path in find_files(tmp_path)] == ["a.ris", "b.bib", "c.nbib", "d.csv.gz"]


@pytest.mark.parametrize(
    ("cell", "authors"),
    [
        ("Ada Lovelace, Alan Turing", ("Ada Lovelace", "Alan Turing")),
        ("N. Reimers, I. Gurevych", ("N. Reimers", "I. Gurevych")),
        ("Smith, John, Doe, Anna", ("John Smith", "Anna Doe")),
        ("Lovelace, Ada", ("Ada Lovelace",)),
        ("Smith J, van den Berg AB.", ("J Smith", "AB van den Berg")),
        ("Smith A|Doe B", ("A Smith", "B Doe")),
    ],
)
def test_names_in_a_cell_of_a_table(tmp_path: Path, cell: str, authors: tuple[str, ...]) -> None:
    (found,) = read(tmp_path, "x.csv", f'title,authors\nOn Computable Things,"{cell}"\n')
    assert found.authors == authors
