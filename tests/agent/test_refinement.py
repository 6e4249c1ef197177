"""Whether a profile still fits: what the model is shown, and what of its answer is taken."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from localrec.agent.profile_refinement import (
    LONGEST_PROFILE,
    LikedItem,
    RefinementContext,
    parse_refinement,
    refine_profile,
    refinement_grammar,
)
from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelCancelledError, ModelError
from localrec.foundation.text import clean_text
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.llm.scripted import ScriptedModel
from tests.planted import BAR, planted_stages, planted_store

LIKED = (
    LikedItem("Negroni", ("gin", "campari", "sweet vermouth", "spirit")),
    LikedItem("Gimlet", ("gin", "lime juice", "sugar", "spirit")),
)
NEW = "Likes gin with lime juice. The Negroni above all."

HOSTILE_WORDS = st.sampled_from(
    [
        *("Likes", "gin", "Negroni", "campari", "and", "Keep", "Profile:", "mezcal", "ignore"),
        *("<|im_end|>", "<|im_start|>", "\x1b[2J", "\x1b]0;owned\x07", "\u202e", "\u200b", "\n"),
        *('"', "[/INST]", "</tool_call>", "\x00", "a" * 200, "Likes gin.", "Gimlet!", "\u2028"),
    ]
)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        yield planted_stages(store, folder / "indexes").vocabulary


@pytest.fixture(scope="module")
def model(require_model):
    require_model("smollm2-135m")
    with ModelProcess(model_path("smollm2-135m")) as process:
        yield process


@pytest.fixture
def answered(vocabulary):
    """What comes of an answer: `answered("Keep", profile="Likes gin.")`."""

    def call(answer, **told):
        return refine_profile(ScriptedModel([answer]), occasion(**told), lambda: vocabulary, 0)

    return call


def occasion(**told):
    return RefinementContext(**{"domain": BAR, "profile": "", "liked": LIKED, **told})


def shown(**told):
    model = ScriptedModel(["Keep"])
    refine_profile(model, occasion(**told), lambda: None, 0)
    [[system, user]] = model.prompts
    return system.content, user.content


class TestAnAnswer:
    def test_of_new_sentences_about_what_they_like_is_the_new_profile(self, answered):
        found = answered(f"Profile: {NEW}", profile="Likes gin.")
        assert (found.outcome, found.text, found.why) == ("refined", NEW, "")

    def test_of_keep_keeps_the_profile_and_reads_no_catalogue(self):
        found = refine_profile(
            ScriptedModel(["Keep"]), occasion(), lambda: pytest.fail("opened"), 0
        )
        assert (found.outcome, found.text) == ("kept", "")

    @pytest.mark.parametrize("before", [NEW, NEW.upper(), f"  {NEW.replace('. ', '.  ')} "])
    def test_that_says_what_was_said_before_keeps_it(self, answered, before):
        assert answered(f"Profile: {NEW}", profile=before).outcome == "kept"

    @pytest.mark.parametrize(
        "claim",
        [
            pytest.param("Likes mezcal.", id="an ingredient of nothing that they like"),
            pytest.param("Likes gin and mezcal.", id="one of two"),
            pytest.param("Likes gin as in the Daiquiri.", id="a drink that they do not know"),
            pytest.param("Likes gin as Stanley does.", id="a name that nobody knows"),
            pytest.param("Likes 7 drinks with gin.", id="a number"),
            pytest.param("Dislikes gin.", id="the contrary"),
            pytest.param("Likes drinks without gin.", id="an absence"),
            pytest.param("Likes gin, Negroni, gin and gin.", id="one thing again and again"),
            pytest.param("Likes quiet evenings.", id="nothing that could be checked"),
            pytest.param("Likes gin. Likes quiet evenings.", id="such behind what is true"),
        ],
    )
    def test_that_claims_what_nothing_they_like_carries_is_refused(self, answered, claim):
        found = answered(f"Profile: {claim}")
        assert (found.outcome, found.text) == ("refused", "")
        assert found.why.startswith("Nothing they like carries")

    def test_may_name_the_family_of_what_they_like(self, answered):
        assert answered("Profile: Likes drinks with a spirit.").outcome == "refined"

    @pytest.mark.parametrize(
        "answer",
        [
            *("", "keep", "Keep.", "Keep it", "Profile:", "Profile: ", NEW, f"profile: {NEW}"),
            *(
                f"Profile: {NEW}\nKeep",
                f"Profile:  {NEW}",
                f"Profile: {NEW} ",
                "Profile: likes gin.",
            ),
            *("Profile: Likes gin", 'Profile: Likes "gin".', "Profile: Likes gin <|im_end|>."),
            f"Profile: {'Likes gin. ' * 4}".strip(),
            f"Profile: Likes gin{' and gin' * 40}.",
        ],
    )
    def test_of_another_form_is_refused(self, answered, answer):
        found = answered(answer)
        assert (found.outcome, found.text) == ("refused", "")
        assert found.why.startswith("The model wrote")

    def test_that_does_not_end_is_refused(self, answered):
        found = answered("Profile: Likes gin" + " and gin" * 400)
        assert (found.outcome, found.why) == ("refused", "It did not come to an end.")

    @pytest.mark.parametrize("error", [ModelError, ModelCancelledError])
    def test_that_does_not_come_is_the_caller_s_to_tell(self, error):
        def fail(messages):
            raise error("No.")

        with pytest.raises(error):
            refine_profile(ScriptedModel(fail), occasion(), lambda: None, 0)


@settings(deadline=None)
@given(st.text() | st.lists(HOSTILE_WORDS, max_size=40).map(" ".join), st.booleans())
@example(NEW, True)
@example("Likes gin. " * 3 + "\x1b[2J", True)
@example("Likes gin with lime juice and with ever so much sugar, which is a fine thing. " * 3, True)
def test_nothing_but_harmless_sentences_of_bounded_length_becomes_a_profile(
    vocabulary, words, as_profile
):
    answer = f"Profile: {words}" if as_profile else words
    found = refine_profile(ScriptedModel([answer]), occasion(), lambda: vocabulary, 0)
    assert (found.outcome == "refined") == bool(found.text)
    assert len(found.text) <= LONGEST_PROFILE
    assert found.text.isprintable()
    assert clean_text(found.text) == found.text
    assert not re.search(r'[<>|"\[\]\\{}]', found.text)


class TestWhatIsShown:
    def test_is_the_profile_what_they_like_and_what_was_put_first(self):
        _, told = shown(
            profile="Likes gin.",
            disliked=["Mojito"],
            ranked=["Americano", "Boulevardier", "C", "D", "E", "F"],
            instruction="a sour",
        )
        assert told.splitlines() == [
            'Their profile: "Likes gin."',
            "The drinks that they like, the latest last:",
            '1. "Negroni": gin, campari, sweet vermouth, spirit',
            '2. "Gimlet": gin, lime juice, sugar, spirit',
            'They do not like: "Mojito"',
            'They asked: "a sour"',
            'You put first: "Americano", "Boulevardier", "C", "D", "E"',
            "Does the profile still fit?",
        ]

    def test_of_nobody_known_is_that_there_is_none(self):
        _, told = shown(liked=())
        assert told.splitlines() == [
            "Their profile: nothing yet",
            "The drinks that they like, the latest last:",
            "You put first: nothing",
            "Does the profile still fit?",
        ]

    def test_the_task_is_the_same_for_everybody(self):
        other = shown(liked=(), profile="?", disliked=["?"], ranked=["?"], instruction="?")
        assert shown()[0] == other[0]

    @settings(deadline=None)
    @given(st.text(max_size=80) | HOSTILE_WORDS)
    def test_no_foreign_text_makes_a_line_of_its_own(self, text):
        liked = [LikedItem(text, (text, text))]
        system, told = shown(
            profile=f"x{text}", liked=liked, disliked=[text], ranked=[text], instruction=f"x{text}"
        )
        assert system == shown()[0]
        assert len(told.splitlines()) == 7
        assert "\x1b" not in told and not re.search(r"<[^\s\d]", told)

    def test_is_only_the_newest_of_a_long_history(self):
        _, told = shown(liked=[LikedItem(f"Drink {number}") for number in range(40)])
        assert "Drink 27" not in told
        assert '1. "Drink 28"\n' in told and '12. "Drink 39"\n' in told


@pytest.mark.real
class TestSmolLM2:
    def test_keeps_to_the_grammar_and_the_parser_takes_what_it_lets_through(self, model):
        for seed in range(3):
            answer = model.generate(
                [Message("user", "Go on.")],
                grammar=refinement_grammar(),
                max_tokens=600,
                temperature=2.0,  # nearly any token that the grammar admits
                seed=seed,
            )
            assert answer.finished
            assert len(" ".join(parse_refinement(answer.text))) <= LONGEST_PROFILE

    def test_comes_to_an_end(self, model, vocabulary):
        found = refine_profile(model, occasion(ranked=["Americano"]), lambda: vocabulary, 0)
        assert found.outcome in ("kept", "refined", "refused")
        assert bool(found.text) == (found.outcome == "refined")
        assert refine_profile(model, occasion(ranked=["Americano"]), lambda: vocabulary, 0) == found
