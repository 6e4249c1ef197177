"""Ask a chat model which of a few items a user picks next, without any training.

This is the plain use of a language model, and the reference for better ones (LLMRank, Hou et al.
2024): the prompt shows the history, the latest item last, and the candidates. Models prefer some
places of a list, so the candidates are shown in several orders and their ranks are averaged.
LLMRank draws each order; here one is drawn and the others are rotations of it by equal steps, so
that each candidate is equally often near the top, in the middle and near the end.

    labels      each candidate has a letter; one evaluation of the prompt ranks all of them by the
                probability of their letters (FIRST, Reddy et al. 2024)
    calibrated  the same, divided by the probability of each letter where all titles are blank (Zhao
                et al. 2021): a small model prefers letters far more than films (of the variance of
                SmolLM2's scores on MovieLens 94% was the place, with this 81%)
    list        the model writes the numbers of the best under a grammar; the rest share one rank

Left out: examples within the prompt, ratings, and everything but titles.
"""

from __future__ import annotations

import string
import time
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.chat_message import Message
from localrec.data.token_usage import Usage
from localrec.foundation.errors import ModelError, UsageError
from localrec.llm.chat_model import ChatModel
from localrec.llm.structured_output import numbers_grammar, parse_numbers

Mode = Literal["labels", "calibrated", "list"]
Positive = Annotated[int, msgspec.Meta(ge=1)]

MOST_LABELLED = len(string.ascii_uppercase)
_LONGEST_TITLE = 100  # letters
_BLANK = "?"  # without a letter of its own: after "N/A" SmolLM2 took N eight times as often
_LEAST = 1e-30  # a probability may be rounded to nothing


class ZeroShotConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the prompt.

    Args:
        mode: The form of its answer, see above.
        shuffles: Orders in which the candidates are shown, a call each; no more than candidates.
        history: Only so many of the newest items are shown.
        listed: Numbers that it writes (mode "list"); all where there are fewer candidates.
        token_budget: Tokens of all titles together; the oldest of the history make room.
    """

    mode: Mode = "calibrated"
    shuffles: Positive = 3
    history: Positive = 20
    listed: Positive = 10
    token_budget: Annotated[int, msgspec.Meta(ge=64)] = 1500


class ZeroShotRanking(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking of a model, and its cost.

    Args:
        order: Places of the candidates, best first; None where an answer did not parse.
        scores: Their mean ranks, negative so that higher is better, in the order given; () where
            there is no order.
        fault: The model's unusable answer, as a sentence.
        calls: The number of calls of the model.
        prompt_tokens: Tokens that it read, those from a cached prefix too.
        cached_tokens: Prompt tokens that came from a cached prefix.
        new_tokens: Tokens that it wrote.
        ms: Milliseconds of all calls.
    """

    order: tuple[int, ...] | None
    scores: tuple[float, ...]
    fault: str = ""
    calls: int
    prompt_tokens: int
    cached_tokens: int
    new_tokens: int
    ms: float


def rank_zero_shot(
    model: ChatModel,
    history: Sequence[str],
    candidates: Sequence[str],
    config: ZeroShotConfig,
    seed: int,
    *,
    noun: str = "items",
    prior: NDArray[np.float64] | None = None,
) -> ZeroShotRanking:
    """Rank candidates for a user by their titles.

    Args:
        model: A chat model; it is asked once for each order of the candidates.
        history: Titles of the items that the user had, oldest first.
        candidates: At least two titles.
        config: The settings of the prompt.
        seed: Seed of the orders, and of the order among equals.
        noun: The plural noun for the items.
        prior: The result of `ask_label_prior` for as many candidates, where the mode is
            "calibrated"; without it the model is asked for it, beyond the costs that are told.

    Raises:
        UsageError: too many candidates to have a letter each, or too few to be ranked.
        ModelError: the model cannot be used, or the candidates do not fit into its context.
    """
    check_count(len(candidates), config)
    started = time.perf_counter()
    if config.mode == "calibrated" and prior is None:
        prior = ask_label_prior(model, len(candidates), noun)
    lead = _lead(
        noun, _shown_history(model, history, candidates, config.history, config.token_budget)
    )
    turns = _turns(len(candidates), config.shuffles, seed)
    ranks = np.zeros(len(candidates))
    answers: list[_PromptAnswer] = []
    for turn in turns:
        answers.append(_ask(model, lead, [candidates[place] for place in turn], config, prior))
        if answers[-1].fault:
            break
        ranks[turn] += _mean_ranks(answers[-1].scores)
    # Equals keep the drawn order, which says nothing about them.
    order = turns[0][np.argsort(ranks[turns[0]], kind="stable")]
    fault = answers[-1].fault
    return ZeroShotRanking(
        order=None if fault else tuple(order.tolist()),
        scores=() if fault else tuple((-ranks / len(turns)).tolist()),
        fault=fault,
        calls=len(answers),
        prompt_tokens=sum(one.usage.prompt for one in answers),
        cached_tokens=sum(one.usage.cached for one in answers),
        new_tokens=sum(one.usage.generated for one in answers),
        ms=1000 * (time.perf_counter() - started),
    )


