"""What the kinds of evidence could still gain over the default's first six.

Run:
    python scripts/studies/run.py evidence_ceiling --workspace FOLDER

Choices that no protocol holds out, as adapters for reranking learn from them. A softmax over the
default's score and what is told of each candidate learns from three quarters of the users which of
the six was chosen; on the other users its likeliest candidate is put first. What it is told is the
first and second votes of the three kinds, or all signals. Also told: how often the default's first
is right by how many of the kinds disagree. The six are the default's first of 20 drawn candidates,
or of all items that the user has not met (--catalogue).
"""

from __future__ import annotations

import argparse

import msgspec
import numpy as np
import torch
from findings import Findings, add_workspace, show_step
from numpy.typing import NDArray

from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol
from localrec.memory.first_place import PLACES
from localrec.ranking.learned.features import standardized
from localrec.ranking.learned.ranker import FusedRanker
from localrec.training.examples.default_order import (
    VOTERS,
    case_histories,
    default_scores,
    top_of_catalogue,
)
from localrec.training.examples.example import half_of
from localrec.training.examples.next_choices import CANDIDATES, choice_protocol, chosen_rows
from localrec.training.rl.change_verifier import gains_of
from localrec.workspace import OpenWorkspace

Floats = NDArray[np.float32]
_SHOWN = len(PLACES)
_SEED = 7
_AT_ONCE = 256  # cases whose signals are held at once
_STEPS = 300


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """The default's first candidates of choices.

    Args:
        user: User of each choice, (b,).
        choices: Place of the choice in the default's order, (b,).
        default: The default's scores of the shown, (b, s).
        signals: Signal -> its deviations for the shown, (b, s).
    """

    user: NDArray[np.intp]
    choices: NDArray[np.intp]
    default: Floats
    signals: dict[str, Floats]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--choices", type=int, default=0, help="choices to look at; 0: all")
    parser.add_argument("--catalogue", action="store_true", help="rank all items, not 20 drawn")


def measure(asked: argparse.Namespace) -> Findings:
    """Learn from three quarters of the users, and count the gain on the others."""
    shown = shown_choices(asked)
    votes = np.stack([shown.signals[name].argmax(axis=1) for name in VOTERS], axis=1)
    among = shown.choices < _SHOWN
    disagreeing = (votes != 0).sum(axis=1)
    top = (shown.choices < CANDIDATES).mean()
    lines = [
        f"{len(among)} choices, {among.mean():.3f} of them among the default's first {_SHOWN}, "
        f"{top:.3f} among its first {CANDIDATES}"
    ]
    for many in range(len(VOTERS) + 1):
        rows = among & (disagreeing == many)
        right = (shown.choices[rows] == 0).mean()
        lines.append(f"{many} kinds disagree: {rows.sum()} choices, first right {right:.3f}")
    places = {
        name: np.argsort(np.argsort(-one, axis=1, kind="stable"), axis=1)
        for name, one in shown.signals.items()
    }
    voted = np.stack([places[name] == nth for name in VOTERS for nth in (0, 1)], axis=-1)
    lines.append(gain_line("votes of three kinds", shown, voted.astype(np.float32)))
    whole = np.stack(list(shown.signals.values()), axis=-1)
    lines.append(gain_line(f"all {whole.shape[-1]} signals", shown, whole))
    return Findings(text="\n".join(lines))


def shown_choices(asked: argparse.Namespace) -> Shown:
    """The default's first candidates of the choices that adapters learn from."""
    with OpenWorkspace(asked.workspace) as opened:
        known = chosen_rows(
            opened,
            "movies",
            (lambda rows: EvaluationProtocol(split="by-time", seed=_SEED))
            if asked.catalogue
            else (lambda rows: choice_protocol(rows, _SEED)),
            show_step,
            asked.choices,
        )
    assert known is not None  # MovieLens has users
    if asked.catalogue:
        top = top_of_catalogue(known.default, known.cases, CANDIDATES, show_step)
        items, scores, places = top.items, top.scores, top.places
    else:
        items, scores, places = drawn_in_order(known.default, known.cases)
    return Shown(
        user=known.cases.user,
        choices=places,
        default=scores[:, :_SHOWN].astype(np.float32),
        signals=shown_signals(known.default, known.cases, items[:, :_SHOWN]),
    )


def drawn_in_order(
    ranker: FusedRanker, cases: Cases
) -> tuple[NDArray[np.int32], Floats, NDArray[np.intp]]:
    """Drawn candidates in the default's order, their scores, and the place of each choice."""
    assert cases.candidates is not None  # the protocol draws them
    scores = default_scores(ranker, cases)
    order = np.argsort(-scores, axis=1, kind="stable")
    items = np.take_along_axis(cases.candidates, order, axis=1)
    chosen = np.array([int(one[0]) for one in cases.positives])
    places = (items == chosen[:, None]).argmax(axis=1)
    return items, np.take_along_axis(scores, order, axis=1), places


def shown_signals(ranker: FusedRanker, cases: Cases, items: NDArray[np.intp]) -> dict[str, Floats]:
    """All signals of shown items, (b, s) each."""
    parts: dict[str, list[Floats]] = {}
    for begin in range(0, len(cases), _AT_ONCE):
        show_step("reading signals", begin, len(cases))
        rows = np.arange(begin, min(begin + _AT_ONCE, len(cases)))
        for name, one in ranker.signals(case_histories(cases.take(rows))).items():
            part = np.take_along_axis(standardized(one), items[rows], axis=1)
            parts.setdefault(name, []).append(part)
    return {name: np.concatenate(one) for name, one in parts.items()}


def gain_line(name: str, shown: Shown, told: Floats) -> str:
    """Learn weights of what is told, (b, s, f), and word the gain on other users."""
    others = np.isin(shown.user, half_of(np.unique(shown.user).tolist(), "validation"))
    learnt = torch.tensor(~others & (shown.choices < _SHOWN))
    default, features = torch.tensor(shown.default), torch.tensor(told)
    chosen = torch.tensor(shown.choices)[learnt]
    weights = torch.zeros(told.shape[-1], requires_grad=True)
    scale = torch.ones((), requires_grad=True)
    optimiser = torch.optim.Adam([weights, scale], lr=3e-3, weight_decay=1e-4)
    for _ in range(_STEPS):
        scores = scale * default[learnt] + features[learnt] @ weights
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(scores, chosen).backward()
        optimiser.step()
    with torch.no_grad():
        first = (scale * default + features @ weights).argmax(dim=1).numpy()[others]
    gains = gains_of(first, shown.choices[others], _SHOWN)
    error = 1.96 * gains.std() / np.sqrt(len(gains))
    return (
        f"{name}: NDCG {gains.mean():+.4f} ± {error:.4f} on {len(gains)} choices of other users, "
        f"changes {(first > 0).mean():.1%} of the lists"
    )
