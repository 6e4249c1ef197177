"""What is seen in pictures whose truth is plain: swatches, and glasses of straight lines."""

import msgspec
import numpy as np
import pytest

from localrec.graph.domain_files import load_domain
from localrec.images.attributes import ColourDetection, ImageAttributes
from localrec.images.oklab import from_hex, from_srgb
from localrec.packs.cocktails.colour_words import COLOUR_EXAMPLES, word_of_each, words_for
from localrec.packs.cocktails.image_analysis import measure_image
from tests.images.pictures import a_picture, highball, rgb

SWATCHES = {
    "red": "cc1a22",
    "burgundy": "5e1222",
    "pink": "f08aa8",
    "orange": "f28420",
    "peach": "f8c39e",
    "amber": "b4661c",
    "gold": "d8a62c",
    "yellow": "f4da3c",
    "green": "55a845",
    "blue": "2a6fd6",
    "turquoise": "2ec2c4",
    "purple": "73309a",
    "brown": "5e3a1e",
    "black": "120e0e",
    "white": "f4f3f0",
    "cream": "efdfba",
    "grey": "8c8f93",
}


@pytest.mark.parametrize(
    ("code", "lab"),
    [
        ("ffffff", (1.0, 0.0, 0.0)),
        ("000000", (0.0, 0.0, 0.0)),
        ("ff0000", (0.628, 0.225, 0.126)),
        ("0000ff", (0.452, -0.032, -0.312)),
    ],
)
def test_oklab_is_that_of_its_author(code, lab):
    assert from_hex(code) == pytest.approx(lab, abs=2e-3)


@pytest.mark.parametrize(("word", "code"), SWATCHES.items())
def test_a_swatch_gets_its_word(word, code):
    ranked = words_for(from_hex(code))
    assert ranked[0][0] == word
    assert sum(share for _, share in ranked) == pytest.approx(1.0)


@pytest.mark.parametrize(("word", "code"), SWATCHES.items())
def test_poor_light_leaves_the_word_among_the_first_two(word, code):
    dim = (np.array(rgb(code)) * 0.8).astype(np.uint8)
    assert word in [found for found, _ in words_for(from_srgb(dim))[:2]]


def test_many_colours_are_named_as_one_by_one():
    colours = np.stack([from_hex(code) for code in SWATCHES.values()])
    assert word_of_each(colours) == [words_for(colour)[0][0] for colour in colours]


def test_every_word_is_one_of_the_catalogue():
    taxonomy = load_domain("cocktails").taxonomy
    assert {*COLOUR_EXAMPLES, "clear"} == {*taxonomy["colour"]}


@pytest.mark.parametrize("word", ["red", "orange", "green", "blue", "brown", "purple", "black"])
def test_one_liquid_is_one_colour_in_one_layer(word):
    sight = measure_image(a_picture(highball(SWATCHES[word])))
    assert [one.word for one in sight.layers] == [word]
    assert sight.words[0] == word
    assert sight.colours[0].share == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("upper", "lower"), [("red", "yellow"), ("blue", "orange"), ("green", "burgundy")]
)
def test_two_colours_one_above_the_other_are_two_layers(upper, lower):
    sight = measure_image(a_picture(highball(SWATCHES[upper], SWATCHES[lower])))
    assert [one.word for one in sight.layers] == [upper, lower]
    assert {one.word for one in sight.colours} == {upper, lower}
    assert sum(one.share for one in sight.colours) == pytest.approx(1.0, abs=0.01)
    assert sight.layers_confidence > 0.6


def test_a_colour_that_comes_twice_is_one_colour_and_three_layers():
    sight = measure_image(
        a_picture(highball(*(SWATCHES[word] for word in ("red", "yellow", "red"))))
    )
    assert [one.word for one in sight.layers] == ["red", "yellow", "red"]
    assert [one.word for one in sight.colours] == ["red", "yellow"]


def test_a_drink_lit_from_above_is_no_layered_one():
    pixels = highball(SWATCHES["orange"]).astype(float)
    pixels[50:174, 49:102] *= np.linspace(1.05, 0.72, 124)[:, None, None]
    sight = measure_image(a_picture(pixels.clip(0, 255)))
    assert len(sight.layers) == 1


