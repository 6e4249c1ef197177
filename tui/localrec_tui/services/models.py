"""Serves the Models room: the models, their roles, and their speed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from localrec.foundation.progress import Progress
from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.records import RequestHandle

if TYPE_CHECKING:
    from localrec.llm.model_catalog import ListedModel
    from localrec.llm.model_process import ModelProcess


class RoleBinding(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays a role here.

    Args:
        role: The role.
        player: The model that this workspace binds; "" where the default plays it.
        adapter: That the model plays it with; "" for none.
        holder: Who plays it now, by the workspace or by default: "rules", or a model.
        figure: What its holder was chosen by, as a phrase; "" for the chat model.
        measured: The page that has the figure of a default; "" for a choice of this workspace.
    """

    role: str
    player: str
    adapter: str = ""
    holder: str
    figure: str = ""
    measured: str = ""


class ModelFile(msgspec.Struct, frozen=True):
    """A file of a model: its name, its bytes, and whether it is here."""

    name: str
    bytes: int
    here: bool


class ModelDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model beside its line in the list.

    Args:
        folder: Where its files are, or would be.
        files: The first is the one that is opened.
        suited: The roles that it is offered for.
        held: The roles that it plays in this workspace.
    """

    folder: str
    files: tuple[ModelFile, ...]
    suited: tuple[str, ...]
    held: tuple[RoleBinding, ...]


class RoleDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays a role, and which adapters ship for it."""

    binding: RoleBinding
    adapters: tuple[str, ...]


class RunningModel(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a model and the memory it holds, in bytes; None: the system does not say."""

    name: str
    memory: int | None


class ModelSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a model is here: seconds to load, tokens per second read and written."""

    name: str
    load_s: float
    read_per_s: float
    written_per_s: float
    memory: int | None


_SENTENCE = "A long drink of gin, lime juice and soda water is poured over ice in a tall glass. "
_SENTENCES = 20  # some four hundred tokens
_WRITTEN = 64  # tokens


class ModelService:
    """Lists, pulls, checks, times and assigns models.

    Args:
        folder: The workspace.
        started: Lists the models that run for the app.
    """

    def __init__(self, folder: Path, started: Callable[[], Sequence[ModelProcess]]) -> None:
        self._folder, self._started = folder, started
        self._sender = CommandRunner(folder)
        self._timed: dict[RequestHandle, ModelProcess] = {}

    def models(self) -> Sequence[ListedModel]:
        """List the models that localrec knows by name."""
        from localrec.llm.model_catalog import listed_models

        return listed_models()

    def roles(self) -> tuple[RoleBinding, ...]:
        """Every role."""
        from localrec.foundation.settings import load_settings
        from localrec.workspace.model_roles import played_roles

        settings = load_settings(self._folder)
        roles = (
            RoleBinding(
                role=one.role,
                player=one.holder if one.bound_here else "",
                adapter=one.adapter,
                holder=one.holder,
                figure=one.figure,
                measured=one.measured,
            )
            for one in played_roles(settings)
        )
        chat = settings.chat_model
        return (RoleBinding(role="chat", player=chat, holder=chat), *roles)

    def model_details(self, name: str) -> ModelDetails:
        """Look where a model's files are, and what it plays here."""
        from localrec.llm.model_catalog import find_model, model_folder

        model, folder = find_model(name), model_folder(name)
        files = (
            ModelFile(one.name, one.size, (folder / one.name).is_file()) for one in model.files
        )
        return ModelDetails(
            folder=str(folder),
            files=tuple(files),
            suited=model.roles,
            held=tuple(one for one in self.roles() if one.holder == name),
        )

    def role_details(self, role: str) -> RoleDetails:
        """Look who plays a role, and which adapters ship for it."""
        from localrec.llm.adapter_files import roles_of, shipped_adapters

        [binding] = [one for one in self.roles() if one.role == role]
        adapters = tuple(name for name in shipped_adapters() if role in roles_of(name))
        return RoleDetails(binding=binding, adapters=adapters)

    def running(self) -> tuple[RunningModel, ...]:
        """The models that run for this app."""
        return tuple(
            RunningModel(name=model.name, memory=model.memory)
            for model in self._started()
            if model.is_running
        )

    def check(self, name: str) -> Literal["missing", "ok", "damaged"]:
        """Whether a model's files are whole."""
        from localrec.llm.model_catalog import status

        return status(name)

    def use(self, role: str, name: str) -> None:
        """Let a model play a role: `localrec models use`, which knows what fits together."""
        self._sender.send(("models", "use", role, name), RequestHandle(), _ignore_progress)

    def pull(self, name: str, request: RequestHandle, on_progress: Progress) -> None:
        """Fetch a model: `localrec models pull`."""
        self._sender.send(("models", "pull", name), request, on_progress)

    def measure(self, name: str, request: RequestHandle, on_progress: Progress) -> ModelSpeed:
        """Load a model and time it."""
        from localrec.data.chat_message import Message
        from localrec.foundation.settings import load_settings
        from localrec.llm.model_catalog import model_path
        from localrec.llm.model_process import ModelProcess
        from localrec_tui.services.cancellation import CancellableModel

        threads = load_settings(self._folder).threads or None
        model = ModelProcess(model_path(name), n_threads=threads, self_test=True)
        asked = CancellableModel(model, request)  # between two calls there is nothing to cancel
        question = [Message("user", _SENTENCE * _SENTENCES + "Tell me more about it.")]
        with self._under_way(request, model):
            on_progress(f"loading {name}", 0, 3)
            began = time.perf_counter()
            asked.count_tokens("")
            loaded_s = time.perf_counter() - began
            on_progress("reading", 1, 3)
            read = asked.generate(question, max_tokens=1).usage
            on_progress("writing", 2, 3)
            # The prompt is still there: what is left is writing.
            written = asked.generate(question, max_tokens=_WRITTEN).usage
            return ModelSpeed(
                name=name,
                load_s=loaded_s,
                read_per_s=_rate(read.prompt - read.cached, read.model_ms),
                written_per_s=_rate(written.generated, written.model_ms),
                memory=model.memory,
            )

    def stop(self, request: RequestHandle) -> None:
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
    def _under_way(self, request: RequestHandle, model: ModelProcess) -> Iterator[None]:
        """While the block runs, the model can be stopped; behind it, its process has ended."""
        from localrec_tui.services.cancellation import raise_if_stopped

        self._timed[request] = model
        try:
            raise_if_stopped(request)  # it may have been stopped before anybody could hear it
            yield
        finally:
            del self._timed[request]
            model.close()
            request.over.set()


def _rate(tokens: int, ms: float) -> float:
    return 1000 * tokens / ms if ms else 0.0


def _ignore_progress(what: str, done: int, total: int) -> None:
    """Ignore the progress of a short task."""
