"""A worker killed at every step of its jobs, a hundred times: nothing is lost, nothing doubled.

One process loads the libraries once and forks a worker per life; each is a process of its own that
kills itself, for good, before the Nth thing it does to the store, or is killed from outside at a
moment of chance. What is left is compared with the work of a worker that nobody disturbed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from localrec.data.rows import Event
from localrec.graph.store import Store
from localrec.memory.job_queue import calls_of, counts_of
from localrec.memory.records import MemoryUpdate, pin_memory
from tests.planted import planted_store, write_memories

from .crowd_of_guests import node, says, worker

KILLS = 100
BY_CHANCE = 15
GUESTS = 24
_DRINKS = ("negroni", "mojito", "gimlet", "daiquiri", "nutty")

_DRIVER = """
import json, os, random, signal, sys, time
from pathlib import Path

import duckdb, numpy  # before the first fork, so that no life has to load them

from localrec.graph.store import Store
from localrec.memory import job_queue
from tests.memory.crowd_of_guests import diary, worker

job_queue.MOST_CLAIMS = 1_000  # no job is to blame here for the deaths of its workers
NEVER = -1
path, practice = Path(sys.argv[1]), Path(sys.argv[2])
kills, by_chance = int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(5)

def live(path, dies_at, limit, hold_s):
    steps = 0
    def step():
        nonlocal steps
        steps += 1
        if steps == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
    run, close = Store._run, Store.close
    def mortal_run(self, sql, values):
        step()
        return run(self, sql, values)
    def mortal_close(self):
        step()
        close(self)
    def mortal_update(job, read):
        step()
        thought = diary(job, read)
        step()
        return thought
    Store._run, Store.close = mortal_run, mortal_close
    worker(path, mortal_update, hold_s=hold_s).run_pending(limit)
    return steps

def begin(path, dies_at, limit=None, hold_s=0.0, waits=False):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, str(live(path, dies_at, limit, hold_s)).encode())
            if waits:
                signal.pause()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    os.close(writing)
    return child, reading

def end(life):
    child, reading = life
    status = os.waitpid(child, 0)[1]
    steps = os.read(reading, 64)
    os.close(reading)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    assert status == 0, status
    return int(steps)

# Once with the store opened for each moment, then held on to, which is four times as fast.
begun = time.monotonic()
steps = [end(begin(practice, NEVER, limit=1, hold_s=held)) for held in (0.0, 60.0)]
two_jobs_s = time.monotonic() - begun
for death in range(kills - by_chance):
    held = death >= steps[0]
    step = (death - steps[0]) % steps[1] if held else death
    assert end(begin(path, step + 1, hold_s=60.0 * held)) is None, "it outlived its step"
for _ in range(by_chance):
    # Within the time of two jobs, so that a fast machine too has work left for the last of them.
    life = begin(path, NEVER, waits=True)
    time.sleep(chance.uniform(0.0, two_jobs_s))
    os.kill(life[0], signal.SIGKILL)
    assert end(life) is None
assert end(begin(path, NEVER, hold_s=60.0)) is not None
print(json.dumps({"steps": steps}))
"""


def plant(folder: Path) -> None:
    """Events of many guests, two or three each; two memories from before, one of them pinned."""
    with planted_store(folder) as store:
        for number in range(GUESTS * 5 // 2):
            event = Event.DISLIKED if number % 7 == 0 else Event.LIKED
            says(store, f"guest {number % GUESTS}", _DRINKS[number * 3 % len(_DRINKS)], event)
        keys = ("guest 0", "negroni")
        write_memories(store, [MemoryUpdate(node_id=node(store, k), text="Before.") for k in keys])
        pin_memory(store, node(store, "negroni"))


def outcome(path: Path) -> dict[str, object]:
    """Everything that jobs leave behind, but for moments and how often they were begun."""
    with closing(Store.open_(path)) as store:
        return {
            "memories": store.rows(
                "SELECT node_id, version, text, facets, source, provenance, pinned FROM memory "
                "ORDER BY ALL"
            ),
            "jobs": store.rows(
                "SELECT job_id, user_id, item_id, event, state, claim, failures, calls, error, "
                "skipped, ended IS NOT NULL FROM job ORDER BY ALL"
            ),
            "counts": (counts_of(store), calls_of(store)),
            "interactions": store.rows("SELECT * FROM interaction ORDER BY ALL"),
        }


def test_a_hundred_deaths_leave_what_an_undisturbed_run_leaves(tmp_path):
    plant(tmp_path / "calm")
    calm, haunted, practice = (
        tmp_path / name / "store.duckdb" for name in ("calm", "haunted", "practice")
    )
    for copy in (haunted, practice):
        shutil.copytree(calm.parent, copy.parent)
    worker(calm, hold_s=60.0).run_pending()
    driver = subprocess.run(
        [sys.executable, "-c", _DRIVER, haunted, practice, str(KILLS), str(BY_CHANCE)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert driver.returncode == 0, driver.stderr
    steps = json.loads(driver.stdout)["steps"]
    assert min(steps) > 15
    assert sum(steps) <= KILLS - BY_CHANCE, "each step of a job is to be died at"
    expected = outcome(calm)
    assert expected["counts"][0]["done"] == GUESTS * 5 // 2
    assert outcome(haunted) == expected


_DEADLY = """
import os, signal, sys
from pathlib import Path
import duckdb, numpy
from tests.memory.crowd_of_guests import diary, worker

def deadly(job, read):
    if job.job_id == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return diary(job, read)

for _ in range(7):
    child = os.fork()
    if child == 0:
        worker(Path(sys.argv[1]), deadly).run_pending()
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_job_that_kills_every_worker_fails_and_lets_the_others_be_worked(tmp_path):
    with planted_store(tmp_path) as store:
        for user in ("ana", "bob"):
            says(store, user, "negroni")
    path = tmp_path / "store.duckdb"
    subprocess.run([sys.executable, "-c", _DEADLY, path], cwd=Path(__file__).parents[2], check=True)
    with closing(Store.open_(path, read_only=True)) as store:
        assert counts_of(store) == {"waiting": 0, "running": 0, "done": 1, "failed": 1}
