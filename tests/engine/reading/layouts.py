"""Papers set in Typst in the layouts that papers have, with what stands in them: to measure what is read of a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice

HEADINGS = (
    ("Introduction", 1), ("Related Work", 1), ("Dense Retrieval", 2), ("Sparse Retrieval Models", 2),
    ("Method", 1), ("Training of the Encoder", 2), ("Experiments", 1), ("Data Sets and Baselines", 2),
    ("Results", 1), ("Conclusion", 1),
)  # fmt: skip
"""A heading and its level; each has text of its own."""

_SUBJECTS = (
    "The encoder", "Our retriever", "A dense index", "Each passage", "The reader of Guu et al. (2020)", "This baseline",
    "Table 1", "Figure 2", "The work of A. Radford and D. Mitchell", "Contrastive training", "BM25",
)  # fmt: skip
_VERBS = ("gains", "needs", "keeps", "loses", "reaches", "compares", "adds")
_OBJECTS = (
    "points over the strongest model of the same size", "layers of attention in which the query is encoded",
    "documents for each question, of which most are wrong", "hours of training on a single machine",
    "negative examples that were drawn at random from the corpus", "tokens of context, which is more than before",
)  # fmt: skip


def sentences(first: int, count: int) -> list[str]:
    """Sentences that are all different; numbers and initials stand where a line may begin."""
    return [
        f"{_SUBJECTS[n % len(_SUBJECTS)]} {_VERBS[n % len(_VERBS)]} {n + 10} {_OBJECTS[n % len(_OBJECTS)]} "
        f"[{n % 20 + 1}]."
        for n in range(first, first + count)
    ]


@dataclass(frozen=True)
class Content:
    """What a paper says: an abstract, then for each heading its paragraphs."""

    title: str
    abstract: tuple[str, ...]
    sections: tuple[tuple[str, int, tuple[tuple[str, ...], ...]], ...]
    references: tuple[str, ...]

    def said(self) -> list[str]:
        """Every sentence of the text."""
        body = (s for _, _, paragraphs in self.sections for paragraph in paragraphs for s in paragraph)
        return [*self.abstract, *body]


_NAMES = cycle(("Karpukhin, V.", "Lewis, P.", "Guu, K.", "Izacard, G.", "Xiong, L.", "Robertson, S.", "Zhan, J."))


def make_content(paragraphs: int = 2, references: int = 20) -> Content:
    """A paper of ten sections."""
    number = 5
    sections = []
    for heading, level in HEADINGS:
        told = []
        for _ in range(paragraphs):
            told.append(tuple(sentences(number, 5)))
            number += 5
        sections.append((heading, level, tuple(told)))
    names = list(islice(_NAMES, references))
    entries = tuple(
        f"{name} and Other, O. (20{n % 24:02}). On the retrieval of passages, part {n}. "
        f"Journal of Retrieval, {n}(3), {n}–{n + 9}."
        for n, name in enumerate(names, start=1)
    )
    return Content("Learning to Retrieve Passages for Open Questions", tuple(sentences(0, 5)), tuple(sections), entries)


@dataclass(frozen=True)
class Layout:
    """How a paper is set, in Typst's terms."""

    name: str
    page: str = 'paper: "a4"'
    text: str = "size: 10pt"
    columns: int = 1
    justify: bool = True
    numbering: str = "1.1"
    """Of headings; empty for none."""
    heading: str = 'size: 12pt, weight: "bold"'
    subheading: str = 'size: 10pt, weight: "bold"'
    centred: bool = False
    capitals: str = ""
    """A Typst function on main headings: ``upper`` or ``smallcaps``."""
    abstract: str = "heading"
    """``heading``, or the words with which it begins: ``Abstract—``."""
    running: str = ""
    footnotes: bool = False
    floats: bool = False
    indent: str = "1em"
    entries: str = "bracket"
    """The mark of a reference: ``bracket`` [1], ``dot`` 1., or ``name`` for none, with a hanging indent."""
    unheaded: bool = False
    """Whether the list of references has no heading."""
    small: str = "9pt"
    """Size of the list of references, of captions and tables."""


