"""DuckDB's compiled engine, without the Python layer around it.

`import duckdb` also builds its API of expressions and reads package metadata, which takes longer
than opening a store. A connection needs none of it, so the compiled module is imported directly;
the names and errors in it are those of `duckdb`. Import this module inside functions: 20 ms.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb as duckdb
else:  # a version may name its compiled module otherwise
    duckdb = import_module("_duckdb" if find_spec("_duckdb") else "duckdb")
