"""Films and series of personal exports: one key for each, and a place for either.

Services keep films and series in one list; here films are of the domain that is read and series
of the domain `series`, so that neither stands among the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, HistoryRows, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_key, clean_name
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_items import ExportInteraction, PersonalItems

Sort = Literal["film", "series"]
SERIES = "series"  # the domain
_SERIES_KINDS = ("genre", "creator", "decade")


class ScreenTitle(msgspec.Struct, frozen=True, kw_only=True):
    """A film or series as an export names it.

    Args:
        name: Its title, cleaned.
        sort: Film or series.
        year: Year of its release.
        identifier: The service's own id; tells two of one name and year apart.
        genres: Its genres, cleaned.
        creators: Its directors, cleaned.
        properties: All other known properties.
    """

    name: str
    sort: Sort
    year: int | None = None
    identifier: str = ""
    genres: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    properties: dict[str, Scalar] = {}


class ScreenHistory:
    """Films and series that one person rated, saw or wants to see.

    Args:
        user: The person's key.
        domain: The domain of the films.
        import_log: The receipt.
    """

    def __init__(self, user: str, domain: Domain, import_log: ImportLog) -> None:
        self._domain = domain
        self._import_log = import_log
        self._series_log = ImportLog(import_log.source, import_log.path, SERIES)
        self._items = {
            "film": PersonalItems(user, import_log),
            "series": PersonalItems(user, import_log),
        }

    def __len__(self) -> int:
        return sum(map(len, self._items.values()))

    def take(
        self,
        row: int,
        title: ScreenTitle,
        interaction: ExportInteraction | None,
        *,
        place: str = "",
        part: str = "",
    ) -> None:
        """Take a row about a title into account; see `PersonalItems.take`."""
        kinds = self._domain.attributes.keys() if title.sort == "film" else _SERIES_KINDS
        self._items[title.sort].take(
            row,
            _make_item(title, kinds),
            interaction,
            identifier=title.identifier,
            place=place,
            part=part,
        )

    def history(self, path: Path) -> HistoryRows:
        """The films, and beside them the series.

        Raises:
            InputError: there is neither.
        """
        films, series = self._items["film"], self._items["series"]
        if not films and not series:
            raise InputError(
                f"{path} holds no title that can be kept: {self._import_log.first_drop()}.",
                "Export it again, once there is a title to export.",
            )
        beside: tuple[tuple[str, HistoryRows], ...] = ()
        if series:
            self._import_log.tell(
                f"{series.kept:,} row{'s'[: series.kept > 1]} about {len(series):,} series: they "
                f"are kept in the domain {SERIES}."
            )
            beside = ((SERIES, series.history(self._series_log.report(series.kept))),)
        told = films.history(self._import_log.report(films.kept + series.kept))
        return msgspec.structs.replace(told, beside=beside)


def clean_names(names: Iterable[object]) -> tuple[str, ...]:
    """Each name cleaned, each once, without empty ones."""
    return tuple(dict.fromkeys(name for name in map(clean_name, names) if name))


def title_key(name: str, year: int | None) -> str:
    """The key of a film or series, the same whatever service named it."""
    return clean_key(f"{name} {year}" if year else name)


def _make_item(title: ScreenTitle, kinds: Collection[str]) -> ItemRow:
    links = [AttributeLink(kind="genre", name=genre) for genre in title.genres]
    links += [AttributeLink(kind="creator", name=name) for name in title.creators]
    if title.year is not None:
        links.append(AttributeLink(kind="decade", name=f"{title.year // 10 * 10}s"))
    genres = [genre.casefold() for genre in title.genres]
    dated = f"{title.name} ({title.year})" if title.year else title.name
    properties: dict[str, Scalar] = {
        "year": title.year,
        "creator": title.creators[0] if title.creators else None,
        **title.properties,
        "description": f"{dated}: {join_words(genres)}." if genres else f"{dated}.",
        "description_source": "generated",
    }
    return ItemRow(
        key=title_key(title.name, title.year),
        name=title.name,
        properties={name: value for name, value in properties.items() if value is not None},
        links=tuple(link for link in links if link.kind in kinds),
    )
