"""`Workspace.train`: networks that learn from what users did, adapters, and the agent's policy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.api.call_group import CallGroup
from localrec.data.records import Record
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.training.adapters.run_export import AdapterModelCard
    from localrec.training.jobs.training_runs import StepRecord, TrainingRun, TrainingState
    from localrec.training.reader.role_training import RoleReport
    from localrec.training.rl.change_verifier import ChangeVerifier
    from localrec.training.rl.policy_config import PolicyConfig
    from localrec.training.sequential.sasrec_training import SequentialReport
    from localrec.training.sft.sft_trainer import SftOutcome


class TrainedPolicy(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A run that trained an agent.

    Args:
        run: Its name.
        state: State of the run.
        last: Its last step, with what was measured there.
    """

    run: str
    state: TrainingState
    last: StepRecord


class TrainedFromDefault(msgspec.Struct, Record, frozen=True):
    """What a training from the default's order came to.

    Args:
        trained: The training; its losses are gain and entropy of the answers, negated.
        verifier: How sure a change must be to count.
    """

    trained: SftOutcome
    verifier: ChangeVerifier


class TrainCalls(CallGroup):
    """Train what other calls ask; needs the extra `training`, and takes minutes to hours.

    Example:
        `workspace.train.sequential(domain="movies", epochs=5).ndcg_at_10`
    """

    def sequential(
        self,
        *,
        domain: str | None = None,
        epochs: int | None = None,
        seed: int = 0,
        progress: Progress = no_progress,
    ) -> SequentialReport:
        """Train SASRec, which predicts the next item, on all that users did with a domain's items.

        Args:
            domain: By default the one with most interactions.
            epochs: Passes over the data at most.
            seed: Seed of every random choice.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.ranking.baselines.neural.configs import SASRecConfig
        from localrec.training.sequential.sasrec_training import train_sequential

        config = SASRecConfig() if epochs is None else SASRecConfig(epochs=epochs)
        with self._session._warm.released():
            return train_sequential(self._folder, domain, config, seed, progress)

    def adapter(
        self,
        role: str,
        *,
        name: str,
        base: str | Path | None = None,
        progress: Progress = no_progress,
        **settings: Any,
    ) -> SftOutcome:
        """Train an adapter for a role; Ctrl+C keeps its steps and raises a `LocalrecError`.

        Args:
            role: "router", "slots", "reflector", "reranker", "agent", "writer" or
                "memory".
            name: Name of the run, which lies in the workspace.
            base: A model of the catalogue, a GGUF or a folder; by default the chat model.
            progress: Called with the step, how much of it is done, and of how much.
            settings: train, validation, epochs, batch, learning_rate, seed, device, threads.
        """
        from localrec.training.jobs.run_start import begin_run
        from localrec.training.sft import sft_run
        from localrec.training.sft.sft_data import SupervisedConfig

        config = SupervisedConfig(role=role, base=self._base(base), **settings)
        with self._session._warm.released():
            made = sft_run.prepared(self._folder, config, progress)
            return sft_run.train(begin_run(self._folder, name, made), made, progress)

    def export(self, run: str, out: str | Path) -> AdapterModelCard:
        """Write a trained adapter as GGUF for llama.cpp; nothing where the two sides differ.

        Args:
            run: The name of a finished training.
            out: The file.
        """
        from localrec.training.adapters.run_export import export_run
        from localrec.training.jobs.training_runs import open_run, runs_folder

        with self._session._warm.released():
            return export_run(open_run(runs_folder(self._folder) / run), Path(out).expanduser())

    def reader(
        self,
        carriers: Sequence[str | Path],
        out: str | Path,
        *,
        held_out: Sequence[str | Path] = (),
        init_from: str | Path | None = None,
        progress: Progress = no_progress,
        **settings: Any,
    ) -> RoleReport:
        """Train the network that tells what each name of a question is there for.

        Args:
            carriers: Files of questions with slots for names.
            out: The file to write.
            held_out: Files by other authors, to score by.
            init_from: A network to train further.
            progress: Called with the step, how much of it is done, and of how much.
            settings: questions, epochs, learning_rate, rank, seed.

        Raises:
            UsageError: `start`, the older name of `init_from`, is given beside it.
        """
        from localrec.training.reader.role_states import RoleConfig
        from localrec.training.reader.role_training import train_reader

        older = settings.pop("start", None)
        if older is not None and init_from is not None:
            raise UsageError(
                "start and init_from name the same network: start is the older name.",
                "Pass init_from alone.",
            )
        network = older if init_from is None else init_from
        return train_reader(
            [Path(one) for one in carriers],
            [Path(one) for one in held_out],
            Path(out),
            RoleConfig(**settings),
            progress,
            None if network is None else Path(network),
        )

    def grpo(
        self,
        *,
        name: str,
        base: str | Path | None = None,
        init_adapter: str | None = None,
        progress: Progress = no_progress,
        **settings: Any,
    ) -> TrainedPolicy:
        """Train the agent by list-wise GRPO: trajectories that ranked better than others win.

        Args:
            name: Name of the run.
            base: A model of the catalogue, a GGUF or a folder; by default the chat model.
            init_adapter: The adapter to begin with: a run's folder, a GGUF, or one that ships.
            progress: Called with the step, how much of it is done, and of how much.
            settings: Fields of `localrec.training.rl.policy_config.GrpoConfig`, such as steps,
                groups (requests in a step) and budget (most tool calls); for its requests also
                domain, candidates, most (requests to train on), validation and sequential.
        """
        from localrec.training.examples.episodes import EpisodesConfig
        from localrec.training.rl.init_from import init_adapter_path
        from localrec.training.rl.policy_config import GrpoConfig

        fields = EpisodesConfig.__struct_fields__
        requests = {field: settings[field] for field in fields if field in settings}
        others = {field: value for field, value in settings.items() if field not in requests}
        seed = {"seed": requests["seed"]} if "seed" in requests else {}
        config = GrpoConfig(
            base=self._base(base),
            start=str(init_adapter_path(init_adapter)) if init_adapter else "",
            episodes=EpisodesConfig(**requests),
            **others,
            **seed,
        )
        return self._policy(config, name, progress)

    def from_default(
        self,
        *,
        name: str,
        base: str | Path | None = None,
        refine: str | None = None,
        progress: Progress = no_progress,
        **settings: Any,
    ) -> TrainedFromDefault:
        """Train an agent to change the default's order where that gains.

        Args:
            name: Name of the run, which lies in the workspace.
            base: A model of the catalogue, a GGUF or a folder; by default the chat model.
            refine: A finished run of this training, to refine on the pairs that it confuses.
            progress: Called with the step, how much of it is done, and of how much.
            settings: train, validation, epochs, batch, learning_rate, domain, choices, curriculum,
                only_gains, entropy, temperature, upper_layers, seed, device, threads. A refinement
                takes epochs, batch, learning_rate, entropy, temperature, seed, device and threads;
                these are the run's where they are left out, and all others always are.
        """
        from localrec.training.jobs.run_start import begin_run
        from localrec.training.rl import from_default

        if refine is None:
            config = from_default.FromDefaultConfig(base=self._base(base), **settings)
        else:
            changes = settings if base is None else {"base": str(base), **settings}
            config = from_default.refine_config_from(self._folder, refine, changes)
        with self._session._warm.released():
            made = from_default.prepared(self._folder, config, progress)
            run = begin_run(self._folder, name, made)
            return TrainedFromDefault(*from_default.train(run, made, progress))

    def refine(
        self, run: str, *, name: str, progress: Progress = no_progress, **settings: Any
    ) -> TrainedPolicy:
        """Refine a trained agent on the pairs that it confuses itself, asked both ways.

        Args:
            run: A finished run of `grpo`, or an adapter that one was exported as.
            name: Name of the new run.
            progress: Called with the step, how much of it is done, and of how much.
            settings: searched (most rankings to search for such pairs), steps, epochs,
                learning_rate, workers, seed; all other fields are the run's.
        """
        from localrec.training.rl.policy_config import RefineConfig
        from localrec.training.rl.refine_from import refine_config_from

        before = msgspec.structs.asdict(refine_config_from(self._folder, run))
        config = RefineConfig(**{**before, "epochs": 1, **settings})
        return self._policy(config, name, progress)

    def resume(self, run: str, *, progress: Progress = no_progress) -> SftOutcome | TrainedPolicy:
        """Go on with a training behind its last checkpoint, as if it had never been stopped.

        Args:
            run: The name of a run that was stopped.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.training.jobs.run_start import continue_run
        from localrec.training.jobs.training_runs import open_stopped_run
        from localrec.training.rl import from_default, policy_run
        from localrec.training.rl.policy_config import policy_config_of
        from localrec.training.sft import sft_run

        with self._session._warm.released():
            stopped = open_stopped_run(self._folder, run)
            if stopped.kind == "adapter":
                again, tokenized = sft_run.resumed(self._folder, run, progress)
                return sft_run.train(again, tokenized, progress)
            if stopped.kind == "from-default":
                again, tokenized = from_default.resumed(self._folder, run, progress)
                return from_default.train(again, tokenized, progress)[0]
            made = policy_run.prepared(self._folder, policy_config_of(stopped), progress)
            again = continue_run(self._folder, run, made)
            policy_run.train(again, made, progress)
            return _outcome(again)

    def _policy(self, config: PolicyConfig, name: str, progress: Progress) -> TrainedPolicy:
        from localrec.training.jobs.run_start import begin_run
        from localrec.training.rl import policy_run

        with self._session._warm.released():
            made = policy_run.prepared(self._folder, config, progress)
            run = begin_run(self._folder, name, made)
            policy_run.train(run, made, progress)
            return _outcome(run)

    def _base(self, base: str | Path | None) -> str:
        from localrec.foundation.settings import load_settings

        return str(base) if base else load_settings(self._folder).chat_model


def _outcome(run: TrainingRun) -> TrainedPolicy:
    return TrainedPolicy(run=run.name, state=run.state, last=run.records()[-1])
