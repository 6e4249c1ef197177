"""Shelves in the store: sets per person, kept in order, and nobody else's business."""

import pytest

from localrec.graph.shelf_store import add_to_shelf, remove_from_shelf, shelf_nodes
from localrec.graph.store import Store

ANA, BEN = 1, 2


def test_a_shelf_keeps_the_order_in_which_it_was_stocked(bar: Store):
    add_to_shelf(bar, ANA, [9, 3, 7])
    add_to_shelf(bar, ANA, [1])
    assert shelf_nodes(bar, ANA) == [9, 3, 7, 1]


def test_stocking_what_is_there_changes_nothing(bar: Store):
    add_to_shelf(bar, ANA, [5, 3, 5])
    add_to_shelf(bar, ANA, [3])
    assert shelf_nodes(bar, ANA) == [5, 3]


def test_taking_off_passes_over_what_is_not_there(bar: Store):
    add_to_shelf(bar, ANA, [5, 3])
    remove_from_shelf(bar, ANA, [3, 99])
    remove_from_shelf(bar, ANA, [3])
    assert shelf_nodes(bar, ANA) == [5]


def test_a_shelf_is_one_persons(bar: Store):
    add_to_shelf(bar, ANA, [5, 3])
    add_to_shelf(bar, BEN, [3])
    remove_from_shelf(bar, ANA, [3])
    assert (shelf_nodes(bar, ANA), shelf_nodes(bar, BEN)) == ([5], [3])


def test_nothing_named_is_nothing_done(bar: Store):
    add_to_shelf(bar, ANA, [])
    remove_from_shelf(bar, ANA, [])
    assert shelf_nodes(bar, ANA) == []


def test_an_interrupted_change_leaves_the_shelf_as_it_was(
    bar: Store, monkeypatch: pytest.MonkeyPatch
):
    add_to_shelf(bar, ANA, [5])
    execute = Store.execute

    def interrupted(self: Store, sql: str, values: object = ()) -> None:
        execute(self, sql, values)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "execute", interrupted)
    for change in (add_to_shelf, remove_from_shelf):
        with pytest.raises(KeyboardInterrupt), bar.transaction():
            change(bar, ANA, [5, 6])
    assert shelf_nodes(bar, ANA) == [5]
