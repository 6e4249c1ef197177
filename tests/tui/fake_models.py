"""Two models, one of them here, that need no file and no process."""

from __future__ import annotations

import threading
from typing import Literal

from localrec.foundation.errors import LocalrecError, ModelCancelledError
from localrec.foundation.progress import Progress
from localrec_tui.services.models import ModelSpeed, ModelSummary, RoleBinding, RunningModel
from localrec_tui.services.records import RequestHandle

SMALL = ModelSummary(
    name="small-chat", title="A small one", kind="chat", licence="MIT", size=98_000_000, here=True
)
VECTORS = ModelSummary(
    name="vectors",
    title="Makes vectors",
    kind="embedder",
    licence="MIT",
    size=23_000_000,
    here=False,
)


class FakeModelService:
    """Tells what it was told to.

    Attributes:
        trouble: What the next call raises.
        goes_on: Cleared, what is long waits until it is set, or the request stopped.
        used: Role -> model.
        told: What was done, in order.
    """

    def __init__(self) -> None:
        self.trouble: LocalrecError | None = None
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.used: dict[str, str] = {}
        self.told: list[tuple[str, str]] = []

    def models(self) -> tuple[ModelSummary, ...]:
        return (SMALL, VECTORS)

    def roles(self) -> tuple[RoleBinding, ...]:
        return tuple(
            RoleBinding(role=role, player=self.used.get(role, player))
            for role, player in (("chat", "small-chat"), ("router", ""), ("writer", ""))
        )

    def running(self) -> tuple[RunningModel, ...]:
        return (RunningModel(name="small-chat", memory=310_000_000),)

    def check(self, name: str) -> Literal["missing", "ok", "damaged"]:
        self._note("check", name)
        return "ok" if name == SMALL.name else "missing"

    def use(self, role: str, name: str) -> None:
        self._note("use", f"{role} {name}")
        self.used[role] = name

    def pull(self, name: str, request: RequestHandle, on_progress: Progress) -> None:
        self._note("pull", name)
        on_progress(name, 41, 100)
        self._wait(request)

    def measure(self, name: str, request: RequestHandle, on_progress: Progress) -> ModelSpeed:
        self._note("measure", name)
        on_progress("reading", 1, 3)
        self._wait(request)
        return ModelSpeed(
            name=name, load_s=0.5, read_per_s=340, written_per_s=130, memory=310_000_000
        )

    def stop(self, request: RequestHandle) -> None:
        request.stopped.set()
        self.goes_on.set()

    def _wait(self, request: RequestHandle) -> None:
        self.goes_on.wait(10)
        if request.stopped.is_set():
            raise ModelCancelledError("Stopped.")

    def _note(self, call: str, given: str) -> None:
        self.told.append((call, given))
        trouble, self.trouble = self.trouble, None
        if trouble is not None:
            raise trouble
