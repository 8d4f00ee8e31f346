"""What is shown of a survey that is written: its card, sections, evidence, sources, what a change did. Pure.

Citations are links with the numbers of the survey's references, the same here and in its files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby

from bot.views.survey_pages import Page, SectionPage
from bot.wording.sentences import list_first, pluralize
from bot.wording.survey_warnings import word_warnings
from engine.addresses import locate_words
from engine.citations import keep_allowed_citations, list_cited_keys, numbers, remove_citations
from engine.evidence import Evidence, find_connecting_sentences, section_at
from engine.overview import LineOfWork, TimeLine
from engine.rendering.document import describe_papers
from engine.rendering.markdown import escape_markdown, with_numbers
from engine.survey import (
    BarChart,
    Citation,
    Claim,
    FieldMap,
    Figure,
    Reproduction,
    Section,
    Survey,
    Table,
    Taxonomy,
    walk,
)
from engine.text import all_sentences, clean, list_words, sentences, shorten
from engine.values import Paper, PaperKey

GIST_SENTENCES, LINE_CHARACTERS = 3, 150
EVIDENCE_PER_PAGE = 8
CONNECTING_SHOWN = 4
SENTENCE_SHOWN = 300


def link(label: str, paper: Paper) -> str:
    """Markdown of a label that leads to the paper; the label alone where no http(s) address of it is known."""
    if not paper.url.lower().startswith(("http://", "https://")):
        return escape_markdown(label)
    url = paper.url.replace(">", "%3E").replace("<", "%3C").replace(" ", "%20")
    return f"[{escape_markdown(label)}](<{url}>)"


def with_links(text: str, known: Mapping[PaperKey, int], papers: Mapping[PaperKey, Paper]) -> str:
    """Markdown of a text: each citation a number that leads to its paper, the rest escaped, list items kept."""
    numbered = {known[key]: paper for key, paper in papers.items() if key in known}
    return with_numbers(keep_allowed_citations(text, known), known, partial(link_numbers, numbered))


def link_numbers(papers: Mapping[int, Paper], cited: Iterable[int]) -> str:
    """Markdown of ``[1, 3, 4]``, each number leading to its paper where that is known."""
    linked = (link(str(number), papers[number]) if number in papers else str(number) for number in cited)
    return f"\\[{', '.join(linked)}\\]"


def survey_text(text: str, survey: Survey) -> str:
    return with_links(text, numbers(survey), {paper.key: paper for paper in survey.references})


def word_survey(survey: Survey) -> str:
    """The finished survey as one message: title, gist, a line of each section, what is worth knowing."""
    how = escape_markdown(next(iter(all_sentences(survey.method)), ""))
    size = f"{word_size(survey)}{f'. {how}' if how else ''}"
    known = {line.number: line for line in survey.overview.lines} if survey.overview else {}
    lines = []
    for number, section in enumerate(survey.sections, start=1):  # how many papers of which years, what it is about
        line = known.get(str(number))
        papers = f" ({describe_papers(line)})" if line else ""
        about = escape_markdown(shorten(_summary(section, line), LINE_CHARACTERS))
        lines.append(f"- **{number} {escape_markdown(clean(section.title))}**{papers}: {about}")
    head = f"### ✓ Finished: {escape_markdown(clean(survey.title))}"
    return "\n\n".join([head, gist(survey), *(["\n".join(lines)] if lines else []), size, *word_warnings(survey)])


def word_size(survey: Survey) -> str:
    words = sum(len(section.text.split()) for _, section in walk(survey.sections))
    sections, sources = pluralize(len(survey.sections), "section"), pluralize(len(survey.references), "source")
    return f"{sections} · {words:,} words · {sources}"


def gist(survey: Survey) -> str:
    """What the survey says in three sentences: of its written abstract where there is one, else of what was counted."""
    is_written = survey.tally is not None
    whole = all_sentences(survey.overview.text if survey.overview and not is_written else survey.abstract)
    return survey_text(" ".join(whole[:GIST_SENTENCES]), survey)


def _summary(section: Section, line: LineOfWork | None) -> str:
    """Its parts, else what the first page says of it, else its first sentence or the first point of its list."""
    if section.sections:
        return "; ".join(clean(part.title) for part in section.sections)
    if line:
        return clean(remove_citations(line.text))
    opening, _, rest = section.text.partition("\n\n")
    text = rest.removeprefix("- ") if opening.endswith(":") else opening
    return clean(remove_citations(next(iter(sentences(text)), "")))


# Sections, sources, evidence.


def word_section_page(survey: Survey, shown: SectionPage) -> str:
    of = f" · page {shown.page} of {shown.pages}" if shown.pages > 1 else ""
    parts = [f"### {shown.place} {escape_markdown(shown.title)}{of}"]
    for (number, heading), pieces in groupby(shown.pieces, key=lambda piece: (piece.number, piece.heading)):
        below = list(pieces)
        rows = [f"- {survey_text(_word_row(piece.row), survey)}" for piece in below if piece.row]
        paragraphs = [survey_text(piece.text, survey) for piece in below if piece.text]
        parts += [f"**{escape_markdown(f'{number} {heading}'.strip())}**"] if heading else []
        parts += [*paragraphs, *(["\n".join(rows)] if rows else [])]
    return "\n\n".join(parts)


def _word_row(row: Sequence[tuple[str, str]]) -> str:
    """The row of a table as a line, since no chat shows tables: its first cell, each other under its column's name."""
    (_, first), *others = row
    named = " · ".join(f"{name}: {cell}" for name, cell in others if cell not in ("", "–"))
    return f"{first}: {named}" if named else first


