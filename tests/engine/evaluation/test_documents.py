"""Anybody's survey as it comes: headings, citations of every kind, lists of references; and what cannot be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.citations import list_cited_keys, with_references
from engine.errors import UserError
from engine.evaluation.documents import claims, from_html, from_markdown, from_survey, list_systems
from engine.overview import LineOfWork, NearbyGroup, Overview
from engine.rendering.files import as_json, from_json
from engine.rendering.html import html
from engine.rendering.markdown import render_markdown
from engine.retrieval.paper_keys import identifiers_in
from engine.survey import BarChart, Survey, Table
from engine.values import PaperKey
from engine.writing.notices import with_notice
from tests.fakes import papers, section

LONG = "Graph networks pass messages between neighbours and gather what they carry. " * 8
MARKDOWN = f"""# Graph Networks: A Survey

## 1 Introduction

{LONG}They were first described early [1]. Smith et al. improved them by 3.5 points, i.e. a lot [2, 4].

### 1.1 History
A range of works follows [2–4]. A link is no citation: [3](https://x.org). Neither is x[17] in ```code [9]```.

## 2 Methods
Methods end so. [1] [3] Then more is said.

![map](a.png)

| a | b |
| --- | --- |
| [1] | [2] |

## References

[1] A First Paper on Graphs
[2] B. Author. A Second Paper, with Commas. In Proc., 2020. https://doi.org/10.1234/abc.5
[3] "A Third Paper in Quotes", 2021 [4] A Fourth Paper on the Same Line
"""


def test_a_markdown_survey_is_read_as_it_is() -> None:
    document = from_markdown(MARKDOWN)
    assert (document.title, document.style) == ("Graph Networks: A Survey", "numbered")
    assert document.headings() == ("Introduction", "History", "Methods")
    assert [(r.name, r.title) for r in document.references] == [
        ("1", "A First Paper on Graphs"),
        ("2", "A Second Paper, with Commas"),
        ("3", "A Third Paper in Quotes"),
        ("4", "A Fourth Paper on the Same Line"),
    ]
    assert [(c.names, c.part) for c in claims(document)] == [
        (("1",), 0),
        (("2", "4"), 0),
        (("2", "3", "4"), 1),
        (("17",), 1),
        (("1", "3"), 2),
    ]
    assert claims(document)[1].text == "Smith et al. improved them by 3.5 points, i.e. a lot."
    assert (document.figures, document.tables, document.in_tables) == (1, 1, {"1", "2"})
    assert document.problems == ("1 cited names have no entry in the list of references, for example 17.",)


def test_citations_by_author_and_year_are_matched_to_the_list() -> None:
    text = (
        f"# S\n\n## 1 A\n{LONG}\nHallucination is common (Ji et al., 2023; Zhang and Li, 2022a). "
        "Lin (2021) disagrees. It was shown (see Müller et al., 2020). More is said there (Ji et al., 2023). "
        "In 2019 (a good year) nothing happened.\n\n"
        "## References\nZiwei Ji, Nayeon Lee. 2023. Survey of Hallucination in Generation. ACM.\n"
        "Zhang, Y., Li, Z. 2022a. Another Title of Work. In ACL.\nStephanie Lin. 2021. Truthful Answers to Questions.\n"
        "Rafael Müller, A. B. 2020. On Smoothing of Labels.\n"
    )
    document = from_markdown(text)
    assert document.style == "author and year"
    assert [c.names for c in claims(document)] == [
        ("ji 2023", "zhang 2022a"),
        ("lin 2021",),
        ("muller 2020",),
        ("ji 2023",),
    ]
    assert document.references[0].title == "Survey of Hallucination in Generation"
    assert document.problems == ()


def test_what_cannot_be_read_is_said_and_not_guessed() -> None:
    listed = "1 A Title 2 Another"
    bare = from_markdown(f"# S\n\n## 1 A\n{LONG} This is known 1 2. That too 3 .\n\n## References\n{listed}\n")
    assert bare.style == "none"
    assert claims(bare) == ()
    assert any("bare numbers are not taken" in problem for problem in bare.problems)
    assert any("could not be divided" in problem for problem in bare.problems)
    for nothing in ("", "no headings", "# only a title"):
        with pytest.raises(UserError, match="no survey I can read"):
            from_markdown(nothing)


@given(st.text(max_size=400), st.text(max_size=200))
def test_any_text_is_read_or_refused(body: str, listed: str) -> None:
    document = from_markdown(f"# T\n\n## A\n{LONG}\n{body}\n\n## References\n{listed}")
    for found in claims(document):
        assert 0 <= found.part < len(document.parts)
        assert found.names


def own_survey() -> Survey:
    one, two = papers(2)
    text = f"They say so [@{one.key}; @{two.key}]. Nothing is cited here. Again it is said by them [@{two.key}]."
    return Survey("Dense Retrieval: A Survey", "", (section("Top", "", section("Part", text)),), (one, two))


def test_our_own_survey_is_read_with_the_numbers_of_its_files() -> None:
    survey = own_survey()
    document = from_survey(survey)
    assert [c.names for c in claims(document)] == [("1", "2"), ("2",)]
    assert [(r.name, identifiers_in(r.text)) for r in document.references] == [
        (str(number), [paper.key]) for number, paper in enumerate(survey.references, start=1)
    ]
    assert not any(list_cited_keys(c.text) for c in claims(document))


def test_the_sections_of_our_own_files_are_read_as_anybodys() -> None:
    one, two, three = cited = papers(3)
    prose = (
        f"- First of all [@{one.key}].\n- Then others in [0, 1] [@{two.key}; @{one.key}; @{three.key}].\n\n"
        f"RAG_v2 is *fast*, they say [@{one.key}]. It was compared twice [@{two.key}; @{three.key}].\n\n"
        f"Others differ [@{one.key}]. More follows [@{two.key}]. The end is near [@{three.key}]."
    ) + " Nothing else is told here of it." * 10
    table = Table("Works.", ("Work", "Says"), ((f"A [@{one.key}]", "“x”"),), introduction="{} sets works side by side.")
    chart = BarChart("Papers by year.", "Year", "Papers", (("2020", 3),), introduction="{} counts papers.")
    body = replace(section("Methods", prose), tables=(table,), figures=(chart,))
    overview = Overview("3 papers.", (LineOfWork("1", "Methods", f"On it [@{one.key}].", 3),), ())
    whole = Survey("Dense Retrieval: A Survey", f"It cites [@{one.key}].", (section("Top", "", body),), (), method="M.")
    survey = with_notice(with_references(replace(whole, overview=overview), {p.key: p for p in cited}))
    survey = replace(survey, not_covered=(NearbyGroup("Else", 9, ("T",)),))
    ours = from_survey(from_json(as_json(survey)))
    for read in (from_markdown(render_markdown(survey)), from_html(html(survey))):
        assert read.title == ours.title
        assert set(ours.headings()) <= set(read.headings())
        told = {claim.text for claim in claims(ours) if not claim.text.startswith("-")}
        assert told <= {claim.text for claim in claims(read)}
        assert len(read.references) == len(ours.references)
        assert read.in_tables == ours.in_tables == {"1"}


def test_prose_between_two_tables_is_read() -> None:
    table = "| Work | Says |\n| --- | --- |\n| A [1] | x |"
    entries = "\n".join(f"[{n}] Author. Title {n}. 2020." for n in range(1, 8))
    prose = " ".join(f"Thing {n} is told here at some length [{n}]." for n in range(2, 8))
    text = f"# T\n\n## Methods\n\n{LONG}\n\n{table}\n\n{prose}\n\n{table}\n\n## References\n\n{entries}\n"
    document = from_markdown(text)
    assert {name for claim in claims(document) for name in claim.names} >= {str(n) for n in range(2, 8)}
    assert document.in_tables == {"1"}


def test_a_survey_whose_tables_alone_cite_is_read() -> None:
    cited = papers(8)
    rows = tuple((f"A [@{p.key}]", "“We lift [12]”") for p in cited)
    body = replace(
        section("Methods", "Nothing is cited in this text. " * 12), tables=(Table("W.", ("Work", "Says"), rows),)
    )
    survey = with_references(Survey("T", "", (body,), (), method="M."), {p.key: p for p in cited})
    survey = with_notice(survey)
    numbered = {str(number) for number in range(1, 9)}
    for read in (from_survey(survey), from_markdown(render_markdown(survey))):
        assert read.in_tables == numbered
        assert read.problems == ()


PAGE = f"""<?xml version="1.0" encoding="utf-8"?><!doctype html><html>
<head><title>x</title><style>p {{}}</style></head><body>
<nav><h2>Menu</h2><p>Home</p></nav><article><h1>Graphs: <i>A Survey</i></h1>
<section><h2>1 Methods</h2><p>{LONG}</p><div>Loose text is read <a href="#1">[1]</a>.<p>It
goes on [2, 3].</p>Others follow them too <cite>[<a href="#2">2</a>]</cite>.</div>
<ul><li>One does so [1].</li><li>Two others do [3].</li></ul>
<table class="ltx_equation"><tr><td>x = y</td></tr></table>
<figure><img src="a.png"><figcaption>Drawn</figcaption></figure>
<table><tr><td>Told [1]</td></tr></table></section>
<section><h3>1.1 Parts</h3><p>The end is near [3].</p><script>x</script></section>
<section><h2>References</h2>LIST</section></article></body></html>"""


@pytest.mark.parametrize(
    "listed",
    [
        "<ol><li>A. One. Title one. 2020.</li><li>B. Two. Title two. 2021.</li><li>C. Title three. 2022.</li></ol>",
        "<ul><li><span>[1]</span> A. Title one.</li><li>[2] B. Title two.</li><li>[3] C. Title three.</li></ul>",
        "<div><div>[1]</div><div>A. Title one.</div></div><p>[2] B. Title two.</p><p>[3] C. Title three.</p>",
    ],
)
def test_anybodys_page_is_read(listed: str) -> None:
    document = from_html(PAGE.replace("LIST", listed))
    assert (document.title, document.headings()) == ("Graphs: A Survey", ("Methods", "Parts"))
    assert [part.level for part in document.parts] == [1, 2]
    assert [r.name for r in document.references] == ["1", "2", "3"]
    assert [claim.names for claim in claims(document)] == [("1",), ("2", "3"), ("2",), ("1",), ("3",), ("3",)]
    assert (document.tables, document.figures, document.in_tables, document.problems) == (1, 1, {"1"}, ())


@pytest.mark.parametrize("page", ["", "<p>Too little</p>", "<!-- nothing -->"])
def test_a_page_that_is_no_survey_is_refused(page: str) -> None:
    with pytest.raises(UserError, match=r"no survey|holds no"):
        from_html(page)


def test_identifiers_in_references() -> None:
    text = "X. arXiv:2406.10252v2, https://doi.org/10.1145/3397271. and https://arxiv.org/pdf/2005.11401 s2:abc1"
    assert identifiers_in(text) == [
        PaperKey("arxiv:2406.10252"),
        PaperKey("doi:10.1145/3397271"),
        PaperKey("arxiv:2005.11401"),
        PaperKey("s2:abc1"),
    ]


def test_a_numbered_list_of_references_is_read_where_no_text_cites_it() -> None:
    body = "Nothing is cited in a sentence. " * 10
    text = f"# T\n\n## Methods\n\n{body}\n\n## References\n\n1. A First Paper. 2020.\n2. Another.\n"
    assert [(r.name, r.text) for r in from_markdown(text).references] == [
        ("1", "A First Paper. 2020."),
        ("2", "Another."),
    ]


@pytest.mark.parametrize(
    ("reference", "title"),
    [
        (
            "Weizhe Liu, Mathieu Salzmann and Pascal Fua. Context-Aware Crowd Counting. CVPR, 2019.",
            "Context-Aware Crowd Counting",
        ),
        ("Viresh Ranjan, Hieu Le and Minh Hoai. Iterative Crowd Counting. ECCV, 2018.", "Iterative Crowd Counting"),
        (
            "Xialei Liu, Joost van de Weijer and Andrew D. Bagdanov. Leveraging Unlabeled Data. CVPR, 2018.",
            "Leveraging Unlabeled Data",
        ),
        ("Nils Reimers and Iryna Gurevych. Sentence Embeddings. EMNLP, 2019.", "Sentence Embeddings"),
        ("Deep Learning and Computer Vision. 2019. A Handbook of the Field.", "A Handbook of the Field"),
    ],
)
def test_people_are_no_title(reference: str, title: str) -> None:
    listed = "\n".join(f"[{n}] {reference}" for n in range(1, 3))
    text = f"# T\n\n## Methods\n\n{'Counting is hard [1]. ' * 20}\n\n## References\n\n{listed}\n"
    assert [r.title for r in from_markdown(text).references] == [title, title]


def test_two_systems_of_one_name_are_refused_and_none_is_left_out(tmp_path: Path) -> None:
    folders = [tmp_path / system / "surveys" for system in ("ours", "theirs")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "graphs.md").write_text(MARKDOWN)
    with pytest.raises(UserError, match="Two folders are called “surveys”"):
        list_systems(folders)
    assert list_systems(folders[:1]) == {"surveys": [folders[0] / "graphs.md"]}
