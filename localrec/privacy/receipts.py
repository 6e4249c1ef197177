"""A receipt of forgetting in sentences, the same on the command line and in the app."""

from __future__ import annotations

from collections.abc import Iterator

from localrec.privacy.forget import ForgetReceipt

_SHOWN = 20  # files that are named one by one
_TRAINED = "indexes/sequential-"  # as `index/sequential_cache.py` names its files


def format_receipt(receipt: ForgetReceipt) -> Iterator[str]:
    """List the removed rows and files, line by line, then the places searched and the traces."""
    would = "would be " if receipt.dry_run else ""
    if not (receipt.rows or receipt.files):
        yield "There was nothing to forget: no row and no file mentions it."
    for table, count in receipt.rows.items():
        yield f"{table}: {count:,} {'row' if count == 1 else 'rows'} {would}removed"
    caches = [fate for fate in receipt.files if fate.path.startswith("indexes/")]
    others = [fate for fate in receipt.files if fate not in caches]
    trained = [fate for fate in caches if fate.path.startswith(_TRAINED)]
    if len(caches) > len(trained):
        counted = f"{len(caches) - len(trained)} files {would}removed"
        yield f"indexes: {counted}; the next question makes them anew"
    if trained:
        yield "What was trained on such data goes too; make it anew: localrec train sequential"
    for fate in others[:_SHOWN]:
        lines = f" ({fate.lines:,} lines fewer)" if fate.lines else ""
        yield f"{fate.path}: {would}{fate.action}{lines}"
    if len(others) > _SHOWN:
        yield f"… {len(others) - _SHOWN} more files with --json"
    if receipt.undated:
        yield f"{receipt.undated:,} things without a date stay: nobody knows when they happened."
    for name in receipt.adapters:
        yield f"Adapter {name} was trained on such data: train it again, or delete its folder."
    if not receipt.dry_run:
        yield from _told_search(receipt)


def _told_search(receipt: ForgetReceipt) -> Iterator[str]:
    searched = receipt.searched
    if searched is not None:
        quoted = (
            f", {searched.keys_in_quotes} of them only between quotes (short, a number, or part of "
            "other words)"
            if searched.keys_in_quotes
            else ""
        )
        yield (
            f"Looked for {searched.keys} keys{quoted} and {searched.texts:,} texts in "
            f"{searched.columns} columns and {searched.files} files ({searched.bytes:,} bytes)."
        )
        for place in searched.unread:
            yield f"Not looked into: {place}"
    for trace in receipt.namesakes:
        yield (
            f"{trace.place} has the same {trace.what} {trace.count:,} times in a catalogue or in "
            "what others said; that stays."
        )
    for trace in receipt.found:
        yield f"STILL THERE: a {trace.what} in {trace.place}, {trace.count:,} times"
    if not receipt.found:
        yield "No trace was found."
    before, after = receipt.store_bytes
    yield (
        f"The store had {before:,} bytes and has {after:,}; {receipt.disk_bytes:,} more were "
        f"needed for a while; {receipt.seconds:.1f} s."
    )
