r"""LaTeX that stands in titles, names and abstracts, as Unicode text, read from the innermost command outwards.

What has no counterpart in plain text keeps its words: ``\frac{a}{b}`` is ``a/b``, an unknown command its own name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, partial

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", "\"": "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "hat": "\u0302", "widehat": "\u0302", "Hat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303",
    "Tilde": "\u0303", "bar": "\u0304", "overline": "\u0304", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308",
    "acute": "\u0301", "grave": "\u0300", "check": "\u030c", "breve": "\u0306",
}  # fmt: skip
"""Commands that set a mark above or below the letter that follows → the combining mark."""

STYLES = {
    "bm", "boldsymbol", "emph", "ensuremath", "hbox", "mathbb", "mathbf", "mathcal", "mathds", "mathfrak", "mathit",
    "mathrm", "mathscr", "mathsf", "mathtt", "mbox", "operatorname", "pmb", "smash", "text", "textbf", "textit",
    "textrm", "textsc", "textsf", "textsl", "texttt", "textup", "underline", "url",
}  # fmt: skip
"""Commands that only say how their argument looks."""

DROPPED = {
    "Big", "Bigl", "Bigr", "bb", "beginenumerate", "beginitemize", "bf", "bfseries", "big", "bigl", "bigr",
    "boldmath", "cal", "centering", "displaystyle", "em", "endenumerate", "enditemize", "it", "itshape", "left",
    "limits", "mleft", "mright", "noindent", "nolimits", "par", "protect", "right", "rm", "sc", "scriptstyle", "sf",
    "sl", "small", "tiny", "tt",
}  # fmt: skip
"""Commands that leave nothing."""

WORDS = {
    "ie": "i.e.", "eg": "e.g.", "etal": "et al.", "wrt": "w.r.t.", "iid": "i.i.d.", "item": "•", "eps": "ε",
    "epsilon": "ε", "colon": ":", "textbackslash": " ", "textunderscore": "_", "degree": "°", "choose": " choose ",
    "over": "/", "mod": " mod ", "cdots": "…", "reals": "ℝ", "real": "ℝ", "RR": "ℝ",
    "textless": "<", "textgreater": ">", "textbar": "|", "textminus": "−",
}  # fmt: skip
"""Commands that stand for a sign or a word of which pylatexenc's table has none, or another."""

DOUBLE_STRUCK = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
SUPERSCRIPT = dict(zip("0123456789+-=()ni*′⊤°", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ*′ᵀ°", strict=True)) | {"∘": "°", "∗": "*", "⋆": "*"}
SUBSCRIPT = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))

DEEPEST = 30
"""Levels of nested arguments that are read; what is around them stays as it is."""

_HIDDEN = str.maketrans("{}$^_", "\ue000\ue001\ue002\ue003\ue004")
_COMMAND_FIRST, _WORD, _OPENS, _CLOSES = "\ue005\ue006\ue007\ue008"
_SHOWN = str.maketrans("\ue000\ue001\ue002\ue003\ue004", "{}$^_", "\ue005\ue006\ue007\ue008\\")
"""While a text is read, characters for those that are no markup, and four marks: of a group that begins with a
command, of a word in a formula (which is not joined to the one before), of a formula's beginning and end."""

_SIGNS = {
    **dict.fromkeys(" \\,;:\n", " "), **dict.fromkeys(["!", "-", "/", ""], ""), **dict.fromkeys("([", _OPENS),
    **dict.fromkeys(")]", _CLOSES), "|": "‖",
}  # fmt: skip
"""What a backslash and one character stand for; with any other it is the character."""

_LOST = {
    spelt: name
    for name in (*STYLES, "footnote", "cite", "citep", "citet", "href", "sqrt", "enquote")
    for spelt in ((name, name[1:]) if name[0] in "befnrt" and len(name) > 3 else (name,))
}
"""Commands that lost their backslash, or also the letter that a careless reader of JSON took for an escape."""


