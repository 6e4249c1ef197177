"""Let a local model write rules from a domain's statistics (MemRec, equation 1 and Figure 9).

The paper asks a large model once for 3 to 5 rules in free prose. Here the model writes one rule at
a time under a grammar whose every sentence is a rule: features, comparisons and effects are fixed
words, numbers come from short lists, and only the reason is the model's own sentence. The grammar
leaves out features of earlier rules, so no rule repeats or undoes another; it also leaves out
thresholds that no neighbour of the domain reaches.

A model's rule has one condition and one effect, and may not drop neighbours altogether: a slightly
wrong threshold would leave a user without any. Users may write more complex rules (`rule_text.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from localrec.data.chat_message import Message
from localrec.foundation.errors import InputError, ModelError
from localrec.foundation.text import clean_name
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import sentence_grammar
from localrec.memory.domain_statistics import Distribution, DomainStatistics
from localrec.memory.rule_text import parse_rules
from localrec.memory.rules import (
    MOST_RULES_OF_MODEL,
    PARTS,
    TARGETS,
    Boost,
    Decay,
    Effect,
    Filter,
    Multiply,
    NeighbourFeature,
    Rule,
    RuleSet,
)

FEWEST_RULES = 3
ENOUGH = "enough"
_LONGEST_REASON = 120  # characters
_MAX_TOKENS = 160  # of one rule: some 45 before the reason, and a reason of short tokens
_TEMPERATURE = 0.3  # so that seeds differ; at 0.6 a model of 135 million wrote fairy tales
_TOLD_CATEGORIES = 5

_SHARES = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
_COUNTS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50)
_DAYS = (7, 14, 30, 60, 90, 180, 365, 730, 1825)
_FACTORS = ("0.3", "0.5", "0.7", "1.2", "1.5", "1.8", "2.0", "2.5", "3.0")
_RATES = ("0.001", "0.002", "0.004", "0.008", "0.015", "0.03")
_BOOSTS = ("0.3", "0.5", "0.8", "1.0", "1.2", "1.5", "2.0")
_KEPT = ("0.1", "0.2", "0.3", "0.5")

_ASPECTS: dict[str, str] = {
    "edge_weight": "tie",
    "recency_days": "age",
    "co_interaction_count": "shared items",
    "metadata_overlap_score": "shared attributes",
    "memory_similarity_score": "memory",
}
_TASK = """\
You choose neighbours for a recommender. The neighbours of a person are people who liked the same \
items, and items which those people liked. Each neighbour has a score, and the best sixteen are \
kept. You write rules that change the score, so that close neighbours win in this domain.

What is measured of each neighbour:
- edge_weight: how strong the tie is, 0 to 1
- co_interaction_count: how many items are shared
- metadata_overlap_score: how alike the attributes are, 0 to 1
- memory_similarity_score: how alike the remembered tastes are, 0 to 1
- recency_days: days since the neighbour was last active

