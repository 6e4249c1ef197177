"""Find the facts about an answer's item, each with its edges of the graph.

Every fact is shown by an edge. The absence of a component is shown by the complete list of the
item's components. The path from a component up to the family in the question is searched in the
bounded graph of that item.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from localrec.data.domains import Domain
from localrec.data.evidence import Evidence, Fact
from localrec.data.query import Constraint
from localrec.foundation.prose import join_words, with_article
from localrec.foundation.text_matching import singular
from localrec.graph.catalogue import LinkDetail
from localrec.graph.item_subgraph import ItemSubgraph
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.search_query import SearchQuery

_SHOWN = 4
_BEYOND = 2  # statements about what an item has besides
_ONE = re.compile(r"(?<![\w.])1 (?P<noun>[a-z]+)")


def question_facts(
    query: SearchQuery, pool: CandidateSet, item: int, links: Mapping[int, Sequence[LinkDetail]]
) -> list[Fact]:
    """Return the facts about an item that bear on the question, most telling first.

    `links` holds the edges of the item and of the question's example, if it has one.
    """
    subgraph = ItemSubgraph(query.catalogue, item, links[item])
    facts: list[Fact] = []
    met = [
        demand.constraint
        for demand in pool.demands
        if demand.constraint is not None and demand.mask[item]
    ]
    if pool.either:  # of alternatives that became one demand, those that the item meets
        met += [one for one in query.intent.constraints if not (one.excluded or one.soft)]
    for wish in _by_kind(list(dict.fromkeys(met))):
        facts.extend(_fact_of_constraint(query, subgraph, wish))
    for wish in _by_kind(query.intent.pictured):
        facts.extend(_fact_of_constraint(query, subgraph, wish))
    facts.extend(_facts_of_likeness(query, subgraph, links))
    facts.extend(_facts_of_flags(query, item))
    facts.extend(_facts_of_numbers(query, item))
    if pool.allowed[item]:
        facts.extend(_facts_of_absence(query, subgraph))
    facts += _facts_beyond(query, subgraph, is_direct=not facts)
    return facts


def example_index(query: SearchQuery) -> int | None:
    """Return the item index of the question's example."""
    target = query.intent.target
    return query.catalogue.item_index(target) if target else None


def _by_kind(constraints: Sequence[Constraint]) -> list[Constraint]:
    """Join constraints by kind, so that each kind makes one statement."""
    keys: dict[str, list[str]] = {}
    for wish in constraints:
        keys.setdefault(wish.kind, []).extend(wish.any_of)
    return [Constraint(kind=kind, any_of=tuple(found)) for kind, found in keys.items()]


def _fact_of_constraint(
    query: SearchQuery, subgraph: ItemSubgraph, constraint: Constraint
) -> list[Fact]:
    """Return the item's attributes that meet the constraint, with their ways up to it."""
    catalogue = query.catalogue
    told: dict[int, str] = {}
    edges: list[Evidence] = []
    for key in constraint.any_of:
        family = catalogue.attribute_index(constraint.kind, key)
        path = subgraph.path_to(family) if family is not None else ()
        link = subgraph.link_to(path[0]) if path else None
        if link is None or path[0] in told:  # what it is says more than what it is a kind of
            continue
        name = _as_said(catalogue.domain, constraint.kind, link.as_written)
        if len(path) > 1 and catalogue.attributes[path[-1]].name not in name.lower():
            name += f" ({catalogue.attributes[path[-1]].name})"
        if not name:  # a source may hold a name of blanks
            continue
        told[path[0]] = name
        edges += [subgraph.edge(link), *subgraph.steps(path)]
    if not told:
        return []
    text = _stated(catalogue.domain, constraint.kind, list(told.values()))
    return [Fact(text, tuple(edges))]


def _facts_of_likeness(
    query: SearchQuery, subgraph: ItemSubgraph, links: Mapping[int, Sequence[LinkDetail]]
) -> list[Fact]:
    catalogue = query.catalogue
    seed = example_index(query)
    if seed is None or seed == subgraph.item:
        return []
    same = catalogue.identity
    theirs = {int(same[link.attribute]): link for link in links[seed]}
    component = catalogue.domain.kind_of("component")
    shared = [
        link
        for link in subgraph.links
        if int(same[link.attribute]) in theirs
        and catalogue.attributes[link.attribute].kind == component
    ]
    if not shared:
        return []
    names = join_words([link.as_written.lower() for link in shared[:_SHOWN]])
    seed_name = catalogue.names[seed]
    edges = [subgraph.edge(link) for link in shared[:_SHOWN]]
    edges += [
        Evidence(
            source=seed_name,
            relation=link.relation,
            target=theirs[int(same[link.attribute])].as_written,
            value=theirs[int(same[link.attribute])].value,
        )
        for link in shared[:_SHOWN]
    ]
    return [Fact(f"shares {names} with {seed_name}", tuple(edges))]


