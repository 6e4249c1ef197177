"""bash, zsh and fish complete commands and names, each with its own script in the real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from typer.completion import get_completion_script

PROGRAM = "import sys; sys.argv[0] = 'localrec'; from localrec.cli.app import main; main()"
# Each sources the script in $1 and prints what it offers for the words in $2.
ASK = {
    "bash": 'source "$1"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); '
    '_localrec_completion localrec; printf "%s\\n" "${COMPREPLY[@]}"',
    # Within its line editor zsh would hand the words over; here they are set as it sets them.
    "zsh": 'compdef() { : }; compinit() { : }; _arguments() { print -r -- "$@" }; source "$1"; '
    "words=(${=2}); CURRENT=${#words}; _localrec_completion",
    "fish": 'source $argv[1]; complete -C "$argv[2]"',
}


@pytest.fixture
def offered(tmp_path):
    """What a shell offers for a half-typed line."""

    def call(shell, line):
        if shutil.which(shell) is None:
            if os.environ.get("LOCALREC_REQUIRE_SHELLS"):
                pytest.fail(f"There is no {shell} here.")
            pytest.skip(f"There is no {shell} here.")
        script = get_completion_script(
            prog_name="localrec", complete_var="_LOCALREC_COMPLETE", shell=shell
        )
        (tmp_path / "script").write_text(script, "utf-8")
        program = tmp_path / "localrec"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{PROGRAM}" "$@"\n', "utf-8")
        program.chmod(0o755)
        options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
        behind = [] if shell == "fish" else [shell]
        told = subprocess.run(
            [shell, *options, "-c", ASK[shell], *behind, str(tmp_path / "script"), line],
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in told.stderr, told.stderr
        return told.stdout

    return call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_the_names_that_a_command_knows(offered, shell):
    commands = offered(shell, "localrec re")
    assert "recommend" in commands and "shelf" not in commands
    models = offered(shell, "localrec models pull mini")
    assert "minilm-int8" in models and "smollm2" not in models
