"""Run chunks of work by Ray, on all cores of this machine or on a cluster.

The results equal the local engine's, in the same order and to the last digit: a worker unpacks a
copy of the packed work and computes with as many threads as this process. The chunk of a lost
worker is done again.

A cluster started here listens on the loopback address alone, demands a token that only this process
and its children know, keeps its files in a folder for the owner, has no dashboard, reports no
usage, and ends with the engine. A running cluster is used as it is; its machines need the same
Python and localrec as this one.
"""

from __future__ import annotations

import io
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import _lru_cache_wrapper as _Cache
from functools import lru_cache
from pathlib import Path
from types import MethodType
from typing import Any, Generic, NamedTuple, cast

from localrec.engines.protocol import Chunk, Engine, Result
from localrec.foundation.errors import BusyError, LocalrecError, UsageError
from localrec.foundation.machine import usable_cores
from localrec.foundation.offline import SWITCHES, switch_off_network
from localrec.foundation.versions import versions_behind_figures
from localrec.graph.store import Store

_TRIES = 4  # a chunk whose worker dies every time would be tried for ever
_QUEUE = 2  # chunks for each worker, the one it works at among them: none waits for the next
_DONE = 4  # results for each chunk under way that may wait for an earlier one
_ANSWER_S = 60.0
_LONGEST_ERROR = 160  # letters

# Ray reads these when it is imported and started.
_ALONE = {
    # Made for other systems, understood on all: nodes are named, and ports opened, on loopback.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    # Otherwise Ray hides CUDA from work that asks for none, and what was fitted there is lost.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
_KNOCKS = "RAY_gcs_server_port_wait_time_s"
_JOINABLE = re.compile(r"auto|(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")
# What workers print goes to Ray's logs.
_QUIET = {"logging_level": "error", "log_to_driver": False}
# Sums are rounded differently by another number of threads.
_THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    "VECLIB_MAXIMUM_THREADS",
)


class RayEngine(Engine):
    """Send chunks to the Ray cluster of this process; `open_ray` makes one.

    Args:
        at_once: Chunks under way.
    """

    name = "ray"

    def __init__(self, at_once: int) -> None:
        self.redone = 0
        self._ray = _import_ray()
        self._at_once = at_once
        self._sent: tuple[Any, Any] | None = None  # the latest work, and its parcel
        # Lost workers are counted here: Ray would try again without a word.
        self._work_off = self._ray.remote(max_retries=0, num_cpus=1)(_work_off)

    def map(self, work: Callable[[Chunk], Result], chunks: Iterable[Chunk]) -> Iterator[Result]:
        """See `Engine`.

        Raises:
            UsageError: the work holds what no other process can have.
            LocalrecError: a chunk lost its worker time and again.
        """
        # Packed once and by ourselves: arrays that Ray unpacks may not be written to, which some
        # systems do when they score.
        if self._sent is None or self._sent[0] is not work:
            self._sent = work, self._ray.put(packed(work))  # a worker unpacks it once
        return self._in_order(self._sent[1], enumerate(chunks))

    def _in_order(self, parcel: Any, waiting: Iterator[tuple[int, Chunk]]) -> Iterator[Result]:
        # What is under way when nobody asks further runs to its end, or goes with the connection:
        # Ray can lose track of a task that is cancelled as it ends, and dies of it (2.60).
        under_way: dict[Any, _Task[Chunk]] = {}
        done: dict[int, Result] = {}
        place = 0
        while True:
            while len(under_way) < self._at_once and len(done) < _DONE * self._at_once:
                if (following := next(waiting, None)) is None:
                    break
                task = _Task(*following)
                under_way[self._send(parcel, task)] = task
            if place in done:
                yield done.pop(place)
                place += 1
            elif under_way:
                (ready,), _ = self._ray.wait(list(under_way), num_returns=1)
                task = under_way.pop(ready)
                if (lost := self._loss_of(ready, task, done)) is not None:
                    again = task.after(lost)
                    self.redone += 1
                    under_way[self._send(parcel, again)] = again
            else:
                return

    def _send(self, parcel: Any, task: _Task[Chunk]) -> Any:
        # Inside a list the parcel goes as it is; otherwise it would be fetched for every chunk.
        return self._work_off.remote([parcel], task.chunk)

    def _loss_of(
        self, ready: Any, task: _Task[Chunk], done: dict[int, Result]
    ) -> BaseException | None:
        """Store the result in `done`, or return how the worker was lost.

        Raises:
            Exception: what the work raised.
        """
        errors = self._ray.exceptions
        losses = (
            *(errors.WorkerCrashedError, errors.RayActorError, errors.NodeDiedError),
            *(errors.OutOfMemoryError, errors.ObjectLostError),
        )
        try:
            done[task.place] = self._ray.get(ready)
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, losses):  # the parcel was gone, not the worker
                return cast(BaseException, cause)
            raise (cause if isinstance(cause, BaseException) else error) from None
        except losses as error:
            return cast(BaseException, error)
        return None


