"""A machine that walks a workspace: random steps by hypothesis, held against a model after each.

Steps go through the command line or the Python API, or through a process that is killed half way;
the clock jumps in between, and backups are made and put back. After each step the store holds what
the model says, the checks of `localrec doctor` find nothing, and no scrap lies in the folder.
"""

from __future__ import annotations

import contextlib
import datetime as real_datetime
import io
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import duckdb
import typer
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from walk_faults import ShiftedClock, deadly_after, set_clock
from walk_files import file_of
from walk_model import (
    BOOKS,
    DRINKS,
    FILMS,
    OWN,
    PARTS,
    POOL,
    RATED,
    USERS,
    WINES,
    Step,
    StoreModel,
    stored,
    stored_in,
)

from localrec import LocalrecError, Workspace
from localrec.cli import app as cli
from localrec.cli.commands import whole_program
from localrec.foundation.paths import owner_only
from localrec.foundation.record_files import sha256_of
from localrec.foundation.settings import SETTINGS_FILE, load_settings
from localrec.graph.journal import STORE, open_settled
from localrec.graph.kept_copies import kept_copies
from localrec.graph.sequences import sequence_states
from localrec.graph.store_checks import orphan_rows, repeated_rows, try_writing

_SETTINGS = 'embedder = "hashing"\n'
_PROGRAM = typer.main.get_command(whole_program())  # made once, not at each step
cli.program_for = lambda _: _PROGRAM
counts: Counter[str] = Counter()  # steps by kind and how they ended, over all walks


class Turn(NamedTuple):
    """What is done next, and how.

    Args:
        step: What.
        how: By a command "line", by the "api", or in a process that suffers a "kill".
        after: How many statements, syncs and moves a killed process may do.
    """

    step: Step
    how: str
    after: int


def draw_turn(seed: str) -> Turn:
    """A turn out of a text; every kind of step is as likely as its weight."""
    draw = random.Random(seed)
    kind = draw.choice(_KINDS)
    user, domain = draw.choice(USERS), draw.choice(("cocktails", "movies", "books"))
    item = draw.choice(("Negroni", "Gimlet", "Heat", "Dune", "Alpha Dog", "Rioja"))
    step = Step(kind)
    if kind in _POOLS:
        names = tuple(draw.sample(_POOLS[kind], draw.randint(1, len(_POOLS[kind]))))
        whose = "" if kind in ("drinks", "ratings", "wines") else user
        note = draw.choice(("", "fine")) if kind == "books" else ""
        step = Step(kind, whose, names, note, float(draw.randint(1, 5)))
    elif kind == "feedback":
        verdict = draw.choice(("liked", "disliked", "seen", "later", "rated"))
        step = Step(kind, user, (item,), verdict, draw.choice((0.5, 2.0, 3.5, 5.0)))
    elif kind == "undo":
        step = Step(kind, user, (item,) if draw.random() < 0.3 else ())
    elif kind in ("shelve", "unshelve"):
        step = Step(kind, user, tuple(draw.sample(PARTS, draw.randint(1, 2))))
    elif kind in ("edit", "pin", "unpin", "export", "forget", "recommend", "index", "learn", "use"):
        step = Step(kind, user, (), domain, float(draw.randint(1, 9)))
    elif kind == "pictures":
        step = Step(kind, "", ("Negroni", "Gimlet", item), "cocktails", float(draw.randint(1, 9)))
    elif kind == "forget_item":
        step = Step(kind, names=(item,))
    elif kind == "around":
        step = Step(kind, "", (), str(draw.randint(1, 3)), draw.choice((-400, -1, 0, 1, 4000)))
    after = draw.randint(0, draw.choice((8, 30, 90)))  # steps have few statements, or many
    return Turn(step, draw.choice(("line", "line", "api", "kill", "kill")), after)


_POOLS = {
    "drinks": [one.name for one in DRINKS],
    "films": [one.name for one in FILMS],
    "books": [one.name for one in BOOKS],
    "ratings": [one.name for one in RATED],
    "wines": [one.name for one in WINES],
}
_KINDS = (
    *("drinks", "films", "films", "books", "ratings"),
    *("feedback",) * 8,
    *("undo",) * 4,
    *("shelve", "shelve", "unshelve", "edit", "edit", "pin", "unpin"),
    *("domain_new", "domain_new", "wines", "wines", "domain_remove", "pictures", "pictures"),
    *("index", "learn", "rebuild", "describe", "evaluate", "use", "upgrade"),
    *("forget",) * 3,
    *("forget_item", "backup", "restore", "go_back"),
    *("work", "ask", "recommend", "export", "export", "around", "around"),
)


