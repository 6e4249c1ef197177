"""The looks, imports and exports that the app has done: a real workspace, files of all kinds."""

import csv

import msgspec
import pytest

from localrec.data.rows import Event
from localrec.foundation.errors import InputError, LocalrecError, ModelCancelledError, UsageError
from localrec.foundation.progress import no_progress
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.import_look import FileKind, domain_name_of, name_fault
from localrec_tui.services.records import ImportRequest, NewFeedback, RequestHandle

from ..cli.conftest import by_spelling

WINES = [
    ["title", "variety", "country", "price"],
    *([f"Estate {n} Red", ("Merlot", "Syrah")[n % 2], "Chile", str(9 + n)] for n in range(8)),
]


def table(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


class TestLook:
    def test_proposes_a_name_and_tells_what_becomes_of_each_column(self, local_services, tmp_path):
        found = local_services.transfers.look(table(tmp_path / "winemag_5k.csv", WINES))
        assert (found.kind, found.rows, found.domain) == (FileKind.TABLE, 8, "winemag")
        fates = {one.name: (one.values, one.becomes) for one in found.columns}
        assert fates["title"][1] == "the item's name"
        assert fates["variety"] == ("Merlot, Syrah", "links to variety")

    def test_knows_an_export_that_needs_a_name(self, local_services, tmp_path):
        head = ["Date", "Name", "Year", "Letterboxd URI", "Rating"]
        path = table(
            tmp_path / "ratings.csv", [head, ["2026-01-01", "Fargo", "1996", "https://x/1", "4"]]
        )
        assert local_services.transfers.look(path).kind is FileKind.EXPORT

    def test_sees_what_many_people_did_and_what_about(self, local_services, tmp_path):
        rows = [["user", "book", "rating", "date"]]
        rows += [[f"u{n % 3}", f"Book {n}", str(1 + n % 5), "2026-01-02"] for n in range(12)]
        found = local_services.transfers.look(table(tmp_path / "log.csv", rows))
        assert (found.kind, found.domain) == (FileKind.HISTORY, "books")

    def test_leaves_it_open_whose_ratings_a_table_holds(self, local_services, tmp_path):
        rows = [["name", "rating"], *([f"Thing {n}", str(1 + n % 5)] for n in range(12))]
        found = local_services.transfers.look(table(tmp_path / "mine.csv", rows))
        assert found.kind is FileKind.EITHER

    def test_refuses_a_file_that_is_not_there(self, local_services):
        with pytest.raises(InputError, match="no file"):
            local_services.transfers.look("/no/such/file.csv")


@pytest.mark.parametrize(
    ("written", "fault"), [("Board Games", ""), ("books", "already"), ("ä b", "cannot name")]
)
def test_a_name_of_new_things_is_checked(written, fault):
    found = name_fault(domain_name_of(written))
    assert (fault in found) if fault else not found


def test_own_things_come_in_with_their_domain_and_go_with_it(local_services, tmp_path):
    transfers = local_services.transfers
    wanted = ImportRequest(path=table(tmp_path / "wines.csv", WINES), domain="wines")
    assert transfers.dry_run(wanted, RequestHandle(), no_progress).kept == 8
    assert [one.name for one in local_services.domains()] == ["cocktails"]
    transfers.import_file(wanted, RequestHandle(), no_progress)
    assert [(one.name, one.items) for one in local_services.domains()] == [
        ("wines", 8),
        ("cocktails", 5),
    ]
    assert transfers.look(wanted.path).kind is FileKind.KNOWN
    transfers.undo_import()
    assert [one.name for one in local_services.domains()] == ["cocktails"]
    assert transfers.look(wanted.path).kind is FileKind.TABLE


class TestUndo:
    @pytest.fixture
    def wines(self, tmp_path):
        return ImportRequest(path=table(tmp_path / "wines.csv", WINES), domain="wines")

    @pytest.fixture
    def say(self, local_services):
        def said(item):
            word = NewFeedback(user="ana", domain="cocktails", item=item, event=Event.LIKED)
            local_services.give_feedback(word)

        return said

    @staticmethod
    def words(services):
        found = services.feedback.history("ana", "", "oldest", 9)
        return [one.key for one in found.rows]

    def test_tells_how_many_words_were_given_since(self, local_services, wines, say):
        transfers = local_services.transfers
        say("negroni")
        transfers.import_file(wines, RequestHandle(), no_progress)
        assert (transfers.import_undo().file, transfers.import_undo().words) == ("wines.csv", 0)
        say("gimlet")
        assert transfers.import_undo().words == 1
        transfers.undo_import()
        assert self.words(local_services) == ["negroni"]

    def test_after_an_import_that_failed_has_nothing_to_take_back(
        self, local_services, wines, say, tmp_path
    ):
        transfers = local_services.transfers
        missing = ImportRequest(path=str(tmp_path / "none.csv"))
        with pytest.raises(LocalrecError):
            transfers.import_file(missing, RequestHandle(), no_progress)
        say("negroni")
        for call in (transfers.import_undo, transfers.undo_import):
            with pytest.raises(UsageError, match="none was made since the app began"):
                call()
        assert self.words(local_services) == ["negroni"]

    def test_after_one_that_was_stopped_takes_the_one_before_it_back(
        self, local_services, wines, say
    ):
        transfers = local_services.transfers
        transfers.import_file(wines, RequestHandle(), no_progress)
        stopped = RequestHandle()
        stopped.stopped.set()
        with pytest.raises(ModelCancelledError):
            transfers.import_file(wines, stopped, no_progress)
        say("negroni")
        assert transfers.import_undo().words == 1
        transfers.undo_import()
        assert [one.name for one in local_services.domains()] == ["cocktails"]

    def test_after_a_pull_is_refused(self, local_services, wines, say):
        transfers = local_services.transfers
        transfers.import_file(wines, RequestHandle(), no_progress)
        with pytest.raises(LocalrecError):
            transfers.pull("no-such-data", RequestHandle(), no_progress)
        say("negroni")
        with pytest.raises(UsageError, match="a data set was pulled after it"):
            transfers.undo_import()
        assert self.words(local_services) == ["negroni"]

    def test_of_an_earlier_one_says_that_only_the_last_can_be(
        self, local_services, wines, tmp_path
    ):
        transfers = local_services.transfers
        transfers.import_file(wines, RequestHandle(), no_progress)
        more = ImportRequest(path=table(tmp_path / "ports.csv", WINES), domain="ports")
        transfers.import_file(more, RequestHandle(), no_progress)
        transfers.undo_import()
        with pytest.raises(UsageError, match="Only the last import can be taken back"):
            transfers.import_undo()
        assert "wines" in [one.name for one in local_services.domains()]

    def test_of_the_first_into_nothing_says_that_nothing_was_before(self, wines, tmp_path):
        services = AppServices(by_spelling(tmp_path / "empty"), hold_s=0)
        try:
            services.transfers.import_file(wines, RequestHandle(), no_progress)
            with pytest.raises(UsageError, match="nothing was here before it"):
                services.transfers.import_undo()
        finally:
            services.close()

    def test_whose_copy_a_forgetting_took_says_so(self, local_services, wines, own_bar):
        transfers = local_services.transfers
        transfers.import_file(wines, RequestHandle(), no_progress)
        for copy in own_bar.glob("indexes/before*"):
            copy.unlink()
        with pytest.raises(UsageError, match="somebody was forgotten after it"):
            transfers.import_undo()

    def test_leaves_no_copy_behind_when_the_app_ends(self, local_services, wines, own_bar):
        local_services.transfers.import_file(wines, RequestHandle(), no_progress)
        assert list(own_bar.glob("indexes/before*"))
        local_services.transfers.close()
        assert not list(own_bar.glob("indexes/before*"))


def test_of_a_person_history_and_profile_go_out_for_each_domain(local_services, tmp_path):
    transfers = local_services.transfers
    domain = local_services.domains()[0].name
    word = NewFeedback(user="a/b", domain=domain, item="negroni", event=Event.LIKED)
    local_services.give_feedback(word)
    choices = transfers.export_choices("a/b")
    assert [one.file for one in choices] == [
        "a-b-history.csv",
        "a-b-profile.json",
        "cocktails.csv",
        "cocktails-recbole",
        "localrec-backup.zip",
    ]
    assert [one.file for one in transfers.export_choices(None)] == [
        "cocktails.csv",
        "cocktails-recbole",
        "localrec-backup.zip",
    ]


def test_nobody_is_offered_who_rated_what_where_nobody_did(local_services):
    words = {"user": "ana", "domain": "cocktails", "item": "negroni"}
    for event in (Event.LATER, Event.SEEN):
        offered = [one.file for one in local_services.transfers.export_choices(None)]
        assert offered == ["cocktails.csv", "localrec-backup.zip"]
        local_services.give_feedback(NewFeedback(event=event, **words))
    offered = [one.file for one in local_services.transfers.export_choices(None)]
    assert "cocktails-recbole" in offered


def test_all_that_can_go_out_is_written_in_each_of_its_formats(local_services, tmp_path):
    transfers = local_services.transfers
    word = NewFeedback(user="ana", domain="cocktails", item="negroni", event=Event.LIKED)
    local_services.give_feedback(word)
    for number, choice in enumerate(transfers.export_choices("ana")):
        for form in choice.formats or (choice.request.form,):
            place = tmp_path / f"{number}-{form}"
            wanted = msgspec.structs.replace(choice.request, out=str(place), form=form)
            transfers.export(wanted, RequestHandle(), no_progress)
            assert place.is_dir() == (form == "recbole")
    assert (tmp_path / "0-parquet").read_bytes().startswith(b"PAR1")
