"""The records of the bench: the cases of a role, and what both sides made of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from localrec.data.records import Record
from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import Comparison, IntervalEstimate
from localrec.llm.chat_model import ChatModel

SEED = 20_261_124  # of the cases; no training draws by it


class RoleAnswer(msgspec.Struct, frozen=True):
    """The answer to one case: its score, 0 to 1, and its text where one was written."""

    score: float
    text: str = ""


AskCase = Callable[[int], RoleAnswer]


class PreparedModel(msgspec.Struct, frozen=True):
    """A model that is ready for the cases of a role.

    Args:
        ask: Number of a case, from 0 -> the model's answer; raises ModelError.
        notes: Notes from before the first case, as sentences.
    """

    ask: AskCase
    notes: tuple[str, ...] = ()


class RoleCases(msgspec.Struct, frozen=True, kw_only=True):
    """The cases of one role.

    Args:
        role: Its name.
        measure: The meaning of a score of 1, as a phrase.
        line: The side that the model has to beat.
        count: Number of cases.
        fingerprint: Changes with any case.
        by_rules: Answers a case without the model.
        prepare: Makes a model ready; the second argument tells whether it has an adapter for the
            role, which is asked by the prompt it was trained on.
        shape: Number of a case and a written text -> the text without its names; None where
            nothing is written.
    """

    role: str
    measure: str
    line: str
    count: int
    fingerprint: str
    by_rules: AskCase
    prepare: Callable[[ChatModel, bool], PreparedModel]
    shape: Callable[[int, str], str] | None = None


class RoleSide(msgspec.Struct, frozen=True, kw_only=True):
    """One side's figures over the cases of a role.

    Args:
        name: Name of the model with its adapter, or of the rules.
        quality: Mean score with its interval.
        seconds: Seconds of a case at the median, the first left out: it reads the shared prefix.
        tokens: Tokens read and written for a case, on average, cached ones among them.
        failed: Cases without an answer; they score 0.
        shapes: Different sentences once names are taken out; None where nothing is written.
    """

    name: str
    quality: IntervalEstimate
    seconds: float
    tokens: float = 0.0
    failed: int = 0
    shapes: int | None = None


class RoleResult(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides over the same cases of a role.

    Args:
        role: Its name.
        measure: The meaning of a score of 1.
        cases: Number of cases.
        fingerprint: Hash of the cases: results with another one cannot be compared.
        rules: The line to beat.
        model: The model.
        difference: The model's quality minus the rules'.
        notes: Notes on the model's side before it began, as sentences.
    """

    role: str
    measure: str
    cases: int
    fingerprint: str
    rules: RoleSide
    model: RoleSide
    difference: Comparison
    notes: tuple[str, ...] = ()

    @property
    def is_won(self) -> bool:
        """Whether the model is better than the rules by more than chance."""
        return self.difference.verdict == "better"


class EmptyRole(msgspec.Struct, frozen=True, kw_only=True):
    """A role without cases, and the reason as a sentence."""

    role: str
    reason: str


class BenchReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The outcome of one bench.

    Args:
        model: Name of the model.
        megabytes: Size of its file.
        sha256: Hash of its file.
        adapters: Role -> the adapter that it was asked with.
        seed: Seed of the cases.
        results: A record for each role that has cases.
        empty: The roles that have none.
        origin: The record that is needed to repeat the last figures.
        commands: The commands that made the figures, where several benches did; else ().
    """

    model: str
    megabytes: float
    sha256: str
    adapters: dict[str, str]
    seed: int
    results: tuple[RoleResult, ...]
    empty: tuple[EmptyRole, ...]
    origin: Origin
    commands: tuple[str, ...] = ()
