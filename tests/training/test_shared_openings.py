"""A group computed with its opening once is the group computed member by member."""

from __future__ import annotations

import pytest
import torch

from localrec.training.adapters.lora import AdapterConfig, attach, detach
from localrec.training.base_model.loading import load_base
from localrec.training.base_model.prefix_cache import completion_scores, have_same_prompt

OPENING = torch.tensor([5, 9, 3, 7, 11, 4, 8])
LONG = OPENING.repeat(6)  # further than a Gemma's window sees
COMPLETIONS = torch.tensor([[6, 2, 9, 4, 0, 0], [3, 3, 8, 1, 7, 5], [2, 4, 0, 0, 0, 0]])
OWN = torch.tensor([[1, 0, 0, 1, 0, 0], [1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]])


@pytest.fixture
def adapted_network(tiny):
    base = load_base(tiny.gguf)
    model = attach(base, AdapterConfig(rank=4, alpha=8.0, dropout=0.0), seed=1)
    torch.manual_seed(2)
    for name, weight in model.named_parameters():
        if "lora_B" in name:  # a fresh adapter is silent
            weight.data.normal_(std=0.3)
    yield model.train()
    detach(model)


def one_by_one(network, opening, temperature):
    """As the definition has it: every member whole, scores behind every token."""
    said, undecided = torch.zeros(OWN.shape), torch.zeros(OWN.shape)
    for row, completion in enumerate(COMPLETIONS):
        tokens = torch.cat([opening, completion])
        logits = network(input_ids=tokens[None]).logits[0, len(opening) - 1 : -1]
        chances = (logits.float() / temperature).log_softmax(dim=-1)
        of_said = chances.gather(1, completion[:, None])[:, 0]
        said = said.index_put((torch.tensor(row),), of_said * OWN[row])
        undecided[row] = -(chances.exp() * chances).sum(dim=-1).detach() * OWN[row]
    return said, undecided


def gradients(model, said):
    weights = torch.tensor([[1.0], [-0.5], [0.3]])
    model.zero_grad()
    (said * weights).sum().backward()
    return {name: one.grad.clone() for name, one in model.named_parameters() if one.requires_grad}


@pytest.mark.parametrize("opening", [OPENING, LONG])
def test_probabilities_entropies_and_gradients_are_those_of_the_members_alone(
    adapted_network, opening
):
    network = adapted_network.get_base_model()
    expected, undecided = one_by_one(network, opening, temperature=0.7)
    wanted = gradients(adapted_network, expected)
    said, told = completion_scores(network, opening, COMPLETIONS, OWN, temperature=0.7)
    assert torch.allclose(said, expected, atol=1e-4)
    assert torch.allclose(told, undecided, atol=1e-4)
    found = gradients(adapted_network, said)
    assert any(bool(one.abs().max() > 1e-3) for one in wanted.values())
    for name, gradient in found.items():
        assert torch.allclose(gradient, wanted[name], atol=1e-4), name


def test_the_shared_part_is_read_once(adapted_network, monkeypatch):
    network = adapted_network.get_base_model()
    read = []
    forward = network.model.forward

    def counted(*args, **named):
        read.append(named["input_ids"].shape[1])
        return forward(*args, **named)

    monkeypatch.setattr(network.model, "forward", counted)
    completion_scores(network, OPENING, COMPLETIONS, OWN, temperature=1.0)
    assert read == [len(OPENING) - 1, 4, 6]  # up to the last own token, and nobody's not at all


def test_an_opening_is_shared_where_all_tokens_are_the_same():
    rows = OPENING.repeat(3, 1)
    assert have_same_prompt(rows, torch.ones_like(rows))
    assert not have_same_prompt(rows[:1], torch.ones_like(rows[:1]))
    padded = torch.ones_like(rows)
    padded[1, 0] = 0
    assert not have_same_prompt(rows, padded)
    rows[2, -1] = 1
    assert not have_same_prompt(rows, torch.ones_like(rows))
