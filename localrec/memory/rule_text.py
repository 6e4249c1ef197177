"""Write rules as text that users edit, and parse this text strictly.

    rules "goodreads" for "books"

    rule "Shared shelves": if co_interaction_count > 10 for people then multiply edge_weight by 2.0
      because "More than ten books in common are no accident."

One rule is one paragraph:

    rule "NAME": (if CONDITION and ... | always) [for people | for items]
      then EFFECT [and EFFECT] because "REASON"

A CONDITION is a feature, one of > >= < <= and a number. An EFFECT is one of

    multiply score by 2.5                         (or a part of the score in place of `score`)
    decay by 0.004 a day
    boost by 1 + 1.2 * memory_similarity_score
    filter                                        (or `filter keeping 0.3`)

Line breaks and indents are free; `#` begins a comment, which does not survive a round trip. Names
and reasons are cleaned like every imported text. Nothing is guessed, and nothing is run: the first
word that does not fit ends the reading, with its line and column and what was expected there.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec
import numpy as np

from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_text
from localrec.memory.rules import (
    FACTOR,
    FEATURES,
    KEEPING,
    LONGEST_NAME,
    LONGEST_RATIONALE,
    MOST_CONDITIONS,
    MOST_EFFECTS,
    MOST_RULES,
    MOST_RULES_OF_MODEL,
    PARTS,
    RATE,
    SCALES,
    TARGETS,
    Boost,
    Comparison,
    Condition,
    Decay,
    Effect,
    FeatureScale,
    Filter,
    Kind,
    Multiply,
    Part,
    Rule,
    RuleSet,
    Source,
    Target,
)

LONGEST_TEXT = 20_000
_HINT = (
    'The first line reads: rules "NAME" for "DOMAIN"; a rule: '
    'rule "Name": if edge_weight > 0.5 for people then multiply score by 2.0 because "Reason."'
)
_SHOWN = 30
_COMPARISONS: tuple[Comparison, ...] = (">", ">=", "<", "<=")
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n]+|\#[^\n]*)
    | (?P<text>"[^"\n]*")
    | (?P<word>[A-Za-z_]+)
    | (?P<number>[0-9]+(?:\.[0-9]+)?)
    | (?P<sign>>=|<=|[><+*:])
    | (?P<foreign>[^ \t\n]+)""",
    re.VERBOSE,
)
_Choice = TypeVar("_Choice", bound=str)


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    start: int


