"""The public workspace: typed results, errors with near names, and a store that is let go."""

import asyncio
import json
import shutil
import subprocess
import sys
import time

import pytest

import localrec
from localrec import AsyncWorkspace, UsageError, Workspace


@pytest.fixture
def desk(bundled_workspace, tmp_path):
    shutil.copytree(bundled_workspace, tmp_path / "workspace")
    with Workspace(tmp_path / "workspace", hold_s=0.1) as opened:
        yield opened


class TestImporting:
    def test_the_package_loads_nothing_heavy(self):
        program = (
            "import sys, localrec; localrec.__all__; "
            "heavy = {'numpy', 'duckdb', 'typer', 'rich', 'msgspec', 'importlib.metadata'}; "
            "print(sorted(heavy & set(sys.modules)))"
        )
        told = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert told.stdout.strip() == "[]"

    def test_every_public_name_can_be_imported(self):
        for name in localrec.__all__:
            assert getattr(localrec, name).__name__ == name
            assert name in dir(localrec)

    def test_another_name_is_refused(self):
        with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
            _ = localrec.Nothing


class TestAnswers:
    def test_an_answer_is_the_json_of_the_command_line(self, desk, cli):
        answer = desk.ask("a smoky drink without whiskey")
        printed = cli("ask", "a smoky drink without whiskey", "--json", "--workspace", desk.folder)
        assert answer.to_dict()["items"] == json.loads(printed.out)["items"]
        assert [row["name"] for row in answer.to_rows()] == [one.name for one in answer.items]

    def test_what_is_at_hand_may_be_a_list(self, desk):
        listed = desk.ask("what can I make", have=["gin", "campari", "sweet vermouth"])
        told = desk.ask("what can I make", have="gin, campari, sweet vermouth")
        assert listed.items == told.items and listed.items

    def test_rows_become_a_table_of_arrow(self, desk):
        pytest.importorskip("pyarrow")
        table = desk.ask("a sour").to_arrow()
        assert table.num_rows == 3 and "reason" in table.column_names


class TestTaste:
    def test_feedback_counts_in_the_next_list_and_can_be_taken_back(self, desk):
        before = desk.feedback("anna", "Negroni", "like")
        assert before.user == "anna" and before.item == "negroni"
        listed = desk.recommend("anna", k=3)
        assert "negroni" not in [one.key for one in listed.items]
        assert "campari" in listed.items[0].reason
        assert desk.explain("anna", "Boulevardier")
        desk.undo_feedback("anna")
        assert desk.history("anna") == []

    def test_nobody_is_refused_with_near_names(self, desk):
        desk.feedback("annabel", "Negroni", stars=5)
        for call in (
            lambda: desk.recommend("anabel"),
            lambda: desk.history("anabel"),
            lambda: desk.ask("a sour", user="anabel"),
            lambda: desk.undo_feedback("anabel"),
            lambda: desk.forget(user="anabel"),
        ):
            with pytest.raises(UsageError, match="annabel"):
                call()

    def test_a_program_may_refuse_a_key_that_is_nearly_somebody_s(self, desk, tmp_path):
        desk.feedback("anna", "Negroni", "like")
        seen = tmp_path / "ratings.csv"
        seen.write_text(
            "Date,Name,Year,Letterboxd URI,Rating\n2024-05-01,Heat,1995,https://l/1,4\n"
        )
        for call in (
            lambda: desk.feedback("annna", "Negroni", "like", new_user=False),
            lambda: desk.shelf.add("annna", "gin", new_user=False),
            lambda: desk.import_file(seen, "letterboxd", user="annna", new_user=False),
        ):
            with pytest.raises(UsageError, match=r"Did you mean anna.*new_user=True"):
                call()
        assert desk.users() == ["anna"]
        desk.feedback("annna", "Negroni", "like")
        assert desk.users() == ["anna", "annna"]

    @pytest.mark.parametrize(
        "words", [{}, {"verdict": "like", "stars": 4}, {"stars": 9}, {"verdict": "loved"}]
    )
    def test_feedback_is_one_verdict_or_stars_in_range(self, desk, words):
        with pytest.raises(UsageError):
            desk.feedback("anna", "Negroni", **words)
        assert desk.users() == []


class TestTheStoreIsLetGo:
    def test_another_process_writes_beside_an_open_workspace(self, desk, run_localrec):
        assert desk.ask("a sour").items
        time.sleep(0.3)
        written = run_localrec(
            "feedback", "--user", "bob", "--item", "Negroni", "--like", "--workspace", desk.folder
        )
        assert written.returncode == 0, written.stderr
        assert [entry.name for entry in desk.history("bob")] == ["Negroni"]

    def test_forgetting_leaves_the_workspace_usable(self, desk):
        desk.feedback("anna", "Negroni", "like")
        assert not desk.forget(user="anna").found
        assert desk.users() == [] and desk.ask("a sour").items

    def test_a_program_that_closes_nothing_ends_without_a_word(self, desk):
        program = f"from localrec import Workspace; Workspace({str(desk.folder)!r}).domains()"
        told = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert (told.stdout, told.stderr) == ("", "")


class TestAsync:
    def test_calls_are_awaited(self, desk):
        async def names() -> list[str]:
            async with AsyncWorkspace(desk.folder) as other:
                answers = await asyncio.gather(other.ask("a sour"), other.ask("a long drink"))
            return [one.items[0].name for one in answers]

        assert asyncio.run(names()) == [
            desk.ask("a sour").items[0].name,
            desk.ask("a long drink").items[0].name,
        ]
