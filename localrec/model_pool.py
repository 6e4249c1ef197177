"""Stand-ins for models that no setting binds."""

from __future__ import annotations

from localrec.foundation.errors import ModelError
from localrec.llm.chat_model import VisionModel


def no_vision() -> VisionModel:
    """Stands where no model was bound to look at pictures.

    Raises:
        ModelError: always.
    """
    raise ModelError(
        "No model looks at pictures here.", "Name one: localrec models use vision MODEL.gguf"
    )
