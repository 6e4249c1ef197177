"""Every block of docs/api.md runs, in its order, as one program."""

import re
import shutil
from operator import attrgetter
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_every_block_of_the_page_runs(bundled_workspace, tmp_path, monkeypatch, capsys):
    shutil.copytree(bundled_workspace, tmp_path / "workspace")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCALREC_WORKSPACE", str(tmp_path / "workspace"))
    blocks = re.findall(r"^```python\n(.*?)^```", _PAGE.read_text(encoding="utf-8"), re.S | re.M)
    assert len(blocks) > 6
    exec(compile("\n".join(blocks), str(_PAGE), "exec"), {})
    told = capsys.readouterr().out
    assert "because" in told and "Negroni" in told


def test_the_page_documents_every_public_method_or_says_where_its_options_are(bundled_workspace):
    from localrec import Workspace

    page = _PAGE.read_text(encoding="utf-8")
    public = [name for name in dir(Workspace) if not name.startswith("_")]
    missing = [name for name in public if f"{name}(" not in page and f"`{name}`" not in page]
    assert not missing and {"evaluate", "train_adapter"} <= set(public)


def test_the_page_documents_every_call_of_every_group(tmp_path):
    from localrec import Workspace
    from localrec.api.call_group import CallGroup

    def calls(holder, before=""):
        for name in dir(type(holder)):
            if name.startswith("_") or name == "folder":
                continue
            found = getattr(holder, name)
            if isinstance(found, CallGroup):
                yield from calls(found, f"{before}.{name}")
            elif before:
                yield f"{before}.{name}"

    page = _PAGE.read_text(encoding="utf-8")
    made = list(calls(Workspace(tmp_path)))
    assert ".memory.rules.edit" in made and len(made) > 30
    assert [call for call in made if call not in page] == []


def test_every_command_has_its_call_or_a_reason_and_every_call_exists(monkeypatch, tmp_path):
    import typer

    import localrec
    from localrec.cli.commands import whole_program

    monkeypatch.syspath_prepend(_PAGE.parents[1] / "scripts")
    from api_coverage import CALLS, WITHOUT, command_names, coverage_table

    group = typer.main.get_command(whole_program())
    assert {*CALLS, *WITHOUT} >= set(command_names(group))
    assert not CALLS.keys() & WITHOUT.keys()
    desk = localrec.Workspace(tmp_path)
    for call in CALLS.values():
        owner, _, path = call.partition(".")
        holder = desk if owner == "Workspace" else getattr(localrec, owner)
        assert callable(attrgetter(path)(holder)), call
    assert not list(tmp_path.iterdir())  # looking at the calls opened nothing
    assert coverage_table(group) in _PAGE.read_text(encoding="utf-8")
