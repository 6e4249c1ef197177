"""What the tests of the Ray engine run in processes of their own: Ray needs sockets on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from localrec.evaluation import ray_engine
from localrec.evaluation.execution import open_engine
from localrec.foundation.errors import InputError, LocalrecError, UsageError

from .crowd import FAKES, Fake, config, measure

SYSTEMS = ("ease", "naive-bayes", {"name": "auto", "kind": "ranker"})
JOIN = "import sys; from tests.evaluation.ray_runs import join; join(sys.argv[1])"


class Mortal(Fake):
    """Takes the worker along that is first to ask it about p07, and answers whoever comes next."""

    def __init__(self, keyed, grave):
        super().__init__(keyed)
        self.marked, self.grave = keyed.user_keys.tolist().index("p07"), grave
        self.home = os.getpid()

    def score(self, requests):
        if self.marked in requests.user and os.getpid() != self.home and not self.grave.exists():
            self.grave.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().score(requests)


def main(crowd, out):
    """All that one start of Ray is asked; prints what came of it as JSON."""
    crowd, out = Path(crowd), Path(out)
    FAKES["mortal"] = lambda keyed: Mortal(keyed, out / "grave")
    declared = config(*SYSTEMS, "mortal", chunk=4)
    measure(crowd, out / "local", declared)
    environment = dict(os.environ)
    with open_engine("ray", 2) as engine:
        measure(crowd, out / "ray", declared, engine=engine)
        found = {"redone": engine.redone} | state_of_ray() | work_of(engine)
        found["joined"] = joined_from_elsewhere()
    found["left_over"] = [str(out) for out in (Path(found["folder"]),) if out.exists()]
    found["children"] = len(children())
    found["set"] = sorted(os.environ.keys() - environment.keys())
    json.dump(found, sys.stdout)


def children():
    """The processes that this one started, and those that they started."""
    import psutil  # comes with Ray

    return psutil.Process().children(recursive=True)


def state_of_ray():
    """What others could see of it."""
    import ray
    from ray._common.usage.usage_lib import usage_stats_enabled

    node = ray._private.worker._global_node
    folder = Path(node.get_session_dir_path()).parents[1]
    listening = {
        one.laddr.ip.removeprefix("::ffff:")
        for process in children()
        for one in process.net_connections("inet")
        if one.status == "LISTEN"
    }
    return {
        "listening": sorted(listening),
        "dashboard": node.webui_url,
        "reports_use": usage_stats_enabled(),
        "folder": str(folder),
        "mode": folder.stat().st_mode & 0o777,
    }


def work_of(engine):
    """What becomes of work that is no system's."""
    given = iter(range(1_000))
    results = engine.map(threads, given)
    first = next(results)
    ahead = next(given)
    results.close()  # what is under way is lost, and the engine goes on
    writable = np.zeros(100_000)
    return {
        "threads": [first, threads(0)],
        "ahead": ahead,
        "order": list(engine.map(lambda one: one * one, range(20))),
        "writable": list(engine.map(lambda one: bool(writable.flags.writeable), [0])),
        "raised": told_by(lambda: list(engine.map(fail, range(3)))),
        "locked": told_by(lambda: list(engine.map(threading.Lock().acquire, range(3)))),
        "deadly": told_by(lambda: list(engine.map(die, [1]))),
    }


def threads(chunk):
    """How many threads sum up."""
    return sorted({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})


def fail(chunk):
    """Work that raises."""
    if chunk == 1:
        raise InputError("Chunk 1 is no good.", "Take another.")
    return chunk


def die(chunk):
    """Work that no worker survives."""
    os.kill(os.getpid(), signal.SIGKILL)


def told_by(call):
    """The kind of an error, and its words."""
    ray_engine._TRIES = 2  # each costs the start of a worker
    try:
        call()
    except (LocalrecError, UsageError) as error:
        return [type(error).__name__, str(error)]
    return None


def joined_from_elsewhere():
    """A second process uses the cluster of this one, and leaves it running."""
    import ray

    address = ray.get_runtime_context().gcs_address
    ended = subprocess.run(
        [sys.executable, "-c", JOIN, address], capture_output=True, text=True, check=False
    )
    return [ended.stdout, ended.stderr, ray.is_initialized()]


def join(address):
    """Work for a cluster that runs already."""
    with open_engine("ray", address=address) as engine:
        found = list(engine.map(lambda one: one + 1, range(5)))
    json.dump(found, sys.stdout)
