"""Training through the API: the examples of a role, an adapter that learns them, its GGUF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.api.session import WorkspaceSession
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.api.exchange import TrainingExamples
    from localrec.training.adapters.run_export import AdapterModelCard
    from localrec.training.sft.sft_trainer import SftOutcome


class TrainingCalls(WorkspaceSession):
    """The calls that train models; they need the extra `training`."""

    def training_examples(
        self,
        role: str,
        *,
        train: int = 3200,
        validation: int = 320,
        seed: int = 7,
        progress: Progress = no_progress,
    ) -> TrainingExamples:
        """Make the examples that a role is taught with, from this workspace's graph.

        Args:
            role: "router", "slots", "reflector", "reranker", "agent", "writer" or
                "memory".
            train: The number of examples to learn from.
            validation: The number of examples to validate on, which are worded differently.
            seed: Seed of every random choice.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.api.exchange import TrainingExamples
        from localrec.training.examples.roles import ExampleConfig, examples_for

        wanted = ExampleConfig(train=train, validation=validation, seed=seed, supports_tools=False)
        with self._warm.released():
            found = examples_for(role, self.folder, wanted, progress)
        halves = (
            tuple({"prompt": _messages(one.messages), "completion": one.answer} for one in half)
            for half in (found.train, found.validation)
        )
        return TrainingExamples(role, *halves)

    def train_adapter(
        self,
        role: str,
        *,
        name: str,
        base: str | Path | None = None,
        progress: Progress = no_progress,
        **settings: Any,
    ) -> SftOutcome:
        """Train an adapter for a role: the older name of `train.adapter`."""
        from localrec.api.teaching import TrainCalls

        return TrainCalls(self).adapter(role, name=name, base=base, progress=progress, **settings)

    def export_adapter(self, run: str, out: str | Path) -> AdapterModelCard:
        """Write a trained adapter as GGUF: the older name of `train.export`."""
        from localrec.api.teaching import TrainCalls

        return TrainCalls(self).export(run, out)


def _messages(messages: tuple[Any, ...]) -> list[dict[str, str]]:
    return [{"role": one.role, "content": one.content} for one in messages]
