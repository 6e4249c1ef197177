"""Memories: versions are kept, words are clean, pins hold, provenance is whole."""

from __future__ import annotations

from datetime import datetime

import pytest

from localrec.foundation.errors import InputError
from localrec.graph.store import Store
from localrec.memory.records import (
    MAX_FACETS,
    MAX_MEMORY,
    Facet,
    MemoryUpdate,
    WriteResult,
    edit_memory,
    history_of,
    memories_of,
    memory_of,
    pin_memory,
)
from localrec.privacy.erasure_plan import ErasurePlan, ForgetScope
from localrec.privacy.leak_scan import PatternScanner
from localrec.privacy.store_rewrite import copy_remaining_rows, sidecar_files
from tests.planted import write_memories

from .crowd_of_guests import node, says


@pytest.fixture
def ana(bar):
    return says(bar, "ana", "negroni")


def remember(store, node_id, text, **more):
    return write_memories(store, [MemoryUpdate(node_id=node_id, text=text, **more)])


class TestVersions:
    def test_are_kept_and_the_newest_counts(self, bar, ana):
        for text in ("Likes gin.", "Likes rum."):
            remember(bar, ana, text)
        assert memory_of(bar, ana).text == "Likes rum."
        assert [(m.version, m.text) for m in history_of(bar, ana)] == [
            (2, "Likes rum."),
            (1, "Likes gin."),
        ]

    def test_are_not_made_by_an_update_that_changes_nothing(self, bar, ana):
        remember(bar, ana, "Likes gin.")
        assert remember(bar, ana, " Likes  gin.") == WriteResult(unchanged=(ana,))
        assert len(history_of(bar, ana)) == 1

    def test_of_many_nodes_are_read_at_once_and_strangers_left_out(self, bar, ana):
        bob = says(bar, "bob", "mojito")
        remember(bar, ana, "A.")
        remember(bar, bob, "B.")
        found = memories_of(bar, [bob, ana, 10**9])
        assert {one: memory.text for one, memory in found.items()} == {ana: "A.", bob: "B."}
        assert memories_of(bar, []) == {}

    def test_of_a_node_that_is_gone_are_not_written(self, bar):
        assert remember(bar, 10**9, "x") == WriteResult(gone=(10**9,))

    def test_of_one_node_written_twice_at_once_are_one(self, bar, ana):
        updates = [MemoryUpdate(node_id=ana, text=text) for text in ("First.", "Last.")]
        assert write_memories(bar, updates).written == (ana,)
        assert [m.text for m in history_of(bar, ana)] == ["Last."]

    def test_come_back_as_they_were_written(self, bar, ana):
        facets = (Facet("likes gin", 0.75, (ana,)), Facet("lately Negroni", 1.0))
        remember(bar, ana, "Likes gin.", facets=facets, source="propagated", by="counts")
        memory = memory_of(bar, ana)
        assert (memory.facets, memory.source, memory.provenance.by) == (
            facets,
            "propagated",
            "counts",
        )
        assert memory.at.tzinfo is None


class TestWords:
    def test_are_harmless_and_of_bounded_length(self, bar, ana):
        facets = tuple(Facet(f"likes \x1b[31m{n}" + "x" * 500, 9.0) for n in range(12))
        remember(bar, ana, "Likes\x1b[2J <|im_end|>gin\u202e." + "y" * 9000, facets=facets)
        memory = memory_of(bar, ana)
        assert memory.text.startswith("Likes < |im_end|>gin.")
        assert len(memory.text) == MAX_MEMORY
        assert len(memory.facets) == MAX_FACETS
        assert {facet.confidence for facet in memory.facets} == {1.0}
        assert all("\x1b" not in f.text and len(f.text) <= 160 for f in memory.facets)

    @pytest.mark.parametrize("sure", [float("nan"), -3.0])
    def test_that_nobody_is_sure_of_have_confidence_0(self, bar, ana, sure):
        remember(bar, ana, "x", facets=(Facet("likes gin", sure),))
        assert memory_of(bar, ana).facets[0].confidence == 0.0


class TestAPin:
    def test_keeps_updates_away_and_they_are_told(self, bar, ana):
        remember(bar, ana, "Mine.")
        assert pin_memory(bar, ana).pinned
        assert remember(bar, ana, "Theirs.") == WriteResult(skipped=(ana,))
        assert memory_of(bar, ana).text == "Mine."

    def test_can_be_taken_out_again(self, bar, ana):
        remember(bar, ana, "Mine.")
        pin_memory(bar, ana)
        assert not pin_memory(bar, ana, False).pinned
        assert remember(bar, ana, "Theirs.").written == (ana,)

    def test_needs_a_memory(self, bar, ana):
        assert pin_memory(bar, ana) is None

    def test_comes_with_what_a_person_writes(self, bar, ana):
        remember(bar, ana, "Counted.", facets=(Facet("likes gin", 1.0),))
        edited = edit_memory(bar, ana, "  In my\nown words. ")
        assert edited == memory_of(bar, ana)
        assert (edited.text, edited.source, edited.version) == ("In my own words.", "person", 2)
        assert remember(bar, ana, "Counted.").skipped == (ana,)

    def test_does_not_keep_the_person_from_writing_again(self, bar, ana):
        edit_memory(bar, ana, "One.")
        assert edit_memory(bar, ana, "Two.").version == 2

    def test_cannot_be_put_on_nothing(self, bar, ana):
        with pytest.raises(InputError, match="words that can be read"):
            edit_memory(bar, ana, "\u200b \x1b[31m")
        assert memory_of(bar, ana) is None