LAYOUTS = (
    Layout("plain one column"),
    Layout("two columns, bold headings", columns=2, text="size: 9pt", heading='size: 11pt, weight: "bold"',
           subheading='size: 9pt, weight: "bold"', small="8pt"),
    Layout("as IEEE sets it", columns=2, numbering="I.A", text="size: 9.5pt", heading="size: 9.5pt",
           subheading='size: 9.5pt, style: "italic"', centred=True, capitals="smallcaps", abstract="Abstract—",
           running="IEEE TRANSACTIONS ON RETRIEVAL, VOL. 3, NO. 2, 2024", footnotes=True, floats=True, small="8pt"),
    Layout("as ACL sets it", columns=2, text="size: 10pt", entries="name", floats=True, footnotes=True,
           running="Proceedings of the 60th Meeting, pages 12 to 20"),
    Layout("as ACM sets it", columns=2, text="size: 9pt", heading='size: 11pt, weight: "bold"',
           subheading='size: 10pt, weight: "bold"', capitals="upper", running="Retrieval ’24, July 2024, Paris, France",
           floats=True, small="7pt"),
    Layout("as Springer's lecture notes", text="size: 10pt", heading='size: 12pt, weight: "bold"', abstract="Abstract.",
           running="Learning to Retrieve Passages    V. Author et al.", entries="dot", footnotes=True, floats=True),
    Layout("no numbers, larger type", numbering="", heading="size: 14pt", subheading='size: 12pt, style: "italic"'),
    Layout("no numbers, bold, ragged", numbering="", justify=False, subheading='size: 10pt, weight: "bold"',
           columns=2, entries="name", floats=True),
    Layout("a draft under review", running="Under review as a conference paper", floats=True, indent="0pt"),
    Layout("sans serif, letter", page='paper: "us-letter"', text='size: 11pt, font: "DejaVu Sans"', entries="dot",
           heading='size: 13pt, weight: "bold", font: "DejaVu Sans"', running="Preprint", footnotes=True,
           subheading='size: 11pt, weight: "bold", font: "DejaVu Sans"'),
    Layout("roman numbers, capitals", numbering="I.1", capitals="upper", heading="size: 10pt", centred=True,
           subheading='size: 10pt, style: "italic"', floats=True),
    Layout("a journal in two columns", columns=2, text="size: 8.5pt", heading='size: 10pt, weight: "bold"',
           subheading='size: 8.5pt, style: "italic", weight: "bold"', small="7pt", floats=True, footnotes=True,
           abstract="heading", running="J. Retrieval 12 (2024) 101–119", entries="dot"),
    Layout("as the American Physical Society sets it", columns=2, numbering="I.A", heading='size: 9pt, weight: "bold"',
           subheading='size: 9pt, weight: "bold"', centred=True, capitals="upper", unheaded=True, floats=True),
)  # fmt: skip


def _escape(text: str) -> str:
    return "".join(f"\\{c}" if c in "#*_$[]@<>`~=" else c for c in text)


def _head(layout: Layout) -> str:
    """How pages, text and headings are set."""
    main = f"{layout.capitals}(it)" if layout.capitals else "it"
    centre = "set align(center); " if layout.centred else ""
    return f"""#set page({layout.page}, columns: {layout.columns}, numbering: "1", header: [{_escape(layout.running)}])
#set text({layout.text})
#set par(justify: {str(layout.justify).lower()}, first-line-indent: {layout.indent})
#set heading(numbering: {f'"{layout.numbering}"' if layout.numbering else "none"})
#show heading.where(level: 1): it => {{
  set text({layout.heading}); {centre}block(above: 1.4em, below: 0.8em, {main}) }}
#show heading.where(level: 2): it => {{ set text({layout.subheading}); block(above: 1.2em, below: 0.7em, it) }}
"""


def to_typst(layout: Layout, content: Content) -> str:
    """The paper's source."""
    title = (
        f'#align(center)[#text(size: 17pt, weight: "bold")[{content.title}] \\ \\ Vera Author and Ben Buddy \\ '
        "University of Somewhere]"
    )
    parts = [_head(layout)]
    parts.append(f'#place(top + center, scope: "parent", float: true)[{title}]' if layout.columns > 1 else title)
    abstract = " ".join(map(_escape, content.abstract))
    if layout.abstract == "heading":
        parts.append(f"#align(center)[*Abstract*]\n\n{abstract}")
    else:
        parts.append(f"*{layout.abstract}* {abstract}")
    number = 0
    for heading, level, paragraphs in content.sections:
        parts.append(f"{'=' * level} {heading}")
        for paragraph in paragraphs:
            number += 1
            body = list(map(_escape, paragraph))
            if layout.footnotes and number % 4 == 0:
                body[1] = f"{body[1]} #footnote[The code of experiment {number} is public.]"
            parts.append(" ".join(body))
            if layout.floats and number % 5 == 2:
                parts.append(_float(layout, number))
    parts.append("" if layout.unheaded else "#heading(numbering: none)[References]")
    parts.append(f"#set text(size: {layout.small})\n#set par(first-line-indent: 0pt, hanging-indent: 1.2em)")
    for n, entry in enumerate(content.references, start=1):
        mark = {"bracket": f"\\[{n}\\] ", "dot": f"{n}\\. ", "name": ""}[layout.entries]
        parts.append(mark + _escape(entry))
    return "\n\n".join(parts)


def _float(layout: Layout, number: int) -> str:
    rows = ", ".join(f"[Model {n}], [{n}.5], [{n * 7}]" for n in range(1, 5))
    return (
        f"#figure(placement: auto, caption: [Results of model {number} on the test set], kind: table, "
        f"text(size: {layout.small}, table(columns: 3, stroke: none, [*Method*], [*Recall*], [*Results*], {rows})))"
    )
