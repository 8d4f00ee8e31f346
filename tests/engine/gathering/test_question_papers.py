"""Without a language model a paper is about a question that names the question's parts."""

from __future__ import annotations

from engine.gathering.question_papers import choose_naming
from engine.retrieval.libraries.library import EmptyLibrary
from engine.values import FoundPaper
from tests.fakes import WordEmbedder, paper, papers

QUESTION = ("caffeine", "deep sleep")
TITLED = ("Caffeine and Deep Sleep", "We measure how caffeine changes the deep sleep of adults.")
IN_SENTENCE = ("Coffee at night", "We show that caffeine shortens deep sleep in adults.")
APART = ("Naps after lunch", "Deep sleep is rare in naps. Guests were given caffeine.")
ONE_PART = ("Sleep and memory", "Deep sleep helps memory in adults.")


async def choose(phrases: tuple[str, ...], *texts: tuple[str, str], others: int = 0) -> dict[str, float]:
    """Title → score of the papers chosen, the best first."""
    read = [paper(n, title=title, abstract=abstract) for n, (title, abstract) in enumerate(texts, start=1)]
    found = [FoundPaper(one, 0.0) for one in (*read, *papers(others, "vision", start=100))]
    chosen = await choose_naming(" ".join(phrases), phrases, found, EmptyLibrary(), WordEmbedder())
    return {item.paper.title: item.score for item in chosen}


async def test_only_papers_that_name_every_part_are_chosen_the_strongest_first() -> None:
    chosen = await choose(QUESTION, ONE_PART, IN_SENTENCE, TITLED, others=5)
    assert list(chosen) == [TITLED[0], IN_SENTENCE[0]]
    assert 0 <= chosen[IN_SENTENCE[0]] < chosen[TITLED[0]] <= 1


async def test_words_in_different_sentences_count_where_few_papers_name_the_question() -> None:
    assert APART[0] in await choose(QUESTION, APART, IN_SENTENCE)
    longer = "Caffeine shortens deep sleep in adults who ride trains home late with newspapers and blankets."
    many = [("Coffee at night", longer)] + [(f"Coffee {n}", longer) for n in range(7)]
    scattered = ("Sleep", "Lakes are deep. Guests drank caffeine.")
    assert scattered[0] in await choose(QUESTION, scattered, *many[:3])
    assert scattered[0] not in await choose(QUESTION, scattered, *many)
    far = (
        "Cats",
        "Lakes north of these old valleys look deep. Their sleep seems light. Guests in many hotels drink "
        "tea with milk, sugar, lemon, honey, ginger, mint or caffeine.",
    )
    assert far[0] not in await choose(QUESTION, far, *many[:3]), "no paper that names all in a sentence is as far"


async def test_a_part_that_most_methods_have_need_not_be_named_and_the_title_may_name_one() -> None:
    assert IN_SENTENCE[0] in await choose((*QUESTION, "neural networks"), IN_SENTENCE)
    many = [(f"{IN_SENTENCE[0]} {n}", IN_SENTENCE[1]) for n in range(8)]
    titled = ("Deep Sleep", "Adults sleep. We gave them caffeine.")
    assert titled[0] in await choose(QUESTION, titled, *many)


async def test_one_of_several_parts_may_be_missing_where_no_paper_names_all() -> None:
    asked = (*QUESTION, "pilots")
    assert list(await choose(asked, ONE_PART, IN_SENTENCE)) == [IN_SENTENCE[0]]
    assert await choose(QUESTION, ONE_PART) == {}


async def test_nothing_is_chosen_for_words_that_say_nothing() -> None:
    assert await choose(("the",), TITLED) == {}
    assert await choose(QUESTION) == {}
