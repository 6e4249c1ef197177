"""Flags of items as numbers: what is asked of them is what their words say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from localrec.graph.flag_values import FlagValues

COLUMNS = st.lists(st.sampled_from(["", "yes", "no", "Yes"]), min_size=1, max_size=12)


@given(column=COLUMNS, accepted=st.sets(st.sampled_from(["", "yes", "no", "other"])))
def test_items_are_among_what_is_accepted_as_their_words_are(column, accepted):
    flag = FlagValues.of(column)
    assert [flag[item] for item in range(len(column))] == column
    assert flag.among(accepted).tolist() == [value in accepted for value in column]


@given(column=COLUMNS)
def test_items_agree_whose_words_are_the_same(column):
    others = np.arange(len(column), dtype=np.int32)
    agreeing = FlagValues.of(column).agree(0, others)
    assert agreeing.tolist() == [value == column[0] for value in column]


def test_no_item_is_among_anything_in_an_empty_catalogue():
    assert FlagValues.of([]).among({"yes"}).tolist() == []
