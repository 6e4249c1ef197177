"""Is every name of a catalogue understood? Each is asked for, refused and taken as an example.

Run:
    python scripts/studies/run.py names_asked --catalogues FOLDER [--each 10] [--failures]

Nobody writes these questions: names are drawn from the catalogue, as it spells them and in small
letters, and put into plain sentences. A wish is heard where the reading wants the name, a refusal
where it refuses it, an example where some item is taken as one. Last, one letter of the longest
word is dropped, doubled, or swapped with the next.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from asked_catalogues import DOMAINS, AskedCatalogue
from findings import Findings, add_folder, origin_of, say

from localrec.data.query import Query
from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.paths import make_private
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext

SHORTEST = 6  # letters of a word that is misspelt
WISHES = {
    "creator": ("something by {name}", "a {noun} by {name}", "{name}"),
    "series": ("a {noun} from the {name} series",),
    "": ("a {noun} with {name}", "{name} {noun}s"),
}
REFUSALS = {
    "creator": ("a {noun} not by {name}", "nothing by {name} please", "any {noun} except {name}"),
    "series": ("a {noun} that isn't {name}", "no {name} please"),
    "": ("a {noun} without {name}", "a {noun} but no {name}", "I hate {name}, what else is there?"),
}
EXAMPLES = (
    *("something like {name}", "{name} was great, what else?", "my wife adores {name}"),
    *("same vibe as {name}", "after {name}, what should I try?", "something to follow {name}"),
)
NO_NAMES = frozenset({"none", "other", "unknown"})


class Asked(msgspec.Struct, frozen=True):
    """One question about a name: what it asks, and whether it was heard."""

    sort: str
    question: str
    heard: bool


class NameFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Domain -> sort of question -> questions heard and asked."""

    origin: Origin
    heard: dict[str, dict[str, tuple[int, int]]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--each", type=int, default=10, help="names drawn of a kind")
    parser.add_argument("--seed", type=int, default=5, help="of the names and the slips")
    parser.add_argument("--failures", action="store_true", help="show what was not heard")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask about the names of each catalogue."""
    state = make_private(asked.state)
    heard: dict[str, dict[str, tuple[int, int]]] = {}
    for domain in sorted(DOMAINS):
        say(domain)
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        workspace, context = catalogue.open({})
        with workspace:
            told = list(ask_all(context, asked.each, random.Random(asked.seed)))
        if asked.failures:
            say("\n".join(f"{one.sort}: {one.question}" for one in told if not one.heard))
        counts = Counter((one.sort, one.heard) for one in told)
        heard[domain] = {
            sort: (counts[sort, True], counts[sort, True] + counts[sort, False])
            for sort in dict.fromkeys(one.sort for one in told)
        }
    shown = [f"--each {asked.each}", f"--seed {asked.seed}"]
    figures = NameFigures(origin=origin_of("names_asked", *shown), heard=heard)
    return Findings(
        text=as_markdown(figures), page="questions", block="names-asked", figures=figures
    )


def ask_all(context: DomainContext, each: int, drawn: random.Random) -> Iterator[Asked]:
    """Ask about so many names of each kind, and of the items."""
    domain, vocabulary, tagger = context.domain, context.vocabulary, context.role_tagger()
    named = [
        (one.kind, one.key, one.name)
        for one in context.catalogue.attributes
        if vocabulary.is_alive(one.kind, one.key) and one.name.casefold() not in NO_NAMES
    ]
    for kind, spec in domain.attributes.items():
        some = [(key, name) for of, key, name in named if of == kind]
        for key, name in drawn.sample(some, min(each, len(some))):
            sort = "series" if kind == "series" else "creator" if spec.role == "creator" else ""
            for question in sentences(WISHES[sort], name, domain.singular):
                read = parse_query(question, vocabulary, tagger)
                yield Asked("wished for", question, key in keys_of(read, excluded=False))
            for question in sentences(REFUSALS[sort], name, domain.singular):
                read = parse_query(question, vocabulary, tagger)
                is_out = key in keys_of(read, excluded=True) or bool(read.exclude_items)
                heard = is_out and key not in keys_of(read, excluded=False)
                yield Asked("refused", question, heard)
            for question in sentences(WISHES[sort][:1], misspelt(name, drawn), domain.singular):
                if question not in sentences(WISHES[sort][:1], name, domain.singular):
                    read = parse_query(question, vocabulary, tagger)
                    yield Asked("with a slip", question, key in keys_of(read, excluded=False))
    titles = sorted(context.catalogue.names)
    for name in drawn.sample(titles, min(each, len(titles))):
        for question in sentences(EXAMPLES, name, domain.singular):
            read = parse_query(question, vocabulary, tagger)
            yield Asked("an example", question, read.target is not None)


def sentences(templates: Sequence[str], name: str, noun: str) -> list[str]:
    """The sentences about a name, as it is spelled and in small letters."""
    told = dict.fromkeys((name, name.lower()))
    return [one.format(name=spelled, noun=noun) for spelled in told for one in templates]


def misspelt(name: str, drawn: random.Random) -> str:
    """A name with one slip in its longest word; a short one stays as it is."""
    words = name.split()
    place = max(range(len(words)), key=lambda one: len(words[one]))
    word = words[place]
    if len(word) < SHORTEST or not word.isalpha() or not word.isascii():
        return name
    at = drawn.randrange(1, len(word) - 1)
    words[place] = drawn.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        )
    )
    return " ".join(words)


def keys_of(query: Query, *, excluded: bool) -> set[str]:
    """The keys that a reading wants or refuses, values of flags among what it wants."""
    keys = {
        key
        for one in query.constraints
        if one.excluded == excluded
        for key in (*one.any_of, *(other for _, other in one.or_else))
    }
    return keys if excluded else keys | {*query.flags.values()}


def as_markdown(figures: NameFigures) -> str:
    """A row a domain, a column a sort of question."""
    sorts = list(dict.fromkeys(sort for told in figures.heard.values() for sort in told))
    rows = []
    for domain, told in figures.heard.items():
        cells = [f"{told[sort][0] / told[sort][1]:.3f} ({told[sort][1]:,})" for sort in sorts]
        rows.append([domain, *cells])
    table = markdown_table(["heard", *sorts], rows)
    return f"{table}\n\nMade by {figures.origin.as_text()}"
