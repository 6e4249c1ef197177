"""A picture beside the text: how the text leans on it, what counts of it, what it is taken for."""

from __future__ import annotations

import pytest

from localrec.foundation.errors import UsageError
from localrec.graph.domain_files import load_domain
from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.understanding.image_wishes import (
    MEASURED_BY,
    add_image,
    check_images_supported,
    describe_seen,
)
from localrec.understanding.router import route_by_rules
from tests.planted import BAR


def colour(word, confidence=0.9, share=1.0, **otherwise):
    return ColourDetection(word=word, confidence=confidence, share=share, **otherwise)


RED = ImageAttributes(
    colours=(colour("red"),), layers=(colour("red"),), glass=Detection("coupe glass", 0.8)
)


@pytest.fixture
def see(bar, read):
    def call(text, sight=RED, by=MEASURED_BY, witness=None):
        return add_image(
            read(text),
            text,
            sight,
            by=by,
            witness=witness or sight,
            vocabulary=bar.vocabulary,
            catalogue=bar.catalogue,
        )

    return call


def counted(intent):
    return {one.any_of[0] for one in intent.pictured}


class TestLeaning:
    @pytest.mark.parametrize(
        ("text", "leans", "task"),
        [
            ("what is this?", "name", "C1"),
            ("What's this drink called, which cocktail is it?", "name", "C1"),
            ("which is it?", "name", "C1"),
            ("do you know this?", "name", "C1"),
            ("what is in the picture", "name", "C1"),
            ("what is like this?", "example", "C4"),
            ("something similar to the photo", "example", "C4"),
            ("this but with rum", "example", "C4"),
            ("", "example", "C4"),
            ("the same look without vodka", "look", "C1"),
            ("something that looks like this", "look", "C1"),
            ("gin in that colour", "look", "C1"),
            ("a drink as elegant as this", "look", "C1"),
            ("a colour similar to this image", "look", "C1"),
            ("a beautiful drink in a glass like this", "container", "C1"),
            ("which drinks are served in this glass?", "container", "C2"),
            ("gin in a glass like the one in the picture", "container", "C2"),
            ("vodka in a coupe like this", "container", "C2"),
            ("what can I make with these ingredients?", "component", "C3"),
            ("an alternative to this drink", "example", "C4"),
            ("I love the drink in the photo, what else?", "example", "C4"),
            ("what could I order instead of this?", "example", "C4"),
            ("something with gin", "beside", "C3"),
            ("lime juice, and a hint of vodka to it", "beside", "C3"),
            ("it rained, so something with gin", "beside", "C3"),
            ("one same drink with gin for both", "beside", "C3"),
            ("gin, expand from there", "beside", "C3"),
            ("vodka in a coupe", "beside", "C2"),
            ("a drink for tonight", "beside", "C1"),
        ],
    )
    def test_is_told_by_the_words(self, see, text, leans, task):
        intent = see(text)
        assert intent.seen.leans == leans
        assert route_by_rules(intent, BAR).kind == task

    def test_an_example_in_the_text_stays_the_example(self, see):
        intent = see("like a Negroni")
        assert (intent.target, intent.seen.leans) == ("negroni", "beside")
        assert route_by_rules(intent, BAR).kind == "C4"

    def test_a_glass_that_is_pointed_at_is_wished_for_without_its_colour(self, see):
        assert counted(see("what is served in this glass?")) == {"coupe glass", "stemmed glass"}

    def test_components_that_are_pointed_at_are_asked_for_in_words(self, see, bar):
        intent = see("what can I make with these ingredients?")
        assert counted(intent) == set()
        assert "name it in words" in " ".join(describe_seen(intent.seen, bar.catalogue))

    def test_the_picture_is_no_example_that_the_catalogue_lacks(self, see):
        assert see("similar to this image").anchor is None

    def test_what_the_text_bars_stays_barred(self, see):
        intent = see("the same look without gin")
        (excluded,) = [one for one in intent.constraints if one.excluded]
        assert excluded.any_of == ("gin",)