def _any_of(names: Iterable[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_LOST_COMMAND = re.compile(rf"(?<![\\A-Za-z])({_any_of(_LOST)})(?=\{{)")
_MARKUP = re.compile(r"[\\$]|[\^_]\{|\{[\"'`^~]")
# A formula set twice, once as text and once as LaTeX: IEEE's records; a logarithm of a logarithm is none.
_TWICE = re.compile(r"(?<!\\)(?!\s*\\(?:exp|ln|log)\b)([^$]{3,80}?)\1")
_SIGN = re.compile(r"\\([^A-Za-z'\"`^~=.]|$)")
# A dollar sign that opens no formula is a price.
_FORMULA = re.compile(
    rf"(\$\$?)(?:([^$\s](?:[^$]{{0,598}}[^$\s])?)\1(?!\d)|([^$]{{0,300}}[\\^_][^$]{{0,300}})\1)|"
    rf"{_OPENS}(.{{1,600}}?){_CLOSES}"
)
_NAME = re.compile(r"\\([A-Za-z]++)(\*(?=\{)|\{\}| )?")
_ALONE = re.compile(r"\\([A-Za-z]++)(?!\s*(?:\[[^\[\]{}]*\])*\{)")
_TAKING = {*STYLES, *(n for n in ACCENTS if len(n) > 1), "sqrt", "textcolor", "textsubscript", "textsuperscript"}
_UNBRACED = re.compile(
    rf"\\((?>{_any_of(_TAKING)}))(?:(?<=[A-Za-z]{{4}})|(?![A-Za-z]))\s*(?:{_WORD}([A-Za-z]+)|([^\W_]))"
    r"|\\([uvHckrd]\s|['\"`^~=.])\s*([^\W\d_])"
)
_SCRIPT = re.compile(r"([\^_])\s*([^\s{}\\^_])")
_ARGUMENT = rf"\s*(\{{[^{{}}\\]*\}}|{_WORD}[A-Za-z]+|[^\W_])"
_PAIRS = ("frac", "dfrac", "sfrac", "tfrac", "nicefrac", "binom", "href", "textcolor")
_PAIR = re.compile(rf"\\({_any_of(_PAIRS)}){_ARGUMENT}{_ARGUMENT}")
_GROUP = re.compile(
    r"(?:\\(?P<name>[A-Za-z]++|['\"`^~=.])\s*(?P<options>(?:\[[^\[\]{}]*\])*)|(?P<script>[\^_])|(?<!\}))"
    r"\{(?P<inner>[^{}\\]*)\}"
)
_YEAR_KEY = re.compile(r"([A-Za-z][A-Za-z-]*?)(?:etal)?[_:.-]?((?:19|20)\d\d)[\w:-]*")


def unicode_text(text: str) -> str:
    """The text with every command, accent and formula of LaTeX as Unicode; braces that are text stay."""
    if "{" not in text and "$" not in text and "\\" not in text:
        return text
    text = text.replace("$ imes$", "×")  # the beginning of \times taken for a tabulator
    text = _LOST_COMMAND.sub(lambda m: f"\\{_LOST[m[1]]}", text)
    if not _MARKUP.search(text):
        return text
    if "$" not in text:
        text = _TWICE.sub(lambda m: m[1] if "\\" in m[1] and not m[1].isspace() else m[0], text)
    text = _SIGN.sub(lambda m: _SIGNS.get(m[1], m[1].translate(_HIDDEN)), text)
    text = _FORMULA.sub(lambda m: _read(m[2] or m[3] or m[4], word=_WORD), text)
    return _read(text.replace("~\\", " \\"), word="").translate(_SHOWN)


def _read(text: str, *, word: str) -> str:
    """A formula, where ``word`` is its mark, or the text around formulas; what is hidden stays hidden."""
    text = _NAME.sub(partial(_read_name, word=word), text.replace("{\\", f"{{{_COMMAND_FIRST}\\"))
    for _ in range(DEEPEST):
        before = text
        text = _UNBRACED.sub(lambda m: f"\\{(m[1] or m[4]).strip()}{{{m[m.lastindex or 0]}}}", text)
        text = _SCRIPT.sub(r"\1{\2}", text) if word else text
        text = _GROUP.sub(partial(_read_group, word=word), _PAIR.sub(_read_pair, text))
        if text == before:
            text = _ALONE.sub(lambda m: _put(_name_alone(m[1]), m, word), text)
            if text == before:
                break
    text = _NAME.sub(lambda m: _name_alone(m[1]), text)
    if not word:
        return text
    text = re.sub(rf"(?<=[^\W_]){_WORD}", " ", text)  # n\log n
    return text.translate(str.maketrans("~", " ", f"{{}}{_WORD}")).strip().translate(_HIDDEN)


def _name_alone(name: str) -> str:
    """What a command says whose argument is missing, or that nobody knows."""
    return "√" if name == "sqrt" else "" if name in _TAKING or name.lower().startswith("cite") else name


def _read_name(match: re.Match[str], *, word: str) -> str:
    """A command that needs no argument; others stay for now."""
    name, after = match[1], match[2] or ""
    if name in DROPPED:
        return _COMMAND_FIRST
    if symbol := WORDS.get(name) or _symbols().get(name):
        is_letter = len(symbol) == 1 and unicodedata.name(symbol, "").startswith("LATIN ")  # S\o rensen is one word
        return _put(symbol, match, word) + ("" if is_letter else after.strip("{}"))
    return f"\\{name}{after.strip('*')}"


def _put(text: str, match: re.Match[str], word: str) -> str:
    """What stands for a command: in a formula one script as a whole, and a word of its own."""
    if match.start() and match.string[match.start() - 1] in "^_":
        return f"{{{text}}}"
    return f"{word}{text}" if len(text) > 1 and text[0].isalpha() else text


def _strip(argument: str) -> str:
    return argument.strip("{}").replace(_COMMAND_FIRST, "").lstrip(_WORD)


def _read_pair(match: re.Match[str]) -> str:
    name, first, second = match[1], _strip(match[2]), _strip(match[3])
    if name == "textcolor":
        return second
    if name == "href":
        return first if second in {"", first} else f"{second} ({first})"
    written = f"{_parenthesize(first)}{' choose ' if name == 'binom' else '/'}{_parenthesize(second)}"
    # 1/n times L, not 1/(nL)
    return _put(f"({written})" if match.string[match.end() :][:1].isalnum() else written, match, "")


def _read_group(match: re.Match[str], *, word: str) -> str:
    name, inner = match["name"], _strip(match["inner"])
    if match["script"]:
        return _read_script(match["script"], inner)
    if name is None:
        return inner if word or match["inner"].startswith(_COMMAND_FIRST) else f"{{{inner}}}".translate(_HIDDEN)
    if name in _PAIRS:
        return match[0]  # its second argument is not read yet
    if name == "sqrt":
        return _put(f"{_read_script('^', match['options'].strip('[]'))}√{_parenthesize(inner)}", match, word)
    return _put(_read_argument(name, inner, math=bool(word)), match, word)


def _read_argument(name: str, inner: str, *, math: bool) -> str:
    if name in ACCENTS:
        return _accent(inner, ACCENTS[name]) if len(inner) == 1 or (len(name) == 1 and inner[:1].isalpha()) else inner
    if name.lower().startswith("cite"):
        return _read_citation(name, inner)
    match name:
        case "begin" | "color" | "end" | "label" | "ref":
            return ""
        case "mathbb" | "mathds":
            return DOUBLE_STRUCK.get(inner, inner)
        case "textsuperscript" | "textsubscript":
            return _read_script("^" if name == "textsuperscript" else "_", inner)
        case "footnote" | "thanks":
            return f" ({inner.strip()})" if inner.strip() else ""
        case "enquote":
            return f"“{inner}”"
    return inner if name in STYLES else f"{name}({inner})" if math and inner else inner or name


def _read_citation(name: str, inner: str) -> str:
    """Authors and years as far as the keys tell them."""
    keys = [key.strip() for key in inner.translate(_SHOWN).split(",")]
    told = [(m[1][:1].upper() + m[1][1:], m[2]) if (m := _YEAR_KEY.fullmatch(key)) else (key, "") for key in keys]
    if name.lower().startswith(("citet", "citeauthor")):
        return ", ".join(f"{who} ({year})" if year else who for who, year in told)
    known = "; ".join(f"{who} {year}" for who, year in told if year)
    return f" ({known})" if known else ""


def _accent(text: str, mark: str) -> str:
    """The first letter with the mark; dotless i and j get their dot back under it."""
    first = {"ı": "i", "ȷ": "j"}.get(text[:1], text[:1])
    return unicodedata.normalize("NFC", first + mark + text[1:])


def _read_script(kind: str, inner: str) -> str:
    """``x²`` and ``x₂`` where Unicode has the characters, else ``x^(a/b)``."""
    letters = SUPERSCRIPT if kind == "^" else SUBSCRIPT
    compact = inner.replace(" ", "").replace("−", "-")
    if compact and all(ch in letters for ch in compact):
        return "".join(letters[ch] for ch in compact)
    kind = kind.translate(_HIDDEN)
    return f"{kind}{_parenthesize(inner)}" if inner else ""


def _parenthesize(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+|.", text) else f"({text})"


@cache
def _symbols() -> dict[str, str]:
    """Commands without arguments → their characters, from pylatexenc's table."""
    # Imported here because only texts with commands need it.
    from pylatexenc.latex2text import get_default_latex_context_db

    found: dict[str, str] = {}
    for spec in get_default_latex_context_db().iter_macro_specs():
        replacement = spec.simplify_repl
        if isinstance(replacement, str) and replacement and not re.search(r"%|<\w", replacement):
            found.setdefault(spec.macroname, replacement)
    return found
