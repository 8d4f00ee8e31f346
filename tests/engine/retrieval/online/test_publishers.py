"""Scopus, ScienceDirect and Springer: what is asked of them, what their records become, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import respx

from engine.errors import RetrievalError
from engine.retrieval.online.publishers import PAGE, SCIENCE_DIRECT, SCOPUS, SPRINGER, Publisher, PublisherSearch
from engine.retrieval.online.queries import BooleanQuery, query_of
from engine.retrieval.online.transport import OnlineTransport, ServicePolicy
from engine.values import YearRange
from tests.single_answers import Answer

POLICY = ServicePolicy(0.0)
KEY = "lab-key"
COUNT = 30
"""Papers that the stand-in has: a page and a part of one."""

Item = Callable[[int], dict[str, Any]]


def scopus_item(n: int) -> dict[str, Any]:
    return {
        "dc:title": f"Drone racing {n}",
        "prism:doi": f"10.1016/j.robot.{n}",
        "eid": f"2-s2.0-8500{n}",
        "dc:description": "Drones race through gates.",
        "author": [{"authname": "Song Y."}, {"authname": "Scaramuzza D."}],
        "prism:coverDate": "2021-05-01",
        "prism:publicationName": "Robotics and Autonomous Systems",
        "citedby-count": "12",
    }


def science_direct_item(n: int) -> dict[str, Any]:
    return {
        "title": f"Drone racing {n}",
        "doi": f"10.1016/j.robot.{n}",
        "pii": f"S0921-8890(21)0{n}",
        "authors": [{"order": 1, "name": "Yunlong Song"}],
        "publicationDate": "2021-05-01",
        "sourceTitle": "Robotics and Autonomous Systems",
    }


def springer_item(n: int) -> dict[str, Any]:
    return {
        "title": f"Drone racing {n}",
        "doi": f"10.1007/s10514-{n}",
        "abstract": {"h1": "Abstract", "p": ["Drones race", "through gates."]},
        "creators": [{"creator": "Song, Yunlong"}],
        "publicationDate": "2021-05-01",
        "publicationName": "Autonomous Robots",
    }


@dataclass
class Publishers:
    """All three services, which refuse another key, a wrong page and an odd order as the real ones do."""

    asked: list[dict[str, Any]] = field(default_factory=list)
    count: int = COUNT

    def answer(self, request: httpx.Request) -> Answer:
        given = dict(request.url.params)
        if KEY not in (request.headers.get("X-ELS-APIKey"), given.get("api_key")):
            return Answer(401, json={"service-error": {"status": {"statusText": "Invalid API Key"}}})
        match request.method, request.url.path:
            case "GET", "/content/search/scopus":
                self.asked.append(given)
                if int(given["count"]) > PAGE and given["view"] == "COMPLETE":
                    said = "Exceeds the maximum number allowed for the service level"
                    return Answer(400, json={"service-error": {"status": {"statusText": said}}})
                items = self._page(scopus_item, int(given["start"])) or [{"error": "Result set was empty"}]
                results = {"opensearch:totalResults": str(self.count), "entry": items}
                return Answer(200, json={"search-results": results})
            case "PUT", "/content/search/sciencedirect":
                self.asked.append(body := json.loads(request.content))
                if body["display"]["sortBy"] not in {"relevance", "date"}:
                    return Answer(400, json={"message": "sortBy"})
                items = self._page(science_direct_item, body["display"]["offset"])
                return Answer(200, json={"resultsFound": self.count, **({"results": items} if items else {})})
            case "GET", "/meta/v2/json":
                self.asked.append(given)
                if int(given["p"]) > PAGE:
                    return Answer(403, json={"status": "Fail", "message": "Premium plan needed"})
                items = self._page(springer_item, int(given["s"]) - 1)
                return Answer(200, json={"result": [{"total": str(self.count)}], "records": items})
        return Answer(404)

    def _page(self, item: Item, start: int) -> list[dict[str, Any]]:
        return [item(n) for n in range(start, min(start + PAGE, self.count))]


@contextmanager
def publishers(count: int = COUNT) -> Iterator[Publishers]:
    service = Publishers(count=count)
    with respx.mock(assert_all_called=False) as router:
        router.route().mock(side_effect=service.answer)
        yield service


PUBLISHERS = (SCOPUS, SCIENCE_DIRECT, SPRINGER)


@pytest.mark.parametrize("publisher", PUBLISHERS)
async def test_papers_come_page_by_page_with_what_their_records_say(web: OnlineTransport, publisher: Publisher) -> None:
    with publishers() as service:
        found, age = await PublisherSearch(publisher, web, KEY, POLICY).find(query_of("drone racing"), 100)
    assert len(found) == COUNT and age == 0.0
    assert len(service.asked) == 2
    first = found[0]
    assert first.title == "Drone racing 0" and first.year == 2021
    assert first.key.startswith("doi:10.10") and first.url.startswith("https://doi.org/10.10")
    assert first.authors[0].endswith(("Song", "Yunlong", "Y."))
    assert first.abstract == ("" if publisher is SCIENCE_DIRECT else "Drones race through gates.")
    assert first.citations == (12 if publisher is SCOPUS else None)
    assert {origin for _, origin in first.origins} == {publisher.name}


async def test_operators_and_years_arrive_in_each_services_own_form(web: OnlineTransport) -> None:
    query = BooleanQuery((("drone", "quadrotor"), ("racing",)), YearRange(2018, 2021))
    with publishers() as service:
        for publisher in PUBLISHERS:
            await PublisherSearch(publisher, web, KEY, POLICY).find(query, 5)
    scopus, science_direct, springer = service.asked
    words = '("drone" OR "quadrotor") AND "racing"'
    assert (scopus["query"], scopus["date"]) == (f"TITLE-ABS-KEY({words})", "2018-2021")
    assert scopus["sort"] == "-relevancy,-citedby-count,-pubyear"
    assert (science_direct["qs"], science_direct["date"]) == (words, "2018-2021")
    assert springer["q"] == f"({words}) datefrom:2018-01-01 dateto:2021-12-31"


@pytest.mark.parametrize("publisher", PUBLISHERS)
async def test_nothing_found_is_no_fault_and_no_word_asks_nothing(web: OnlineTransport, publisher: Publisher) -> None:
    with publishers(0) as service:
        assert (await PublisherSearch(publisher, web, KEY, POLICY).find(query_of("drone"), 5))[0] == []
        assert (await PublisherSearch(publisher, web, KEY, POLICY).find(query_of("…"), 5))[0] == []
    assert len(service.asked) == 1


@pytest.mark.parametrize("publisher", PUBLISHERS)
async def test_a_wrong_key_and_an_odd_answer_are_said(web: OnlineTransport, publisher: Publisher) -> None:
    with (
        publishers(),
        pytest.raises(RetrievalError, match=f"{publisher.name} refused the call .401.; check its key") as said,
    ):
        await PublisherSearch(publisher, web, "stale-key", POLICY).find(query_of("drone"), 5)
    assert "stale-key" not in str(said.value)
    with (
        respx.mock() as router,
        pytest.raises(RetrievalError, match="gave an answer that cannot be read"),
    ):
        router.route().mock(return_value=Answer(200, json={"records": 3}))
        await PublisherSearch(publisher, web, KEY, POLICY).find(query_of("drone"), 5)