class _Task(NamedTuple, Generic[Chunk]):
    """A chunk, its place among all, and the number of its lost workers."""

    place: int
    chunk: Chunk
    losses: int = 0

    def after(self, lost: BaseException) -> _Task[Chunk]:
        """Return the task with one more attempt.

        Raises:
            LocalrecError: that was often enough.
        """
        if self.losses + 1 == _TRIES:
            raise LocalrecError(
                f"A chunk of the work lost its Ray worker {_TRIES} times: {line_of(lost)}.",
                "If memory was short, take fewer --workers or smaller chunks.",
            ) from lost
        return self._replace(losses=self.losses + 1)


@contextmanager
def open_ray(workers: int | None, address: str | None) -> Iterator[RayEngine]:
    """Connect to a cluster, or start one, for as long as the block runs; see `open_engine`."""
    with _joined(address, workers) if address else _started(workers or usable_cores()) as at_once:
        yield RayEngine(at_once)


@contextmanager
def _started(workers: int) -> Iterator[int]:
    """Start a cluster on this machine; return how many chunks may run at once."""
    token = secrets.token_hex(32)
    # Paths of sockets may have 107 letters, which a folder for temporary files can use up.
    short = "/tmp" if Path("/tmp").is_dir() else None
    with (
        tempfile.TemporaryDirectory(
            prefix="localrec-", dir=short, ignore_cleanup_errors=True
        ) as folder,
        _environment({**_ALONE, "RAY_AUTH_TOKEN": token}),
        _connected(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            # Ray opens its folder to everybody; ours around it stays shut.
            _temp_dir=str(Path(folder, "ray")),
        ) as context,
    ):
        if context.address_info["node_ip_address"] != "127.0.0.1":
            raise LocalrecError(
                "This version of Ray would listen on the network.", "Use --engine local."
            )
        yield _QUEUE * workers


@contextmanager
def _joined(address: str, workers: int | None) -> Iterator[int]:
    """Join a running cluster; return how many chunks may run at once.

    Raises:
        UsageError: it is none that can be joined.
    """
    if not _JOINABLE.fullmatch(address):
        # "local" would start one that the network can reach, without any of the above.
        raise UsageError(
            f"{address!r} is no address of a Ray cluster that runs already.",
            'Name its HOST:PORT, or "auto"; leave --address out to start one here.',
        )
    # Ray would knock at a wrong address for a quarter of an hour.
    once = {_KNOCKS: os.environ.get(_KNOCKS, "1")}
    with _environment(once), _connected(address=address):
        _see_that_they_are_alike()
        cores = int(_import_ray().cluster_resources().get("CPU", 1))
        yield workers or _QUEUE * cores


@contextmanager
def _connected(**options: Any) -> Iterator[Any]:
    ray = _import_ray()
    with redirect_stdout(sys.stderr):  # where Ray tells of lost workers; our stdout is data
        try:
            yield _connect(ray, options)
        finally:
            ray.shutdown()


