"""How long a command waits is said by a variable, or the variable is refused."""

from __future__ import annotations

import pytest

from localrec.foundation.errors import UsageError
from localrec.foundation.patience import COMMAND_WAIT_S, command_wait_s


@pytest.mark.parametrize(("told", "seconds"), [("5", 5.0), ("0", 0.0), (" 2.5 ", 2.5)])
def test_a_number_of_seconds_is_taken(monkeypatch, told, seconds):
    monkeypatch.setenv("LOCALREC_WAIT", told)
    assert command_wait_s() == seconds


def test_without_a_number_it_is_half_a_minute(monkeypatch):
    for told in ("", " "):
        monkeypatch.setenv("LOCALREC_WAIT", told)
        assert command_wait_s() == COMMAND_WAIT_S


@pytest.mark.parametrize("told", ["abc", "-1", "inf", "nan", "1e9", "9" * 5_000])
def test_anything_else_is_refused_in_a_sentence(monkeypatch, told):
    monkeypatch.setenv("LOCALREC_WAIT", told)
    with pytest.raises(UsageError, match="no number of seconds"):
        command_wait_s()
