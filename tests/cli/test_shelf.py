"""`localrec shelf`: stocked by name, surveyed in four lists, unchanged by what it cannot read."""

import json

import pytest


@pytest.fixture
def shelf(cli, own_workspace):
    """Runs `localrec shelf` on a workspace of its own."""
    return lambda *arguments: cli("--workspace", own_workspace, "shelf", *arguments)


def names_on(shelf, user="ana"):
    return json.loads(shelf("list", "--user", user, "--json").out)["shelf"]


def test_things_are_added_and_removed_by_name(shelf):
    code, out, err = shelf("add", "--user", "ana", "gin, camparri, gin")
    assert (code, err) == (0, "'ana' is new here.\n")
    assert out == "gin, campari\nRead as: camparri → campari\n"
    assert shelf("remove", "--user", "ana", "gin").code == 0
    assert names_on(shelf) == ["campari"]


def test_adding_twice_changes_nothing(shelf):
    for _ in range(2):
        shelf("add", "--user", "ana", "gin, campari")
    assert names_on(shelf) == ["gin", "campari"]


def test_removing_what_is_not_there_says_so(shelf):
    shelf("add", "--user", "ana", "gin")
    assert shelf("remove", "--user", "ana", "campari").err == "Not on the shelf: campari.\n"
    assert names_on(shelf) == ["gin"]


def test_a_brand_goes_with_its_generic_name(shelf):
    shelf("add", "--user", "ana", "bacardi")
    shelf("remove", "--user", "ana", "white rum")
    assert names_on(shelf) == []


def test_an_unknown_name_changes_nothing_and_names_its_neighbours(shelf):
    shelf("add", "--user", "ana", "gin")
    code, out, err = shelf("add", "--user", "ana", "campari, zorgle")
    assert (code, out) == (1, "")
    assert "No ingredient here is called “zorgle”; nothing was changed. Nearest: " in err
    assert names_on(shelf) == ["gin"]


def test_clearing_leaves_an_empty_shelf(shelf):
    shelf("add", "--user", "ana", "gin, campari")
    assert shelf("clear", "--user", "ana").out == "The shelf is empty.\n"
    code, _, err = shelf("show", "--user", "ana")
    assert (code, "The shelf of ana is empty." in err) == (1, True)


def test_the_answer_stands_on_top(shelf):
    shelf("add", "--user", "ana", "gin, campari, sweet vermouth")
    out = shelf("show", "--user", "ana").out
    places = [
        out.index(part)
        for part in ("you can make now (1)", "Negroni", "One ingredient away", "Worth getting next")
    ]
    assert places == sorted(places)
    assert "Americano  needs soda water" in out


def test_as_json_it_is_one_document_with_evidence(shelf):
    code, out, err = shelf("show", "--have", "gin, limes", "--json", "-k", 1)
    assert (code, err, out.count("\n")) == (0, "", 1)
    report = json.loads(out)
    (gimlet,) = report["makeable"]
    assert gimlet["name"] == "Gimlet"
    assert [one["said"] for one in gimlet["taken_as"]] == ["lime juice from lime"]
    assert {"source": "lime juice", "relation": "IS_A", "target": "lime"} in gimlet["evidence"]
    assert len(report["one_away"]) == 1 <= report["one_away_count"]


def test_a_shelf_for_once_stores_nothing(shelf):
    assert shelf("show", "--have", "gin, lime juice").code == 0
    code, _, err = shelf("list", "--user", "ana")
    assert (code, "Nobody called 'ana' is known here." in err) == (2, True)


@pytest.mark.parametrize("command", [("clear",), ("remove", "gin")])
def test_nobody_s_shelf_is_changed_by_mistake(shelf, command):
    shelf("add", "--user", "ana", "gin")
    code, out, err = shelf(*command, "--user", "anna")
    assert (code, out) == (2, "")
    assert "Nobody called 'anna' is known here." in err
    assert "Did you mean ana?" in err
    assert names_on(shelf) == ["gin"]


@pytest.mark.parametrize("command", ["list", "show"])
def test_nobody_s_shelf_cannot_be_read_and_says_who_is_near(shelf, command):
    shelf("add", "--user", "ana", "gin")
    code, out, err = shelf(command, "--user", "anna")
    assert (code, out) == (2, "")
    assert "Did you mean ana?" in err


def test_a_shelf_of_nearly_somebody_s_name_is_refused_unless_somebody_new_is_meant(shelf):
    shelf("add", "--user", "ana", "gin")
    code, out, err = shelf("add", "--user", "anna", "gin")
    assert (code, out) == (2, "")
    assert "Did you mean ana? For somebody new, add --new-user." in err
    assert shelf("add", "--user", "anna", "--new-user", "gin").err == "'anna' is new here.\n"
    assert shelf("add", "--user", "anna", "campari").err == ""


def test_what_goes_onto_a_shelf_has_an_end(shelf):
    code, _, err = shelf("add", "--user", "ana", "gin, " * 5_000)
    assert code == 2 and "There is room for 20,000 letters, and this text has 25,000." in err


def test_shelves_of_two_people_do_not_mix(shelf):
    shelf("add", "--user", "ana", "gin")
    shelf("add", "--user", "ben", "campari")
    assert (names_on(shelf, "ana"), names_on(shelf, "ben")) == (["gin"], ["campari"])


@pytest.mark.parametrize("options", [(), ("--user", "ana", "--have", "gin")])
def test_one_shelf_is_shown_at_a_time(shelf, options):
    assert shelf("show", *options).code == 2


def test_a_hostile_key_reaches_no_terminal(shelf):
    code, out, err = shelf("show", "--user", "\x1b]0;owned\x07ana")
    assert code == 2
    assert "\x1b" not in out + err