def ask_label_prior(model: ChatModel, count: int, noun: str = "items") -> NDArray[np.float64]:
    """Measure the log-probabilities of the letters when every title is blank, (count,).

    It depends on the model and on nothing that a person did: ask once for many rankings.

    Raises:
        ModelError: the model cannot be used.
    """
    blank = [_BLANK] * count
    return _ask_labels(model, _lead(noun, blank), blank).scores


def check_count(count: int, config: ZeroShotConfig) -> None:
    """Check that this many candidates can be ranked.

    Raises:
        UsageError: they cannot.
    """
    if count < 2:
        raise UsageError(f"{count} candidates leave nothing to rank.")
    if config.mode != "list" and count > MOST_LABELLED:
        raise UsageError(
            f"{count} candidates cannot have a letter each; there are {MOST_LABELLED}.",
            'Show fewer, or take the mode "list".',
        )


class _PromptAnswer(msgspec.Struct, frozen=True):
    """One answer: scores of the candidates as shown, higher is better; or its fault."""

    scores: NDArray[np.float64]
    usage: Usage
    fault: str = ""


def _ask(
    model: ChatModel,
    lead: Sequence[Message],
    titles: Sequence[str],
    config: ZeroShotConfig,
    prior: NDArray[np.float64] | None,
) -> _PromptAnswer:
    """Ask about the candidates in one order."""
    if config.mode == "list":
        return _ask_list(model, lead, titles, min(config.listed, len(titles)))
    answer = _ask_labels(model, lead, titles)
    if config.mode == "labels" or prior is None:
        return answer
    return _PromptAnswer(answer.scores - prior, answer.usage)


def _ask_labels(model: ChatModel, lead: Sequence[Message], titles: Sequence[str]) -> _PromptAnswer:
    """Return the log-probability of each candidate's letter."""
    letters = string.ascii_uppercase[: len(titles)]
    asked = _candidate_prompt(
        letters, titles, "Which of these do I pick next? Give its letter only."
    )
    choice = model.choose([*lead, asked], letters, fixed=len(lead))
    return _PromptAnswer(np.log(np.maximum(choice.probabilities, _LEAST)), choice.usage)


def _ask_list(
    model: ChatModel, lead: Sequence[Message], titles: Sequence[str], listed: int
) -> _PromptAnswer:
    """Return scores by the numbers that the model writes, the best first; the others have none."""
    count = len(titles)
    numbers = [str(number) for number in range(1, count + 1)]
    wanted = f"Which {listed} of these do I pick next? Give their numbers, the likeliest first."
    written = model.generate(
        [*lead, _candidate_prompt(numbers, titles, wanted)],
        grammar=numbers_grammar(1, count, listed, listed),
        # At worst digits one by one, comma, space; and the brackets.
        max_tokens=(len(str(count)) + 2) * listed + 2,
        fixed=len(lead),
    )
    scores = np.zeros(count)
    try:
        best = parse_numbers(written.text, 1, count, listed, listed)
    except ModelError as error:
        return _PromptAnswer(scores, written.usage, error.message)
    scores[np.array(best) - 1] = np.arange(listed, 0, -1)
    return _PromptAnswer(scores, written.usage)


def _lead(noun: str, history: Sequence[str]) -> list[Message]:
    """Return the messages that all orders share, evaluated once."""
    titles = "\n".join(f"- {_line(title)}" for title in history) or "- nothing so far"
    return [
        Message("system", f"You foretell which of some {noun} a person picks next."),
        Message("user", f"These {noun} I had, the latest last:\n{titles}"),
        Message("assistant", f"Which {noun} can you pick from?"),
    ]


def _candidate_prompt(marks: Sequence[str], titles: Sequence[str], question: str) -> Message:
    listed = "\n".join(f"{mark}. {_line(one)}" for mark, one in zip(marks, titles, strict=True))
    return Message("user", f"{listed}\n\n{question}")


def _line(title: str) -> str:
    """Write a title on one line; a line break in it would begin another candidate."""
    return " ".join(title.split())[:_LONGEST_TITLE] or _BLANK


def _shown_history(
    model: ChatModel, history: Sequence[str], candidates: Sequence[str], newest: int, budget: int
) -> Sequence[str]:
    """Select the newest history items that leave room for the candidates."""
    shown = history[-newest:]
    room = budget - model.count_tokens("\n".join(map(_line, candidates)))
    while shown and model.count_tokens("\n".join(map(_line, shown))) > room:
        shown = shown[1:]
    return shown


def _turns(count: int, shuffles: int, seed: int) -> list[NDArray[np.int64]]:
    """Return orders of the candidates: one drawn, the others rotated by equal steps."""
    drawn = np.random.default_rng(seed).permutation(count)
    different = min(shuffles, count)
    return [np.roll(drawn, step * count // different) for step in range(different)]


def _mean_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute ranks from 1, the highest score first; equals share their mean rank."""
    above = (scores[:, None] < scores).sum(axis=1)
    equal = (scores[:, None] == scores).sum(axis=1)
    ranks: NDArray[np.float64] = above + (equal + 1) / 2
    return ranks
