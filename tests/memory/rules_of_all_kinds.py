"""Hypothesis strategies for everything the rule language can say."""

from __future__ import annotations

from hypothesis import strategies as st

from localrec.foundation.text import clean_text
from localrec.memory.rules import (
    FEATURES,
    PARTS,
    SCALES,
    TARGETS,
    Boost,
    Condition,
    Decay,
    Effect,
    Filter,
    Multiply,
    NeighbourFeature,
    Rule,
    RuleSet,
)


def numbers(high: float, decimals: int = 6) -> st.SearchStrategy[float]:
    return st.floats(0, high).map(lambda value: abs(round(value, decimals)))


def texts(longest: int) -> st.SearchStrategy[str]:
    """Any text that can stand between quotes: letters of all scripts, marks, digits."""
    written = st.text(st.characters(exclude_characters='"'), max_size=longest)
    return written.map(lambda text: clean_text(text, longest) or "Why not")


def conditions() -> st.SearchStrategy[Condition]:
    def of(feature: NeighbourFeature) -> st.SearchStrategy[Condition]:
        scale = SCALES[feature]
        value = numbers(scale.high, 0 if scale.whole else 6)
        return st.builds(
            Condition, st.just(feature), st.sampled_from((">", ">=", "<", "<=")), value
        )

    return st.sampled_from(FEATURES).flatmap(of)


def effects() -> st.SearchStrategy[Effect]:
    return st.one_of(
        st.builds(Multiply, st.sampled_from(TARGETS), numbers(10)),
        st.builds(Decay, numbers(1)),
        st.builds(Boost, st.sampled_from(PARTS), numbers(10)),
        st.builds(Filter, numbers(1)),
    )


def rules() -> st.SearchStrategy[Rule]:
    return st.builds(
        Rule,
        name=texts(60),
        conditions=st.lists(conditions(), max_size=4).map(tuple),
        effects=st.lists(effects(), min_size=1, max_size=2).map(tuple),
        rationale=texts(300),
        applies_to=st.sampled_from(("both", "people", "items")),
    )


def rule_sets() -> st.SearchStrategy[RuleSet]:
    return st.builds(
        RuleSet,
        name=texts(60),
        domain=texts(60),
        rules=st.lists(
            rules(), min_size=1, max_size=8, unique_by=lambda rule: rule.name.casefold()
        ).map(tuple),
    )
