"""Contracts of plug-ins, as classes of tests: subclass one in your own tests and run pytest.

Example:
    `class TestTea(SourceContract)` with `kind = "tea"` and a `write_example` checks a reader.
"""

from localrec.testing.domains import DomainContract
from localrec.testing.recommenders import RecommenderContract
from localrec.testing.sources import SourceContract
from localrec.testing.systems import SystemContract

__all__ = ["DomainContract", "RecommenderContract", "SourceContract", "SystemContract"]
