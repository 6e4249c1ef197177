"""Questions with a picture, in the systems that answer them; a model that sees is a script here."""

from __future__ import annotations

import json
from copy import copy

import msgspec
import pytest
from PIL import Image

from localrec.data.questions import Question
from localrec.data.token_usage import Usage
from localrec.foundation.errors import (
    InputError,
    ModelCancelledError,
    ModelCrashedError,
    ModelError,
    UsageError,
)
from localrec.index.image_index import ImageNeighbour
from localrec.llm.chat_model import Generation
from localrec.systems.configs import MarcConfig
from localrec.systems.marc import Marc
from localrec.workspace.model_pool import FixedModels
from tests.images.pictures import highball

SEES = MarcConfig(vision="model")


@pytest.fixture
def red(tmp_path):
    path = tmp_path / "red.png"
    Image.fromarray(highball("c1121f")).save(path)
    return str(path)


class Eyes:
    """A vision model that writes one description, or fails."""

    name = "eyes"

    def __init__(self, *, fails=None, **told):
        self.fails, self.asked = fails, 0
        self.told = {
            "glass": "highball glass",
            "colours": ["red"],
            "clarity": "clear",
            "foam": False,
            "ice": True,
            "garnish": [],
            "texture": "cold",
            "names": ["Americano"],
            **told,
        }

    def describe(self, bitmap, messages, *, grammar=None, max_tokens=256, on_chunk=None):
        self.asked += 1
        if self.fails is not None:
            raise self.fails
        usage = Usage(prompt=70, cached=0, generated=30, model_ms=1)
        return Generation(text=json.dumps(self.told), finished=True, usage=usage)

    def close(self):
        pass


def seen_through(bar, eyes):
    """The bar with a model that looks at images."""
    models = FixedModels(bar.models, bar.models.open)
    models.open_vision = lambda: eyes
    return bar.with_models(models)


def with_images(bar, item_images):
    """The bar with images of its items."""
    other = copy(bar)
    other.item_images = item_images
    return other


@pytest.fixture
def ask(bar, red):
    def call(text, eyes=None, config=None, k=3, **question):
        stages = bar if eyes is None else seen_through(bar, eyes)
        config = config or (MarcConfig() if eyes is None else SEES)
        asked = Question(query=text, image=red, **question)
        return Marc(stages, config).answer(asked, k)

    return call


class Album:
    """The items' own pictures, of which one is so near to any that is asked."""

    def __init__(self, bar, key, similarity):
        self.near = [
            ImageNeighbour(int(bar.catalogue.node_ids[bar.catalogue.item_index(key)]), similarity)
        ]

    def nearest_by_picture(self, picture, k):
        return self.near[:k]


def names(answer):
    return [item.name for item in answer.items]


class TestWithoutAModel:
    def test_what_is_like_it_looks_like_it(self, ask):
        answer = ask("what is like this?")
        assert names(answer)[0] == "Americano"  # red, and in a highball glass
        assert answer.answered_by["picture"] == "measured"
        assert answer.timings_ms["picture"] > 0

    def test_hard_constraints_hold_whatever_the_picture_shows(self, ask):
        for answer in (ask("like this without campari"), ask("like this with vodka")):
            assert "Americano" not in names(answer)
            assert all(item.satisfies for item in answer.items)

    def test_beside_a_question_it_decides_among_what_answers_it(self, ask):
        assert names(ask("a drink with sweet vermouth", k=1)) == ["Americano"]

    def test_what_agrees_is_among_the_reasons(self, ask):
        first = ask("what is like this?").items[0]
        assert "is red" in first.reason
        assert {"HAS_COLOUR", "HAS_GLASSTYPE"} <= {edge.relation for edge in first.evidence}

    def test_every_composition_takes_it(self, ask):
        for config in (MarcConfig(graph=False), MarcConfig(reflection=False)):
            answer = ask("what is like this?", config=config)
            assert answer.seen is not None and answer.items

    def test_a_file_that_is_no_picture_is_an_error_of_the_input(self, bar, tmp_path):
        path = tmp_path / "notes.png"
        path.write_text("gin", encoding="utf-8")
        with pytest.raises(InputError, match="not a PNG"):
            Marc(bar, MarcConfig()).answer(Question(query="this", image=str(path)), 3)

    def test_a_domain_without_looks_takes_none(self, bar, red, monkeypatch):
        attributes = {
            kind: spec
            for kind, spec in bar.catalogue.domain.attributes.items()
            if spec.role not in ("colour", "look")
        }
        plain = msgspec.structs.replace(bar.catalogue.domain, attributes=attributes)
        monkeypatch.setattr(bar.catalogue, "domain", plain)
        with pytest.raises(UsageError, match="says nothing about how they look"):
            Marc(bar, MarcConfig()).answer(Question(query="this", image=red), 3)


