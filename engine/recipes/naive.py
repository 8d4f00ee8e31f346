"""The baseline of both AutoSurvey and SurveyX: retrieve once, then prompt until the survey is long enough."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.citations import list_cited_keys
from engine.errors import LanguageModelError, LimitExceeded
from engine.gathering.search import require_papers
from engine.limits import CHARACTERS_PER_TOKEN, LENGTH_CLASSES_TOKENS, TOKENS_PER_WORD, Limits
from engine.llm.model import Request
from engine.llm.prompting import data, fill, paper_block, paper_tokens
from engine.recipes.bases import KeywordSearch
from engine.run import CallChain, PlannedCall, Progress, RunContext, WritingTask
from engine.survey import Section, Survey, SurveyWarning
from engine.text import to_title_case
from engine.values import Brief, Outline, OutlineNode, Paper, PaperSelection
from engine.writing.assembly import add_warnings, assemble_survey
from engine.writing.drafting import Draft, hold_length, join_drafts, mark_unchecked, read_draft
from engine.writing.estimates import PROMPT_OVERHEAD, TOKENS_PER_DRAFTED_WORD
from engine.writing.model_text import bare_heading

METHOD = "This survey was written by the naive baseline: a language model wrote it in one go from retrieved abstracts."
STEP_WORDS = 700
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)$", re.M)
SEEN_CHARACTERS = 12_000
"""End of the text that the model sees when it writes on."""


@dataclass(frozen=True, slots=True)
class NaiveRagRecipe(KeywordSearch):
    """Title and length, prompted again and again until the text is complete (A22, X21)."""

    expand_keywords: bool = False
    name: str = "naive"
    source: str = "naive RAG, the baseline of AutoSurvey (NeurIPS 2024) and SurveyX (2025)"

    needs_model: bool = True

    def plan_calls(self, task: WritingTask, limits: Limits) -> Sequence[CallChain]:
        """One stretch of text after the other, each from the next papers."""
        listed, count = task.selection.list_included(), limits.papers_per_node
        written = round(STEP_WORDS * TOKENS_PER_DRAFTED_WORD)
        chain = []
        for step in range(math.ceil(_count_wanted_words(task.brief) / STEP_WORDS)):
            first = step * count % max(1, len(listed))
            seen = min(step * written, SEEN_CHARACTERS // CHARACTERS_PER_TOKEN)
            shown = sum(paper_tokens(p) for p in listed[first : first + count])
            chain.append(PlannedCall("drafting", PROMPT_OVERHEAD + seen + shown, written))
        return (tuple(chain),)

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """No plan: one section for everything."""
        title = to_title_case(brief.topic)
        keys = tuple(p.key for p in require_papers(selection))
        said = f"{brief.sections} sections were asked for; the naive recipe plans none and writes one text."
        notes = (said,) if (brief.sections or 1) > 1 else ()
        return Outline(f"{title}: A Survey", (OutlineNode(title, brief.topic, keys),), "none", notes)

    async def write(self, task: WritingTask, context: RunContext) -> Survey:
        """Write on until the words wanted are there; at a failure or the budget, what is there is kept."""
        wanted, title = _count_wanted_words(task.brief), task.outline.nodes[0].title
        papers, count = task.selection.list_included(), context.limits.papers_per_node
        parts: list[Draft] = []
        warnings: list[SurveyWarning] = []
        steps = 0
        while (words := sum(len(part.text.split()) for part in parts)) < wanted:
            await context.progress(Progress("writing", words, wanted))
            first, steps = steps * count % len(papers), steps + 1
            try:
                parts += await _continue_text(task, parts, papers[first : first + count], steps, context)
            except (LanguageModelError, LimitExceeded) as error:
                if not parts:
                    raise
                warnings.append(SurveyWarning("unfinished", title, str(error)))
                break
        whole: dict[str, Draft] = {}
        for part in parts:  # the model may come back to a heading that it wrote before
            name = part.node.title
            whole[name] = join_drafts(whole[name], part) if name in whole else part
        sections = {at: Section(name, own.text, own.claims) for at, (name, own) in enumerate(whole.items())}
        warnings += [warning for part in parts for warning in part.warnings]
        return add_warnings(assemble_survey(task, sections, METHOD), warnings)


def _count_wanted_words(brief: Brief) -> int:
    words = (brief.subsection_words or 0) * (brief.sections or 1)
    return words or round(LENGTH_CLASSES_TOKENS[brief.length] / TOKENS_PER_WORD)


async def _continue_text(
    task: WritingTask, parts: Sequence[Draft], papers: Sequence[Paper], step: int, context: RunContext
) -> list[Draft]:
    """The next stretch of text by its headings; raises `LanguageModelError` where it cites nothing."""
    written = (f"## {part.node.title}\n\n{part.text}" for part in parts)
    prompt = fill(
        "naive/continue",
        topic=data(task.brief.topic),
        title=data(task.outline.title),
        total=str(_count_wanted_words(task.brief)),
        draft=data("\n\n".join(written)[-SEEN_CHARACTERS:]) or "(nothing yet)",
        papers=paper_block(papers),
        words=str(STEP_WORDS),
    )
    model, request = context.require_model(), Request("drafting", f"draft/{step - 1}", prompt, STEP_WORDS * 3, 1.0)
    first, *rest = _HEADING.split(await model.text(request))
    title = parts[-1].node.title if parts else task.outline.nodes[0].title
    pieces = [(title, first), *((bare_heading(name), said) for name, said in zip(rest[::2], rest[1::2], strict=True))]
    drafts = [read_draft(said, OutlineNode(name), papers) for name, said in pieces]
    if not any(list_cited_keys(draft.text) for draft in drafts):
        await model.forget(request)
        raise LanguageModelError("the model's text cited none of the papers", retryable=True)
    return [mark_unchecked(hold_length(draft, STEP_WORDS)) for draft in drafts if draft.text]
