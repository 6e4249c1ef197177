"""Writes that fail and processes that are killed, at each place of each kind of work.

A shim in C, compiled here and loaded before the program, makes one write, sync, truncation or move
of a process fail once (no room, or an error of the disk), or kills the process with -9 there. After
that the store holds what it held before or all of what was to come, its checks find nothing, and
the same work done again comes to its end. A failed write is told in a sentence, or ends in exit
code 70 with a report.

    python scripts/studies/run.py disk_faults --failures 3000 --kills 1000 --report
    python scripts/studies/run.py disk_faults --failures 100 --kills 50
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

import msgspec
from findings import Findings, origin_of, say
from store_walk import WorkspaceWalk
from walk_model import Step, StoreModel, stored

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

_HERE = Path(__file__).resolve().parent
_LOADED = "LOCALREC_STUDY_DISK"  # names the compiled shim in the process that has it loaded
_ERRORS = (errno.ENOSPC, errno.EIO)
_BEFORE = (
    Step("drinks", names=("Negroni", "Gimlet")),
    Step("films", "bob", ("Heat", "Fargo"), number=2.0),
    Step("feedback", "anna", ("Negroni",), "liked", 2.0),
    Step("feedback", "bob", ("Heat",), "liked", 2.0),
    Step("edit", "anna", (), "cocktails", 3.0),
)
_WORK = (
    Step("drinks", names=("Negroni", "Daiquiri")),
    Step("films", "anna", ("Ronin", "Heat"), number=4.0),
    Step("books", "anna", ("Dune",), "fine", 5.0),
    Step("ratings", names=("Alpha Dog", "Beta Test"), number=4.0),
    Step("feedback", "anna", ("Gimlet",), "rated", 3.5),
    Step("undo", "bob"),
    Step("shelve", "anna", ("gin",)),
    Step("edit", "bob", (), "movies", 1.0),
    Step("forget", "bob"),
    Step("forget_item", names=("Negroni",)),
    Step("work"),
    Step("learn"),
    Step("pictures", "", ("Negroni", "Gimlet"), "cocktails", 3.0),
    Step("domain_new"),
    Step("export", "bob", (), "movies"),
    Step("backup"),
    Step("restore"),
    Step("go_back"),
)


class KindFaults(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one kind of work.

    Args:
        places: How many writes, syncs, truncations and moves it does.
        failed: How many of them were made to fail.
        told: How many of those ended in a sentence.
        reported: How many ended in exit code 70 with a report.
        passed: How many the work came to its end without.
        killed: How many processes were killed at one.
    """

    places: int
    failed: int
    told: int
    reported: int
    passed: int
    killed: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run: each kind of work, and each fault that left something wrong."""

    origin: Origin
    kinds: dict[str, KindFaults]
    harmful: list[str]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--failures", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)


def measure(asked: argparse.Namespace) -> Findings:
    """Run in a process that has the shim loaded."""
    if _LOADED not in os.environ:
        return _measure_loaded(asked)
    figures = measure_faults(asked.failures, asked.kills, asked.seed)
    os.write(int(os.environ["LOCALREC_STUDY_OUT"]), msgspec.json.encode(figures))
    return Findings(text="")


def _measure_loaded(asked: argparse.Namespace) -> Findings:
    """Start this study once more with the shim, and take its figures."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        shim = Path(folder) / "failing_disk.so"
        compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
        source = _HERE / "failing_disk.c"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
        options = [f"--failures={asked.failures}", f"--kills={asked.kills}", f"--seed={asked.seed}"]
        subprocess.run(
            [sys.executable, _HERE / "run.py", "disk_faults", *options],
            env={
                **os.environ,
                "LD_PRELOAD": str(shim),
                _LOADED: str(shim),
                "LOCALREC_STUDY_OUT": str(out.fileno()),
                "LOCALREC_LEARN": "off",
            },
            pass_fds=[out.fileno()],
            check=True,
        )
        out.seek(0)
        figures = msgspec.json.decode(out.read(), type=Figures)
    return Findings(
        text=_text(figures),
        page="../reliability",
        block="disk-faults",
        figures=figures,
        exit_code=int(bool(figures.harmful)),
    )


