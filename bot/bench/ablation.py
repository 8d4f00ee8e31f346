"""The command `bench ablation`: AutoSurvey's or SurveyX's recipe without each of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rich.console import Console

from bot.app import open_app
from bot.bench.compare import RecipeBench, run_each
from bot.bench.yardstick_report import ReportOptions, print_report, print_table
from engine.errors import UserError
from engine.evaluation.overlap import SUSPICIOUS
from engine.recipes.autosurvey import AutoSurveyRecipe
from engine.recipes.bases import Trials
from engine.recipes.surveyx import SurveyXRecipe
from engine.rubrics import AUTOSURVEY, CRITERIA
from engine.run import RunContext
from engine.text import list_words
from engine.values import Brief, Outline, PaperSelection
from engine.writing.drafting import Steps


@dataclass(frozen=True, slots=True)
class SharedListsRecipe(AutoSurveyRecipe):
    """AutoSurvey with the mistake of its public code, for measuring: all sections share one list (`share_lists`)."""

    async def outline(self, brief: Brief, selection: PaperSelection, context: RunContext) -> Outline:
        """The outline, with the papers of the flat list."""
        return share_lists(await AutoSurveyRecipe.outline(self, brief, selection, context))


def share_lists(outline: Outline) -> Outline:
    """The outline in which the j-th part of every section has the papers of the j-th part of all."""
    flat = [part.papers for node in outline.nodes for part in node.children]
    nodes = (
        replace(node, children=tuple(replace(part, papers=flat[j]) for j, part in enumerate(node.children)))
        for node in outline.nodes
    )
    return replace(outline, nodes=tuple(nodes))


@dataclass(frozen=True, slots=True)
class Ablation:
    """A recipe's variants, and the paper's table: the evaluation's names of its columns, and its rows."""

    variants: Mapping[str, Trials]
    measures: Sequence[str]
    published: Mapping[str, Sequence[float]]
    """Recall, precision and F1 as shares, as we print them."""


_CITED = ("citation recall", "citation precision", "citation F1")

ABLATIONS = {
    "autosurvey": Ablation(
        {
            "whole": AutoSurveyRecipe(),
            "without retrieval": AutoSurveyRecipe(retrieve=False),
            "without check": AutoSurveyRecipe(writing=Steps(check=False)),
            "published check": AutoSurveyRecipe(writing=Steps(words_stand=True)),
            "without coherence": AutoSurveyRecipe(writing=Steps(review=False)),
            "shared lists": SharedListsRecipe(),
            **{f"best of {n}": AutoSurveyRecipe(candidates=n) for n in range(2, 6)},
        },
        (*_CITED[:2], *AUTOSURVEY, "average of three, AutoSurvey's"),
        {
            "whole": (0.8348, 0.7715, 4.70, 4.16, 4.93, 4.57),
            "without retrieval": (0.6011, 0.5165, 4.51, 4.01, 4.88, 4.44),
            "without reflection": (0.8323, 0.7636, 4.76, 4.13, 4.88, 4.56),
        },
    ),
    "surveyx": Ablation(
        {
            "whole": SurveyXRecipe(),
            "without keyword expansion": SurveyXRecipe(expand_keywords=False),
            "without attribute trees": SurveyXRecipe(grow_trees=False),
            "without outline optimisation": SurveyXRecipe(optimise_outline=False),
            "without rewriting": SurveyXRecipe(rewrite=False),
        },
        (*CRITERIA, "average of five, SurveyX's", *_CITED),
        {
            "whole": (4.95, 4.91, 4.94, 4.10, 4.05, 4.59, 0.8523, 0.7812, 0.8152),
            "without retrieval": (4.74, 4.88, 4.79, 3.98, 4.02, 4.48, 0.7888, 0.7334, 0.7601),
            "without AttributeTree": (4.84, 4.08, 4.89, 3.88, 3.93, 4.32, 0.6009, 0.5649, 0.5823),
            "without outline optimisation": (4.90, 3.80, 4.91, 3.98, 4.02, 4.32, 0.8510, 0.7713, 0.8092),
            "without RAG rewriting": (4.92, 4.89, 4.93, 4.00, 4.00, 4.55, 0.5537, 0.5495, 0.5516),
        },
    ),
}
"""The parts left out, the published code's mistake, more trials than one (the paper's N, up to 5), and the papers'
tables; AutoSurvey's reflection is our check."""


async def ablate(console: Console, brief: Brief, writers: Sequence[str] = (), *, as_json: bool = False) -> int:
    """Evaluate the brief's survey by each variant of its recipe, and by each of ``writers``, models that draft.

    The exit code is 1 where one failed. Raises `UserError` without a language model, which also judges.
    """
    ablation = ABLATIONS.get(brief.recipe)
    if ablation is None:
        raise UserError(f"There is an ablation of {list_words(ABLATIONS)}, not of {brief.recipe[:40]}.")
    measures = (*ablation.measures, "shared lists")
    async with open_app() as app:
        bench = replace(await RecipeBench.open(app, brief.library), judged=True)
        runs = {name: partial(bench.measure, recipe, brief, measures) for name, recipe in ablation.variants.items()}
        for writer in writers:
            drafting = replace(bench, models={**bench.models, "drafting": writer})
            runs[f"written by {writer}"] = partial(drafting.measure, ablation.variants["whole"], brief, measures)
        facts = await run_each(console, runs)

    if as_json:
        print_report(console, "", facts, ReportOptions(as_json))
        return int(len(facts) < len(runs))
    quality = {name: {measure: row[measure] for measure in ablation.measures} for name, row in facts.items()}
    for name, published in ablation.published.items():
        quality[f"{name}, published"] = dict(zip(ablation.measures, published, strict=True))
    print_table(console, f"{brief.topic}: written by {bench.models['drafting']}", quality)
    took = {name: {k: v for k, v in row.items() if k not in ablation.measures} for name, row in facts.items()}
    print_table(console, "What each took", took)
    console.print(
        "Published figures are of other topics, models and judges; compare only rows of one table. Shared lists: "
        f"above {SUSPICIOUS}, and more than by chance, sections cite one another's papers.",
        soft_wrap=True,
    )
    return int(len(facts) < len(runs))
