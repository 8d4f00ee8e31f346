r"""LaTeX that stands in titles, names and abstracts, as Unicode text.

What has no counterpart in plain text keeps its words: ``\frac{a}{b}`` is ``a/b``, an unknown command its own name.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", "\"": "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "hat": "\u0302", "widehat": "\u0302", "Hat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303",
    "Tilde": "\u0303", "bar": "\u0304", "overline": "\u0304", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "acute": "\u0301", "grave": "\u0300", "check": "\u030c", "breve": "\u0306",
}  # fmt: skip
"""Commands that set a mark above or below the letter that follows → the combining mark."""

STYLES = frozenset({
    "bm", "boldsymbol", "emph", "ensuremath", "hbox", "mathbb", "mathbf", "mathcal", "mathds", "mathfrak", "mathit",
    "mathrm", "mathscr", "mathsf", "mathtt", "mbox", "operatorname", "pmb", "smash", "text", "textbf", "textit",
    "textrm", "textsc", "textsf", "textsl", "texttt", "textup", "underline", "url",
})  # fmt: skip
"""Commands that only say how their argument looks."""

DROPPED = frozenset({
    "Big", "Bigl", "Bigr", "bb", "begin", "beginenumerate", "beginitemize", "bf", "bfseries", "big", "bigl", "bigr",
    "boldmath", "cal", "centering", "color", "displaystyle", "em", "end", "endenumerate", "enditemize", "it", "itshape",
    "label", "left", "limits", "mleft", "mright", "noindent", "nolimits", "par", "protect", "ref", "right", "rm", "sc",
    "scriptstyle", "sf", "sl", "small", "tiny", "tt",
})  # fmt: skip
"""Commands that leave nothing."""

WITH_ARGUMENT = frozenset({"begin", "color", "end", "label", "ref"})
"""Those of them whose argument goes too."""

WORDS = {
    "ie": "i.e.", "eg": "e.g.", "etal": "et al.", "wrt": "w.r.t.", "iid": "i.i.d.", "item": "•", "eps": "ε",
    "epsilon": "ε", "colon": ":", "textbackslash": " ", "textunderscore": "_", "degree": "°", "choose": " choose ",
    "over": "/", "mod": " mod ", "cdots": "…", "reals": "ℝ", "real": "ℝ", "RR": "ℝ",
}  # fmt: skip
"""Commands that stand for a sign or a word of which pylatexenc's table has none, or another."""

DOUBLE_STRUCK = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
SUPERSCRIPT = dict(zip("0123456789+-=()ni*′⊤°", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ*′ᵀ°", strict=True)) | {"∘": "°", "∗": "*", "⋆": "*"}
SUBSCRIPT = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))

LOST = {
    "mph": "emph", "emph": "emph", "extit": "textit", "textit": "textit", "extbf": "textbf", "textbf": "textbf",
    "exttt": "texttt", "texttt": "texttt", "extsc": "textsc", "textsc": "textsc", "extsl": "textsl",
    "ootnote": "footnote", "footnote": "footnote", "cite": "cite", "citep": "citep", "citet": "citet", "url": "url",
    "href": "href", "mbox": "mbox", "sqrt": "sqrt", "mathbb": "mathbb", "mathcal": "mathcal", "mathrm": "mathrm",
    "oldsymbol": "boldsymbol", "boldsymbol": "boldsymbol", "nquote": "enquote", "enquote": "enquote",
    "underline": "underline",
}  # fmt: skip
"""Commands that lost their backslash, or also the letter that a careless reader of JSON took for an escape."""


MARKUP = re.compile(r"[\\$]|[\^_]\{|\{[\"'`^~]")

DEEPEST = 30
"""Levels of nested arguments that are read; deeper ones stay as they are."""
LONGEST_FORMULA = 600
"""Characters between two dollar signs; more is no formula but two prices."""

