"""Falsehoods about measures, rivals, kinds of models, people and addresses, most made from `MEASURED_PAPERS`."""

from __future__ import annotations

import re

from bot.bench.planting import (
    Falsehood,
    Statement,
    add_unless_said,
    add_words,
    put_before,
    swap_words,
)
from engine.retrieval.identity import surname
from engine.text import fold
from engine.values import Paper


def _name_another_first_author(true: Statement, other: Paper) -> Statement | None:
    """Attributed to who wrote another paper."""
    if not other.authors or any(surname(other.authors[0]) in fold(name) for name in true.paper.authors):
        return None
    text = f"{other.authors[0].split()[-1]} et al. report that {true.text[:1].lower()}{true.text[1:]}"
    return Statement(text, true.paper, true.cited)


def _name_another_title(true: Statement, other: Paper) -> Statement | None:
    """Said to stand in another paper, which is named by its title."""
    if other.key == true.paper.key:
        return None
    text = f"In “{other.title}”, it is shown that {true.text[:1].lower()}{true.text[1:]}"
    return Statement(text, true.paper, true.cited)


def _misspell_key(true: Statement, _: Paper) -> Statement | None:
    """With a key that differs by a digit."""
    digit = re.search(r"\d(?=\D*$)", true.paper.key)
    if not digit:
        return None
    key = f"{true.paper.key[: digit.start()]}{(int(digit[0]) + 5) % 10}{true.paper.key[digit.end() :]}"
    text = f"Practitioners of this kind of reading prefer the work of small teams, which {key[-3:]} of them say"
    return Statement(text, true.paper, key)


