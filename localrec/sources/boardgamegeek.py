"""A person's collection from BoardGameGeek: the CSV that it offers, or its interface's XML."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, Event, HistoryRows, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, clean_name
from localrec.sources.column_names import restore_names
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import ExportCells
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.personal_items import ExportInteraction, PersonalItems
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows
from localrec.sources.xml_records import XmlElement, read_records

_NEEDED = {"objectname", "objectid", "rating"}
_FIRST_YEAR = -3500  # Senet
_DATES = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d")
# Where the XML keeps what the CSV has in columns: path of elements, and the attribute.
_STATS = ("minplayers", "maxplayers", "minplaytime", "maxplaytime", "playingtime")
_WISHES = ("want", "wanttoplay", "wanttobuy", "wishlist", "preordered")
_NEVER_BUY = "5"  # the last priority of the list of wishes: "don't buy this"


class BoardGameGeekSource:
    """Reads one person's collection.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "boardgamegeek"
    domain = "boardgames"
    personal = True
    fields: tuple[Field, ...] = (
        Field("objectname, name", "the game's name; its key is made from name and year"),
        Field("objectid", "property `bgg`; tells games of one name and year apart"),
        Field("rating, stats/rating value", "the rating, 1 to 10, in stars; 0 and N/A mean none"),
        Field(
            "numplays",
            "unrated: played, and how often; a rated game bears the number too",
        ),
        Field("want, wanttoplay, wanttobuy, wishlist, preordered", "wanted, where it is not rated"),
        Field("wishlistpriority", "5 (don't buy this) is given up, half a dislike, and not wanted"),
        Field("own, prevowned, fortrade", "the game is there; owning it is no verdict"),
        Field("comment, wishlistcomment", "the note of the rating, play or wish"),
        Field("yearpublished", "property `year`, and a link to the decade"),
        Field("minplayers, maxplayers", "properties `min_players` and `max_players`"),
        Field("playingtime, maxplaytime", "property `minutes` (the first that is filled)"),
        Field("avgweight", "property `weight`"),
        Field("itemtype, subtype", "an expansion links to the category expansion"),
        Field("status lastmodified", "when it was rated, played or wished for"),
        Field(
            "baverage, average, rank, collid, acquisitiondate, pricepaid and others",
            "left out",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header is one of BoardGameGeek, or the XML holds things of its collection."""
        if set(preview.header) >= _NEEDED:
            return True
        head = preview.head
        return "<items" in head and 'objecttype="thing"' in head and "collid=" in head

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every game.

        Raises:
            UsageError: `user` is missing.
            InputError: no collection of BoardGameGeek, a damaged one, or one without a game.
        """
        owner = export_owner(user, "BoardGameGeek")
        import_log = ImportLog(self.kind, path, domain.name)
        games = PersonalItems(owner, import_log)
        for cells in self._rows(path, import_log):
            _take(cells, games, domain, import_log)
        if not games:
            raise InputError(
                f"{path} holds no game that can be kept: {import_log.first_drop()}.",
                "Export the collection again, once there is a game in it.",
            )
        return games.history(import_log.report(games.kept))

    def _rows(self, path: Path, import_log: ImportLog) -> Iterator[ExportCells]:
        with open_bytes(path, self._limits) as stream:
            start = stream.read(512).lstrip(b"\xef\xbb\xbf \t\r\n")
            is_xml = start.startswith(b"<")
        if b"<message" in start:  # what the interface says until a collection is made ready
            raise InputError(
                f"{path} holds no collection yet: BoardGameGeek was still preparing it.",
                "Ask for it again in a minute, and save that answer.",
            )
        if is_xml:
            for row, item in enumerate(read_records(path, self._limits, "items", ("item",)), 1):
                yield ExportCells(row, _as_columns(item), import_log)
            return
        table = DelimitedTable(path, self._limits)
        restore_names(table, self.fields)
        if missing := sorted(_NEEDED - set(table.header)):
            raise InputError(
                f"{path} is no collection of BoardGameGeek: it lacks the column {missing[0]!r} and "
                f"has {', '.join(table.header[:20])}.",
                "Download the collection from BoardGameGeek again.",
            )
        for row, cells in watched_rows(table, import_log):
            yield ExportCells(row, cells, import_log)


def _as_columns(item: XmlElement) -> dict[str, str]:
    """An element of the interface under the names of the CSV's columns."""
    stats, status = item.find("stats"), item.find("status")
    told = {name: stats.attributes.get(name, "") for name in _STATS} if stats else {}
    wishes = (*_WISHES, "wishlistpriority")
    told |= {name: status.attributes.get(name, "") for name in wishes} if status else {}
    rating = item.told("stats", "rating", attribute="value")
    return {
        **told,
        "objectname": item.told("name"),
        "objectid": item.attributes.get("objectid", ""),
        "itemtype": item.attributes.get("subtype", ""),
        "yearpublished": item.told("yearpublished"),
        "rating": "" if rating == "N/A" else rating,
        "numplays": item.told("numplays"),
        "comment": item.told("comment"),
        "wishlistcomment": item.told("wishlistcomment"),
        "lastmodified": item.told("status", attribute="lastmodified"),
        "avgweight": item.told("stats", "rating", "averageweight", attribute="value"),
    }


def _take(cells: ExportCells, games: PersonalItems, domain: Domain, import_log: ImportLog) -> None:
    name = clean_name(cells.raw("objectname"))
    if not name:
        import_log.drop(cells.row, "objectname", "has no name")
        return
    number = cells.whole("objectid", 1, 99_999_999)
    item = _make_item(cells, name, number, domain)
    games.take(cells.row, item, _read_interaction(cells), identifier=str(number or ""))


def _make_item(cells: ExportCells, name: str, number: int | None, domain: Domain) -> ItemRow:
    year = cells.whole("yearpublished", _FIRST_YEAR, datetime.now().year + 5) or None
    links = []
    if "expansion" in cells.raw("itemtype").casefold():
        links.append(AttributeLink(kind="category", name="expansion"))
    if year is not None and year >= 1000:
        links.append(AttributeLink(kind="decade", name=f"{year // 10 * 10}s"))
    properties: dict[str, Scalar] = {
        "year": year,
        "bgg": number,
        "min_players": cells.whole("minplayers", 0, 999) or None,
        "max_players": cells.whole("maxplayers", 0, 999) or None,
        "minutes": cells.whole("playingtime", 0, 99_999) or cells.whole("maxplaytime", 0, 99_999),
        "weight": cells.decimal("avgweight", 0, 5) or None,
        "description": f"{name} ({year})." if year else f"{name}.",
        "description_source": "generated",
    }
    return ItemRow(
        key=clean_key(f"{name} {year}" if year else name),
        name=name,
        properties={name: value for name, value in properties.items() if value},
        links=tuple(link for link in links if link.kind in domain.attributes),
    )


def _read_interaction(cells: ExportCells) -> ExportInteraction | None:
    """A rating, plays, a wish or its opposite; None for a game that is only owned."""
    rating = cells.score("rating", 1, 10, nothing=0)
    plays = cells.whole("numplays", 0, 99_999) or 0
    at = cells.moment("lastmodified", *_DATES)
    note = cells.note("comment")
    if rating is not None:
        return ExportInteraction(
            event=Event.RATED, rating=rating, at=at, times=max(1, plays), note=note
        )
    if plays:
        return ExportInteraction(event=Event.PLAYED, at=at, times=plays, note=note)
    note = note or cells.note("wishlistcomment")
    if cells.is_set("wishlist") and cells.raw("wishlistpriority") == _NEVER_BUY:
        return ExportInteraction(event=Event.ABANDONED, at=at, note=note)
    return (
        ExportInteraction(event=Event.WANTED, at=at, note=note)
        if any(map(cells.is_set, _WISHES))
        else None
    )
