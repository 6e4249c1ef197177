"""Entries of many lists are found as a loop over the lists would find them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.arrays import csr_rows


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_entries_come_list_by_list_in_the_order_asked(lengths, data):
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    wanted = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=20))
    by_loop = [place for one in wanted for place in range(first[one], first[one + 1])]
    assert csr_rows(first, np.array(wanted, dtype=np.int32)).tolist() == by_loop
