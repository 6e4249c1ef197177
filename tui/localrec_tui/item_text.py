"""Puts what is stored about an item in words: recipe, facts, what a user said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from localrec.data.evidence import Evidence
from localrec.data.rows import Event
from localrec.foundation.text_matching import singular
from localrec.graph.domain_files import load_domain
from localrec.graph.edge_phrases import edge_phrase
from localrec_tui.services.records import ItemDetails, Verdict

_HERE = "feedback"
# Kinds of sources whose names say nothing to a person, or are spelt otherwise by their owners.
_SOURCE_NAMES = {
    "barassistant": "Bar Assistant",
    "boardgamegeek": "BoardGameGeek",
    "bookcrossing": "BookCrossing",
    "catalogue": "a table of your own",
    "cocktails": "a file of recipes",
    "drinks": "the bundled drinks",
    "iba": "the IBA's recipes",
    "imdb": "IMDb",
    "imdbtitles": "IMDb's titles",
    "lastfm": "Last.fm",
    "librarything": "LibraryThing",
    "listenbrainz": "ListenBrainz",
    "movielens": "MovieLens",
    "mrboston": "Mr. Boston",
    "musicbrainz": "MusicBrainz",
    "myanimelist": "MyAnimeList",
    "openlibrary": "Open Library",
    "recbole": "a data set in RecBole's files",
    "storygraph": "StoryGraph",
    "table": "a table",
}
FEEDBACK_LABELS = {
    Event.RATED: "you rated it",
    Event.PLAYED: "you played it",
    Event.WANTED: "you want it",
    Event.LIKED: "you like it",
    Event.DISLIKED: "you dislike it",
    Event.ABANDONED: "you gave it up",
    Event.SEEN: "you know it",
    Event.LATER: "not now",
}
_TEXTS = ("description", "instructions", "image_description")  # said first, without their names


def source_name(kind: str) -> str:
    """Name a kind of source for people: "Letterboxd", "a data set in RecBole's files"."""
    return _SOURCE_NAMES.get(kind, kind.capitalize())


def verdict_label(verdict: Verdict | None) -> str:
    """Say what a user thinks of an item, and which export told; "" for nothing."""
    if verdict is None:
        return ""
    told = FEEDBACK_LABELS[verdict.event]
    if verdict.stars is not None:
        told = f"you gave {verdict.stars:g} of 5"
    return told if verdict.source in ("", _HERE) else f"{told} ({source_name(verdict.source)})"


def item_texts(found: ItemDetails) -> Iterator[str]:
    """The sentences about an item, such as its description and how it is made."""
    for name in _TEXTS:
        if isinstance(text := found.properties.get(name), str) and text:
            yield text


def recipe_lines(found: ItemDetails) -> list[tuple[str, str]]:
    """The components that have an amount, as pairs of amount and name; none: no recipe."""
    component = load_domain(found.domain).kind_of("component")
    if component is None:
        return []
    edge = load_domain(found.domain).attributes[component].edge
    links = [link for link in found.links if link.relation == edge]
    if not any(link.value for link in links):
        return []
    return [(link.value or "", link.target) for link in links]


def fact_lines(found: ItemDetails) -> Iterator[tuple[str, str]]:
    """Pairs of label and value: attributes by kind first, then the rest of the properties."""
    domain = load_domain(found.domain)
    has_recipe = bool(recipe_lines(found))
    for kind, spec in domain.attributes.items():
        if has_recipe and kind == domain.kind_of("component"):
            continue
        names = [link.target for link in found.links if link.relation == spec.edge]
        if names:
            yield _label(kind), ", ".join(dict.fromkeys(names))
    kinds = {kind.casefold() for kind in domain.attributes}
    for name, value in found.properties.items():
        if name in _TEXTS or name.casefold() in kinds or _is_internal(name):
            continue
        if value not in (None, "", found.name):
            yield _label(name), number_text(found.domain, name, value) or str(value)


def number_text(domain_name: str, name: str, value: object) -> str:
    """State a number with its unit, as its domain's own sentence about it does.

    Example:
        Of drinks that "have about {value} % alcohol" a strength of 21.3 is "about 21.3 % alcohol".

    Returns:
        "" where the domain knows no such number.
    """
    spec = load_domain(domain_name).numbers.get(name)
    if spec is None:
        return ""
    before, _, unit = spec.says.partition("{value}")
    told = f"{value:g}" if isinstance(value, float) else str(value)
    if told == "1" and unit:
        unit = f" {singular(unit.strip())}"
    about = "about " if before.endswith("about ") and told != "0" else ""
    return f"{about}{told}{unit}"


def _is_internal(name: str) -> bool:
    """Whether a property is a key or the origin of another, which tells a reader nothing."""
    return name == "id" or name.endswith(("_source", "_id", "Thumbnail", "_url", "_count"))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def evidence_graph(name: str, evidence: Sequence[Evidence], domain: str) -> list[str]:
    """Draw the evidence in lines: from the item `name` first, then from other starting nodes.

    What leads on from a node is drawn where the node is met first, so a circle ends.
    """
    edges_from: dict[str, list[Evidence]] = {}
    for edge in dict.fromkeys(evidence):
        edges_from.setdefault(_mark(edge.source), []).append(edge)
    reached = {_mark(edge.target) for edge in evidence}
    starts = [name, *(edge.source for edge in evidence if _mark(edge.source) not in reached)]
    lines: list[str] = []
    drawn: set[str] = set()
    for start in dict.fromkeys(starts):
        if _mark(start) not in drawn:
            lines.append(start)
            lines += _branches(start, "", edges_from, drawn, domain)
    return lines


def _branches(
    node: str, indent: str, edges_from: dict[str, list[Evidence]], drawn: set[str], domain: str
) -> list[str]:
    if _mark(node) in drawn:
        return []
    drawn.add(_mark(node))
    lines = []
    edges = edges_from.get(_mark(node), [])
    for number, edge in enumerate(edges, 1):
        is_last = number == len(edges)
        value = f"  {edge.value}" if edge.value else ""
        phrase = edge_phrase(edge.relation, domain)
        target = number_text(domain, edge.relation, edge.target) or edge.target
        lines.append(f"{indent}{'└' if is_last else '├'}─ {phrase} ─▶ {target}{value}")
        below = f"{indent}{' ' if is_last else '│'}  "
        lines += _branches(edge.target, below, edges_from, drawn, domain)
    return lines


def _mark(node: str) -> str:
    """An edge names its target as the catalogue writes it, the next edge by its own name."""
    return node.casefold()


def home_as_tilde(path: str) -> str:
    """Return a path with ~ for the home of who looks, which a picture of the screen may show."""
    home, place = Path.home(), Path(path)
    return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else path
