"""Analyze the image of a question: always by measuring it, and by a vision model if there is one.

The measured attributes replace those of a model that fails, and confirm the guess of one that
works. Where items have images of their own and a model compares them, the nearest are guesses too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.errors import ModelError
from localrec.foundation.run_trace import RunTrace
from localrec.images.analyzers import image_analyzer, vision_analyzer
from localrec.images.attributes import ImageAttributes
from localrec.images.opening import DecodedImage, open_image
from localrec.index.image_index import ImageIndex, ImageNeighbour
from localrec.understanding.image_wishes import GUESSES, MEASURED_BY

if TYPE_CHECKING:
    from localrec.llm.chat_model import VisionModel


class ImageAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """The attributes of an image, and where they come from.

    Args:
        sight: All that was seen.
        by: Name of the reader.
        witness: Attributes measured without a model.
        near: Node ids of the items whose own pictures are most like it, with their cosines.
    """

    sight: ImageAttributes
    by: str
    witness: ImageAttributes
    near: tuple[ImageNeighbour, ...] = ()


def analyze_image(
    path: Path,
    domain: Domain,
    work: RunTrace,
    open_vision: Callable[[], VisionModel] | None,
    open_pictures: Callable[[], ImageIndex | None],
) -> ImageAnalysis:
    """Open a picture and look at it.

    Args:
        path: A file of this machine.
        domain: The domain of the pictured item.
        work: The record of the readers and their cost.
        open_vision: The model that looks; None for none.
        open_pictures: The items' own pictures to compare it with; None for none.

    Raises:
        InputError: the file is no picture that could be read.
    """
    with work.timed("picture"):
        picture = open_image(path)
        measure, describe = image_analyzer(domain), vision_analyzer(domain)
        measured = ImageAttributes() if measure is None else measure(picture)
        near, why_not = _near(picture, open_pictures)
        measured = msgspec.structs.replace(measured, notes=(*measured.notes, *why_not))

    def by_model() -> ImageAnalysis:
        assert open_vision is not None and describe is not None
        model = open_vision()
        sight, written = describe(model, picture, domain.singular)
        work.tokens["picture"] = written.usage.prompt + written.usage.generated
        sight = msgspec.structs.replace(sight, notes=(*picture.notes, *why_not))
        return ImageAnalysis(sight=sight, by=model.name, witness=measured, near=near)

    looked = None
    if open_vision is not None and describe is not None:
        with work.timed("picture"):
            looked = work.played_by_model("picture", by_model)
    if looked is not None:
        return looked
    work.answered_by["picture"] = "measured"
    why = work.answered_by.get("picture_failed")
    notes = (f"The vision model did not look at it: {why}",) if why else ()
    sight = msgspec.structs.replace(measured, notes=(*measured.notes, *notes))
    return ImageAnalysis(sight=sight, by=MEASURED_BY, witness=measured, near=near)


def _near(
    picture: DecodedImage, open_pictures: Callable[[], ImageIndex | None]
) -> tuple[tuple[ImageNeighbour, ...], tuple[str, ...]]:
    """The nearest of the items' own pictures, and why there are none where that is a fault."""
    try:
        index = open_pictures()
    except ModelError as error:
        return (), (f"It was not compared with the items' own pictures: {error.message}",)
    return (() if index is None else tuple(index.nearest_by_picture(picture, GUESSES))), ()
