"""The models of a workspace: each is opened when it is first asked for, and kept until the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from localrec.foundation.errors import InputError, ModelError
from localrec.foundation.settings import RULES, VISION, Settings

if TYPE_CHECKING:
    from localrec.data.model_calls import ModelCall
    from localrec.index.clip import ClipPair
    from localrec.index.protocols import Embedder
    from localrec.llm.chat_model import ChatModel, VisionModel
    from localrec.llm.model_process import ModelProcess
    from localrec.understanding.question_roles import RoleTagger


class Models(Protocol):
    """Opens the models that the settings of a workspace name."""

    @property
    def embedder(self) -> Embedder:
        """The model that embeds texts."""
        ...

    @property
    def embedder_name(self) -> str:
        """The name on the vectors that the embedder makes."""
        ...

    @property
    def role_tagger(self) -> RoleTagger | None:
        """Tells the roles of a question's names; None without the model that it reads by."""
        ...

    @property
    def image_embedder(self) -> ClipPair | None:
        """The model that embeds images; None where the settings name none."""
        ...

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role."""
        ...

    def adapter_of(self, role: str) -> str:
        """Name the adapter that the model of a role is opened with; "" without one."""
        ...

    def open_vision(self) -> VisionModel:
        """Open the model that describes images."""
        ...

    def close(self) -> None:
        """Stop the models that were started."""
        ...


class ModelPool:
    """Keeps one process for each model and adapter, whatever roles it plays."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: dict[str, ModelProcess] = {}

    def use(self, settings: Settings) -> None:
        """Follow new settings; models that are named there still are kept."""
        before, self._settings = self._settings, settings
        kept = {
            "embedder": settings.embedder == before.embedder,
            "embedder_name": settings.embedder == before.embedder,
            "role_tagger": settings.embedder == before.embedder,
            "image_embedder": settings.pictures == before.pictures,
        }
        for name, stays in kept.items():
            if not stays:
                self.__dict__.pop(name, None)

    def started(self) -> list[ModelProcess]:
        """List the models that were opened, for whoever stops their calls."""
        return list(self._opened.values())

    def close(self) -> None:
        """Stop the models that were started."""
        for model in self._opened.values():
            model.close()
        self._opened.clear()

    @cached_property
    def embedder(self) -> Embedder:
        """The model that embeds texts."""
        from localrec.index.embedders import open_embedder  # onnxruntime: 0.2 s

        return open_embedder(self._settings.embedder, open_gguf=self._open_gguf)

    @cached_property
    def embedder_name(self) -> str:
        """The name on the vectors; opens the embedder only where nothing else tells it."""
        from localrec.index.embedders import known_embedder_name

        return known_embedder_name(self._settings.embedder) or self.embedder.name

    @cached_property
    def role_tagger(self) -> RoleTagger | None:
        """Tells the roles of a question's names; None without the model that it reads by."""
        from localrec.index.embedder_names import fits
        from localrec.index.embedders import MiniLmEmbedder
        from localrec.understanding.question_roles import WEIGHTS, RoleTagger, encoder_of

        try:
            trained_on, embedder = encoder_of(), self.embedder
        except ModelError:
            return None
        if not isinstance(embedder, MiniLmEmbedder) or not fits(trained_on, embedder.name):
            return None
        return RoleTagger(WEIGHTS, embedder)

    @cached_property
    def image_embedder(self) -> ClipPair | None:
        """The model that embeds images; None where the settings name none.

        Raises:
            ModelError: its files are missing or do not fit.
        """
        from localrec.index.clip import open_image_model  # onnxruntime: 0.2 s

        named = self._settings.pictures
        return open_image_model(named, self._settings.threads or None) if named else None

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role; it starts when it is first asked something.

        Args:
            role: Role that it is opened for; a role that the settings do not bind is the chat
                model's.
            name: Another model for this once, whatever the settings say; "" for none.
            adapter: Another adapter for this once, likewise; None for the model without any, for a
                prompt that no adapter of the role was trained on.

        Raises:
            ModelError: its file is not here, or the adapter is for another model.
            UsageError: the adapter is for another role.
        """
        from localrec.llm.adapter_files import fitting_adapter
        from localrec.llm.model_catalog import model_path
        from localrec.llm.model_process import ModelProcess

        settings = self._settings
        bound = settings.holder_of(role)
        if not name and adapter == "":
            adapter = settings.adapters.get(role, "")  # type: ignore[call-overload]
        name = name or (settings.chat_model if bound == RULES else bound)
        opened = f"{name}+{adapter}" if adapter else name
        if opened not in self._opened:
            path = Path(name) if name.endswith(".gguf") else model_path(name)
            self._opened[opened] = ModelProcess(
                path,
                n_threads=settings.threads or None,
                adapter=fitting_adapter(adapter, role, path) if adapter else None,
                self_test=True,
            )
        return self._opened[opened]

    def adapter_of(self, role: str) -> str:
        """Name the adapter that the model of a role is opened with; "" without one."""
        return self._settings.adapters.get(role, "")  # type: ignore[call-overload]

    def open_vision(self) -> VisionModel:
        """Open the model that describes images, with its projector.

        Raises:
            ModelError: none is bound, or a file is not here.
        """
        from localrec.llm.model_process import ModelProcess

        name = self._settings.holder_of(VISION)
        if name == RULES:
            return no_vision()
        opened = f"vision:{name}"
        if opened not in self._opened:
            self._opened[opened] = ModelProcess(
                Path(name),
                projector=Path(self._settings.projector),
                n_threads=self._settings.threads or None,
            )
        return self._opened[opened]

    def _open_gguf(self, path: Path) -> ModelProcess:
        from localrec.llm.model_process import ModelProcess

        if not path.is_file():
            raise InputError(f"There is no file {path}.", "Name another embedder in settings.toml.")
        model = ModelProcess(path)
        self._opened[f"embedder:{path}"] = model
        return model


class ModelsWrapper:
    """Opens what other models open; whoever made those closes them."""

    def __init__(self, models: Models) -> None:
        self._models = models

    @property
    def embedder(self) -> Embedder:
        """The model that embeds texts."""
        return self._models.embedder

    @property
    def embedder_name(self) -> str:
        """The name on the vectors that the embedder makes."""
        return self._models.embedder_name

    @property
    def role_tagger(self) -> RoleTagger | None:
        """Tells the roles of a question's names; None without the model that it reads by."""
        return self._models.role_tagger

    @property
    def image_embedder(self) -> ClipPair | None:
        """The model that embeds images; None where the settings name none."""
        return self._models.image_embedder

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role."""
        return self._models.open(role, name, adapter)

    def adapter_of(self, role: str) -> str:
        """Name the adapter that the model of a role is opened with; "" without one."""
        return self._models.adapter_of(role)

    def open_vision(self) -> VisionModel:
        """Open the model that describes images."""
        return self._models.open_vision()

    def close(self) -> None:
        """Close nothing: the models belong to somebody else."""


class RecordingModels(ModelsWrapper):
    """Adds each call of a model to a list, with its prompt and its reply."""

    def __init__(self, models: Models, calls: list[ModelCall]) -> None:
        super().__init__(models)
        self._calls = calls

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role, recorded."""
        from localrec.llm.call_recording import RecordingModel

        return RecordingModel(super().open(role, name, adapter), role, self._calls)

    def open_vision(self) -> VisionModel:
        """Open the model that describes images, recorded."""
        from localrec.llm.call_recording import RecordingVisionModel

        return RecordingVisionModel(super().open_vision(), self._calls)


