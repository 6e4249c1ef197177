"""`Workspace.images`: pictures of items, taken in, described, listed and found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localrec.api.call_group import CallGroup
from localrec.api.records import RecordList
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.graph.image_store import ItemImageInfo
    from localrec.index.image_index import SimilarImageItem
    from localrec.item_images.descriptions import DescriptionReport
    from localrec.item_images.folder_import import ImageImportReport


class ImageCalls(CallGroup):
    """Add, describe, list and find pictures of items: `workspace.images.add("photos")`."""

    def add(
        self,
        folder: str | Path,
        *,
        domain: str | None = None,
        column: str | None = None,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> ImageImportReport:
        """Take in a folder of pictures: small copies, without metadata, all that fit or none.

        Args:
            folder: The folder; a file belongs to the item whose key or name it bears.
            domain: Domain of the items; by default the largest.
            column: The property of the items that names their file.
            dry_run: Whether only the receipt is made.
            progress: Called with the step, how much of it is done, and of how much.
        """
        with self._in_domain(domain, writable=not dry_run) as (opened, about):
            return opened.imports.import_images(
                Path(folder).expanduser(), about, column=column, dry_run=dry_run, progress=progress
            )

    def describe(
        self,
        *,
        limit: int | None = None,
        use_model: bool = True,
        domain: str | None = None,
        progress: Progress = no_progress,
    ) -> DescriptionReport:
        """Describe what pictures show, for items whose looks nobody described; marked, resumable.

        Args:
            limit: The most items to describe.
            use_model: Whether the vision model is asked where one is bound; else what is measured
                counts.
            domain: Domain of the items; by default the largest.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.item_pictures import describe_pictures

        with self._in_domain(domain, writable=True) as (opened, about):
            return describe_pictures(opened, about, limit, progress, use_model=use_model)

    def list(self, *, domain: str | None = None) -> RecordList[ItemImageInfo]:
        """List the items that have a picture, and who described how they look."""
        from localrec.graph.image_store import list_item_images

        with self._in_domain(domain) as (opened, about):
            return RecordList(list_item_images(opened.store, about))

    def find(
        self,
        words: str | None = None,
        *,
        image: str | Path | None = None,
        k: int = 10,
        domain: str | None = None,
    ) -> RecordList[SimilarImageItem]:
        """Find items whose pictures are like another one, or show what words say.

        Args:
            words: Words for the thing that the pictures should show.
            image: A picture to compare with, instead of words.
            k: The most items to return.
            domain: Domain of the items; by default the largest.

        Raises:
            UsageError: neither or both of words and image, or no picture was embedded.
        """
        from localrec.images.opening import open_image
        from localrec.workspace.item_pictures import find_by_picture

        if (words is None) == (image is None):
            raise UsageError("A search takes either words or a picture.", "Give one of them.")
        picture = None if image is None else open_image(Path(image).expanduser())
        with self._in_domain(domain) as (opened, about):
            found = find_by_picture(opened, about, k, words=words or "", picture=picture)
            return RecordList(found)
