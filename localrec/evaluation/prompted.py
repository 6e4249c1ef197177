"""Systems under test that put each case to a chat model: titles in, a list out.

A case that the model answers with something else than was asked is an answer without items, and
costs what it cost. A model that cannot be started fails the system when it is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.baselines.base import Interactions, Progress, Setting
from localrec.errors import UsageError
from localrec.evaluation.asking import Reply
from localrec.evaluation.cases import Items, RatedRequests
from localrec.llm.base import ChatModel
from localrec.reasoning.zero_shot import (
    ZeroShotConfig,
    ask_label_prior,
    check_count,
    rank_zero_shot,
)

PROMPTED = ("zero-shot",)
MODEL = "model"  # the setting that names the model; the workspace's own where it is left out


class ZeroShot:
    """Ranks the candidates of a case by asking a model about their titles.

    Args:
        model: Opened by whoever closes it.
        titles: Of each evaluated item, (items,).
        noun: What the items are, in the plural.
        config: How the model is asked.
    """

    name = "zero-shot"

    def __init__(
        self, model: ChatModel, titles: Sequence[str], noun: str, config: ZeroShotConfig
    ) -> None:
        self._model = model
        self._titles = titles
        self._noun = noun
        self._config = config
        self.settings: dict[str, Setting] = {MODEL: model.name, **msgspec.structs.asdict(config)}
        self._priors: dict[int, NDArray[np.float64]] = {}

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Learn nothing: start the model, and keep the seed of the orders.

        Raises:
            ModelError: the model cannot be used.
        """
        self._seed = seed
        self._model.count_tokens("")

    def answer(self, requests: RatedRequests, candidates: Items | None, k: int) -> Sequence[Reply]:
        """All candidates of each request, best first.

        Raises:
            UsageError: there are no candidates, or too many.
            ModelError: the model failed.
        """
        check_pool(None if candidates is None else candidates.shape[1], self._config)
        assert candidates is not None
        return [
            self._ask(history.tolist(), line.tolist())
            for history, line in zip(requests.histories, candidates, strict=True)
        ]

    def _ask(self, history: Sequence[int], candidates: Sequence[int]) -> Reply:
        ranking = rank_zero_shot(
            self._model,
            [self._titles[item] for item in history],
            [self._titles[item] for item in candidates],
            self._config,
            _seed_of(self._seed, candidates),
            noun=self._noun,
            prior=self._prior(len(candidates)),
        )
        order = ranking.order
        return Reply(
            items=None if order is None else [candidates[place] for place in order],
            ms=ranking.ms,
            calls=ranking.calls,
            prompt_tokens=ranking.prompt_tokens,
            cached_tokens=ranking.cached_tokens,
            new_tokens=ranking.new_tokens,
        )

    def _prior(self, count: int) -> NDArray[np.float64] | None:
        """What the letters get by themselves; asked once, and no part of a case's cost."""
        if self._config.mode != "calibrated":
            return None
        if count not in self._priors:
            self._priors[count] = ask_label_prior(self._model, count, self._noun)
        return self._priors[count]


def prompted_config(name: str, settings: Mapping[str, Setting]) -> ZeroShotConfig:
    """The settings of a system without the model's name, read.

    Raises:
        UsageError: there is no such system or setting.
    """
    if name not in PROMPTED:
        raise UsageError(
            f'There is no system "{name}" that asks a model.', f"There are: {', '.join(PROMPTED)}."
        )
    asked = {setting: value for setting, value in settings.items() if setting != MODEL}
    try:
        return msgspec.convert(asked, ZeroShotConfig)
    except msgspec.ValidationError as error:
        known = ", ".join((MODEL, *ZeroShotConfig.__struct_fields__))
        raise UsageError(
            f"The settings of {name} do not fit: {error}.", f"It has these: {known}."
        ) from error


def check_pool(count: int | None, config: ZeroShotConfig) -> None:
    """See that a prompt can hold all that is to be ranked; None: all items.

    Raises:
        UsageError: it cannot.
    """
    if count is None:
        raise UsageError(
            "A model cannot rank all items in a prompt.",
            "Give the protocol candidates, such as: candidates = 20.",
        )
    check_count(count, config)


def _seed_of(seed: int, candidates: Sequence[int]) -> int:
    """The case's own: it is shown in the same orders whatever else is asked with it."""
    return int(np.random.SeedSequence([seed, *candidates]).generate_state(1)[0])
