"""Looking into a served model: the tokens of a prompt, and the logits behind some of them."""

import numpy as np
import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import ContextError, ModelError
from localrec.llm.model_process import ModelProcess

from .tiny_models import tokens as vocabulary

TALK = (Message("system", "Be brief."), Message("user", "the thin inn"))


@pytest.fixture(scope="module")
def process(tiny):
    with ModelProcess(tiny.gguf) as served:
        yield served


def test_tokens_of_a_prompt_are_those_that_are_evaluated(process):
    asked = process.generate(TALK, max_tokens=1).usage.prompt
    assert len(process.tokenise(TALK)) == asked
    begun = process.generate(TALK, max_tokens=1, prefix="the").usage.prompt
    assert len(process.tokenise(TALK, "the")) == begun > asked


def test_each_row_is_what_follows_the_tokens_up_to_it(process):
    tokens = process.tokenise(TALK)
    rows = process.score(tokens, 3)
    for left_out in range(3):
        alone = process.score(tokens[: len(tokens) - left_out])
        assert np.allclose(rows[2 - left_out], alone[0], atol=0.05)
    assert not np.allclose(rows[0], rows[1], atol=0.05)


def test_scores_are_those_that_answers_are_chosen_by(process):
    labels = ["a", "b", "x"]
    chosen = process.choose(TALK, labels).probabilities
    row = process.score(process.tokenise(TALK))[0]
    first = [process.tokenise(TALK, label)[-1] for label in labels]
    weights = np.exp(row[first] - row[first].max())
    assert np.allclose(weights / weights.sum(), chosen, atol=0.01)
    assert np.allclose(process.choose(TALK, labels).probabilities, chosen, atol=0.01)


@pytest.mark.parametrize(
    ("tokens", "rows", "error", "reason"),
    [
        ((1, 2), 3, ModelError, "2 tokens cannot give 3 rows"),
        ((1, 2), 0, ModelError, "2 tokens cannot give 0 rows"),
        ((1, 999), 1, ModelError, r"has 2\d\d tokens, so 999 is none of them"),
        ((-1, 2), 1, ModelError, "so -1 is none of them"),
        ((5,) * 512, 1, ContextError, "512 tokens, the model's context 512"),
    ],
)
def test_what_cannot_be_scored_is_refused_and_leaves_the_model_usable(
    tiny, process, tokens, rows, error, reason
):
    before = process.tokenise(TALK)
    with pytest.raises(error, match=reason):
        process.score(tokens, rows)
    assert process.score(before).shape == (1, len(vocabulary(tiny.architecture)))
