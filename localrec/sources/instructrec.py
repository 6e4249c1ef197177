"""InstructRec: histories with each person's own instruction, as MemRec is evaluated on them.

The data of iAgent (Books, GoodReads, MovieTV, Yelp; about 618,000 interactions) is passed around
as pickles or JSON without a written layout. What is read here was taken from what the two papers
say of it (a history of item ids per user, a title and description per item, an instruction in the
user's words, sampled candidates), not from the files; so parts are told by their shape:

* items: {id: title}, {id: {title, description, ...}} or [{id, title, ...}]
* histories: {user: [item, ...]}, {user: {history, ...}} or [{user, history, ...}]
* instructions: {user: text} in a part with "instruct" in its name, or a field of a history

Each part is a file of a folder, or an entry of one file whose keys name them. Histories are oldest
first. The target and the candidates belong to an evaluation and are left out, and so is a part of
histories that is named as held out (test, valid) beside another one: a history that holds its own
answer would make every figure worthless. Pickles go through `unpickle`, which runs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from localrec.data.domains import Domain
from localrec.data.rows import (
    AttributeLink,
    Event,
    HistoryRows,
    InteractionRow,
    ItemRow,
    Scalar,
    UserRow,
)
from localrec.foundation.errors import InputError
from localrec.foundation.prose import as_sentence, join_words
from localrec.foundation.text import clean_name, clean_text
from localrec.sources import instructrec_parts as parts_of
from localrec.sources.bulk_tables import latest_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.instructrec_parts import (
    EXPECTED,
    InstructRecParts,
    Record,
    field_of,
    load_parts,
)
from localrec.sources.protocols import Field, FilePreview

_MOST_DESCRIPTION = 1_000  # characters; a domain has tens of thousands of items
_MILLISECONDS_FROM = 100_000_000_000  # a moment in seconds is smaller until the year 5138


def _either(names: tuple[str, ...]) -> str:
    return ", ".join(names)


class InstructRecSource:
    """Reads one of the four domains: a folder with its parts, or one file with all of them."""

    kind = "instructrec"
    domain = "books"
    personal = False
    fields: tuple[Field, ...] = (
        Field(_either(parts_of.USERS), "the person's key, where a list holds the histories"),
        Field(_either(parts_of.HISTORIES), "what the person had, oldest first"),
        Field(_either(parts_of.INSTRUCTIONS), "the person's property `instruction`"),
        Field(_either(parts_of.ITEM_IDS), "the item's key"),
        Field(_either(parts_of.TITLES), "the item's name"),
        Field(_either(parts_of.DESCRIPTIONS), "property `description`; generated where missing"),
        Field(_either(parts_of.CREATORS), "link to who made it; property `creator`"),
        Field(_either(parts_of.CATEGORIES), "links to components of the domain"),
        Field(_either(parts_of.RATINGS), "stars from 0.5 to 5, of an entry of a history"),
        Field(_either(parts_of.TIMES), "when, in seconds or milliseconds, of such an entry"),
        Field("target, candidates, negatives, test, valid", "left out: they are an evaluation's"),
    )

    def recognises(self, preview: FilePreview) -> bool:
        """Pickles, or JSON parts of which one is named after instructions."""
        names = preview.members or (preview.name,)
        is_json = any("instruct" in name and name.endswith(".json") for name in names)
        return is_json or any(name.endswith((".pkl", ".pickle")) for name in names)

    def read(self, path: Path, domain: Domain, user: str | None = None) -> HistoryRows:
        """Read every part, and the histories in the order in which they stand.

        Raises:
            InputError: nothing to read, a part that is of no known shape or would run code, or no
                history of which anything can be kept.
        """
        parts = load_parts(path)
        import_log = ImportLog(self.kind, path, domain.name)
        items = _read_items(parts, domain, import_log)
        if not items:
            raise InputError(f"{path} holds no items, only their ids.", EXPECTED)
        interactions = tuple(_Histories(items, import_log).read(parts))
        if not interactions:
            raise InputError(
                f"{path} holds no history that can be kept: {import_log.first_drop()}.", EXPECTED
            )
        return HistoryRows(
            items=tuple(items.values()),
            interactions=interactions,
            report=import_log.report(kept=len(interactions)),
            users=tuple(_read_users(parts)),
        )


def _read_items(
    parts: InstructRecParts, domain: Domain, import_log: ImportLog
) -> dict[str, ItemRow]:
    """Key -> item; of two with one key the later."""
    component, creator = domain.kind_of("component"), domain.kind_of("creator")
    items: dict[str, ItemRow] = {}
    for place, (told_key, told) in enumerate(parts.items, 1):
        fields: Record = told if isinstance(told, dict) else {"title": told}
        key, name = _key_of(told_key), clean_name(field_of(fields, parts_of.TITLES))
        if not key:
            import_log.drop(place, "item", "of the items has no id")
            continue
        if not name:
            import_log.repair(place, "title", f"of the items is empty; the item is called {key}")
        items[key] = _as_item(key, name or key, fields, component, creator)
    return items


def _as_item(
    key: str, name: str, fields: Record, component: str | None, creator: str | None
) -> ItemRow:
    makers = _names(field_of(fields, parts_of.CREATORS))
    categories = _names(field_of(fields, parts_of.CATEGORIES))
    text = clean_text(" ".join(_texts(field_of(fields, parts_of.DESCRIPTIONS))), _MOST_DESCRIPTION)
    properties: dict[str, Scalar] = {
        "title": name,
        "creator": makers[0] if makers else None,
        "description": text or _describe(name, makers, categories),
        "description_source": "catalogue" if text else "generated",
    }
    links = [AttributeLink(kind=component, name=one) for one in categories if component]
    links += [AttributeLink(kind=creator, name=one) for one in makers if creator]
    return ItemRow(key=key, name=name, properties=properties, links=tuple(links))


def _read_users(parts: InstructRecParts) -> Iterator[UserRow]:
    """Everybody with an instruction; one told apart counts for more than one in a history."""
    told = [
        (user, field_of(entry, parts_of.INSTRUCTIONS))
        for user, entry in parts.histories
        if isinstance(entry, dict)
    ]
    instructions = {
        _key_of(user): clean_text(" ".join(_texts(text)))
        for user, text in (*told, *parts.instructions)
    }
    for key, instruction in instructions.items():
        if key and instruction:
            yield UserRow(key=key, properties={"instruction": instruction})


class _Histories:
    """Turns histories into interactions; rows are numbered through all of them."""

    def __init__(self, items: dict[str, ItemRow], import_log: ImportLog) -> None:
        self._items = items
        self._import_log = import_log
        self._latest = latest_moment()
        self._row = 0

    def read(self, parts: InstructRecParts) -> Iterator[InteractionRow]:
        """The interactions, each person's together; what was had twice counts where it was last."""
        by_user: dict[str, dict[str, tuple[int, InteractionRow]]] = {}
        for told_user, told in parts.histories:
            history = field_of(told, parts_of.HISTORIES) if isinstance(told, dict) else told
            entries = history if isinstance(history, list | tuple) else [history]
            user = _key_of(told_user)
            for entry in entries:
                self._row += 1
                row = self._read_entry(user, entry)
                if row is None:
                    continue
                own = by_user.setdefault(user, {})
                if earlier := own.pop(row.item, None):
                    self._import_log.merge(earlier[0], None, f"({row.item}) comes again for {user}")
                own[row.item] = (self._row, row)
        for own in by_user.values():
            for _, row in own.values():
                yield row

    def _read_entry(self, user: str, entry: object) -> InteractionRow | None:
        fields: Record = entry if isinstance(entry, dict) else {}
        item = _key_of(field_of(fields, parts_of.ITEM_IDS) if fields else entry)
        if not user:
            self._import_log.drop(self._row, "user", "names nobody")
            return None
        if item not in self._items:
            self._import_log.drop(self._row, "item", f"({item}) is none of the items")
            return None
        if not fields:  # nearly every entry: a bare id
            return InteractionRow(user=user, item=item, event=Event.SEEN)
        at = self._read_moment(field_of(fields, parts_of.TIMES))
        if at is not None and at > self._latest:
            self._import_log.drop(self._row, "time", f"{at} is in the future")
            return None
        rating = self._read_rating(field_of(fields, parts_of.RATINGS))
        event = Event.SEEN if rating is None else Event.RATED
        return InteractionRow(user=user, item=item, event=event, rating=rating, at=at)

    def _read_rating(self, told: object) -> float | None:
        number = _number_of(told)
        if told is None or (number is not None and 0.5 <= number <= 5):
            return number
        problem = f"{clean_name(told)!r} is no rating from 0.5 to 5; left out"
        self._import_log.repair(self._row, "rating", problem)
        return None

    def _read_moment(self, told: object) -> datetime | None:
        number = _number_of(told)
        if told is None:
            return None
        try:
            seconds = math.nan if number is None else number
            seconds = seconds / 1000 if seconds >= _MILLISECONDS_FROM else seconds
            return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
        except (ValueError, OverflowError, OSError):
            problem = f"{clean_name(told)!r} is no moment; left out"
            self._import_log.repair(self._row, "time", problem)
            return None


def _key_of(told: object) -> str:
    """A user's or item's key: texts and whole numbers have one, anything else gives ""."""
    is_key = isinstance(told, str) or (isinstance(told, int) and not isinstance(told, bool))
    return clean_name(told) if is_key else ""


def _number_of(told: object) -> float | None:
    is_number = isinstance(told, int | float) and not isinstance(told, bool)
    return float(cast(float, told)) if is_number else None


def _texts(told: object) -> list[str]:
    """The texts of a cell that holds one or a list of them."""
    several = told if isinstance(told, list | tuple) else [told]
    return [one for one in several if isinstance(one, str)]


def _names(told: object) -> list[str]:
    """Names in a list, or in one text parted by commas or bars; each once."""
    texts = [part for text in _texts(told) for part in text.replace("|", ",").split(",")]
    return list(dict.fromkeys(name for name in map(clean_name, texts) if name))


def _describe(name: str, makers: list[str], categories: list[str]) -> str:
    kinds = f": {join_words(categories)}" if categories else ""
    return as_sentence(f"{name}{f' by {join_words(makers)}' if makers else ''}{kinds}")
