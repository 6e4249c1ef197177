"""Measure who tells best what the names of a question are there for: rules, the tagger, or both.

Run:
    python scripts/studies/run.py question_roles --catalogues FOLDER CARRIERS --network roles.npz

Questions are composed of carriers that the network was not shown, with names of real catalogues
and slips of the finger; of each name it is known what it is there for. Every way reads the same
questions into queries. A network is trained without these carriers:

    localrec train reader k1.jsonl k2.jsonl --out roles.npz

The first network is measured beside the rules too, the others alone: networks that learnt more and
more questions make a learning curve.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from asked_catalogues import DOMAINS, AskedCatalogue
from findings import Findings, add_folder, origin_of, say, show_step

from localrec.data.query import Query
from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.foundation.paths import make_private
from localrec.foundation.text_matching import roots
from localrec.index.embedders import open_embedder
from localrec.training.reader.carriers import Carrier, read_carriers
from localrec.training.reader.role_questions import QuestionComposer, TaggedQuestion, read_names
from localrec.understanding.query_parser import parse_query
from localrec.understanding.question_roles import ALONE, Role, RoleTagger, load_roles
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace.domain_context import DomainContext

_TYPES: Mapping[str, Mapping[str, str]] = {
    "drinks": {"component": "component", "category": "category", "look": "colour"},
    "films": {"component": "component", "category": "component"},
    "books": {"creator": "creator", "category": "category", "series": "series"},
    "wines": {"component": "component", "creator": "creator", "place": "country"},
    "games": {"component": "mechanic", "category": "category", "creator": "creator"},
}
_LEAST_USE = 3  # items that have a name, for it to be drawn
_LONGEST = 3  # words
_ITEMS = 400  # names of items to draw from
_WISHES = frozenset({"wanted", "one_of", "more", "at_hand"})
MEASURES = {
    "refused_found": "refused names that are refused",
    "refused_right": "names refused that should be",
    "wishes_kept": "wishes that are not refused",
    "asides_left": "names said by the way that are no wish",
}


class WayFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One way to read: measure -> group ("all" or a domain) -> cell, and its median time."""

    measures: dict[str, dict[str, IntervalEstimate]]
    median_ms: float


class RoleFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All ways on the same questions."""

    origin: Origin
    questions: int
    network_bytes: int
    ways: dict[str, WayFigures]


class NamedSlot(msgspec.Struct, frozen=True):
    """A name of a question and what it is there for."""

    name: str
    role: Role


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("carriers", type=Path, nargs="+", help="of a hand that was held out")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument(
        "--network", type=Path, nargs="+", required=True, help="trained without the carriers"
    )
    parser.add_argument("--count", type=int, default=150, help="questions of each domain")
    parser.add_argument("--domains", default="drinks,films,books,wines", help="parted by commas")
    parser.add_argument("--failures", action="store_true", help="show refusals that were missed")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Read composed questions in every way and compare."""
    encoder = open_embedder(threads=1)
    ways: dict[str, RoleTagger | None] = {
        "rules": None,
        "both": RoleTagger(load_roles(asked.network[0]), encoder),
    }
    for path in asked.network:
        ways[f"{path.stem} alone"] = RoleTagger(load_roles(path), encoder, ALONE)
    state = make_private(asked.state)
    carriers = read_carriers(asked.carriers)
    told: dict[str, list[tuple[str, str, float]]] = {way: [] for way in ways}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for domain in asked.domains.split(","):
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        workspace, context = catalogue.open({})
        with workspace:
            questions = compose(domain, context, carriers, asked.count)
            for done, question in enumerate(questions, 1):
                show_step(domain, done, len(questions))
                slots = slots_of(question)
                for way, tagger in ways.items():
                    encoder.read.cache_clear()  # each way pays for its own reading
                    begun = time.thread_time()
                    query = parse_query(question.text, context.vocabulary, tagger)
                    times[way].append(1000 * (time.thread_time() - begun))
                    seen = list(judge(slots, query, context.vocabulary))
                    told[way] += [(measure_, domain, value) for measure_, value in seen]
                    if asked.failures and ("refused_found", 0.0) in seen:
                        say(f"\n{domain} {way} missed: {question.text} {refused_in(query)}")
    figures = RoleFigures(
        origin=origin_of("question_roles", "--catalogues FOLDER --network FILE CARRIERS"),
        questions=len(times["rules"]),
        network_bytes=asked.network[0].stat().st_size,
        ways={
            way: WayFigures(
                measures=summarise(told[way]), median_ms=round(float(np.median(times[way])), 2)
            )
            for way in ways
        },
    )
    return Findings(
        text=as_markdown(figures),
        page="questions",
        block="question-roles",
        figures=figures,
        kept_as="question-roles",
    )


