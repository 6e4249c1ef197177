"""Write the reason for the first item of a case, which MemRec's three scales judge.

Systems write them after all their cases, so that no case's time or tokens include one; each
rationale has its own cost. A killed run continues where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from localrec.data.reasons import Reasons
from localrec.evaluation.explanations.explanation_records import Rationale
from localrec.evaluation.ranking.cases import Cases
from localrec.evaluation.ranking.inference import CaseResult, InferenceContext
from localrec.foundation.errors import ModelCancelledError, error_text
from localrec.foundation.jsonl_log import JsonlLog
from localrec.foundation.progress import Progress
from localrec.ranking.recommender import ScoreRequests

_LONGEST_ERROR = 200  # letters

Explain = Callable[[ScoreRequests, int, int], Reasons]  # a row of requests, and an item


def write_rationales(
    explain: Explain,
    path: Path,
    cases: Cases,
    outcomes: Sequence[CaseResult],
    inference: InferenceContext,
    progress: Progress,
) -> None:
    """Write the reason for the first item of each answered case that has one.

    Args:
        explain: Explains an item's place, by the system whose answers they are.
        path: JSON lines of `Rationale`; a case that has a line already is not asked again.
        cases: The cases that need a reason.
        outcomes: The system's results for these cases, or for more.
        inference: The settings of the run, with the keys of users and items.
        progress: Called with the step, how much of it is done, and of how much.
    """
    first_of = {one.id: one.top[0] for one in outcomes if one.top and one.top[0]}
    number_of = {key: number for number, key in enumerate(inference.item_keys.tolist())}
    requests = cases.requests()
    with JsonlLog(path, Rationale) as log:
        done = {one.id for one in log.records}
        for place, case in enumerate(map(str, cases.row.tolist())):
            progress("asking why", place, len(cases))
            if case in done or case not in first_of:
                continue
            log.append(
                _rationale(
                    explain,
                    Rationale(
                        id=case,
                        user=inference.user_keys[cases.user[place]],
                        item=first_of[case],
                        rationale="",
                    ),
                    requests,
                    place,
                    number_of[first_of[case]],
                )
            )


def _rationale(
    explain: Explain, blank: Rationale, requests: ScoreRequests, row: int, item: int
) -> Rationale:
    """Write the line of one case."""
    started = time.perf_counter()
    try:
        reasons = explain(requests, row, item)
        (said,) = reasons.reasons
    except ModelCancelledError:
        raise
    except Exception as error:  # noqa: BLE001 - a system under test may raise anything
        text = error_text(error, _LONGEST_ERROR)
        return msgspec.structs.replace(blank, error=text)
    return msgspec.structs.replace(
        blank,
        rationale=said.text,
        by=said.by,
        ms=round(1000 * (time.perf_counter() - started), 3),
        calls=reasons.spent.calls,
        tokens=reasons.spent.tokens,
        notes=reasons.notes,
    )