def test_a_thin_pale_head_is_foam_and_no_layer():
    pixels = highball(SWATCHES["brown"], wall="5a6a72")
    pixels[50:68, 49:102] = (244, 238, 226)
    sight = measure_image(a_picture(pixels))
    assert sight.foam is not None and sight.foam.word == "foamy"
    assert [one.word for one in sight.layers] == ["brown"]


def test_a_drink_without_a_head_has_no_foam():
    assert measure_image(a_picture(highball(SWATCHES["brown"]))).foam is None


def test_what_looks_like_its_background_is_clear():
    sight = measure_image(a_picture(highball("ebe7df")))
    assert sight.colours[0].word == "clear"
    assert sight.clarity is not None and sight.clarity.word == "clear"


def test_a_tall_straight_glass_is_a_highball():
    sight = measure_image(a_picture(highball(SWATCHES["red"])))
    assert sight.glass is not None and sight.glass.word == "highball glass"


def test_without_a_glass_the_middle_is_named_and_nothing_is_said_of_a_glass():
    sight = measure_image(a_picture(np.full((120, 160, 3), rgb(SWATCHES["green"]))))
    assert sight.glass is None
    assert sight.garnish == ()
    assert "No glass could be made out" in sight.notes[0]


def test_a_strong_colour_at_the_rim_is_a_garnish():
    pixels = highball(SWATCHES["brown"])
    rows, columns = np.mgrid[0:200, 0:150]
    pixels[(rows - 32) ** 2 + (columns - 103) ** 2 < 14**2] = rgb("e8c832")
    garnish = measure_image(a_picture(pixels)).garnish
    assert [one.word for one in garnish] == ["yellow"]
    assert measure_image(a_picture(highball(SWATCHES["brown"]))).garnish == ()


def test_a_mirrored_picture_shows_the_same():
    pixels = highball(SWATCHES["blue"], SWATCHES["orange"])
    one, other = measure_image(a_picture(pixels)), measure_image(a_picture(pixels[:, ::-1].copy()))
    assert [each.word for each in one.layers] == [each.word for each in other.layers]
    assert one.glass.word == other.glass.word


@pytest.mark.parametrize("shape", [(16, 16), (16, 512), (512, 16), (201, 199), (400, 401)])
def test_pictures_of_any_proportion_are_looked_at(shape):
    noise = np.random.default_rng(3).integers(0, 256, (*shape, 3))
    sight = measure_image(a_picture(noise))
    assert sight.colours and sight.seen_by == "measured"


def test_notes_of_the_file_come_along():
    picture = msgspec.structs.replace(
        a_picture(highball(SWATCHES["red"])), notes=("Only the first of its 3 frames.",)
    )
    assert measure_image(picture).notes == ("Only the first of its 3 frames.",)


def test_words_put_a_second_reading_behind_the_first():
    sight = ImageAttributes(
        colours=(
            ColourDetection(
                word="amber", share=0.9, confidence=0.6, otherwise="gold", otherwise_confidence=0.3
            ),
            ColourDetection(word="red", share=0.1, confidence=0.9),
        )
    )
    assert sight.words == ("amber", "gold", "red")


def test_a_sight_is_plain_data():
    sight = measure_image(a_picture(highball(SWATCHES["red"], SWATCHES["yellow"])))
    assert msgspec.json.decode(msgspec.json.encode(sight), type=ImageAttributes) == sight


def test_what_stands_behind_the_empty_top_of_a_glass_is_no_layer():
    wall = "c9c3b4"
    pixels = highball(wall, SWATCHES["green"], wall=wall)
    pixels[30:110, 62:89] = rgb("7d4fae")
    sight = measure_image(a_picture(pixels))
    assert [one.word for one in sight.layers] == ["green"]


def test_a_thin_upper_layer_near_the_colour_of_the_wall_stays_a_layer():
    blue = SWATCHES["blue"]
    sight = measure_image(a_picture(highball("f4f3f0", blue, blue, wall="c9c690")))
    assert [one.word for one in sight.layers] == ["white", "blue"]


def test_ice_at_the_top_of_a_drink_is_no_layer():
    pixels = highball(SWATCHES["red"], wall="6a6a58")
    pixels[50:74, 49:102] = (0.5 * pixels[50:74, 49:102] + 0.5 * 235).astype(np.uint8)
    sight = measure_image(a_picture(pixels))
    assert [one.word for one in sight.layers] == ["red"]
