"""The meaning of a table's columns, for a domain made from a user's own table."""

from __future__ import annotations

from typing import Literal

import msgspec


class LinkColumns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Columns whose names become links of one kind.

    Args:
        columns: One column, or numbered ones (`ingredient-1`, `ingredient-2` ...).
        separator: Separator of the names in a cell; None for one name, or a list in brackets.
        values: Columns beside them that tell how much of each ("measure-1" ...); those of a list
            are joined ("6", "cl").
        otherwise: A column that speaks where the first is empty, such as `special` beside
            `ingredient`.
        flags: The cells say yes or no, and the columns' own names are what an item has.
        amounts: Names bear their amount ("1.5 oz Mezcal"), which is parted from them.
    """

    columns: tuple[str, ...]
    separator: str | None = None
    values: tuple[str, ...] = ()
    otherwise: str | None = None
    flags: bool = False
    amounts: bool = False


class NumberColumn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of numbers.

    Args:
        column: Its name.
        times: Factor for each value, such as 100 for a share that is asked for in percent.
        zero_is_missing: A 0 says that nothing is known.
        end: The end of a range such as "2-4" that counts as the number; without it a range is none.
    """

    column: str
    times: float = 1.0
    zero_is_missing: bool = False
    end: Literal["low", "high"] | None = None


class CatalogueColumns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The use of each column of a catalogue; `columns.toml` beside a `domain.toml`.

    Args:
        name: The item's name.
        key: Columns that tell items of one name apart; () for the name alone.
        gather: Several rows with one key are one item, and their links add up.
        texts: Text of the domain -> column.
        links: Kind of attribute -> columns.
        numbers: Number of the domain -> column.
        flags: Flag of the domain -> column.
        year: The column that tells the year, or the day, in which an item came out.
        year_in_name: The name holds the year ("Chianti 2013").
        series_in_name: The name ends in series and volume ("(Dune, #1)").
        properties: Property -> column; kept with the item as it stands.
        identifiers: Those of these columns by whose values other tables call the items.
        ignored: Columns that say nothing of an item, such as the number of a row; they are left
            out, but for those that are a property by which other tables call the items.
    """

    name: str
    key: tuple[str, ...] = ()
    gather: bool = False
    texts: dict[str, str] = {}
    links: dict[str, LinkColumns] = {}
    numbers: dict[str, NumberColumn] = {}
    flags: dict[str, str] = {}
    year: str | None = None
    year_in_name: bool = False
    series_in_name: bool = False
    properties: dict[str, str] = {}
    identifiers: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def named(self) -> tuple[str, ...]:
        """List every column that the items use, each once."""
        links = [
            column
            for one in self.links.values()
            for column in (*one.columns, *one.values, *filter(None, (one.otherwise,)))
        ]
        numbers = (one.column for one in self.numbers.values())
        told = (self.name, *self.key, *self.texts.values(), *links, *numbers, *self.flags.values())
        year = (self.year,) if self.year else ()
        return tuple(dict.fromkeys((*told, *year, *self.properties.values())))

    def needed(self) -> tuple[str, ...]:
        """List the columns that identify an item."""
        return tuple(dict.fromkeys((self.name, *self.key)))
