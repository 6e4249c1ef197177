"""The notebook runs to its end with its own cells, and its page shows what they print."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import CHECKOUT

NOTEBOOK = CHECKOUT / "docs" / "notebooks" / "own-recommender.ipynb"


@pytest.fixture
def notebook_script(monkeypatch):
    monkeypatch.syspath_prepend(CHECKOUT / "scripts")
    import notebook

    return notebook


def outputs(notebook):
    return "".join(
        line
        for cell in notebook["cells"]
        for one in cell.get("outputs", ())
        for line in one["text"]
    )


def test_it_ends_in_a_table_with_intervals_for_ones_own_recommender_beside_ours(
    notebook_script, require_dataset, tmp_path, monkeypatch
):
    require_dataset("ml-100k")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{CHECKOUT}:{CHECKOUT / 'tui'}")
    kept = json.loads(NOTEBOOK.read_text("utf-8"))
    run = json.loads(NOTEBOOK.read_text("utf-8"))
    notebook_script.run_cells(run)
    rows = re.findall(r"^(\S+) +(0\.\d+) +\[(0\.\d+), (0\.\d+)\]", outputs(run), re.MULTILINE)
    assert [name for name, *_ in rows] == ["popularity", "item-knn", "ease", "my-neighbours"]
    assert all(float(low) < float(value) < float(high) for _, value, low, high in rows)
    shown = dict(re.findall(r"^(\S+) +(0\.\d+) +\[", outputs(kept), re.MULTILINE))
    for name, value, *_ in rows:  # another processor may move the last digit
        assert float(shown[name]) == pytest.approx(float(value), abs=0.002)


def test_the_page_holds_every_text_cell_line_of_code_and_output(notebook_script):
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    page = (CHECKOUT / "docs" / "howto" / "own-recommender.md").read_text("utf-8")
    for cell in notebook["cells"][1:]:
        assert "".join(cell["source"]).strip() in page
    assert outputs(notebook).strip().splitlines()[-1] in page


def test_cells_share_their_names_and_the_last_value_is_shown(notebook_script):
    cells = [
        {"cell_type": "code", "source": ["kept = 6\n", "kept"]},
        {"cell_type": "markdown", "source": ["Words."]},
        {"cell_type": "code", "source": ["print(kept * 7)"]},
    ]
    names = notebook_script.run_cells({"cells": cells})
    assert names["kept"] == 6
    assert [cell["outputs"][0]["text"] for cell in (cells[0], cells[2])] == [["6\n"], ["42\n"]]


def test_a_command_that_fails_stops_the_notebook(notebook_script):
    with pytest.raises(RuntimeError, match="There is no page"):
        notebook_script.run_cells(
            {"cells": [{"cell_type": "code", "source": ["!localrec help no-such-page"]}]}
        )
