"""The HTML page in a real browser: what a reader does with it, at a desk and on a phone."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.rendering.html import html
from engine.survey import Citation, Claim
from tests.engine.rendering.surveys import full_survey
from tests.stand_ins.changes import PATIENCE_S

BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
WIDTHS = {"desk": (1280, 900), "phone": (390, 844)}
AT_A_DESK = pytest.mark.parametrize("page", ["desk"], indirect=True)
"""Where the width of the window changes nothing."""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "survey.html"
    path.write_text(html(full_survey()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not BROWSER:
        warnings.warn("Chromium is not here: the HTML page was not opened", stacklevel=1)
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Any, page_file: Path) -> Iterator[Any]:
    width, height = WIDTHS[request.param]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", offline=True)
    context.set_default_timeout(PATIENCE_S * 1_000)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda asked: troubles.append(asked.url) if not asked.url.startswith("file:") else None)
    opened.goto(page_file.as_uri())
    yield opened
    context.close()
    assert troubles == []


@pytest.mark.parametrize("size", WIDTHS)
def test_no_serious_barrier(browser: Any, page_file: Path, size: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    width, height = WIDTHS[size]
    # The rules are injected as a script, which the page's own policy forbids.
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce", bypass_csp=True
    )
    opened = context.new_page()
    opened.goto(page_file.as_uri())
    found = Axe().run(opened).response["violations"]
    opened.emulate_media(color_scheme="dark")
    found += Axe().run(opened).response["violations"]
    opened.locator("main a.cite").first.click()
    found += Axe().run(opened).response["violations"]
    opened.emulate_media(color_scheme="light")
    found += Axe().run(opened).response["violations"]
    context.close()
    assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in {"serious", "critical"}] == []


def test_nothing_is_wider_than_the_window(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_citation_opens_the_papers_card(page: Any) -> None:
    page.locator("#section-2 ~ p a.cite").first.click()
    card = page.locator("#card")
    assert card.is_visible()
    text = card.inner_text()
    assert "Why it is here. Read it first: cited most. Cited in 2." in text
    assert "“A finding”" in text
    page.keyboard.press("Escape")
    assert not card.is_visible()
    assert page.evaluate("document.activeElement.className") == "cite"


@AT_A_DESK
def test_the_keyboard_alone_opens_a_card(page: Any) -> None:
    page.locator("main a.cite").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#card").is_visible()
    page.locator("#card .close").focus()
    page.keyboard.press("Enter")
    assert not page.locator("#card").is_visible()


def test_tables_sort_and_filter(page: Any) -> None:
    table = page.locator("figure.table").first
    if page.viewport_size["width"] > 640:
        table.get_by_role("button", name="Result").click()
        assert table.locator("th").nth(4).get_attribute("aria-sort") == "ascending"
    else:
        table.get_by_label("Sort by").select_option(label="Result")
    first = table.locator("tbody tr").first
    assert "55.5" in first.inner_text()
    table.get_by_label("Filter").fill("76.5")
    assert table.locator("tbody tr:visible").count() == 1
    assert table.get_by_role("status").inner_text() == "1 of 6 rows"


def test_search_finds_and_leads(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("agree on most")
    found = page.locator("#found")
    assert "2 places" in found.inner_text()
    found.locator("a").first.click()
    assert page.locator(".flash").inner_text().startswith("They agree")


def test_contents_follow_the_reader(page: Any) -> None:
    page.evaluate("document.getElementById('section-3').scrollIntoView()")
    # No `wait_for_function`: the page's policy forbids the evaluation that it repeats, once its first has said no.
    page.locator("#contents [aria-current][href='#section-3']").wait_for(state="attached")


def test_the_map_tells_names_and_opens_cards(page: Any) -> None:
    mark = page.locator("#figure-2 a.to-paper").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert page.locator("#tip").inner_text() == mark.get_attribute("aria-label")
    mark.click()
    assert page.locator("#card").is_visible()
    page.keyboard.press("Escape")
    page.locator("#figure-2 + .legend, #figure-2 .legend").first.get_by_role("button").first.click()
    assert page.locator("#figure-2 g.paper.dim").count() == 6


@AT_A_DESK
def test_arrow_keys_go_from_paper_to_paper(page: Any) -> None:
    page.locator("#figure-2 a.to-paper:not([tabindex])").first.focus()
    before = page.evaluate("document.activeElement.getAttribute('aria-label')")
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        now = page.evaluate("document.activeElement.getAttribute('aria-label')")
        if now != before:
            return
    pytest.fail("no arrow key led to another paper")


@AT_A_DESK
def test_dark_and_light_are_chosen(page: Any) -> None:
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    page.get_by_role("button", name="Light").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_scripts_everything_is_there(browser: Any, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(page_file.as_uri())
    text = opened.content()
    for words in ("At a glance", "Where to start reading", "What this survey does not cover"):
        assert words in text
    assert opened.locator("#figure-2 svg text.paper-name").first.is_visible()
    assert not opened.locator(".search").is_visible()
    opened.locator("main a.cite").first.click()
    assert opened.url.endswith("#ref-1")
    context.close()


@AT_A_DESK
def test_print_leaves_out_what_only_a_screen_needs(page: Any) -> None:
    page.emulate_media(media="print")
    for selector in (".bar", "#contents", ".tools", ".legend"):
        assert not page.locator(selector).first.is_visible()
    assert page.locator("#references").is_visible()


def test_the_policy_allows_this_script_and_style_alone() -> None:
    document = html(full_survey())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', document)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert " style=" not in document
    assert not re.search(r"\son\w+=", document)


def test_a_year_is_never_broken(page: Any) -> None:
    years = page.locator("td.whole").all_text_contents()
    assert years and all(map(str.isdigit, years))
    assert set(page.locator("td.whole").evaluate_all("cells => cells.map(c => getComputedStyle(c).whiteSpace)")) == {
        "nowrap"
    }


def test_words_of_a_summary_are_not_shown_as_the_papers() -> None:
    survey = full_survey()
    key = survey.references[0].key
    told = Claim(f"A tale [@{key}].", (Citation(key, "A tale of it", "summarised", "summary"),))
    section = replace(survey.sections[1], claims=(told,))
    assert "“A tale of it”" not in html(replace(survey, sections=(survey.sections[0], section, *survey.sections[2:])))
