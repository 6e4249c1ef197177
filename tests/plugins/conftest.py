"""The example of docs/plugins.md, installed for a test as a package of its own."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from localrec.foundation import plugins
from localrec.graph import domain_files

PAGE = Path(__file__).resolve().parents[2] / "docs" / "plugins.md"
FILE = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def install(folder: Path, name: str, version: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Write what an installer writes beside a package."""
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, entries in entry_points.items()
        for line in (f"[{group}]", *(f"{one} = {at}" for one, at in entries.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that packages can be installed into, and that is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    loaded = set(sys.modules)
    forget()
    yield folder
    for module in set(sys.modules) - loaded:
        if str(getattr(sys.modules[module], "__file__", None)).startswith(str(folder)):
            del sys.modules[module]
    forget()


def forget() -> None:
    """Look for plug-ins anew."""
    plugins.installed_plugins.cache_clear()
    domain_files._load_lasting.cache_clear()


@pytest.fixture
def tea(site: Path) -> Path:
    """The folder with the package of the documentation, installed."""
    for path, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        (site / path).parent.mkdir(exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    project = tomllib.loads((site / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(site, project["name"], project["version"], project["entry-points"])
    return site
