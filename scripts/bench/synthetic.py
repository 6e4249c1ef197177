"""A large drinks catalogue for benchmarks: generated from a seed, built once, kept in a folder.

The bundled drinks come first, word for word; the rest are variations of them, with ingredients
drawn by how common they are and a few thousand invented house brands. Graph and import are the
real ones. Vectors are synthetic, since embedding so many texts takes half an hour: sums of
MiniLM's vectors of what is in a drink, plus a mix of real descriptions' vectors as noise. On a
sample of 12,000, HNSW found its way among them as well as among MiniLM's of written-out texts
(recall 0.972 and 0.984), and much worse among vectors with noise in every direction (0.904).
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.foundation.paths import make_private
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.index.embedders import open_embedder
from localrec.index.protocols import Embedder, Vectors
from localrec.index.vectors import unit_rows
from localrec.sources import open_source
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
from localrec.workspace import OpenWorkspace

DOMAIN = "cocktails"
SEED = 7
FIELDS = ("name", "description", "image_description")  # instructions are searched by no task
HOUSES = "Harbour Larkspur Kestrel Foundry Meridian Juniper Saltmarsh Quarry Tallow Bramble".split()
_NOISE = 0.6  # length of the noise beside a unit vector: variations of a drink stay near it
_MIXED = 3  # descriptions per item's noise
_AT_ONCE = 4_096
Say = Callable[[str], None]


def open_catalogue(cache: Path, items: int, edges: int, say: Say) -> Path:
    """The workspace of that size under `cache`, built where it is not there yet."""
    generator = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    folder = make_private(cache) / f"synthetic-{items}-{edges}-{generator}"
    if (folder / "ready").is_file():
        return folder
    domain = load_domain(DOMAIN)
    with OpenWorkspace(folder, writable=True) as workspace:
        started = time.perf_counter()
        rows = list(make_rows(domain, items, edges))
        say(f"made {len(rows):,} items in {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        ingest_items(workspace.store, domain, rows, receipt(len(rows)), say)
        say(f"imported in {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        write_vectors(workspace.store, domain, open_embedder())
        say(f"wrote vectors in {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
        workspace.context(DOMAIN)
        say(f"built indexes and opened in {time.perf_counter() - started:.0f} s")
    (folder / "ready").touch()
    return folder


def make_rows(domain: Domain, items: int, edges: int) -> Iterator[ItemRow]:
    """The bundled drinks, then variations until there are `items`, with about `edges` links."""
    random = np.random.default_rng(SEED)
    drinks = _bundled(domain)
    yield from drinks[:items]
    wanted = items - len(drinks)
    if wanted <= 0:
        return
    left = edges - sum(len(drink.links) for drink in drinks)
    sizes = _sizes(random, wanted, left - 3 * wanted)  # a glass, a category and a colour each
    pool, weights = _ingredients(drinks)
    # One long draw; each item takes what it needs from it.
    drawn = iter(random.choice(len(pool), size=3 * int(sizes.sum()), p=weights).tolist())
    bases = random.integers(len(drinks), size=wanted).tolist()
    for number, (base, size) in enumerate(zip(bases, sizes.tolist(), strict=True), 1):
        yield _variation(drinks[base], number, size, pool, drawn)


def write_vectors(store: Store, domain: Domain, embedder: Embedder) -> None:
    """Vectors of every item and attribute, under the embedder's own name."""
    attributes = store.columns(
        "SELECT node_id, name FROM node WHERE domain = ? AND kind <> ? ORDER BY node_id",
        [domain.name, domain.item],
    )
    ids = np.asarray(attributes["node_id"], dtype=np.int64)
    meaning = embedder.embed([str(name) for name in attributes["name"]])
    _write(store, "name", embedder.name, ids, meaning)
    links = store.columns(
        "SELECT source_id, target_id FROM edge WHERE source_id IN "
        "(SELECT node_id FROM node WHERE domain = ? AND kind = ?) ORDER BY source_id",
        [domain.name, domain.item],
    )
    sources = np.asarray(links["source_id"], dtype=np.int64)
    targets = np.searchsorted(ids, np.asarray(links["target_id"], dtype=np.int64))
    items, first = np.unique(sources, return_index=True)
    bounds = np.append(first, len(sources))
    random = np.random.default_rng(SEED)
    told = embedder.embed([str(drink.properties["description"]) for drink in _bundled(domain)])
    told -= told.mean(axis=0)
    for field in FIELDS:
        for start in range(0, len(items), _AT_ONCE):
            rows = np.arange(start, min(start + _AT_ONCE, len(items)))
            part = slice(bounds[rows[0]], bounds[rows[-1] + 1])
            sums = np.add.reduceat(meaning[targets[part]], bounds[rows] - bounds[rows[0]])
            noise = _mixed(random, told, len(rows))
            _write(store, field, embedder.name, items[rows], unit_rows(sums) + _NOISE * noise)


