"""Tune baselines: the same number of trials for each, and a log of all trials.

A comparison is fair only when all baselines are tuned on the validation split with one budget. A
space declares the settings; a small one is searched as a grid, a larger one at random (Bergstra and
Bengio 2012). The first trial always has the defaults, so tuning never ends below them. The caller
gives the objective, a function of a fitted baseline.

The harness, and not this module, fits the best settings again and looks at the test split.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Literal

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress
from localrec.ranking.recommender import Recommender, SettingValue

Settings = Mapping[str, SettingValue]

_REDRAWN = 100  # draws in a row that bring nothing new before a space counts as exhausted
_DIGITS = 3  # significant ones of a drawn number: what a report can print


class ChoiceSpace(msgspec.Struct, frozen=True, tag="choice"):
    """A set of values."""

    values: tuple[SettingValue, ...]

    def draw(self, generator: np.random.Generator) -> SettingValue:
        """Draw a value; all are equally likely."""
        return self.values[int(generator.integers(len(self.values)))]


class NumericSpace(msgspec.Struct, frozen=True, tag="range"):
    """A number between two bounds, both included.

    Example:
        `NumericSpace(10, 1000, whole=True).draw(np.random.default_rng(7))` is 178.

    Args:
        low: The least; above 0 on a logarithmic scale.
        high: The most.
        scale: Whether equal differences or equal ratios are equally likely.
        whole: Whether it is an int.
    """

    low: float
    high: float
    scale: Literal["linear", "log"] = "log"
    whole: bool = False

    def draw(self, generator: np.random.Generator) -> SettingValue:
        """Draw a number with three significant digits."""
        if self.scale == "log":
            value = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = generator.uniform(self.low, self.high)
        rounded = float(f"{value:.{_DIGITS}g}")
        kept = min(max(rounded, self.low), self.high)
        return round(kept) if self.whole else kept


SearchSpace = Mapping[str, ChoiceSpace | NumericSpace]


class TuningTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One trial.

    Args:
        number: From 1, in the order tried.
        settings: All of the baseline's, those that did not vary too.
        score: Score on the validation split, higher is better.
        fit_s: Seconds to fit.
        scoring_s: Seconds to score and measure.
    """

    number: int
    settings: dict[str, SettingValue]
    score: float
    fit_s: float
    scoring_s: float = msgspec.field(name="judge_s")


class TuningResult(msgspec.Struct, frozen=True, kw_only=True):
    """The record of all trials, for the report.

    Args:
        baseline: Its name.
        budget: Trials allowed; a small space may need fewer.
        seed: Seed of the draws and of every fit.
        space: The settings that could vary.
        trials: All of them, in order.
    """

    baseline: str
    budget: int
    seed: int
    space: dict[str, ChoiceSpace | NumericSpace]
    trials: tuple[TuningTrial, ...]

    @property
    def best(self) -> TuningTrial:
        """Return the trial with the highest score; among equals the earliest."""
        return max(self.trials, key=lambda trial: (trial.score, -trial.number))


def tune(
    make: Callable[[Settings], Recommender],
    space: SearchSpace,
    train: Interactions,
    measure: Callable[[Recommender], float],
    *,
    budget: int,
    seed: int,
    progress: Progress,
) -> TuningResult:
    """Try settings one after the other.

    Args:
        make: Makes a new baseline from some settings, with defaults for the rest.
        space: The settings that may vary; an empty one gets one trial.
        train: The rows that each is fitted on, without those that `measure` scores with.
        measure: Scores a fitted baseline on the validation split, higher is better.
        budget: Trials at most, the defaults among them.
        seed: Seed of the draws and of every fit.
        progress: Called for each trial.

    Raises:
        UsageError: a budget below one, or a score that is no number.
    """
    if budget < 1:
        raise UsageError(f"A search needs a budget of at least 1 trial, not {budget}.")
    seen: list[dict[str, SettingValue]] = []
    trials: list[TuningTrial] = []
    name = make({}).name
    for drawn in _proposals(space, budget, np.random.default_rng(seed)):
        baseline = make(drawn)
        if baseline.settings in seen:  # the defaults, met again
            continue
        progress(f"tuning {name}", len(trials), budget)
        seen.append(baseline.settings)
        trials.append(_try(baseline, len(trials) + 1, train, measure, seed))
        if len(trials) == budget:
            break
    progress(f"tuning {name}", len(trials), len(trials))
    return TuningResult(
        baseline=name, budget=budget, seed=seed, space=dict(space), trials=tuple(trials)
    )


def _try(
    baseline: Recommender,
    number: int,
    train: Interactions,
    measure: Callable[[Recommender], float],
    seed: int,
) -> TuningTrial:
    started = time.perf_counter()
    baseline.fit(train, seed, no_progress)  # the trials tell how far the search is
    fitted = time.perf_counter()
    score = float(measure(baseline))
    if math.isnan(score):
        raise UsageError(
            f"The validation score of {baseline.name} with {baseline.settings} is no number.",
            "Check that the validation split has cases.",
        )
    return TuningTrial(
        number=number,
        settings=dict(baseline.settings),
        score=score,
        fit_s=fitted - started,
        scoring_s=time.perf_counter() - fitted,
    )


def _proposals(
    space: SearchSpace, budget: int, generator: np.random.Generator
) -> Iterator[dict[str, SettingValue]]:
    """Yield the defaults, then every point of a small space, or different random draws."""
    yield {}
    grid = list(islice(_grid(space), budget + 1))
    if 0 < len(grid) <= budget:
        yield from grid
        return
    drawn: list[dict[str, SettingValue]] = []
    idle = 0
    while space and idle < _REDRAWN:
        proposal = {name: values.draw(generator) for name, values in space.items()}
        idle = idle + 1 if proposal in drawn else 0
        if not idle:
            drawn.append(proposal)
            yield proposal


def _grid(space: SearchSpace) -> Iterator[dict[str, SettingValue]]:
    """List every point where all settings are choices; else [], since a range has too many."""
    choices = [values.values for values in space.values() if isinstance(values, ChoiceSpace)]
    if space and len(choices) == len(space):
        for point in product(*choices):
            yield dict(zip(space, point, strict=True))
