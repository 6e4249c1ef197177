"""Rules that choose neighbours: typed data, evaluated over all neighbours at once.

A rule applies to some neighbours and changes their score. Users, a local model or the paper's
authors (MemRec, Figures 11 and 12) write rules; no rule is ever run as code. `rule_text.py` reads
and writes them as text.

The score of a neighbour is

    total * (w1 edge_weight + w2 co + w3 metadata_overlap_score + w4 memory_similarity_score) / 4

where `co` is log(1 + co_interaction_count) / log(1 + 100), at most 1: the second shared item tells
more than the fiftieth. The four parts lie in 0..1 and count alike, because the rules express what
is known about a domain; the paper multiplies a "base score" without defining it. All weights, and
`total`, begin at 1 and are only multiplied:

* `multiply edge_weight by 1.8` multiplies that part's weight, `multiply score by 2.5` the total;
* `decay by 0.004 a day` multiplies the total by exp(-0.004 * recency_days);
* `boost by 1 + 1.2 * memory_similarity_score` multiplies the total by that, with the measured part;
* `filter` drops the neighbour, `filter keeping 0.3` multiplies the total by 0.3.

Conditions read the measured features, never the results of earlier rules. So the order of rules
changes only the last digit, and each rule can be understood alone.

Every number is bounded. An effect multiplies by 11 at most and a set has 16 effects, so no score
can overflow; NaN in a feature counts as 0, so no score is NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.records import Record
from localrec.foundation.text import clean_text

if TYPE_CHECKING:
    from localrec.memory.user_item_graph import Neighbours

Part = Literal[
    "edge_weight", "co_interaction_count", "metadata_overlap_score", "memory_similarity_score"
]
Target = Literal[Part, "score"]
NeighbourFeature = Literal[Part, "recency_days"]
Comparison = Literal[">", ">=", "<", "<="]
Kind = Literal["both", "people", "items"]
Source = Literal["shipped", "model", "edited"]

PARTS: tuple[Part, ...] = get_args(Part)
TARGETS: tuple[Target, ...] = get_args(Target)
FEATURES: tuple[NeighbourFeature, ...] = get_args(NeighbourFeature)
MOST_RULES = 8  # Yelp's five published rules are eight here: their cases are told apart
MOST_RULES_OF_MODEL = 5
MOST_CONDITIONS = 4
MOST_EFFECTS = 2
LONGEST_NAME = 60
LONGEST_RATIONALE = 300
DECIMALS = 6
DROPPED = np.float32(0.0)  # the score of whom a rule dropped; all others have more
_LEAST = np.finfo(np.float32).tiny  # what is left of a score that decayed beyond float32
_SAYS_ALL = 100  # shared items; more of them make no difference to a score

Scores = NDArray[np.float32]
Mask = NDArray[np.bool_]
_Totals = NDArray[np.float64]

_COMPARE: dict[Comparison, np.ufunc] = {
    ">": np.greater,
    ">=": np.greater_equal,
    "<": np.less,
    "<=": np.less_equal,
}


class FeatureScale(msgspec.Struct, frozen=True):
    """The numbers that a rule may contain at one place."""

    high: float
    whole: bool = False

    def __contains__(self, value: float) -> bool:
        decimals = 0 if self.whole else DECIMALS
        return 0 <= value <= self.high and round(value, decimals) == value

    def __str__(self) -> str:
        if self.whole:
            return f"a whole number from 0 to {self.high:.0f}"
        return f"a number from 0 to {self.high:.0f} with at most {DECIMALS} decimals"


_SHARE = FeatureScale(1)
SCALES: dict[NeighbourFeature, FeatureScale] = {
    "edge_weight": _SHARE,
    "co_interaction_count": FeatureScale(1_000_000, whole=True),
    "metadata_overlap_score": _SHARE,
    "memory_similarity_score": _SHARE,
    "recency_days": FeatureScale(36_500),  # a century
}
FACTOR = FeatureScale(10)
RATE = FeatureScale(1)
KEEPING = FeatureScale(1)


class Condition(msgspec.Struct, frozen=True):
    """A neighbour's feature compared with a number, `edge_weight > 0.5`."""

    feature: NeighbourFeature
    comparison: Comparison
    value: float

    def __post_init__(self) -> None:
        _require(self.value, SCALES[self.feature], self.feature)


class Multiply(msgspec.Struct, frozen=True, tag="multiply"):
    """Multiply one part of the score, or the whole score, by `factor`."""

    part: Target
    factor: float

    def __post_init__(self) -> None:
        _require(self.factor, FACTOR, "a factor")


class Decay(msgspec.Struct, frozen=True, tag="decay"):
    """Multiply the score by exp(-rate * days), with days from recency_days."""

    rate: float

    def __post_init__(self) -> None:
        _require(self.rate, RATE, "a rate")


class Boost(msgspec.Struct, frozen=True, tag="boost"):
    """Multiply the score by 1 + factor * part, with co_interaction_count scaled to 0..1."""

    part: Part
    factor: float

    def __post_init__(self) -> None:
        _require(self.factor, FACTOR, "a factor")


class Filter(msgspec.Struct, frozen=True, tag="filter"):
    """Drop the neighbour, or multiply its score by `keeping`."""

    keeping: float = 0.0

    def __post_init__(self) -> None:
        _require(self.keeping, KEEPING, "what a filter keeps")


