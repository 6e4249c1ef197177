"""Conversions of every result: to dictionaries, and of tables to rows and columns."""

from __future__ import annotations

from typing import Any

import msgspec

from localrec.foundation.errors import UsageError


class Record:
    """A base for frozen structs of results, beside `msgspec.Struct`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain dictionaries, lists, texts and numbers, as in its JSON."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found


class TableRows:
    """A result with rows; a subclass says which rows."""

    __slots__ = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary a row."""
        raise NotImplementedError

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`, which DuckDB, Polars and pandas read.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return arrow_module().Table.from_pylist(self.to_rows())

    def to_pandas(self) -> Any:
        """Return the rows as a `pandas.DataFrame`.

        Raises:
            UsageError: pyarrow or pandas is not installed.
        """
        try:
            return self.to_arrow().to_pandas()
        except ModuleNotFoundError as error:
            raise UsageError("A DataFrame needs pandas.", "pip install pandas") from error


def arrow_module() -> Any:
    """Load pyarrow.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise UsageError("A table of Arrow needs pyarrow.", "pip install pyarrow") from error
    return pyarrow
