"""Work for Ray's workers: packed here, unpacked there, with what Python alone cannot take apart.

What is packed is code, so that unpacking runs it. This is the one place where localrec does so: a
parcel goes from the process that packed it to workers of the same run and never lies in a file; who
can put another in its place runs the cluster, and may run there what they like in any case.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import _lru_cache_wrapper as _Cache
from functools import lru_cache
from pathlib import Path
from types import MethodType
from typing import Any, cast

from localrec.errors import UsageError
from localrec.evaluation.engines import Chunk, Result
from localrec.graph.store import Store

_LONGEST_ERROR = 160  # letters


def packed(work: Callable[[Chunk], Result]) -> bytes:
    """Work as a parcel for workers.

    Raises:
        UsageError: it holds what no other process can have.
    """
    from ray.cloudpickle import CloudPickler  # an extra, and slow to import

    class Packer(CloudPickler):
        """Takes apart what Python does not, but can be made anew."""

        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, Store):
                return _open_again, (str(thing.path.absolute()),)
            if isinstance(thing, _Cache) and isinstance(thing.__wrapped__, MethodType):
                return _cache_again, (thing.__wrapped__, thing.cache_parameters()["maxsize"])
            return super().reducer_override(thing)

    parcel = io.BytesIO()
    try:
        Packer(parcel).dump(work)
        return parcel.getvalue()
    except Exception as error:  # a foreign class may raise anything when it is packed
        raise UsageError(
            "It holds what a Ray worker cannot share, such as a local model in a process of its "
            f"own: {first_line_of(error)}.",
            "Measure it with --engine local.",
        ) from error


def unpacked(parcel: bytes) -> Callable[[Any], Any]:
    """The work in a parcel, as a worker of the same run gets it.

    Raises:
        UsageError: it cannot be made again in this process.
    """
    from ray import cloudpickle  # as above

    try:
        return cast(Callable[[Any], Any], cloudpickle.loads(parcel))
    except Exception as error:  # a foreign class may raise anything when it is made again
        raise UsageError(
            f"It does not work in a Ray worker: {first_line_of(error)}.",
            "Measure it with --engine local.",
        ) from error


def first_line_of(error: BaseException) -> str:
    """What an error says first, or its kind where it says nothing; no longer than a line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")[:_LONGEST_ERROR]


def _open_again(path: str) -> Store:
    return Store.open_(Path(path), read_only=True)


def _cache_again(method: Callable[..., Any], size: int | None) -> Callable[..., Any]:
    """An object's own cache, empty."""
    return lru_cache(size)(method)
