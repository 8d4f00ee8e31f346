"""Words that make a statement strong, in classes that a source has to match."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strength:
    """A class of strong words: ``said`` finds it in a claim, ``warrant`` what a source must then say."""

    name: str
    said: re.Pattern[str]
    warrant: re.Pattern[str]
    anywhere: bool = False
    """Whether the source may say it in any sentence, not only where it speaks of the same thing."""


def match_words(*patterns: str) -> re.Pattern[str]:
    """Any of these patterns as whole words, in any case."""
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.I)


_SUPERIOR = (
    r"outperform\w*|surpass\w*|exceed\w*|beats?|beating|superior\w*|state[- ]of[- ]the[- ]art|sota|better than|"
    r"dominat\w+|wins? over|unmatched|unrivall?ed|unprecedented|record(?:-breaking)?|"
    r"lea(?:ve|ving|ves)? (?:\w+[ -]){1,5}behind|overt(?:akes?|ook)"
)
_MORE = (
    r"(?<!room for )improv\w+|higher|lower|faster|better|gains?|stronger|fewer|smaller|larger|greater|advances?|"
    r"more [a-z]+ than"
)
_BEST = (
    r"(?<!fits )(?<!fit )(?<!matches )(?<!match )best(?![- ](?:fit|match|first))|"
    r"highest|lowest|largest|smallest|fastest|strongest|greatest|"
    r"leading(?! (?:it|them|him|her|to|the|an?|up|through|into)\b)|"
    r"top[- ]perform\w+|most [a-z]+ (?:of|among) (?:all|any)|"
    r"(?:is|are|was|were|been|becomes?|became|remains?) the most (?!important|common)[a-z]+"
)

STRENGTHS: tuple[Strength, ...] = (
    Strength("superiority", match_words(_SUPERIOR), match_words(_SUPERIOR, _BEST, _MORE)),
    Strength(
        "best",
        match_words(_BEST),
        match_words(
            _BEST,
            r"top|optimal\w*|optimum|optimi[sz]es?|minim\w+|maxim\w+|max|min|peaks?|closest|nearest",
            r"state[- ]of[- ]the[- ]art|sota|outperform\w* (?:all|every|any|the other|other)|high[- ]perform\w+|"
            r"record|surpass\w* (?:all|every|any)",
        ),
    ),
    Strength(
        "state of the art",
        match_words(
            r"(?:achiev\w+|set\w*|new|reach\w*|establish\w*|is|are|obtain\w*|attain\w*|deliver\w*|yield\w*|report\w*)"
            r" (?:(?!with |to |than |of |over )\w+ ){0,3}(?:state[- ]of[- ]the[- ]art|sota)"
        ),
        match_words(
            r"(?<!competitive with )(?<!comparable to )(?<!compared to )(?<!close to )(?<!close to the )"
            r"(?<!comparable to the )(?<!competitive with the )(?<!on par with )(?:state[- ]of[- ]the[- ]art|sota)",
            rf"{_BEST}|record|benchmark|(?:{_SUPERIOR}) (?:all|every|existing|previous|prior|earlier|other|current)",
        ),
    ),
    Strength(
        "order of magnitude",
        match_words(r"orders? of magnitude"),
        match_words(
            r"orders? of magnitude|\d{2,}(?:\.\d+)? ?(?:x|×|times)|(?:hundred|thousand|"
            r"ten)\w* (?:of )?times|\d{2,}-fold"
        ),
    ),
    Strength(
        "majority",
        match_words(
            r"majority|nearly all|almost all|(?<!the )most of|mostly|predominantly|in most cases|on most|"
            r"vast number|overwhelming\w*"
        ),
        match_words(
            r"majority|all|most\w*|every|each|predominant\w*|main(?:ly)?|large\w*|overwhelming\w*|"
            r"mainstream|dominant|general\w*|heavy|bulk|primar\w*"
        ),
    ),
    Strength(
        "rarity",
        match_words(
            r"rarely|seldom|hardly|scarcely|barely|almost never|few (?:papers|works|studies|methods|systems|models)"
        ),
        match_words(
            r"rare\w*|seldom|hardly|scarce\w*|bare\w*|never|few|little|limited|lack\w*|not|no|"
            r"under[- ]?\w+|neglect\w*|unexplored|yet|negligible|low|minimal|robust\w*|resilien\w*|insensitiv\w*|"
            r"invarian\w*|impractical|unrealistic|infeasible|difficult\w*|hard|un\w+able"
        ),
    ),
    Strength(
        "breadth",
        match_words(
            r"across (?:\w+ )?(?:languages|domains|tasks|modalities|settings|models|datasets|"
            r"data sets|scenarios|conditions|"
            r"environments|benchmarks|fields|disciplines)",
            r"regardless of|irrespective of|wide range of|in general|multilingual\w*|cross-lingual\w*|"
            r"domain-agnostic|general-purpose",
        ),
        match_words(
            r"across|various|divers\w*|multiple|different|several|range|many|all|any|every|each|"
            r"multi\w*|cross-?\w+|regardless|"
            r"irrespective|general\w*|both|variety|varied|numerous|agnostic|universal\w*|two|three|four|five|six|seven|"
            r"eight|nine|ten|twelve|\d+|extensive\w*|broad\w*|wide\w*|arbitrary|languages|domains|"
            r"tasks|modalities|scenarios|environments|datasets|benchmarks"
        ),
    ),
    Strength(
        "priority",
        match_words(
            r"the (?:very )?first(?! (?:\w+ )?(?:steps?|stages?|phases?|parts?|"
            r"pass|halves|half|place|section|author|layers?|tokens?|row|column))",
            r"a first(?:[- ]of[- ]its[- ]kind| ever)",
            r"first (?:to|ever|work|method|model|system|paper|study|approach|time)",
            r"(?:was|were|is|are) first(?![^.;]*\bthen\b)",
            r"pioneer\w*|earliest|inventors?|invents|invented by|unprecedented",
            r"for the first time|never before|only (?:method|model|system|work|approach|paper)",
        ),
        match_words(
            r"(?<!one of the )(?<!among the )first|pioneer\w*|earliest|invent\w*|unprecedented|never before|"
            r"no (?:prior|previous|existing)"
        ),
    ),
    Strength(
        "all",
        match_words(
            r"(?<!\bat )(?<!\babove )all(?!,| over\b)|every|everywhere|universal\w*|across the board|"
            r"without exceptions?|"
            r"(?<!if )(?<!whether )(?<!than )(?<!hardly )(?<!barely )any (?!more\b|longer\b)(?:\w+ ){0,2}\w+"
        ),
        match_words(
            r"all|every|everywhere|each|any|any(?:time|where|one|thing)|entire|"
            r"whole (?:sequence|set|range)|universal\w*|omni\w*|always|invariably|arbitrar\w*|"
            r"no (?:\w+ )?(?:assumptions?|restrictions?|constraints?|limits?|limitations?)|"
            r"regardless|without exceptions?|100 ?(?:%|per ?cent)"
        ),
    ),
    Strength(
        "consistent",
        match_words(r"consistent\w*|uniform\w*|constantly"),
        match_words(
            r"consisten\w*|uniform\w*|constant\w*|all|every|each|always|across|both|various|wide range|robust\w*"
        ),
    ),
    Strength(
        "always",
        match_words(
            r"always|invariably|without exceptions?|in (?:each|every|all) cases?|guarante\w+|"
            r"certain(?:ly|ty)|(?:certain|sure|bound) to|undoubtedly|inevitabl\w+"
        ),
        match_words(
            r"always|invariably|without exceptions?|(?:in|for|on|across) (?:all|every|any)|all cases|every time|"
            r"approximation (?:algorithm|ratio|factor)s?|"
            r"guarante\w+|certain(?:ly|ty)|provabl\w+|prov(?:e[sn]?|ing|ed)|inevitabl\w+|must|100 ?(?:%|per ?cent)|"
            r"consisten\w+"
        ),
    ),
    Strength(
        "never",
        match_words(r"never|none|nobody|impossible|in no case"),
        match_words(
            r"never|none|nobody|impossible|cannot|unable|infeasible|incapable|no longer|unseen|novel|"
            r"(?:all|every|any) [^.;]{0,60}?(?:susceptible|vulnerable|fail\w*|unable|prone|suffer\w*|lack\w*)|"
            r"not (?:\w+ ){0,2}(?:ever|possible|able|any)"
        ),
    ),
    Strength(
        "no other",
        match_words(
            r"no (?:other|prior|previous|existing|earlier|known) (?!knowledge|information|assumption|training)\w+|"
            r"(?:nobody|no one) (?:had|has|else|before)"
        ),
        match_words(r"no|none|nobody|first|never|best|highest|top|state[- ]of[- ]the[- ]art"),
    ),
    Strength(
        "complete",
        match_words(
            r"fully|full|(?<!more )(?<!less )complete(?:ly)?|entire(?:ly)?|total(?:ly)?|perfect(?:ly)?|flawless\w*|"
            r"exhaustive\w*|wholly|utterly|absolute(?:ly)?|100 ?%"
        ),
        match_words(
            r"fully|full|complete\w*|entire\w*|total\w*|perfect\w*|flawless\w*|exhaustive\w*|wholly|"
            r"whole|end[- ]to[- ]end|all|absolute\w*|100 ?%|purely|solely"
        ),
    ),
    Strength(
        "removal",
        match_words(
            r"eliminat\w+|eradicat\w+|(?:is|are|was|were|been|fully|completely|entirely) (?:\w+ ){0,3}solved|"
            r"solv(?:es|ed) (?:the|this|that)|prevent\w*|remov(?:e[sd]?|ing)|abolish\w*|"
            r"cures?|closes? the gap|makes? \w+ (?:obsolete|unnecessary)|obviat\w+|free of"
        ),
        match_words(
            r"eliminat\w+|eradicat\w+|sol(?:v|ution)\w*|prevent\w*|remov\w+|abolish\w*|clos\w+|fill\w*|bridg\w+|"
            r"obsolete|unnecessary|obviat\w+|free (?:of|from)|no longer|dispens\w+|resolv\w+|overcom\w+|no need"
        ),
    ),
    Strength(
        "proof",
        match_words(
            r"prov(?:e[sn]?|ing|ed)(?! (?:to be )?(?:very |more |most |particularly )?\w+"
            r"(?:ful|ive|able|ible|al|ous|ent|ant|ic|ate|er)\b)|proofs?|guarante\w+|certif\w+|conclusive\w*|definitive\w*|"
            r"establish(?:es|ed)? that|irrefutabl\w+|theoretical(?:ly)?"
        ),
        match_words(
            r"prov(?:e[sn]?|ing|ed|abl[ey])|proofs?|guarante\w+|certif\w+|conclusive\w*|definitive\w*|"
            r"theor\w+|bound\w*|formal\w*|establish\w*|theorem|approximation (?:algorithm|ratio|factor)s?|"
            r"mathematical\w*|(?:sub)?linear convergence|global (?:\w+ )?convergence|convergence rates?|np-hard\w*"
        ),
    ),
    Strength(
        "magnitude",
        match_words(
            r"dramatic\w*|vast(?:ly)?|enormous\w*|huge(?:ly)?|massive(?:ly)?|drastic\w*|tremendous\w*|"
            r"orders? of magnitude|by far|large margins?|radical(?:ly)?|remarkabl[ey]|striking(?:ly)?"
        ),
        match_words(
            r"dramatic\w*|vast\w*|enormous\w*|huge\w*|massive\w*|drastic\w*|tremendous\w*|"
            r"orders? of magnitude|far|large|radical\w*|remarkabl[ey]|strik\w+|significant\w*|"
            r"substantial\w*|great\w*|considerabl[ey]|marked\w*|by \d[\d.,]* ?%?|\d+(?:\.\d+)? ?(?:%|"
            r"x|×|times|points)"
        ),
    ),
    Strength(
        "significance",
        match_words(
            r"significant(?:ly)?|substantial(?:ly)?|considerabl[ey]|markedly|greatly|"
            r"marked (?:improve|increase|decrease|gain|drop|reduction|difference|advantage)\w*"
        ),
        match_words(
            r"significant\w*|substantial\w*|considerabl[ey]|marked\w*|great\w*|dramatic\w*|vast\w*|"
            r"large|far|much|drastic\w*|orders? of magnitude|remarkabl[ey]|notabl[ey]|strong\w*|"
            r"strik\w+|impressive\w*|by \d[\d.,]* ?%?|\d+(?:\.\d+)? ?(?:%|x|×|times|points)"
        ),
    ),
    Strength(
        "only",
        match_words(
            r"(?<!not )(?<!cannot )only(?!\sneeds?\b)(?!\s(?:an? (?:few|part|fraction|small|little|handful)|parts?|"
            r"partly|partially|"
            r"roughly|some|few|limited|first|preliminary|early|initial|approximate\w*|slight\w*|sparse\w*|competitive|"
            r"comparable|similar|marginal\w*|on par|if|when|where|under|provided)\b)|"
            r"solely|exclusive(?:ly)?|nothing but|"
            r"merely(?! (?:competitive|comparable|similar|on par|slight\w*|marginal\w*))"
        ),
        match_words(
            r"(?<!not )(?<!cannot )only|few|solely|sole|exclusive\w*|mere\w*|nothing|alone|just|single|pure\w*|"
            r"simpl[ey]|weak\w*|mild|complete\w*|entire\w*|full\w*|whole\w*|"
            r"without|rather than|instead|no"
        ),
    ),
    Strength(
        "condition",
        match_words(r"only (?:if|when|where|under|provided)"),
        match_words(
            r"only|(?<!even )if|(?<!even )when\w*|where|unless|provided|assum\w+|under|conditions?|conditional\w*|"
            r"requir\w+|need\w*|necess\w+|given|as long as|must|suppos\w+|depend\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "replacement",
        match_words(r"(?:is|are|was|were|be) replaced (?:by|with)|in place of|supersed\w+"),
        match_words(
            r"replac\w+|instead|rather|in place|substitut\w+|without|alternatives?|unlike|no longer|drop-in|"
            r"supersed\w+|as opposed|contrast|avoid\w*|eliminat\w+|remov\w+|not|no|from \w+ to|"
            r"exchang\w+|switch\w*|"
            r"resolve|problems?|drawbacks?"
        ),
        anywhere=True,
    ),
    Strength(
        "prevalence",
        match_words(
            r"most (?:\w+ )?(?:papers|works?|systems|methods|models|researchers|practitioners|"
            r"approaches|studies)|(?<!the )most (?!\w+(?:ly|al|ive|ent|ant|ed|ing|ic|ous|ar|le|ate|ul|ex)\b)[a-z]+s|"
            r"majority|de facto|ubiquitous\w*|everyone|widely|industry standard|"
            r"universally"
        ),
        match_words(
            r"most|majority|everyone|de facto|ubiquitous\w*|wide\w*|standard|common\w*|popular\w*|prevalent|"
            r"dominant|many|often|typical\w*|usual\w*|mainstream|traditional\w*|generally|"
            r"universal\w*|increasing\w*|prevail\w*"
        ),
    ),
    Strength(
        "necessity",
        match_words(
            r"(?<!not )(?<!without )(?<!never )(?<!no )(?<!that )(?<!which )(?<!only )"
            r"(?:requir(?:e[sd]?|ing)|needs?|needed|ha(?:s|ve|d) to be|must|mandatory)"
            r"(?! (?:no|not|neither|little|less|fewer|only|by|for|in)\b)"
        ),
        match_words(
            r"requir\w+|need\w*|must|ha(?:s|ve|d) to|necess\w+|essential\w*|mandator\w+|demand\w*|"
            r"rel(?:y|ies|ied|ying)|depend\w*|crucial\w*|critical\w*|impos\w+|constrain\w*|assum\w+|should|"
            r"only|takes?|given|access|complexity|consum\w+|cost\w*|expens\w+|fail\w*|struggl\w*|difficult\w*|challeng\w*|"
            r"forc\w+|compel\w*|oblig\w+"
        ),
    ),
    Strength(
        "singleness",
        match_words(r"(?:(?:a|one) )?single (?!-)[a-z]+"),
        match_words(r"single|sole|one|only|alone|individual|each|mono\w*|per|uni\w+|joint\w*|an?"),
        anywhere=True,
    ),
    Strength(
        "sameness",
        match_words(
            r"identical\w*|the same as|equivalent to|equals?(?! (?:cost|terms|parts|size|compute|numbers?)\b)|"
            r"interchangeabl[ey]|indistinguishabl[ey]"
        ),
        match_words(
            r"same|identical\w*|parity|on (?:a )?par|equival\w+|equal\w*|match\w*|coincid\w+|exact\w*|interchangeab\w+|"
            r"indistinguishab\w+|correspond\w*|reduces? to|comparabl[ey]|no (?:significant )?difference"
        ),
    ),
    Strength(
        "price",
        match_words(
            r"at the (?:cost|price|expense) of|in (?:exchange|return) for|sacrific\w+|"
            r"trad(?:es?|ing) (?:\w+ ){0,2}(?:for|against)"
        ),
        match_words(
            r"(?<!no )(?<!without )(?<!low )(?:cost|price|expense|exchange|trad(?:es?|ing)|trade-?offs?)|"
            r"(?<!without )(?<!not )sacrific\w+|compromis\w+|balanc\w+|although|though|slight(?:ly)?|drops?|"
            r"degrad\w+|overhead"
        ),
    ),
    Strength(
        "comparison",
        match_words(
            r"(?:faster|slower|cheaper|stronger|weaker|simpler|easier|smaller|larger|higher|lower|greater|shorter|longer|"
            r"earlier|closer|safer|richer|worse|fewer|(?:more|less) [a-z]+) than"
        ),
        match_words(
            r"than|\w+ier|improv\w*|faster|slower|cheaper|stronger|weaker|simpler|easier|smaller|larger|higher|lower|"
            r"greater|shorter|longer|closer|safer|richer|worse|better|fewer|more|less|most|least|best|outperform\w*|"
            r"surpass\w*|exceed\w*|superior\w*|inferior\w*|reduc\w+|increas\w+|decreas\w+|sav\w+|gains?|accelerat\w*|"
            r"speed\w*|advantage\w*|times|compar\w+ favou?rably|beats?|prefer\w*|unlike|while|whereas|but|only|not|"
            r"state[- ]of[- ]the[- ]art|\w+est|\d+(?:\.\d+)? ?(?:%|x|×)|overc[ao]m\w*|degrad\w*|drop\w*|limit\w*"
        ),
        anywhere=True,
    ),
    Strength(
        "a great number",
        match_words(r"(?:dozens|hundreds|thousands|millions|billions|trillions) of"),
        match_words(
            r"dozens?|hundreds?|thousands?|millions?|billions?|trillions?|\d{3,}\w*|\d[\d,.]*[kKMB]|many|numerous|"
            r"large\w*|massive\w*|vast\w*|big|huge|countless|enormous\w*|web\w*|myriads?|plethora"
        ),
        anywhere=True,
    ),
    Strength(
        "trials in the field",
        match_words(
            r"(?:field|outdoor|road|flight|sea|production) (?:tests?|trials?|experiments?|deployments?|studies)|"
            r"at sea|in flight|on (?:the )?roads?|in traffic|in orbit|outdoors|"
            r"in the field|deployed (?:in|on|at|by|to)|in production|in daily use"
        ),
        match_words(
            r"fields?|outdoor\w*|roads?|flights?|flown|fly\w*|sea|ocean\w*|water|deploy\w*|in[- ]situ|on[- ]site|"
            r"production|"
            r"real\w*|trials?|industr\w+|commercial\w*|live|daily|drives?|driving|mines?|farms?|forests?"
        ),
        anywhere=True,
    ),
)
"""Each class of the claim has to be met by the source in the sentences that speak of the same thing."""
