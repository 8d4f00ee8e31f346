"""Technical terms of a claim of which its sources say nothing: speech recognition, where they have translation.

A word is a term of some subject where it comes again and again in few texts. These were counted over 87,000 abstracts
by residual inverse document frequency (Church & Gale 1995): those from .6 in at least 30 of them, read by hand, and
without the words that ordinary sentences use too ("the speaker", "it forces").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from engine.text import STOP_WORDS, stem, words
from engine.wordlists import read_wordlist

SAME_START = 5
"""Letters with which two words begin that may be of one family: classifier, classification."""

PREFIXES = frozenset({"trans", "inter", "multi", "super", "under", "hyper", "infra", "micro", "count", "electr"})
"""Beginnings of words that have nothing else in common: transformer, translation."""

_RELATED = (
    "camera image picture photo photograph video frame visual vision view pixel rgb clip",
    "image camera picture photo photograph video frame visual pixel rgb",
    "chip hardware processor circuit device silicon",
    "speech spoken audio voice acoustic utterance speaker conversation",
    "text language linguistic character word ocr document sentence",
    "language text linguistic word sentence natural dialogue conversation speak document prose",
    "medical clinical patient hospital physician health disease surgery surgical medicine doctor biomedical",
    "vehicle car driving automobile truck traffic autonomous driver",
    "lidar laser scan range point scanner",
    "laser lidar scan range scanner",
    "depth range distance disparity stereo rgb-d 3d",
    "inertial imu gyroscope accelerometer acceleration",
    "radio wireless antenna communication signal channel",
    "pool aggregate average maximum",
    "blur smooth unsharp motion",
    "shuffle permute random reorder",
    "evade avoid dodge escape",
    "scan laser lidar scanner range",
    "memory storage ram footprint store",
    "policy controller agent strategy action reinforcement",
    "trajectory path motion track route",
    "plan path trajectory search policy navigation schedule",
    "track follow audio",
    "neural network deep learn convolutional transformer",
    "manipulator manipulation arm robot hand gripper grasp",
    "robot manipulator humanoid arm uav vehicle legged drone",
    "aircraft uav drone aerial flying helicopter quadrotor",
    "quadrotor uav drone aerial multirotor helicopter",
    "stochastic random noise probability probabilistic sampling",
    "gaussian normal",
    "uncertainty confidence probability unsure bayesian risk",
    "annotation label supervise annotate manual unsupervised",
    "label annotation supervise annotate class ground unsupervised",
    "node vertex vertices graph",
    "graph network node edge",
    "scene environment surroundings room view",
    "temporal time sequence",
    "online real-time incremental stream",
    "optic optical flow light",
    "regression predict estimate fit",
    "recognition recognise recognize classification detect identify",
    "detector detect",
    "forecast predict future",
    "summarization summary",
    "translation translate",
    "token word subword character",
    "reward return reinforcement",
    "feature represent embed descriptor",
    "latent hidden embed represent code variable",
    "sentence text textual caption language",
    "agent reinforcement policy robot",
    "recurrent rnn lstm sequence gru",
    "classification classifier recognition categorize class",
    "reconstruction recover restore",
    "distillation student teacher",
    "student distillation teacher",
    "navigate path route",
    "patient disease clinical medical health",
    "regret bandit",
    "attack adversarial adversary",
    "privacy private",
    "safety safe",
    "sparse few zero compress",
    "sensor sense measure camera",
    "surgical surgery operation operate surgeon",
    "emotion emotional sentiment affect mood",
    "dialogue conversation chat interview",
    "prompt instruction query",
    "hallucination invent fabricate unfaithful",
    "fault failure error damage",
    "cluster group",
    "energy power battery electric",
    "gait walk leg locomotion",
    "walk gait leg locomotion",
    "motion move movement trajectory dynamic flow optic",
    "traffic communication network bandwidth packet vehicle road car",
    "game play player",
    "retrieve search rank retrieval",
    "rank order top retrieval",
    "recommend item user",
    "obstacle collision",
    "ensemble average combine",
    "feedback comment",
    "essay write",
    "quantum qubit",
    "imitation demonstrate expert",
    "topology topological connect",
    "symmetry symmetric equivariant",
    "elastic deform soft stiff",
    "dropout regularize",
)
"""Terms, each with words that speak of the same: where a source has one of these, the term is nothing strange."""


_SET_APART = re.compile(r"\b(?:outside|beyond|besides|apart from|aside from|other than)\s[^,;:.]*", re.I)
"""What a claim leaves aside: "beyond citation graphs, …"."""


_VERB = re.compile(
    r"\b(?:attack|rout|anchor|ground|driv|feed|mirror)e?s?(?= (?:the|an?|its|their|this|each|every|any|them|it)\b)"
)
"""What does something to something, and names nothing: "attacks the problem", "to route a query"."""


def has_technical_terms(claim: str) -> bool:
    """Whether a word of the claim may be a term of a subject."""
    return not _technical().isdisjoint(map(stem, words(claim.replace("-", " ").replace("/", " "))))


def find_strange_terms(claim: str, held: frozenset[str], joined: frozenset[str], names: Iterable[str]) -> list[str]:
    """Words of the claim that are terms of a subject, and neither they nor words related to them stand in the source.

    ``held`` are the stems of the sources and the topic, ``joined`` neighbouring words written as one ("on line");
    ``names`` are words that are judged as names.
    """
    claim = _VERB.sub(" ", _SET_APART.sub(" ", claim))
    short = tuple(term for term in held if len(term) == SAME_START - 1)
    named = {word for name in names for word in words(name.replace("-", " "))}
    found = []
    for word in words(claim.replace("-", " ").replace("/", " ")):
        term = stem(word)
        if term not in _technical() or word in STOP_WORDS or word in named or word.endswith(("ed", "ly")):
            continue  # a participle or an adverb names nothing
        is_held = word in joined or _is_of_a_family(term, held) or any(map(term.startswith, short))
        is_held = is_held or (len(term) < SAME_START and any(other.startswith(term) for other in held))
        if not is_held and not _list_related().get(term, frozenset()) & held:
            found.append(word)
    return found


def _is_of_a_family(term: str, held: frozenset[str]) -> bool:
    letters = 2 * SAME_START - 2 if term[:SAME_START] in PREFIXES else SAME_START
    return any(other[:letters] == term[:letters] for other in held)


@cache
def _technical() -> frozenset[str]:
    return read_wordlist("checking/technical_terms.txt")


@cache
def _list_related() -> dict[str, frozenset[str]]:
    groups = [[stem(word) for word in group.split()] for group in _RELATED]
    return {group[0]: frozenset(group[1:]) for group in groups}
