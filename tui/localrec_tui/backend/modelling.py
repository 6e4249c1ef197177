"""What the Models room asks: which models there are, who plays which role, how fast one is."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from localrec_tui.backend.base import Progress, Request


class ModelFound(msgspec.Struct, frozen=True, kw_only=True):
    """A model that localrec knows by name; `size` of its files in bytes, `here`: pulled."""

    name: str
    title: str
    kind: str
    licence: str
    size: int
    here: bool


class RolePlayed(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays a role; `player` is "" where nobody chose and the measured best does."""

    role: str
    player: str
    adapter: str = ""


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a model and the memory it holds, in bytes; None: the system does not say."""

    name: str
    memory: int | None


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a model is here: seconds to load, tokens per second read and written."""

    name: str
    load_s: float
    read_per_s: float
    written_per_s: float
    memory: int | None


class Modelling(Protocol):
    """The models of this machine, and their roles in a workspace.

    Raises `LocalrecError`s as `Backend` does.
    """

    def models(self) -> tuple[ModelFound, ...]:
        """The catalogue, in its order."""
        ...

    def roles(self) -> tuple[RolePlayed, ...]:
        """Every role, the chat model first."""
        ...

    def running(self) -> tuple[Running, ...]:
        """The models that run for this app."""
        ...

    def check(self, name: str) -> Literal["missing", "ok", "damaged"]:
        """Whether a model's files are whole; reads every byte."""
        ...

    def use(self, role: str, name: str) -> None:
        """Let a model play a role from the next question on."""
        ...

    def pull(self, name: str, request: Request, heard: Progress) -> None:
        """Fetch a model, in a process of its own: the only thing here that uses a network.

        Raises:
            ModelCancelledError: the request was stopped; nothing half done is kept.
        """
        ...

    def measure(self, name: str, request: Request, heard: Progress) -> Speed:
        """Load a model that is here into a process of its own, and time it.

        Raises:
            ModelCancelledError: the request was stopped.
        """
        ...

    def stop(self, request: Request) -> None:
        """Stop a pull or a measurement; does not wait."""
        ...
