"""What forgetting takes away, in the words of people; the tables and bytes of it stand below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

from localrec.foundation.prose import as_sentence, count_of

if TYPE_CHECKING:
    from localrec.privacy.forget import ForgetReceipt, LeakScanReport
    from localrec.privacy.sweep import FileAction

_FILES = 20  # that are named one by one
_CACHES = "indexes/"
_TRAINED = "indexes/sequential-"  # what `localrec train sequential` learnt
_ASKED = "asked.jsonl"  # the questions that Up brings back
# By table: what one row is to a person, what several are, and more words on it.
_THINGS = {
    "interaction": ("entry of the history", "entries of the history", "what was said of items"),
    "shelf": ("thing on the shelf", "things on the shelf", ""),
    "memory": ("remembered text", "remembered texts", ""),
    "job": ("job of the memory", "jobs of the memory", ""),
    "import_receipt": ("import", "imports", ""),
    "node": ("name", "names", "the person, and what came with them alone"),
    "edge": ("fact about them", "facts about them", "what belongs to what"),
    "picture": ("picture", "pictures", ""),
    "embedding": ("measure of a meaning", "measures of meanings", "by which they are found"),
    "brought": ("note of what an import brought", "notes of what imports brought", ""),
    "rule_set": ("version of the rules", "versions of the rules", ""),
    "meta": ("note about the workspace", "notes about the workspace", ""),
}
_STEPS = {
    "looking through files": "Looking through the files",
    "looking for traces": "Looking whether a trace is left",
}


def forget_text(receipt: ForgetReceipt) -> Content:
    """What would go or went, what was searched, and the details of both, quieter."""
    told = Content("\n").join(Content(line) for line in _told(receipt))
    details = Content("\n").join(Content(line) for line in _details(receipt))
    return Content.assemble(told, "\n\n", Content.styled(details.plain, "$text-quiet"))


def forget_step(what: str) -> str:
    """A step of forgetting, for the status line."""
    return f"{_STEPS.get(what, 'Writing what stays')} …"


def _told(receipt: ForgetReceipt) -> Iterator[str]:
    if receipt.rows or receipt.files:
        yield "What would go:" if receipt.dry_run else "What went:"
    else:
        yield "There was nothing to forget: nothing here mentions it."
    for table, (one, several, more) in _THINGS.items():
        if count := receipt.rows.get(table, 0):
            yield f"  {count:,} {one if count == 1 else several}{f': {more}' if more else ''}"
    if other := sum(count for table, count in receipt.rows.items() if table not in _THINGS):
        yield f"  {count_of(other, 'thing')} more"
    yield from _told_files(receipt)
    yield from _told_stays(receipt)
    if not receipt.dry_run:
        yield from _told_traces(receipt)


def _told_files(receipt: ForgetReceipt) -> Iterator[str]:
    caches = [one for one in receipt.files if one.path.startswith(_CACHES)]
    others = [one for one in receipt.files if one not in caches]
    trained = [one for one in caches if one.path.startswith(_TRAINED)]
    if searched := len(caches) - len(trained):
        again = "it" if searched == 1 else "them"
        yield f"  {count_of(searched, 'search file')}: the next question makes {again} anew"
    if trained:
        yield "  what was trained on it: localrec train sequential makes it anew"
    for one in others[:_FILES]:
        yield f"  {_file_words(one)}"
    if len(others) > _FILES:
        yield f"  {count_of(len(others) - _FILES, 'more file')}"


def _file_words(one: FileAction) -> str:
    if one.action == "removed":
        return f"the file {one.path}"
    if one.path == _ASKED:
        return f"{count_of(one.lines, 'question')} that you asked, in {one.path}"
    return f"{count_of(one.lines, 'line')} of the file {one.path}"


def _told_stays(receipt: ForgetReceipt) -> Iterator[str]:
    if count := receipt.undated:
        when = "it happened" if count == 1 else "they happened"
        stay = "stays" if count == 1 else "stay"
        yield f"{count_of(count, 'thing')} without a date {stay}: nobody knows when {when}."
    for name in receipt.adapters:
        yield f"Adapter {name} was trained on such data: train it again, or delete its folder."


def _told_traces(receipt: ForgetReceipt) -> Iterator[str]:
    for one in receipt.namesakes:
        times = count_of(one.count, "time")
        what = "name" if one.what == "key" else "text"
        yield f"The same {what} stands {times} in a catalogue or in what others said; that stays."
    for one in receipt.found:
        what = "name" if one.what == "key" else "text"
        yield f"STILL THERE, {count_of(one.count, 'time')}: a forgotten {what}, in {one.place}"
    if not receipt.found:
        yield "All of the workspace was searched afterwards. No trace was found."
    for place in () if receipt.searched is None else receipt.searched.unread:
        yield f"Nobody looked into {place}: it is a link, or cannot be read."


def _details(receipt: ForgetReceipt) -> Iterator[str]:
    yield "In detail"
    for table, count in receipt.rows.items():
        yield f"  {count_of(count, 'row')} of the table {table}"
    for one in receipt.files:
        if one.path.startswith(_CACHES):
            yield f"  the file {one.path}"
    if receipt.searched is not None:
        yield from _search_details(receipt.searched)
    if not receipt.dry_run:
        before, after = receipt.store_bytes
        yield f"  The store had {count_of(before, 'byte')} and has {after:,}."
        yield (
            f"  {count_of(receipt.disk_bytes, 'byte')} more were needed for a while; it took "
            f"{receipt.seconds:.1f} s."
        )


def _search_details(searched: LeakScanReport) -> Iterator[str]:
    looked_for = f"{count_of(searched.keys, 'key')} and {count_of(searched.texts, 'text')}"
    where = f"{count_of(searched.columns, 'column')} and {count_of(searched.files, 'file')}"
    yield f"  Looked for {looked_for} in {where} ({count_of(searched.bytes, 'byte')})."
    if quoted := searched.keys_in_quotes:
        told = f"{count_of(quoted, 'key')} only between quotes"
        yield f"  {as_sentence(f'{told}: short, a number, or part of other words')}"
