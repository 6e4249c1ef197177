"""Two small runs in a workspace, one of them torn and one hostile, and errands that wait."""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.data.trajectory import AgentStep, AgentTurn, ToolCall, Trajectory
from localrec.evaluation.configs import DataConfig, RunConfig, SystemConfig
from localrec.evaluation.explanations.explanation_records import Rationale
from localrec.evaluation.provenance import Origin
from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.leakage import Suspicion
from localrec.evaluation.run_folder import (
    RunFolder,
    RunMetrics,
    RunOrigin,
    SystemResult,
    rationale_file,
)
from localrec.evaluation.statistics import IntervalEstimate
from localrec.foundation.jsonl_log import write_records
from localrec.foundation.progress import Progress
from localrec_tui.services.records import RequestHandle, Verdict
from localrec_tui.services.runs import RunService

from .recorder import Recorder

_MADE = Origin(command="planted", date="2026-11-01", versions={}, machine="a desk")
_NAMES = {"item-1": "Negroni", "item-2": "Gimlet"}
CASES = 12


def plant_run(runs: Path, name: str, *, lead: int = 3, complete: bool = True) -> RunFolder:
    """A run of "ease", which finds its target at rank 1 in every `lead`-th case, and "agent"."""
    systems = (SystemConfig(name="ease"), SystemConfig(name="agent"))
    config = RunConfig(
        name=name, title=f"The run {name}", data=DataConfig(domain="cocktails"), systems=systems
    )
    folder = RunFolder(runs / name)
    origin = RunOrigin(
        run=config,
        protocol="leave one out",
        fingerprint="f" * 64,
        users=CASES,
        items=40,
        interactions=200,
        train=180,
        validation=8,
        test=CASES,
        made=_MADE,
        engine="local",
    )
    folder.begin(b'name = "planted"\n', origin)
    folder.append("ease", [_outcome(one, 1 if one % lead == 0 else 4) for one in range(CASES)])
    folder.append("agent", [_acted(_outcome(one, 2)) for one in range(CASES)])
    why = Rationale(id="0", user="person-0", item="item-2", rationale="Gin, and short.", by="x")
    write_records(folder.path / rationale_file("agent"), [why])
    results = (_result("ease", 0.4), _result("agent", 0.3, faults={"empty": 1}))
    folder.write("metrics.json", RunMetrics(complete=complete, systems=results))
    return folder


def _outcome(number: int, rank: int) -> CaseResult:
    top = ("item-2", "item-3", "item-4", "item-5")
    return CaseResult(
        id=f"{number}",
        user=f"person-{number}",
        targets=("item-1",),
        first=rank,
        tied=1,
        hits=(rank,),
        pool=10,
        top=(*top[: rank - 1], "item-1", *top[rank - 1 :]),
        ms=2.5,
    )


def _acted(outcome: CaseResult) -> CaseResult:
    call = ToolCall(tool="look", arguments={"candidate": 1})
    trajectory = Trajectory(
        agent="planted",
        model="m",
        dialect="lines",
        seed=1,
        initial_prompt=(("system", "Rank them."),),
        steps=(AgentStep(thought="Look first.", call=call, observation="It is\x1b[2J red."),),
        turns=(
            AgentTurn(text="Look first.", own=True),
            AgentTurn(text="It is\x1b[2J red.", own=False),
        ),
        ranking=(1, 2),
    )
    return msgspec.structs.replace(outcome, trajectory=trajectory)


def _result(name: str, ndcg: float, **more: object) -> SystemResult:
    figures = {
        "H@1": IntervalEstimate(ndcg / 2, ndcg / 2 - 0.1, ndcg / 2 + 0.1, CASES),
        "NDCG@10": IntervalEstimate(ndcg, ndcg - 0.1, ndcg + 0.1, CASES),
        "invalid": IntervalEstimate(0.0, 0.0, 0.0, CASES),
        "ms": IntervalEstimate(2.5, None, None, CASES),
    }
    doubt = Suspicion(kind="too good to be true", detail="It knows [bold]too much[/].")
    return SystemResult(
        name=name,
        settings={"weight": 3},
        fit_s=0.5,
        score_s=1.0,
        cases=CASES,
        metrics=figures,
        suspicions=(doubt,) if name == "agent" else (),
        **more,  # type: ignore[arg-type]
    )


class FakeRunService(Recorder, RunService):
    """Reads real folders; what is started only waits."""

    def __init__(self, folder: Path) -> None:
        self.said: dict[str, Verdict] = {}
        super().__init__(folder, lambda *_: _NAMES, lambda _, user, __: self.said if user else {})

    def start(self, config: str, request: RequestHandle, progress: Progress) -> None:
        self._run("start", config, request, progress)

    def resume(self, run: str, request: RequestHandle, progress: Progress) -> None:
        self._run("resume", run, request, progress)

    def stop(self, request: RequestHandle) -> None:
        self.told.append(("stop", ""))
        super().stop(request)

    def _run(self, what: str, name: str, request: RequestHandle, progress: Progress) -> None:
        self.told.append((what, name))
        progress("asking ease", 3, CASES)
        self._wait(request)
        self._trip()
