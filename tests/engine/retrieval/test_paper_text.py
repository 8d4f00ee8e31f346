"""Broken text of records: what it becomes, and that nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieval.paper_text import clean_abstract, clean_name, clean_title
from engine.retrieval.records.record_files import read_papers
from engine.text import clean
from engine.values import Paper

REPAIRS = [
    # broken conversions
    ("for future experi(cid:173) ments", "for future experiments"),
    ("a learning algo(cid:173) rithm", "a learning algorithm"),
    ("discrete(cid:173) time networks", "discrete-time networks"),
    ("mean field distribu- tions", "mean field distributions"),
    ("image- guided completion", "image-guided completion"),
    ("the state-of- the-art method", "the state-of-the-art method"),
    ("in- and out-of-distribution", "in- and out-of-distribution"),
    ("state- of-the-art", "state-of-the-art"),
    ("speci\ufb01c classi\ufb01ers", "specific classifiers"),
    ("the (cid:12)rst of (cid:11)ects", "the first of ffects"),
    ("na\u00c3\u00afve, 100\u00c3\u0097 faster", "na\u00efve, 100\u00d7 faster"),
    # LaTeX
    (r"S\o rensen of \AA rhus and the \alpha test", "S\u00f8rensen of \u00c5rhus and the \u03b1 test"),
    (r"H\"{o}lder and Poincar\'e", "H\u00f6lder and Poincar\u00e9"),
    (r"a rate of $O(1/\sqrt{T})$ over $T$ rounds", "a rate of O(1/\u221aT) over T rounds"),
    (r"up to \ln\ln k and \log \log T terms of \pi\pi", "up to lnln k and log log T terms of π"),
    (r"$\frac{n\log n}{\epsilon^2}$ samples", "(n log n)/\u03b5\u00b2 samples"),
    (r"in $\mathbb{R}^d$ with $\ell_1$", "in \u211d^d with \u2113\u2081"),
    ("D$^3$Fields", "D\u00b3Fields"),
    (r"from 16\% to 5\%", "from 16% to 5%"),
    (r"its \emph{interventional} {\em class}", "its interventional class"),
    (r"the bound \emphinformation and \mathcalO", "the bound information and O"),
    ("the extit{small} and mph{large} model", "the small and large model"),
    (r"recent work \citep{zhou2021nearly, kim2021improved} shows", "recent work (Zhou 2021; Kim 2021) shows"),
    (r"the work of \citet[Sec.~2]{lai1985asymptotically}", "the work of Lai (1985)"),
    (r"ResNet~cite{he2016deep}, achieved", "ResNet (He 2016), achieved"),
    (r"Code: \url{https://x.org/a_b}", "Code: https://x.org/a_b"),
    (r"publicly\footnote{At x.org.}.", "publicly (At x.org.)."),
    (r"2000^{\circ}/\mathrm{s}2000^{\circ}/\mathrm{s} is", "2000\u00b0/s is"),
    ("costs $10 a month, not $20", "costs $10 a month, not $20"),
    (r"kernel \km is fast", "kernel km is fast"),
    # other markup
    ("does **not** need *any* _training_", "does not need any training"),
    ("A* search and D* lite", "A* search and D* lite"),
    ("at [this URL](https://x.org/p)", "at this URL (https://x.org/p)"),
    ("H<sub>2</sub>O is <i>wet</i> &mdash; always", "H\u2082O is wet \u2014 always"),
    ("if 3 < x and y > 2", "if 3 < x and y > 2"),
    ("we call it ``learning to teach''.", "we call it \u201clearning to teach\u201d."),
    ("\u201cA\u201d is not \u201cB\u201d", "\u201cA\u201d is not \u201cB\u201d"),
    ("\u201cWe ask \u201cwhy\u201d.\u201d", "We ask \u201cwhy\u201d."),
    ("asynchronous---each core--and all", "asynchronous\u2014each core\u2013and all"),
]


@pytest.mark.parametrize(("broken", "whole"), REPAIRS)
def test_what_is_broken_is_repaired(broken: str, whole: str) -> None:
    assert clean_abstract(broken) == whole


LONG = "We study how people read surveys of a field and what they look for."


@pytest.mark.parametrize(
    "framed",
    [
        f"Abstract: {LONG}",
        f"Abstract\u2014{LONG}",
        f"Abstract {LONG}",
        f'"{LONG}"',
        f"\u201c{LONG}\u201d",
        f"{LONG} \u00a9 2020 Elsevier Ltd. All rights reserved.",
        f"{LONG} Copyright \u00a9 2019 John Wiley & Sons, Ltd.",
        f"\u00a9 2021 IEEE. {LONG}",
        f"<jats:title>Abstract</jats:title><jats:p>{LONG}</jats:p>",
    ],
)
def test_headings_and_copyright_lines_go(framed: str) -> None:
    assert clean_abstract(framed) == LONG


@pytest.mark.parametrize(
    "kept",
    [
        "Abstract Meaning Representation parsing maps sentences to graphs.",
        "Summary form only given. Provides a short abstract.",
        "We ask how copyright and ethics bear on models; books' copyright is a concern.",
        "A (c) 2020 line in the middle of the text does not end it, since more is said after it. And more.",
    ],
)
def test_words_that_look_like_a_frame_stay(kept: str) -> None:
    assert clean_abstract(kept) == kept


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("DONGXU LI", "Dongxu Li"),
        ("J.R. O'NEIL-SMITH III", "J.R. O'Neil-Smith III"),
        ("Yutao Hu \u00b9", "Yutao Hu"),
        ("Yutao Hu\u00b9,\u00b2", "Yutao Hu"),
        ("Yutao Hu 1,2", "Yutao Hu"),
        ("Irwan Bello*", "Irwan Bello"),
        ("Ada \u2020\u2021", "Ada"),
        ("Wei Wang 0001", "Wei Wang"),
        ("Jo\\~{a}o P. Costeira", "Jo\u00e3o P. Costeira"),
        ("Jos\u00c3\u00a9 Cano", "Jos\u00e9 Cano"),
        ("Conan O'Brien-Smith Jr.", "Conan O'Brien-Smith Jr."),
        ("\u674e\u660e", "\u674e\u660e"),
    ],
)
def test_names_lose_their_marks(written: str, name: str) -> None:
    assert clean_name(written) == name


_MISREAD = "\u00c2\u00c3\u00c4\u00c5\u00e2"
LETTERS = st.characters(categories=["Ll", "Lu", "Nd"], max_codepoint=0x24F, exclude_characters=_MISREAD)
PROSE = st.lists(st.text(LETTERS, min_size=1, max_size=9), min_size=1, max_size=12)
WRAPPERS = (
    "{}",
    r"\emph{{{}}}",
    r"\textbf{{{}}}",
    r"{{\em {}}}",
    "**{}**",
    "<i>{}</i>",
    "<jats:p>{}</jats:p>",
    "``{}''",
    "({})",
    r"\mbox{{{}}}",
)
PIECES = (
    "\\", "{", "}", "$", "^", "_", "~", "*", "**", "`", "''", "- ", "--", "(cid:173) ", "(cid:12)", "\\emph{", "\\frac",
    "\\cite{a2020b}", "\\'e", "&amp;", "&lt;", "<i>", "</i>", "<sub>", "[", "](http://x.y)", "\u00a9 2020", "Abstract:",
    "\ufb01", "\u00c3", "\u00a9", "\u00ad", "imes", "$ imes$", "word", "Two", "of", "2", " ", ".", "\\(", "\\)",
)  # fmt: skip


@given(PROSE)
def test_prose_stays_as_it_is(words: list[str]) -> None:
    text = " ".join(w for w in words if not w[0].isdigit())
    assert clean_title(text) == clean(text)


@given(PROSE, st.lists(st.sampled_from(WRAPPERS), min_size=12, max_size=12))
def test_no_word_is_lost_with_its_markup(words: list[str], wrappers: list[str]) -> None:
    marked = " ".join(w.format(clean(word)) for word, w in zip(words, wrappers, strict=False))
    found = clean_title(marked)
    for word in words:
        assert clean(word) in found


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    for function in (clean_title, clean_abstract, clean_name):
        once = function(text)
        assert function(once) == once


@given(st.text(max_size=80))
def test_any_text_can_be_cleaned(text: str) -> None:
    assert clean_abstract(clean_abstract(text)) == clean_abstract(text)


@pytest.mark.parametrize("hostile", ["{" * 20_000, "\\emph{" * 5_000, "$" * 9_999, "\\frac" * 5_000, "**a" * 9_000])
def test_hostile_text_takes_no_time(hostile: str) -> None:
    assert isinstance(clean_abstract(hostile), str)


def test_records_are_cleaned_when_they_come_in(tmp_path: Path) -> None:
    record = {
        "title": r"Learning with $\ell_1$",
        "abstract": "Abstract: speci\ufb01c experi- ments.",
        "authors": ["Irwan Bello*"],
    }
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record))
    (paper,) = read_papers(path, lambda _, __: None)
    assert isinstance(paper, Paper)
    assert (paper.title, paper.abstract, paper.authors) == (
        "Learning with \u2113\u2081", "specific experiments.", ("Irwan Bello",),
    )  # fmt: skip
