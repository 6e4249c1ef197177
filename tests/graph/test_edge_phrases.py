"""The words for edges of the graph."""

from __future__ import annotations

from localrec.graph.edge_phrases import edge_phrase


def test_an_edge_is_called_as_its_domain_says_it():
    assert edge_phrase("HAS_GARNISH", "cocktails") == "is garnished with"
    assert edge_phrase("FROM_DECADE", "books") == "is from the"
    assert edge_phrase("IS_A", "books") == "is a kind of"


def test_an_edge_that_no_domain_declares_is_told_in_words_still():
    assert edge_phrase("SOON_AFTER", "cocktails") == "soon after"
