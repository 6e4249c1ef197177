"""Interactions as the tables that other libraries of the field read, and such tables taken in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.records import TableRows, arrow_module
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.foundation.errors import InputError, UsageError

# Column of an atomic file -> the names that tables of the field have for it, best first.
_COLUMNS = {
    "user_id:token": ("user_id", "user"),
    "item_id:token": ("item_id", "item"),
    "rating:float": ("rating", "stars"),
    "timestamp:float": ("timestamp", "time"),
}


class InteractionTable(TableRows):
    """The interactions of users with items: one row a user and item, by user and time.

    Columns are user_id, item_id, rating (missing where none was given) and timestamp (UTC), as
    LensKit, Cornac, Surprise and RecBole name them.

    Example:
        `workspace.interactions(domain="movies").to_csr()` is a sparse matrix of users by items.

    Args:
        keyed: The interactions read from the store.
    """

    def __init__(self, keyed: KeyedInteractions) -> None:
        self._keyed = keyed

    def __len__(self) -> int:
        return len(self._keyed.interactions)

    @property
    def user_keys(self) -> list[str]:
        """The key of each row of `to_csr()`."""
        return [str(key) for key in self._keyed.user_keys]

    @property
    def item_keys(self) -> list[str]:
        """The key of each column of `to_csr()`."""
        return [str(key) for key in self._keyed.item_keys]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary a row; for large tables `to_arrow` takes less memory."""
        found: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return found

    def to_arrow(self) -> Any:
        """Return a `pyarrow.Table`.

        Raises:
            UsageError: pyarrow is not installed.
        """
        pyarrow, log = arrow_module(), self._keyed.interactions
        stars = log.stars.astype(np.float32)
        return pyarrow.table(
            {
                "user_id": pyarrow.array(self._keyed.user_keys.tolist()).take(log.user),
                "item_id": pyarrow.array(self._keyed.item_keys.tolist()).take(log.item),
                "rating": pyarrow.array(stars, mask=np.isnan(stars)),
                "timestamp": pyarrow.array(log.at),
            }
        )

    def to_csr(self) -> Any:
        """Return a `scipy.sparse.csr_matrix` of ones, users by items, as implicit fits on.

        Raises:
            UsageError: scipy is not installed.
        """
        return csr_of(self._keyed.interactions.user, self._keyed.interactions.item, self._shape)

    @property
    def _shape(self) -> tuple[int, int]:
        return self._keyed.interactions.users, self._keyed.interactions.items

    def to_lenskit(self) -> Any:
        """Return a `lenskit.data.Dataset`.

        Raises:
            UsageError: lenskit or pandas is not installed.
        """
        try:
            from lenskit.data import from_interactions_df
        except ImportError as error:
            raise UsageError("LensKit is not installed.", "pip install lenskit") from error
        return from_interactions_df(self.to_pandas())


def csr_of(user: NDArray[np.int32], item: NDArray[np.int32], shape: tuple[int, int]) -> Any:
    """Return pairs of users and items as a `scipy.sparse.csr_matrix` of ones.

    Raises:
        UsageError: scipy is not installed.
    """
    # Reached by name: within localrec only one baseline computes with scipy, and this hands over.
    from importlib import import_module

    try:
        sparse = import_module("scipy.sparse")
    except ImportError as error:
        raise UsageError("A sparse matrix needs scipy.", "pip install scipy") from error
    return sparse.csr_matrix((np.ones(len(user), dtype=np.float32), (user, item)), shape=shape)


def write_atomic_file(table: object, folder: Path) -> int:
    """Write a table of interactions as RecBole's `.inter` into a folder; return its rows.

    Args:
        table: A `pyarrow.Table`, a `pandas.DataFrame`, or a `lenskit.data.Dataset`.
        folder: Folder that `table.inter` is made in.

    Raises:
        InputError: it has no columns for users and items, or keys that no file of lines can hold.
        UsageError: it is no table, or pyarrow is not installed.
    """
    pyarrow = arrow_module()
    from pyarrow import csv

    found = _as_arrow(table, pyarrow)
    chosen = {
        header: name
        for header, names in _COLUMNS.items()
        if (name := next((one for one in names if one in found.column_names), None))
    }
    missing = [_COLUMNS[header][0] for header in list(_COLUMNS)[:2] if header not in chosen]
    if missing:
        raise InputError(
            f"The table has no column {' and no column '.join(missing)}.",
            "Rename its columns: user_id, item_id, and maybe rating and timestamp.",
        )
    columns = {
        header: _cells(found.column(name), header, pyarrow) for header, name in chosen.items()
    }
    options = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    try:
        with (folder / "table.inter").open("wb") as file:
            file.write("\t".join(columns).encode() + b"\n")  # Arrow would put it into quotes
            csv.write_csv(pyarrow.table(columns), file, options)
    except pyarrow.ArrowInvalid as error:
        raise InputError(
            "A key of the table holds a tab, a quote or a line break.", "Rename such keys first."
        ) from error
    return int(found.num_rows)


def _as_arrow(table: object, pyarrow: Any) -> Any:
    """A table of any of the kinds as Arrow's."""
    if isinstance(table, pyarrow.Table):
        return table
    if isinstance(table, InteractionTable):
        return table.to_arrow()
    if hasattr(table, "interaction_table"):  # LensKit's Dataset
        table = table.interaction_table(format="pandas", original_ids=True)
    if not hasattr(table, "dtypes"):
        raise UsageError(
            f"{type(table).__name__} is no table of interactions.",
            "Give a DataFrame, a pyarrow.Table or a data set of LensKit.",
        )
    return pyarrow.Table.from_pandas(table, preserve_index=False)


def _cells(column: Any, header: str, pyarrow: Any) -> Any:
    """A column as an atomic file holds it: times as seconds since 1970."""
    if header == "timestamp:float" and pyarrow.types.is_timestamp(column.type):
        column = column.cast(pyarrow.timestamp("s", column.type.tz), safe=False)
        return column.cast(pyarrow.int64())
    return column.cast(pyarrow.string()) if header.endswith("token") else column


class TrainingExamples(msgspec.Struct, frozen=True):
    """Prompts with the answers to give; those to validate on are worded differently.

    Example:
        `workspace.training_examples("router").train[0]["completion"]` is a label such as "similar".

    Args:
        role: The role that learns from them.
        train: Examples to learn from.
        validation: Examples to validate on.
    """

    role: str
    train: tuple[dict[str, Any], ...]
    validation: tuple[dict[str, Any], ...]

    def to_datasets(self) -> Any:
        """Return a `datasets.DatasetDict` with both halves, as trainers of chat models read.

        Raises:
            UsageError: the package datasets is not installed.
        """
        # Reached by name: a folder of the repository has the package's.
        from importlib import import_module

        try:
            package: Any = import_module("datasets")
        except ImportError as error:
            raise UsageError("A data set needs the package.", "pip install datasets") from error
        halves: dict[str, Sequence[dict[str, Any]]] = {
            "train": self.train,
            "validation": self.validation,
        }
        return package.DatasetDict(
            {name: package.Dataset.from_list(list(half)) for name, half in halves.items()}
        )
