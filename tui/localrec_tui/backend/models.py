"""The models of this machine, as the Models room asks for them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from localrec_tui.backend.base import Progress, Request
from localrec_tui.backend.modelling import ModelFound, RolePlayed, Running, Speed
from localrec_tui.backend.sending import Sender

if TYPE_CHECKING:
    from localrec.llm.base import ChatModel
    from localrec.llm.client import ModelProcess

_SENTENCE = "A long drink of gin, lime juice and soda water is poured over ice in a tall glass. "
_SENTENCES = 20  # some four hundred tokens
_WRITTEN = 64  # tokens


class LocalModels:
    """`Modelling` over the pulled files and the settings of a workspace folder.

    Args:
        folder: The workspace.
        models: Those that run for the app, by name.
    """

    def __init__(self, folder: Path, models: Mapping[str, ChatModel]) -> None:
        self._folder, self._models = folder, models
        self._sender = Sender(folder)
        self._timed: dict[Request, ModelProcess] = {}

    def models(self) -> tuple[ModelFound, ...]:
        """The catalogue."""
        from localrec.llm.catalog import load_catalog, model_folder

        return tuple(
            ModelFound(
                name=name,
                title=model.title,
                kind=model.kind,
                licence=model.licence,
                size=sum(file.size for file in model.files),
                here=all((model_folder(name) / file.name).is_file() for file in model.files),
            )
            for name, model in load_catalog().items()
        )

    def roles(self) -> tuple[RolePlayed, ...]:
        """Every role."""
        from localrec.settings import Role, load_settings

        settings = load_settings(self._folder)
        roles = (
            RolePlayed(
                role=role,
                player=settings.roles.get(role, ""),
                adapter=settings.adapters.get(role, ""),
            )
            for role in get_args(Role)
        )
        return (RolePlayed(role="chat", player=settings.chat_model), *roles)

    def running(self) -> tuple[Running, ...]:
        """The models that run for this app."""
        from localrec.llm.client import ModelProcess

        return tuple(
            Running(name=model.name, memory=model.memory)
            for model in list(self._models.values())
            if isinstance(model, ModelProcess) and model.is_running
        )

    def check(self, name: str) -> Literal["missing", "ok", "damaged"]:
        """Whether a model's files are whole."""
        from localrec.llm.catalog import status

        return status(name)

    def use(self, role: str, name: str) -> None:
        """Let a model play a role: `localrec models use`, which knows what fits together."""
        self._sender.send(("models", "use", role, name), Request(), _unheard)

    def pull(self, name: str, request: Request, heard: Progress) -> None:
        """Fetch a model: `localrec models pull`."""
        self._sender.send(("models", "pull", name), request, heard)

    def measure(self, name: str, request: Request, heard: Progress) -> Speed:
        """Load a model and time it."""
        from localrec.llm.base import Message
        from localrec.llm.catalog import model_path
        from localrec.llm.client import ModelProcess
        from localrec.settings import load_settings
        from localrec_tui.backend.stopping import Stoppable

        threads = load_settings(self._folder).threads or None
        model = ModelProcess(model_path(name), n_threads=threads)
        asked = Stoppable(model, request)  # between two calls there is nothing to cancel
        question = [Message("user", _SENTENCE * _SENTENCES + "Tell me more about it.")]
        with self._under_way(request, model):
            heard(f"loading {name}", 0, 3)
            began = time.perf_counter()
            asked.count_tokens("")
            loaded_s = time.perf_counter() - began
            heard("reading", 1, 3)
            read = asked.generate(question, max_tokens=1).usage
            heard("writing", 2, 3)
            # The prompt is still there: what is left is writing.
            written = asked.generate(question, max_tokens=_WRITTEN).usage
            return Speed(
                name=name,
                load_s=loaded_s,
                read_per_s=_rate(read.prompt - read.cached, read.model_ms),
                written_per_s=_rate(written.generated, written.model_ms),
                memory=model.memory,
            )

    def stop(self, request: Request) -> None:
        """Stop a pull or a measurement."""
        self._sender.stop(request)
        if (model := self._timed.get(request)) is not None:
            model.cancel()

    def close(self) -> None:
        """See that whatever runs has ended."""
        self._sender.close()
        for request, model in list(self._timed.items()):
            request.stopped.set()
            model.close()

    @contextmanager
    def _under_way(self, request: Request, model: ModelProcess) -> Iterator[None]:
        """While the block runs, the model can be stopped; behind it, its process has ended."""
        from localrec_tui.backend.stopping import check

        self._timed[request] = model
        try:
            check(request)  # it may have been stopped before anybody could hear it
            yield
        finally:
            del self._timed[request]
            model.close()
            request.over.set()


def _rate(tokens: int, ms: float) -> float:
    return 1000 * tokens / ms if ms else 0.0


def _unheard(what: str, done: int, total: int) -> None:
    """Nobody waits for a step of something short."""
