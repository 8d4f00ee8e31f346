"""A card offers only what can be done with what is on it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.chat import Outgoing
from adapters.discord.discord_markup import messages as discord_messages
from adapters.slack.blocks import messages as slack_messages
from adapters.terminal import HERE
from bot.commands.commands import Show
from bot.commands.grammar import parse
from bot.conversation.showing import view
from bot.views.survey_pages import offer_sources, view_section, view_sources
from bot.wording import money
from bot.wording.cards import make_card, word_change
from bot.wording.discussion import make_document
from bot.wording.labels import LABELS
from bot.wording.progress import word_kept
from bot.wording.replies import suggest_words
from bot.wording.survey_text import word_section_page, word_sources
from engine.citations import cite
from engine.errors import UserError
from engine.session.events import Job
from engine.session.kept_text import KeptPart, KeptText
from engine.session.outline_edits import add
from engine.session.state import State, SurveySession
from engine.survey import Section, Survey, Table
from engine.values import (
    Brief,
    FoundPaper,
    Keyword,
    KeywordPool,
    Outline,
    OutlineNode,
    PaperKey,
    PaperSelection,
)
from tests.fakes import papers


def session(**parts: object) -> SurveySession:
    made = SurveySession("abc")
    return replace(made, state=replace(made.state, **parts))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("titles", "hints"),
    [
        (1, ()),
        (3, ("rename 2 to …", "drop 3", "add section … after 2")),
        (4, ("rename 2 to …", "drop 3", "move 4 before 2", "merge 3 4", "add section … after 2")),
    ],
)
def test_hints_of_an_outline_name_sections_that_are_there(titles: int, hints: tuple[str, ...]) -> None:
    nodes = tuple(OutlineNode(f"Part {n}") for n in range(titles))
    assert make_card(session(phase="outline", outline=Outline("A survey", nodes))).hints == hints


def test_a_thin_section_can_be_searched_for_merged_or_dropped_by_button() -> None:
    nodes = [OutlineNode(title) for title in ("Introduction", "Graphs", "Rare Things", "Trees", "Conclusion")]
    nodes[0], nodes[4] = replace(nodes[0], role="introduction"), replace(nodes[4], role="conclusion")
    whole = session(phase="outline", outline=Outline("A survey", tuple(nodes)))
    usual = [button.typed for button in make_card(whole).buttons]
    nodes[2] = replace(nodes[2], papers=(papers(1)[0].key,))
    thin = session(phase="outline", outline=Outline("A survey", tuple(nodes)))
    offered = [button.typed for button in make_card(thin).buttons]
    assert offered == [*usual, "search for 3", "merge 2 3", "drop 3"]
    assert all(parse(said) != parse("nonsense") for said in offered[-3:])


def test_an_added_section_of_which_no_paper_speaks_is_marked_with_what_can_be_done() -> None:
    gathered = PaperSelection(tuple(FoundPaper(paper, 1.0) for paper in papers(3)))
    keys = tuple(item.paper.key for item in gathered.found)
    outline = Outline("A survey", (OutlineNode("Passages", papers=keys), OutlineNode("Indexes", papers=keys)))
    at_hand = {"phase": "outline", "brief": Brief("dense retrieval"), "papers": gathered}
    added = session(outline=add("Speed of Dense Retrieval").apply(outline), **at_hand)
    card = make_card(added)
    assert "⚠ No gathered paper speaks of “3 Speed of Dense Retrieval”" in card.text
    assert all(said in card.text for said in ("`search for 3`", "`describe 3: …`", "`drop 3`"))
    assert {"search for 3", "drop 3"} <= {button.typed for button in card.buttons}
    near = session(outline=add("The Passage Index").apply(outline), **at_hand)
    assert "No gathered paper" not in make_card(near).text


def test_hints_of_papers_and_keywords_name_what_is_there() -> None:
    found = tuple(FoundPaper(paper, 1.0) for paper in papers(3))
    selection = PaperSelection(found)
    assert make_card(session(phase="papers", papers=selection)).hints == ("exclude 1",)
    out = replace(selection, excluded=(found[1].paper.key,))
    assert make_card(session(phase="papers", papers=out)).hints == ("exclude 1", "include 2")
    one = KeywordPool((Keyword("graphs", "topic"),))
    assert make_card(session(phase="keywords", keywords=one)).hints == ("add WORDS",)


def test_no_sentence_suggests_a_section_that_is_not_there() -> None:
    one = Outline("A survey", (OutlineNode("Graphs"),))
    assert suggest_words(session(phase="outline", outline=one).state) == "`ok` to write"
    written = session(phase="discussion", survey=Survey("A survey", "", (Section("Graphs", "Text."),), ()))
    assert suggest_words(written.state) == "a question, `show 1`, `why 1` or `export`"


def test_sources_of_an_old_message_are_not_read_by_new_numbers() -> None:
    first, second = papers(2)
    text = f"It works {cite([second.key])}."
    before = Survey("A survey", "", (Section("Graphs", text),), (first, second))
    (action,) = offer_sources([str(second.key)], before)
    show = parse(action.command)
    assert isinstance(show, Show)
    assert second.title in view(session(phase="discussion", survey=before), show).text
    after = replace(before, references=(second, first))
    with pytest.raises(UserError, match="numbered anew"):
        view(session(phase="discussion", survey=after), show)


def test_what_is_kept_is_said_only_of_what_was_made() -> None:
    nothing, part = session(phase="writing"), session(phase="writing", sections=((0, Section("Graphs", "Text.")),))
    assert word_kept(nothing.state, Job("write", id="1")) == ""
    assert word_kept(nothing.state, Job("papers", id="1")) == ""
    assert word_kept(part.state, Job("write", id="1")) == "1 finished section is kept."


def test_parts_whose_claims_are_only_checked_are_not_said_to_be_written_anew() -> None:
    outline = Outline(
        "A survey", (OutlineNode("One"), OutlineNode("Two"), OutlineNode("Conclusion", role="conclusion"))
    )
    one = KeptPart("1", Section("One", "A thing."))
    two = KeptPart("2", Section("Two", "A thing."), is_checked=False)
    said = money.word_kept(outline, KeptText(parts=(one, two)))
    assert said.startswith(
        "1 part of the text stays as written. The claims of 2 Two, which could not be checked, are checked now. "
        "Written anew: Conclusion and the abstract."
    )


def test_short_cells_of_a_table_stand_under_their_column_s_name() -> None:
    header = ("Work", "Year", "Data and metrics", "Result")
    rows = (("Guu et al. [@a:1]", "2020", "MARCO", "It improves the answers to open questions"),)
    section = Section("Bees", "Text.", tables=(Table("Works", header, rows),))
    survey = Survey("A Survey", "", (section,), (replace(papers(1)[0], key=PaperKey("a:1")),))
    shown = word_section_page(survey, view_section(survey, "1", 1))
    assert "Year: 2020 · Data and metrics: MARCO · Result: It improves the answers to open questions" in shown


def test_a_page_of_a_section_is_one_card_on_each_platform() -> None:
    cited = tuple(
        replace(paper, url=f"https://arxiv.org/abs/2001.{number:05}") for number, paper in enumerate(papers(9))
    )
    said = [
        f"Bees find their way by landmarks, and dances tell of it [@{p.key}; @{q.key}]." for p in cited for q in cited
    ]
    table = Table("Works", ("Work", "Result"), tuple((f"Bee [@{p.key}]", "It dances well. " * 12) for p in cited))
    text = "\n\n".join(" ".join(said[at : at + 8]) for at in range(0, 72, 8))
    survey = Survey("A Survey", "", (Section("Bees", text, tables=(table,)),), cited)
    pages = view_section(survey, "1", 1).pages
    shown = [word_section_page(survey, view_section(survey, "1", page)) for page in range(1, pages + 1)]
    for page in shown:
        assert_is_one_card(page)
    assert "\n".join(shown).count("It dances well. It dances") >= len(cited)  # no row is left out


def test_a_document_cites_by_links_everywhere_but_in_cells() -> None:
    first, second, third = (replace(p, url=f"https://doi.org/10.1/{n}") for n, p in enumerate(papers(3), start=1))
    text = f"Bees dance {cite([third.key, first.key, second.key])}. A range [1, 2] in brackets stays as it is."
    table = Table(f"Works after {cite([second.key])}", ("Work",), ((f"Bee {cite([first.key])}",),))
    deep = Section("Waggle", f"- It points {cite([second.key])}.")
    section = Section("Bees", text, tables=(table,), sections=(Section("Dances", "Many.", sections=(deep,)),))
    shown = make_document(
        session(phase="discussion", survey=Survey("On Bees", "A.", (section,), (first, second, third)))
    )
    assert shown is not None
    one, two, three = (f"[{n}](<https://doi.org/10.1/{n}>)" for n in (1, 2, 3))
    assert f"Bees dance \\[{one}, {two}, {three}\\]. A range \\[1, 2\\] in brackets stays as it is." in shown.text
    assert f"**Table 1.** Works after \\[{two}\\]" in shown.text
    assert "| Bee [1] |" in shown.text
    assert f"- It points \\[{two}\\]." in shown.text
    assert not re.search("^(# |####)", shown.text, re.M)


def assert_is_one_card(text: str) -> None:
    shown = Outgoing(HERE, text, slot="reading")
    assert len(discord_messages(shown)) == len(slack_messages(shown, "or say {}")) == 1


def test_a_page_of_sources_is_one_card_on_each_platform() -> None:
    title, venue = "Why Bees Dance, and What It Tells: " * 4, "Conference on the Dances of Bees and Others"
    cited = tuple(
        replace(paper, title=f"{title}{n}", venue=venue, url=f"https://doi.org/10.1000/j.bees.2020.10{n:04}")
        for n, paper in enumerate(papers(30))
    )
    survey = Survey("A Survey", "", (), cited)
    first = view_sources(survey, (), 1)
    assert first.last == 3
    assert_is_one_card(word_sources(first, are_all=True))


def test_an_edit_that_changes_nothing_says_so() -> None:
    old = session(
        phase="keywords", keywords=KeywordPool((Keyword("bees", "topic"), Keyword("dances", "library", 3)))
    ).state
    new = replace(old, keywords=KeywordPool((Keyword("bees", "topic"), Keyword("dances", "person", 3))))
    assert word_change(old, new, "") == "“dances” was in the list already."
    assert word_change(new, new, "") == "Nothing to change: that is how it stands already."
    outline = Outline("A survey", (OutlineNode("Bees"),))
    kept = session(phase="outline", outline=outline).state
    assert word_change(kept, replace(kept, outline=outline), "") == "Nothing to change: that is how it stands already."


def test_where_few_papers_are_about_the_topic_the_choices_are_buttons() -> None:
    brief = Brief("coral reefs", library="main")
    failed = session(phase="topic", brief=brief)
    words = ["ok", "search online", "", "start over"]
    assert [b.typed for b in make_card(failed).buttons] == words
    assert [b.label for b in make_card(failed).buttons][2] == "Other words"
    searched = session(phase="topic", brief=replace(brief, online=True))
    assert [b.typed for b in make_card(searched).buttons] == ["ok", "", "start over"]
    few = PaperSelection((FoundPaper(papers(1)[0], 1.0, tier="core"),))
    assert [b.typed for b in make_card(session(phase="papers", brief=brief, papers=few)).buttons][-3:] == words[1:]


def test_every_label_is_of_something_that_can_be_done() -> None:
    written = "".join(file.read_text() for file in (Path(__file__).parents[3] / "bot").rglob("*.py"))
    deeds = set(re.findall(r"Action\(\s*\"([^\"]+)\"", written)) | {"earlier", "later"}
    assert deeds >= LABELS.keys()


def test_files_are_offered_of_a_stopped_survey_only_where_something_is_written() -> None:
    state = State("writing", outline=Outline("T", (OutlineNode("One"),)))
    some = replace(state, sections=((0, Section("One", "It says so.")),))
    offered = [[b.typed for b in make_card(SurveySession("abc", state=s)).buttons] for s in (state, some)]
    assert ["export" in words for words in offered] == [False, True]
