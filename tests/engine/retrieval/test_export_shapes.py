"""Exports of further programs, by the fields that they document: what arrives of each, and what is said to be left."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.retrieval.records.record_files import read_papers
from engine.values import Paper

SCHOLAR = """@article{vaswani2017attention,
  title={Attention is all you need},
  author={Vaswani, Ashish and Chang, Ming{-}Wei},
  journal={arXiv preprint arXiv:1706.03762},
  year={2017}
}"""
WOS = """
@article{ WOS:000348294900012,
Author = {Smith, John A. and Doe, Jane and
   O'Neil, Kate},
Title = {{Deep learning in the analysis of
   x-ray images}},
Journal = {{NATURE METHODS}},
Year = {{2015}},
DOI = {{10.1038/nmeth.3210}},
Times-Cited = {{1,204}},
Unique-ID = {{WOS:000348294900012}},
}"""
SCOPUS = """Scopus
EXPORT DATE: 22 November 2026

@ARTICLE{Mueller2020,
\tauthor = {Müller, Jörg and García, María},
\ttitle = {Soft robots that learn: A review},
\tyear = {2020},
\tjournal = {Soft Robotics},
\tdoi = {10.1089/soro.2019.0001},
\ttype = {Review},
\tnote = {Cited by: 312; All Open Access, Green Open Access}
}"""
ENDNOTE_RIS = """TY  - JOUR
AN  - 31234567
AU  - Lee, P.
C2  - PMC6543210
DA  - Mar 15
DO  - 10.1056/NEJMoa1800000
DP  - NLM
PY  - 2019
T2  - N Engl J Med
TI  - A trial of X in Y
ER  - 

"""
ENW = """%0 Journal Article
%T Attention is all you need
%A Vaswani, Ashish
%A World Health Organization,
%J arXiv preprint arXiv:1706.03762
%D 2017
%X It is
all you need.
%@ 1063-6919
"""
XML = """<?xml version="1.0" encoding="UTF-8" ?><xml><records><record><database name="My.enl">My.enl</database>
<ref-type name="Journal Article">17</ref-type><contributors><authors><author><style face="normal">Jumper, John</style>
</author></authors></contributors><titles><title><style>Highly accurate </style><style face="italic">protein</style>
<style> structure</style></title><secondary-title><style>Nature</style></secondary-title></titles>
<pages><style>583-589</style></pages><dates><year><style>2021</style></year></dates>
<abstract><style>Proteins.</style></abstract><electronic-resource-num><style>10.1038/s41586-021-03819-2</style>
</electronic-resource-num></record></records></xml>"""
PUBMED = """PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI
34265844,Accurate structure,"Jumper J, Evans R.",Nature. 2021,Jumper J,Nature,2021,2021/07/16,PMC8371605,,10.1000/x
"""
IEEE = """"Document Title",Authors,"Publication Title","Publication Year","DOI",PDF Link,"Article Citation Count"
"Deep Residual Learning","K. He; X. Zhang","2016 IEEE CVPR","2016","10.1109/CVPR.2016.90","https://ieeexplore.ieee.org/x","12345"
"""
PERISH = """Cites,Authors,Title,Year,Source,Publisher,ArticleURL,CitesURL,GSRank,QueryDate,Type,DOI
120000,"A Vaswani, N Shazeer",Attention is all you need,2017,NeurIPS,papers.nips.cc,https://papers.nips.cc/x,,1,,,
"""
DIMENSIONS = """"About the data: Exported on Nov 22, 2026."
"Rank","DOI","PMID","Title","Source title","PubYear","Authors","Times cited"
"1","10.1038/x","34265844","Highly accurate structure","Nature","2021","Jumper, John; Evans, Richard","9999"
"""

EXPORTS = {
    "Google Scholar": ("a.bib", SCHOLAR, "arxiv:1706.03762", "Ashish Vaswani, Ming-Wei Chang", 2017, None, []),
    "Web of Science": (
        "a.bib", WOS, "doi:10.1038/nmeth.3210", "John A. Smith, Jane Doe, Kate O'Neil", 2015, 1204, ["unique-id"],
    ),
    "Scopus": ("a.bib", SCOPUS, "doi:10.1089/soro.2019.0001", "Jörg Müller, María García", 2020, 312, ["note"]),
    "Scopus, .txt": ("a.txt", SCOPUS, "doi:10.1089/soro.2019.0001", "Jörg Müller, María García", 2020, 312, []),
    "EndNote's RIS": ("a.txt", ENDNOTE_RIS, "pmcid:pmc6543210 pmid:31234567", "P. Lee", 2019, None, []),
    "EndNote": ("a.enw", ENW, "arxiv:1706.03762", "Ashish Vaswani, World Health Organization", 2017, None, ["%@"]),
    "EndNote's XML": ("a.xml", XML, "doi:10.1038/s41586-021-03819-2", "John Jumper", 2021, None, ["pages"]),
    "PubMed's table": ("a.csv", PUBMED, "pmcid:pmc8371605", "J Jumper, R Evans", 2021, None, ["citation"]),
    "IEEE Xplore": ("a.csv", IEEE, "doi:10.1109/cvpr.2016.90", "K. He, X. Zhang", 2016, 12345, []),
    "Publish or Perish": ("a.csv", PERISH, "", "A Vaswani, N Shazeer", 2017, 120000, ["gsrank"]),
    "Dimensions": ("a.csv", DIMENSIONS, "pmid:34265844", "John Jumper, Richard Evans", 2021, 9999, ["rank"]),
}  # fmt: skip


@pytest.mark.parametrize("program", EXPORTS)
def test_what_arrives_of_an_export(tmp_path: Path, program: str) -> None:
    name, content, identifiers, authors, year, citations, left = EXPORTS[program]
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    dropped = Counter[str]()
    (found,) = read_papers(file, lambda _, __: None, dropped=dropped)
    assert isinstance(found, Paper), found
    assert set(identifiers.split()) <= set(found.identifiers)
    assert (", ".join(found.authors), found.year, found.citations) == (authors, year, citations)
    assert found.title and found.venue and not found.title.endswith((".", "}"))
    assert set(left) <= set(dropped)


def test_xml_of_another_program_is_said(tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    for content, said in (("<html><p>no</p></html>", "those of EndNote"), ("<xml><rec", "not valid XML")):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match=said):
            list(read_papers(file, lambda _, __: None))
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    file.write_text(f"{bomb}{XML.partition('?>')[2].replace('Proteins.', '&b;')}", encoding="utf-8")
    (found,) = read_papers(file, lambda _, __: None)
    assert isinstance(found, Paper) and "ha" not in found.abstract
