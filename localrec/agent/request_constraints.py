"""Read the constraints that an instruction states, in the catalogue's own terms."""

from __future__ import annotations

from localrec.agent.tool_context import RequestConstraint
from localrec.data.arrays import Indexes, Mask
from localrec.data.query import Constraint, Query, TaskKind
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.candidates import allowed_items, build_candidates
from localrec.retrieval.shelf import survey_shelf


def request_constraints(
    candidates: Indexes, intent: Query, catalogue: Catalogue
) -> tuple[RequestConstraint, ...]:
    """List the constraints of a query in words, each with the candidates that meet it.

    All points but one together are what lies in the intent's pool before anything is relaxed; the
    one is that what is at hand makes it, which a pool does not insist on.

    Args:
        candidates: Catalogue indexes, (c,).
        intent: The query of a question or an instruction.
        catalogue: The catalogue that the query was read for.
    """
    points = [
        (_stated(one.constraint, catalogue) if one.constraint else one.value, one.mask)
        for one in build_candidates(intent, catalogue, TaskKind.C3).demands
    ]
    points += [(text, allowed_items(bar, catalogue)) for text, bar in _bars(intent, catalogue)]
    if intent.have:
        points.append((f"needs nothing but {', '.join(intent.have)}", _made_of(intent, catalogue)))
    return tuple(RequestConstraint(text, mask[candidates]) for text, mask in points)


def _bars(intent: Query, catalogue: Catalogue) -> list[tuple[str, Query]]:
    """List each exclusion in words, as a query that contains only this exclusion."""
    bars = [
        (f"none that {_stated(one, catalogue)}", Query(constraints=(one,)))
        for one in intent.constraints
        if one.excluded and not one.soft
    ]
    bars += [(f"is {value}", Query(flags={flag: value})) for flag, value in intent.flags.items()]
    bars += [
        (f"other than {_named(key, catalogue)}", Query(exclude_items=(key,)))
        for key in intent.exclude_items
    ]
    if intent.target is not None:
        target = Query(target=intent.target)
        bars.append((f"other than {_named(intent.target, catalogue)} itself", target))
    return bars


def _stated(constraint: Constraint, catalogue: Catalogue) -> str:
    says = catalogue.domain.attributes[constraint.kind].says
    return says.format(name=" or ".join(constraint.any_of))


def _named(key: str, catalogue: Catalogue) -> str:
    place = catalogue.item_index(key)
    return key if place is None else catalogue.names[place]


def _made_of(intent: Query, catalogue: Catalogue) -> Mask:
    """Return which items need only components that are at hand, (n,)."""
    kind = catalogue.domain.kind_of("component") or ""
    found = (catalogue.attribute_index(kind, key) for key in intent.have)
    makeable = catalogue.none()
    makeable[survey_shelf(catalogue, [one for one in found if one is not None]).makeable] = True
    return makeable
