"""Train the agent for gains over the default's order, and measure it beside the default.

Run:
    python scripts/studies/run.py from_default --workspace FOLDER

`train from-default` with several seeds, once without the curriculum and once
without the requests in which nothing can be gained. Each is measured on the same choices of the
newest tenth of all rows, among 20 candidates: the agent alone, and with the verifier that its
validation requests calibrated. The bare model is measured first. States below the trained layers
are computed once for all trainings, in bfloat16, and kept beside the runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import torch
from findings import Findings, add_workspace, gap_text, say, show_step
from numpy.typing import NDArray

from localrec.evaluation.statistics import compare
from localrec.memory.first_place import PLACES, first_place_prompt, first_places
from localrec.memory.from_log import deduplicated_history
from localrec.memory.memrec import NO_FACETS
from localrec.memory.model_memrec import candidate_texts, user_context
from localrec.training.adapters.lora import adapted, attach, detach
from localrec.training.base_model.upper_layers import States, UpperLayers
from localrec.training.examples.example import Example
from localrec.training.examples.next_choices import NextChoices, open_next_choices
from localrec.training.jobs.run_start import begin_run
from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.rl.change_verifier import ChangeVerifier, gains_of
from localrec.training.rl.from_default import (
    FromDefaultConfig,
    answer_probabilities,
    gain_scoring,
    requests_of,
    scored,
    train,
)
from localrec.training.role_bench.user_cases import HeldOutUsers
from localrec.training.sft.sft_data import tokenize_dataset
from localrec.training.sft.sft_run import SftRunContext, prepared_on
from localrec.training.sft.tokenized_examples import TokenizedExample, tokenize_example
from localrec.workspace import OpenWorkspace

_DOMAIN = "movies"
_SEED = 7  # of requests and cases


class Measured(msgspec.Struct, frozen=True):
    """Choices that are measured.

    Args:
        examples: Prompts; the answers say nothing.
        choices: Place of each choice in the default's order of 20, (b,).
    """

    examples: tuple[TokenizedExample, ...]
    choices: NDArray[np.intp]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--seeds", type=int, default=3, help="trainings with all else equal")
    parser.add_argument("--cases", type=int, default=300, help="choices that are measured")
    parser.add_argument("--train", type=int, default=200, help="requests to learn from")
    parser.add_argument("--validation", type=int, default=200, help="to choose and calibrate by")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the requests")
    parser.add_argument("--learning-rate", type=float, default=5e-3, help="the highest")
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
        checks=1,
        choices=10 * asked.train,
        requests_seed=_SEED,
        threads=1,
    )
    ways = {f"seed-{seed}": _changed(usual, seed=seed) for seed in range(1, asked.seeds + 1)}
    ways["no-curriculum"] = _changed(usual, seed=1, curriculum=False)
    ways["only-gains"] = _changed(usual, seed=1, only_gains=True)
    with OpenWorkspace(asked.workspace) as opened:
        prompts, places = test_cases(opened, asked.cases)
        lists = {
            curriculum: open_next_choices(
                opened, _DOMAIN, _SEED, show_step, most=usual.choices, curriculum=curriculum
            )
            for curriculum in (True, False)
        }
    first = prepared_way(lists[True], usual, None)
    made = {name: prepared_way(lists[way.curriculum], way, first) for name, way in ways.items()}
    test = Measured(tuple(tokenize_example(first.base, one) for one in prompts), places)
    torch.set_num_threads(1)
    states = known_states(asked.workspace / "from-default-states.pt", test, list(made.values()))
    yield Findings(text=f"default: NDCG@10 {at_10(places).mean():.4f} on {len(places)} choices")
    yield Findings(text=bare_line(first, test, states))
    for name, one in made.items():
        say(f"training {name}")
        yield Findings(text=trained_line(asked.workspace, name, one, test, states))


def test_cases(opened: OpenWorkspace, count: int) -> tuple[list[Example], NDArray[np.intp]]:
    """The prompts of held-out choices, and the place of each choice in the default's order."""
    users = HeldOutUsers(opened, _DOMAIN, _SEED, show_step)
    cases = users.test(count)
    (scores,) = users.default_scores(cases)  # of candidates with the choice in front
    assert cases.candidates is not None
    prompts = []
    for row, default in enumerate(scores):
        chosen = int(cases.positives[row][0])
        others = [item for item in cases.candidates[row].tolist() if item != chosen]
        shown = first_places(default)
        told = [[chosen, *others][place] for place in shown.tolist()]
        messages = first_place_prompt(
            user_context(users.texts, deduplicated_history(cases.histories[row])[0], NO_FACETS),
            candidate_texts(users.texts, told, shared=False),
            default[shown],
            users.domain.singular,
        )
        prompts.append(Example(messages=messages, answer=PLACES[0], labels=PLACES))
    return prompts, (scores > scores[:, :1]).sum(axis=1)


def prepared_way(
    lists: NextChoices | None, config: FromDefaultConfig, first: SftRunContext | None
) -> SftRunContext:
    """The training of one way, on requests that are known and on the base of the first."""
    assert lists is not None
    examples = requests_of(lists, config)
    if first is None:
        return prepared_on(examples, config, show_step)
    return msgspec.structs.replace(
        first,
        config=config,
        examples=examples,
        tokenized=tokenize_dataset(first.base, examples, first.preset),
    )


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
            if begin % 80 == 72:
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
    if not folder.exists():
        train(begin_run(workspace, folder.name, made), made, show_step, states)
    run = open_run(folder)
    verifier = msgspec.json.decode((run.path / "verifier.json").read_bytes(), type=ChangeVerifier)
    with adapted(made.base, run.adapter) as model:
        scoring = gain_scoring(model, _upper_layers(made), states)
        probabilities = answer_probabilities(model, test.examples, scoring)
    return f"{name}: {_told(probabilities, test, verifier)}; {verifier.as_sentence()}"


def _told(
    probabilities: NDArray[np.float64], test: Measured, verifier: ChangeVerifier | None
) -> str:
    """NDCG alone and verified, with paired intervals over the choices, and coverage."""
    before = at_10(test.choices)
    gains = partial(gains_of, choices=test.choices, shown=probabilities.shape[1])
    ways = {"alone": probabilities.argmax(axis=1)}
    if verifier is not None:
        ways["verified"] = verifier.verified(probabilities)
    told = []
    for name, places in ways.items():
        after = before + gains(places)
        ours, theirs = ([(one, 1.0) for one in ndcg.tolist()] for ndcg in (after, before))
        gap = compare(ours, theirs).difference
        told.append(
            f"{name} NDCG@10 {after.mean():.4f} ({gap_text(gap)}), changes "
            f"{(places > 0).mean():.1%} of the lists"
        )
    return "; ".join(told)


def at_10(places: NDArray[np.intp]) -> NDArray[np.float64]:
    """NDCG@10 of choices at some places, from 0, (b,)."""
    return np.where(places < 10, 1.0 / np.log2(places + 2.0), 0.0)


def _upper_layers(made: SftRunContext) -> int:
    assert isinstance(made.config, FromDefaultConfig)
    return made.config.upper_layers


def _changed(config: FromDefaultConfig, **changes: object) -> FromDefaultConfig:
    return msgspec.structs.replace(config, **changes)
