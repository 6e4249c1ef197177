"""An adapter by its name against its bare model: on cases, or on one question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.training.adapters.adapter_compare import AdapterComparison
    from localrec.training.adapters.adapter_eval import AdapterEvaluation


def try_adapter(
    folder: Path,
    adapter: str,
    role: str | None,
    cases: int,
    model: str | None,
    question: str | None,
    progress: Progress,
    gold: Path | None = None,
) -> AdapterEvaluation | AdapterComparison:
    """Ask an adapter and its bare model the same cases, and gold questions where there are some.

    Args:
        folder: The workspace that cases are composed from.
        adapter: An adapter that ships, or a GGUF.
        role: One of the roles that it was trained for; None for the first.
        cases: The number of cases.
        model: The adapter's base, where the catalogue does not have it.
        question: A question to ask instead of the cases; None for the cases.
        progress: Called with the step, how much of it is done, and of how much.
        gold: Gold questions about the own catalogue; None for those that ship.

    Raises:
        InputError: the gold questions cannot be read.
        ModelError: the adapter or its base is not here, or they do not fit.
        UsageError: it was trained for other roles.
    """
    from localrec.llm.adapter_files import base_of, fitting_adapter, roles_of
    from localrec.llm.model_catalog import model_file
    from localrec.training.adapters.adapter_compare import compare_adapter
    from localrec.training.adapters.adapter_eval import evaluate_adapter, with_gold

    base = model_file(model or base_of(adapter))
    role = role or roles_of(adapter)[0]
    file = fitting_adapter(adapter, role, base)
    if question is None:
        evaluated = evaluate_adapter(folder, role, base, file, cases, progress)
        return with_gold(evaluated, folder, (base, file), gold, progress)
    return compare_adapter(folder, role, base, file, question, progress)
