"""A run's configuration: data or questions, systems, seeds; read from TOML, unknown keys refused.

Ready ones ship in `datasets/evaluations/` and go by their name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from localrec.evaluation.ranking.cases import EvaluationProtocol
from localrec.foundation.errors import InputError
from localrec.foundation.paths import shipped
from localrec.ranking.recommender import SettingValue
from localrec.sources.dataset_catalog import find_dataset

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}\Z")]  # names files too
Positive = Annotated[int, msgspec.Meta(ge=1)]
Length = Annotated[int, msgspec.Meta(ge=1, le=10_000)]  # of a list; figures take memory for each
Half = Literal["dev", "test"]
Count = Annotated[int, msgspec.Meta(ge=0)]


class DataConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The interactions of the workspace that a run is measured on.

    Args:
        dataset: A data set of `localrec datasets list`, which was pulled into the workspace; only
            its own rows count.
        domain: Instead of a data set a domain, with all interactions of its users.
        source: Name of one kind of import: of a domain, only the interactions from it count.
    """

    dataset: str | None = None
    domain: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        if (self.dataset is None) == (self.domain is None):
            raise ValueError("data needs either a dataset or a domain")

    def where(self) -> tuple[str, str | None]:
        """Return the domain and the kind of import.

        Raises:
            InputError: there is no such data set.
        """
        if self.domain is not None:
            return self.domain, self.source
        known = find_dataset(self.dataset or "")
        return known.domain, self.source or known.kind


class SystemConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One system of a run.

    Args:
        name: Under which it is reported; also that of its file of cases.
        kind: A baseline, one of our own rankers (`localrec rank --system`), a composition of
            MemRec ("memory"), a model that is asked about each case (its setting `model` names
            another than the workspace's own), or one of AgenticRec ("agent", with the same
            setting, and `adapter` for an adapter beside it).
        entry: Its name in its catalogue; by default the name above.
        settings: Settings that differ from its defaults; a search leaves these alone.
        trials: Settings tried on the validation split before it is tested; 0: none.
        sample: It is asked only so many of the cases, drawn by the run's seed: a slow system among
            fast ones; 0: all. Two systems are compared over the cases of both.
    """

    name: Name
    kind: Literal["baseline", "ranker", "memory", "model", "agent"] = "baseline"
    entry: str = ""
    settings: dict[str, SettingValue] = {}
    trials: Count = 0
    sample: Count = 0

    @property
    def catalogued(self) -> str:
        """Its name in its catalogue."""
        return self.entry or self.name


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole run.

    Args:
        name: Name of the run and of its folder.
        title: A sentence for the report.
        data: Interactions that it is evaluated on.
        protocol: The split of the data and the candidates to rank.
        systems: Compared systems, in the order of the report.
        k: Lengths of list at which metrics are taken.
        seed: Seed of every fit and search.
        chunk: Cases scored and written at once.
        probe: Cases asked once more with decoys for targets, to catch a system that sees them;
            0: none. Where a model is asked, a tenth of its cases at most: each takes seconds.
        rationales: Cases, drawn by the seed, for whose first place each system with a memory, and
            each recommender of your own with an `explain`, says why it stands there, once all is
            measured; 0: none.
    """

    name: Name
    title: str = ""
    data: DataConfig
    protocol: EvaluationProtocol = EvaluationProtocol()
    systems: Annotated[tuple[SystemConfig, ...], msgspec.Meta(min_length=1)]
    k: Annotated[tuple[Length, ...], msgspec.Meta(min_length=1)] = (1, 5, 10)
    seed: Count = 7
    chunk: Positive = 256
    probe: Count = 200
    rationales: Count = 60

    @property
    def lengths(self) -> tuple[int, ...]:
        """Return `k` in order, and 1 in any case: a cheat shows there."""
        return tuple(sorted({1, *self.k}))

    def __post_init__(self) -> None:
        _check(self.title, self.systems)


class QuestionsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The gold questions that are asked.

    Args:
        gold: The name of a file that ships, such as "cocktails", or the path of another.
        half: One of the two halves of the file; the test half shows only counts.
        domain: Domain of the questions; by default the one that the file is named after.
    """

    gold: str
    half: Half
    domain: str = ""

    @property
    def about(self) -> str:
        """The domain that is asked about."""
        return self.domain or Path(self.gold).stem

    @property
    def path(self) -> Path:
        """The gold file."""
        named = shipped("datasets") / self.gold / "questions.jsonl"
        return named if named.is_file() else Path(self.gold)


class QuestionSystemSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that a system is asked with.

    Args:
        no_model: Whether rules play every role in place of a model (`ask --no-model`).
    """

    no_model: bool = False


class QuestionSystemConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One system of a question run.

    Args:
        name: Under which it is reported; also that of its files of answers and cases.
        kind: Always "asker".
        entry: Its name for `localrec ask --system`; by default the name above.
        settings: The settings that it is asked with.
        sample: It is asked only so many of the questions, drawn by the run's seed; 0: all.
    """

    name: Name
    kind: Literal["asker"] = "asker"
    entry: str = ""
    settings: QuestionSystemSettings = QuestionSystemSettings()
    sample: Count = 0

    @property
    def catalogued(self) -> str:
        """Its name in the catalogue of systems."""
        return self.entry or self.name


class QuestionRunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run over gold questions.

    Args:
        name: Name of the run and of its folder.
        title: A sentence for the report.
        questions: Gold questions that are asked.
        systems: Compared systems, in the order of the report.
        k: Items of an answer; its first three are held against the gold.
        seed: Seed of the samples.
    """

    name: Name
    title: str = ""
    questions: QuestionsConfig
    systems: Annotated[tuple[QuestionSystemConfig, ...], msgspec.Meta(min_length=1)]
    k: Length = 3
    seed: Count = 7

    def __post_init__(self) -> None:
        _check(self.title, self.systems)


AnyRunConfig = RunConfig | QuestionRunConfig

_LARGEST = 1 << 20  # bytes of a file; what is written by hand is a thousandth of that


def _check(title: str, systems: Sequence[SystemConfig | QuestionSystemConfig]) -> None:
    if not title.isprintable():  # terminals show it, that of somebody else's run as well
        raise ValueError("the title holds letters that cannot be shown")
    names = [system.name for system in systems]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two systems are named {twice[0]}")


def load_config(named: str) -> tuple[AnyRunConfig, bytes]:
    """Load a configuration by its path or by the name of a ready one, with the file's own text.

    A table `questions` makes it a question run; any other ranks.

    Raises:
        InputError: no such file, or a field that is unknown or wrong.
    """
    path = Path(named)
    try:
        if not path.is_file() and named in (ready := ready_configs()):
            path = ready[named]
        with path.open("rb") as file:
            text = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{named} cannot be read: {getattr(error, 'strerror', error)}.",
            f"Name a file, a folder of data, or one of: {', '.join(ready_configs())}.",
        ) from error
    return parse_config(text, path), text


def parse_config(text: bytes, path: Path) -> AnyRunConfig:
    """Read the text of a configuration.

    Raises:
        InputError: a field is unknown or wrong.
    """
    try:
        if len(text) > _LARGEST:
            raise ValueError(f"it is longer than {_LARGEST:,} bytes")
        declared = tomllib.loads(text.decode("utf-8"))
        if "questions" in declared:
            return msgspec.convert(declared, QuestionRunConfig)
        return msgspec.convert(declared, RunConfig)
    except (ValueError, RecursionError) as error:  # digits and brackets by the thousand, too
        raise InputError(
            f"{path} does not declare a run: {error}.", "The fields: localrec help evaluation"
        ) from error


def ready_configs() -> dict[str, Path]:
    """List the configurations that ship: name -> file."""
    return {
        path.stem: path for path in sorted((shipped("datasets") / "evaluations").glob("*.toml"))
    }