Effect = Multiply | Decay | Boost | Filter


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """An effect on the neighbours that meet a condition, and its reason.

    Args:
        name: Unique within its set, clean, at most 60 characters.
        conditions: All must hold; with none the rule always applies.
        effects: One or two, both applied.
        rationale: One or two sentences for people, clean, at most 300 characters.
        applies_to: Neighbours of which kind.

    Raises:
        ValueError: a text or a number of parts is out of bounds.
    """

    name: str
    conditions: tuple[Condition, ...]
    effects: tuple[Effect, ...]
    rationale: str
    applies_to: Kind = "both"

    def __post_init__(self) -> None:
        _require_text(self.name, LONGEST_NAME)
        _require_text(self.rationale, LONGEST_RATIONALE)
        if len(self.conditions) > MOST_CONDITIONS:
            raise ValueError(f"a rule has at most {MOST_CONDITIONS} conditions")
        if not 1 <= len(self.effects) <= MOST_EFFECTS:
            raise ValueError(f"a rule has 1 to {MOST_EFFECTS} effects")

    @property
    def drops(self) -> bool:
        """Whether the rule drops the neighbours that it applies to."""
        return Filter(0.0) in self.effects or Multiply("score", 0.0) in self.effects


class RuleSet(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The rules of one domain: shipped, written by a model, or edited by a user.

    Raises:
        ValueError: none or too many rules, or two of one name.
    """

    name: str
    domain: str
    rules: tuple[Rule, ...]
    source: Source = "edited"
    version: int = 1

    def __post_init__(self) -> None:
        _require_text(self.name, LONGEST_NAME)
        _require_text(self.domain, LONGEST_NAME)
        most = MOST_RULES_OF_MODEL if self.source == "model" else MOST_RULES
        if not 1 <= len(self.rules) <= most:
            raise ValueError(f"a set of rules has 1 to {most} of them, not {len(self.rules)}")
        if len({rule.name.casefold() for rule in self.rules}) < len(self.rules):
            raise ValueError("two rules of a set have one name")

    def scores(self, neighbours: Neighbours) -> Scores:
        """Score each neighbour, (m,); `DROPPED` (0) for those that a rule drops.

        Every other score is above 0 and finite. A neighbour's score depends on its own columns
        alone, not on its place or on the others.
        """
        measured = _measured(neighbours)
        parts = {part: _as_part(part, measured[part]) for part in PARTS}
        weights = {part: np.ones_like(values) for part, values in parts.items()}
        total = np.ones(len(neighbours.is_user), dtype=np.float64)
        dropped = np.zeros(len(total), dtype=bool)
        for rule in self.rules:
            hit = _concerned(rule, neighbours.is_user, measured)
            dropped |= hit & rule.drops
            for effect in rule.effects:
                if isinstance(effect, Multiply) and effect.part != "score":
                    weights[effect.part][hit] *= effect.factor
                else:
                    total[hit] *= _factor_of(effect, measured["recency_days"], parts, hit)
        base = sum((weights[part] * parts[part] for part in PARTS), np.zeros_like(total))
        scores = np.maximum(total * base / len(PARTS), _LEAST).astype(np.float32)
        return np.where(dropped, DROPPED, scores)


def _measured(neighbours: Neighbours) -> dict[NeighbourFeature, Scores]:
    """Limit every feature to its bounds; NaN counts as 0."""
    measured: dict[NeighbourFeature, Scores] = {}
    for feature in FEATURES:
        values = np.asarray(getattr(neighbours, feature), dtype=np.float32)
        measured[feature] = np.minimum(np.fmax(values, 0.0), np.float32(SCALES[feature].high))
    return measured


def _as_part(part: Part, measured: Scores) -> _Totals:
    """Scale a feature to 0..1, as the parts of a score are added."""
    values = measured.astype(np.float64)
    if part == "co_interaction_count":
        return np.minimum(np.log1p(values) / np.log1p(_SAYS_ALL), 1.0)
    return values


def _concerned(rule: Rule, is_user: Mask, measured: dict[NeighbourFeature, Scores]) -> Mask:
    """Return which neighbours meet the conditions of a rule, (m,)."""
    hit = np.full(len(is_user), rule.applies_to == "both")
    if rule.applies_to != "both":
        hit = np.asarray(is_user) == (rule.applies_to == "people")
    for condition in rule.conditions:
        # In float32 as measured: a neighbour at 0.6 exactly is not above 0.6.
        threshold = np.float32(condition.value)
        hit = hit & _COMPARE[condition.comparison](measured[condition.feature], threshold)
    return hit


def _factor_of(
    effect: Effect, days: Scores, parts: dict[Part, _Totals], hit: Mask
) -> float | _Totals:
    """Return the factor on the score of the neighbours `hit`; `days` and `parts` are of all."""
    match effect:
        case Multiply(factor=factor):
            return factor
        case Decay(rate=rate):
            return np.exp(-rate * days[hit].astype(np.float64))
        case Boost(part=part, factor=factor):
            return 1.0 + factor * parts[part][hit]
        case Filter(keeping=keeping):
            return keeping


def _require(value: float, scale: FeatureScale, what: str) -> None:
    if value not in scale:
        raise ValueError(f"{what} takes {scale}, not {value}")


def _require_text(text: str, longest: int) -> None:
    if not text or len(text) > longest or '"' in text or clean_text(text) != text:
        raise ValueError(
            f"{clean_text(text, 40)!r} is no clean text of 1 to {longest} characters without quotes"
        )
