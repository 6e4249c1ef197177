"""The role tagger: a network asked in NumPy, and what its word counts beside the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import numpy as np
import pytest

from localrec.data.query import Query
from localrec.data.questions import Question
from localrec.foundation.errors import ModelError
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text_matching import tokens
from localrec.index.embedder_names import fits
from localrec.index.embedders import MiniLmEmbedder, ReadTokens
from localrec.index.encoder_layers import EncoderLayer, LayerLora, LoraWeights
from localrec.understanding.query_parser import parse_query
from localrec.understanding.question_reader import QuestionReader
from localrec.understanding.question_roles import (
    FARTHEST,
    PLACE,
    ROLES,
    WEIGHTS,
    Role,
    RoleLayer,
    RoleNetwork,
    RoleTagger,
    WordRoles,
    encoder_of,
    load_roles,
    packed,
    unpacked,
)
from localrec.workspace.domain_context import DomainContext

_WIDE, _SIZE, _WORDS = 8, 12, 50


class LetterEncoder:
    """A token for each word, whose state follows from its letters alone."""

    name = "letters"
    size = _WIDE

    def read(self, text: str) -> ReadTokens:
        found = tokens(text)
        ids = np.array(
            [sum(map(ord, one.word)) % (_WORDS - 1) + 1 for one in found], dtype=np.int64
        )
        states = np.stack(
            [np.random.default_rng(int(one)).normal(size=_WIDE) for one in ids]
        ).astype(np.float32)
        return ReadTokens(ids, tuple((one.start, one.end) for one in found), states, states[::-1])

    def upper_layers(self) -> tuple[EncoderLayer, ...]:
        return (an_encoder_layer(_WIDE),)

    def read_many(self, texts):
        return [self.read(text) for text in texts]


def an_encoder_layer(size: int, seed: int = 5) -> EncoderLayer:
    draw = np.random.default_rng(seed)

    def linear(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
        return (
            draw.normal(0, 0.3, (rows, columns)).astype(np.float32),
            draw.normal(0, 0.3, columns).astype(np.float32),
        )

    return EncoderLayer(
        heads=2,
        mixed=linear(size, 3 * size),
        gathered=linear(size, size),
        inner=linear(size, 4 * size),
        outer=linear(4 * size, size),
        norms=1 + draw.normal(0, 0.1, (2, 2, size)).astype(np.float32),
    )


def a_layer_lora(size: int, rank: int = 3) -> LayerLora:
    draw = np.random.default_rng(6)
    shapes = {
        "mixed": (size, 3 * size), "gathered": (size, size),
        "inner": (size, 4 * size), "outer": (4 * size, size),
    }  # fmt: skip
    return {
        name: LoraWeights(
            draw.normal(0, 0.3, (rows, rank)).astype(np.float32),
            draw.normal(0, 0.3, (rank, columns)).astype(np.float32),
        )
        for name, (rows, columns) in shapes.items()
    }


class SaidRoles:
    """A tagger that says what it is told: word -> role and share, everything else is "other"."""

    def __init__(self, said: Mapping[str, tuple[Role, float]]) -> None:
        self._said = said

    def tag(self, text, words):
        shares = np.zeros((len(words), len(ROLES)), dtype=np.float32)
        for place, word in enumerate(words):
            role, share = self._said.get(word.word, ("other", 1.0))
            shares[place, PLACE[role]] = share
            shares[place, PLACE["wanted" if role != "wanted" else "barred"]] += 1 - share
        return WordRoles(shares)


def a_network(seed: int = 0) -> RoleNetwork:
    draw = np.random.default_rng(seed)

    def matrix(*shape: int) -> np.ndarray:
        return draw.normal(0, 0.3, shape).astype(np.float32)

    def linear(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
        return matrix(rows, columns), matrix(columns)

    layer = RoleLayer(
        norms=1 + matrix(2, 2, _SIZE),
        mixed=linear(_SIZE, 3 * _SIZE),
        gathered=linear(_SIZE, _SIZE),
        inner=linear(_SIZE, 2 * _SIZE),
        outer=linear(2 * _SIZE, _SIZE),
        distances=matrix(2, 2 * FARTHEST + 1),
    )
    return RoleNetwork(
        encoder="letters",
        first=linear(_WIDE, _SIZE),
        cue_rows=(np.arange(_WORDS) % 5).astype(np.int32),
        cues=matrix(5, _SIZE),
        layers=(layer, layer),
        last_norm=1 + matrix(2, _SIZE),
        last=linear(_SIZE, len(ROLES)),
    )


@pytest.fixture
def read_with(bar: DomainContext) -> Callable[..., Query]:
    return lambda question, **said: parse_query(question, bar.vocabulary, SaidRoles(said))


def excluded(query: Query) -> set[str]:
    return {key for one in query.constraints if one.excluded and not one.soft for key in one.any_of}


def wanted(query: Query) -> set[str]:
    return {key for one in query.constraints if not one.excluded for key in one.any_of}


def test_shares_of_a_word_add_up_to_one_and_depend_on_the_words_around_it():
    tagger = RoleTagger(a_network(), LetterEncoder())
    alone = tagger.tag("gin", tokens("gin")).shares
    beside = tagger.tag("hate gin", tokens("hate gin")).shares
    assert np.allclose(beside.sum(axis=1), 1.0, atol=1e-5)
    assert not np.allclose(alone[0], beside[1], atol=1e-3)


def test_a_network_survives_being_kept_in_five_bits():
    told = LetterEncoder().read("anything but a gin and tonic, my dear")
    network = a_network()
    again = unpacked(packed(network))
    assert again.encoder == "letters"
    assert np.abs(network.shares(told) - again.shares(told)).max() < 0.1


def test_lora_weights_of_the_encoder_count_and_survive_being_kept():
    text, words = "anything but gin", tokens("anything but gin")
    network = msgspec.structs.replace(a_network(), lora=(a_layer_lora(_WIDE),))
    plain = RoleTagger(a_network(), LetterEncoder()).tag(text, words).shares
    tuned = RoleTagger(network, LetterEncoder()).tag(text, words).shares
    assert np.abs(tuned - plain).max() > 0.05
    again = RoleTagger(unpacked(packed(network)), LetterEncoder()).tag(text, words).shares
    assert np.abs(tuned - again).max() < 0.05


def test_the_encoder_is_read_to_its_middle_and_its_upper_layers_are_run_with_the_lora_weights():
    told = LetterEncoder().read("anything but gin")
    network = msgspec.structs.replace(a_network(), lora=(a_layer_lora(_WIDE),))
    (layer,) = LetterEncoder().upper_layers()
    low = network.lora[0]["inner"]
    by_hand = msgspec.structs.replace(
        layer.with_lora({name: one for name, one in network.lora[0].items() if name != "inner"}),
        inner=(layer.inner[0] + low.down @ low.up, layer.inner[1]),
    )
    states = by_hand.run(told.middle)
    read = msgspec.structs.replace(told, states=states)
    tagged = RoleTagger(network, LetterEncoder()).tag(
        "anything but gin", tokens("anything but gin")
    )
    assert tagged.shares == pytest.approx(a_network().shares(read), abs=1e-5)


def test_a_word_that_the_encoder_did_not_reach_is_there_for_nothing():
    class Short(LetterEncoder):
        def read(self, text: str) -> ReadTokens:
            return super().read(text[:3])

    shares = RoleTagger(a_network(), Short()).tag("gin and rum", tokens("gin and rum")).shares
    assert shares[2, PLACE["other"]] == 1.0 > shares[0, PLACE["other"]]


def test_a_file_that_is_no_network_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "roles.npz").write_bytes(b"PK nothing")
    for path in (tmp_path / "roles.npz", tmp_path / "none.npz"):
        for read in (load_roles, encoder_of):
            with pytest.raises(ModelError) as told:
                read(path)
            assert "localrec train reader" in told.value.hint


def test_a_network_in_a_file_is_read_by_the_first_question_for_it(tmp_path):
    path = tmp_path / "roles.npz"
    tagger = RoleTagger(path, LetterEncoder())
    np.savez(path, **packed(a_network()))
    assert encoder_of(path) == "letters"
    read = RoleTagger(load_roles(path), LetterEncoder())
    shares = [one.tag("hate gin", tokens("hate gin")).shares for one in (tagger, read)]
    assert np.array_equal(*shares)


@pytest.mark.parametrize(
    "name", ["first_8", "cues_8", "0_mixed_8", "1_outer_8", "lora0_inner_up_8"]
)
def test_a_network_whose_arrays_do_not_belong_together_is_refused(tmp_path, name):
    kept = packed(msgspec.structs.replace(a_network(), lora=(a_layer_lora(_WIDE),)))
    np.savez(tmp_path / "cut.npz", **{**kept, name: kept[name][:, :-1]})
    np.savez(tmp_path / "less.npz", **{one: kept[one] for one in kept if one != name})
    for path in (tmp_path / "cut.npz", tmp_path / "less.npz"):
        with pytest.raises(ModelError):
            load_roles(path)


def test_lora_weights_for_another_encoder_are_refused():
    with pytest.raises(ModelError, match="another encoder"):
        an_encoder_layer(6).with_lora(a_layer_lora(_WIDE))


def test_a_network_that_knows_other_roles_is_refused(tmp_path):
    kept = packed(a_network())
    kept["last_8"] = kept["last_8"][:, :3]
    np.savez(tmp_path / "roles.npz", **kept)
    with pytest.raises(ModelError):
        load_roles(tmp_path / "roles.npz")


def test_a_name_is_refused_where_no_rule_hears_it_but_the_tagger_is_sure(read_with):
    question = "gin and my stomach are strangers"
    assert wanted(read_with(question)) == {"gin"}
    assert excluded(read_with(question, gin=("barred", 0.99))) == {"gin"}
    assert wanted(read_with(question, gin=("barred", 0.35))) == {"gin"}


def test_a_name_right_behind_a_verb_of_wishing_is_refused_only_where_the_tagger_is_very_sure(
    read_with,
):
    question = "my aunt adores anything with gin"
    assert wanted(read_with(question, gin=("barred", 0.8))) == {"gin"}
    assert excluded(read_with(question, gin=("barred", 0.98))) == {"gin"}
    assert excluded(read_with("my aunt adores me, gin", gin=("barred", 0.95))) == {"gin"}


def test_the_only_name_of_a_question_is_refused_only_where_the_tagger_is_sure(read_with):
    question = "a fellow at work keeps talking about gin"
    assert wanted(read_with(question, gin=("barred", 0.8))) == {"gin"}
    assert excluded(read_with(question, gin=("barred", 0.95))) == {"gin"}
    assert excluded(read_with(f"{question}, a sour please", gin=("barred", 0.8))) == {"gin"}


def test_a_name_that_is_named_again_without_a_refusal_is_wished_for(read_with):
    query = read_with("we parted over gins at sea. gin with lime please", gins=("barred", 0.99))
    assert wanted(query) == {"gin", "lime"} and not excluded(query)


def test_a_phrase_that_says_itself_what_it_wants_is_not_the_tagger_s_affair(read_with):
    question = "something with no alcohol in it for my aunt"
    assert read_with(question, alcohol=("barred", 0.99)).flags == read_with(question).flags != {}


def test_where_the_taggers_encoder_is_damaged_the_rules_read_alone(bar):
    class Damaged:
        def tag(self, text, words):
            raise ModelError("damaged")

    reader = QuestionReader(bar.catalogue, bar.vocabulary, bar.shelf, open_tagger=Damaged)
    trace = RunTrace(understanding="rules")
    query = reader.read(Question(query="my aunt and I never touch gin"), trace)
    assert excluded(query) == {"gin"}
    assert trace.answered_by == {"understanding": "rules"}


def test_a_question_of_names_and_plain_words_asks_no_tagger(bar):
    class Asked:
        def tag(self, text, words):
            raise AssertionError(text)

    assert wanted(parse_query("a gin drink without lime, please", bar.vocabulary, Asked())) == {
        "gin"
    }


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("my aunt and I never touch gin", {"roles": "the shipped network"}),
        ("a gin drink without lime, please", {}),
    ],
)
def test_the_trace_says_whether_the_network_read_a_question_too(bar, question, told):
    trace = RunTrace(understanding="rules")
    said = SaidRoles({})
    reader = QuestionReader(bar.catalogue, bar.vocabulary, bar.shelf, open_tagger=lambda: said)
    reader.read(Question(query=question), trace)
    assert trace.answered_by == {"understanding": "rules", **told}


def test_a_wish_beside_a_refusal_that_a_rule_hears_stays_a_wish(read_with):
    query = read_with("gin without lime", gin=("barred", 0.99))
    assert wanted(query) == {"gin"}
    assert excluded(query) == {"lime"}


def test_a_refusal_that_a_rule_hears_stands_where_the_tagger_doubts(read_with):
    assert excluded(read_with("no gin", gin=("wanted", 0.9))) == {"gin"}


def test_less_of_a_thing_is_a_soft_wish(read_with):
    query = read_with("go canny with the gin", gin=("less", 0.99))
    (constraint,) = query.constraints
    assert constraint.excluded and constraint.soft


def test_a_name_said_by_the_way_is_no_wish(read_with):
    assert wanted(read_with("my aunt sells gin, I want rum", gin=("aside", 0.99))) == {"rum"}


@pytest.mark.parametrize("opening", ["is there a", "give me some", "I am looking for a good"])
def test_what_is_asked_for_is_not_said_by_the_way(read_with, opening):
    assert wanted(read_with(f"{opening} gin I could sip", gin=("aside", 0.99))) == {"gin"}


def test_what_is_asked_for_is_refused_only_where_the_tagger_is_very_sure(read_with):
    question = "my uncle was here, give me more gin"
    assert wanted(read_with(question, gin=("barred", 0.9))) == {"gin"}
    assert excluded(read_with(question, gin=("barred", 0.99))) == {"gin"}


def test_an_alternative_of_a_wish_is_not_refused_by_the_tagger_alone(read_with):
    assert wanted(read_with("rum or gin, my pal said", gin=("barred", 0.9))) == {"rum", "gin"}
    assert excluded(read_with("rum, and the gin my pal said", gin=("barred", 0.9))) == {"gin"}


def test_a_name_said_by_the_way_is_told_as_unused_and_not_looked_for_in_texts(read_with):
    query = read_with("my aunt sells gin, I want rum", gin=("aside", 0.99))
    assert "gin" not in {word for one in query.texts for word in one.words}
    assert any("gin" in one for one in query.unused)


def test_an_everyday_word_is_never_refused_as_a_text(read_with):
    assert not read_with("gin, please", please=("barred", 0.99)).texts


def test_words_that_name_nothing_are_refused_in_texts_where_the_tagger_says_so(read_with):
    query = read_with("gin, but those clowns and I parted company", clowns=("barred", 0.95))
    (wish,) = [one for one in query.texts if one.excluded]
    assert wish.typed == "clowns"
    assert wanted(query) == {"gin"}


def test_rules_read_alone_where_there_is_no_tagger(bar):
    question = "gin, no lime"
    query = parse_query(question, bar.vocabulary)
    assert query == parse_query(question, bar.vocabulary, None)
    assert excluded(query) == {"lime"}


def test_the_network_that_ships_is_small_and_made_for_the_default_embedder():
    network = load_roles()
    assert fits(network.encoder, MiniLmEmbedder.name)
    assert WEIGHTS.stat().st_size < 1_500_000
    assert msgspec.structs.replace(network, encoder="") != network
