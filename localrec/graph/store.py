"""The store: one DuckDB file that is the whole truth of a workspace.

Opened with every door to the outside shut: no extension is fetched or loaded, no other file or
address can be reached from SQL, and the configuration is locked. Reading processes may share
the file; a writer holds it alone, and whoever comes second waits briefly and then learns who
holds it (`BusyError`).
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from localrec.foundation.disk_errors import disk_error_in
from localrec.foundation.errors import BusyError, WorkspaceError
from localrec.foundation.file_marks import file_mark
from localrec.foundation.paths import make_private, owner_only
from localrec.foundation.patience import PATIENCE, TOLD_AFTER_S
from localrec.graph.domain_files import load_if_sound, use_domains_of
from localrec.graph.kept_copies import keep_copy
from localrec.graph.migrations import (
    SCHEMA_VERSION,
    is_behind,
    migrate,
    older_version,
    require_current,
    schema_version,
)

if TYPE_CHECKING:
    import duckdb

Columns = dict[str, Any]  # column name -> NumPy array, all of one length
Values = Sequence[Any] | Mapping[str, Any]  # of the placeholders ?, or of $names

_HOLDER = re.compile(r"PID (\d+)")
# What DuckDB says when another process holds the file, and when another thread of this one does,
# or is just closing it.
_HELD = ("Could not set lock", "different configuration", "Unique file handle conflict")
# Two threads of a process share what was opened in one way. The doors are shut by the first; the
# second must not come between them, where some are shut already and others are not.
_DOORS = threading.Lock()
_INVALID = "invalidated because of a previous fatal error"  # a sync that failed
_LOCKED = "configuration has been locked"
_LOCKED_DOWN = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}
# DuckDB cannot know how long a foreign file is and guesses 42 rows; it would then hash millions of
# them to look up a few keys. Taken as written, joins with a file stream it.
_AS_WRITTEN = {"disabled_optimizers": "join_order,build_side_probe_side"}
# Reading answers questions beside a model, an index and perhaps an app; writing sorts millions.
_MEMORY = {True: "512MB", False: "1GB"}


def require_store(path: Path) -> None:
    """Refuse to go on without the file of a store.

    Raises:
        WorkspaceError: the workspace is a file, or nothing is in it.
    """
    if path.parent.is_file():
        raise WorkspaceError(
            f"The workspace {path.parent} is a file, not a folder.",
            "Name a folder: --workspace PATH or LOCALREC_WORKSPACE.",
        )
    if not path.is_file():
        raise WorkspaceError(
            f"There is nothing in the workspace {path.parent} yet.",
            "Put a catalogue in: localrec datasets pull cocktails; or name another --workspace.",
        )


class Store:
    """A connection to one store file; close it, or use it as a context manager."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, read_only: bool) -> None:
        self._connection = connection
        self.path = path
        self.read_only = read_only

    @classmethod
    def open_(
        cls,
        path: Path,
        *,
        read_only: bool = False,
        wait_s: float | None = None,
        may_read: Sequence[str] = (),
    ) -> Store:
        """Open the store at `path`; a writer creates and migrates it.

        Args:
            path: The file `store.duckdb` inside a workspace.
            read_only: Share the file with other readers; an older schema is migrated first.
            wait_s: Seconds to wait for another process; None: as long as this process's patience
                says.
            may_read: Foreign files that SQL may read, absolute; every other door stays shut.

        Raises:
            BusyError: another process holds the file.
            WorkspaceError: the file is no store, or was written by a newer localrec.
        """
        if read_only:
            require_store(path)
        use_domains_of(path.parent)
        if not read_only:
            make_private(path.parent)
        joins = _AS_WRITTEN if may_read else {}
        connection = _connect_patiently(path, read_only, wait_s, joins)
        try:
            with _ctrl_c(), owner_only():
                if not read_only:
                    connection = _keep_before_migration(connection, path, wait_s, joins)
                elif is_behind(connection):
                    connection.close()
                    cls.open_(path, wait_s=wait_s).close()  # migrates
                    connection = _connect_patiently(path, read_only, wait_s, joins)
                _prepare(connection, path, read_only, may_read)
        except BaseException:
            connection.close()
            raise
        return cls(connection, path, read_only)

    def beside(self) -> Store:
        """Another connection to the file, for another thread; each is closed by itself.

        What was looked into and shut when the file was opened, 6 ms of work, holds for both.
        """
        return Store(
            _connect_patiently(self.path, self.read_only, 0.0, {}), self.path, self.read_only
        )

    def close(self) -> None:
        """Close the file; committed work is on disk already."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside happen, or none; Ctrl+C and errors roll back."""
        self._run("BEGIN", ())
        try:
            yield
            self._run("COMMIT", ())
        except BaseException:  # Ctrl+C included: nothing half done may stay
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        from localrec.graph.engine import duckdb

        with suppress(duckdb.Error):  # an interrupted COMMIT has rolled back by itself
            self._connection.execute("ROLLBACK")

    def execute(self, sql: str, values: Values = ()) -> None:
        """Run one statement."""
        self._run(sql, values)

    def rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a query and fetch its rows; for small answers."""
        return self._run(sql, values).fetchall()

    def columns(self, sql: str, values: Values = ()) -> Columns:
        """Run a query and fetch it as NumPy columns; for bulk."""
        return self._run(sql, values).fetchnumpy()

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run the last statement of a query: the names of its columns, and its rows."""
        result = self._run(sql, ())
        return [str(one[0]) for one in result.description or ()], result.fetchall()

    def _run(self, sql: str, values: Values) -> duckdb.DuckDBPyConnection:
        with _ctrl_c(), _disk_trouble(self.path), owner_only():  # DuckDB makes logs and spills
            return self._connection.execute(sql, values)

    @contextmanager
    def staged(self, **tables: Columns) -> Iterator[None]:
        """Make NumPy columns visible to SQL as tables of the given names, without a copy."""
        from localrec.graph.engine import duckdb

        for name, columns in tables.items():
            self._connection.register(name, columns)
        try:
            yield
        finally:
            # Of a failed disk, or of a transaction that an interrupt broke: the block tells of it.
            with suppress(duckdb.FatalException, duckdb.TransactionException):
                for name in tables:
                    self._connection.unregister(name)

    def write_embeddings(
        self, field: str, model: str, node_ids: Any, text_hashes: Any, vectors: Any
    ) -> None:
        """Replace the vectors of `node_ids` (n) for one field and model by `vectors` (n, size)."""
        size = int(vectors.shape[1]) if len(vectors) else 0
        if not size:
            return
        flat = np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1)
        staged_nodes = {
            "position": np.arange(len(node_ids), dtype=np.int64),
            "node_id": np.asarray(node_ids, dtype=np.int64),
            "text_hash": np.asarray(text_hashes, dtype=np.uint64),
        }
        staged_values = {"place": np.arange(len(flat), dtype=np.int64), "value": flat}
        with self.transaction(), self.staged(staged_node=staged_nodes, staged_value=staged_values):
            self.execute(
                "DELETE FROM embedding WHERE field = ? AND model = ? "
                "AND node_id IN (SELECT node_id FROM staged_node)",
                [field, model],
            )
            self.execute(
                "INSERT INTO embedding SELECT n.node_id, ?, ?, n.text_hash, v.vector "
                "FROM staged_node n JOIN (SELECT place // ? AS position, "
                "list(value ORDER BY place) AS vector FROM staged_value GROUP BY 1) v "
                "USING (position)",
                [field, model, size],
            )

    def read_embeddings(self, domain: str, field: str, model: str) -> tuple[Any, Any]:
        """Vectors of a domain's nodes for one field: node ids (n,), vectors (n, size) float32."""
        fetched = self.columns(
            "SELECT e.node_id, e.vector FROM embedding e JOIN node n USING (node_id) "
            "WHERE n.domain = ? AND e.field = ? AND e.model = ? ORDER BY e.node_id",
            [domain, field, model],
        )
        node_ids = np.asarray(fetched["node_id"], dtype=np.int64)
        if not len(node_ids):
            return node_ids, np.zeros((0, 0), dtype=np.float32)
        return node_ids, np.stack(list(fetched["vector"])).astype(np.float32, copy=False)

    def embedding_fingerprint(self, domain: str, field: str, model: str) -> str:
        """Changes whenever the vectors of a domain, field and model change; cheap to ask."""
        count, digest = self.rows(
            "SELECT count(*), coalesce(bit_xor(hash(hash(e.node_id, e.text_hash))), 0) "
            "FROM embedding e JOIN node n USING (node_id) "
            "WHERE n.domain = ? AND e.field = ? AND e.model = ?",
            [domain, field, model],
        )[0]
        return f"{model}:{field}:{count}:{digest:x}"