class TestWithAModel:
    def test_the_answer_names_it(self, ask):
        answer = ask("what is this?", Eyes())
        assert answer.answered_by["picture"] == "model"
        assert answer.seen.by == "eyes"
        assert answer.seen.ice.word == "ice"
        assert answer.tokens["picture"] == 100

    def test_what_it_takes_the_picture_for_comes_first(self, ask):
        answer = ask("what is this?", Eyes(names=["Gimlet", "Zorg"]))
        assert names(answer)[0] == "Gimlet"  # by name, though it is green
        assert "not sure" in answer.message

    def test_a_sure_guess_is_the_example_and_no_answer(self, ask):
        answer = ask("what is like this?", Eyes(names=["Americano"]))
        assert answer.intent.target == "americano"
        assert "Americano" not in names(answer)
        assert {"Negroni", "Boulevardier"} & {*names(answer)}  # by what is in it

    def test_a_guess_whose_colour_was_not_measured_is_not_believed(self, ask):
        answer = ask("what is like this?", Eyes(names=["Gimlet"]))
        assert answer.intent.target is None

    @pytest.mark.parametrize(
        "eyes",
        [
            Eyes(fails=ModelCrashedError("The process of eyes was killed by SIGSEGV.")),
            Eyes(colours=["mauvish"]),
        ],
        ids=["dies", "writes nonsense"],
    )
    def test_where_it_fails_the_picture_is_seen_without_it(self, ask, eyes):
        answer = ask("what is like this?", eyes)
        assert eyes.asked == 1
        assert names(answer)[0] == "Americano"
        assert answer.answered_by["picture"] == "measured"
        assert answer.answered_by["picture_failed"] in answer.message
        assert answer.seen.by == "colours without a model"

    def test_a_stop_stops_the_whole_answer(self, ask):
        with pytest.raises(ModelCancelledError):
            ask("what is this?", Eyes(fails=ModelCancelledError("The call was stopped.")))

    def test_no_model_is_asked_where_none_is_wanted(self, ask):
        eyes = Eyes()
        ask("what is this?", eyes, config=MarcConfig())
        assert eyes.asked == 0


class TestWithPicturesOfItems:
    def test_the_very_picture_of_an_item_is_that_item(self, bar, red):
        stages = with_images(bar, lambda: Album(bar, "americano", 0.99))
        answer = Marc(stages, MarcConfig()).answer(Question(query="like this", image=red), 3)
        assert (answer.seen.item, answer.seen.guesses[0].similarity) == ("americano", 0.99)
        assert "Americano" not in names(answer)  # the example itself is no answer

    def test_one_that_is_merely_alike_is_a_guess(self, bar, red):
        stages = with_images(bar, lambda: Album(bar, "americano", 0.8))
        answer = Marc(stages, MarcConfig()).answer(Question(query="what is this?", image=red), 3)
        assert answer.seen.item is None
        assert "It may be Americano; that is not sure." in answer.message
        assert names(answer)[0] == "Americano"

    def test_what_cannot_be_compared_is_said_and_stops_nothing(self, bar, red):
        def broken():
            raise ModelError("The pair is damaged.")

        stages = with_images(bar, broken)
        answer = Marc(stages, MarcConfig()).answer(Question(query="like this", image=red), 3)
        assert names(answer)[0] == "Americano"
        assert any("The pair is damaged." in one for one in answer.seen.notes)
