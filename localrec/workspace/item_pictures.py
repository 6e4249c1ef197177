"""Pictures of a workspace's items: described by what is seen or measured, found by likeness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.images.attributes import ImageAttributes
    from localrec.images.opening import DecodedImage
    from localrec.index.image_index import SimilarImageItem
    from localrec.item_images.descriptions import DescriptionReport, ImageDescriber
    from localrec.workspace import OpenWorkspace


def describe_pictures(
    opened: OpenWorkspace,
    domain: Domain,
    limit: int | None,
    progress: Progress,
    *,
    use_model: bool = True,
) -> DescriptionReport:
    """Describe what pictures show, for items whose looks nobody described.

    Args:
        opened: The workspace, open for writing.
        domain: The domain of the items.
        limit: The most items to describe; None for all.
        progress: Called with the step, how much of it is done, and of how much.
        use_model: Whether the vision model is asked, where one is bound.
    """
    from localrec.item_images.descriptions import describe_images

    described = describe_images(
        opened.store,
        domain,
        _describer(opened, domain, use_model),
        limit,
        lambda done, total: progress("describing", done, total),
    )
    if described.written:
        opened.imports.embed_texts(domain, progress)
    return described


def find_by_picture(
    opened: OpenWorkspace, domain: Domain, k: int, *, words: str = "", picture: DecodedImage | None
) -> list[SimilarImageItem]:
    """Find the k items whose pictures are like another one, or show what words say.

    Raises:
        UsageError: no model here embeds pictures, or none of the domain's were embedded.
    """
    from localrec.index.image_index import name_neighbours

    index = opened.context(domain.name).item_images()
    if index is None:
        raise _without_index(opened, domain)
    near = (
        index.nearest_by_words(words, k)
        if picture is None
        else index.nearest_by_picture(picture, k)
    )
    return name_neighbours(opened.store, near)


def _describer(opened: OpenWorkspace, domain: Domain, use_model: bool) -> ImageDescriber:
    from localrec.foundation.settings import RULES, VISION
    from localrec.images.analyzers import ImageDescriptionError, vision_analyzer
    from localrec.item_images.descriptions import (
        ImageDescriber,
        describe_attributes,
        measured_describer,
    )

    look = vision_analyzer(domain)
    if not use_model or look is None or opened.settings.holder_of(VISION) == RULES:
        return measured_describer(domain)
    model = opened.models.open_vision()

    def by_model(picture: DecodedImage, measured: ImageAttributes) -> str:
        try:
            return describe_attributes(look(model, picture, domain.singular)[0], domain)
        except ImageDescriptionError:  # nothing sure can be said of this one; the next may do
            return ""

    return ImageDescriber("model", by_model)


def _without_index(opened: OpenWorkspace, domain: Domain) -> UsageError:
    """Make the refusal where nothing can be found by pictures: why, and what to do."""
    if opened.models.image_embedder is None:
        return UsageError("No model here embeds pictures.", "localrec models use pictures FOLDER")
    return UsageError(
        f"The {domain.plural} have no pictures that were embedded.",
        "localrec images add FOLDER, and then: localrec index",
    )
