"""The picture of a question is looked at: without a model always, by a vision model where one is.

What is measured without a model is there in any case, as the stand-in for a model that fails and as
the witness that a model's guess needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from localrec.images.looks import look_at
from localrec.images.opening import open_image
from localrec.images.sight import Sight
from localrec.llm.base import VisionModel
from localrec.systems.work import Work
from localrec.understanding.looking import look_with
from localrec.understanding.pictured import WITHOUT_MODEL


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen in a picture.

    Args:
        sight: All that was seen.
        by: What saw it.
        witness: What was measured without a model.
    """

    sight: Sight
    by: str
    witness: Sight


def look(
    path: Path, singular: str, work: Work, open_vision: Callable[[], VisionModel] | None
) -> Looked:
    """Open a picture and look at it.

    Args:
        path: A file of this machine.
        singular: What it is a picture of.
        work: Where it goes on record who saw, and what it cost.
        open_vision: The model that looks; None for none.

    Raises:
        InputError: the file is no picture that could be read.
    """
    with work.timed("picture"):
        picture = open_image(path)
        measured = look_at(picture)

    def by_model() -> Looked:
        assert open_vision is not None
        model = open_vision()
        sight, written = look_with(model, picture, singular)
        work.tokens["picture"] = written.usage.prompt + written.usage.generated
        sight = msgspec.structs.replace(sight, notes=picture.notes)
        return Looked(sight=sight, by=model.name, witness=measured)

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
    return Looked(sight=sight, by=WITHOUT_MODEL, witness=measured)
