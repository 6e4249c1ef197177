"""What the tests of the Ray engine run in processes of their own: Ray needs sockets on loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from localrec.cli.app import run
from localrec.engines import execution, ray_engine, workspace_work
from localrec.engines.execution import LocalEngine, open_engine
from localrec.foundation.errors import InputError, LocalrecError, UsageError
from localrec.workspace import OpenWorkspace

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
        found |= ranked_by_command(engine, crowd, out) | embedded_by_command(engine, crowd, out)
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


class MortalRank(workspace_work.RankWork):
    """Takes the first worker that ranks with it."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.home, self.grave = os.getpid(), Path(os.environ["GRAVE"])

    def __call__(self, requests):
        if os.getpid() != self.home and not self.grave.exists():
            self.grave.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(requests)


def ranked_by_command(engine, crowd, out):
    """The files of `rank`, by this process and by workers, one of which is killed."""
    workspace_work.RankWork = MortalRank
    os.environ["GRAVE"] = str(out / "grave-of-rank")
    films = [f"f{film:02}" for film in range(40)]
    lines = [
        {"id": one, "candidates": films[one % 7 :], "history": films[one : one + 5]}
        for one in range(30)
    ]
    lines += [{"id": f"u{one}", "candidates": films, "user": f"p{one:02}"} for one in range(30)]
    batch = out / "requests.jsonl"
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    lost, files = engine.redone, []
    for name in ("local", "ray"):
        into = out / f"rankings-{name}.jsonl"
        command = ("--workspace", crowd, "rank", "--batch", batch, "--out", into)
        run_with(engine, *command, "--engine", name)
        files.append(into.read_text("utf-8"))
    return {"rankings": files, "ranked_again": engine.redone - lost}


def embedded_by_command(engine, crowd, out):
    """The vectors of `index`, by this process and by workers."""
    told, shared = [], Counted(engine)
    for name in ("local", "ray"):
        bare = Path(shutil.copytree(crowd, out / f"bare-{name}"))
        with OpenWorkspace(bare, writable=True) as opened:
            opened.store.execute("DELETE FROM embedding")
        run_with(shared, "--workspace", bare, "index", "--engine", name)
        with OpenWorkspace(bare) as opened:
            rows = opened.store.rows("SELECT * FROM embedding ORDER BY ALL")
        told.append([[str(cell) for cell in row] for row in rows])
    return {"vectors": told, "chunks_of_texts": shared.chunks}


class Counted:
    """An engine that counts what it is given."""

    name, redone = "ray", 0

    def __init__(self, engine):
        self.engine, self.chunks = engine, 0

    def map(self, work, chunks):
        for result in self.engine.map(work, chunks):
            self.chunks += 1
            yield result


def run_with(engine, *arguments):
    """A command, whose workers are those of an engine that is open."""
    execution.open_engine = lambda name, *_: nullcontext(engine if name == "ray" else LocalEngine())
    code = run([str(one) for one in arguments])
    assert code == 0, arguments


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
