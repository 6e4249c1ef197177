"""Import a folder of images into the store in one step, or not at all.

Opening and measuring take a tenth of a second for each image. They are prepared in portions that
survive a stop, and no image counts before all are ready. A second run recognises prepared images by
the SHA-256 of their file, and does not open an image that the store already has.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import ImportReport
from localrec.foundation.errors import CutShortError, InputError
from localrec.foundation.progress import Progress
from localrec.foundation.prose import with_article
from localrec.foundation.text import clean_text
from localrec.graph.image_store import (
    ItemImage,
    commit_item_images,
    count_item_images,
    image_hashes,
    stage_item_images,
)
from localrec.graph.store import Store
from localrec.images.analyzers import image_analyzer
from localrec.images.opening import open_content, read_content
from localrec.images.thumbnails import thumbnail_of
from localrec.item_images.file_matching import (
    FileMatch,
    NamedItem,
    match_by_column,
    match_by_file_name,
)
from localrec.sources.import_log import ImportLog

SOURCE = "pictures"
_AT_ONCE = 32  # pictures prepared in one transaction: some seconds of work


class ImageImportReport(ImportReport, frozen=True, kw_only=True):
    """The outcome of each file of a folder; `column` of a problem is the file's name.

    Of all files `read`, those `kept` are the picture of an item now, those `merged` show an item
    that has one already, and those `dropped` are no picture, or of no item.

    Args:
        fresh: Items that got a picture, or another one.
        unchanged: Items that had this very picture before.
        without: Items of the domain that have no picture even now.
    """

    fresh: int = 0
    unchanged: int = 0
    without: int = 0


def import_images(
    store: Store,
    domain: Domain,
    folder: Path,
    *,
    column: str | None,
    dry_run: bool,
    progress: Progress,
) -> ImageImportReport:
    """Import the images of a folder.

    Args:
        store: Open for writing, unless it is a dry run.
        domain: The domain of the items in the pictures.
        folder: Looked through with its folders.
        column: The property of an item that names its file; None matches files' own names.
        dry_run: Open and judge every file, and store nothing.
        progress: Called with what is done, how much of it, and of how much.

    Raises:
        InputError: no such folder or column, or no file in it that shows an item.
        CutShortError: Ctrl+C; what was prepared stays aside for the next run.
    """
    files, links = list_files(folder)
    items = _items(store, domain, column)
    intake = _Intake(store, domain, ImportLog(SOURCE, folder, domain.name), dry_run)
    intake.refuse_links(links, len(files))
    match = match_by_file_name(items) if column is None else match_by_column(items)
    try:
        intake.take(_matched(files, match, intake, one_item=column is None), progress)
    except KeyboardInterrupt as stop:
        raise CutShortError(
            "interrupted; no picture was taken in, but those that were ready are kept aside.",
            "Run the same command again to go on.",
        ) from stop
    if not intake.kept:
        raise InputError(
            f"{folder} holds no picture of {with_article(domain.singular)}: "
            f"{intake.import_log.first_drop() if files or links else 'it is empty'}.",
            "Name each file like its item, or name the column that holds the files' names.",
        )
    return intake.close(len(items))


class _Intake:
    """One import in progress."""

    def __init__(self, store: Store, domain: Domain, import_log: ImportLog, dry_run: bool) -> None:
        self.import_log = import_log
        self.kept = 0  # files
        self._store, self._domain, self._dry_run = store, domain, dry_run
        self._stored = image_hashes(store, prepared=False)
        self._prepared = image_hashes(store, prepared=True)
        self._marks: dict[int, str] = {}  # of every item that got its picture here
        self._waiting: list[ItemImage] = []
        self._analyze = image_analyzer(domain)  # None: there are no words for looks

    def refuse_links(self, links: Sequence[FolderFile], files: int) -> None:
        """Report links as refused, numbered after the files."""
        for number, link in enumerate(links, files + 1):
            self.drop(number, link.name, "is a link, and links are not followed")

    def drop(self, number: int, name: str, problem: str) -> None:
        """Report a file as refused."""
        self.import_log.drop(number, clean_text(name), clean_text(problem))

    def take(
        self, matched: Sequence[tuple[int, FolderFile, FileMatch]], progress: Progress
    ) -> None:
        """Open file after file, best matches first, so that they get the items."""
        ordered = sorted(matched, key=lambda one: one[2].rank)
        for done, (number, file, match) in enumerate(ordered):
            progress("looking at pictures", done, len(ordered))
            node_ids = [node_id for node_id in match.node_ids if node_id not in self._marks]
            if not node_ids:
                problem = "shows an item that has its picture from another file"
                self.import_log.merge(number, clean_text(file.name), problem)
                continue
            try:
                self._take_file(file, node_ids)
            except InputError as error:
                self.drop(number, file.name, error.message)
        self._flush()

    def close(self, items: int) -> ImageImportReport:
        """Complete the import and return the report."""
        fresh = {
            node_id: mark
            for node_id, mark in self._marks.items()
            if self._stored.get(node_id) != mark
        }
        report = self.import_log.report(self.kept)
        if fresh and not self._dry_run:
            # Files may be called after users, so what is kept for good counts and names none.
            told = msgspec.structs.replace(report, problems=())
            commit_item_images(self._store, self._domain, fresh, told)
        before = count_item_images(self._store, self._domain)
        new = len(fresh.keys() - self._stored.keys()) if self._dry_run else 0
        return ImageImportReport(
            **msgspec.structs.asdict(msgspec.structs.replace(report, dry_run=self._dry_run)),
            fresh=len(fresh),
            unchanged=len(self._marks) - len(fresh),
            without=items - before - new,
        )

    def _take_file(self, file: FolderFile, node_ids: Sequence[int]) -> None:
        content = read_content(file.path, called=file.name)
        mark = hashlib.sha256(content).hexdigest()
        known = [self._stored, self._prepared]
        unknown = [one for one in node_ids if mark not in {marks.get(one) for marks in known}]
        if unknown:
            self._prepare(content, file.name, mark, unknown)
        self._marks.update(dict.fromkeys(node_ids, mark))
        self.kept += 1

    def _prepare(self, content: bytes, name: str, mark: str, node_ids: Sequence[int]) -> None:
        """Open one file for its items.

        Raises:
            InputError: it is no picture that can be taken.
        """
        picture = open_content(content, name)
        if self._dry_run:
            return
        sight = None
        if self._analyze is not None:
            sight = msgspec.json.encode(self._analyze(picture)).decode()
        thumbnail = thumbnail_of(picture)
        width, height = picture.size
        self._waiting += [
            ItemImage(
                node_id=node_id,
                thumbnail=thumbnail,
                sight=sight,
                width=width,
                height=height,
                sha256=mark,
            )
            for node_id in node_ids
        ]
        if len(self._waiting) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            stage_item_images(self._store, self._waiting)
            self._waiting.clear()


def _matched(
    files: Sequence[FolderFile],
    match: Callable[[str], FileMatch],
    intake: _Intake,
    *,
    one_item: bool,
) -> list[tuple[int, FolderFile, FileMatch]]:
    """Yield number, file and items of each matched file; report the others."""
    matched = []
    for number, file in enumerate(files, 1):
        found = match(file.name)
        if not found.node_ids:
            intake.drop(number, file.name, "is named like no item")
        elif one_item and len(found.node_ids) > 1:
            intake.drop(number, file.name, "is named like several items; name it by a key")
        else:
            matched.append((number, file, found))
    return matched


def _items(store: Store, domain: Domain, column: str | None) -> list[NamedItem]:
    """Read every item of a domain, with its cell in a column.

    Raises:
        InputError: no item has such a property.
    """
    pointer = "/" + (column or "").replace("~", "~0").replace("/", "~1")
    rows = store.rows(
        "SELECT node_id, key, name, json_extract_string(properties, ?) FROM node "
        "WHERE domain = ? AND kind = ? ORDER BY node_id",
        [pointer, domain.name, domain.item],
    )
    items = [NamedItem(*row) for row in rows]
    if column is not None and not any(item.cell for item in items):
        raise InputError(
            f"No {domain.singular} has a column {clean_text(column)!r}.",
            "localrec export items.json --what items shows the columns.",
        )
    return items


_MOST = 200_000  # files


_LEFT_BEHIND = frozenset({"thumbs.db", "desktop.ini", "__macosx"})


class FolderFile(msgspec.Struct, frozen=True):
    """A file: its full path, and its path below the folder with `/` between the parts."""

    path: Path
    name: str


def list_files(folder: Path) -> tuple[list[FolderFile], list[FolderFile]]:
    """List plain files and links below a folder, each sorted by name.

    Raises:
        InputError: no such folder, or one with too many files to be meant.
    """
    if not folder.is_dir():
        kind = "is a file, not a folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {kind}.", "Name the folder that the pictures lie in.")
    files: list[FolderFile] = []
    links: list[FolderFile] = []
    for path in _walk(folder):
        found = FolderFile(path, path.relative_to(folder).as_posix())
        (links if path.is_symlink() else files).append(found)
        if len(files) > _MOST:
            raise InputError(
                f"{folder} holds more than {_MOST:,} files.", "Name the folder of pictures itself."
            )
    return (
        sorted(files, key=lambda one: one.name),
        sorted(links, key=lambda one: one.name),
    )


def _walk(folder: Path) -> Iterator[Path]:
    """Yield every file and link below a folder, without following links."""
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        folders[:] = [name for name in folders if _is_somebodys(name)]
        yield from (here / name for name in names if _is_somebodys(name))
        yield from (here / name for name in folders if (here / name).is_symlink())


def _is_somebodys(name: str) -> bool:
    return not name.startswith(".") and name.casefold() not in _LEFT_BEHIND
