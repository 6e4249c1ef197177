"""DuckDB's compiled engine, without the Python layer around it.

`import duckdb` also builds its API of expressions and reads package metadata, which takes longer
than opening a store. A connection needs none of it, so the compiled module is imported directly;
the names and errors in it are those of `duckdb`. Import this module inside functions: 20 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb as duckdb
else:
    try:
        import _duckdb as duckdb
    except ImportError:  # a version that names its compiled module otherwise
        import duckdb
