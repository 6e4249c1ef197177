"""What `localrec doctor` looks at in the store, and mends with --repair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import BusyError, LocalrecError

if TYPE_CHECKING:
    from localrec.graph.sequences import SequenceState

REPAIR = "localrec doctor --repair"
_GO_BACK = "localrec doctor --go-back"


class CheckResult(msgspec.Struct, Record, frozen=True):
    """One thing looked at: `state` is ok, mended, missing or broken."""

    what: str
    state: str
    detail: str
    remedy: str = ""


def check_store(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Look into a store that opens, and mend what can be mended with nothing lost."""
    for check in (_sequences, _rows, _writing):
        try:
            yield from check(folder, repair)
        except BusyError as busy:  # who asks for a repair must hear that there was none
            state = "broken" if repair else "ok"
            yield CheckResult(check.__name__.strip("_"), state, f"not looked at: {busy.message}")
        except LocalrecError as error:
            yield CheckResult(check.__name__.strip("_"), "broken", error.message, error.hint)


def check_domains(folder: Path) -> Iterator[CheckResult]:
    """Tell the workspace's own domains whose declaration is broken; others work meanwhile."""
    from localrec.graph.domain_files import load_domain, use_domains_of
    from localrec.workspace.own_domains import own_domain_names

    use_domains_of(folder)
    for name in own_domain_names(folder):
        try:
            load_domain(name)
        except LocalrecError as error:
            yield CheckResult(f"domain {name}", "broken", error.message, error.hint)


def check_copies(folder: Path) -> Iterator[CheckResult]:
    """Hold the copies of the store that localrec kept against their checksums."""
    from localrec.graph.kept_copies import is_sound, kept_copies

    for copy in kept_copies(folder):
        sound = is_sound(folder, copy)
        yield CheckResult(
            f"copy {copy.name}",
            "ok" if sound else "broken",
            f"of {copy.at:%Y-%m-%d %H:%M}, made before {copy.before}"
            + (f"; go back to the newest: {_GO_BACK}" if sound else ", is damaged"),
            "Delete it: it is not put in place.",
        )


def went_back(folder: Path) -> Iterator[CheckResult]:
    """Put the newest copy in place of the store, and tell which."""
    from localrec.export.restore import go_back

    copy = go_back(folder)
    yield CheckResult(
        "store",
        "mended",
        f"is as it was on {copy.at:%Y-%m-%d %H:%M}, before {copy.before}; the store of just now "
        f"is kept as a copy, and --go-back once more returns to it",
    )


def _sequences(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether the store would give a number that is in use, which makes every write fail.

    Raises:
        LocalrecError: the store cannot be read, or not be mended, such as while it is in use.
    """
    from localrec.graph.journal import open_settled
    from localrec.graph.sequences import advance_sequences, sequence_states

    with open_settled(folder, read_only=True) as store:
        behind = [state for state in sequence_states(store) if state.is_behind]
    if not behind:
        yield CheckResult("sequences", "ok", "no number can be given twice")
    elif repair:
        with open_settled(folder, read_only=False) as store:
            yield from map(_mended_sequence, advance_sequences(store))
    else:
        for state in behind:
            yield CheckResult(
                f"sequence {state.name}",
                "broken",
                f"would give {state.upcoming:,}, though numbers up to {state.largest:,} are in "
                "use: nothing new can be stored",
                REPAIR,
            )


def _mended_sequence(state: SequenceState) -> CheckResult:
    return CheckResult(
        f"sequence {state.name}",
        "mended",
        f"goes on at {state.safe_start:,}; it would have given {state.upcoming:,}, though numbers "
        f"up to {state.largest:,} are in use",
    )


def _rows(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Whether every row belongs to somebody, and none is there twice."""
    from localrec.graph.journal import open_settled
    from localrec.graph.store_checks import orphan_rows, remove_orphan_rows, repeated_rows

    with open_settled(folder, read_only=True) as store:
        orphans, repeated = orphan_rows(store), repeated_rows(store)
    if orphans and repair:
        with open_settled(folder, read_only=False) as store:
            removed = remove_orphan_rows(store)
        yield CheckResult("rows", "mended", f"rows of nobody were removed: {_counts(removed)}")
    elif orphans:
        yield CheckResult("rows", "broken", f"belong to nobody: {_counts(orphans)}", REPAIR)
    if repeated:
        yield CheckResult("rows", "broken", f"are there twice: {_counts(repeated)}", _GO_BACK)
    if not orphans and not repeated:
        yield CheckResult("rows", "ok", "each belongs to somebody, and none is there twice")


def _writing(folder: Path, _: bool) -> Iterator[CheckResult]:
    """Whether the store takes a row, and the disk the bytes of one; both are taken back."""
    from localrec.graph.journal import open_settled
    from localrec.graph.store_checks import try_writing

    try:
        with open_settled(folder, read_only=False) as store:
            try_writing(store)
    except BusyError as busy:
        yield CheckResult("writing", "ok", f"not tried: {busy.message}")
    else:
        yield CheckResult("writing", "ok", "the store takes new rows")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{table} {count:,}" for table, count in counts.items())
