"""Training of the role tagger: carriers, composed questions, a network that learns from them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
import torch

from localrec.foundation.errors import InputError, ModelError
from localrec.foundation.progress import no_progress
from localrec.foundation.text_matching import tokens
from localrec.index.embedder_names import EARLIER
from localrec.training.reader.carriers import (
    CarrierSlot,
    parse_carrier,
    plain_clauses,
    read_carriers,
)
from localrec.training.reader.role_network import TorchRoleNetwork
from localrec.training.reader.role_questions import QuestionComposer, read_names
from localrec.training.reader.role_states import RoleConfig, cue_rows, labels_of, sized_like
from localrec.training.reader.role_training import RoleReport, score_roles, train_roles
from localrec.understanding.question_roles import PLACE, RoleTagger, load_roles, softmax
from tests.understanding.test_question_roles import LetterEncoder, an_encoder_layer

CARRIERS = [
    parse_carrier(text)
    for text in (
        "No {barred:component} for me, please.", "I could never stand {barred:category}.",
        "Bring {wanted:component} with some {wanted:look} to it.", "We love {wanted:category}!",
        "Like {example:item} but without {barred:component}.", "Under {at_most:price} dollars.",
    )
]  # fmt: skip
SMALL = RoleConfig(questions=900, epochs=8, size=32, heads=2, layers=1, rank=0, learning_rate=5e-3)


class WordEncoder(LetterEncoder):
    """A state and a number of its own for each word."""

    name = "words"
    size = 16

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def read(self, text):
        told = super().read(text)
        words = [text[start:end].casefold() for start, end in told.spans]
        ids = np.array([self._known.setdefault(word, len(self._known) + 1) for word in words])
        states = np.stack([np.random.default_rng(int(one)).normal(size=16) for one in ids])
        states = states.astype(np.float32)
        return msgspec.structs.replace(told, ids=ids, states=states, middle=states)

    def upper_layers(self):
        return (an_encoder_layer(16),)


def test_a_carrier_is_cut_into_words_and_slots():
    carrier = parse_carrier("Under {at_most:price}, no {less}.")
    assert carrier.slots == (CarrierSlot("bound", "price"), CarrierSlot("less", "component"))
    assert carrier.text == "Under  , no  ."


def test_a_line_that_is_no_carrier_is_refused_with_its_place(tmp_path):
    for line in ('{"carrier": "no {loathed:gin}"}', "no json", '{"text": "x"}'):
        file = tmp_path / "carriers.jsonl"
        file.write_text('{"carrier": "fine"}\n' + line)
        with pytest.raises(InputError) as told:
            read_carriers([file])
        assert "line 2" in str(told.value)


def test_every_type_of_a_plain_clause_has_names_in_some_domain():
    names = read_names()
    known = {type_ for types in names.values() for type_ in types}
    told = plain_clauses()
    assert {
        slot.type for one in told.values() for carrier in one for slot in carrier.slots
    } <= known
    assert all({slot.role for slot in one.slots} == {role} for role in told for one in told[role])


def test_equal_seeds_compose_equal_questions_and_other_seeds_others():
    def composed(seed):
        return [one.text for one in QuestionComposer(CARRIERS, seed).compose(40)]

    assert composed(1) == composed(1)
    assert len(set(composed(1))) == 40
    assert composed(1) != composed(2)


def test_carriers_that_leave_a_domain_without_any_compose_questions_of_the_others():
    carriers = [
        msgspec.structs.replace(parse_carrier("I adore {wanted:category}."), domains=("wines",))
    ]
    names = {"wines": {"category": ("claret", "hock")}, "films": {"category": ("horror",)}}
    texts = [one.text for one in QuestionComposer(carriers, 1, names).compose(5)]
    assert texts and all("hock" in text or "claret" in text for text in texts)


def test_carriers_that_fit_no_domain_are_refused():
    with pytest.raises(InputError, match="None of the carriers fits"):
        QuestionComposer([parse_carrier("no {barred:creator}")], 1, {"films": {"look": ("red",)}})


def test_roles_lie_on_the_letters_of_names_whatever_was_mistyped():
    for question in QuestionComposer(CARRIERS, 3).compose(300):
        last = 0
        for start, end, role in question.spans:
            assert last <= start < end <= len(question.text)
            assert role in PLACE and role != "other"
            assert question.text[start:end].strip()
            last = end


def test_a_name_of_several_words_is_one():
    carrier = parse_carrier("zz {wanted:creator} zz")
    names = {"books": {"creator": ("Ursula Le Guin",)}}
    for question in QuestionComposer([carrier], 0, names).compose(2):
        ((start, end, _),) = [one for one in question.spans if one[2] == "wanted"][:1]
        assert question.text[start:end].casefold().count(" ") == 2


def test_tokens_of_a_name_have_its_role_and_those_around_it_none():
    (question,) = QuestionComposer([parse_carrier("zz {barred:component} zz")], 0).compose(1)
    told = LetterEncoder().read(question.text)
    labels = labels_of(question, told)
    for label, (start, end) in zip(labels, told.spans, strict=True):
        inside = any(start < stop and end > begin for begin, stop, _ in question.spans)
        assert (label != PLACE["other"]) == inside


def test_only_tokens_that_several_carriers_share_get_a_vector_of_their_own():
    encoder = WordEncoder()
    rows = cue_rows([parse_carrier("no {barred:look}"), parse_carrier("no way")], encoder)
    no, way = encoder.read("no way").ids
    assert rows[no] == 1 and rows[way] == 0


def test_torch_and_numpy_agree_on_a_network():
    torch.manual_seed(0)
    network = TorchRoleNetwork(16, 5, RoleConfig(size=32, heads=2)).eval()
    for layer in network.layers:
        torch.nn.init.normal_(layer.distances)
    told = WordEncoder().read("no gin for me but rum")
    rows = (told.ids % 6).astype(np.int32)
    asked = network.in_numpy(np.arange(100, dtype=np.int32) % 6, "words").shares(told)
    with torch.no_grad():
        scores = network(
            torch.from_numpy(told.states)[None],
            torch.from_numpy(rows.astype(np.int64))[None],
            torch.ones(1, len(rows), dtype=torch.bool),
        )
    assert np.abs(softmax(scores[0].numpy()) - asked).max() < 1e-4


def test_torch_and_numpy_agree_on_lora_weights_of_the_encoder():
    torch.manual_seed(0)
    layer = an_encoder_layer(16)
    network = TorchRoleNetwork(16, 5, RoleConfig(size=32, heads=2, rank=4), (layer,)).eval()
    for up in network.upper[0].up.values():
        torch.nn.init.normal_(up, std=0.2)
    told = WordEncoder().read("no gin for me but rum")
    kept = network.in_numpy(np.zeros(100, dtype=np.int32), "words")
    upper = (layer.with_lora(kept.lora[0]),)
    mask = torch.ones(1, len(told.ids), dtype=torch.bool)
    with torch.no_grad():
        scores = network(torch.from_numpy(told.middle)[None], torch.zeros_like(mask).long(), mask)
    assert np.abs(softmax(scores[0].numpy()) - kept.shares(told, upper)).max() < 1e-4
    again = TorchRoleNetwork(16, 5, RoleConfig(size=32, heads=2, rank=4), (layer,))
    again.take(kept)
    assert np.allclose(
        again.in_numpy(np.zeros(100, dtype=np.int32), "words").shares(told, upper),
        kept.shares(told, upper),
    )
    assert sized_like(kept, RoleConfig()).rank == 4


def test_padding_changes_nothing_in_the_encoder_s_upper_layers():
    layer = an_encoder_layer(16)
    network = TorchRoleNetwork(16, 5, RoleConfig(size=32, heads=2, rank=4), (layer,)).eval()
    told = WordEncoder().read("no gin for me but rum")
    states = torch.from_numpy(told.middle.copy())[None]
    longer = torch.cat([states, torch.ones(1, 3, 16)], dim=1)
    mask = torch.arange(longer.shape[1])[None] < states.shape[1]
    with torch.no_grad():
        alone = network(states, torch.zeros(states.shape[:2]).long(), mask[:, : states.shape[1]])
        padded = network(longer, torch.zeros(longer.shape[:2]).long(), mask)
    assert torch.allclose(alone, padded[:, : states.shape[1]], atol=1e-5)


def test_a_training_goes_on_from_the_weights_of_a_network_with_its_sizes():
    torch.manual_seed(1)
    config = RoleConfig(size=32, heads=2, layers=1)
    first = TorchRoleNetwork(16, 5, config).in_numpy(np.zeros(10, dtype=np.int32), "words")
    again = TorchRoleNetwork(16, 5, sized_like(first, RoleConfig()))
    again.take(first)
    told = WordEncoder().read("no gin for me")
    told = msgspec.structs.replace(told, ids=told.ids % 10)
    rows = np.zeros(10, dtype=np.int32)
    assert np.allclose(again.in_numpy(rows, "words").shares(told), first.shares(told), atol=1e-6)


def test_a_network_learns_what_names_are_there_for_and_is_written(tmp_path):
    out = tmp_path / "roles.npz"
    encoder = WordEncoder()
    report = train_roles(CARRIERS, CARRIERS, encoder, out, SMALL, no_progress)
    assert report.bytes == out.stat().st_size
    assert msgspec.json.decode((tmp_path / "roles.json").read_bytes(), type=RoleReport) == report
    assert report.held_out is not None
    # Eleven roles, most names never seen, and words that this encoder knows nothing of.
    assert report.held_out.right > 0.5
    assert report.held_out.barred_right > 0.5
    tagger = RoleTagger(load_roles(out), encoder)
    text = "No zeppelins for me, please"
    assert tagger.tag(text, tokens(text)).named(1, 2, "barred") > 0.5
    again = score_roles(tagger, QuestionComposer(CARRIERS, SMALL.seed + 1).compose(600))
    assert abs(again.right - report.held_out.right) < 0.02


def test_a_network_learns_with_lora_weights_of_the_encoder(tmp_path):
    out = tmp_path / "roles.npz"
    config = msgspec.structs.replace(SMALL, rank=2, questions=600, epochs=4)
    report = train_roles(CARRIERS, CARRIERS, WordEncoder(), out, config, no_progress)
    network = load_roles(out)
    assert report.config.rank == 2 and len(network.lora) == 1
    assert all(np.abs(low.up).max() > 0 for low in network.lora[0].values())
    assert report.held_out is not None and report.held_out.right > 0.4


def test_a_network_that_reads_another_encoder_is_no_start(tmp_path):
    first = TorchRoleNetwork(16, 5, SMALL).in_numpy(np.zeros(10, dtype=np.int32), "letters")
    with pytest.raises(ModelError, match=r"letters with 16 numbers a token.* by words") as raised:
        train_roles(CARRIERS, (), WordEncoder(), tmp_path / "x.npz", SMALL, no_progress, first)
    assert "Pass --init-from (in Python init_from) a network made for words" in str(
        raised.value.hint
    )
    assert not (tmp_path / "x.npz").exists()


def test_a_network_that_reads_the_encoder_under_its_earlier_name_is_a_start(tmp_path, monkeypatch):
    monkeypatch.setitem(EARLIER, "words", "earlier words")
    config = msgspec.structs.replace(SMALL, questions=100, epochs=1)
    out = tmp_path / "first.npz"
    train_roles(CARRIERS, (), WordEncoder(), out, config, no_progress)
    first = msgspec.structs.replace(load_roles(out), encoder="earlier words")
    goes_on = tmp_path / "second.npz"
    report = train_roles(CARRIERS, (), WordEncoder(), goes_on, config, no_progress, first)
    assert report.encoder == "words" and goes_on.exists()