def _connect(ray: Any, options: dict[str, Any]) -> Any:
    try:
        return ray.init(runtime_env={"env_vars": _environment_of_workers()}, **_QUIET, **options)
    except (RuntimeError, OSError, ValueError, ray.exceptions.RayError) as error:
        if options["address"] == "local":
            raise LocalrecError(
                f"Ray does not start: {line_of(error)}.", "Use --engine local."
            ) from error
        raise UsageError(
            f"There is no Ray cluster for us at {options['address']}: {line_of(error)}.",
            "Start one with ray start, or leave --address out.",
        ) from error


def _see_that_they_are_alike() -> None:
    """Check that all machines of the cluster have the same package versions as this one.

    Raises:
        UsageError: one has not.
        BusyError: one does not answer.
    """
    ray = _import_ray()
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ours = versions_behind_figures()
    on_nodes = ray.remote(max_retries=0, num_cpus=0)(versions_behind_figures)
    for node in ray.nodes():
        if not (node["Alive"] and node["Resources"].get("CPU")):
            continue
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        try:
            theirs = ray.get(
                on_nodes.options(scheduling_strategy=there).remote(), timeout=_ANSWER_S
            )
        except ray.exceptions.GetTimeoutError as error:
            raise BusyError(
                f"The Ray node {node['NodeManagerAddress']} does not answer.", "Try again later."
            ) from error
        except ray.exceptions.RayError as error:
            raise UsageError(
                f"The Ray node {node['NodeManagerAddress']} cannot run localrec: "
                f"{line_of(error, -1)}.",
                "Install the same localrec there.",
            ) from error
        other = sorted(name for name in ours if ours[name] != theirs.get(name))
        if other:
            raise UsageError(
                f"The Ray node {node['NodeManagerAddress']} has another {', '.join(other)}.",
                "Install the same versions there.",
            )


def _work_off(packed: list[Any], chunk: Any) -> Any:
    """Process one chunk (runs in a worker)."""
    return _fetched(packed[0])(chunk)


@lru_cache(maxsize=1)  # a worker meets the same parcel with every chunk of a system
def _fetched(parcel: Any) -> Callable[[Any], Any]:
    return unpacked(_import_ray().get(parcel))


def _import_ray() -> Any:
    """Import Ray, which reads its switches then and takes a second.

    Raises:
        UsageError: it is not installed.
    """
    switch_off_network()
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise UsageError(
            "The engine ray needs Ray, which is not installed.",
            "Install it: pip install 'localrec[ray]'",
        ) from error
    return ray


def _environment_of_workers() -> dict[str, str]:
    """Return environment variables for machines that do not inherit them."""
    wanted = {name: os.environ[name] for name in (*_THREADS, *SWITCHES) if name in os.environ}
    return {"OMP_NUM_THREADS": str(usable_cores()), **wanted}


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def packed(work: Callable[[Chunk], Result]) -> bytes:
    """Serialise the work for workers.

    Raises:
        UsageError: it holds what no other process can have.
    """
    from ray.cloudpickle import CloudPickler  # an extra, and slow to import

    class Packer(CloudPickler):
        """Serialise objects that pickle cannot, but that can be made anew."""

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
            f"own: {line_of(error)}.",
            "Use --engine local.",
        ) from error


def unpacked(parcel: bytes) -> Callable[[Any], Any]:
    """Deserialise the work in a worker of the same run.

    Raises:
        UsageError: it cannot be made again in this process.
    """
    from ray import cloudpickle  # as above

    try:
        return cast(Callable[[Any], Any], cloudpickle.loads(parcel))
    except Exception as error:  # a foreign class may raise anything when it is made again
        raise UsageError(
            f"It does not work in a Ray worker: {line_of(error)}.",
            "Use --engine local.",
        ) from error


def line_of(error: BaseException, place: int = 0) -> str:
    """Return one line of an error, by default the first; the kind of an error without a text.

    The message of what was raised on a node is the last line, below the traceback.
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[place].rstrip(".")[:_LONGEST_ERROR]


def _open_again(path: str) -> Store:
    return Store.open_(Path(path), read_only=True)


def _cache_again(method: Callable[..., Any], size: int | None) -> Callable[..., Any]:
    """Return a copy of an object with an empty cache."""
    return lru_cache(size)(method)
