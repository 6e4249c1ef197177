"""The picture of a question is looked at: without a model always, by a vision model where one is.

What is measured without a model is there in any case, as the stand-in for a model that fails and as
the witness that a model's guess needs. Where items have pictures of their own and a model compares
them, those nearest are guesses too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from localrec.errors import ModelError
from localrec.images.looks import look_at
from localrec.images.opening import Picture, open_image
from localrec.images.sight import Sight
from localrec.index.pictures import Near, PictureIndex
from localrec.llm.base import VisionModel
from localrec.systems.work import Work
from localrec.understanding.looking import look_with
from localrec.understanding.pictured import GUESSES, WITHOUT_MODEL


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen in a picture.

    Args:
        sight: All that was seen.
        by: What saw it.
        witness: What was measured without a model.
        near: Node ids of the items whose own pictures are most like it, with their cosines.
    """

    sight: Sight
    by: str
    witness: Sight
    near: tuple[Near, ...] = ()


def look(
    path: Path,
    singular: str,
    work: Work,
    open_vision: Callable[[], VisionModel] | None,
    open_pictures: Callable[[], PictureIndex | None],
) -> Looked:
    """Open a picture and look at it.

    Args:
        path: A file of this machine.
        singular: What it is a picture of.
        work: Where it goes on record who saw, and what it cost.
        open_vision: The model that looks; None for none.
        open_pictures: The items' own pictures to compare it with; None for none.

    Raises:
        InputError: the file is no picture that could be read.
    """
    with work.timed("picture"):
        picture = open_image(path)
        measured = look_at(picture)
        near, why_not = _near(picture, open_pictures)
        measured = msgspec.structs.replace(measured, notes=(*measured.notes, *why_not))

    def by_model() -> Looked:
        assert open_vision is not None
        model = open_vision()
        sight, written = look_with(model, picture, singular)
        work.tokens["picture"] = written.usage.prompt + written.usage.generated
        sight = msgspec.structs.replace(sight, notes=(*picture.notes, *why_not))
        return Looked(sight=sight, by=model.name, witness=measured, near=near)

    looked = None
    if open_vision is not None:
        with work.timed("picture"):
            looked = work.played_by_model("picture", by_model)
    if looked is not None:
        return looked
    work.spoke["picture"] = "measured"
    why = work.spoke.get("picture_failed")
    notes = (f"The vision model did not look at it: {why}",) if why else ()
    sight = msgspec.structs.replace(measured, notes=(*measured.notes, *notes))
    return Looked(sight=sight, by=WITHOUT_MODEL, witness=measured, near=near)


def _near(
    picture: Picture, open_pictures: Callable[[], PictureIndex | None]
) -> tuple[tuple[Near, ...], tuple[str, ...]]:
    """The nearest of the items' own pictures, and why there are none where that is a fault."""
    try:
        index = open_pictures()
    except ModelError as error:
        return (), (f"It was not compared with the items' own pictures: {error.message}",)
    return (() if index is None else tuple(index.nearest_by_picture(picture, GUESSES))), ()
