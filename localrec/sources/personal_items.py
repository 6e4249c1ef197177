"""What one person said of things: items met under several rows and files, and one verdict each.

The newest rating counts, viewings add up, and a wish or a like stands beside them. Rows of one
file about one item are merged; two items that only an identifier tells apart stay two.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from localrec.data.rows import Event, HistoryRows, ImportReport, InteractionRow, ItemRow
from localrec.sources.import_log import ImportLog

_TAKEN_UP = (Event.RATED, Event.SEEN, Event.PLAYED)
_NEVER = datetime.min


class ExportInteraction(msgspec.Struct, frozen=True, kw_only=True):
    """An interaction of the user with an item, as a row tells it.

    Args:
        event: Rated, seen, wanted and so on.
        rating: Stars.
        at: Time of the interaction, in UTC.
        times: The number of times, where the row counts.
        note: The person's own words, cleaned.
        is_viewing: Whether the row is one viewing, reading or play of many; each counts.
    """

    event: Event
    rating: float | None = None
    at: datetime | None = None
    times: int = 1
    note: str | None = None
    is_viewing: bool = False


class _JoinedInteraction(msgspec.Struct):
    """The newest statements about an item that count as one: rated, seen, wanted or liked."""

    event: Event
    rating: float | None = None
    rated_at: datetime | None = None
    at: datetime | None = None
    times: int = 1
    note: str | None = None
    noted_at: datetime | None = None
    viewings: int = 0

    def add(self, interaction: ExportInteraction) -> None:
        """Join a further interaction: the newest rating and the newest words count."""
        if interaction.rating is not None and (
            self.rating is None or (interaction.at or _NEVER) > (self.rated_at or _NEVER)
        ):
            self.event, self.rating, self.rated_at = Event.RATED, interaction.rating, interaction.at
        if interaction.note and (
            not self.note or (interaction.at or _NEVER) > (self.noted_at or _NEVER)
        ):
            self.note, self.noted_at = interaction.note, interaction.at
        self.at = max(self.at or _NEVER, interaction.at or _NEVER)
        self.at = None if self.at == _NEVER else self.at
        self.times = max(self.times, interaction.times)
        if interaction.is_viewing:
            self.viewings += 1

    def row(self, user: str, key: str) -> InteractionRow:
        return InteractionRow(
            user=user,
            item=key,
            event=self.event,
            rating=self.rating,
            at=self.rated_at or self.at,
            times=max(self.times, self.viewings),
            note=self.note,
        )


class PersonalItems:
    """The items of one person's export, and what the person said of each.

    Args:
        user: The person's key.
        import_log: Log that merged rows are noted in.
    """

    def __init__(self, user: str, import_log: ImportLog) -> None:
        self._user = user
        self._import_log = import_log
        self._items: dict[str, ItemRow] = {}
        self._key_of_id: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._joined: dict[tuple[str, Event], _JoinedInteraction] = {}
        self._first_rows: dict[tuple[str, str, str, Event | None], int] = {}
        self._viewings: set[tuple[str, str, str, datetime]] = set()
        self.kept = 0

    def __len__(self) -> int:
        return len(self._items)

    def take(
        self,
        row: int,
        item: ItemRow,
        interaction: ExportInteraction | None,
        *,
        identifier: str = "",
        place: str = "",
        part: str = "",
    ) -> None:
        """Take a row into account: it is kept, or merged into an earlier one about the same.

        Args:
            row: Its number.
            item: The item of the row.
            interaction: The user's interaction; None where the item is only there.
            identifier: Identifier that tells items of one key apart; "" for none.
            place: The file that the row stands in, where there are several.
            part: Part of the item, such as an episode of a series.
        """
        key = self._meet(item, identifier)
        slot = None if interaction is None else _slot_of(interaction.event)
        first = self._first_rows.setdefault((place, key, part, slot), row)
        is_viewing = interaction is not None and interaction.is_viewing
        viewing = (
            (place, key, part, interaction.at)
            if interaction and is_viewing and interaction.at
            else None
        )
        if first == row or (is_viewing and (viewing is None or viewing not in self._viewings)):
            self.kept += 1
        else:
            self._import_log.merge(row, place or None, f"is {item.name} again, as in row {first}")
            if is_viewing:
                return
        if viewing:
            self._viewings.add(viewing)
        if interaction and slot:
            self._joined.setdefault((key, slot), _JoinedInteraction(interaction.event)).add(
                interaction
            )

    def history(self, report: ImportReport) -> HistoryRows:
        """All items and interactions, with the receipt."""
        return HistoryRows(
            items=tuple(self._items.values()), interactions=tuple(self._rows()), report=report
        )

    def _rows(self) -> Iterator[InteractionRow]:
        for (key, _), said in self._joined.items():
            yield said.row(self._user, key)

    def _meet(self, item: ItemRow, identifier: str) -> str:
        """The key under which the item is kept; what rows say of it adds up."""
        key = self._key_of_id.get(identifier) if identifier else None
        if key is None:
            key = item.key
            if identifier and self._ids.get(key, identifier) != identifier:
                key = f"{item.key}-{identifier.casefold()}"
            if identifier:
                self._key_of_id[identifier] = key
                self._ids[key] = identifier
        known = self._items.get(key)
        if known is None:
            self._items[key] = msgspec.structs.replace(item, key=key)
        elif known.properties != item.properties or known.links != item.links:
            told = {name: value for name, value in item.properties.items() if value is not None}
            links = dict.fromkeys((*known.links, *item.links))
            self._items[key] = msgspec.structs.replace(
                known, properties={**told, **_filled(known)}, links=tuple(links)
            )
        return key


def _slot_of(event: Event) -> Event:
    """Under which event it is kept: rated, seen and played are one."""
    return Event.SEEN if event in _TAKEN_UP else event


def _filled(item: ItemRow) -> dict[str, str | int | float | bool | None]:
    return {name: value for name, value in item.properties.items() if value is not None}
