"""Configure supervised fine-tuning, and tokenise its examples."""

from __future__ import annotations

import msgspec

from localrec.foundation.errors import UsageError
from localrec.training.adapters.lora import AdapterConfig
from localrec.training.base_model.loading import Base
from localrec.training.examples.example import Examples
from localrec.training.jobs.device_presets import DevicePreset
from localrec.training.jobs.estimates import StepLoad
from localrec.training.jobs.training_runs import TrainingData, versions_now
from localrec.training.sft.tokenized_examples import TokenizedExample, tokenize_example


class SupervisedConfig(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="adapter"
):
    """Configure the training of a role's adapter.

    Args:
        role: The role, a key of `examples.roles.ROLES`; or several, joined by commas, which get
            equal parts of the examples.
        base: The model to train: a name of the catalogue, a GGUF, or a Hugging Face folder.
        serving: The GGUF that the adapter is exported for; "" for the base itself.
        train: Examples to learn from.
        validation: Examples to stop by.
        epochs: Most passes over them.
        batch: Sequences in one step of the optimiser.
        learning_rate: Highest learning rate; it falls to nothing at the end.
        warmup: Share of the steps in which the rate rises to that.
        checks: Validations in a pass; at each a checkpoint is written.
        patience: Validations without an improvement after which the training ends.
        adapter: Size of the adapter.
        seed: Seed of the examples, their order, dropout and the adapter's first weights.
        device: The device of torch, such as "cpu" or "cuda:1".
        threads: Threads of torch on a CPU; 0 leaves that to torch.

    Raises:
        UsageError: a number is out of range.
    """

    role: str
    base: str
    serving: str = ""
    train: int = 3200
    validation: int = 320
    epochs: int = 1
    batch: int = 16
    learning_rate: float = 1e-3
    warmup: float = 0.05
    checks: int = 8
    patience: int = 4
    adapter: AdapterConfig = AdapterConfig(rank=8, alpha=16.0)
    seed: int = 7
    device: str = "cpu"
    threads: int = 0

    def __post_init__(self) -> None:
        counts = (self.train, self.validation, self.epochs, self.batch, self.checks, self.patience)
        if min(counts) < 1 or self.learning_rate <= 0 or not 0 <= self.warmup < 1:
            raise UsageError(
                "An adapter needs at least one example, pass, sequence and check, and a learning "
                "rate above 0.",
                "Give larger numbers.",
            )


class TokenizedDataset(msgspec.Struct, frozen=True, kw_only=True):
    """Both halves as tokens.

    Args:
        train: Examples to learn from.
        validation: Examples to stop by.
    """

    train: tuple[TokenizedExample, ...]
    validation: tuple[TokenizedExample, ...]


def training_data(config: SupervisedConfig, base: Base, examples: Examples) -> TrainingData:
    """Describe the data, base and versions that a run is bound to."""
    return TrainingData(
        fingerprint=examples.fingerprint,
        counts={"train": len(examples.train), "validation": len(examples.validation)},
        base=base.name,
        base_fingerprint=base.fingerprint,
        seeds={"everything": config.seed},
        versions=versions_now(),
    )


def tokenize_dataset(base: Base, examples: Examples, preset: DevicePreset) -> TokenizedDataset:
    """Tokenise the examples.

    Raises:
        UsageError: one is longer than the machine can take.
        ModelError: the chat template refuses a prompt.
    """
    train, validation = (
        tuple(tokenize_example(base, one) for one in half)
        for half in (examples.train, examples.validation)
    )
    longest = max(len(one.tokens) for one in (*train, *validation))
    if longest > preset.max_tokens:
        raise UsageError(
            f"An example has {longest} tokens, and this machine takes {preset.max_tokens} "
            f"({preset.name}).",
            "Train on a smaller base, or on the CPU.",
        )
    return TokenizedDataset(train=train, validation=validation)


def load_of(config: SupervisedConfig, tokenized: TokenizedDataset) -> StepLoad:
    """Count the work of each step, for an estimate before the start."""
    train = tokenized.train
    return StepLoad(
        steps=config.epochs * -(-len(train) // config.batch),
        sequences=config.batch,
        tokens=-(-sum(len(one.tokens) for one in train) // len(train)),
        learnt=-(-sum(len(one.targets) for one in train) // len(train)),
        longest=max(len(one.tokens) for one in train),
    )