def measure_faults(failures: int, kills: int, seed: int) -> Figures:
    """Fail and kill, evenly over all kinds of work, at drawn places."""
    shim = ctypes.CDLL(os.environ[_LOADED])
    drawn = random.Random(seed)
    walk = WorkspaceWalk()
    walk.folder.mkdir(mode=0o700)
    settings = walk.folder / "settings.toml"
    settings.write_text(walk.model.settings, encoding="utf-8")
    settings.chmod(0o600)
    for step in (
        *_BEFORE,
        Step("backup"),
        Step("feedback", "anna", ("Heat",), "seen"),
        Step("restore"),
    ):
        walk._do(step, *walk._expected(step))
    walk._do(_BEFORE[2], *walk._expected(_BEFORE[2]))
    bench = _Bench(walk, shim)
    for step in _WORK:
        if step.kind != "learn":  # its libraries start threads, which no child would have
            bench.warm_up(step)
    kinds, harmful = {}, []
    for step in _WORK:
        say(f"{step.kind}")
        places = bench.places(step)
        counts: Counter[str] = Counter()
        for number in range(-(-failures // len(_WORK))):
            at, error = drawn.randrange(places), _ERRORS[number % len(_ERRORS)]
            counts[bench.fail(step, at, error, harmful)] += 1
        killed = sum(
            bench.kill(step, drawn.randrange(places), harmful)
            for _ in range(-(-kills // len(_WORK)))
        )
        kinds[step.kind] = KindFaults(
            places=places,
            failed=sum(counts.values()),
            told=counts["told"],
            reported=counts["reported"],
            passed=counts["passed"],
            killed=killed,
        )
    walk.teardown()
    return Figures(
        origin=origin_of("disk_faults", f"--failures {failures} --kills {kills} --seed {seed}"),
        kinds=kinds,
        harmful=harmful,
    )


class _Bench:
    """Does a step again and again from the same workspace, in processes of its own."""

    def __init__(self, walk: WorkspaceWalk, shim: ctypes.CDLL) -> None:
        self._walk, self._shim = walk, shim
        self._base = walk.home / "base"
        shutil.copytree(walk.folder, self._base)
        self._backup = walk.home / "backup.zip"
        self._packed = self._backup.read_bytes()
        self._model = walk.model.copy()
        self._copies = dict(walk.copies)
        self._then = walk.model

    def places(self, step: Step) -> int:
        """How many calls a step makes that may fail."""
        self._reset()
        _, self._then = _expected(self._walk, step)  # a way back leads elsewhere once it was gone
        code, counted, _ = self._in_child(step, -1, 0)
        assert code == 0, f"{step} exits with {code} where nothing fails"
        return counted

    def warm_up(self, step: Step) -> None:
        """Do a step once in this process, so that its children have all modules."""
        self._reset()
        code = self._walk._run(*_line(self._walk, step))
        assert code == 0, f"{step} exits with {code}: {self._walk.told}"

    def fail(self, step: Step, at: int, error: int, harmful: list[str]) -> str:
        """Let a call fail; how the command ended."""
        self._reset()
        code, _, told = self._in_child(step, at, error)
        what = f"{step.kind}, call {at} fails with {errno.errorcode[error]}"
        if code not in (0, 1, 3, 70) or "Traceback" in told:
            harmful.append(f"{what}: exit code {code}, {told[-200:]}")
        if code == 70:
            for report in (self._walk.folder / "logs").glob("crash-*.txt"):
                say(f"{what}: {report.read_text(encoding='utf-8')}")
        if code == 70 and "file the report" not in told:
            harmful.append(f"{what}: no report, {told[-200:]}")
        self._look(step, what, harmful, done=code == 0)
        return {0: "passed", 70: "reported"}.get(code, "told")

    def kill(self, step: Step, at: int, harmful: list[str]) -> bool:
        """Kill at a call; whether it came to that."""
        self._reset()
        code, _, _ = self._in_child(step, at, 0)
        self._look(step, f"{step.kind}, killed at call {at}", harmful, done=False)
        return code < 0

    def _reset(self) -> None:
        shutil.rmtree(self._walk.folder)
        shutil.copytree(self._base, self._walk.folder)
        self._backup.write_bytes(self._packed)
        self._walk.model, self._walk.copies = self._model.copy(), dict(self._copies)

    def _look(self, step: Step, what: str, harmful: list[str], *, done: bool) -> None:
        """The store is the old or the new one, sound, and the same work comes to its end."""
        walk = self._walk
        try:
            then = self._then.copy()
            found = stored(walk.folder)
            wanted = [then.shape()] if done else [walk.model.shape(), then.shape()]
            assert found in wanted, "the store holds something else"
            if found != then.shape():
                assert self._in_child(step, -1, 0)[0] == 0, "it does not work any more"
            walk.model = then
            walk.check()
        except BaseException as error:  # noqa: BLE001 - counted as what the fault did
            where = traceback.extract_tb(error.__traceback__)[-1]
            harmful.append(f"{what}: {error} ({where.name})"[:400])

    def _in_child(self, step: Step, at: int, error: int) -> tuple[int, int, str]:
        """Do a step in a process whose disk fails: exit code or minus the signal, calls, words."""
        read, write = os.pipe()
        child = os.fork()
        if not child:
            self._child(step, at, error, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            content = pipe.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return -os.WTERMSIG(status), 0, ""
        code, counted, told = msgspec.json.decode(content, type=tuple[int, int, str])
        return code, counted, told

    def _child(self, step: Step, at: int, error: int, write: int) -> None:
        told, code = "", 99
        try:
            line = _line(self._walk, step)
            self._shim.disk_arm(ctypes.c_long(at), ctypes.c_int(error))
            code = self._walk._run(*line)
            told = self._walk.told
        except BaseException:  # noqa: BLE001 - told to the parent
            told = traceback.format_exc()
        counted = self._shim.disk_count()
        self._shim.disk_arm(ctypes.c_long(-1), ctypes.c_int(0))
        os.write(write, msgspec.json.encode((code, counted, told[-2000:])))
        os._exit(0)


def _line(walk: WorkspaceWalk, step: Step) -> list[str]:
    return ["learn", "--domain", "movies"] if step.kind == "learn" else walk._line(step)


def _expected(walk: WorkspaceWalk, step: Step) -> tuple[int | None, StoreModel]:
    return (0, walk.model.copy()) if step.kind == "learn" else walk._expected(step)


def _text(figures: Figures) -> str:
    head = ["work", "places", "made to fail", "told", "reported", "passed", "killed"]
    rows = [
        [
            kind,
            *(
                f"{count:,}"
                for count in (
                    one.places, one.failed, one.told, one.reported, one.passed, one.killed,
                )
            ),
        ]
        for kind, one in figures.kinds.items()
    ]  # fmt: skip
    failed = sum(one.failed for one in figures.kinds.values())
    killed = sum(one.killed for one in figures.kinds.values())
    harm = "".join(f"\n- {one}" for one in figures.harmful[:20])
    return (
        f"{markdown_table(head, rows)}\n\n{failed:,} failed calls and {killed:,} kills left "
        f"{len(figures.harmful):,} stores that were neither the old nor the new one, not sound, or "
        f"where the same work did not come to its end.{harm}\n\nMade by {figures.origin.as_text()}"
    )
