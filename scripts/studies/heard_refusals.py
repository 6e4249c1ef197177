"""Are refusals heard? Sentences of many hands with names from the catalogues put into their slots.

Run:
    python scripts/studies/run.py heard_refusals --catalogues FOLDER FILE... [--failures]

Each line of a file is a carrier with the one domain that it is for, such as
`{"carrier": "My wife won't touch {barred:component}", "domains": ["drinks"]}`. Each is read with
`--names` draws of names. A refusal is heard where the reading refuses all items that the name
stands for. A wish, and a name that is only mentioned, is spared where the reading leaves some of
those items that no refused name stands for too; what is an example or known is not counted here,
since neither is answered with.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from asked_catalogues import AskedCatalogue
from findings import Findings, add_folder, origin_of, say, show_step
from tagger_limits import open_taggers

from localrec.data.arrays import Mask
from localrec.data.query import Query
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.foundation.paths import make_private
from localrec.graph.catalogue import Catalogue
from localrec.training.reader.carriers import Carrier, CarrierSlot, read_carriers
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext

COMMON = 80  # names of a kind that are drawn from, by how many items have them
# Type of a slot -> the roles of attributes that may fill it; () for the items themselves.
FILLED_BY: Mapping[str, tuple[str, ...]] = {
    "component": ("component", "category"),
    "category": ("category", "component"),
    "creator": ("creator",),
    "look": ("look", "category", "component"),
    "item": (),
}
UNCOUNTED = frozenset({"example", "known"})


class FilledSlot(msgspec.Struct, frozen=True):
    """A name in a slot, and the items that it stands for."""

    role: str
    name: str
    items: Mask


class RefusalFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares with intervals over carriers, "all" and by domain."""

    origin: Origin
    carriers: int
    heard: dict[str, IntervalEstimate]
    spared: dict[str, IntervalEstimate]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="carriers, one JSON object a line")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--names", type=int, default=2, help="draws of names for each carrier")
    parser.add_argument("--seed", type=int, default=7, help="of the names")
    parser.add_argument("--network", type=Path, help="a role tagger to read with; none is asked")
    parser.add_argument("--limits", default="0.7:1", help="barred:beside[:spared] of the tagger")
    parser.add_argument("--failures", action="store_true", help="show what was not heard")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Fill, read and count."""
    carriers = [one for one in read_carriers(asked.files) if len(one.domains) == 1]
    state = make_private(asked.state)
    heard: dict[str, list[tuple[float, float]]] = {"all": []}
    spared: dict[str, list[tuple[float, float]]] = {"all": []}
    for domain in sorted({one.domains[0] for one in carriers}):
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        workspace, context = catalogue.open({})
        with workspace:
            mine = [one for one in carriers if one.domains == (domain,)]
            for of_carrier in read_all(mine, context, asked):
                for told, role in ((heard, True), (spared, False)):
                    right = [good for is_barred, good in of_carrier if is_barred is role]
                    if right:
                        told["all"].append((float(sum(right)), float(len(right))))
                        told.setdefault(domain, []).append(told["all"][-1])
    files = " ".join(path.name for path in asked.files)
    figures = RefusalFigures(
        origin=origin_of("heard_refusals", f"--catalogues FOLDER {files}"),
        carriers=len(carriers),
        heard={group: ratio_estimate(parts) for group, parts in heard.items()},
        spared={group: ratio_estimate(parts) for group, parts in spared.items()},
    )
    return Findings(text=as_markdown(figures))


def read_all(
    carriers: Sequence[Carrier], context: DomainContext, asked: argparse.Namespace
) -> Iterator[list[tuple[bool, bool]]]:
    """For each carrier: of each name whether it is refused, and whether the reading has it so."""
    names = CatalogueNames(context.catalogue)
    tagger = None
    if asked.network:
        (tagger,) = open_taggers(asked.network, [asked.limits]).values()
    for number, carrier in enumerate(carriers):
        show_step(context.domain.name, number + 1, len(carriers))
        found: list[tuple[bool, bool]] = []
        for draw in range(asked.names):
            filled = names.fill(carrier, random.Random(f"{asked.seed} {carrier.parts} {draw}"))
            if filled is None:
                continue
            text, slots = filled
            query = parse_query(text, context.vocabulary, tagger)
            refused = items_refused(query, context.catalogue)
            barred = _items_of((one for one in slots if one.role == "barred"), refused)
            for slot in slots:
                is_barred = slot.role == "barred"
                hit = refused[slot.items if is_barred else slot.items & ~barred]
                if slot.role in UNCOUNTED or not len(hit):
                    continue
                good = bool(hit.all()) if is_barred else not hit.all()
                found.append((is_barred, good))
                if asked.failures and not good:
                    say(f"\n{'not heard' if is_barred else 'refused'}: {slot.name} | {text}")
        yield found


def _items_of(slots: Iterable[FilledSlot], alike: Mask) -> Mask:
    found: Mask = np.zeros_like(alike)
    for slot in slots:
        found |= slot.items
    return found


class CatalogueNames:
    """Names of a catalogue that slots are filled with.

    Args:
        catalogue: The items and attributes.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._of_type = {one: list(self._names(roles)) for one, roles in FILLED_BY.items()}

    def fill(
        self, carrier: Carrier, random_: random.Random
    ) -> tuple[str, tuple[FilledSlot, ...]] | None:
        """Put a name into each slot, no two alike; None where a type has no names here."""
        words: list[str] = []
        slots: list[FilledSlot] = []
        for part in carrier.parts:
            if isinstance(part, CarrierSlot):
                taken = {slot.name for slot in slots}
                names = [one for one in self._of_type.get(part.type, ()) if one[0] not in taken]
                if not names:
                    return None
                name, items = random_.choice(names)
                slots.append(FilledSlot(part.role, name, items))
                words.append(name)
            else:
                words.append(part)
        return "".join(words), tuple(slots)

    def _names(self, roles: Iterable[str]) -> Iterator[tuple[str, Mask]]:
        catalogue = self._catalogue
        if not roles:
            for item, name in enumerate(catalogue.names[:COMMON]):
                mask = catalogue.none()
                mask[catalogue.items_named(catalogue.keys[item], exactly=True)] = True
                yield name, mask
            return
        kinds = (catalogue.domain.kind_of(role) for role in roles)  # type: ignore[arg-type]
        kind = next((one for one in kinds if one is not None), None)
        masks = (
            (one.name, catalogue.items_with(catalogue.below(index)))
            for index, one in enumerate(catalogue.attributes)
            if one.kind == kind
        )
        yield from sorted(masks, key=lambda one: (-int(one[1].sum()), one[0]))[:COMMON]


def items_refused(query: Query, catalogue: Catalogue) -> Mask:
    """The items that a reading refuses by their attributes or names."""
    refused = catalogue.none()
    for constraint in query.constraints:
        if constraint.excluded:
            for key in constraint.any_of:
                index = catalogue.attribute_index(constraint.kind, key)
                if index is not None:
                    refused = refused | catalogue.items_with(catalogue.below(index))
    indexes = [catalogue.item_index(key) for key in (*query.exclude_items, query.target) if key]
    refused[np.array([one for one in indexes if one is not None], dtype=np.int64)] = True
    return refused


def as_markdown(figures: RefusalFigures) -> str:
    """A table, domains in columns."""
    groups = list(figures.heard)
    rows = [
        [name, *(_cell(told.get(group)) for group in groups)]
        for name, told in (("refusals heard", figures.heard), ("others spared", figures.spared))
    ]
    return f"{figures.carriers} carriers.\n\n" + markdown_table(["", *groups], rows)


def _cell(found: IntervalEstimate | None) -> str:
    if found is None or found.value is None:
        return "-"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