RENUMBERED = (
    "The survey has changed since that message, and its sources are numbered anew. Say references to see them all."
)


def word_sources(shown: Page[tuple[int, Paper]], *, are_all: bool) -> str:
    """References by their numbers: who, what, where, with its address."""
    lines = [f"- **\\[{number}\\]** {word_reference(paper)}" for number, paper in shown.items]
    of = f" · page {shown.number} of {shown.last}" if shown.last > 1 else ""
    head = f"**{pluralize(shown.total, 'source')}** of this survey" if are_all else "**Sources**"
    return "\n".join([f"{head}{of}", "", *lines])


def word_reference(paper: Paper, *, cited: bool = False) -> str:
    """People, year, the title as a link, where it was published, and how often it is ``cited``."""
    people = f"{paper.authors[0]}{' et al.' if len(paper.authors) > 1 else ''}" if paper.authors else ""
    year = str(paper.year or "")
    who = escape_markdown(" ".join(part for part in (people, f"({year})" if year else "") if part))
    title, venue = link(shorten(clean(paper.title), 140), paper), escape_markdown(clean(paper.venue))
    count = f"cited: {paper.citations:,}" if cited and paper.citations is not None else ""
    return ". ".join(part for part in (who, title, venue, count) if part)


def word_evidence(survey: Survey, items: Sequence[Evidence], head: str) -> str:
    """Claim by claim: the sentence, where its words stand in which paper, and what became of it in the check.

    The words behind a claim are shown beside it only where it does not quote them itself. That summaries are not the
    authors' words is said once, above.
    """
    known = numbers(survey)
    papers = {paper.key: paper for paper in survey.references}
    parts = []
    for item in items:
        words = remove_citations(item.claim.text)
        cited = [citation for citation in item.claim.citations if citation.key in papers]
        shown = [citation for citation in cited if citation.quote and " ".join(citation.quote.split()) in words]
        behind = []
        for key in dict.fromkeys(citation.key for citation in cited):
            within = [citation for citation in shown if citation.key == key]
            beside = [citation for citation in cited if citation.key == key and citation not in shown]
            paper = papers[key]
            said = [_origin(within, paper)] if within else []
            said += [f"{_words_behind(citation)}{_origin([citation], paper)}" for citation in beside]
            title = f"{shorten(clean(paper.title), 80)} ({paper.year or 'no year'})"
            behind.append(f"{link(f'[{known[key]}] {title}', paper)}: {'; '.join(said)}")
        if item.claim.common:
            parts.append(f"- **{item.place}** {_show_sentence(words)} {COMMON}{_what_became_of(item.claim)}")
        elif behind:
            sentence = escape_markdown(clean(words)) if shown else _show_sentence(words)
            parts.append(f"- **{item.place}** {sentence} ← {' · '.join(behind)}{_what_became_of(item.claim)}")
    is_summarised = any(c.verdict == "summarised" for item in items for c in item.claim.citations if c.key in papers)
    return "\n".join([head, "", *([NOT_THEIR_WORDS, ""] if is_summarised else []), *parts])


def _origin(citations: Sequence[Citation], paper: Paper) -> str:
    """Where in the paper these words stand, and how far they are the authors' or were checked."""
    first = citations[0]
    quoted = [c for c in citations if c.quote and c.source != "full text"]
    located = {c: locate_words(c.quote, paper) for c in quoted if not c.sentence}
    numbers = dict.fromkeys(found.number if (found := located.get(c)) else c.sentence for c in quoted)
    places = [str(number) for number in numbers if number]
    where = f", {'sentences' if len(places) > 1 else 'sentence'} {list_words(places)}" if places else ""
    page = f", page {first.page}" if first.page else ""
    origin = f"from the {first.source}{where}{page}"
    if first.verdict == "unchecked" and not first.quote:
        return _VERDICTS[first.verdict]
    return origin if first.verdict == "summarised" else f"{_VERDICTS[first.verdict]}, {origin}"


