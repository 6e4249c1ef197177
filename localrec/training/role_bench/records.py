"""The records of the bench: the cases of a role, and what both sides made of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from localrec.data.records import Record
from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import Comparison, IntervalEstimate
from localrec.llm.chat_model import ChatModel

SEED = 20_261_124  # of the cases; no training draws by it
# Gold questions measure these; composed ones, whose composer an adapter may know, bind nobody.
GOLD_ROLES = ("router", "slots", "reflector")


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
        gold: Whether people wrote the questions.
    """

    role: str
    measure: str
    line: str
    count: int
    fingerprint: str
    by_rules: AskCase
    prepare: Callable[[ChatModel, bool], PreparedModel]
    shape: Callable[[int, str], str] | None = None
    gold: bool = False


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
        gold: Whether people wrote the questions.
    """

    role: str
    measure: str
    cases: int
    fingerprint: str
    rules: RoleSide
    model: RoleSide
    difference: Comparison
    notes: tuple[str, ...] = ()
    gold: bool = False

    @property
    def kind(self) -> str:
        """What the cases are, where a role has two kinds: "gold" or "composed"; else ""."""
        return "" if self.role not in GOLD_ROLES else "gold" if self.gold else "composed"

    @property
    def decides(self) -> bool:
        """Whether a role may be given away by these cases."""
        return self.kind != "composed"

    @property
    def is_won(self) -> bool:
        """Whether the model is better than the rules by more than chance."""
        return self.difference.verdict == "better"


class RoleLine(msgspec.Struct, frozen=True, kw_only=True):
    """The line to beat, alone; fields as in `RoleResult`."""

    measure: str
    cases: int
    fingerprint: str
    rules: RoleSide


class EmptyRole(msgspec.Struct, frozen=True, kw_only=True):
    """A role that was not measured.

    Args:
        role: Its name.
        reason: Why, as a sentence.
        line: What was measured without the model, where there are cases.
    """

    role: str
    reason: str
    line: RoleLine | None = None


class BenchReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The outcome of one bench.

    Args:
        model: Name of the model.
        megabytes: Size of its file.
        sha256: Hash of its file.
        adapters: Role -> the adapter that it was asked with.
        seed: Seed of the cases.
        results: A record for each role that has cases.
        empty: The roles, or their gold questions, that could not be asked.
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
