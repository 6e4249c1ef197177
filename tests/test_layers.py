"""Who may import whom: the contracts of pyproject.toml hold, and each of them bites."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
LINT = "from importlinter.cli import lint_imports_command as check; check()"


def lint_imports(folder):
    """Check the localrec in `folder`, which comes first on the linter's path."""
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


PICKLES = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}


def named_in(path):
    """Every word of the names and attributes that a file's code uses."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", None) or "", *(one.name for one in node.names)]
            yield from (word for name in names for word in name.split("."))
        elif isinstance(node, ast.Attribute):
            yield node.attr


def test_only_the_parcels_for_ray_unpickle_also_by_way_of_other_packages():
    files = (CHECKOUT / "localrec").rglob("*.py")
    guilty = {
        path.relative_to(CHECKOUT).as_posix() for path in files if PICKLES & {*named_in(path)}
    }
    assert guilty == {"localrec/engines/ray_engine.py"}


def test_every_import_points_down():
    checked = lint_imports(CHECKOUT)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("retrieval/tasks.py", "from localrec.systems import marc", "retrieval.tasks -> localrec"),
        (
            "index/embedded_fields.py",
            "def late():\n    import duckdb",
            "localrec.index.embedded_fields -> duckdb",
        ),
        ("systems/marc.py", "import llama_cpp", "localrec.systems.marc -> llama_cpp"),
        (
            "workspace/workspace.py",
            "import localrec.llm.native_model",
            "localrec.workspace.workspace -> localrec.llm.native_model",
        ),
        (
            "workspace/workspace.py",
            "import localrec.foundation.fetch",
            "localrec.workspace.workspace -> localrec.foundation.fetch",
        ),
        (
            "retrieval/shelf.py",
            "from localrec.packs.cocktails import measures",
            "localrec.retrieval.shelf -> localrec.packs.cocktails",
        ),
        ("graph/store.py", "import socket", "localrec.graph.store -> socket"),
        ("index/vector_cache.py", "import pickle", "localrec.index.vector_cache -> pickle"),
        ("kitchen.py", '"""A room nobody planned."""', "not listed as layers"),
    ],
)
def test_an_import_that_breaks_a_contract_is_named(tmp_path, file, line, said):
    shutil.copytree(
        CHECKOUT / "localrec", tmp_path / "localrec", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    with (tmp_path / "localrec" / file).open("a", encoding="utf-8") as stream:
        stream.write(f"\n{line}\n")
    checked = lint_imports(tmp_path)
    assert checked.returncode == 1
    assert said in checked.stdout


def test_systems_are_named_by_their_constants_outside_of_their_own_rooms():
    """Names of MemRec's and AgenticRec's systems stand in their rooms and in the registry's."""
    name = re.compile(r"(memrec|agenticrec)(-[a-z-]+)? ?")
    own = {"memory", "agent", "systems"}
    found = set()
    for path in [*CHECKOUT.glob("localrec/**/*.py"), *CHECKOUT.glob("tui/**/*.py")]:
        place = path.relative_to(CHECKOUT)
        if place.parts[1] not in own:
            tree = ast.parse(path.read_text("utf-8"))
            texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
            if any(isinstance(one, str) and name.fullmatch(one) for one in texts):
                found.add(place.as_posix())
    # Scales of a judge, by the paper they are from; no system is meant.
    assert found == {
        "localrec/cli/judge.py",
        "localrec/cli/rate.py",
        "localrec/evaluation/explanations/judged_run.py",
        "localrec/evaluation/explanations/scales.py",
    }
