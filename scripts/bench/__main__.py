"""Time every line beside its peer, at three sizes where a line depends on one, and keep the ratios.

Run:
    python scripts/bench all [what `run.py peers --help` tells]
    python scripts/bench all --check

The first writes docs/results/speed.md and its figures; one run on a quiet machine takes hours, and
`--only` takes parts. The second measures nothing: it fails where a line lost a tenth in the last
two runs of one machine.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

STUDIES = Path(__file__).resolve().parent.parent / "studies"


def arguments_of_all(given: Sequence[str]) -> list[str]:
    """What `run.py` is asked for by `all` and further options; nothing where `all` is missing."""
    if not given or given[0] != "all":
        return []
    options = list(given[1:])
    return ["peers", *([] if "--check" in options else ["--all-sizes", "--report"]), *options]


if __name__ == "__main__":
    sys.path.insert(0, str(STUDIES))
    from run import main

    asked = arguments_of_all(sys.argv[1:])
    if not asked:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(asked))
