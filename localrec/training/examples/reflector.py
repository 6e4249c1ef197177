"""The reflector's examples: a question with two lists, of which one meets more of it.

The constraints of a question are known by construction, so the graph tells what each item meets: an
item that holds what is refused meets nothing, any other the share of the wishes that it fulfils. A
list meets what its items do on average. Pairs differ clearly; in some of them the worse list has
what is wanted and what is refused as well, so that counting names is not enough. The letter of the
better list is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, islice

import numpy as np

from localrec.data.arrays import Floats, Indexes
from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.graph.catalogue import Catalogue
from localrec.ranking.pair_critic import LISTS, QuestionFacts
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.example import Example, Examples, Half
from localrec.training.examples.lexicon import Lexicon, lexicon_of
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions

_SIZES = (3, 3, 4)
_FITTING = (0.0, 0.34, 0.67, 1.0)  # share of a list that is drawn from what answers
_REFUSED = 0.75  # of the other items, where the question refuses something
_APART = 0.3  # least difference between the two lists
_DRAWS = 4  # of a pair, before the next question
_QUESTIONS = 40  # that may be drawn for each pair


def reflector_examples(
    catalogues: Sequence[Catalogue], train: int, validation: int, seed: int
) -> Examples:
    """Make pairs of lists for both halves, by turns over all catalogues."""

    def half(name: Half, count: int) -> tuple[Example, ...]:
        random_ = random.Random(f"{seed} {name} pairs")
        known = {id(lexicon): one for lexicon, one in named}
        lexicons = [lexicon for lexicon, _ in named]
        composed = compose_questions(lexicons, name, count * _QUESTIONS, seed)
        pairs = (_pair(one, known[id(lexicon)], lexicon, random_) for lexicon, one in composed)
        return tuple(islice(chain.from_iterable(pairs), count))

    named = [(lexicon_of(one), one) for one in catalogues]
    return Examples(
        role="reflector", train=half("train", train), validation=half("validation", validation)
    )


def _pair(
    question: ComposedQuestion, catalogue: Catalogue, lexicon: Lexicon, random_: random.Random
) -> Iterator[Example]:
    """Draw two lists that are clearly apart, and by facts that a model is told; else none."""
    told = QuestionFacts(question.text, lexicon.vocabulary, catalogue)
    pool = build_candidates(intent_of(question.demands, catalogue), catalogue, question.task)
    met = share_met_by_items(pool)
    if not pool.items.any() or met[pool.items].min() - met.min() < _APART:
        return
    size = random_.choice(_SIZES)
    for _ in range(_DRAWS):
        first, second = (
            _drawn(pool, size, share, random_) for share in random_.sample(_FITTING, 2)
        )
        gain = float(met[second].mean() - met[first].mean())
        if abs(gain) >= _APART and told.compared(first, second):
            yield Example(
                messages=told.prompt(first, second),
                answer=LISTS[int(gain > 0)],
                labels=LISTS,
                split_keys=question.split_keys,
            )
            return


def share_met_by_items(pool: CandidateSet) -> Floats:
    """Compute the share of a question's wishes that each item meets, 0 if it is refused, (n,)."""
    masks = [demand.mask for demand in pool.demands] or [pool.allowed]
    met: Floats = np.where(pool.allowed, np.mean(masks, axis=0), 0.0).astype(np.float32)
    return met


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


def _drawn(pool: CandidateSet, size: int, share: float, random_: random.Random) -> Indexes:
    """Draw a list: some items that answer, and of the rest some that hold what is refused."""
    fitting = np.flatnonzero(pool.items).tolist()
    wanted = np.all([demand.mask for demand in pool.demands], axis=0)
    refused = np.flatnonzero(wanted & ~pool.allowed).tolist()
    others = np.flatnonzero(~pool.items).tolist()
    chosen: list[int] = []
    for place in range(size):
        fits = place < round(size * share)
        source = fitting if fits else refused if random_.random() < _REFUSED else others
        left = [one for one in source or others if one not in chosen]
        chosen.append(random_.choice(left or others))
    random_.shuffle(chosen)
    return np.array(chosen, dtype=np.int32)