_CITES = re.compile(r"(?:cite|Cite)[a-zA-Z]*")
_YEAR_KEY = re.compile(r"([A-Za-z][A-Za-z-]*?)(?:etal)?[_:.-]?((?:19|20)\d\d)[\w:-]*")
_COMMAND = re.compile(r"[A-Za-z]+")

_LOST_COMMAND = re.compile(rf"(?<![\\A-Za-z])({'|'.join(sorted(LOST, key=len, reverse=True))})(?=\{{)")
# A formula set twice, once as text and once as LaTeX: IEEE's records.
_TWICE = re.compile(r"([^$]{3,80}?)\1")


def unicode_text(text: str) -> str:
    """The text with every command, accent and formula of LaTeX as Unicode; braces that are text stay."""
    if "{" not in text and "$" not in text and "\\" not in text:
        return text
    text = text.replace("$ imes$", "×")
    text = _LOST_COMMAND.sub(lambda m: f"\\{LOST[m[1]]}", text)
    if not MARKUP.search(text):
        return text
    if "$" not in text:
        text = _TWICE.sub(lambda m: m[1] if "\\" in m[1] and not m[1].isspace() else m[0], text)
    return _Reader(text).read(0, None, math=False, depth=0)


class _Reader:
    """One pass over a text; a brace without a partner is a character like any other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.partner = _partners(text)

    def read(self, start: int, end: int | None, *, math: bool, depth: int) -> str:
        """The part of the text from ``start`` to ``end`` as Unicode."""
        end = len(self.text) if end is None else end
        if depth > DEEPEST:
            return self.text[start:end]
        parts: list[str] = []
        position = start
        while position < end:
            piece, position = self._piece(position, end, math=math, depth=depth)
            if math and piece[:1].isalpha() and len(piece) > 1 and parts and parts[-1][-1:].isalnum():
                parts.append(" ")  # n\log n
            parts.append(piece)
        return "".join(parts)

    def _piece(self, at: int, end: int, *, math: bool, depth: int) -> tuple[str, int]:
        """What begins at a position, and the position after it."""
        character = self.text[at]
        following = self.text[at + 1] if at + 1 < end else ""
        if character == "\\":
            return self._command(at, end, math=math, depth=depth)
        if character == "$":
            return self._formula(at, end, depth)
        if character in "^_" and (math or following == "{"):
            inner, after = self._argument(at + 1, end, math=True, depth=depth)
            return _script(character, inner), after
        if character == "{" and at in self.partner and (math or following == "\\"):
            close = self.partner[at]
            return self.read(at + 1, close, math=math, depth=depth + 1), close + 1
        if character == "~" and (math or following == "\\"):
            return " ", at + 1
        return character, at + 1

    def _formula(self, at: int, end: int, depth: int) -> tuple[str, int]:
        """``$…$`` and ``$$…$$``; a dollar sign that opens no formula is a price."""
        width = 2 if self.text.startswith("$$", at) else 1
        start = at + width
        close = start
        while close < min(end, start + LONGEST_FORMULA) and self.text[close] != "$":
            close += 2 if self.text[close] == "\\" else 1
        if close >= end or self.text[close : close + 1] != "$" or close == start:
            return self.text[at:start], start
        inner = self.text[start:close]
        after = close + width if self.text.startswith("$" * width, close) else close + 1
        is_markup = "\\" in inner or "^" in inner or "_" in inner
        touching = not inner[0].isspace() and not inner[-1].isspace() and not self.text[after : after + 1].isdigit()
        if not (is_markup or touching):
            return self.text[at:start], start
        return self.read(start, close, math=True, depth=depth + 1).strip(), after

    def _command(self, at: int, end: int, *, math: bool, depth: int) -> tuple[str, int]:
        match = _COMMAND.match(self.text, at + 1, end)
        if match is None:
            return self._sign(at, end, math=math, depth=depth)
        name, after = match[0], match.end()
        if self.text.startswith("*", after) and self.text.startswith("{", after + 1):
            after += 1
        if name in DROPPED:
            return self._drop(name, after, end)
        if name in WORDS:
            return self._word(WORDS[name], after)
        if _CITES.fullmatch(name):
            return self._citation(name, after, end)
        special = self._special(name, after, end, math=math, depth=depth)
        if special is not None:
            return special
        if symbol := _symbols().get(name):
            return self._word(symbol, after)
        return self._unknown(name, after, end, math=math, depth=depth)

    def _sign(self, at: int, end: int, *, math: bool, depth: int) -> tuple[str, int]:
        """A command of one character that is no letter."""
        character = self.text[at + 1] if at + 1 < end else ""
        if character in ACCENTS and not (math and character in "=."):
            inner, after = self._argument(at + 2, end, math=math, depth=depth)
            return (_accent(inner, ACCENTS[character]), after) if inner[:1].isalpha() else (inner, after)
        if character in "([":
            closing = self.text.find("\\)" if character == "(" else "\\]", at + 2, end)
            if closing > 0:
                return self.read(at + 2, closing, math=True, depth=depth + 1).strip(), closing + 2
        if character in " \\,;:\n":
            return " ", at + 2
        return {"!": "", "-": "", "/": "", "(": "", ")": "", "[": "", "]": "", "|": "‖"}.get(
            character, character
        ), at + 2

    def _drop(self, name: str, after: int, end: int) -> tuple[str, int]:
        if name in WITH_ARGUMENT and after < end and after in self.partner:
            after = self.partner[after] + 1
        elif name in {"left", "right"} and self.text.startswith(".", after):
            after += 1
        return "", after if self.text[after : after + 1] != " " else after + 1

    def _word(self, word: str, after: int) -> tuple[str, int]:
        """A symbol or word; an empty group that only ends the command's name goes."""
        return word, after + 2 if self.text.startswith("{}", after) else after

    def _special(self, name: str, after: int, end: int, *, math: bool, depth: int) -> tuple[str, int] | None:
        def argument(at: int) -> tuple[str, int]:
            return self._argument(at, end, math=math or name not in {"href", "footnote"}, depth=depth)

        if name in STYLES:
            in_math = math and not name.startswith("text")
            inner, after = self._argument(after, end, math=in_math, depth=depth)
            return (DOUBLE_STRUCK.get(inner, inner) if name in {"mathbb", "mathds"} else inner), after
        if name in ACCENTS and (len(name) > 1 or self.text[after : after + 1] in {"{", " "}):
            inner, after = argument(after)
            return (_accent(inner, ACCENTS[name]) if len(inner) == 1 else inner), after
        if name in {"frac", "tfrac", "dfrac", "nicefrac", "sfrac", "binom"}:
            (above, middle) = argument(after)
            below, after = argument(middle)
            between = " choose " if name == "binom" else "/"
            written = f"{_parenthesize(above)}{between}{_parenthesize(below)}"
            # 1/n times L, not 1/(nL)
            return (f"({written})" if self.text[after : after + 1].isalnum() else written), after
        if name == "sqrt":
            inner, after = argument(after)
            return f"√{_parenthesize(inner)}", after
        return self._read_quote_or_link(name, after, end, depth)

    def _read_quote_or_link(self, name: str, after: int, end: int, depth: int) -> tuple[str, int] | None:
        def argument(at: int) -> tuple[str, int]:
            return self._argument(at, end, math=False, depth=depth)

        if name == "href":
            address, middle = argument(after)
            label, after = argument(middle)
            return (address if label in {"", address} else f"{label} ({address})"), after
        if name in {"textsuperscript", "textsubscript"}:
            inner, after = argument(after)
            return _script("^" if name == "textsuperscript" else "_", inner), after
        if name == "textcolor":
            _, middle = argument(after)
            return argument(middle)
        if name in {"footnote", "thanks"}:
            inner, after = argument(after)
            return (f" ({inner.strip()})" if inner.strip() else ""), after
        if name == "enquote":
            inner, after = argument(after)
            return f"“{inner}”", after
        return None

    def _unknown(self, name: str, after: int, end: int, *, math: bool, depth: int) -> tuple[str, int]:
        r"""A command nobody knows: its argument, else its name; ``\\emphword`` is a style that lost its braces."""
        glued = next(
            (name[:-i] for i in range(1, len(name) - 3) if name[:-i] in STYLES | ACCENTS.keys() | {"sqrt"}), ""
        )
        if glued:
            rest = name[len(glued) :]
            return {"sqrt": f"√{rest}", "mathbb": DOUBLE_STRUCK.get(rest, rest)}.get(glued, rest), after
        if after in self.partner and after < end:
            inner, after = self._argument(after, end, math=math, depth=depth)
            return (f"{name}({inner})" if math and inner else inner or name), after
        return name, after

    def _citation(self, name: str, after: int, end: int) -> tuple[str, int]:
        """Authors and years as far as the keys tell them."""
        while self.text.startswith("[", after) and (close := self.text.find("]", after, end)) > 0:
            after = close + 1
        if after >= end or after not in self.partner:
            return "", after
        keys = [key.strip() for key in self.text[after + 1 : self.partner[after]].split(",")]
        told = [(m[1][:1].upper() + m[1][1:], m[2]) if (m := _YEAR_KEY.fullmatch(key)) else (key, "") for key in keys]
        after = self.partner[after] + 1
        if name.lower().startswith(("citet", "citeauthor")):
            return ", ".join(f"{who} ({year})" if year else who for who, year in told), after
        known = "; ".join(f"{who} {year}" for who, year in told if year)
        return (f" ({known})" if known else ""), after

    def _argument(self, at: int, end: int, *, math: bool, depth: int) -> tuple[str, int]:
        """The group, command or character that follows; empty at the end of the text."""
        while at < end and self.text[at] == " ":
            at += 1
        if at >= end:
            return "", at
        if at in self.partner:
            close = min(self.partner[at], end)
            return self.read(at + 1, close, math=math, depth=depth + 1), close + 1
        if depth > DEEPEST:
            return self.text[at], at + 1
        return self._piece(at, end, math=math, depth=depth + 1)


