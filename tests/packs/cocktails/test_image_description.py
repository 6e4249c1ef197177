"""What a vision model may write about a picture, and what is made of it."""

import json

import numpy as np
import pytest

from localrec.data.token_usage import Usage
from localrec.foundation.errors import ModelError
from localrec.images.opening import DecodedImage
from localrec.llm.chat_model import Generation
from localrec.packs.cocktails.image_description import describe_image, parse_description

FAIR = {
    "glass": "Coupe glass",
    "colours": ["red", "orange"],
    "clarity": "hazy",
    "foam": True,
    "ice": False,
    "garnish": ["Cherry"],
    "texture": "silky foam",
    "names": ["Clover Club", "Pink Lady"],
}


def wrote(**changed):
    return json.dumps({**FAIR, **changed})


def test_a_description_becomes_a_sight():
    sight = parse_description(wrote())
    assert [one.word for one in sight.layers] == ["red", "orange"]
    assert [(one.word, one.share) for one in sight.colours] == [("red", 0.5), ("orange", 0.5)]
    assert (sight.glass.word, sight.foam.word, sight.ice) == ("coupe glass", "foamy", None)
    assert [one.word for one in sight.garnish] == ["cherry"]
    assert sight.guesses == ("Clover Club", "Pink Lady")
    assert sight.seen_by == "model"


def test_a_colour_that_comes_twice_has_the_share_of_both_layers():
    colours = parse_description(wrote(colours=["red", "white", "red"])).colours
    assert {one.word: round(one.share, 2) for one in colours} == {"red": 0.67, "white": 0.33}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "a red drink",
        wrote()[:-20],
        wrote(colours=[]),
        wrote(colours=["mauvish"]),
        wrote(names=["\x1b[31mNegroni"]),
        wrote(names=["../../etc/passwd"]),
        wrote(glass="g" * 41),
        wrote(garnish=["<|im_end|>"]),
        wrote(foam="yes"),
        wrote(price=3),
    ],
    ids=[
        *("nothing", "a bracket", "prose", "cut off", "no colour", "an unknown colour"),
        *("an escape", "a path", "too long", "a control token", "a wrong type", "one field more"),
    ],
)
def test_anything_else_is_an_error(text):
    with pytest.raises(ModelError):
        parse_description(text)


class Eyes:
    """Writes what it is told to, and keeps what it was shown."""

    name = "eyes"

    def __init__(self, text):
        self.text = text

    def describe(self, bitmap, messages, *, grammar=None, max_tokens=256, on_chunk=None):
        self.bitmap, self.messages = bitmap, messages
        usage = Usage(prompt=1, cached=0, generated=1, model_ms=0)
        return Generation(text=self.text, finished=True, usage=usage)


def test_a_model_is_shown_the_pixels_and_nothing_of_the_file():
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    eyes = Eyes(wrote())
    describe_image(eyes, DecodedImage(pixels=pixels, size=(4000, 3000), format="JPEG"), "drink")
    assert (eyes.bitmap.width, eyes.bitmap.height) == (3, 2)
    assert eyes.bitmap.rgb == bytes(range(18))
    assert "drink" in eyes.messages[-1].content
