"""What any test may ask for: a tiny domain, a folder, the program, the bundled drinks for real."""

from __future__ import annotations

import csv
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

os.environ["LOCALREC_LEARN"] = "off"  # no test leaves a process that learns behind
os.environ["LOCALREC_WAIT"] = "3"  # a test that meets a busy store need not wait for long

from localrec.cli.app import run
from localrec.data.domains import AttributeSpec, Concept, Domain
from localrec.graph.domain_files import load_domain
from localrec.llm.model_catalog import status
from localrec.sources import open_source
from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
from localrec.workspace import OpenWorkspace

from .file_order import longest_first
from .planted import BAR

# A shell that runs tests in the background leaves them deaf to Ctrl+C, and children inherit that.
_PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from localrec.cli.app import main
main()
"""

_COLUMNS = (
    *("id", "name", "alcoholic", "category", "glassType", "instructions", "drinkThumbnail"),
    *("ingredients", "ingredientMeasures", "desciription", "imageDescription"),
)

RunLocalrec = Callable[..., subprocess.CompletedProcess[str]]


class Outcome(NamedTuple):
    """What one run of the program came to."""

    code: int
    out: str
    err: str


def pytest_configure() -> None:
    """Give each worker of xdist cores of its own, which the processes that it starts inherit.

    The threads of two workers on the same cores wait for each other: apart, models answer in two
    thirds of the processor time. No example of Hypothesis is timed: other work slows any of them.
    """
    hypothesis.settings.register_profile("unhurried", deadline=None)
    hypothesis.settings.load_profile("unhurried")
    if (worker := os.environ.get("PYTEST_XDIST_WORKER")) and hasattr(os, "sched_setaffinity"):
        workers = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        cores = sorted(os.sched_getaffinity(0))
        own = cores[int(worker.removeprefix("gw")) :: workers]
        os.sched_setaffinity(0, own or cores)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the workers of xdist begin with what takes longest, so that all end at about once."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items[:] = longest_first(items)


def pytest_collection_finish() -> None:
    """Keep the collector of garbage from looking at all that was loaded so far, again and again."""
    gc.freeze()


@pytest.fixture
def tiny_domain() -> Domain:
    """The planted bar: a few dozen ingredients in families, glasses, colours, looks."""
    return BAR


@pytest.fixture
def drinks_domain() -> Domain:
    ingredients = {
        "spirit": Concept(abv=40),
        "gin": Concept(parents=("spirit",)),
        "whiskey": Concept(parents=("spirit",), also=("whisky",)),
        "bourbon": Concept(parents=("whiskey",), abv=43),
        "overproof rum": Concept(parents=("spirit",), abv=63),
        "campari": Concept(abv=25),
        "vermouth": Concept(abv=16),
        "sweet vermouth": Concept(parents=("vermouth",), also=("red vermouth",)),
        "creme de cacao": Concept(parents=("liqueur",), also=("crème de cacao",)),
        "liqueur": Concept(abv=24),
        "juice": Concept(),
        "lime juice": Concept(parents=("juice",)),
        "orange juice": Concept(parents=("juice",)),
        "cherry": Concept(),
    }
    return Domain(
        name="cocktails",
        item="cocktail",
        singular="drink",
        plural="drinks",
        item_words=("drink",),
        texts={"name": "name", "description": "description"},
        attributes={
            "ingredient": AttributeSpec(role="component", edge="HAS_INGREDIENT"),
            "glass": AttributeSpec(role="container", edge="HAS_GLASSTYPE"),
            "category": AttributeSpec(role="category", edge="CATEGORY"),
        },
        taxonomy={"ingredient": ingredients},
    )


@pytest.fixture
def workspace_path(tmp_path: Path) -> Path:
    """Where a workspace may be made; nothing is there yet."""
    return tmp_path / "workspace"


@pytest.fixture
def write_drinks(tmp_path: Path) -> Callable[[int], Path]:
    """Writes a table of so many drinks, each in order and without a description."""

    def write(count: int) -> Path:
        path = tmp_path / "drinks.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, _COLUMNS, restval="")
            table.writeheader()
            table.writerows(
                {
                    "id": number,
                    "name": f"Test Fizz {number}",
                    "alcoholic": "Alcoholic",
                    "glassType": "Highball glass",
                    "instructions": "Build over ice.",
                    "ingredients": "['Gin', 'Lemon Juice', 'Soda Water']",
                    "ingredientMeasures": "['4 cl', '2 cl', '10 cl']",
                }
                for number in range(1, count + 1)
            )
        return path

    return write


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs one command line inside this process: `cli("ask", "a sour", "--workspace", path)`."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def localrec_command() -> tuple[str, ...]:
    """The command that runs localrec in a process of its own; arguments go behind it."""
    return (sys.executable, "-c", _PROGRAM)


@pytest.fixture
def bound_by_modes() -> tuple[str, ...]:
    """What runs a command so that modes of files hold for it, as they do not for root."""
    if os.name != "posix" or os.geteuid():
        return ()
    if not shutil.which("setpriv"):
        pytest.skip("root passes all modes, and there is no setpriv to take that away")
    lost = "-dac_override,-dac_read_search"
    return ("setpriv", f"--bounding-set={lost}", f"--inh-caps={lost}")


@pytest.fixture
def run_localrec(localrec_command: tuple[str, ...]) -> RunLocalrec:
    """Runs localrec to its end in a process of its own: `run_localrec("doctor", env={...})`.

    `env` adds to our environment; `wrapped_in` is a command that takes another one to run.
    """

    def call(
        *arguments: object, env: Mapping[str, str] | None = None, wrapped_in: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*wrapped_in, *localrec_command, *map(str, arguments)],
            env={**os.environ, "COLUMNS": "200", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return call


@pytest.fixture(scope="session")
def require_model() -> Callable[[str], None]:
    """Skips a test whose model was not pulled; fails it where LOCALREC_REQUIRE_MODELS is set."""

    def check(name: str) -> None:
        if (state := status(name)) == "ok":
            return
        reason = f"The model {name} is {state}: localrec models pull {name}"
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            pytest.fail(reason)
        pytest.skip(reason)

    return check


@pytest.fixture(scope="session")
def bundled_workspace(
    tmp_path_factory: pytest.TempPathFactory, require_model: Callable[[str], None]
) -> Path:
    """A workspace with the bundled drinks and their real MiniLM vectors; only for reading.

    Vectors take long: the first process that asks makes them, and each has a copy of its own.
    """
    import fcntl  # not on Windows

    require_model("minilm-int8")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    first = shared / "bundled-drinks"
    with (shared / "bundled-drinks.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not first.is_dir():
            _import_bundled_drinks(tmp_path_factory.mktemp("made") / "workspace").rename(first)
    return Path(shutil.copytree(first, tmp_path_factory.mktemp("bundled") / "workspace"))


def _import_bundled_drinks(folder: Path) -> Path:
    drinks = find_dataset("cocktails")
    domain = load_domain(drinks.domain)
    table = open_source(drinks.kind).read(fetch_dataset("cocktails"), domain)
    with OpenWorkspace(folder, writable=True) as opened:
        opened.imports.import_items(table, domain)
    return folder