def _partners(text: str) -> dict[int, int]:
    """The place of each opening brace → that of the brace which closes it."""
    partner: dict[int, int] = {}
    opened: list[int] = []
    position = 0
    while position < len(text):
        if text[position] == "\\":
            position += 2
            continue
        if text[position] == "{":
            opened.append(position)
        elif text[position] == "}" and opened:
            partner[opened.pop()] = position
        position += 1
    return partner


def _accent(text: str, mark: str) -> str:
    """The first letter with the mark; dotless i and j get their dot back under it."""
    first = {"ı": "i", "ȷ": "j"}.get(text[:1], text[:1])
    return unicodedata.normalize("NFC", first + mark + text[1:])


def _script(kind: str, inner: str) -> str:
    """``x²`` and ``x₂`` where Unicode has the characters, else ``x^(a/b)``."""
    letters = SUPERSCRIPT if kind == "^" else SUBSCRIPT
    compact = inner.replace(" ", "").replace("−", "-")
    if compact and all(ch in letters for ch in compact):
        return "".join(letters[ch] for ch in compact)
    if not inner:
        return ""
    return f"{kind}{inner}" if len(inner) == 1 or re.fullmatch(r"[\w.]+", inner) else f"{kind}({inner})"


def _parenthesize(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+|\W", text) else f"({text})"


@cache
def _symbols() -> dict[str, str]:
    """Commands without arguments → their characters, from pylatexenc's table."""
    # Imported here because only texts with commands need it.
    from pylatexenc.latex2text import get_default_latex_context_db

    found: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        replacement = spec.simplify_repl
        if isinstance(replacement, str) and replacement and "%" not in replacement:
            found.setdefault(spec.macroname, replacement)
    return found
