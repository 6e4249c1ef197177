"""Measure the memory and time of an agent's training before it starts.

A step is mostly writing and learning. Both are tried on a few tokens; the length of a trajectory is
unknown before, so a few tool calls are assumed.
"""

from __future__ import annotations

import time
from pathlib import Path

from localrec.agent.formats import format_for
from localrec.agent.tools import TOOLS
from localrec.data.chat_message import Message
from localrec.training.adapters.lora import AdapterConfig, attach, detach
from localrec.training.base_model.loading import prompt_tokens
from localrec.training.jobs.estimates import (
    ResourceEstimate,
    StepLoad,
    TrainingSpeed,
    check_fits,
    estimate,
    shape_of,
)
from localrec.training.jobs.run_start import available_memory
from localrec.training.rl.init_from import init_adapter_config
from localrec.training.rl.policy_run import PolicyRunContext

_TRIED_TOKENS = 256  # of the step that the speed of learning is measured by
_TRIED_WORDS = 32  # tokens that the speed of writing is measured by
_ASKED = 3  # tools, in a trajectory of unknown length
_TURN = 60  # tokens of a thought with what is done upon it
_OBSERVED = 160  # tokens of what a tool says


def estimated(made: PolicyRunContext) -> ResourceEstimate:
    """Estimate the memory and time of a training by a short trial.

    Raises:
        UsageError: more memory than there is.
        ModelError: the model that writes cannot be used.
    """
    found = estimate(
        shape_of(made.base.source),
        _adapter(made),
        _load(made),
        made.batched,
        TrainingSpeed(learnt=_learnt_a_second(made), written=_written_a_second(made)),
        available_memory(made.config.device, made.distributed.size),
    )
    check_fits(found, made.preset)
    return found


def _load(made: PolicyRunContext) -> StepLoad:
    config = made.config
    asked = min(config.budget, _ASKED) if config.tools else 0
    written = _TURN * (1 + asked)
    behind = written + _OBSERVED * asked
    prompt = _initial_prompt_tokens(made)
    longest = made.preset.max_tokens
    alone = made.preset.gradient_checkpointing  # else a group's opening is computed once
    return StepLoad(
        steps=config.steps_over(len(made.episodes.train)),
        sequences=made.trajectories,
        tokens=min(longest, (prompt if alone else prompt // config.group_size) + behind),
        learnt=max(1, min(longest - prompt, behind)),
        longest=longest,
        written=written,
        servers=made.workers,
    )


def _initial_prompt_tokens(made: PolicyRunContext) -> int:
    """Count the tokens of a request before the model's first word."""
    config, request = made.config, made.episodes.train.request(0)
    prompt = format_for(made.open_model(None)).initial_prompt(
        request.tool_context,
        TOOLS if config.tools else (),
        budget=config.budget,
        k=request.k,
        history=config.episodes.history,
    )
    return len(prompt_tokens(made.base, prompt))


def _adapter(made: PolicyRunContext) -> AdapterConfig:
    start = made.config.start
    return init_adapter_config(Path(start)) if start else made.config.adapter


def _learnt_a_second(made: PolicyRunContext) -> float:
    """Measure the tokens per second of a training step, with an adapter beside the base."""
    import torch  # the base has brought it

    model = attach(made.base, _adapter(made))
    try:
        ids = torch.zeros((1, _TRIED_TOKENS), dtype=torch.long, device=model.device)
        for beginning in (32, _TRIED_TOKENS):  # the first warms up
            began = time.perf_counter()
            model(input_ids=ids[:, :beginning], labels=ids[:, :beginning]).loss.backward()
            seconds = time.perf_counter() - began
        return _TRIED_TOKENS / seconds
    finally:
        detach(model)


def _written_a_second(made: PolicyRunContext) -> float:
    """Measure the tokens per second that all processes write together."""
    with made.open_model(None) as model:
        model.count_tokens("")
        said = model.generate([Message("user", "Count to a hundred.")], max_tokens=_TRIED_WORDS)
    return made.workers * 1000 * max(1, said.usage.generated) / said.usage.model_ms