def schema_of(path: Path) -> int:
    """The schema of a store file that nobody has open; it is not brought up to date.

    Raises:
        WorkspaceError: the file is no store.
    """
    connection = _connect_patiently(path, True, 0.0, {})
    try:
        version = schema_version(connection)
    finally:
        connection.close()
    if not version:
        raise WorkspaceError(f"{path} holds no localrec store.")
    return version


def _keep_before_migration(
    connection: duckdb.DuckDBPyConnection, path: Path, wait_s: float | None, more: Mapping[str, str]
) -> duckdb.DuckDBPyConnection:
    """Keep a copy of a store of an older schema; returns a connection to the same store.

    The file is closed while it is copied: a process that reads a file which DuckDB has open gives
    up DuckDB's lock on it. Where somebody changed it meanwhile, it is copied once more.

    Raises:
        BusyError, WorkspaceError: as `Store.open_`, or the copy cannot be made.
    """
    import duckdb

    try:
        while version := older_version(connection):
            connection.execute("CHECKPOINT")  # the log must be in the file
            connection.close()
            before = file_mark(path)
            with path.open("rb") as file:
                keep_copy(file, path.parent, f"schema {SCHEMA_VERSION}", version, renew=False)
            connection = _connect_patiently(path, False, wait_s, more)
            if file_mark(path) == before:
                break
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise _no_store(path, error) from error
    return connection


