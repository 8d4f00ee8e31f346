"""Answers of the simulated service to the requests of quick reviews, and of outlines from groups."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from tests.stand_ins.simulated_surveyx import read_papers

_PAPER = re.compile(r'<paper key="[^"]+">\n(.*)\n((?:.*\n)*?)</paper>')
"""Title and numbered sentences of a paper in a prompt."""

_ENTRY = re.compile(r'<paper key="([^"]+)">\n(.*)\n')


def scope(prompt: str) -> dict[str, Any]:
    """Three questions and queries made of the request's own words."""
    request = _request(prompt)
    words = [w for w in re.findall(r"[\w-]{4,}", request) if w.lower() not in _ASKING] or [request]
    return {
        "title": f"{request[:1].upper()}{request[1:].rstrip('?')}: What Is Known",
        "questions": [
            f"What do studies find about {' '.join(words)}?",
            f"Which methods do studies of {words[0]} use?",
            f"What remains open about {words[-1]}?",
        ],
        "queries": [
            {"groups": [[" ".join(words)]]},
            {"groups": [[word] for word in words[:2]]},
            {"groups": [words[:3]]},
        ],
        "first_year": None,
        "last_year": None,
        "kinds": [],
        "fields": [],
        "life_sciences": bool(re.search(r"patient|disease|clinical|insulin|cancer", request, re.I)),
    }


_QUESTION_WORDS = re.compile(r"^(?:(?:how|what|which|why|when|where|who|does|do|did|is|are|can|the)\s+)+", re.I)
_ASKING = frozenset(("what", "which", "does", "about", "with", "from", "that", "have", "this", "between", "compare"))


def other_queries(prompt: str) -> dict[str, Any]:
    """The words of the request one by one."""
    words = [w for w in re.findall(r"[\w-]{4,}", _request(prompt)) if w.lower() not in _ASKING]
    return {"queries": [{"groups": [[word]]} for word in words[-3:] or ["method"]]}


def studies(prompt: str) -> dict[str, Any]:
    """What each of the papers in the prompt says."""
    return {"studies": [_study(key, title, said) for key, title, said in read_papers(prompt)]}


def _study(key: str, title: str, said: str) -> dict[str, Any]:
    """Every ninth study, by the length of its title, is not relevant; the others say what their abstracts say."""
    abstract = " ".join(re.sub(r"^\d+\. ", "", line) for line in said.splitlines())
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s+", abstract) if s.strip()] or [title]
    if len(title.rpartition(" (")[0] or title) % 9 == 0:
        why = "It shares words with the questions, but studies something else."
        nothing = dict.fromkeys(("argument", "insight", "limitation", "figures", "summary"), "")
        return {"key": key, "reason": why, "relevant": False, "questions": [], "evidence": "other", **nothing}
    return {
        "key": key,
        "reason": "It speaks to question 1 directly and to question 3 in passing.",
        "relevant": True,
        "questions": [1, 3],
        "evidence": "experiment",
        "argument": sentences[0],
        "insight": sentences[len(sentences) // 2],
        "limitation": sentences[-1],
        "figures": "; ".join(re.findall(r"\d+(?:\.\d+)? (?:percent|points|%)", abstract)[:2]),
        "summary": " ".join(" ".join(sentences).split()[:75]),
    }


def conclusions(prompt: str) -> dict[str, Any]:
    """One conclusion for each of the first papers, supported by it and the next."""
    papers = [(key, html.unescape(title)) for key, title in _ENTRY.findall(prompt)]
    drawn = [
        {
            "statement": f"Work on {_take_beginning(title)} bears on the question",
            "papers": [key, *(other for other, _ in papers[i + 1 : i + 2])],
            "otherwise": "",
            "others": [],
        }
        for i, (key, title) in enumerate(papers[:4])
    ]
    request = _QUESTION_WORDS.sub("", _request(prompt)).strip(" ?")
    return {
        "conclusions": drawn or [{"statement": "Nothing is known", "papers": []}],
        "follow_up": [
            f"How does {request} depend on the data that was used?",
            f"Which studies contradict one another on {request}?",
            f"What has changed in {request} over the last years?",
        ],
    }


def propose_heading(prompt: str) -> dict[str, Any]:
    """A heading of the group's first terms, and subsections named after its papers."""
    terms = [t.strip() for t in _find(r"Its terms, .*?: (.+)", prompt).split(",") if t.strip()] or ["Work"]
    titles = [_take_beginning(html.unescape(t)) for _, t in _ENTRY.findall(prompt)]
    parts = int(_find(r"covers; (\d+) subsections", prompt) or "2")
    step = max(1, len(titles) // parts)
    chosen = list(dict.fromkeys(titles[::step]))[:parts] or ["Overview"]
    return {
        "title": " and ".join(t.title() for t in terms[:2]),
        "description": f"It covers {', '.join(terms[:4])}.",
        "subsections": [{"title": t, "description": f"It says what is known of {t}."} for t in chosen],
    }


def order(prompt: str) -> dict[str, Any]:
    """The largest first, as they stand."""
    numbers = [int(n) for n in re.findall(r"^(\d+) ", prompt, re.M)]
    return {"order": list(dict.fromkeys(numbers)), "renamed": []}


def parts(prompt: str) -> dict[str, Any]:
    """Three subsections that share the references."""
    section = html.unescape(_find(r"Divide section \d+, “(.+?)”", prompt))
    keys = re.findall(r'<paper key="([^"]+)">', prompt)
    start = sum(map(ord, section)) % max(1, len(keys))
    turned = keys[start:] + keys[:start]
    titles = ("Foundations", "Methods", "Results")
    return {
        "subsections": [
            {"title": f"{title} of {section}", "description": f"{title} of it.", "papers": turned[i : i + 30 : 3]}
            for i, title in enumerate(titles)
        ]
    }


def frame(prompt: str) -> dict[str, Any]:
    """Two paragraphs about the survey itself."""
    topic = html.unescape(_find(r"The survey is about: (.+)", prompt))
    return {
        "abstract": f"This survey follows the literature on {topic} from its foundations to its results.",
        "summary": f"The sections have followed {topic}; what they leave open is for further work.",
    }


def retell(prompt: str) -> str:
    """The first cited sentences of the draft in a prompt; empty where it has none."""
    draft = html.unescape(prompt.split("<draft>")[-1].split("</draft>")[0])
    cited = [line.strip() for line in draft.split("\n") if "[@" in line]
    return " ".join(cited[:6])


def _find(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""


def _take_beginning(title: str) -> str:
    return " ".join(re.findall(r"[\w-]+", title)[:5])


def _request(prompt: str) -> str:
    found = re.search(r"<request>\n(.+?)\n</request>", prompt, re.S) or re.search(r"The request: (.+)", prompt)
    return html.unescape(found[1]).strip() if found else "the topic"


ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "ScopeAnswer": scope,
    "QueriesAnswer": other_queries,
    "StudiesAnswer": studies,
    "ConclusionsAnswer": conclusions,
    "HeadingAnswer": propose_heading,
    "OrderAnswer": order,
    "TitleAnswer": lambda prompt: {"title": f"A Survey of {_find(r'The survey is about: (.+)', prompt)}"},
    "PartsAnswer[PartAnswer]": parts,
    "FrameAnswer": frame,
}