What a rule may do: multiply the score or one measure, decay it by age, boost it, or filter.
Where people share many items, trust shared items. Where they share few, trust attributes and \
memory. Where tastes last, or all was told in one day, age means little.
Write one rule at a time, with a number for its bound and a short reason. No two alike."""
_NEXT = "Another rule, about something else:"
# Two domains that are none of ours, with rules that follow from their figures.
_WORKED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Domain: podcasts\n80 people, 4,000 items, 900 interactions: 0.28% of all pairs.\n"
        "Items per person: 7 at the median, 40 at most.",
        (
            "if co_interaction_count >= 2 then multiply edge_weight by 2.5 "
            'because "People share few podcasts, so two in common mean much."',
            "if metadata_overlap_score > 0.6 then multiply score by 1.8 "
            'because "Where little is shared, the same topic says most."',
        ),
    ),
    (
        "Domain: news\n5,000 people, 900 items, 300,000 interactions: 6.67% of all pairs.\n"
        "Age of an interaction in days: 3 at the median, 30 at most.",
        (
            "if recency_days > 7 then decay by 0.03 a day "
            'because "News grows stale within days, so old reading says little."',
            "if edge_weight < 0.2 for people then filter keeping 0.3 "
            'because "In a crowd so dense, a weak tie is chance."',
            "if memory_similarity_score > 0.5 for items then boost by 1 + 1.2 * "
            'memory_similarity_score because "What is remembered of an item shows whom it suits."',
        ),
    ),
)


def generate_rules(model: ChatModel, statistics: DomainStatistics, seed: int = 0) -> RuleSet:
    """Let a model write 3 to 5 rules for a domain; after the third it may answer `enough`.

    Takes three to five calls, each bound by `rule_grammar`; the same seed gives the same rules.

    Args:
        model: Any chat model.
        statistics: Statistics of a domain with interactions.
        seed: Seed of the sampling.

    Raises:
        InputError: the domain has no interactions, so there are no neighbours to choose.
        ModelError: the model failed, or an answer is not a rule or one that was there already.
    """
    if not statistics.interactions:
        raise InputError(
            f"Nobody did anything in the domain {statistics.domain!r} yet.",
            "Import a history first: localrec import auto FILE --user NAME",
        )
    initial_prompt = _initial_prompt(statistics)
    messages = list(initial_prompt)
    rules: list[Rule] = []
    while len(rules) < min(MOST_RULES_OF_MODEL, len(_thresholds(statistics))):
        may_stop = len(rules) >= FEWEST_RULES
        generation = model.generate(
            messages,
            grammar=rule_grammar(
                statistics, [statistics_text(rule) for rule in rules], may_stop=may_stop
            ),
            max_tokens=_MAX_TOKENS,
            temperature=_TEMPERATURE,
            seed=seed + len(rules),
            fixed=len(initial_prompt),
        )
        if may_stop and generation.text == ENOUGH:
            break
        rules.append(_read(generation.text, rules))
        messages += [
            Message("assistant", generation.text),
            Message("user", _NEXT),
        ]
    return RuleSet(
        name=f"{clean_name(statistics.domain)[:40]}, by a model",
        domain=statistics.domain,
        rules=tuple(rules),
        source="model",
    )


def statistics_text(rule: Rule) -> NeighbourFeature:
    """The feature that a model's rule is about; no two rules of a set share it."""
    return rule.conditions[0].feature


def rule_grammar(
    statistics: DomainStatistics, taken: Collection[NeighbourFeature], *, may_stop: bool = False
) -> str:
    """Write the GBNF of one rule without its name; `parse_rules` reads every text of it.

    Args:
        statistics: Bounds the thresholds by what the domain has.
        taken: Features that the rules so far look at; one must be left.
        may_stop: The answer may also be `enough`.
    """
    offered = _thresholds(statistics).items()
    free = [_form(feature, numbers) for feature, numbers in offered if feature not in taken]
    stop = f' | "{ENOUGH}"' if may_stop else ""
    lines = [
        f'root ::= "if " rule " because \\"" reason "\\""{stop}',
        f"rule ::= {' | '.join(free)}",
        'kind ::= (" for people" | " for items"){0,1} " then "',
        f'effect ::= "multiply " ({_alternatives(TARGETS)}) " by " factor'
        f' | "boost by 1 + " boost " * " ({_alternatives(PARTS)})',
        'scale ::= "multiply score by " factor',
        'filter ::= "filter keeping " kept',
        'decay ::= "decay by " rate " a day"',
        f"factor ::= {_alternatives(_FACTORS)}",
        f"boost ::= {_alternatives(_BOOSTS)}",
        f"kept ::= {_alternatives(_KEPT)}",
        f"rate ::= {_alternatives(_RATES)}",
        sentence_grammar(_LONGEST_REASON).strip().replace("root", "reason", 1),
    ]
    return "\n".join(lines) + "\n"


def _thresholds(statistics: DomainStatistics) -> dict[NeighbourFeature, Sequence[str]]:
    """List the features for rules, with the values that neighbours in the domain reach."""
    days = [str(day) for day in _DAYS if day <= _oldest(statistics)]
    numbers: dict[NeighbourFeature, Sequence[str]] = dict.fromkeys(PARTS, _SHARES)
    numbers["co_interaction_count"] = [
        str(count) for count in _COUNTS if count <= _largest_degree(statistics)
    ]
    return {**numbers, "recency_days": days} if days else numbers


