"""A local vision model looks at a picture: asked for a typed description, under a grammar.

What it writes is a `Sight` as `images.looks` gives one, and beyond that garnishes by name, ice,
texture, and names of what it may be. Names are free text that means nothing before the catalogue
knows it. A model says nothing of how sure it is, and no model was measured here: one number, that
of a coin, stands for all its findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from localrec.data.chat_message import Message
from localrec.images.analyzers import ImageDescriptionError
from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.images.opening import DecodedImage
from localrec.llm.chat_model import Bitmap, Generation, VisionModel
from localrec.packs.cocktails.colour_words import COLOUR_EXAMPLES

COLOURS = (*COLOUR_EXAMPLES, "clear")
_NOT_MEASURED = 0.5
_LONGEST_NAME = 30  # characters
_MOST = 3  # layers, garnishes and guesses
_MAX_TOKENS = 450  # the longest description, were each letter a token
_NAME = re.compile(rf"[A-Za-z][A-Za-z '&-]{{0,{_LONGEST_NAME - 1}}}\Z")


class _Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields that the grammar lets a model write, colours from the top down."""

    glass: str
    colours: tuple[str, ...]
    clarity: Literal["clear", "hazy", "opaque"]
    foam: bool
    ice: bool
    garnish: tuple[str, ...]
    texture: str
    names: tuple[str, ...]


def describe_image(
    model: VisionModel,
    picture: DecodedImage,
    singular: str,
    on_chunk: Callable[[str], None] | None = None,
) -> tuple[ImageAttributes, Generation]:
    """Ask a model to describe a picture; return the attributes, and the model's text.

    Args:
        model: A vision model.
        picture: A picture from `open_image`; the model gets its pixels and nothing of the file.
        singular: The noun for the pictured thing, such as "drink".
        on_chunk: Called with each piece of the answer while it is written.

    Raises:
        ModelError: the model cannot be asked.
        NoDescriptionError: it wrote something else.
    """
    height, width = picture.pixels.shape[:2]
    generation = model.describe(
        Bitmap(width, height, picture.pixels.tobytes()),
        _messages(singular),
        grammar=description_grammar(),
        max_tokens=_MAX_TOKENS,
        on_chunk=on_chunk,
    )
    return parse_description(generation.text), generation


def description_grammar() -> str:
    """A JSON object with the fields of a description; a word of the list, or short plain text."""
    colours = " | ".join(f'"\\"{word}\\""' for word in COLOURS)
    return (
        'root ::= "{\\"glass\\": " name ", \\"colours\\": [" colours "], \\"clarity\\": " clarity '
        '", \\"foam\\": " truth ", \\"ice\\": " truth ", \\"garnish\\": [" names? "], '
        '\\"texture\\": " name ", \\"names\\": [" names "]}"\n'
        f'colours ::= colour (", " colour){{0,{_MOST - 1}}}\n'
        f'names ::= name (", " name){{0,{_MOST - 1}}}\n'
        f'name ::= "\\"" [A-Za-z] [A-Za-z \'&-]{{0,{_LONGEST_NAME - 1}}} "\\""\n'
        f"colour ::= {colours}\n"
        'clarity ::= "\\"clear\\"" | "\\"hazy\\"" | "\\"opaque\\""\n'
        'truth ::= "true" | "false"\n'
    )


def parse_description(text: str) -> ImageAttributes:
    """The sight that `description_grammar` let through.

    Raises:
        NoDescriptionError: the text is no such description, or was cut off.
    """
    try:
        told = msgspec.json.decode(text.encode(), type=_Description)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeEncodeError) as error:
        raise ImageDescriptionError(
            f"The model did not describe the picture as asked: {error}."
        ) from error
    if not told.colours or not all(word in COLOURS for word in told.colours):
        raise ImageDescriptionError("The model named no colour that the picture could have.")
    if not all(_NAME.match(name) for name in (told.glass, *told.garnish, *told.names)):
        raise ImageDescriptionError("The model wrote names that are none.")
    layers = tuple(_coloured(word, 1 / len(told.colours)) for word in told.colours)
    return ImageAttributes(
        colours=_summed(told.colours),
        layers=layers,
        layers_confidence=_NOT_MEASURED,
        clarity=_found(told.clarity),
        foam=_found("foamy") if told.foam else None,
        ice=_found("ice") if told.ice else None,
        garnish=tuple(_found(name.lower()) for name in dict.fromkeys(told.garnish)),
        glass=_found(told.glass.lower()),
        texture=told.texture.strip().lower() if _NAME.match(told.texture) else "",
        guesses=tuple(dict.fromkeys(told.names)),
        seen_by="model",
    )


def _found(word: str) -> Detection:
    return Detection(word.strip(), _NOT_MEASURED)


def _coloured(word: str, share: float) -> ColourDetection:
    return ColourDetection(word=word, share=round(share, 3), confidence=_NOT_MEASURED)


def _summed(words: tuple[str, ...]) -> tuple[ColourDetection, ...]:
    """Each colour once, with the share of its layers."""
    return tuple(_coloured(word, words.count(word) / len(words)) for word in dict.fromkeys(words))


def _messages(singular: str) -> list[Message]:
    system = f"You look at a picture of a {singular} and say only what can be seen in it."
    asked = (
        f"Describe the {singular} as JSON: glass (its kind), colours (of the liquid only, from "
        "the top layer down; one where there are no layers), clarity, foam (a head on top), ice, "
        "garnish (what decorates it, nothing else), texture (two or three words), names (what "
        f"{singular} it may be, the likeliest first)."
    )
    return [Message("system", system), Message("user", asked)]
