"""Tables between markers, and what it takes to make them again."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from localrec.evaluation.provenance import current_origin
from localrec.evaluation.reporting.markdown import markdown_table, replace_marked_block
from localrec.foundation.errors import InputError


def test_only_the_text_between_the_markers_changes(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- x:begin -->\nold\n<!-- x:end -->\nafter\n")
    replace_marked_block(path, "x", "new")
    assert path.read_text() == "before\n<!-- x:begin -->\nnew\n<!-- x:end -->\nafter\n"


def test_a_page_without_markers_gets_them_at_its_end(tmp_path):
    path = tmp_path / "docs" / "page.md"
    replace_marked_block(path, "x", "one")
    replace_marked_block(path, "y", "two")
    replace_marked_block(path, "x", "three")
    assert path.read_text() == (
        "<!-- x:begin -->\nthree\n<!-- x:end -->\n\n<!-- y:begin -->\ntwo\n<!-- y:end -->\n"
    )


def test_half_a_pair_of_markers_is_refused_and_nothing_is_lost(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("text\n<!-- x:begin -->\nmore text")
    with pytest.raises(InputError, match="markers"):
        replace_marked_block(path, "x", "new")
    assert path.read_text() == "text\n<!-- x:begin -->\nmore text"


def test_a_table_has_one_line_per_row():
    assert markdown_table(["", "a"], [["b", "1"]]) == "|  | a |\n| --- | ---: |\n| b | 1 |"


def test_an_origin_names_command_and_versions_but_no_path():
    origin = current_origin("scripts/x.py", ["--half test"])
    assert origin.command == "python scripts/x.py --half test"
    assert "duckdb" in origin.versions
    assert "/home" not in origin.as_text()
    assert "cores" in origin.machine


def test_an_origin_names_what_the_factors_and_networks_were_computed_with_and_loads_none_of_it():
    code = (
        "import sys; from localrec.evaluation.provenance import current_origin; "
        "print(*current_origin('x', []).versions); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, loaded = done.stdout.splitlines()
    here = {name for name in ("scipy", "implicit", "torch") if find_spec(name)}
    assert here == {"scipy", "implicit", "torch"} & set(names.split())
    assert loaded == "False"
