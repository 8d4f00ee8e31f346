"""What each scholarly service's single error answer becomes: a sentence with its name, and never “nothing found”."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import httpx
import pytest
import respx

from engine.errors import RetrievalError
from engine.retrieval.online.arxiv import Arxiv
from engine.retrieval.online.crossref import Crossref
from engine.retrieval.online.openalex import OpenAlex
from engine.retrieval.online.publishers import SPRINGER, PublisherSearch
from engine.retrieval.online.queries import query_of
from engine.retrieval.online.semantic_scholar import SemanticScholar
from engine.retrieval.online.transport import OnlineTransport, ScholarlyService, ServicePolicy, ServiceRequest
from engine.values import PaperKey
from tests.single_answers import Answer, answer_everything

POLICY, URL = ServicePolicy(0.0), "https://service.example"


def ask_unpaywall(web: OnlineTransport) -> Awaitable[object]:
    service = ScholarlyService("Unpaywall", "https://api.unpaywall.org", web, POLICY)
    return service.ask(ServiceRequest("/v2/10.1/x", {"email": web.contact}, may_be_absent=True))


ASKED: dict[str, Callable[[OnlineTransport], Awaitable[object]]] = {
    "Semantic Scholar": lambda web: SemanticScholar(web, "secret-key", URL, POLICY).find(query_of("drones"), 5),
    "OpenAlex": lambda web: OpenAlex(web, "secret-key", URL, POLICY).find(query_of("drones"), 5),
    "Crossref": lambda web: Crossref(web, URL, POLICY).find_retracted([PaperKey("doi:10.1/x")]),
    "Unpaywall": ask_unpaywall,
}
SHAPES = {
    "OpenAlex": ('{"error": "maintenance"}', '{"results": []}'),
    "Crossref": ('{"status": "failed"}', '{"message": {"items": []}}'),
    "arXiv": ("<html>maintenance</html>", '<feed xmlns="http://www.w3.org/2005/Atom"/>'),
    "Springer": ('{"records": []}', '{"records": [], "result": [{"total": "0"}]}'),
}
"""An answer of status 200 that is none, and one that is."""
REFUSED: list[tuple[str, int, str, str]] = [
    ("Semantic Scholar", 401, '{"message": "Unauthorized"}', "refused the call (401); check its key"),
    ("Semantic Scholar", 403, '{"message": "Forbidden"}', "refused the call (403); check its key"),
    ("Semantic Scholar", 400, '{"error": "Unrecognized fields: [x]"}', "(400): Unrecognized fields: [x]"),
    ("Semantic Scholar", 413, "<html>too large</html>", "(413): no reason"),
    (
        "OpenAlex",
        400,
        '{"error": "Invalid query parameters error.", "message": "year is not valid"}',
        "year is not valid",
    ),
    ("OpenAlex", 404, "<html>gone</html>", "(404)"),
    ("Crossref", 400, '{"status": "failed", "message": [{"type": "parameter-not-allowed"}]}', "(400)"),
    ("Crossref", 404, "Resource not found.", "(404)"),
    ("Unpaywall", 422, '{"error": true, "message": "Email address required in API call"}', "Email address required"),
]


@pytest.mark.parametrize(("name", "status", "body", "said"), REFUSED)
async def test_what_a_service_refuses_is_said_once_and_names_no_key(
    web: OnlineTransport, name: str, status: int, body: str, said: str
) -> None:
    with answer_everything(Answer(status, text=body)) as router:
        with pytest.raises(RetrievalError) as caught:
            await ASKED[name](web)
        assert router.calls.call_count == 1
    assert name in str(caught.value) and said in str(caught.value)
    assert "secret-key" not in str(caught.value)
    assert not caught.value.retryable


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_tried_again_and_then_said(web: OnlineTransport, name: str, status: int) -> None:
    with answer_everything(Answer(status, text="{}")) as router:
        with pytest.raises(RetrievalError) as caught:
            await ASKED[name](web)
        assert router.calls.call_count > 1
    assert f"{name} answered {status}" in str(caught.value)
    assert caught.value.retryable


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("fault", [httpx.ConnectError("no route"), httpx.ReadError("reset"), httpx.ReadTimeout("slow")])
async def test_a_connection_that_fails_is_no_empty_answer(
    web: OnlineTransport, name: str, fault: httpx.TransportError
) -> None:
    with (
        respx.mock(assert_all_called=False) as router,
        pytest.raises(RetrievalError, match=f"{name} could not be reached"),
    ):
        router.route().mock(side_effect=fault)
        await ASKED[name](web)


@pytest.mark.parametrize("name", ASKED)
async def test_a_web_page_in_place_of_an_answer_is_no_empty_answer(web: OnlineTransport, name: str) -> None:
    page = Answer(200, text="<html>Sign in to the network</html>", headers={"Content-Type": "text/html"})
    with answer_everything(page), pytest.raises(RetrievalError, match=name) as caught:
        await ASKED[name](web)
    assert caught.value.retryable


@pytest.mark.parametrize("name", SHAPES)
async def test_an_answer_that_is_none_is_not_kept(web: OnlineTransport, name: str) -> None:
    others: dict[str, Callable[[OnlineTransport], Awaitable[object]]] = {
        "arXiv": lambda web: Arxiv(web, URL, POLICY).find(query_of("drones"), 5),
        "Springer": lambda web: PublisherSearch(SPRINGER, web, "secret-key", POLICY).find(query_of("drones"), 5),
    }
    ask, (wrong, right) = (ASKED | others)[name], SHAPES[name]
    with answer_everything(Answer(200, text=wrong)), pytest.raises(RetrievalError, match=f"{name} gave an answer"):
        await ask(web)
    with answer_everything(Answer(200, text=right)):
        await ask(web)
