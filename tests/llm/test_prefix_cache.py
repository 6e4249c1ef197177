from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from localrec.llm.prefix_states import PrefixStates, common_length


def state(size: int) -> bytearray:
    return bytearray(size)


def test_the_longest_prefix_of_the_tokens_is_found():
    states = PrefixStates(100)
    states.keep((1, 2), state(10))
    states.keep((1, 2, 3), state(11))
    states.keep((1, 2, 9), state(12))
    found = states.longest((1, 2, 3, 4))
    assert found is not None
    assert (found[0], len(found[1])) == ((1, 2, 3), 11)
    shorter = states.longest((1, 2))
    assert shorter is not None
    assert shorter[0] == (1, 2)
    assert states.longest((7, 8)) is None


def test_the_least_recently_used_state_goes_first():
    states = PrefixStates(25)
    states.keep((1,), state(10))
    states.keep((2,), state(10))
    states.longest((1, 5))
    states.keep((3,), state(10))
    assert ((1,) in states, (2,) in states, (3,) in states) == (True, False, True)


def test_a_state_larger_than_the_budget_is_not_kept_and_costs_nobody_a_place():
    states = PrefixStates(25)
    states.keep((1,), state(10))
    states.keep((2,), state(26))
    assert ((1,) in states, (2,) in states) == (True, False)


def test_a_state_kept_again_counts_once():
    states = PrefixStates(25)
    for _ in range(5):
        states.keep((1,), state(10))
    states.keep((2,), state(10))
    assert (1,) in states


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_the_common_length_is_the_longest_equal_beginning(left, right):
    length = common_length(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]
