"""Whether this environment holds localrec with some of its extras, asked in a tenth of a second.

    python scripts/installed.py EXTRA...           exit code 0: yes, 1: no
    python scripts/installed.py --record EXTRA...  after an installation: remember what was met

pip needs seconds to say the same. Each extra leaves a stamp in the environment: the digest of all
that pyproject.toml and constraints.txt say about dependencies. Beside the stamps, every
required package must be there by its metadata, and `import localrec` must lead to this checkout.
"""

import hashlib
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Check, or record; the exit code."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [argument for argument in arguments if argument != "--record"]
    stamps = [Path(sys.prefix) / f".localrec-{extra}" for extra in extras]
    digest = _digest(project)
    if "--record" in arguments:
        for stamp in stamps:
            stamp.write_text(digest, encoding="ascii")
        return 0
    met = all(stamp.is_file() and stamp.read_text("ascii") == digest for stamp in stamps)
    return 0 if met and _is_this_checkout() and _has_packages(project, extras) else 1


def _digest(project: dict) -> str:
    constraints = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8")
    return hashlib.sha256(f"{sys.version}\n{project}\n{constraints}".encode()).hexdigest()


def _is_this_checkout() -> bool:
    spec = find_spec("localrec")
    return spec is not None and Path(spec.origin or "").parent.parent == CHECKOUT


def _has_packages(project: dict, extras: list[str]) -> bool:
    optional = project["optional-dependencies"]
    required = [*project["dependencies"], *(need for extra in extras for need in optional[extra])]
    try:
        for requirement in required:
            version(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