def parse_rules(
    text: str, *, source: Source = "edited", version: int = 1, where: str = "The rules"
) -> RuleSet:
    """Read a set of rules.

    Args:
        text: The rules as text, at most 20,000 characters.
        source: The author; a model may write fewer rules than a user.
        version: Version of the set as it will be stored.
        where: Name of the text in an error, such as its file.

    Raises:
        InputError: the text is no set of rules; names line, column and what was expected.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST_TEXT:
        raise InputError(
            f"{where} have {len(text):,} characters, and {LONGEST_TEXT:,} are enough for "
            f"{MOST_RULES} rules.",
            "Shorten the reasons and comments.",
        )
    return _Reader(text, where).rule_set(source, version)


def format_rules(rules: RuleSet) -> str:
    """Write the text of a rule set, ending with a line break; `parse_rules` reads it back.

    `source` and `version` are not part of the text.
    """
    head = f'rules "{rules.name}" for "{rules.domain}"\n'
    return "\n".join([head, *map(format_rule, rules.rules)])


def format_rule(rule: Rule) -> str:
    """Write one rule as a paragraph of two lines."""
    when = "always"
    if rule.conditions:
        when = "if " + " and ".join(
            f"{one.feature} {one.comparison} {_number(one.value)}" for one in rule.conditions
        )
    whom = "" if rule.applies_to == "both" else f" for {rule.applies_to}"
    then = " and ".join(map(format_effect, rule.effects))
    return f'rule "{rule.name}": {when}{whom} then {then}\n  because "{rule.rationale}"\n'


def format_effect(effect: Effect) -> str:
    """Write one effect as it follows `then`."""
    match effect:
        case Multiply(part=part, factor=factor):
            return f"multiply {part} by {_number(factor, '0')}"
        case Decay(rate=rate):
            return f"decay by {_number(rate, '0')} a day"
        case Boost(part=part, factor=factor):
            return f"boost by 1 + {_number(factor, '0')} * {part}"
        case Filter(keeping=keeping):
            return f"filter keeping {_number(keeping, '0')}" if keeping else "filter"


def _number(value: float, whole: str = "-") -> str:
    """Write a number that reads back equal, without an exponent; `whole` "0" gives 2 as 2.0."""
    return np.format_float_positional(abs(value), trim=whole)  # type: ignore[arg-type]


class _Reader:
    """Read a text from beginning to end, with one method for each part of the language."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        found = _TOKEN.finditer(text)
        self._tokens = [
            _Token(str(one.lastgroup), one.group(), one.start())
            for one in found
            if one.lastgroup != "blank"
        ]
        self._tokens.append(_Token("end", "", len(text)))
        self._place = 0

    def rule_set(self, source: Source, version: int) -> RuleSet:
        self._word("rules")
        name = self._string(LONGEST_NAME)
        self._word("for")
        domain = self._string(LONGEST_NAME)
        most = MOST_RULES_OF_MODEL if source == "model" else MOST_RULES
        rules: dict[str, Rule] = {}
        while not rules or self._next.kind != "end":
            if len(rules) == most:
                raise self._wrong(f"the end of the text: a set has at most {most} rules")
            self._word("rule")
            named = self._next
            rule = self._rule()
            if rule.name.casefold() in rules:
                raise self._wrong("a name that no other rule of the set has", named)
            rules[rule.name.casefold()] = rule
        return RuleSet(
            name=name, domain=domain, rules=tuple(rules.values()), source=source, version=version
        )

    def _rule(self) -> Rule:
        name = self._string(LONGEST_NAME)
        self._word(":")
        conditions: list[Condition] = []
        word = self._one_of("if", "always")
        while word in ("if", "and"):
            if len(conditions) == MOST_CONDITIONS:
                raise self._wrong(f"no more than {MOST_CONDITIONS} conditions", self._last)
            conditions.append(self._condition())
            word = self._one_of("and", "for", "then")
        if word == "always":
            word = self._one_of("for", "then")
        applies_to: Kind = "both"
        if word == "for":
            applies_to = self._one_of("people", "items")
            self._word("then")
        effects = [self._effect()]
        while self._one_of("and", "because") == "and":
            if len(effects) == MOST_EFFECTS:
                raise self._wrong(f"no more than {MOST_EFFECTS} effects", self._last)
            effects.append(self._effect())
        return Rule(
            name=name,
            conditions=tuple(conditions),
            effects=tuple(effects),
            rationale=self._string(LONGEST_RATIONALE),
            applies_to=applies_to,
        )

    def _condition(self) -> Condition:
        feature = self._one_of(*FEATURES)
        comparison = self._one_of(*_COMPARISONS)
        return Condition(feature, comparison, self._number(SCALES[feature]))

    def _effect(self) -> Effect:
        match self._one_of("multiply", "decay", "boost", "filter"):
            case "multiply":
                part: Target = self._one_of(*TARGETS)
                self._word("by")
                return Multiply(part, self._number(FACTOR))
            case "decay":
                self._word("by")
                rate = self._number(RATE)
                self._word("a")
                self._word("day")
                return Decay(rate)
            case "boost":
                return self._boost()
            case _:
                if self._next.text != "keeping":
                    return Filter()
                self._place += 1
                return Filter(self._number(KEEPING))

    def _boost(self) -> Boost:
        for word in ("by", "1", "+"):
            self._word(word)
        factor = self._number(FACTOR)
        self._word("*")
        part: Part = self._one_of(*PARTS)
        return Boost(part, factor)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    @property
    def _last(self) -> _Token:
        return self._tokens[self._place - 1]

    def _word(self, word: str) -> None:
        self._one_of(word)

    def _one_of(self, *words: _Choice) -> _Choice:
        for word in words:
            if self._next.text == word:
                self._place += 1
                return word
        raise self._wrong(" or ".join(words))

    def _number(self, scale: FeatureScale) -> float:
        token = self._next
        if token.kind != "number" or (value := float(token.text)) not in scale:
            raise self._wrong(str(scale))
        self._place += 1
        return value

    def _string(self, longest: int) -> str:
        token = self._next
        # One character more than may be: what is cut off must not pass for a short text.
        value = clean_text(token.text.strip('"'), longest + 1)
        if token.kind != "text" or not 1 <= len(value) <= longest:
            raise self._wrong(f"a text of 1 to {longest} characters in double quotes")
        self._place += 1
        return value

    def _wrong(self, wanted: str, token: _Token | None = None) -> InputError:
        token = token or self._next
        before = self._text[: token.start]
        line, column = before.count("\n") + 1, token.start - before.rfind("\n")
        shown = clean_text(token.text[:200], _SHOWN + 1)
        if len(shown) > _SHOWN:
            shown = shown[:_SHOWN] + "..."
        found = "the end" if token.kind == "end" else shown or "an invisible character"
        return InputError(
            f"{self._where}, line {line}, column {column}: expected {wanted}, found {found}.",
            _HINT,
        )
