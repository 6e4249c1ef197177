"""Measure what a person who browses waits for: pages, searches while typing, steps in the graph.

Run:
    python scripts/studies/run.py browse [--items 100000] [--edges 1000000] [--repeat 5]
        [--cache FOLDER]

Goes the app's own way (`LocalBackend.browse`), opening of the store included, over the synthetic
catalogue of `synthetic.py` without its vectors; what is drawn afterwards is not measured. The peer
fetches the whole list in its order once, as a table that loads everything would.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import synthetic
from findings import Findings, Timing, add_folder

from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.catalogue import CatalogueView, PageTurn

DOMAIN = synthetic.DOMAIN
TYPED = "gin lime"  # letter by letter
PAGE = 60


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    add_folder(parser, "--cache", "bench", "where the catalogue stays between runs")


def measure(asked: argparse.Namespace) -> Iterator[Findings]:
    """Take each step several times."""
    folder = open_catalogue(asked.cache, asked.items, asked.edges)
    services = AppServices(folder)
    for what, interaction in _interactions(services, folder).items():
        walls, worked = zip(*(_seconds(interaction) for _ in range(asked.repeat)), strict=True)
        told = (
            f"{what:<44} {Timing.of(walls).median:8.1f} ms, the quickest {1000 * min(walls):.1f} "
            f"ms, of processors {Timing.of(worked).median:.1f} ms"
        )
        yield Findings(text=told)
    services.close()


def open_catalogue(cache: Path, items: int, edges: int) -> Path:
    """A workspace of that size without vectors under `cache`, built where it is not there yet."""
    folder = cache / f"browse-{items}-{edges}"
    if (folder / "ready").is_file():
        return folder
    domain = load_domain(DOMAIN)
    rows = list(synthetic.make_rows(domain, items, edges))
    with Store.open_(folder / "store.duckdb") as store:
        ingest_items(store, domain, rows, synthetic.receipt(len(rows)), print)
    (folder / "ready").touch()
    return folder


def _interactions(services: AppServices, folder: Path) -> dict[str, Callable[[], object]]:
    browse, view = services.catalogue, CatalogueView(domain=DOMAIN)
    first = browse.page(view, PageTurn(), PAGE)
    behind = PageTurn(behind=first.rows[-1].place)
    gin = browse.open_node(view, "ingredient", "gin", PAGE)
    listed = CatalogueView(domain=DOMAIN, having=gin.node.node_id)
    by_number = CatalogueView(domain=DOMAIN, order="ingredient_count", descending=True)
    letters = [TYPED[:end] for end in range(1, len(TYPED) + 1) if TYPED[end - 1] != " "]
    searches = {
        f"search “{typed}”, counted": _search(services, CatalogueView(domain=DOMAIN, typed=typed))
        for typed in letters
    }
    return {
        "first page, counted": lambda: browse.page(view, PageTurn(), PAGE),
        "next page": lambda: browse.page(view, behind, PAGE),
        "last page": lambda: browse.page(view, PageTurn(last=True), PAGE),
        "first page by a number": lambda: browse.page(by_number, PageTurn(), PAGE),
        "items with gin, counted": lambda: browse.page(listed, PageTurn(), PAGE),
        "a step to gin": lambda: browse.open_node(view, "ingredient", "gin", PAGE),
        "names read, before the first letter": lambda: _prepare_anew(folder, view),
        **searches,
        "peer: the whole list": lambda: browse.page(view, PageTurn(), 10_000_000),
    }


def _prepare_anew(folder: Path, view: CatalogueView) -> None:
    services = AppServices(folder)
    services.catalogue.prepare(view)
    services.close()


def _search(services: AppServices, view: CatalogueView) -> Callable[[], object]:
    return lambda: services.catalogue.page(view, PageTurn(), PAGE)


def _seconds(interaction: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of all processors: the first says nothing where others work beside it."""
    started, worked = time.perf_counter(), time.process_time()
    interaction()
    return time.perf_counter() - started, time.process_time() - worked
