"""List-wise GRPO from the default's order: the reward is the gain over the default.

The agent reads the default's first candidates in its order, each with its share of the chances, and
keeps the order or names one to put first (`memory/first_place.py`, the prompt that serves). Its
whole answer is one of six, so the group of a request is the whole set of answers instead of a draw
of eight. The advantage of each is its gain less the mean under the policy, and the gradient

    loss = - sum_a p(a) gain(a),   d loss = - sum_a p(a) (gain(a) - mean) d log p(a)

is that of list-wise GRPO over infinitely many draws: nothing is sampled, and no answer is invalid.
p is the probability among the answers, which the role reads when it serves. As in the paper, groups
without better and worse answers have no gradient, and are left out: here the requests whose choice
is not among the shown. `only_gains` leaves out as well those without any success, in which the
default is right and every change loses.

Two things depart from the paper. The entropy of the answers is weighed beside the gain,

    loss = - sum_a p(a) gain(a) - entropy x H(p)

whose best policy is p(a) = exp(expected gain(a) / entropy) / z; without it the agent is soon sure
to keep everything, whatever it read. And p is taken at a `temperature` above 1 while it learns:
a bare model gives "keep" next to no probability, and what is never answered is never learnt.

Requests are drawn by how much the kinds of evidence disagree about the first place, if `curriculum`
(`examples/next_choices.py`). Every fourth user is for validation: their requests choose the state
that is kept, and calibrate how sure a change must be (`change_verifier.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError
from localrec.foundation.progress import Progress
from localrec.memory.first_place import PLACES
from localrec.training.adapters.lora import adapted
from localrec.training.examples.example import Examples
from localrec.training.examples.next_choices import NextChoices, open_next_choices
from localrec.training.examples.reranker import RankedList, question_of
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.run_start import continue_run
from localrec.training.jobs.training_runs import TrainingRun, open_run, runs_folder
from localrec.training.rl.change_verifier import ChangeVerifier, calibrated_verifier
from localrec.training.rl.rewards import Reward, answer_gains, has_signal
from localrec.training.sft import sft_run
from localrec.training.sft.sft_data import SupervisedConfig
from localrec.training.sft.sft_loss import Scoring, answer_scores, upper_scores
from localrec.training.sft.sft_run import SftRunContext, prepared_on
from localrec.training.sft.sft_trainer import SftOutcome, with_threads
from localrec.training.sft.tokenized_examples import TokenizedExample
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

if TYPE_CHECKING:
    import torch
    from peft import PeftModel

    from localrec.training.base_model.upper_layers import States

_READ_AT_ONCE = 8  # prompts
VERIFIER = "verifier.json"  # in a run's folder

Floats = NDArray[np.float64]
_Whole = Annotated[int, msgspec.Meta(ge=0)]


class FromDefaultConfig(
    SupervisedConfig, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="from-default"
):
    """Configure list-wise GRPO from the default's order.

    Args:
        domain: Domain of the requests; None: the workspace's only one.
        choices: Users' choices that requests are drawn from, at most; 0: all.
        requests_seed: Seed of the requests, which stay the same for other seeds of the training.
        curriculum: Whether requests about which the evidence disagrees are drawn more often.
        only_gains: Whether requests in which no change gains anything are left out.
        upper_layers: Upper layers that are trained, the others being computed once; 0: all.
        entropy: Weight of the entropy of the answers in nats, in units of NDCG.
        temperature: At which the answers are weighed while learning.
    """

    role: str = "reranker"
    train: int = 400
    validation: int = 200
    epochs: int = 2
    batch: int = 8
    learning_rate: float = 5e-4
    checks: int = 2
    domain: str | None = None
    choices: _Whole = 2000
    requests_seed: _Whole = 7
    curriculum: bool = True
    only_gains: bool = False
    upper_layers: _Whole = 0
    entropy: Annotated[float, msgspec.Meta(ge=0)] = 0.05
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 4.0


def prepared(
    workspace: Path,
    config: FromDefaultConfig,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
) -> SftRunContext:
    """Make the requests and load the base.

    Raises:
        UsageError: there is no such domain, or the machine is too small for this base.
        InputError: people did too little.
        ModelError: the base cannot be used.
    """
    with OpenWorkspace(workspace) as opened:
        domain = domain_of_question(opened, "", config.domain)
        choices = open_next_choices(
            opened,
            domain,
            config.requests_seed,
            progress,
            most=config.choices,
            curriculum=config.curriculum,
        )
    if choices is None:
        raise InputError(
            "Too few people chose anything to learn from.",
            "Import what people did: localrec import",
        )
    return prepared_on(requests_of(choices, config), config, progress, distributed)


def resumed(
    workspace: Path, name: str, progress: Progress, distributed: DistributedContext = SINGLE_PROCESS
) -> tuple[TrainingRun, SftRunContext]:
    """Open an earlier run with everything that its training needs.

    Raises:
        InputError: there is none, or its requests would be others now.
    """
    config = open_run(runs_folder(workspace) / name).config(FromDefaultConfig)
    made = prepared(workspace, config, progress, distributed)
    return continue_run(workspace, name, made), made


def requests_of(choices: NextChoices, config: FromDefaultConfig) -> Examples:
    """Take the requests of both halves; those without signal are not learnt from."""
    learnt = (one for one in choices.examples("train") if _counts(one, config))
    return Examples(
        role=config.role,
        train=tuple(map(question_of, islice(learnt, config.train))),
        validation=tuple(
            map(question_of, islice(choices.examples("validation"), config.validation))
        ),
    )


def train(
    run: TrainingRun, made: SftRunContext, progress: Progress, states: States | None = None
) -> tuple[SftOutcome, ChangeVerifier]:
    """Train to the end, and calibrate the verifier; both are kept in the run's folder.

    Args:
        run: Run of this training.
        made: Everything that the training needs.
        progress: Called with each step and its progress.
        states: States below the upper layers that are known; new ones are added.

    Raises:
        BusyError: another process trains here.
        CutShortError: Ctrl+C; the run can be gone on with.
    """
    config = made.config
    assert isinstance(config, FromDefaultConfig)  # as `prepared` made it
    known: States = {} if states is None else states

    def open_scoring(model: PeftModel) -> Scoring:
        return gain_scoring(model, config.upper_layers, known, config.entropy, config.temperature)

    trained = sft_run.train(run, made, progress, open_scoring)
    progress("calibrating the verifier", 0, 0)
    half = made.tokenized.validation
    with with_threads(config.threads), adapted(made.base, run.adapter) as model:
        probabilities = answer_probabilities(model, half, open_scoring(model))
    verifier = calibrated_verifier(probabilities, choices_of(half))
    if made.distributed.is_main:
        write_atomically(run.path / VERIFIER, msgspec.json.encode(verifier))
    return trained, verifier


def gain_scoring(
    model: PeftModel,
    upper_layers: int,
    states: States,
    entropy: float = 0.0,
    temperature: float = 1.0,
) -> Scoring:
    """Score answers by their expected gain and entropy, in all layers or in the upper ones."""
    from localrec.training.base_model.upper_layers import UpperLayers

    upper = UpperLayers(model, upper_layers, states) if upper_layers else None
    losses = partial(gain_losses, entropy=entropy, temperature=temperature)
    return Scoring(losses, upper)


def gain_losses(
    scores: torch.Tensor,
    examples: Sequence[TokenizedExample],
    entropy: float = 0.0,
    temperature: float = 1.0,
) -> tuple[torch.Tensor, int]:
    """Sum the expected gains with the weighted entropies, negated, and count the best answers.

    Args:
        scores: Logits behind each prompt, (b, vocabulary).
        examples: Choices among labels, each with one target.
        entropy: Weight of the entropy in nats, in units of NDCG.
        temperature: The logits are divided by.
    """
    losses, right = [], 0
    for row, one in zip(scores, examples, strict=True):
        gains = row.new_tensor(answer_gains(_choice(one), len(one.choices)))
        logits = row[list(one.choices)]
        chances = (logits / temperature).log_softmax(dim=0)
        losses.append(-(chances.exp() * (gains - entropy * chances)).sum())
        right += int(logits.argmax()) == _choice(one)
    return sum(losses), right


def answer_probabilities(
    model: PeftModel, examples: Sequence[TokenizedExample], scoring: Scoring
) -> Floats:
    """Compute the probabilities of the answers of examples, keeping in front, (b, s).

    Fewer than the most answers are filled up with 0.
    """
    import torch  # the model has brought it

    found = np.zeros((len(examples), len(PLACES)))
    model.eval()
    with torch.inference_mode():
        for begin in range(0, len(examples), _READ_AT_ONCE):
            piece = examples[begin : begin + _READ_AT_ONCE]
            for row, logits in enumerate(scored(piece, model, scoring), start=begin):
                choices = list(examples[row].choices)
                found[row, : len(choices)] = logits[choices].softmax(dim=0).cpu().numpy()
    return found


def scored(
    examples: Sequence[TokenizedExample], model: PeftModel, scoring: Scoring
) -> torch.Tensor:
    """Compute the logits behind prompts, in all layers or in the upper ones."""
    if scoring.upper is not None:
        return upper_scores(model, examples, scoring.upper)
    return answer_scores(model, examples)


def choices_of(examples: Sequence[TokenizedExample]) -> NDArray[np.intp]:
    """Return the place of the chosen candidate of each example, (b,)."""
    return np.array([_choice(one) for one in examples], dtype=np.intp)


def _choice(example: TokenizedExample) -> int:
    return example.choices.index(example.targets[0])


def _counts(ranked: RankedList, config: FromDefaultConfig) -> bool:
    """Whether a request has better and worse answers, and a success where that is asked for."""
    gains = answer_gains(ranked.choice, len(ranked.candidates))
    return has_signal([Reward(one) for one in gains]) if config.only_gains else len(set(gains)) > 1
