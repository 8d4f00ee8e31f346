"""What a quick review's claims are held against."""

from __future__ import annotations

import json
import re

from engine.retrieval.libraries.local import LocalLibrary
from tests.engine.recipes.test_quick import review, thinking
from tests.fakes import FakeModel
from tests.stand_ins.simulation import simulate_answer


async def test_the_number_of_a_summarys_sentence_is_none_of_its_papers(library: LocalLibrary) -> None:
    async def judged(number: str) -> set[str]:
        def answer(prompt: str, schema: str) -> str:
            said = simulate_answer(prompt, schema)
            return said if schema else re.sub(r"(:\d+)?\]", f"{number}]", said)

        model = FakeModel(answer)
        await review(library, model)
        return {request.prompt.question for request in model.asked("check/")}

    assert await judged("") == await judged(":4")


async def test_figures_in_the_table_are_judged_like_its_sentences(library: LocalLibrary) -> None:
    """“40% vs 33% (naratriptan)”: both figures stand in the abstract, of another drug."""

    def study(prompt: str) -> str:
        studies = json.loads(simulate_answer(prompt, "StudiesAnswer"))["studies"]
        points = dict(re.findall(r'<paper key="([^"]+)">(?:\n.*){2,4}by (\d) points', prompt))
        return json.dumps({"studies": [{**one, "figures": f"{points[one['key']]} points (others)"} for one in studies]})

    def check(prompt: str) -> str:
        claims = re.findall(r'<claim number="(\d+)"[^>]*>\n(.*)\n', prompt)
        return json.dumps(
            {
                "supported": [f"{n}a" for n, said in claims if "(others)" not in said],
                "others": [{"claim": int(n), "verdict": "not said"} for n, said in claims if "(others)" in said],
            }
        )

    found = await review(library, thinking(StudiesAnswer=study, CheckAnswer=check))
    table = found.survey.sections[1].tables[0]
    assert table.rows and not any("(others)" in row[-1] for row in table.rows)
