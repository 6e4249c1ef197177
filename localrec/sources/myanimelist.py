"""A person's list from MyAnimeList: the XML of its export, plain or as .gz.

A list of anime is read as anime; a list of manga beside it as books.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, Event, HistoryRows, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, clean_name
from localrec.sources.book_titles import book_key
from localrec.sources.export_cells import ExportCells
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.personal_items import ExportInteraction, PersonalItems
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.xml_records import XmlElement, read_records

_BOOKS = "books"
# A status in words, or by the number that older exports write; manga are read, not watched.
_EVENTS = {
    **dict.fromkeys(("completed", "2", "watching", "reading", "1"), Event.SEEN),
    **dict.fromkeys(("dropped", "4"), Event.ABANDONED),
    **dict.fromkeys(("plan to watch", "plan to read", "6"), Event.WANTED),
    **dict.fromkeys(("on-hold", "on hold", "3"), Event.LATER),
}


class MyAnimeListSource:
    """Reads one person's list.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "myanimelist"
    domain = "anime"
    personal = True
    fields: tuple[Field, ...] = (
        Field("series_title, manga_title", "the name; the key is made from it"),
        Field(
            "series_animedb_id, manga_mangadb_id",
            "property `mal`; tells two of one name apart",
        ),
        Field("series_type", "link to the form"),
        Field("series_episodes", "property `episodes`; 0 means unknown"),
        Field("my_score", "the rating, 1 to 10, in stars; 0 means none"),
        Field(
            "my_status",
            "unrated: Watching and Completed are seen, Dropped is given up, half a "
            "dislike, Plan to Watch is wanted, On-Hold is for later",
        ),
        Field("my_times_watched, my_times_read", "how often it was seen again"),
        Field("my_finish_date, my_start_date", "when it happened (the first that is filled)"),
        Field("my_comments", "the person's note"),
        Field("my_tags", "personal links to genres"),
        Field("myinfo, my_watched_episodes, my_storage, my_priority and others", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the XML's root is MyAnimeList's."""
        return "<myanimelist>" in preview.head[:4096]

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every title.

        Raises:
            UsageError: `user` is missing.
            InputError: no export of MyAnimeList, a damaged one, or one without a title.
        """
        owner = export_owner(user, "MyAnimeList")
        import_log = ImportLog(self.kind, path, domain.name)
        anime, manga = PersonalItems(owner, import_log), PersonalItems(owner, import_log)
        entries = read_records(path, self._limits, "myanimelist", ("anime", "manga"))
        for row, entry in enumerate(entries, 1):
            told = {one.tag: one.text for one in entry.inside}
            cells = ExportCells(row, told, import_log)
            _take(cells, entry, manga if entry.tag == "manga" else anime, domain, import_log)
        if not anime and not manga:
            raise InputError(
                f"{path} holds no title that can be kept: {import_log.first_drop()}.",
                "Export the list again, once there is a title in it.",
            )
        beside: tuple[tuple[str, HistoryRows], ...] = ()
        if manga:
            import_log.tell(f"{manga.kept:,} manga are kept in the domain {_BOOKS}.")
            report = ImportLog(self.kind, path, _BOOKS).report(manga.kept)
            beside = ((_BOOKS, manga.history(report)),)
        read = anime.history(import_log.report(anime.kept + manga.kept))
        return HistoryRows(
            items=read.items, interactions=read.interactions, report=read.report, beside=beside
        )


def _take(
    cells: ExportCells,
    entry: XmlElement,
    titles: PersonalItems,
    domain: Domain,
    import_log: ImportLog,
) -> None:
    column = "manga_title" if entry.tag == "manga" else "series_title"
    name = clean_name(cells.raw(column))
    if not name:
        import_log.drop(cells.row, column, "has no title")
        return
    interaction = _read_interaction(cells)
    if interaction is None:
        told = clean_name(cells.raw("my_status"))
        import_log.drop(cells.row, "my_status", f"{told!r} is no status, and it is not rated")
        return
    id_column = "manga_mangadb_id" if entry.tag == "manga" else "series_animedb_id"
    number = cells.whole(id_column, 1, 99_999_999)
    if entry.tag == "manga":
        item = _make_manga(cells, name, number)
    else:
        item = _make_anime(cells, name, number, domain)
    titles.take(cells.row, item, interaction, identifier=str(number or ""))


def _make_anime(cells: ExportCells, name: str, number: int | None, domain: Domain) -> ItemRow:
    form = clean_name(cells.raw("series_type"))
    links = [AttributeLink(kind="form", name=form)] if form and form != "Unknown" else []
    links += _tag_links(cells)
    told: dict[str, Scalar] = {
        "mal": number,
        "episodes": cells.whole("series_episodes", 0, 99_999) or None,
        "description": f"{name}.",
        "description_source": "generated",
    }
    return ItemRow(
        key=clean_key(name),
        name=name,
        properties={key: value for key, value in told.items() if value is not None},
        links=tuple(link for link in links if link.kind in domain.attributes),
    )


def _make_manga(cells: ExportCells, name: str, number: int | None) -> ItemRow:
    told: dict[str, Scalar] = {
        "mal": number,
        "description": f"{name}.",
        "description_source": "generated",
    }
    return ItemRow(
        key=book_key(name, None),
        name=name,
        properties={key: value for key, value in told.items() if value is not None},
        links=(AttributeLink(kind="genre", name="manga"), *_tag_links(cells)),
    )


def _tag_links(cells: ExportCells) -> list[AttributeLink]:
    tags = cells.names("my_tags")
    return [AttributeLink(kind="genre", name=tag, personal=True) for tag in tags]


def _read_interaction(cells: ExportCells) -> ExportInteraction | None:
    """Read the interaction with a title; None where neither score nor status tells one."""
    again = cells.whole("my_times_watched", 0, 9_999) or cells.whole("my_times_read", 0, 9_999)
    at = _day(cells, "my_finish_date") or _day(cells, "my_start_date")
    rating = cells.score("my_score", 1, 10, nothing=0)
    event = _EVENTS.get(cells.raw("my_status").casefold())
    if rating is not None:
        event = Event.RATED
    if event is None:
        return None
    return ExportInteraction(
        event=event, rating=rating, at=at, times=1 + (again or 0), note=cells.note("my_comments")
    )


def _day(cells: ExportCells, column: str) -> datetime | None:
    """A day; 0000-00-00 means none, and a month or day of 00 the first one."""
    told = cells.raw(column)
    if told.startswith("0000"):
        return None
    year, _, rest = told.partition("-")
    if "00" in rest.split("-"):
        told = "-".join([year, *("01" if part == "00" else part for part in rest.split("-"))])
    return cells.at(column, told)
