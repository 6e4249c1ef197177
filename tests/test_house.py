"""The house holds its limits: sizes, names and imports, computed from the source.

`python scripts/house.py` prints the same figures.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
SCRIPT = CHECKOUT / "scripts" / "house.py"


@pytest.fixture(scope="module")
def house():
    sys.path.insert(0, str(SCRIPT.parent))  # the script imports the file beside it
    yield importlib.import_module("house")
    sys.path.remove(str(SCRIPT.parent))
    for name in ("house", "house_source"):
        del sys.modules[name]


@pytest.fixture(scope="module")
def source(house):
    return house.Source(CHECKOUT)


@pytest.fixture
def made(house, tmp_path):
    """Reads a small checkout of given files of localrec."""

    def read(**files):
        for name, text in {"__init__": "", **files}.items():
            path = tmp_path / "localrec" / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return house.Source(tmp_path)

    return read


def test_no_public_class_name_occurs_twice(source):
    assert source.repeated_classes() == {}


def test_no_module_is_over_450_lines(source):
    assert source.long_modules() == {}


def test_no_file_of_systems_is_over_150_lines(source):
    assert source.long_systems() == {}


def test_no_class_is_over_300_lines(source):
    assert source.long_classes() == {}


def test_no_function_is_over_60_lines(source):
    assert source.long_functions() == {}


def test_no_script_is_over_450_lines(source):
    assert source.long_scripts() == {}


def test_no_modules_import_each_other_in_a_circle(source):
    assert source.circles() == []


def test_no_room_imports_one_that_stands_above_it_or_beside_it(house, source):
    assert house.upward_imports(source) == []


def test_nothing_is_left_to_do_in_the_source(source):
    left = [name for name, text in source.texts.items() if re.search(r"\b(TODO|FIXME|XXX)\b", text)]
    assert left == []


class TestTheMeasure:
    def test_counts_class_names_across_modules_without_the_private_ones(self, made):
        found = made(
            one="class Item: ...\nclass _Row: ...", two="class Item: ...\nclass _Row: ..."
        ).repeated_classes()
        assert found == {"Item": 2}

    def test_finds_what_is_too_long(self, made):
        body = "\n".join(f"    x{number} = {number}" for number in range(301))
        found = made(rows=f"class Rows:\n{body}\ndef rows():\n{body}\n" + "\n" * 200)
        assert found.long_classes() == {"localrec.rows:Rows": 302}
        assert found.long_functions() == {"localrec.rows:rows": 302}
        assert found.long_modules() == {"localrec.rows": 804}

    def test_sees_circles_of_lazy_and_of_typing_imports(self, made):
        found = made(
            one="def later():\n    from localrec.two import b",
            two="from localrec import three",
            three="if TYPE_CHECKING:\n    import localrec.one",
            four="from localrec.one import later",
        ).circles()
        assert found == [frozenset({"localrec.one", "localrec.two", "localrec.three"})]

    def test_sees_circles_of_relative_imports(self, made):
        found = made(
            room__in____init__="",
            room__in__one="from . import two",
            room__in__two="from .one import a",
        ).circles()
        assert found == [frozenset({"localrec.room.one", "localrec.room.two"})]

    def test_sees_what_runs_in_a_command(self, house):
        found = house.traced(CHECKOUT, ["models", "list"])
        assert 0 < found.rooms < found.modules


@pytest.fixture(scope="module")
def drinks(tmp_path_factory):
    """A workspace with the bundled drinks and the taste of Ada, without a downloaded model."""
    home = tmp_path_factory.mktemp("drinks")
    (home / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    for command in (
        ("datasets", "pull", "cocktails"),
        ("feedback", "--user", "Ada", "--item", "Daiquiri", "--like"),
    ):
        subprocess.run(
            [sys.executable, "-m", "localrec", "--workspace", home, *command],
            cwd=CHECKOUT,
            check=True,
            capture_output=True,
        )
    return home


def test_ask_runs_in_at_most_half_of_the_23_rooms_that_it_crossed_before(house, drinks):
    found = house.traced(CHECKOUT, [*house.COMMANDS["ask"], "--workspace", str(drinks)])
    assert found.rooms <= 11


def test_a_list_with_memory_runs_in_at_most_half_of_the_20_rooms_that_it_crossed_before(
    house, drinks
):
    command = [*house.COMMANDS["recommend"], "--domain", "cocktails", "--user", "Ada"]
    found = house.traced(CHECKOUT, [*command, "--workspace", str(drinks)])
    assert found.rooms <= 10


DESIGN = (CHECKOUT / "docs" / "design.md").read_text("utf-8")
BLOCKS = re.findall(r"<!-- ([\w-]+):begin -->", DESIGN)


def block_of(name):
    """What stands between the markers of a block in docs/design.md."""
    return DESIGN.split(f"<!-- {name}:begin -->\n")[1].split(f"\n<!-- {name}:end -->")[0]


def is_there(place):
    """Whether a place is a module or a room of localrec, or a file of the checkout."""
    whole = CHECKOUT / "localrec" / place.removesuffix("/*")
    return whole.is_dir() or whole.with_suffix(".py").is_file() or (CHECKOUT / place).is_file()


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_the_design_page_is_what_the_script_writes(house, source, name):
    """On a change of the source: python scripts/house.py --write."""
    assert block_of(name) == house.design_blocks(source)[name]


def test_the_script_writes_every_block_of_the_design_page(house, source):
    assert sorted(BLOCKS) == sorted(house.design_blocks(source))


def roads():
    """The names of modules that the roads of the design page tell, by their sections."""
    for section in DESIGN.split("\n## The road ")[1:]:
        drawn = section.split("```")[1]
        yield from re.findall(r"(?:->|<-) +([a-z_]+(?:/[a-z_*]+)*)(?= )", drawn)


def test_every_step_of_the_roads_is_a_module_or_a_room():
    steps = list(roads())
    assert len(steps) > 40
    assert [one for one in steps if not is_there(one)] == []


def test_every_place_that_the_glossary_names_is_there():
    page = (CHECKOUT / "docs" / "glossary.md").read_text("utf-8")
    cells = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("| ")]
    places = [place for cell in cells for place in re.findall(r"`([^`]+)`", cell)]
    assert len(places) > 60
    assert [place for place in places if not is_there(place)] == []


def test_the_readme_names_every_room(source):
    readme = (CHECKOUT / "README.md").read_text("utf-8")
    rooms = {*source.room_imports()} - {"__main__"}
    assert {room for room in rooms if f"`localrec/{room}`" not in readme} == set()


def test_every_file_that_is_counted_as_a_feature_is_there(house):
    paths = [path for some in house.FEATURES.values() for path in some.split()]
    assert [path for path in paths if not (house.ROOT / path).exists()] == []
