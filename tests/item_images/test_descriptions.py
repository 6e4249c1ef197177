"""What pictures show becomes the text of how items look: marked, checked, resumable."""

import msgspec
import numpy as np
import pytest
from PIL import Image

from localrec.foundation.errors import UsageError
from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.item_images.descriptions import (
    ImageDescriber,
    describe_attributes,
    describe_images,
    measured_describer,
)
from tests.images.pictures import highball
from tests.planted import BAR


def describe(store, describer=None, limit=None):
    chosen = describer or measured_describer(BAR)
    return describe_images(store, BAR, chosen, limit, lambda *_: None)


def looks(store, key):
    return store.rows(
        "SELECT properties->>'$.image_description', properties->>'$.image_description_source' "
        "FROM node WHERE key = ?",
        [key],
    )[0]


def patch(store, key, **properties):
    store.execute(
        "UPDATE node SET properties = json_merge_patch(properties, ?::JSON) WHERE key = ?",
        [msgspec.json.encode(properties).decode(), key],
    )


@pytest.fixture
def pictured(store, folder, add):
    """A red drink in a highball glass, and one of two colours; nobody described either."""
    for name, layers in (("Negroni.png", ["c1121f"]), ("Gimlet.png", ["c1121f", "15b01a"])):
        Image.fromarray(np.asarray(highball(*layers))).save(folder / name)
    add()
    for key in ("negroni", "gimlet", "gin-and-tonic"):
        patch(store, key, image_description=None)
    return store


class TestDescribing:
    def test_a_drink_is_described_by_what_was_measured_and_marked(self, pictured):
        describe(pictured)
        text, source = looks(pictured, "negroni")
        assert text == "A red drink, in a highball glass."
        assert source == "picture"
        assert looks(pictured, "gimlet")[0].startswith("A red and green drink in layers, red above")

    def test_what_the_catalogue_says_stays_and_a_guess_from_the_recipe_goes(self, pictured):
        patch(pictured, "negroni", image_description="Deep red.", image_description_source="source")
        patch(pictured, "gimlet", image_description="Green?", image_description_source="generated")
        describe(pictured)
        assert looks(pictured, "negroni") == ("Deep red.", "source")
        assert looks(pictured, "gimlet")[1] == "picture"

    def test_a_stopped_run_goes_on(self, pictured):
        first = describe(pictured, limit=1)
        assert (first.written, first.left) == (1, 2)
        rest = describe(pictured)
        assert first.written + rest.written + rest.silent == 3
        assert describe(pictured).written == 0

    def test_a_model_improves_on_what_was_measured_and_not_on_itself(self, pictured):
        describe(pictured)
        seen = []

        def tell(picture, sight):
            seen.append((picture.pixels.shape, sight.seen_by))
            return "A bittersweet red drink over ice."

        model = ImageDescriber("model", tell)
        assert describe(pictured, model).written == 3
        assert looks(pictured, "negroni") == ("A bittersweet red drink over ice.", "model")
        assert ((200, 150, 3), "measured") in seen
        assert describe(pictured, model).written == 0
        assert describe(pictured).written == 0

    def test_a_domain_without_looks_is_refused(self, store):
        blind = msgspec.structs.replace(BAR, texts={"name": "name"})
        with pytest.raises(UsageError, match="how they look"):
            describe_images(store, blind, measured_describer(BAR), None, lambda *_: None)


class TestTheSentence:
    def test_claims_only_what_is_fairly_sure(self):
        unsure = ColourDetection(word="blue", share=1.0, confidence=0.4)
        assert (
            describe_attributes(ImageAttributes(layers=(unsure,), glass=Detection("mug", 0.9)), BAR)
            == ""
        )
        sure = ColourDetection(word="amber", share=1.0, confidence=0.8)
        sight = ImageAttributes(
            layers=(sure,), glass=Detection("mug", 0.3), foam=Detection("foamy", 0.9)
        )
        assert describe_attributes(sight, BAR) == "A foamy amber drink."
