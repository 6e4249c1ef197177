"""The contract of every domain."""

from __future__ import annotations

from localrec.data.domain_pack import DomainPack
from localrec.data.domains import Domain
from localrec.foundation.plugins import DOMAINS, find_plugin, load_reference
from localrec.graph.domain_files import known_domains, load_domain


class DomainContract:
    """Test a domain; a subclass sets `name`.

    Example:
        `class TestTea(DomainContract)` with `name = "tea"`.
    """

    name: str

    @property
    def domain(self) -> Domain:
        """The declaration, as localrec reads it."""
        return load_domain(self.name)

    def test_it_is_known_under_its_own_name(self) -> None:
        """The entry point and the declaration bear the same name."""
        assert self.name in known_domains()
        assert self.domain.name == self.name

    def test_answers_can_name_its_items(self) -> None:
        """The words for an item are lower case and there is at least one."""
        words = (self.domain.singular, self.domain.plural, *self.domain.item_words)
        assert self.domain.item_words
        assert all(word.strip() and word == word.lower() for word in words)

    def test_its_items_can_be_searched_by_name(self) -> None:
        """A text called `name` is embedded."""
        assert "name" in self.domain.texts

    def test_it_has_components(self) -> None:
        """Similarity and substitutions walk the component."""
        assert self.domain.kind_of("component") is not None

    def test_each_role_is_played_once(self) -> None:
        """A question's wish for a role leads to one kind of attribute."""
        roles = [spec.role for spec in self.domain.attributes.values()]
        assert len(set(roles)) == len(roles)

    def test_each_kind_has_an_edge_of_its_own_that_a_sentence_can_state(self) -> None:
        """Evidence is written with `says`."""
        kinds = self.domain.attributes.values()
        assert len({spec.edge for spec in kinds}) == len(kinds)
        assert all("{name}" in spec.says for spec in kinds)

    def test_what_is_read_from_texts_names_texts_of_the_domain(self) -> None:
        """`from_texts` names keys of `[texts]`."""
        named = {text for spec in self.domain.attributes.values() for text in spec.from_texts}
        assert named <= self.domain.texts.keys()

    def test_each_flag_accepts_values_that_it_has(self) -> None:
        """`accepts` and `labels` speak of declared values."""
        for flag in self.domain.flags.values():
            accepted = {one for values in flag.accepts.values() for one in values}
            assert accepted | flag.accepts.keys() | flag.labels.keys() <= flag.values.keys()

    def test_the_taxonomy_speaks_of_its_attributes(self) -> None:
        """Each section is a kind of attribute."""
        assert self.domain.taxonomy.keys() <= self.domain.attributes.keys()

    def test_no_concept_is_its_own_family(self) -> None:
        """Families form no circle."""
        for concepts in self.domain.taxonomy.values():
            for start in concepts:
                above = list(concepts[start].parents)
                for family in above:
                    parents = concepts[family].parents if family in concepts else ()
                    above += [one for one in parents if one not in above]
                assert start not in above, start

    def test_it_offers_questions_as_examples(self) -> None:
        """A user whose question was not understood is offered another."""
        assert self.domain.examples

    def test_the_image_functions_of_its_pack_can_be_imported(self) -> None:
        """References of a pack lead to functions."""
        plugin = find_plugin(DOMAINS, self.name)
        if plugin is None:
            return  # data alone, below localrec's own folder
        pack = plugin.load()
        assert isinstance(pack, DomainPack)
        named = filter(None, (pack.measure_image, pack.describe_image))
        assert all(callable(load_reference(reference)) for reference in named)