def _form(feature: NeighbourFeature, numbers: Sequence[str]) -> str:
    """Write the GBNF of rules about one feature, from its name up to the reason.

    What is filtered is weak or old: the reverse would put the best neighbours behind. Forms part
    as late as they can, since the decoder pays for each one that is still possible.
    """
    above, below = '(" > " | " >= ")', '(" < " | " <= ")'
    number = f"({_alternatives(numbers)})"
    if feature == "recency_days":
        worse, better = "(decay | filter | scale)", "scale"
    else:
        worse, better = "effect", "(effect | filter)"
    return f'"{feature}" ({above} {number} kind {worse} | {below} {number} kind {better})'


def _read(answer: str, rules: list[Rule]) -> Rule:
    """Read a rule that follows the grammar, and name it by its effect.

    Raises:
        ModelError: the answer is no rule of one condition and one effect, or is there already.
    """
    try:
        read = parse_rules(f'rules "-" for "-" rule "{len(rules)}": {answer}', source="model")
    except InputError as error:
        raise ModelError(f"The model wrote no rule: {error.message}") from error
    rule = read.rules[0]
    if (len(read.rules), len(rule.conditions), len(rule.effects)) != (1, 1, 1):
        raise ModelError(
            "The model did not write exactly one rule, of exactly one condition and one effect."
        )
    if statistics_text(rule) in map(statistics_text, rules):
        raise ModelError(f"The model wrote two rules about {statistics_text(rule)}.")
    return Rule(
        name=_name(rule),
        conditions=rule.conditions,
        effects=rule.effects,
        rationale=rule.rationale,
        applies_to=rule.applies_to,
    )


def _name(rule: Rule) -> str:
    """Name a rule, such as "Weight of tie by shared items"; names of features differ."""
    name, aspect = _effect_name(rule.effects[0]), _ASPECTS[statistics_text(rule)]
    return name if name.endswith(aspect) else f"{name} by {aspect}"


def _effect_name(effect: Effect) -> str:
    match effect:
        case Multiply(part="score"):
            return "Score"
        case Multiply(part=part):
            return f"Weight of {_ASPECTS[part]}"
        case Boost(part=part):
            return f"Boost from {_ASPECTS[part]}"
        case Decay():
            return "Decay"
        case Filter():
            return "Filter"


def _initial_prompt(statistics: DomainStatistics) -> list[Message]:
    messages = [Message("system", _TASK)]
    for figures, rules in _WORKED:
        questions = [_first(figures), *[_NEXT] * (len(rules) - 1)]
        for question, rule in zip(questions, rules, strict=True):
            messages += [Message("user", question), Message("assistant", rule)]
    return [*messages, Message("user", _first(_statistics_prompt(statistics)))]


def _first(figures: str) -> str:
    return f"{figures}\nA rule:"


def _statistics_prompt(statistics: DomainStatistics) -> str:
    """Write the statistics for a model; names from a catalogue are cut short."""
    lines = [
        f"Domain: {clean_name(statistics.domain)[:40]}",
        f"{statistics.users:,} people, {statistics.items:,} items, "
        f"{statistics.interactions:,} interactions: {statistics.density:.2%} of all pairs.",
    ]
    if statistics.items_per_user:
        lines.append(f"Items per person: {_spread(statistics.items_per_user)}.")
    if statistics.users_per_item:
        lines.append(f"People per item: {_spread(statistics.users_per_item)}.")
    if statistics.age_days and statistics.span_days:
        lines.append(f"Age of an interaction in days: {_spread(statistics.age_days)}.")
        lines.append(f"Days from a person's first to their last: {_spread(statistics.span_days)}.")
    shares = [
        f"{clean_name(one.name)[:40]} {one.share:.0%}"
        for one in statistics.categories[:_TOLD_CATEGORIES]
    ]
    if shares:
        lines.append(f"Commonest: {', '.join(shares)}.")
    return "\n".join(lines)


def _spread(values: Distribution) -> str:
    return f"{values.median:,.0f} at the median, {values.most:,.0f} at most"


def _largest_degree(statistics: DomainStatistics) -> float:
    degrees = (statistics.items_per_user, statistics.users_per_item)
    return max((spread.most for spread in degrees if spread), default=0.0)


def _oldest(statistics: DomainStatistics) -> float:
    return statistics.age_days.most if statistics.age_days else 0.0


def _alternatives(words: Iterable[str]) -> str:
    return " | ".join(f'"{word}"' for word in words)
