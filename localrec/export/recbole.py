"""Export a domain, or one user of it, as RecBole's atomic files.

The folder holds `NAME.inter`, `NAME.item` and `NAME.user`, where NAME is the folder's own name, as
RecBole expects. A split gives `NAME.train.inter`, `NAME.valid.inter` and `NAME.test.inter` instead,
which RecBole reads with `benchmark_filename: [train, valid, test]`.

One line stands for one user and item. Items that were only wanted or put off are no interactions.
The split is AgenticRec's (appendix E): all rows sorted by time, the oldest shares first, ties in
their order of import. Its cap on histories is applied before that, to each user's newest rows.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

from localrec.data.domains import Domain
from localrec.export.delivery import deliver
from localrec.export.plan import ExportPlan
from localrec.export.records import ExportedFile
from localrec.foundation.errors import InputError
from localrec.foundation.paths import make_private
from localrec.graph.recbole_queries import (
    count_undated,
    recbole_interactions_query,
    recbole_items_query,
    recbole_users_query,
    stage_interactions,
)
from localrec.graph.store import Store
from localrec.graph.table_writer import open_table_writer, write_recbole_file

_PARTS = ("train", "valid", "test")


def export_recbole(
    store: Store, plan: ExportPlan, domain: Domain, user: str | None, user_id: int | None
) -> tuple[ExportedFile, ...]:
    """Write the atomic files of a domain, or of one user, into the folder `plan.out`.

    Raises:
        InputError: rows without a time would have to be split by time, or the folder takes no
            files.
        UsageError: a file exists already.
    """
    folder = plan.out
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file.", "Atomic files need a folder.")
    if not folder.resolve().parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist.", "Make it first.")
    is_new = not folder.exists()
    try:
        make_private(folder)
        return _write_files(store, plan, domain, user, user_id)
    except BaseException:  # Ctrl+C included: no empty folder stays behind
        if is_new:
            with suppress(OSError):  # the news is what failed
                folder.rmdir()
        raise


def _write_files(
    store: Store, plan: ExportPlan, domain: Domain, user: str | None, user_id: int | None
) -> tuple[ExportedFile, ...]:
    parts = _PARTS if plan.split else ("",)
    endings = [f".{part}.inter" if part else ".inter" for part in parts]
    name = plan.out.resolve().name
    targets = [plan.out / f"{name}{ending}" for ending in (*endings, ".item", ".user")]
    with (
        deliver(targets, force=plan.force, workspace=store.path.parent) as files,
        open_table_writer(store, files) as writer,
    ):
        count = stage_interactions(writer, domain, user_id, plan.history)
        borders = _borders(count, plan.split)
        if plan.split:
            _require_times(writer, borders[1])
        queries = [recbole_interactions_query(first + 1, last) for first, last in pairwise(borders)]
        queries.append(recbole_items_query(writer, domain, user))
        queries.append(recbole_users_query(writer, domain, user_id))
        return tuple(
            ExportedFile.of(target, file, write_recbole_file(writer, query, file))
            for target, file, query in zip(targets, files, queries, strict=True)
        )


def _borders(count: int, split: tuple[int, int, int] | None) -> list[int]:
    """Return the end of each part as whole numbers, 0 first, without rounding losses."""
    if split is None:
        return [0, count]
    training, validation, test = split
    whole = training + validation + test
    return [0, count * training // whole, count * (training + validation) // whole, count]


def _require_times(writer: Store, end_of_training: int) -> None:
    """Put rows without a time first, into training; refuse if they reach further."""
    if (undated := count_undated(writer)) > end_of_training:
        raise InputError(
            f"{undated:,} interactions have no time, so they cannot be split by it.",
            "Leave --split out, and let RecBole split by chance.",
        )
