"""The three tasks that docs/design.md tells a newcomer: no more files than it says, in real places.

That a format and a recommender work once they are there is held by tests/plugins, which installs
the package of docs/plugins.md and imports, ranks and evaluates with it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from localrec.foundation.plugins import RECOMMENDERS, SOURCES
from localrec_tui.app import LocalrecApp

CHECKOUT = Path(__file__).parents[1]
DESIGN = (CHECKOUT / "docs" / "design.md").read_text(encoding="utf-8")
SECTION = DESIGN.split("## Three tasks of a newcomer")[1].split("\n## ")[0]
TASKS = re.split(r"\n(?=\*\*Add )", SECTION)[1:]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.split("**")[1])
def test_a_task_takes_three_files_at_most_and_each_has_its_place(task):
    steps = re.findall(r"^\d\. (.*(?:\n   .*)*)", task, re.MULTILINE)
    assert 1 <= len(steps) <= 3
    for step in steps:
        assert (CHECKOUT / re.search(r"`([\w./]+\.\w+)`", step)[1]).parent.is_dir()


def test_the_tasks_name_entry_points_that_are_read():
    assert len(TASKS) == 3
    groups = re.findall(r'entry-points\."([\w.]+)"', SECTION)
    assert groups == [SOURCES, RECOMMENDERS]


def test_a_room_of_the_app_is_known_to_nothing_but_its_own_file_and_the_list():
    sources = {path: path.read_text("utf-8") for path in (CHECKOUT / "tui").rglob("*.py")}
    for room in LocalrecApp.MODES.values():
        name = re.compile(rf"\b{room.__name__}\b")
        named = {path.stem for path, text in sources.items() if name.search(text)}
        assert named == {"app", room.__module__.rpartition(".")[2]}
