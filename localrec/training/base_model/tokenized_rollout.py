"""Tokenise a trajectory, and mark which tokens the policy wrote.

Each of the model's turns follows exactly the tokens that llama.cpp evaluated before it: the
template's text with control tokens, contents as letters only. Observations and the template are
context; only the turns are learnt (AgenticRec, section 4.2).

The tokens of a turn are those of its finished text. llama.cpp may have sampled the same letters in
other pieces; the count of such cases is recorded, since there the loss is of the text and not of
the pieces. A template that shows old turns differently than at the time of writing (Qwen3's, which
removes an empty thought) is rendered as it was at that time.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.data.chat_message import Message
from localrec.data.trajectory import AgentTurn
from localrec.training.base_model.loading import Base, encode


class TokenizedRollout(msgspec.Struct, frozen=True):
    """One trajectory.

    Args:
        prompt: Tokens before the model's first word, (p,).
        completion: All that follows, (c,).
        loss_mask: 1 where a token of the completion is the model's, else 0, (c,).
    """

    prompt: list[int]
    completion: list[int]
    loss_mask: list[int]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.completion)


def tokenize_rollout(
    base: Base, messages: Sequence[Message], turns: Sequence[AgentTurn]
) -> TokenizedRollout:
    """Tokenise a trajectory up to the last word of the model.

    Args:
        base: Base model with the tokeniser and the template.
        messages: The whole conversation as the model was told it; the turns stand at its end.
        turns: Say whose each is.

    Raises:
        ModelError: the chat template refuses these messages.
    """
    initial_length, shown = len(messages) - len(turns), 0
    tokens: list[int] = []
    loss_mask: list[int] = []
    first = -1
    for place, turn in enumerate(turns, initial_length):
        if not turn.own:
            continue
        before = _pieces(base, messages[:place], shown)
        said = encode(base, base.template.answer_lead() + turn.text)
        first = len(before) if first < 0 else first
        tokens += before + said
        loss_mask += [0] * len(before) + [1] * len(said)
        shown = 2 * place + 2  # the pieces up to this turn's own content
    if first < 0:  # it never said a word: the end of a text stands for nothing
        tokens = [*_pieces(base, messages, 0), _end(base)]
        first, loss_mask = len(tokens) - 1, [0] * len(tokens)
    return TokenizedRollout(
        prompt=tokens[:first], completion=tokens[first:], loss_mask=loss_mask[first:]
    )


def _pieces(base: Base, messages: Sequence[Message], shown: int) -> list[int]:
    """Tokenise a prompt behind its first `shown` pieces."""
    tokens: list[int] = []
    for piece in base.template.render(messages)[shown:]:
        tokens += encode(base, piece.text, special=piece.trusted)
    if not shown and base.bos is not None and tokens[:1] != [base.bos]:
        tokens.insert(0, base.bos)
    return tokens


def _end(base: Base) -> int:
    end = base.tokenizer.eos_token_id
    return end if isinstance(end, int) else 0
