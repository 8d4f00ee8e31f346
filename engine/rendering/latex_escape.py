"""Text made literal for LaTeX and BibTeX: no character of it is a command."""

from __future__ import annotations

import re
import unicodedata

from pylatexenc.latexencode import unicode_to_latex

from engine.text import clean

# Braces become commands, since BibTeX counts even escaped ones; -- would become one dash.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "-": "-{}",
}  # fmt: skip
_MARKS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d", "\u0327": "c", "\u0328": "k",
}  # fmt: skip
# Where every command of pylatexenc's table is known to LaTeX with textcomp and amssymb, but for those in _UNKNOWN.
_RANGES = (
    (0xA0, 0x17F), (0x391, 0x3D1), (0x2010, 0x2044), (0x20AC, 0x20AC), (0x2102, 0x214F), (0x2190, 0x22FF),
    (0x25A0, 0x25FF),
)  # fmt: skip
_UNKNOWN = re.compile(
    r"\\(?:nument|nobreakdash|mathscr|arrowwave\w+|dblarrowupdown|DownArrowUpArrow|rightangle\w*|ii+nt|surfintegral|"
    r"volintegral|clwintegral|homothetic|lazysinv|approxnotequal|tildetrpl|allequal|estimates|starequal|not(?:less|greater)\w+|"
    r"truestate|forcesextra|VDash|original|image|hermitconjmatrix|verymuch\w+|precedesnotsimilar|udots)"
)


def escape_latex(text: str) -> str:
    """One line of literal text.

    A character that needs a package beyond textcomp and amssymb stays itself: `declare_characters` finds it.
    """
    plain = clean(text)
    parts: list[str] = []
    for position, character in enumerate(plain):
        if character in _MARKS and parts:
            parts[-1] = f"\\{_MARKS[character]}{{{parts[-1]}}}"
        elif character == "-" and plain[position + 1 : position + 2] != "-":
            parts.append("-")
        elif character == "'" and plain[position + 1 : position + 2] == "'":
            parts.append("'{}")
        else:
            parts.append(_SPECIAL.get(character) or _command(character))
    return "".join(parts)


def declare_characters(text: str) -> list[str]:
    """Declarations by which pdfLaTeX prints the characters of LaTeX source that it does not know: ``[U+4E2D]``."""
    unknown = sorted({character for character in text if ord(character) > 0x7F})
    return [f"\\DeclareUnicodeCharacter{{{ord(c):04X}}}{{[U+{ord(c):04X}]}}" for c in unknown]


def _command(character: str) -> str:
    if character.isascii():
        return character
    kind, _, points = unicodedata.decomposition(character).partition(" ")
    if kind in {"<super>", "<sub>"}:
        base = "".join(chr(int(point, 16)) for point in points.split())
        return f"\\text{kind.strip('<>')}script{{{''.join(_SPECIAL.get(ch) or _command(ch) for ch in base)}}}"
    if any(first <= ord(character) <= last for first, last in _RANGES):
        written = str(unicode_to_latex(character, unknown_char_policy="keep", unknown_char_warning=False))
        if not _UNKNOWN.search(written):
            return f"{{{written}}}" if written != character else character
    return character