def _show_sentence(text: str) -> str:
    return escape_markdown(shorten(clean(remove_citations(text)), SENTENCE_SHOWN))


def _what_became_of(claim: Claim) -> str:
    """What a claim was before the check, and what of it stands on the model's word; nothing where neither is so."""
    told = " *(another paper was cited for it before the check)*" if claim.ending == "cited anew" else ""
    if claim.ending == "reworded":
        told = f" *(reworded by the check; before: {_show_sentence(claim.was)})*"
    if claim.insisted:
        insisted = escape_markdown(claim.insisted)
        told += f" *(kept on the model's word: a program did not find “{insisted}” in the source)*"
    return told


def _words_behind(citation: Citation) -> str:
    if not citation.quote:
        return ""
    words = escape_markdown(citation.quote)
    return f"{words}; " if citation.source == "summary" else f"“{words}”; "


NOT_THEIR_WORDS = "*What comes from a summary is not in the authors' words.*"
_VERDICTS = {
    "quoted": "quoted word for word",
    "supported": "checked: supported",
    "unsupported": "checked: NOT supported",
    "unchecked": "not checked",
}
COMMON = "*(common knowledge: it explains a term, and no paper is cited for it)*"
CONNECTING = "*Not taken from a paper's text; these introduce, connect or count:*"


def why_section(survey: Survey, place: str, page: Page[Evidence]) -> str:
    """A page of the evidence behind a section; the last also shows its sentences that belong to no claim."""
    title = section_at(survey, place).title
    if not page.items:
        return f"Section {place}, {escape_markdown(title)}, makes no statement about a paper; it only leads over."
    span = f" ({page.start + 1} to {page.start + len(page.items)} of {page.total})" if page.last > 1 else ""
    text = word_evidence(survey, page.items, f"### Evidence for {place} {escape_markdown(clean(title))}{span}")
    connecting = find_connecting_sentences(survey, place) if page.number == page.last else []
    lines = list_first([f"- {_show_sentence(each)}" for each in connecting], CONNECTING_SHOWN, "- … and {} more")
    return "\n".join([text, "", CONNECTING, "", *lines]) if lines else text


def why_reference(survey: Survey, paper: Paper, number: int, items: Sequence[Evidence]) -> str:
    head = f"**\\[{number}\\]** {word_reference(paper)}"
    return word_evidence(survey, items, head) if items else f"{head}\n\nIt is cited in a table of its group."


QUOTE_CHARACTERS = 160
CELLS_READ = "Each cell was taken from its paper by a language model, and a program held it against these words:"
CELLS_QUOTED = (
    "The years are those of the papers' records, the names were found by a program, and the sentences are the papers' "
    "own, perhaps shortened:"
)


def why_table(survey: Survey, table: Table, number: int) -> str:
    known = numbers(survey)
    head = f"**Table {number}. {escape_markdown(clean(table.caption))}**"
    if not table.evidence:
        keys = {key for row in table.rows for cell in row for key in list_cited_keys(cell)}
        return f"{head}\n\nIt was counted from the papers of this survey; {len(keys)} of them are named in it."
    are_own = all(item.citation.verdict in {"quoted", "summarised"} for item in table.evidence)
    lines = [head, "", CELLS_QUOTED if are_own else CELLS_READ]
    for at, row in enumerate(table.rows):
        lines += ["", f"**{with_numbers(row[0], known)}**"]
        lines += [
            f"- {escape_markdown(table.header[item.column])}: {with_numbers(row[item.column], known)} — "
            f"{_words(item.citation)}"
            for item in table.evidence
            if item.row == at
        ]
    return "\n".join(lines)


def why_figure(survey: Survey, figure: Figure, number: int) -> str:
    head = f"**Figure {number}. {escape_markdown(clean(figure.caption))}**"
    match figure:
        case Taxonomy():
            how = "It shows the sections of this survey as they were approved; works are those that a part cites most."
        case BarChart() | TimeLine():
            which = "gathered on the topic" if isinstance(figure, BarChart) else "of this survey"
            how = f"It was counted from the papers {which} by their years."
        case FieldMap():
            how = "Papers lie near one another where their titles and abstracts share words and meaning."
        case Reproduction():
            how = (
                f"It was taken out of [{numbers(survey)[figure.key]}], whose licence ({figure.licence}) allows that, "
                f"because what the paper says about it is nearest to this section: <{figure.address}>."
            )
    return f"{head}\n\n{how}"


def _words(citation: Citation) -> str:
    words = escape_markdown(shorten(clean(citation.quote), QUOTE_CHARACTERS))
    page = f", page {citation.page}" if citation.page else ""
    return f"summary: {words}" if citation.source == "summary" else f"“{words}” ({citation.source}{page})"
