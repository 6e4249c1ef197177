"""A run's configuration: data, protocol, systems, seeds; read from TOML, unknown keys refused.

Ready ones ship in `datasets/evaluations/` and go by their name.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from localrec.baselines.base import Setting
from localrec.datasets import find_dataset
from localrec.errors import InputError
from localrec.evaluation.cases import Protocol
from localrec.paths import shipped

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]  # names files too
Positive = Annotated[int, msgspec.Meta(ge=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class DataConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which interactions of the workspace are evaluated on.

    Args:
        dataset: A data set of `localrec datasets list`, which was pulled into the workspace; only
            its own rows count.
        domain: Otherwise a domain, and everything that people did in it.
        source: Of a domain only what one kind of import brought.
    """

    dataset: str | None = None
    domain: str | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        if (self.dataset is None) == (self.domain is None):
            raise ValueError("data needs either a dataset or a domain")

    def where(self) -> tuple[str, str | None]:
        """The domain, and the kind of import.

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
        kind: A baseline, or one of our own rankers (`localrec rank --system`).
        entry: Its name in its catalogue; by default the name above.
        settings: What differs from its defaults; a search leaves these alone.
        trials: Settings tried on the validation split before it is tested; 0: none.
        sample: It is asked only so many of the cases, drawn by the run's seed: a slow system among
            fast ones; 0: all. Two systems are compared over the cases of both.
    """

    name: Name
    kind: Literal["baseline", "ranker"] = "baseline"
    entry: str = ""
    settings: dict[str, Setting] = {}
    trials: Count = 0
    sample: Count = 0

    @property
    def catalogued(self) -> str:
        """Its name in its catalogue."""
        return self.entry or self.name


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole run.

    Args:
        name: Of the run and its folder.
        title: A sentence for the report.
        data: What it is evaluated on.
        protocol: How that is parted, and what is ranked.
        systems: What is compared, in the order to be shown.
        k: Lengths of list at which metrics are taken.
        seed: Of every fit and search.
        chunk: Cases scored and written at once.
        probe: Cases asked once more with decoys for targets, to catch a system that sees them;
            0: none.
    """

    name: Name
    title: str = ""
    data: DataConfig
    protocol: Protocol = Protocol()
    systems: Annotated[tuple[SystemConfig, ...], msgspec.Meta(min_length=1)]
    k: Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)] = (1, 5, 10)
    seed: Count = 7
    chunk: Positive = 256
    probe: Count = 200

    @property
    def lengths(self) -> tuple[int, ...]:
        """`k` in order, and 1 in any case: that is where a cheat shows."""
        return tuple(sorted({1, *self.k}))

    def __post_init__(self) -> None:
        names = [system.name for system in self.systems]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two systems are named {twice[0]}")


def load_config(named: str) -> tuple[RunConfig, bytes]:
    """A configuration by its path, or by the name of a ready one; with the file's own text.

    Raises:
        InputError: no such file, or a field that is unknown or wrong.
    """
    path = Path(named)
    if not path.is_file() and named in (ready := ready_configs()):
        path = ready[named]
    try:
        text = path.read_bytes()
        return msgspec.convert(tomllib.loads(text.decode("utf-8")), RunConfig), text
    except OSError as error:
        raise InputError(
            f"{named} cannot be read: {error.strerror}.",
            f"Name a file, or one of: {', '.join(ready_configs())}.",
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError(
            f"{path} does not declare a run: {error}.", "See docs/evaluation.md for the fields."
        ) from error


def ready_configs() -> dict[str, Path]:
    """The configurations that ship: name -> file."""
    return {
        path.stem: path for path in sorted((shipped("datasets") / "evaluations").glob("*.toml"))
    }
