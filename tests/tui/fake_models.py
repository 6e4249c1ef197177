"""Two models, one of them here, that need no file and no process."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from localrec.foundation.progress import Progress
from localrec.llm.model_catalog import ListedModel
from localrec_tui.services.models import (
    ModelDetails,
    ModelFile,
    ModelService,
    ModelSpeed,
    RoleBinding,
    RoleDetails,
    RunningModel,
)
from localrec_tui.services.records import RequestHandle

from .recorder import Recorder

SMALL = ListedModel(
    name="small-chat", title="A small one", kind="chat", licence="MIT", bytes=98_000_000, here=True
)
VECTORS = ListedModel(
    name="vectors",
    title="Makes vectors",
    kind="embedder",
    licence="MIT",
    bytes=23_000_000,
    here=False,
)


class FakeModelService(Recorder, ModelService):
    """Tells what it was told to.

    Attributes:
        used: Role -> model.
    """

    def __init__(self) -> None:
        super().__init__(Path("nowhere"), tuple)
        self.used: dict[str, str] = {}

    def models(self) -> tuple[ListedModel, ...]:
        return (SMALL, VECTORS)

    def roles(self) -> tuple[RoleBinding, ...]:
        bound = {"chat": "small-chat", "router": "", "writer": "", **self.used}
        return tuple(
            RoleBinding(
                role=role,
                player=player,
                holder=player or "rules",
                figure=f"{role} 0.9 of 10",
                measured="" if player else "docs/results/training.md",
            )
            for role, player in bound.items()
        )

    def model_details(self, name: str) -> ModelDetails:
        self._trip()
        held = tuple(one for one in self.roles() if one.holder == name)
        files = (ModelFile(f"{name}.gguf", 98_000_000, name == SMALL.name),)
        return ModelDetails(
            folder=f"/models/{name}", files=files, suited=("router", "writer"), held=held
        )

    def role_details(self, role: str) -> RoleDetails:
        self._trip()
        [binding] = [one for one in self.roles() if one.role == role]
        adapters = ("question-router",) if role == "router" else ()
        return RoleDetails(binding=binding, adapters=adapters)

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