class TestProvenance:
    def test_names_supporters_and_what_was_named(self, bar, ana):
        remember(bar, ana, "x", made_from=(3,), facets=(Facet("likes gin", 1.0, (1, 2)),))
        assert memory_of(bar, ana).provenance.made_from == (1, 2, 3)

    def test_grows_with_words_that_are_carried_on(self, bar, ana):
        remember(bar, ana, "x", made_from=(1,))
        remember(bar, ana, "x y", made_from=(2,), carries_on=True)
        memory = memory_of(bar, ana)
        assert (memory.provenance.made_from, memory.provenance.builds_on) == ((1, 2), 1)
        remember(bar, ana, "z", made_from=(3,))
        assert memory_of(bar, ana).provenance.made_from == (3,)


class TestForgetting:
    """Ana and Bob at one bar: Bob's memory has a version that was made from Ana's likes."""

    @pytest.fixture
    def users(self, bar, path):
        ana, bob = (
            says(bar, "ana.of.the.harbour", "negroni"),
            says(bar, "bob.of.the.hill", "mojito"),
        )
        drink, other = node(bar, "negroni"), node(bar, "gimlet")
        for one in (ana, bob):
            remember(bar, one, "A memory of their own.")
        remember(bar, bob, "Somebody like him drinks Negroni in harbours.", made_from=(ana, drink))
        remember(bar, drink, "Liked where boats are.", made_from=(ana,))
        remember(bar, other, "Liked on hills.", made_from=(bob,))
        bar.execute("UPDATE job SET skipped = [?::BIGINT] WHERE user_id = ?", [drink, bob])
        edit_memory(bar, node(bar, "nutty"), "By hand.")
        bar.close()
        return path

    def after(self, path, wish):
        fresh = path.with_name("fresh.duckdb")
        with Store.open_(path, may_read=sidecar_files(fresh)) as store:
            leaving = ErasurePlan(store, wish)
            patterns = {pattern.text for pattern in leaving.patterns()}
            copy_remaining_rows(leaving, fresh, PatternScanner(leaving.patterns()), lambda *_: None)
        with Store.open_(fresh, read_only=True) as store:
            left = store.rows(
                "SELECT key, version, text FROM memory JOIN node USING (node_id) ORDER BY 1, 2"
            )
            jobs = store.rows("SELECT key FROM job JOIN node ON node_id = user_id ORDER BY job_id")
        return left, [key for (key,) in jobs], patterns

    def test_a_person_takes_their_memories_jobs_and_what_was_made_from_them(self, users):
        left, jobs, patterns = self.after(users, ForgetScope(user="ana.of.the.harbour"))
        assert left == [
            ("bob.of.the.hill", 1, "A memory of their own."),  # falls back
            ("gimlet", 1, "Liked on hills."),
            ("nutty", 1, "By hand."),
        ]
        assert jobs == ["bob.of.the.hill"]
        assert "Somebody like him drinks Negroni in harbours." in patterns
        assert "A memory of their own." not in patterns  # bob's says the same, and stays

    def test_an_item_takes_what_was_made_from_it(self, users):
        left, jobs, _ = self.after(users, ForgetScope(item="negroni"))
        assert [(key, version) for key, version, _ in left] == [
            ("ana.of.the.harbour", 1),
            ("bob.of.the.hill", 1),
            ("gimlet", 1),
            ("nutty", 1),
        ]
        assert jobs == []  # ana's was about it, bob's names it among what it left alone

    def test_a_span_of_time_takes_what_was_made_in_it(self, users):
        with Store.open_(users) as store:
            store.execute("UPDATE memory SET \"at\" = TIMESTAMP '2020-01-01' WHERE version = 1")
        left, jobs, _ = self.after(users, ForgetScope(since=datetime(2025, 1, 1)))
        assert [(key, version) for key, version, _ in left] == [
            ("ana.of.the.harbour", 1),
            ("bob.of.the.hill", 1),
            ("gimlet", 1),
            ("negroni", 1),
            ("nutty", 1),
        ]
        assert jobs == []

    def test_a_span_of_everybodys_time_takes_what_was_written_by_hand_too(self, users):
        left, _, _ = self.after(users, ForgetScope(since=datetime(2020, 1, 1)))
        assert left == []

    def test_a_span_of_one_persons_time_leaves_the_others(self, users):
        wish = ForgetScope(user="ana.of.the.harbour", since=datetime(2020, 1, 1))
        left, jobs, _ = self.after(users, wish)
        assert [(key, version) for key, version, _ in left] == [
            ("bob.of.the.hill", 1),
            ("gimlet", 1),
            ("nutty", 1),
        ]
        assert jobs == ["bob.of.the.hill"]
