"""Keys as a terminal sends them."""

from __future__ import annotations

import string

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from localrec_tui.terminal_keys import restore_alt_digits


@pytest.mark.parametrize("digit", string.digits)
def test_escape_with_a_digit_is_alt_with_that_digit(digit):
    restore_alt_digits()
    parser = XTermParser(debug=False)
    sent = [*parser.feed(f"\x1b{digit}"), *parser.feed("")]
    (key,) = [one for one in sent if isinstance(one, events.Key)]
    assert key.key == f"alt+{digit}"
    assert not key.is_printable  # or a line would take it for typed
