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

For each choice the default ranks all items that the user has not met; those that it puts among its
first six are requests (`examples/next_choices.py`). They are drawn by how much the kinds of
evidence disagree about the first place, if `curriculum`. Every fourth user is for validation: their
requests choose the state that is kept, and calibrate how sure a change must be
(`change_verifier.py`). A finished run can be refined on the pairs that it confuses
(`default_refinement.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.jsonl_log import read_records, write_records
from localrec.foundation.progress import Progress
from localrec.training.adapters.lora import adapted
from localrec.training.examples.example import Examples
from localrec.training.examples.next_choices import NextChoices, open_catalogue_choices
from localrec.training.examples.reranker import RankedList, question_of
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.run_start import continue_run
from localrec.training.jobs.training_runs import TrainingRun, open_run, runs_folder
from localrec.training.rl.answer_scoring import answer_probabilities, choices_of, gain_scoring
from localrec.training.rl.change_verifier import ChangeVerifier, calibrated_verifier
from localrec.training.rl.default_refinement import PAIRS, ConfusedPairsContext, refinement_on
from localrec.training.rl.preference_refinement import HardPair
from localrec.training.rl.rewards import Reward, answer_gains, has_signal
from localrec.training.sft import sft_run
from localrec.training.sft.sft_data import SupervisedConfig
from localrec.training.sft.sft_loss import Scoring
from localrec.training.sft.sft_run import SftRunContext, prepared_on
from localrec.training.sft.sft_trainer import SftOutcome, with_threads
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question

if TYPE_CHECKING:
    from peft import PeftModel

    from localrec.training.base_model.upper_layers import States

VERIFIER = "verifier.json"  # in a run's folder

# What a refinement may set anew; everything else is as in the run that is refined.
REFINEMENT_SETTINGS = frozenset(
    ("epochs", "batch", "learning_rate", "warmup", "checks", "patience", "entropy", "temperature")
) | {"seed", "device", "threads"}

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
        refine: Finished run of the workspace whose confused pairs are learnt, from its adapter; ""
            for requests and a fresh adapter.
    """

    role: str = "reranker"
    train: int = 400
    validation: int = 200
    epochs: int = 2
    batch: int = 8
    learning_rate: float = 5e-4
    checks: int = 2
    domain: str | None = None
    choices: _Whole = 20000
    requests_seed: _Whole = 7
    curriculum: bool = True
    only_gains: bool = False
    upper_layers: _Whole = 0
    entropy: Annotated[float, msgspec.Meta(ge=0)] = 0.05
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 4.0
    refine: str = ""


def refine_config_from(
    workspace: Path, named: str, changes: Mapping[str, Any]
) -> FromDefaultConfig:
    """Read the settings of a finished run, and configure a refinement of it.

    Args:
        workspace: Folder of the workspace with the run.
        named: Name of the run.
        changes: Settings that are set anew, of `REFINEMENT_SETTINGS`.

    Raises:
        UsageError: it is none of this training, not finished, or a refinement itself; or a setting
            is the run's.
        InputError: there is no such run, or its files are damaged.
    """
    run = open_run(runs_folder(workspace) / named)
    if run.kind != "from-default" or run.state.status != "finished":
        raise UsageError(
            f"{named} is no finished run of train from-default.",
            f"Finish it: localrec train resume {named}",
        )
    config = run.config(FromDefaultConfig)
    if config.refine:
        raise UsageError(
            f"{named} is a refinement of {config.refine} already.",
            f"Refine that one with other settings: --refine {config.refine}",
        )
    if fixed := sorted(changes.keys() - REFINEMENT_SETTINGS):
        raise UsageError(
            f"A refinement takes {', '.join(fixed)} from {named}.",
            f"Leave that out; these can be set: {', '.join(sorted(REFINEMENT_SETTINGS))}.",
        )
    return msgspec.structs.replace(config, refine=named, **changes)


def prepared(
    workspace: Path,
    config: FromDefaultConfig,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
    pairs: Sequence[HardPair] = (),
) -> SftRunContext:
    """Make the requests and load the base; of a refinement, find the pairs.

    Args:
        workspace: Folder of the workspace.
        config: Settings of the training.
        progress: Called with each step and its progress.
        distributed: Processes that train together.
        pairs: Pairs of a refinement that were found before; () searches for them.

    Raises:
        UsageError: there is no such domain, or the machine is too small for this base.
        InputError: people did too little, or the run that is refined learnt from other requests or
            confuses nothing.
        ModelError: the base cannot be used.
    """
    with OpenWorkspace(workspace) as opened:
        domain = domain_of_question(opened, "", config.domain)
        choices = open_catalogue_choices(
            opened,
            domain,
            config.requests_seed,
            progress,
            most=config.choices,
            curriculum=config.curriculum,
        )
    examples = None if choices is None else requests_of(choices, config)
    if choices is None or examples is None or not (examples.train and examples.validation):
        raise InputError(
            "Too few people chose what the default puts among its first, to learn from that.",
            "Import what people did: localrec import; or look at more: --choices 0",
        )
    made = prepared_on(examples, config, progress, distributed)
    if not config.refine:
        return made
    before = open_run(runs_folder(workspace) / config.refine)
    lists = lists_to_learn(choices, config)
    return refinement_on(made, lists, before, progress, pairs=pairs)


def resumed(
    workspace: Path, name: str, progress: Progress, distributed: DistributedContext = SINGLE_PROCESS
) -> tuple[TrainingRun, SftRunContext]:
    """Open an earlier run with everything that its training needs.

    Raises:
        InputError: there is none, or its requests or pairs would be others now.
    """
    run = open_run(runs_folder(workspace) / name)
    path = run.path / PAIRS
    pairs = read_records(path, HardPair) if path.exists() else ()
    made = prepared(workspace, run.config(FromDefaultConfig), progress, distributed, pairs)
    return continue_run(workspace, name, made), made


def requests_of(choices: NextChoices, config: FromDefaultConfig) -> Examples:
    """Take the requests of both halves."""
    return Examples(
        role=config.role,
        train=tuple(map(question_of, lists_to_learn(choices, config))),
        validation=tuple(
            map(question_of, islice(choices.examples("validation"), config.validation))
        ),
    )


def lists_to_learn(choices: NextChoices, config: FromDefaultConfig) -> list[RankedList]:
    """Take the lists that are learnt from, in their order; those without signal are left out."""
    learnt = (one for one in choices.examples("train") if _counts(one, config))
    return list(islice(learnt, config.train))


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
    config, start = made.config, None
    assert isinstance(config, FromDefaultConfig)  # as `prepared` made it
    if isinstance(made, ConfusedPairsContext):
        start = made.start
        if made.distributed.is_main:
            write_records(run.path / PAIRS, made.pairs)
    known: States = {} if states is None else states

    def open_scoring(model: PeftModel) -> Scoring:
        return gain_scoring(model, config.upper_layers, known, config.entropy, config.temperature)

    trained = sft_run.train(run, made, progress, open_scoring, start)
    progress("calibrating the verifier", 0, 0)
    half = made.tokenized.validation
    with with_threads(config.threads), adapted(made.base, run.adapter) as model:
        probabilities = answer_probabilities(model, half, open_scoring(model))
    verifier = calibrated_verifier(probabilities, choices_of(half))
    if made.distributed.is_main:
        write_atomically(run.path / VERIFIER, msgspec.json.encode(verifier))
    return trained, verifier


def _counts(ranked: RankedList, config: FromDefaultConfig) -> bool:
    """Whether a request has better and worse answers, and a success where that is asked for."""
    gains = answer_gains(ranked.choice, len(ranked.candidates))
    return has_signal([Reward(one) for one in gains]) if config.only_gains else len(set(gains)) > 1
