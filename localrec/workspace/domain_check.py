"""What would not work in a domain's declaration, in sentences."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from localrec.data.domains import Domain
from localrec.data.records import Record

_PLAIN = re.compile(r"[a-z][a-z0-9_]*")


class CheckedDomain(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The faults of a domain's declaration: a sentence for each."""

    name: str
    problems: tuple[str, ...]


def check_domain(domain: Domain) -> CheckedDomain:
    """Look for faults in a declaration."""
    return CheckedDomain(name=domain.name, problems=tuple(domain_problems(domain)))


def domain_problems(domain: Domain) -> list[str]:
    """One sentence for each fault; none for a domain that is in order."""
    return [
        *_problems_of_words(domain),
        *_problems_of_attributes(domain),
        *_problems_of_numbers(domain),
        *_problems_of_columns(domain),
    ]


def _problems_of_words(domain: Domain) -> list[str]:
    problems = []
    if not domain.item_words:
        problems.append("item_words is empty: questions need a word for an item.")
    problems += [
        f"The word {word!r} must be written in small letters."
        for word in (domain.singular, domain.plural, *domain.item_words)
        if word != word.lower() or not word.strip()
    ]
    if "name" not in domain.texts:
        problems.append('[texts] lacks name = "name": items are searched by their names.')
    if not domain.examples:
        problems.append("examples is empty: give one question that the catalogue can answer.")
    return problems


def _problems_of_attributes(domain: Domain) -> list[str]:
    problems = []
    edges = Counter(spec.edge for spec in domain.attributes.values())
    problems += [f"Two kinds share the edge {edge!r}." for edge, uses in edges.items() if uses > 1]
    for kind, spec in domain.attributes.items():
        if "{name}" not in spec.says:
            problems.append(f"says of {kind} needs {{name}}.")
        problems += [
            f"{kind} reads from the text {text!r}, which [texts] does not have."
            for text in spec.from_texts
            if text not in domain.texts
        ]
    strange = domain.taxonomy.keys() - domain.attributes.keys()
    problems += [f"taxonomy.toml speaks of {kind!r}, which is no kind." for kind in sorted(strange)]
    return problems


def _problems_of_numbers(domain: Domain) -> list[str]:
    problems = [
        f"The number {name!r} must be a plain word of small letters, digits and _."
        for name in domain.numbers
        if not _PLAIN.fullmatch(name)
    ]
    problems += [
        f"says of {name} needs {{value}}."
        for name, spec in domain.numbers.items()
        if "{value}" not in spec.says
    ]
    for name, spec in domain.numbers.items():
        problems += [
            f"The unit {unit!r} of {name} must be worth more than 0."
            for unit, factor in spec.units.items()
            if not factor > 0
        ]
    return problems


def _problems_of_columns(domain: Domain) -> list[str]:
    columns = domain.columns
    if columns is None:
        return []
    problems = [
        f"columns.toml fills the kind {kind!r}, which domain.toml does not have."
        for kind in columns.links
        if kind not in domain.attributes
    ]
    problems += [
        f"columns.toml fills the number {name!r}, which domain.toml does not have."
        for name in columns.numbers
        if name not in domain.numbers
    ]
    problems += [
        f"columns.toml fills the flag {name!r}, which domain.toml does not have."
        for name in columns.flags
        if name not in domain.flags
    ]
    return problems