def _bundled(domain: Domain) -> tuple[ItemRow, ...]:
    source = open_source(find_dataset(DOMAIN).kind)
    return source.read(fetch_dataset(DOMAIN), domain).items


def _mixed(random: np.random.Generator, told: Vectors, count: int) -> Vectors:
    """Unit vectors, each a random mix of a few rows of `told`, shape (count, size)."""
    chosen = told[random.integers(len(told), size=(count, _MIXED))]
    shares = random.random((count, _MIXED, 1), dtype=np.float32)
    return unit_rows((chosen * shares).sum(axis=1))


def _write(
    store: Store, field: str, model: str, node_ids: NDArray[np.int64], vectors: Vectors
) -> None:
    hashes = np.zeros(len(node_ids), dtype=np.uint64)
    store.write_embeddings(field, model, node_ids, hashes, unit_rows(vectors))


def _sizes(random: np.random.Generator, items: int, ingredients: int) -> NDArray[np.int64]:
    """Ingredients per item: spread by three around the mean, summing to `ingredients`."""
    mean = max(2, ingredients // items)
    sizes = random.integers(max(1, mean - 3), mean + 4, size=items)
    while (missing := ingredients - int(sizes.sum())) and (missing > 0 or sizes.max() > 1):
        chosen = random.permutation(items)[: abs(missing)]
        sizes[chosen] = np.maximum(1, sizes[chosen] + np.sign(missing))
    return sizes


def _ingredients(drinks: Sequence[ItemRow]) -> tuple[list[str], NDArray[np.float64]]:
    """Names to draw from, and their probabilities: brands share a tenth of the commonest's."""
    use = Counter(one.name for drink in drinks for one in drink.links if one.kind == "ingredient")
    common = use.most_common(200)
    names = [*use, *(f"{house} {name}" for house in HOUSES for name, _ in common)]
    counts = [*use.values(), *(count / len(HOUSES) / 10 for _ in HOUSES for _, count in common)]
    weights = np.array(counts, dtype=np.float64)
    return names, weights / weights.sum()


def _variation(
    base: ItemRow, number: int, size: int, pool: Sequence[str], drawn: Iterator[int]
) -> ItemRow:
    of_kind = {kind: [one for one in base.links if one.kind == kind] for kind in _kinds(base)}
    names = dict.fromkeys(one.name for one in of_kind["ingredient"][: max(1, size - 2)])
    while len(names) < size:
        names[pool[next(drawn)]] = None
    links = [AttributeLink(kind="ingredient", name=name, value="20 ml") for name in names]
    links += [of_kind[kind][0] for kind in ("glass", "category", "colour") if of_kind.get(kind)]
    properties = {**base.properties, "ingredient_count": size}
    for text in ("description", "image_description", "instructions"):
        properties.pop(text, None)  # nothing may be read out of texts that fit another drink
    return ItemRow(
        key=f"{base.key}-no-{number}",
        name=f"{base.name} No. {number}",
        properties=properties,
        links=tuple(links),
    )


def _kinds(row: ItemRow) -> set[str]:
    return {link.kind for link in row.links}


def receipt(count: int) -> ImportReport:
    """The report of an import that kept so many items."""
    return ImportReport(
        source="synthetic", path="", domain=DOMAIN, read=count, kept=count, merged=0, dropped=0
    )
