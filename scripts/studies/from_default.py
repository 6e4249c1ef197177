"""Train the agent for gains over the default's order, and measure it beside the default.

Run:
    python scripts/studies/run.py from_default --workspace FOLDER

`train from-default` with several seeds, once without the curriculum, once without the requests in
which nothing can be gained, and the first seed refined on the pairs that it confuses. Each is
measured on the same choices of the newest tenth of all rows, among all items that their users have
not met: the agent alone, and with the verifier that its validation requests calibrated. The agent
is asked where the choice is among the default's first six; elsewhere nothing that it answers moves
the choice. Intervals are paired over users. The bare model is measured first. States below the
trained layers are computed once for all trainings, in bfloat16, and kept beside the runs; a stopped
training is gone on with.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import torch
from findings import Findings, add_workspace, say, show_step
from numpy.typing import NDArray

from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.leakage import check_split, check_store
from localrec.evaluation.statistics import compare
from localrec.graph.domain_files import load_domain
from localrec.training.adapters.lora import adapted, attach, detach
from localrec.training.base_model.upper_layers import States, UpperLayers
from localrec.training.examples.default_order import top_of_catalogue
from localrec.training.examples.example import Example
from localrec.training.examples.next_choices import (
    CANDIDATES,
    NextChoices,
    catalogue_choices,
    chosen_rows,
    learnt_before,
)
from localrec.training.examples.reranker import question_of
from localrec.training.jobs.run_start import begin_run, continue_run
from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.rl.answer_scoring import answer_probabilities, gain_scoring, scored
from localrec.training.rl.change_verifier import ChangeVerifier, gains_of
from localrec.training.rl.default_refinement import refinement_on
from localrec.training.rl.from_default import (
    VERIFIER,
    FromDefaultConfig,
    lists_to_learn,
    refine_config_from,
    requests_of,
    train,
)
from localrec.training.sft.sft_data import tokenize_dataset
from localrec.training.sft.sft_run import SftRunContext, prepared_on
from localrec.training.sft.tokenized_examples import TokenizedExample, tokenize_example
from localrec.workspace import OpenWorkspace

_DOMAIN = "movies"
_SEED = 7  # of requests and cases
_REFINED = "seed-1"  # the way that is refined


class Tested(msgspec.Struct, frozen=True):
    """Choices that are measured.

    Args:
        users: User of each choice, (b,).
        places: Place of each choice among all items that its user had not met, (b,).
        prompts: Prompts of the choices among the default's first six, in order.
        asked: Numbers of these choices.
    """

    users: NDArray[np.int32]
    places: NDArray[np.intp]
    prompts: tuple[Example, ...]
    asked: NDArray[np.intp]


class Measured(msgspec.Struct, frozen=True):
    """The same with tokens.

    Args:
        tested: The choices.
        examples: Their prompts as tokens.
    """

    tested: Tested
    examples: tuple[TokenizedExample, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--seeds", type=int, default=3, help="trainings with all else equal")
    parser.add_argument("--cases", type=int, default=0, help="choices that are measured; 0: all")
    parser.add_argument("--train", type=int, default=200, help="requests to learn from")
    parser.add_argument("--validation", type=int, default=200, help="to choose and calibrate by")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the requests")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="the highest")
    parser.add_argument("--refine-rate", type=float, default=5e-4, help="the same of a refinement")
    parser.add_argument(
        "--entropy", type=float, default=0.02, help="weight of the answers' entropy"
    )
    parser.add_argument("--upper-layers", type=int, default=4, help="layers that are trained")
    parser.add_argument("--base", default="smollm2-135m", help="the model")


def measure(asked: argparse.Namespace) -> Iterator[Findings]:
    """Train and measure each way; one line of the table for each."""
    usual = FromDefaultConfig(
        base=asked.base,
        train=asked.train,
        validation=asked.validation,
        upper_layers=asked.upper_layers,
        learning_rate=asked.learning_rate,
        epochs=asked.epochs,
        entropy=asked.entropy,
        checks=1,
        requests_seed=_SEED,
        threads=1,
    )
    ways = {f"seed-{seed}": _changed(usual, seed=seed) for seed in range(1, asked.seeds + 1)}
    ways["no-curriculum"] = _changed(usual, seed=1, curriculum=False)
    ways["only-gains"] = _changed(usual, seed=1, only_gains=True)
    torch.set_num_threads(1)
    with OpenWorkspace(asked.workspace) as opened:
        tested = test_choices(opened, asked.cases)
        lists = learnt_choices(opened, usual)
    first = prepared_way(lists[True], usual, None)
    made = {name: prepared_way(lists[way.curriculum], way, first) for name, way in ways.items()}
    test = Measured(tested, tuple(tokenize_example(first.base, one) for one in tested.prompts))
    states = known_states(asked.workspace / "from-default-states.pt", test, list(made.values()))
    yield Findings(
        text=f"default: NDCG@10 {at_10(tested.places).mean():.4f} on {len(tested.places)} choices "
        f"of {len(np.unique(tested.users))} users; {(tested.places < CANDIDATES).mean():.3f} among "
        f"its first {CANDIDATES}, {len(tested.asked)} among its first six"
    )
    yield Findings(text=bare_line(first, test, states))
    for name, one in made.items():
        yield Findings(text=trained_line(asked.workspace, name, one, test, states))
    refined = refined_way(asked, made[_REFINED], lists[True], states)
    yield Findings(text=trained_line(asked.workspace, "refined", refined, test, states))


def test_choices(opened: OpenWorkspace, count: int) -> Tested:
    """Choices of the newest tenth of all rows, drawn from all, or all of them."""
    domain = load_domain(_DOMAIN)
    keyed = read_interactions(opened.store, domain)
    protocol = EvaluationProtocol(split="by-time", seed=_SEED)
    parted = split_data(keyed.interactions, protocol)
    check_split(parted)
    check_store(opened.store, parted.test, keyed)
    drawn = np.random.default_rng(_SEED).permutation(len(parted.test))
    cases = parted.test.take(drawn[: count or len(drawn)])
    known = learnt_before(opened, domain, keyed, parted, cases, _SEED, show_step)
    top = top_of_catalogue(known.default, cases, CANDIDATES, show_step)
    choices = catalogue_choices(known, top)
    lists = {case: choices.ranked_list(case) for case in range(len(cases))}
    told = {case: question_of(one) for case, one in lists.items() if one is not None}
    asked = np.array(list(told), dtype=np.intp)
    return Tested(cases.user, top.places, tuple(told.values()), asked)


def learnt_choices(opened: OpenWorkspace, config: FromDefaultConfig) -> dict[bool, NextChoices]:
    """The choices that requests are drawn from, with the curriculum and without it."""
    known = chosen_rows(
        opened,
        _DOMAIN,
        lambda rows: EvaluationProtocol(split="by-time", seed=config.requests_seed),
        show_step,
        config.choices,
    )
    assert known is not None  # MovieLens has users
    top = top_of_catalogue(known.default, known.cases, CANDIDATES, show_step)
    return {way: catalogue_choices(known, top, curriculum=way) for way in (True, False)}


def prepared_way(
    lists: NextChoices, config: FromDefaultConfig, first: SftRunContext | None
) -> SftRunContext:
    """The training of one way, on requests that are known and on the base of the first."""
    examples = requests_of(lists, config)
    if first is None:
        return prepared_on(examples, config, show_step)
    return msgspec.structs.replace(
        first,
        config=config,
        examples=examples,
        tokenized=tokenize_dataset(first.base, examples, first.preset),
    )


def refined_way(
    asked: argparse.Namespace, made: SftRunContext, lists: NextChoices, states: States
) -> SftRunContext:
    """The refinement of a way that was trained, on the pairs that it confuses."""
    assert isinstance(made.config, FromDefaultConfig)
    name = f"from-default-{_REFINED}"
    changes = {"learning_rate": asked.refine_rate}
    config = refine_config_from(asked.workspace, name, changes)
    same = msgspec.structs.replace(made, config=config)
    before = open_run(runs_folder(asked.workspace) / name)
    known = lists_to_learn(lists, made.config)
    refined = refinement_on(same, known, before, show_step, states=states)
    say(f"{len(refined.pairs)} confused pairs in {len(known)} requests")
    return refined


def known_states(file: Path, test: Measured, made: list[SftRunContext]) -> States:
    """The states below the trained layers of all prompts, computed where they are not kept."""
    states: States = torch.load(file) if file.exists() else {}
    prompts = [one.tokens for one in test.examples]
    for way in made:
        prompts += [one.tokens for one in (*way.tokenized.validation, *way.tokenized.train)]
    model = attach(made[0].base, made[0].config.adapter)
    try:
        upper = UpperLayers(model, _upper_layers(made[0]), states)
        unique = list(dict.fromkeys(prompts))
        for begin in range(0, len(unique), 8):
            show_step("reading prompts", begin, len(unique))
            with torch.autocast("cpu", torch.bfloat16):
                upper.read(unique[begin : begin + 8])
            if begin % 400 == 392:
                torch.save(states, file)
    finally:
        detach(model)
    torch.save(states, file)
    return states


def bare_line(made: SftRunContext, test: Measured, states: States) -> str:
    """How the model answers before it was trained."""
    model = attach(made.base, made.config.adapter)
    try:
        scoring = gain_scoring(model, _upper_layers(made), states)
        probabilities = answer_probabilities(model, test.examples, scoring)
        with torch.inference_mode():
            logits = [scored([one], model, scoring)[0] for one in test.examples[:50]]
    finally:
        detach(model)
    labels = list(test.examples[0].choices)
    valid = np.mean([float(one.softmax(dim=0)[labels].sum()) for one in logits])
    best = np.mean([int(one.argmax()) in labels for one in logits])
    return (
        f"bare: {valid:.3f} of its probability is on the answers, its likeliest word is one in "
        f"{best:.2f}; {_told(probabilities, test, None)}"
    )


def trained_line(
    workspace: Path, name: str, made: SftRunContext, test: Measured, states: States
) -> str:
    """Train one way, and measure it; a run that is finished is measured alone."""
    folder = runs_folder(workspace) / f"from-default-{name}"
    begun = (folder / "config.json").exists()
    run = (continue_run if begun else begin_run)(workspace, folder.name, made)
    if run.state.status != "finished":
        say(f"training {name}")
        train(run, made, show_step, states)
    verifier = msgspec.json.decode((run.path / VERIFIER).read_bytes(), type=ChangeVerifier)
    with adapted(made.base, run.adapter) as model:
        scoring = gain_scoring(model, _upper_layers(made), states)
        probabilities = answer_probabilities(model, test.examples, scoring)
    steps = run.state.step
    return (
        f"{name} ({steps} steps): {_told(probabilities, test, verifier)}; {verifier.as_sentence()}"
    )


def _told(
    probabilities: NDArray[np.float64], test: Measured, verifier: ChangeVerifier | None
) -> str:
    """NDCG alone and verified, with paired intervals over the users, and coverage."""
    asked = test.tested.asked
    before = at_10(test.tested.places)
    gains = partial(gains_of, choices=test.tested.places[asked], shown=probabilities.shape[1])
    ways = {"alone": probabilities.argmax(axis=1)}
    if verifier is not None:
        ways["verified"] = verifier.verified(probabilities)
    told = []
    for name, places in ways.items():
        after = before.copy()
        after[asked] += gains(places)
        gap = compare(*(by_user(ndcg, test.tested.users) for ndcg in (after, before))).difference
        told.append(
            f"{name} NDCG@10 {after.mean():.4f} ({gap.value:+.4f} [{gap.low:+.4f}, {gap.high:+.4f}]"
            f"), {gains(places).mean():+.4f} where it is asked, changes {(places > 0).mean():.1%} "
            "of these lists"
        )
    return "; ".join(told)


def by_user(ndcg: NDArray[np.float64], users: NDArray[np.int32]) -> list[tuple[float, float]]:
    """Sum of NDCG and number of choices of each user."""
    sums, counts = np.bincount(users, ndcg), np.bincount(users)
    return [(float(sums[user]), float(counts[user])) for user in np.flatnonzero(counts).tolist()]


def at_10(places: NDArray[np.intp]) -> NDArray[np.float64]:
    """NDCG@10 of choices at some places, from 0, (b,)."""
    return np.where(places < 10, 1.0 / np.log2(places + 2.0), 0.0)


def _upper_layers(made: SftRunContext) -> int:
    assert isinstance(made.config, FromDefaultConfig)
    return made.config.upper_layers


def _changed(config: FromDefaultConfig, **changes: object) -> FromDefaultConfig:
    return msgspec.structs.replace(config, **changes)
