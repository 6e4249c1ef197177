"""Shelves in the store: sets per person, kept in order, and nobody else's business."""

import pytest

from localrec.graph.shelves import shelf_of, stock, take_off
from localrec.graph.store import Store

ANA, BEN = 1, 2


def test_a_shelf_keeps_the_order_in_which_it_was_stocked(bar: Store):
    stock(bar, ANA, [9, 3, 7])
    stock(bar, ANA, [1])
    assert shelf_of(bar, ANA) == [9, 3, 7, 1]


def test_stocking_what_is_there_changes_nothing(bar: Store):
    stock(bar, ANA, [5, 3, 5])
    stock(bar, ANA, [3])
    assert shelf_of(bar, ANA) == [5, 3]


def test_taking_off_passes_over_what_is_not_there(bar: Store):
    stock(bar, ANA, [5, 3])
    take_off(bar, ANA, [3, 99])
    take_off(bar, ANA, [3])
    assert shelf_of(bar, ANA) == [5]


def test_a_shelf_is_one_persons(bar: Store):
    stock(bar, ANA, [5, 3])
    stock(bar, BEN, [3])
    take_off(bar, ANA, [3])
    assert (shelf_of(bar, ANA), shelf_of(bar, BEN)) == ([5], [3])


def test_nothing_named_is_nothing_done(bar: Store):
    stock(bar, ANA, [])
    take_off(bar, ANA, [])
    assert shelf_of(bar, ANA) == []


def test_an_interrupted_change_leaves_the_shelf_as_it_was(
    bar: Store, monkeypatch: pytest.MonkeyPatch
):
    stock(bar, ANA, [5])
    execute = Store.execute

    def interrupted(self: Store, sql: str, values: object = ()) -> None:
        execute(self, sql, values)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "execute", interrupted)
    for change in (stock, take_off):
        with pytest.raises(KeyboardInterrupt):
            change(bar, ANA, [5, 6])
    assert shelf_of(bar, ANA) == [5]