class TestWishes:
    def test_are_colour_and_glass_and_its_family(self, see):
        assert counted(see("what is like this?")) == {"red", "coupe glass", "stemmed glass"}

    def test_weigh_less_together_than_one_wish_of_the_text(self, see):
        many = ImageAttributes(
            colours=(colour("red", 0.95, 0.5, otherwise="orange", otherwise_confidence=0.3),),
            layers=(colour("red"), colour("blue")),
            layers_confidence=0.95,
            foam=Detection("foamy", 0.9),
            glass=Detection("coupe glass", 0.95),
        )
        intent = see("like this", many)
        assert {"red", "orange", "layered", "foamy"} <= counted(intent)
        assert 0 < sum(one.weight for one in intent.pictured) < 1
        assert all(one.soft for one in intent.pictured)

    def test_a_surer_colour_weighs_more(self, see):
        between = ImageAttributes(
            colours=(colour("red", 0.6, otherwise="orange", otherwise_confidence=0.3),)
        )
        weights = {one.any_of[0]: one.weight for one in see("like this", between).pictured}
        assert weights["red"] > weights["orange"] > 0

    def test_a_colour_that_the_text_names_is_not_asked_of_the_picture(self, see):
        intent = see("this in blue")
        assert "red" not in counted(intent)
        assert "coupe glass" in counted(intent)

    def test_a_glass_that_the_text_names_is_not_asked_of_the_picture(self, see):
        assert counted(see("the same colour in a highball glass")) == {"red"}

    def test_what_the_text_bars_is_not_wished_for(self, see):
        assert "red" not in counted(see("like this but not red"))

    def test_a_glass_that_was_hardly_made_out_does_not_count(self, see):
        dim = ImageAttributes(colours=(colour("red"),), glass=Detection("coupe glass", 0.2))
        assert counted(see("like this", dim)) == {"red"}

    def test_what_no_item_has_does_not_count(self, see):
        strange = ImageAttributes(colours=(colour("turquoise"),), glass=Detection("thermos", 0.9))
        assert counted(see("like this", strange)) == set()

    def test_words_of_a_model_are_read_as_those_of_a_question(self, see):
        sight = ImageAttributes(
            colours=(colour("red"),), glass=Detection("hiball", 0.5), seen_by="model"
        )
        assert "highball glass" in counted(see("like this", sight, by="eyes"))


class TestGuesses:
    GUESS = ImageAttributes(colours=(colour("red"),), guesses=("Negroni", "Zorg"), seen_by="model")

    def test_a_guess_with_a_colour_that_agrees_is_the_example(self, see):
        intent = see("what is like this?", self.GUESS, by="eyes", witness=RED)
        assert (intent.target, intent.seen.item) == ("negroni", "negroni")
        assert intent.pictured == ()
        assert route_by_rules(intent, BAR).kind == "C4"

    def test_a_guess_without_a_witness_is_a_look(self, see):
        blue = ImageAttributes(colours=(colour("blue"),))
        intent = see("what is like this?", self.GUESS, by="eyes", witness=blue)
        assert (intent.target, intent.seen.item) == (None, None)
        assert "red" in counted(intent)

    def test_the_same_look_is_never_the_item(self, see):
        intent = see("the same look without gin", self.GUESS, by="eyes", witness=RED)
        assert intent.target is None

    def test_names_are_matched_to_the_catalogue_or_told_as_they_are(self, see):
        seen = see("what is this?", self.GUESS, by="eyes", witness=RED).seen
        assert [(one.name, one.key) for one in seen.guesses] == [
            ("Negroni", "negroni"),
            ("Zorg", None),
        ]


class TestWhatIsTold:
    def test_who_saw_and_what(self, see, bar):
        told = " ".join(describe_seen(see("what is like this?").seen, bar.catalogue))
        assert told == ("In the picture, by colours without a model: a red drink in a coupe glass.")

    def test_a_look_alone_is_not_taken_for_a_name(self, see, bar):
        told = " ".join(describe_seen(see("what is this?").seen, bar.catalogue))
        assert "does not tell" in told

    def test_a_guess_is_told_as_one(self, see, bar):
        blue = ImageAttributes(colours=(colour("blue"),))
        seen = see("what is this?", TestGuesses.GUESS, by="eyes", witness=blue).seen
        assert "may be Negroni or Zorg; that is not sure" in " ".join(
            describe_seen(seen, bar.catalogue)
        )


def test_a_domain_without_looks_says_so():
    with pytest.raises(UsageError, match="says nothing about how they look"):
        check_images_supported(load_domain("books"))
    check_images_supported(load_domain("cocktails"))