def _facts_of_flags(query: SearchQuery, item: int) -> list[Fact]:
    name = query.catalogue.names[item]
    facts = []
    for flag in query.intent.flags:
        value = query.catalogue.flags[flag][item]
        if value:
            facts.append(Fact(f"is {value}", (Evidence(source=name, relation=flag, target=value),)))
    return facts


def _facts_of_numbers(query: SearchQuery, item: int) -> list[Fact]:
    name = query.catalogue.names[item]
    asked = {bound.name for bound in query.intent.ranges} | set(query.intent.order)
    facts = []
    for number in sorted(asked):
        value = float(query.catalogue.numbers[number][item])
        if not math.isnan(value):
            says = query.catalogue.domain.numbers[number].says
            edge = Evidence(source=name, relation=number, target=f"{value:g}")
            facts.append(Fact(state_number(says, f"{value:g}"), (edge,)))
    return facts


def state_number(says: str, value: str) -> str:
    """State a number in a domain's words: "takes 1 minute", and "about" of no amount at all.

    Example:
        `state_number("takes {value} minutes", "1")` is "takes 1 minute".
    """
    told = says.format(value=value)
    if value == "0":
        return told.replace("about 0", "0")
    if value == "1":
        return _ONE.sub(lambda match: f"1 {singular(match['noun'])}", told)
    return told


def _facts_of_absence(query: SearchQuery, subgraph: ItemSubgraph) -> list[Fact]:
    component = query.catalogue.domain.kind_of("component")
    excluded = [
        key
        for one in query.intent.constraints
        if one.excluded and not one.soft and one.kind == component
        for key in one.any_of
    ]
    if not excluded:
        return []
    edges = tuple(subgraph.edge(link) for link in subgraph.of_kind(component))
    shown = list(dict.fromkeys(excluded))[:_SHOWN]
    concepts = query.catalogue.domain.taxonomy.get(component or "", {})
    tastes = [key for key in shown if key in concepts and concepts[key].taste]
    things = [key for key in shown if key not in tastes]
    told = [
        f"{lacks} {join_words(names, 'or')}"
        for lacks, names in (("has no", things), ("has nothing", tastes))
        if names
    ]
    return [Fact(text, edges) for text in told]


def _facts_beyond(query: SearchQuery, subgraph: ItemSubgraph, *, is_direct: bool) -> list[Fact]:
    """List attributes beyond the question: the item's components, else its maker and kinds."""
    domain = query.catalogue.domain
    component = domain.kind_of("component")
    kinds = [component] if component and subgraph.of_kind(component) else list(domain.attributes)
    facts = []
    for kind in kinds:
        links = [link for link in subgraph.of_kind(kind) if link.as_written.strip()]
        if links:
            edges = tuple(subgraph.edge(link) for link in links)
            names = [_as_said(domain, kind, link.as_written) for link in links]
            facts.append(Fact(_stated(domain, kind, names), edges, is_direct=is_direct))
    return facts[:_BEYOND]


def _stated(domain: Domain, kind: str, names: Sequence[str]) -> str:
    """State attributes of one kind: "is a horror and comedy film", "comes in an oval glass".

    A kind that a domain states as "is {name}" stands with an article before the item's noun.
    """
    spec, told = domain.attributes[kind], join_words(list(dict.fromkeys(names)))
    if spec.role in ("category", "component") and spec.says == "is {name}":
        return f"is {with_article(told)} {domain.singular}"
    if spec.says.endswith(" a {name}"):
        return spec.says.removesuffix("a {name}") + with_article(told)
    return spec.says.format(name=told)


def _as_said(domain: Domain, kind: str, written: str) -> str:
    """Write a name within a sentence: proper names as they are, other words in lower case.

    What an item is, is a proper name where a later word of it is capitalised ("Pinot Noir") or
    one is an abbreviation ("IPA").
    """
    spec, name = domain.attributes[kind], " ".join(written.split())
    first, *later = name.split()
    is_name = first[1:2].isupper() or any(word[0].isupper() for word in later)
    if spec.says.startswith("is ") and is_name:
        return name
    named = spec.role in ("category", "container") and written != written.lower()
    proper = (spec.role == "creator" or named) and kind not in domain.taxonomy
    return name if proper else name.lower()
