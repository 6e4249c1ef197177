"""The reflector's examples: a question with retrieved items, and their four scores.

The constraints of a question are known by construction, so the graph tells which items meet them;
the scores are those of the measured critic, in steps of five. Sets are drawn good, bad and mixed,
since otherwise nearly every one would be good. An adapter learns to score like the measured critic;
it helps with catalogues and questions that the graph knows too little about.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from localrec.data.arrays import Indexes
from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.graph.catalogue import Catalogue
from localrec.ranking.critics import (
    Assessment,
    critic_prompt,
    measured_assessment,
    share_of_constraints_met,
    verdict,
)
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.example import Example, Examples, Half
from localrec.training.examples.lexicon import lexicon_of
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions

_SIZES = (3, 4, 5)
_FITTING = (0.0, 0.4, 0.7, 1.0)  # share of a set that is drawn from what answers
_STEP = 5


def reflector_examples(
    catalogues: Sequence[Catalogue], train: int, validation: int, seed: int
) -> Examples:
    """Make candidate sets for both halves, by turns over all catalogues."""

    def half(name: Half, count: int) -> tuple[Example, ...]:
        random_ = random.Random(f"{seed} {name} sets")
        known = {id(lexicon): one for lexicon, one in named}
        composed = compose_questions([lexicon for lexicon, _ in named], name, count, seed)
        return tuple(_example(q, known[id(lexicon)], random_) for lexicon, q in composed)

    named = [(lexicon_of(one), one) for one in catalogues]
    return Examples(
        role="reflector", train=half("train", train), validation=half("validation", validation)
    )


def _example(question: ComposedQuestion, catalogue: Catalogue, random_: random.Random) -> Example:
    pool = build_candidates(intent_of(question.demands, catalogue), catalogue, question.task)
    k = random_.choice(_SIZES)
    items = _drawn(pool, k, random_)
    scores = measured_assessment(catalogue, pool, items, k, share_of_constraints_met(pool, items))
    return Example(
        messages=tuple(critic_prompt(question.text, catalogue, items, k)),
        answer=verdict(_in_steps(scores)),
        split_keys=question.split_keys,
    )


def intent_of(demands: Sequence[SampledConstraint], catalogue: Catalogue) -> Query:
    """Build the query of these constraints in the graph's keys, without reading the text."""
    constraints = [
        Constraint(
            kind=kind, any_of=tuple(name.key for name in one.names), excluded=one.is_excluded
        )
        for one in demands
        if one.names and (kind := _kind_of(one, catalogue.domain)) is not None
    ]
    flags = {
        flag: one.names[0].key
        for one in demands
        if one.slot == "flag"
        for flag, spec in catalogue.domain.flags.items()
        if one.names[0].key in spec.values
    }
    component = catalogue.domain.kind_of("component") or ""
    constraints += [
        Constraint(kind=component, any_of=(name,), excluded=True)
        for one in demands
        if one.slot == "flag"
        for name in catalogue.domain.diets.get(one.names[0].key, ())
    ]
    example = next((one.names[0].key for one in demands if one.slot == "like"), None)
    known = example in catalogue.names
    return Query(
        constraints=tuple(constraints),
        flags=flags,
        target=catalogue.keys[catalogue.names.index(example)] if example and known else None,
        anchor=example,
    )


def _kind_of(demand: SampledConstraint, domain: Domain) -> str | None:
    """Return the attribute kind of a constraint; None where it has none."""
    if demand.slot in ("include", "either", "exclude"):
        return domain.kind_of("component")
    if demand.slot in ("flag", "like"):
        return None
    return domain.kind_of(demand.slot)  # type: ignore[arg-type]  # the others are roles


def _drawn(pool: CandidateSet, k: int, random_: random.Random) -> Indexes:
    """Draw at most k items: some that answer, the rest from anywhere."""
    fitting = np.flatnonzero(pool.items).tolist()
    others = np.flatnonzero(~pool.items).tolist()
    good = min(len(fitting), round(k * random_.choice(_FITTING)))
    chosen = random_.sample(fitting, good) + random_.sample(others, min(len(others), k - good))
    random_.shuffle(chosen)
    return np.array(chosen or fitting[:1], dtype=np.int32)


def _in_steps(scores: Assessment) -> dict[str, int]:
    """Round scores to steps that a small model can distinguish."""
    return {
        name: _STEP * round(getattr(scores, name) / _STEP) for name in Assessment.__struct_fields__
    }