def _prepare(
    connection: duckdb.DuckDBPyConnection, path: Path, read_only: bool, may_read: Sequence[str]
) -> None:
    """Bring the schema up to date, then shut the doors.

    Raises:
        WorkspaceError: the file is damaged, somebody else's, or of a newer localrec.
    """
    from localrec.graph.engine import duckdb

    try:
        if read_only:
            require_current(connection)
        else:
            migrate(connection, _item_kind)
            path.chmod(0o600)
        with _DOORS:
            connection.execute(f"SET temp_directory = '{_quoted(path.parent / 'spill')}'")
            if may_read:
                allowed = ", ".join(f"'{_quoted(Path(file))}'" for file in may_read)
                connection.execute(f"SET allowed_paths = [{allowed}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        if _LOCKED not in str(error):
            raise _no_store(path, error) from error
        if may_read:  # another thread has it open, for its own files alone
            raise _busy(path, error) from error


def _item_kind(domain: str) -> str | None:
    declared = load_if_sound(domain)
    return declared.item if declared else None


@contextmanager
def _ctrl_c() -> Iterator[None]:
    """Turn DuckDB's error for Ctrl+C during a query into a KeyboardInterrupt again."""
    from localrec.graph.engine import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


@contextmanager
def _disk_trouble(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about the disk into a `WorkspaceError`."""
    from localrec.graph.engine import duckdb

    try:
        yield
    except duckdb.Error as error:
        if told := disk_error_in(str(error), path):
            raise told from error
        if isinstance(error, duckdb.IOException | duckdb.FatalException) or _INVALID in str(error):
            raise WorkspaceError(
                f"The disk failed while {path} was read or written.",
                "Look after the disk, then do it again; nothing half done was kept.",
            ) from error
        raise


def _no_store(path: Path, error: Exception) -> WorkspaceError:
    """Explain why a store cannot be opened: an error of the disk, else the file itself."""
    if told := disk_error_in(str(error), path):
        return told
    return WorkspaceError(
        f"{path} is not a store that localrec can read.",
        "Move the file away, or name another workspace with --workspace.",
    )


def _connect_patiently(
    path: Path, read_only: bool, wait_s: float | None, more: Mapping[str, str]
) -> duckdb.DuckDBPyConnection:
    from localrec.graph.engine import duckdb  # only a command that opens a store pays

    began = time.monotonic()
    deadline = began + (PATIENCE.wait_s if wait_s is None else wait_s)
    tell = PATIENCE.tell
    while True:
        try:
            with owner_only():
                config: dict[str, Any] = {
                    **_LOCKED_DOWN,
                    **more,
                    "memory_limit": _MEMORY[read_only],
                }
                return duckdb.connect(str(path), read_only=read_only, config=config)
        except duckdb.Error as error:
            if not any(told in str(error) for told in _HELD):
                raise _no_store(path, error) from error
            if time.monotonic() >= deadline:
                raise _busy(path, error) from error
            if tell is not None and time.monotonic() >= began + TOLD_AFTER_S:
                tell(f"{_busy(path, error).message} Waiting for it.")
                tell = None
            time.sleep(0.1)


def _busy(path: Path, error: Exception) -> BusyError:
    holder = _HOLDER.search(str(error))
    who = f"process {holder.group(1)}" if holder else "another part of localrec"
    return BusyError(
        f"The workspace {path.parent} is in use by {who}.", "Try again when it has finished."
    )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
