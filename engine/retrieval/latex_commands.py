"""The commands of LaTeX that abstracts hold, and what each of them is in plain text."""

from __future__ import annotations

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
    "mathrm", "mathscr", "mathsf", "mathtt", "mbox", "operatorname", "path", "pmb", "smash", "text", "textbf", "textit",
    "textmd", "textnormal", "textrm", "textsc", "textsf", "textsl", "texttt", "textup", "title", "uline", "underline",
    "url",
})  # fmt: skip
"""Commands that only say how their argument looks."""

DROPPED = frozenset({
    "Big", "Bigg", "Bigl", "Bigr", "Large", "bb", "begin", "beginenumerate", "beginitemize", "bf", "bfseries", "big",
    "bigg", "bigl", "bigr", "boldmath", "cal", "centering", "color", "displaystyle", "em", "end", "endenumerate",
    "enditemize", "eqref", "footnotemark", "footnotesize", "hspace", "it", "itshape", "label", "large", "left",
    "limits", "linebreak", "maketitle", "middle", "mleft", "mright", "newline", "noindent", "nolimits", "normalsize",
    "pageref", "par", "protect", "ref", "right", "rm", "sc", "scriptstyle", "sf", "sl", "small", "textstyle", "tiny",
    "tt", "ttfamily", "unboldmath", "vspace", "xspace",
})  # fmt: skip
"""Commands that leave nothing."""

WITH_ARGUMENT = frozenset({
    "begin", "color", "end", "eqref", "hspace", "label", "pageref", "ref", "vspace",
})  # fmt: skip
"""Those of them whose argument goes too."""

WORDS = {
    "ie": "i.e.", "eg": "e.g.", "etal": "et al.", "wrt": "w.r.t.", "iid": "i.i.d.", "item": "•", "quad": " ",
    "qquad": " ", "eps": "ε", "epsilon": "ε", "top": "⊤", "vert": "|", "Vert": "‖", "lvert": "|", "rvert": "|",
    "colon": ":", "textasciitilde": "~", "textbackslash": " ", "choose": " choose ", "over": "/", "mod": " mod ",
    "dotsc": "…", "dots": "…", "ldots": "…", "cdots": "…", "mid": "|", "reals": "ℝ", "real": "ℝ", "RR": "ℝ",
    "textmu": "µ", "texttimes": "×", "textemdash": "—", "textendash": "–", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textregistered": "®", "texttrademark": "™", "degree": "°",
    "textdegree": "°", "textasciicircum": "^", "textunderscore": "_", "ss": "ß", "arg": "arg",
}  # fmt: skip
"""Commands that stand for a sign or a word, beside those in pylatexenc's table."""

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
