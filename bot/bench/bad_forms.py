"""Forms that models put around and into what they were asked for, to be planted on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.values import Paper


@dataclass(frozen=True, slots=True)
class BadForm:
    """A form around or inside a true sentence: ``write`` gives the answer, ``trace`` what must not be left of it."""

    name: str
    write: Callable[[str, Paper, Sequence[Paper]], str]
    trace: str


def _plain(text: str, paper: Paper) -> str:
    return f"{text.rstrip('.')} [@{paper.key}]."


def _around(before: str, after: str = "") -> Callable[[str, Paper, Sequence[Paper]], str]:
    return lambda text, paper, _: f"{before}{_plain(text, paper)}{after}"


def _cites(form: str) -> Callable[[str, Paper, Sequence[Paper]], str]:
    def write(text: str, paper: Paper, papers: Sequence[Paper]) -> str:
        number = next(i for i, p in enumerate(papers, start=1) if p.key == paper.key)
        cited = form.format(key=paper.key, KEY=paper.key.upper(), title=paper.title, number=number)
        return f"{text.rstrip('.')} {cited}."

    return write


def _after_stop(text: str, paper: Paper, _: Sequence[Paper]) -> str:
    return f"{text.rstrip('.')}. [@{paper.key}]"


def _raised(text: str, paper: Paper, papers: Sequence[Paper]) -> str:
    number = next(i for i, p in enumerate(papers, start=1) if p.key == paper.key)
    return f"{text.rstrip('.')}{str(number).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}."


def _near_title(text: str, paper: Paper, _: Sequence[Paper]) -> str:
    return f"{text.rstrip('.')} [{paper.title}s]."


def _beside_author(text: str, paper: Paper, _: Sequence[Paper]) -> str:
    name = paper.authors[0].split()[-1] if paper.authors else "Doe"
    return f"{text.rstrip('.')} ({name} et al., {paper.year}) [@{paper.key}]."


def _with_items(text: str, paper: Paper, _: Sequence[Paper]) -> str:
    return json.dumps([{"sentence": text, "citations": [paper.key]}])


def _invisibly(text: str, paper: Paper, _: Sequence[Paper]) -> str:
    return _plain(text.replace(" ", " \u200b", 2), paper)


BAD_FORMS: tuple[BadForm, ...] = (
    BadForm("a key after the full stop", _after_stop, r"\.\s*\[@"),
    BadForm("keys side by side", _cites("[@{key}][@{key}]"), r"\]\s*\[@"),
    BadForm("keys divided by commas", _cites("[@{key}, @{key}]"), r"\[@[^\]]*,"),
    BadForm("a key in parentheses", _cites("(@{key})"), r"\(@"),
    BadForm("a key in other brackets", _cites("【@{key}】"), "【"),
    BadForm("a key in capitals", _cites("[@{KEY}]"), r"\[@[A-Z]{4}"),
    BadForm("a key without its sign", _cites("[{key}]"), r"\[(?!@)"),
    BadForm("a title for a key", _cites("[{title}]"), r"\[(?!@)"),
    BadForm("a near-title for a key", _near_title, r"\[(?!@)"),
    BadForm("a number for a key", _cites("[{number}]"), r"\[\d"),
    BadForm("a place in a search", _cites("[@{key}]【4:0†source】"), "【|†"),
    BadForm("a raised number", _raised, "[⁰¹²³⁴⁵⁶⁷⁸⁹]"),
    BadForm("a numbered paper for a key", _cites("(Paper {number})"), r"Paper \d"),
    BadForm("a key in angle brackets", _cites("<@{key}>"), "<@"),
    BadForm("an escaped key", _cites(r"\[@{key}\]"), r"\\"),
    BadForm("an author left open", _cites("(Author, Year) [@{key}]"), "Author, Year"),
    BadForm("a source on a line below", lambda t, p, _: f"{t.rstrip('.')}.\n\nSources: [@{p.key}]", "Sources"),
    BadForm("LaTeX for a key", _cites(r"\citep{{{key}}}"), r"\\cite"),
    BadForm("an opening", _around("Certainly! Here is the subsection you asked for:\n\n"), "Certainly|Here is"),
    BadForm("a closing", _around("", "\n\nI hope this helps! Let me know if you need more."), "hope|Let me know"),
    BadForm("a word count", _around("", "\n\n(Word count: 712)"), "712|ord count"),
    BadForm("thoughts", _around("<think>The user wants prose. I plan.</think>\n"), "think|I plan"),
    BadForm("tokens of the chat", _around("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"), r"<\|"),
    BadForm(
        "channels",
        _around("<|channel|>analysis<|message|>We plan.<|end|><|channel|>final<|message|>"),
        r"We plan|channel",
    ),
    BadForm("a speaker", _around("Assistant: "), "Assistant"),
    BadForm("a call of a tool", _around('<tool_call>{"name": "find"}</tool_call>\n'), r'tool_call|"find"|\{'),
    BadForm("JSON of sentences", _with_items, r"[{}]|citations"),
    BadForm("a tag of its own", _around("<reply>\n<title>Methods</title>\n", "\n</reply>"), "<|Methods"),
    BadForm("LaTeX", _around("\\subsection{Methods}\n\\noindent "), r"\\|Methods"),
    BadForm("invisible characters", _invisibly, "\u200b"),
    BadForm("written line breaks", _around(r"\n\n", r"\n"), r"\\n"),
    BadForm("pictures", _around("🔍 ", " ✅"), "🔍|✅"),
    BadForm("a code fence", _around("```markdown\n", "\n```"), "```|markdown"),
    BadForm("a heading", _around("### 2.1 Overview of Methods\n\n"), "Overview of Methods"),
    BadForm("a numbered heading", _around("3. Closing Words\n\n"), "Closing Words"),
    BadForm("a key in a heading", lambda t, p, _: f"### Key Ideas [@{p.key}]\n\n{_plain(t, p)}", "Key Ideas|#"),
    BadForm(
        "a refusal", _around("As an AI language model, I cannot open these papers.\n\n"), "AI language|cannot open"
    ),
    BadForm("a place left open", lambda t, p, _: f"{t.rstrip('.')} [insert citation] [@{p.key}].", "insert|citation"),
    BadForm("a note below", lambda t, p, _: f"{t.rstrip('.')}[^1] [@{p.key}].\n\n[^1]: See the paper.", r"\^|See the"),
    BadForm("HTML", lambda t, p, _: f"<p>{t.rstrip('.')} <sup>[@{p.key}]</sup>.</p>", r"<|sup>"),
    BadForm("an author and year beside the key", _beside_author, r"\(\w+ et al"),
    BadForm("a link", lambda t, p, _: f"{t.rstrip('.')} [@{p.key}]([link](https://example.org/a)).", r"\]\(|https?"),
    BadForm("a line across", _around("---\n\n", "\n\n---"), "---"),
    BadForm("a heading in bold", _around("**Key Ideas**\n\n"), "Key Ideas"),
    BadForm("a list item", _around("- "), r"(?:^|\n)- "),
    BadForm("a list of references", _around("", "\n\nReferences\n\n[1] Doe, J. A Paper. 2020."), "Doe|References"),
    BadForm("emphasis", lambda t, p, _: _plain(f"**{t.split(' ')[0]}** {' '.join(t.split(' ')[1:])}", p), r"\*\*"),
    BadForm(
        "an entity",
        lambda t, p, _: _plain(t.replace(" and ", " &amp; and ", 1).replace("&amp; and", "&#97;nd"), p),
        "&#",
    ),
)