class FixedModels(ModelsWrapper):
    """Has one function open every chat model, whatever the settings bind to its role.

    Args:
        models: Open everything else.
        open_model: Role -> its model; may raise ModelError.
    """

    def __init__(self, models: Models, open_model: Callable[[str], ChatModel]) -> None:
        super().__init__(models)
        self._open_model = open_model

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role."""
        return self._open_model(role)


class NamedModels(ModelsWrapper):
    """Opens one chat model for every role, and remembers what was opened.

    Args:
        models: Open everything else.
        name: The model; "" for the one that the settings bind to the role.
        adapter: Its adapter, likewise.

    Attributes:
        opened: The names of the models that were opened, in this order.
    """

    def __init__(self, models: Models, name: str, adapter: str) -> None:
        super().__init__(models)
        self._name, self._adapter = name, adapter
        self.opened: list[str] = []

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role."""
        model = super().open(role, name or self._name, adapter or self._adapter or adapter)
        self.opened.append(model.name)
        return model

    def adapter_of(self, role: str) -> str:
        """Name the adapter that the model of a role is opened with; "" without one."""
        return self._adapter or ("" if self._name else super().adapter_of(role))


def no_vision() -> VisionModel:
    """Stand where no model was bound to describe images.

    Raises:
        ModelError: always.
    """
    raise ModelError(
        "No model looks at pictures here.", "Name one: localrec models use vision MODEL.gguf"
    )
