"""Check the options of `localrec export`, and make a plan of them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import msgspec

from localrec.foundation.errors import UsageError

ExportKind = Literal["history", "profile", "items", "list"]
ExportFormat = Literal["csv", "json", "parquet", "recbole", "letterboxd"]
EXPORT_KINDS: tuple[ExportKind, ...] = get_args(ExportKind)
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

_SUFFIXES: dict[str, ExportFormat] = {".csv": "csv", ".json": "json", ".parquet": "parquet"}


class ExportPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One export with consistent options.

    Args:
        what: The data to export; None for RecBole's atomic files, which hold a whole domain.
        form: The format.
        out: The file, or the folder of atomic files.
        user: The user, where it is about one.
        domain: The domain, where the user or the workspace may have several.
        listed: The JSON file of a list, or None for stdin; with `list` only.
        split: Shares of training, validation and test rows by time; with `recbole` only.
        history: The most interactions to keep of each user, the newest; with `recbole` only.
        force: Existing files may be replaced.
    """

    what: ExportKind | None
    form: ExportFormat
    out: Path
    user: str | None = None
    domain: str | None = None
    listed: Path | None = None
    split: tuple[int, int, int] | None = None
    history: int | None = None
    force: bool = False


def plan_export(
    out: Path,
    *,
    what: str | None = None,
    form: str | None = None,
    user: str | None = None,
    domain: str | None = None,
    listed: str | None = None,
    split: str | None = None,
    history: int | None = None,
    force: bool = False,
) -> ExportPlan:
    """Check a user's options; the file's suffix can imply the format.

    Raises:
        UsageError: an unknown word, a missing option, or options that do not go together.
    """
    chosen = _choose_format(out, form)
    content = _choose_what(chosen, what, listed)
    if content in ("history", "profile") and user is None:
        raise UsageError(f"A {content} is one person's.", "Say whose: --user KEY.")
    if (content == "list") != (listed is not None):
        raise UsageError("--what list and --from belong together.", "Name the list's JSON file.")
    if chosen != "recbole" and (split or history):
        raise UsageError("--split and --history prepare atomic files.", "Add --format recbole.")
    return ExportPlan(
        what=content,
        form=chosen,
        out=out,
        user=user,
        domain=domain,
        listed=None if listed in (None, "-") else Path(listed),
        split=_read_split(split) if split else None,
        history=history,
        force=force,
    )


def _choose_format(out: Path, form: str | None) -> ExportFormat:
    if form is None and out.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[out.suffix.lower()]
    for known in EXPORT_FORMATS:
        if form == known:
            return known
    asked = f"There is no format {form!r}." if form else f"The name {out.name} says no format."
    raise UsageError(asked, f"Give --format: {', '.join(EXPORT_FORMATS)}.")


def _choose_what(form: ExportFormat, what: str | None, listed: str | None) -> ExportKind | None:
    if form == "recbole":
        if what is not None or listed is not None:
            raise UsageError(
                "Atomic files hold interactions, items and people together.", "Leave --what out."
            )
        return None
    if what is None:
        return "list" if listed is not None else "history"
    for known in EXPORT_KINDS:
        if what == known:
            break
    else:
        raise UsageError(
            f"There is no {what!r} to export.", f"There is: {', '.join(EXPORT_KINDS)}."
        )
    if form == "letterboxd" and known not in ("history", "list"):
        raise UsageError(
            f"Letterboxd takes no {known}.", "It takes --what history and --what list."
        )
    return known


def _read_split(written: str) -> tuple[int, int, int]:
    shares = written.split(":")
    if len(shares) == 3 and all(share.isascii() and share.isdigit() for share in shares):
        training, validation, test = (int(share[:9]) for share in shares)
        if training > 0 and test > 0:
            return training, validation, test
    raise UsageError(
        f"{written!r} is no split.", "Write three whole numbers, such as --split 8:1:1."
    )