class WorkspaceWalk(RuleBasedStateMachine):
    """One walk over a fresh workspace."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="localrec-walk-"))
        self.folder = self.home / "workspace"
        self.model = StoreModel(settings=_SETTINGS)
        self.taken = 0
        self.saved: StoreModel | None = None
        self.copies: dict[str, StoreModel] = {}  # what each kept copy of the store holds
        self.desk = Workspace(self.folder, hold_s=0.0)

    @initialize(filled=st.booleans())
    def begin(self, filled: bool) -> None:
        """Make the folder, empty or with a few items."""
        with owner_only():
            self.folder.mkdir()
            (self.folder / "settings.toml").write_text(_SETTINGS, encoding="utf-8")
        if filled:
            for step in _BEGINNING:
                self._do(step, *self.model.after(step))

    def teardown(self) -> None:
        """Remove everything."""
        self.desk.close()
        ShiftedClock.shift = real_datetime.timedelta()
        set_clock(real_datetime.datetime)
        shutil.rmtree(self.home)

    @rule(seed=st.integers(0, 2**32))
    def take(self, seed: int) -> None:
        """Take one step, by the command line, by the API, or in a process that is killed."""
        self.taken += 1
        step, how, after = turn = draw_turn(f"{seed}, {self.taken}")
        note(f"step {self.taken}: {turn}")
        if step.kind == "around":
            self._change_around(step)
            return
        code, then = self._expected(step)
        if step.kind == "upgrade" and self.exists:
            self._make_old()
        if how == "kill" and step.kind not in _NOT_KILLED:
            self._die(step, after, code, then)
        else:
            self._do(step, code, then, by_api=how == "api")
        self.check()

    def _expected(self, step: Step) -> tuple[int | None, StoreModel]:
        """The exit code (None: whichever) and what the store holds after a success."""
        if step.kind == "backup":
            return (0 if self.exists else 1), self.model.copy()
        if step.kind == "restore":
            return (0, self.saved.copy()) if self.saved else (1, self.model)
        if step.kind == "go_back":
            kept = self._way_back()
            then = self.copies[kept].copy() if kept else self.model.copy()
            then.settings = self.model.settings
            then.domains |= self.model.domains
            return (0 if kept else 1), then
        return self.model.after(step)

    def _way_back(self) -> str | None:
        """The copy that `doctor --go-back` returns to: the newest that is not what the store is."""
        present = sha256_of(self.folder / STORE) if self.exists else ""
        others = [copy.name for copy in kept_copies(self.folder) if copy.sha256 != present]
        return others[0] if others else None

    def _make_old(self) -> None:
        """Take out of the store what its newest schema has, as if the version before wrote it."""
        with duckdb.connect(str(self.folder / STORE)) as connection:
            for view in ("items", "users", "attributes", "interactions", "shelves", "memories"):
                connection.execute(f"DROP VIEW {view}")
            connection.execute("DELETE FROM meta WHERE starts_with(key, 'item_kind:')")
            connection.execute("UPDATE meta SET value = '5' WHERE key = 'schema_version'")

    @property
    def exists(self) -> bool:
        """Whether there is a store."""
        return (self.folder / STORE).is_file()

    def _change_around(self, step: Step) -> None:
        """Change the settings, and let the clock jump."""
        ShiftedClock.shift = real_datetime.timedelta(days=step.number)
        self.model.settings = f"{_SETTINGS}threads = {step.value}\n"
        (self.folder / "settings.toml").write_text(self.model.settings, encoding="utf-8")

    def _die(self, step: Step, after: int, code: int | None, then: StoreModel) -> None:
        """Begin a step in a process that is killed with -9 at some place, then look who won."""
        before = self._saved_bytes()
        child = os.fork()
        if not child:
            self._live_until(step, after)
        _, status = os.waitpid(child, 0)
        counts[f"{step.kind} " + ("killed" if os.WIFSIGNALED(status) else "outlived")] += 1
        if step.kind == "use":  # settings are the old ones or the new ones
            self._read_settings()
            then = self.model.copy()
        found = stored(self.folder)
        between = [model.shape() for model in self.model.between(step)]
        whole = (self.model.shape(), *between, then.shape())
        assert found in whole, f"{step} left something half done: {found}, not {whole}"
        self._note_copies()
        if step.kind == "backup" and self._saved_bytes() != before:
            self.saved = self.model.copy()
        if found == then.shape() != self.model.shape():
            assert code in (0, None)
            self._replace(step, then)
        elif found in between:
            self.model = self.model.between(step)[between.index(found)]

    # --- what rules stand on ---

    def _do(self, step: Step, code: int | None, then: StoreModel, *, by_api: bool = False) -> None:
        set_clock(ShiftedClock)
        by_api = by_api and step.kind in _BY_API
        found = self._call(step) if by_api else self._run(*self._line(step))
        counts[f"{step.kind} {found}"] += 1
        assert found in (0, 1, 2), f"{step} exits with {found}: {self.told}"
        assert code in (None, found), f"{step} exits with {found}, not {code}: {self.told}"
        if found == 0:
            if step.kind == "backup":
                self.saved = self.model.copy()
            self._note_copies()
            self._replace(step, then)
            self._look_at(step)

    def _replace(self, step: Step, then: StoreModel) -> None:
        self.model = then
        if step.kind.startswith("forget"):  # copies hold what was forgotten
            assert not kept_copies(self.folder), f"{step} left a copy"

    def _note_copies(self) -> None:
        """Remember of each new copy of the store that it holds what the store held before."""
        names = [copy.name for copy in kept_copies(self.folder)]
        self.copies = {name: self.copies.get(name) or self.model.copy() for name in names}

    def _saved_bytes(self) -> bytes:
        path = self.home / "backup.zip"
        return path.read_bytes() if path.is_file() else b""

    def _look_at(self, step: Step) -> None:
        if step.kind == "export":
            lines = (self.home / "out.csv").read_text("utf-8").strip().splitlines()
            # One row for each item and event: the newest, by whomever it was told.
            rows = {row[2:4] for row in self.model.said if row[:2] == (step.value, step.user)}
            assert len(lines) - 1 == len(rows), f"{step} wrote {len(lines) - 1} of {len(rows)}"
        if step.kind == "use":
            self._read_settings()
        if step.kind == "pin":
            self.model.pinned = dict(self._stored_now()["pinned"])  # type: ignore[call-overload]

    def check(self) -> None:
        """The store is what the model says, sound, and alone in its folder."""
        if not self.exists:
            assert self.model.shape() == stored(self.folder)
            return
        with open_settled(self.folder, read_only=False) as store:
            found, wanted = stored_in(store, self.folder), self.model.shape()
            for part, content in wanted.items():
                assert found[part] == content, f"{part}: {found[part]} is not {content}"
            assert not orphan_rows(store) and not repeated_rows(store)
            assert not [state for state in sequence_states(store) if state.is_behind]
            try_writing(store)
        # What killed exports and backups left outside went as well.
        for path in (*self.home.glob("*.*"), *self.folder.rglob("*")):
            assert path.suffix not in (".forgetting", ".part", ".tmp"), f"{path} is scrap"
            assert not path.stat().st_mode & 0o077, f"{path} is for others too"

    def _run(self, *words: str) -> int:
        out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run(["--workspace", str(self.folder), *words])
        self.told = err.getvalue()
        return code

    def _live_until(self, step: Step, after: int) -> None:
        """In a child process: do the step, and die before a statement or a move too many."""
        try:
            with deadly_after(after):
                code = self._run(*self._line(step))
        except BaseException:  # noqa: BLE001 - the parent looks at what is left, not at this
            code = 99
        os._exit(min(code, 99))

    def _line(self, step: Step) -> list[str]:
        """The command line of a step, with the files that it needs."""
        kind, user = step.kind, step.user
        if kind in _FILES:
            return [
                "import",
                _FILES[kind],
                str(self._file(step)),
                *(["--user", user] if user else []),
            ]
        lines = {
            "feedback": lambda: [
                *("feedback", "--user", user, "--item", step.names[0]),
                *("--reason", f"because {step.number:g}"),
                *_VERDICTS.get(step.value, ("--rating", f"{step.number:g}")),
            ],
            "undo": lambda: ["feedback", "--user", user, "--undo", *_named(step)],
            "shelve": lambda: ["shelf", "add", "--user", user, ", ".join(step.names)],
            "unshelve": lambda: ["shelf", "remove", "--user", user, ", ".join(step.names)],
            "edit": lambda: [
                *("memory", "edit", "--user", user, "--domain", step.value),
                *("--text", f"Likes {step.number:g} things."),
            ],
            "pin": lambda: ["memory", "pin", "--user", user, "--domain", step.value],
            "unpin": lambda: ["memory", "unpin", "--user", user, "--domain", step.value],
            "forget": lambda: ["forget", "--user", user, "--yes"],
            "forget_item": lambda: ["forget", "--item", POOL[step.names[0]].key, "--yes"],
            "backup": lambda: ["backup", str(self.home / "backup.zip"), "--force"],
            "restore": lambda: ["restore", str(self.home / "backup.zip"), "--yes"],
            "go_back": lambda: ["doctor", "--go-back"],
            "work": lambda: ["memory", "run", "--no-model"],
            "rebuild": lambda: ["memory", "rebuild"],
            "describe": lambda: ["describe", "--domain", "cocktails"],
            "index": lambda: ["index", "--domain", step.value],
            "learn": lambda: ["learn", "--domain", step.value],
            "evaluate": lambda: [
                *(
                    "evaluate",
                    "run",
                    str(file_of(Step("ratings", names=("1", "2")), self.home / "ml")),
                ),
                *("--system", "popularity"),
            ],
            "use": lambda: ["models", "use", *_ROLES[int(step.number) % len(_ROLES)]],
            "upgrade": lambda: ["memory", "jobs"],
            "wines": lambda: ["import", "auto", str(self._file(step)), "--domain", OWN],
            "pictures": lambda: ["images", "add", str(self._file(step)), "--domain", step.value],
            "domain_new": lambda: ["domains", "new", OWN, "--from", str(self._file(step)), "--yes"],
            "domain_remove": lambda: ["domains", "remove", OWN, "--yes"],
            "ask": lambda: ["ask", "something with gin", "--no-model", "--json"],
            "recommend": lambda: ["recommend", "--user", user, "--domain", "movies", "--json"],
            "export": lambda: [
                *("export", "--user", user, "--domain", step.value, "--force"),
                *("--out", str(self.home / "out.csv")),
            ],
        }
        return lines[kind]()

    def _call(self, step: Step) -> int:
        """Do a step by the Python API; the exit code that the command would have."""
        desk, user = self.desk, step.user or None
        calls: dict[str, Callable[[], object]] = {
            "feedback": lambda: desk.feedback(
                step.user,
                step.names[0],
                None if step.value == "rated" else _API_VERDICTS[step.value],  # type: ignore[arg-type]
                stars=step.number if step.value == "rated" else None,
                reason=f"because {step.number:g}",
            ),
            "undo": lambda: desk.undo_feedback(step.user, *step.names),
            "forget": lambda: desk.forget(user=user),
            "forget_item": lambda: desk.forget(item=POOL[step.names[0]].key),
            "backup": lambda: desk.backup(self.home / "backup.zip", force=True),
            "restore": lambda: desk.restore(self.home / "backup.zip"),
        }
        default = lambda: desk.import_file(self._file(step), _FILES[step.kind], user=user)  # noqa: E731
        try:
            calls.get(step.kind, default)()
        except LocalrecError as error:
            self.told = str(error)
            return error.exit_code
        return 0

    def _file(self, step: Step) -> Path:
        return file_of(step, self.home / "import")

    def _read_settings(self) -> None:
        """Have the model hold what `models use` wrote, which must be settings."""
        load_settings(self.folder)
        self.model.settings = (self.folder / SETTINGS_FILE).read_text(encoding="utf-8")

    def _stored_now(self) -> dict[str, object]:
        return stored(self.folder)


_FILES = {
    "drinks": "cocktails",
    "films": "letterboxd",
    "books": "goodreads",
    "ratings": "movielens",
}
_BY_API = {*_FILES, "feedback", "undo", "forget", "forget_item", "backup", "restore"}
_VERDICTS = {
    "liked": ("--like",),
    "disliked": ("--dislike",),
    "seen": ("--seen",),
    "later": ("--not-now",),
}
_ADAPTER = Path(__file__).resolve().parents[2] / "models" / "adapters" / "question-router.gguf"
_ROLES = (("writer", "rules"), ("router", "rules"), ("router", str(_ADAPTER)))
_NOT_KILLED = {"around", "pin"}  # which memory is pinned is read from the store afterwards
_BEGINNING = (
    Step("drinks", names=("Negroni", "Gimlet")),
    Step("films", "bob", ("Heat", "Fargo"), number=2.0),
)
_API_VERDICTS = {"liked": "like", "disliked": "dislike", "seen": "seen", "later": "not-now"}


def _named(step: Step) -> list[str]:
    return ["--item", step.names[0]] if step.names else []
