"""What the film formats share: titles with their year and article, decades, descriptions.

A year gives the link to its decade. The description is generated, since no data set has one, and
says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, ItemRow, Scalar
from localrec.data.titles import restore_article, split_year
from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_name

# The second is how MovieLens 100K spells it, the third how later ones do.
_UNKNOWN = frozenset({"", "unknown", "unkonwn", "(no genres listed)"})


def film_row(
    key: str,
    title: str,
    year: int | None,
    links: Iterable[AttributeLink],
    domain: Domain,
    properties: dict[str, Scalar] | None = None,
    creator: str = "",
    bare: str | None = None,
) -> ItemRow:
    """A film, or another thing with a title, with its decade and description.

    Args:
        key: The data set's own identifier.
        title: The title as the file writes it, cleaned, perhaps with its year.
        year: Year of its release.
        links: Its genres and the like.
        domain: Decides whether there are decades.
        properties: All other known properties.
        creator: Its director, author or artist, if known.
        bare: The title without its year, where it was parted already.
    """
    name = restore_article(split_year(title)[0] if bare is None else bare)
    links, told = _linked(
        tuple(links), None if year is None or "decade" not in domain.attributes else year // 10
    )
    own: dict[str, Scalar] = {
        "title": title,
        "year": year,
        "description": _describe(f"{name} by {creator}" if creator else name, year, told),
        "description_source": "generated",
    }
    if properties:
        own |= properties
    return ItemRow(key=key, name=name, properties=own, links=links)


def genre_links(kind: str | None, names: Iterable[str]) -> tuple[AttributeLink, ...]:
    """Links to genres, each once; "unknown" and "(no genres listed)" are none."""
    return () if kind is None else _links_to(kind, tuple(names))


@lru_cache(maxsize=1 << 12)
def _linked(
    links: tuple[AttributeLink, ...], tens: int | None
) -> tuple[tuple[AttributeLink, ...], str]:
    """The links with that to a decade, and those before as words of a sentence.

    Films that share genres and decade share the tuple, which the store stages once.
    """
    told = join_words([link.name.casefold() for link in links])
    if tens is not None:
        links += (AttributeLink(kind="decade", name=f"{tens}0s"),)
    return links, told


@lru_cache(maxsize=1 << 12)  # a few hundred combinations for tens of thousands of films
def _links_to(kind: str, names: tuple[str, ...]) -> tuple[AttributeLink, ...]:
    wanted = (name for name in dict.fromkeys(names) if name.casefold() not in _UNKNOWN)
    return tuple(AttributeLink(kind=kind, name=clean_name(name)) for name in wanted)


def _describe(name: str, year: int | None, genres: str) -> str:
    dated = f"{name} ({year})" if year else name
    return f"{dated}: {genres}." if genres else f"{dated}."
