"""What stands around the sections, written last from their finished text: introduction, conclusion, abstract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from engine.citations import Address, cite_sentences, list_cited_keys, replace_citations
from engine.llm.model import LanguageModel, Request
from engine.llm.prompting import data, fill
from engine.survey import Claim, Section, walk
from engine.text import split_sentences
from engine.values import OutlineNode, Paper, PaperKey
from engine.writing.drafting import Assignment, Draft, read_draft

FRAME_WORDS = 220
ABSTRACT_WORDS = 130
ABSTRACT = OutlineNode("Abstract")
OPENINGS, FINDINGS_EACH = 3, 5
"""Sentences of each finished subsection that are shown: those that open its first paragraphs, which say what they show,
then those that compare the papers they cite, and others that open one."""

PURPOSES: Mapping[str, str] = {
    "introduction": "It introduces the survey: what the subject is and why it is worked on, as the sections show it, "
    "and what each section covers. It gives no results in detail.",
    "conclusion": "It concludes the survey: what the sections found when they are read together, where the works agree "
    "and disagree, and what they themselves call open. It predicts nothing and recommends nothing of its own.",
    "abstract": "It is the survey's abstract, one paragraph: it says what was found, not which headings there are.",
}


@dataclass(frozen=True)
class Framing:
    """The parts around the ``sections`` of one trial."""

    model: LanguageModel
    task: Assignment
    sections: Sequence[Section]
    papers: Mapping[PaperKey, Paper]
    matrix: str
    """How many papers of each part showed something by which means."""

    async def draft(self, node: OutlineNode) -> Draft:
        """The introduction, the conclusion or the `ABSTRACT`, to be checked."""
        title, findings = node.title, self.list_findings()
        words = ABSTRACT_WORDS if node is ABSTRACT else min(self.task.words, FRAME_WORDS)
        cited = dict.fromkeys(key for line in findings for key in list_cited_keys(line) if key in self.papers)
        papers = [self.papers[key] for key in cited]
        prompt = fill(
            "autosurvey/frame",
            topic=data(self.task.topic),
            findings="\n".join(data(line) for line in findings),
            matrix=self.matrix,
            title=data(title),
            purpose=PURPOSES["abstract" if node is ABSTRACT else node.role],
            words=str(words),
        )
        request = Request("drafting", f"frame/{self.task.trial}/{title}", prompt, max(1_024, words * 4), 0.7)
        draft = read_draft(await self.model.text(request), node, papers)
        return replace(draft, text=self._name_sentences(draft.text))

    def list_findings(self) -> list[str]:
        """Headings of the finished sections, and under each what opens its paragraphs and what compares papers."""
        return [line for heading, claims in self._shown for line in (heading, *(f"- {claim.text}" for claim in claims))]

    def _name_sentences(self, text: str) -> str:
        """The text, its citations with the sentences that the same papers were cited for in the findings."""
        behind: dict[PaperKey, list[int]] = {}
        for citation in (c for _, claims in self._shown for claim in claims for c in claim.citations):
            if citation.sentence:
                behind.setdefault(citation.key, []).append(citation.sentence)
        return replace_citations(
            text, lambda keys: cite_sentences(Address(key, tuple(behind.get(key, ()))) for key in keys)
        )

    @cached_property
    def _shown(self) -> list[tuple[str, list[Claim]]]:
        """The heading of each section, and its claims that are shown."""
        shown = []
        introduced = walk((Section("Introduction", ""), *self.sections))  # it comes first and has the number 1
        for number, section in islice(introduced, 1, None):
            claimed = {claim.text: claim for claim in section.claims}
            paragraphs = [[one for one in said if one in claimed] for said in split_sentences(section.text)]
            lines = [line for paragraph in paragraphs for line in paragraph]
            opening = [paragraph[0] for paragraph in paragraphs if paragraph]
            comparing = [line for line in lines if len(list_cited_keys(line)) > 1]
            chosen = list(dict.fromkeys((*opening[:OPENINGS], *comparing, *opening)))[:FINDINGS_EACH]
            shown.append((f"{number} {section.title}", [claimed[line] for line in lines if line in chosen]))
        return shown
