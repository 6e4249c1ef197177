"""TRL's GRPO trainer over groups of rollouts that llama.cpp sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from trl import GRPOTrainer

from localrec.training.base_model.prefix_cache import completion_scores, have_same_prompt
from localrec.training.jobs.distributed import DistributedContext


class GroupTrainer(GRPOTrainer):
    """TRL's trainer, without tokens that have no effect or were computed before.

    All trajectories of a step come mixed and padded to the longest of them, and a micro-batch holds
    a few: groups are put together again, and what is padding for all of a micro-batch is cut off.
    One whose members are no better or worse than their groups has no gradient, and is not computed
    at all. Where a micro-batch is one group, its opening is computed once (`prefix_cache`).

    Args:
        distributed: The processes that train along; their gradients are averaged before each step.
        named: The arguments of TRL's trainer.
    """

    def __init__(self, *, distributed: DistributedContext, **named: Any) -> None:
        super().__init__(**named)
        self._distributed = distributed

    def training_step(self, *arguments: Any, **named: Any) -> torch.Tensor:
        """Run one micro-batch forward and backward."""
        loss = super().training_step(*arguments, **named)
        if self.accelerator.sync_gradients:
            network: torch.nn.Module = self.model  # type: ignore[assignment]  # it has one
            learnt = (one for one in network.parameters() if one.requires_grad)
            self._distributed.add_gradients(learnt, divided_by=self._distributed.size)
        return cast(torch.Tensor, loss)

    def _prepare_inputs(self, generation_batch: dict[str, Any]) -> dict[str, Any]:
        before = self._buffered_inputs
        inputs = super()._prepare_inputs(generation_batch)
        if self._buffered_inputs is before:
            return cast(dict[str, Any], inputs)
        self._buffered_inputs = _in_groups(self._buffered_inputs)
        return self._buffered_inputs[self._step % len(self._buffered_inputs)]

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        if not inputs["advantages"].any():
            return self._nothing(model)
        inputs = dict(inputs)
        moving = inputs["advantages"] != 0
        inputs["tool_mask"] = inputs["tool_mask"] * moving[:, None]
        _cut(inputs, "prompt_mask", ("prompt_ids",))
        _cut(inputs, "completion_mask", ("completion_ids", "tool_mask"))
        self._inputs = inputs
        return cast(torch.Tensor, super()._compute_loss(model, inputs))

    def _get_per_token_logps_and_entropies(self, model: Any, *args: Any, **named: Any) -> Any:
        """Compute the log-probabilities of a micro-batch, a whole group at once where possible.

        Checkpointed layers let no keys and values out, so there TRL's own way is taken.
        """
        prompts, mask = self._inputs["prompt_ids"], self._inputs["prompt_mask"]
        if self.args.gradient_checkpointing or not have_same_prompt(prompts, mask):
            return super()._get_per_token_logps_and_entropies(model, *args, **named)
        own = self._inputs["completion_mask"] * self._inputs["tool_mask"]
        network = self.accelerator.unwrap_model(model).get_base_model()
        with self.accelerator.autocast():
            scores = completion_scores(
                network, prompts[0], self._inputs["completion_ids"], own, self.temperature
            )
        return *scores, None

    def _nothing(self, model: Any) -> torch.Tensor:
        return cast(
            torch.Tensor, sum(0.0 * one.sum() for one in model.parameters() if one.requires_grad)
        )


def _in_groups(buffered: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort the micro-batches of a step so that equal prompts are neighbours."""
    prompts = torch.cat([one["prompt_ids"] for one in buffered])
    kinds = torch.unique(prompts, dim=0, return_inverse=True)[1]
    order = torch.argsort(kinds, stable=True).split(len(prompts) // len(buffered))

    def picked(name: str, places: torch.Tensor) -> Any:
        whole = [one[name] for one in buffered]
        if isinstance(whole[0], torch.Tensor) and whole[0].dim():
            return torch.cat(whole)[places]
        return whole[0]  # one figure for all of the step

    return [{name: picked(name, places) for name in buffered[0]} for places in order]


def _cut(inputs: dict[str, Any], mask: str, others: Sequence[str]) -> None:
    """Leave out the columns (b, t) that are padding in every row."""
    used = inputs[mask].any(dim=0)
    for name in (mask, *others):
        if name in inputs:
            inputs[name] = inputs[name][:, used]