MEASURED_FALSEHOODS: tuple[Falsehood, ...] = (
    Falsehood("a measure of another data set", seen=True, make=swap_words(r"84\.2(% on LongQA)", r"71.9\1")),
    Falsehood("a percentage in words", seen=True, make=swap_words(r"\d+(?:\.\d)?%", "ninety-three percent")),
    Falsehood("another multiple", seen=True, make=swap_words(r"3\.2 times", "31 times")),
    Falsehood("a smaller multiple in words", seen=True, make=swap_words(r"3\.2 times faster", "twice as fast")),
    Falsehood("more for less", seen=True, make=swap_words(r"(\d%) less\b", r"\1 more")),
    Falsehood("another rival", seen=True, make=swap_words(r"than Longformer", "than BERT")),
    Falsehood("rivals exchanged", seen=True, make=swap_words(r"over BM25 and by 2\.1 points over DPR", "over DPR")),
    Falsehood("a longer range", seen=True, make=swap_words(r"between 12 and 18", "between 12 and 28")),
    Falsehood("beyond a range", seen=True, make=swap_words(r"between 12 and 18", "more than 18")),
    Falsehood("a dozen", seen=True, make=swap_words(r"seven data sets", "a dozen data sets")),
    Falsehood("a lower bound for an upper one", seen=True, make=swap_words(r"^Up to 40", "At least 40")),
    Falsehood("billions for millions", seen=True, make=swap_words(r"1\.5 million", "1.5 billion")),
    Falsehood("a half as one sign", seen=True, make=add_words(" with ½ of the data")),
    Falsehood("a number in wide digits", seen=True, make=add_words(" with ３７ examples")),
    Falsehood(
        "the first for one of the first",
        seen=True,
        make=swap_words(r"may be one of the first reasons", "are the first reason"),
    ),
    Falsehood("worse for comparable", seen=True, make=swap_words(r"is comparable to that", "is worse than that")),
    Falsehood("better for comparable", seen=True, make=swap_words(r"is comparable to that", "is better than that")),
    Falsehood(
        "steps exchanged",
        seen=True,
        make=swap_words(
            r"first splits a document into patches and then attends to few of them",
            "first attends to few patches and then splits a document",
        ),
    ),
    Falsehood(
        "a replacement turned round",
        seen=True,
        make=swap_words(r"the hinge loss by a logistic loss", "the logistic loss by a hinge loss"),
    ),
    Falsehood("too little for too much", seen=True, make=swap_words(r"overconfidence", "underconfidence")),
    Falsehood("an inability", seen=True, make=swap_words(r"can learn", "cannot learn")),
    Falsehood(
        "a rise for a fall",
        seen=True,
        make=swap_words(r"lowers its recall from 61\.3% to 58\.8%", "raises its recall from 58.8% to 61.3%"),
    ),
    Falsehood(
        "a fall for a result",
        seen=True,
        make=swap_words(r"reaches an accuracy of 84\.2%.*$", "lets the accuracy on LongQA fall to 84.2%."),
    ),
    Falsehood("with manual labels", seen=True, make=swap_words(r"without manual labels", "with manual labels")),
    Falsehood("linear for quadratic", seen=True, make=swap_words(r"attention is quadratic", "attention is linear")),
    Falsehood("another author's work", seen=True, make=_name_another_first_author),
    Falsehood("another paper's title", seen=True, make=_name_another_title),
    Falsehood("a key one digit off", seen=True, make=_misspell_key),
    Falsehood(
        "a year without a key",
        seen=True,
        make=lambda t, _: Statement("Good readers read little (Vaswani et al., 2017).", t.paper, ""),
    ),
    Falsehood(
        "an invented quotation",
        seen=True,
        make=add_words(", or, as the authors put it, “reading is a craft of leaving things out”"),
    ),
    Falsehood("an invented address", seen=True, make=add_words(", see https://example.org/reading")),
    Falsehood("an invented data set in small letters", seen=True, make=add_words(" on the omnireader corpus")),
    Falsehood("an invented expansion", seen=True, make=put_before("With QRT (quick reading of texts),")),
    Falsehood(
        "a convolutional network",
        seen=True,
        make=add_unless_said("conv|cnn|net-|resnet|vgg|kernel|pixel|u-net", " with convolutional networks"),
    ),
    Falsehood(
        "a method in small letters",
        seen=True,
        make=add_unless_said("evolution|genetic|population|mutation|swarm", " with a genetic algorithm"),
    ),
    Falsehood("a filter", seen=True, make=add_unless_said("kalman|filter|kf", " with a Kalman filter")),
    Falsehood(
        "a machine",
        seen=True,
        make=add_unless_said(
            "laptop|phone|mobile|embedded|[gct]pu|fpga|hardware|comput|device|processor|edge|jetson|board|microcontr|machine|workstation|core|cluster|desktop",
            " on a laptop",
        ),
    ),
    Falsehood(
        "code",
        seen=True,
        make=add_unless_said(
            "availab|releas|public|open|git|http|code|download|shar|provid|access|free|communit|librar|toolkit|packag|resourc",
            ", and its code is publicly available",
        ),
    ),
    Falsehood(
        "an award",
        seen=True,
        make=add_unless_said(
            "award|prize|won|winn|medal|compet|challeng|contest", ", which received the best paper award"
        ),
    ),
    Falsehood(
        "fame",
        seen=True,
        make=add_unless_said(
            "cit|influen|semin|landmark|famous|known|wide|popul|common|standard|preval|ubiq|facto|adopt|classic|recent",
            ", and is widely used",
        ),
    ),
    Falsehood(
        "sufficiency",
        seen=True,
        make=add_unless_said(
            "suffic|enough|adequat|already|alone|only|just|without|no need|few|satisf|mere|minim|sole",
            ", and a handful of examples suffices",
        ),
    ),
    Falsehood(
        "no effect",
        seen=True,
        make=swap_words(
            r"^Overlapping patches may be one of the first reasons for the gain",
            "Overlapping patches have no effect on the gain",
        ),
    ),
    Falsehood(
        "a comparison that nobody made",
        seen=True,
        make=swap_words(
            r"^PatchNet is 3\.2 times faster than Longformer in training.*$",
            "PatchNet outperforms ScoutRank in training.",
        ),
    ),
)
"""Each can be seen by a program."""
