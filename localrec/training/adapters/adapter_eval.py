"""Evaluate an adapter against its bare base on the same cases: quality and cost.

The cases are composed in the wordings of the validation half, which no adapter learns from, with a
seed of their own. Both sides read the prompt that the adapter was trained on, word for word, under
the same labels or grammar. A writer's sentence is right where it tells every fact, a memory
keeper's note where it tells nothing but facts. A bare model may do better on a prompt made for it,
with worked examples; `scripts/studies/run.py role_adapters` measures that on the gold questions.
Whether the adapter is better than the rules is asked of gold questions alone, as in `models bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.evaluation.statistics import Comparison, IntervalEstimate, compare, ratio_estimate
from localrec.explanation.writer import LONGEST_SENTENCE
from localrec.foundation.errors import ModelError
from localrec.foundation.progress import Progress
from localrec.llm.chat_model import ChatModel
from localrec.llm.gguf_header import read_header
from localrec.llm.model_process import ModelProcess
from localrec.llm.structured_output import sentence_grammar
from localrec.memory.model_update import update_grammar
from localrec.training.examples.example import Example
from localrec.training.examples.memory_keeper import tells_only_facts
from localrec.training.examples.roles import ExampleConfig, examples_for
from localrec.training.examples.writer import tells_facts
from localrec.training.role_bench.bench import measure_role
from localrec.training.role_bench.case_runner import ask_cases
from localrec.training.role_bench.gold_cases import no_gold, open_gold
from localrec.training.role_bench.records import GOLD_ROLES, RoleResult
from localrec.understanding.slot_filling import MOST_TOKENS, slots_grammar
from localrec.workspace import OpenWorkspace

_SEED = 20_260_401  # of the cases; no training draws by it
_GRAMMARS: Mapping[str, str] = {
    "slots": slots_grammar(),
    "writer": sentence_grammar(LONGEST_SENTENCE),
    "memory": update_grammar(0, with_item=False),
}
_CHECKS: Mapping[str, Callable[[Example, str], bool]] = {
    "writer": tells_facts,
    "memory": tells_only_facts,
}

Parts = list[tuple[float, float]]


class EvaluatedSide(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one side.

    Args:
        name: Name of the model with its adapter.
        accuracy: Share of the cases that it answers right, with its interval.
        ms: Milliseconds of a case at the median, the first left out: it reads the shared prefix.
        failed: Cases in which it came to no answer; they count as wrong.
    """

    name: str
    accuracy: IntervalEstimate
    ms: float
    failed: int


class AdapterEvaluation(msgspec.Struct, Record, frozen=True, kw_only=True):
    """Both sides over the same cases.

    Args:
        role: The role that was tried.
        cases: The number of cases.
        bare: The base alone.
        adapted: The base with the adapter.
        difference: Difference of the accuracies, the adapter's minus the base's.
        gold: The rules and the adapter over gold questions, where some fit the catalogue and
            measure the role.
        no_gold: Why there are none, for a role that they do measure.
    """

    role: str
    cases: int
    bare: EvaluatedSide
    adapted: EvaluatedSide
    difference: Comparison
    gold: RoleResult | None = None
    no_gold: str = ""


def evaluate_adapter(
    workspace: Path, role: str, model: Path, adapter: Path, count: int, progress: Progress
) -> AdapterEvaluation:
    """Ask both sides about the cases.

    Args:
        workspace: The workspace whose graphs the cases are composed of.
        role: The role that the adapter was trained for.
        model: The GGUF of its base.
        adapter: Its GGUF.
        count: Cases.
        progress: Called with each step and its progress.

    Raises:
        UsageError: no adapter is trained for this role.
        ModelError: a file cannot be used.
    """
    wanted = ExampleConfig(
        train=1,
        validation=count,
        seed=_SEED,
        supports_tools=read_header(model).supports_tools,
    )
    cases = examples_for(role, workspace, wanted, progress).validation
    grammar, check = _GRAMMARS.get(role), _CHECKS.get(role, is_answer)
    sides: list[EvaluatedSide] = []
    right: list[Parts] = []
    for beside in (None, adapter):
        with ModelProcess(model, adapter=beside) as process:
            process.count_tokens("")  # a file that cannot be used is no wrong answer
            side, parts = _evaluate_side(process, cases, grammar, check, progress)
        sides.append(side)
        right.append(parts)
    bare, adapted = sides
    return AdapterEvaluation(
        role=role,
        cases=len(cases),
        bare=bare,
        adapted=adapted,
        difference=compare(right[1], right[0]),
    )


def with_gold(
    evaluated: AdapterEvaluation,
    workspace: Path,
    files: tuple[Path, Path],
    gold: Path | None,
    progress: Progress,
) -> AdapterEvaluation:
    """Ask the rules and an adapter gold questions too, where those measure its role.

    Args:
        evaluated: What came of the composed cases.
        workspace: The workspace that they were composed from.
        files: The GGUF of the base, and that of the adapter.
        gold: Gold questions about the own catalogue; None for those that ship.
        progress: Called with each step and its progress.

    Raises:
        InputError: the gold questions cannot be read.
        ModelError: a file cannot be used.
    """
    role, (model, adapter) = evaluated.role, files
    if role not in GOLD_ROLES:
        return evaluated
    with OpenWorkspace(workspace) as opened:
        found = open_gold(opened, gold)
        if found is None:
            return msgspec.structs.replace(evaluated, no_gold=no_gold(role).reason)
        with ModelProcess(model, adapter=adapter) as process:
            asked = measure_role(found.cases(role), process, True, progress)
    return msgspec.structs.replace(evaluated, gold=asked)


def _evaluate_side(
    model: ChatModel,
    cases: Sequence[Example],
    grammar: str | None,
    check: Callable[[Example, str], bool],
    progress: Progress,
) -> tuple[EvaluatedSide, Parts]:
    answered = ask_cases(
        len(cases),
        lambda number: float(check(cases[number], answer_of(model, cases[number], grammar))),
        lambda done, total: progress(f"asking {model.name}", done, total),
    )
    parts = [(answer or 0.0, 1.0) for answer in answered.answers]
    side = EvaluatedSide(
        name=model.name,
        accuracy=ratio_estimate(parts),
        ms=1000 * answered.median_s,
        failed=answered.failed,
    )
    return side, parts


def is_answer(case: Example, answer: str) -> bool:
    """Whether an answer is the right one, word for word."""
    return answer == case.answer


def answer_of(model: ChatModel, case: Example, grammar: str | None = None) -> str:
    """Answer the prompt of an example: the likeliest label, or the generated text.

    Raises:
        ModelError: the model cannot be used, or did not come to an end.
    """
    if case.labels:
        choice = model.choose(case.messages, case.labels, fixed=1)
        return case.labels[max(range(len(case.labels)), key=choice.probabilities.__getitem__)]
    wrote = model.generate(case.messages, grammar=grammar, max_tokens=MOST_TOKENS, fixed=1)
    if not wrote.finished:
        raise ModelError("The answer did not come to an end.")
    return wrote.text.strip()