def compose(
    domain: str, context: DomainContext, carriers: Sequence[Carrier], count: int
) -> list[TaggedQuestion]:
    """Questions with names of one catalogue, each different."""
    names = {**read_names()[domain], **names_of(domain, context)}
    known = {"item", "component", "category", "creator", "look", "series", "place"}
    for type_ in known - names_of(domain, context).keys():
        names.pop(type_, None)
    composer = QuestionComposer(carriers, 7, {domain: names})
    return list(composer.compose(count))


def names_of(domain: str, context: DomainContext) -> dict[str, tuple[str, ...]]:
    """The names that a catalogue has for each type of slot."""
    catalogue = context.catalogue
    found: dict[str, list[str]] = {"item": []}
    for type_, wanted in _TYPES[domain].items():
        kind = context.domain.kind_of(wanted) or wanted  # type: ignore[arg-type]
        for index, attribute in enumerate(catalogue.attributes):
            short = 0 < len(roots(attribute.name)) <= _LONGEST
            if attribute.kind == kind and short and catalogue.use_of(index) >= _LEAST_USE:
                found.setdefault(type_, []).append(attribute.name)
    some = catalogue.names[:: max(1, len(catalogue) // _ITEMS)]
    found["item"] = [name for name in some if len(roots(name)) <= _LONGEST]
    return {type_: tuple(names) for type_, names in found.items() if names}


def slots_of(question: TaggedQuestion) -> list[NamedSlot]:
    """The names of a question as they were typed."""
    return [NamedSlot(question.text[start:end], role) for start, end, role in question.spans]


def judge(
    slots: Iterable[NamedSlot], query: Query, vocabulary: Vocabulary
) -> Iterator[tuple[str, float]]:
    """Compare what a query does with each name with what the name is there for."""
    refused, wished = refused_in(query), wished_in(query)
    for slot in slots:
        keys = keys_of(slot.name, vocabulary)
        if not keys:
            continue  # mistyped: what it is read as is another question
        is_refused = bool(keys & refused)
        if slot.role == "barred":
            yield "refused_found", float(is_refused)
        if is_refused and slot.role != "example":  # an example is never returned
            yield "refused_right", float(slot.role in ("barred", "known", "less"))
        if slot.role in _WISHES:
            yield "wishes_kept", float(not is_refused)
        if slot.role == "aside":
            yield "asides_left", float(not keys & wished)


def keys_of(name: str, vocabulary: Vocabulary) -> frozenset[str]:
    """The keys of attributes and items that a name stands for."""
    return frozenset(one.key for one in vocabulary.names.get(name)) | frozenset(
        vocabulary.items.get(name)
    )


def refused_in(query: Query) -> frozenset[str]:
    """Keys that a query bars outright."""
    told = {key for one in query.constraints if one.excluded and not one.soft for key in one.any_of}
    return frozenset(told | set(query.exclude_items))


def wished_in(query: Query) -> frozenset[str]:
    """Keys that a query asks for."""
    told = {key for one in query.constraints if not one.excluded for key in one.any_of}
    return frozenset(told | set(query.have) | ({query.target} if query.target else set()))


def summarise(told: Sequence[tuple[str, str, float]]) -> dict[str, dict[str, IntervalEstimate]]:
    """Every measure over all names and by domain."""
    groups: dict[str, Callable[[str], bool]] = {"all": lambda _: True}
    for domain in DOMAINS:
        groups[domain] = lambda one, domain=domain: one == domain  # type: ignore[misc]
    found: dict[str, dict[str, IntervalEstimate]] = {}
    for measure_ in MEASURES:
        cells = {}
        for group, belongs in groups.items():
            values = [value for name, domain, value in told if name == measure_ and belongs(domain)]
            if values:
                cells[group] = ratio_estimate([(value, 1.0) for value in values])
        found[measure_] = cells
    return found


def as_markdown(figures: RoleFigures) -> str:
    """The figures as a page shows them."""
    ways = list(figures.ways)
    lines = [
        f"### What names are there for, {figures.questions} composed questions",
        "",
        f"`{figures.origin.command}`, {figures.origin.machine}; "
        f"the network is {figures.network_bytes / 1e6:.2f} MB.",
        "",
        "| | " + " | ".join(ways) + " |",
        "| --- |" + " ---: |" * len(ways),
    ]
    for measure_, title in MEASURES.items():
        groups = dict.fromkeys(
            group for way in ways for group in figures.ways[way].measures[measure_]
        )
        for group in groups:
            cells = (_cell(figures.ways[way].measures[measure_].get(group)) for way in ways)
            lines.append(
                f"| {title}{'' if group == 'all' else f', {group}'} | " + " | ".join(cells) + " |"
            )
    medians = (f"{figures.ways[way].median_ms:.1f}" for way in ways)
    return "\n".join([*lines, "| CPU ms of reading, median | " + " | ".join(medians) + " |"])


def _cell(one: IntervalEstimate | None) -> str:
    if one is None or one.value is None:
        return "-"
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}] ({one.n})"
