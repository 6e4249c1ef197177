"""What localrec bundles and needs, with licences: a CycloneDX document and a page.

    python scripts/sbom.py                what the wheel carries and asks for (it lies in the wheel)
    python scripts/sbom.py --installed    the versions of this environment

A wheel bundles no other package, so its document names what it requires, without a version; the
second form names what an environment holds. Both are the same each time for the same input.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from record_tables import markdown_table

ROOT = Path(__file__).resolve().parents[1]
FILE = "localrec.cdx.json"
OWN = "Apache-2.0"
_SPACE = UUID("7d5f4b2c-6a0e-4d53-9a55-2f6a3c1e8b10")

# Part of the wheel -> its files, where it comes from.
BUNDLED = {
    "drinks": ("datasets/cocktails", "written for localrec"),
    "declarations of domains and evaluations": (
        "datasets/*/*.toml",
        "written for localrec",
    ),
    "curation rules": ("datasets/rules", "after MemRec, Figures 11 and 12"),
    "knowledge of drinks": ("localrec/packs/cocktails/*.toml", "written for localrec"),
    "words of questions and headers": (
        "localrec/understanding/languages, localrec/sources/*.toml",
        "written for localrec",
    ),
    "names to compose training questions of": (
        "localrec/training/examples/*.toml",
        "written for localrec; names of public works and kinds",
    ),
    "sentences that a writer learns from": (
        "localrec/explanation/sentences.jsonl",
        "written for localrec",
    ),
    "catalogues of models and data sets": (
        "models/catalog.toml, datasets/catalog.toml",
        "addresses and digests alone; what they name is pulled, under its own licence",
    ),
    "holders of roles": ("models/roles.toml", "written for localrec"),
}

# A test holds these against the metadata of what is installed.
LICENCES = {
    "duckdb": "MIT",
    "gguf": "MIT",
    "hnswlib": "Apache-2.0",
    "implicit": "MIT",
    "jinja2": "BSD-3-Clause",
    "llama-cpp-python": "MIT",
    "mcp": "MIT",
    "mkdocs-material": "MIT",
    "msgspec": "BSD-3-Clause",
    "networkx": "BSD-3-Clause",
    "numpy": "BSD-3-Clause",
    "onnxruntime": "MIT",
    "peft": "Apache-2.0",
    "pillow": "MIT-CMU",
    "platformdirs": "MIT",
    "py3langid": "BSD-3-Clause",
    "pyarrow": "Apache-2.0",
    "rapidfuzz": "MIT",
    "ray": "Apache-2.0",
    "rich": "MIT",
    "scipy": "BSD-3-Clause",
    "sentence-transformers": "Apache-2.0",
    "symspellpy": "MIT",
    "textual": "MIT",
    "textual-image": "LGPL-3.0-or-later",
    "textual-serve": "MIT",
    "tokenizers": "Apache-2.0",
    "torch": "BSD-3-Clause",
    "transformers": "Apache-2.0",
    "trl": "Apache-2.0",
    "typer": "MIT",
}

_PAGE = """# Licences

localrec is under the {own} licence. The wheel bundles no other package; what it asks for is
installed beside it. The same list as CycloneDX lies in the wheel, under
`localrec-VERSION.dist-info/sboms`.

## In the wheel

{bundled}

Models and data sets are pulled by name and keep their own licences: `localrec models list` and
`localrec datasets list` name them. MovieLens is for research and may not be handed on.

## Installed beside it

{needed}

`python scripts/sbom.py --installed` lists an environment with its versions, what these packages
bring included. numpy and torch carry parts under further permissive licences, which their metadata
name.
"""


def requirements() -> dict[str, list[str]]:
    """Package -> the extras that ask for it, without that for tests; "" is none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, list[str]] = {}
    asked = {"": project["dependencies"], **project["optional-dependencies"]}
    for extra, wanted in asked.items():
        for one in wanted if extra != "dev" else ():
            found.setdefault(re.split(r"[^\w.-]", one, maxsplit=1)[0], []).append(extra)
    return found


def licences_page() -> str:
    """The page of the documentation."""
    bundled = [(name, files, OWN, source) for name, (files, source) in BUNDLED.items()]
    needed = [
        (name, LICENCES[name], ", ".join(f"`{one}`" for one in extras if one) or "always")
        for name, extras in sorted(requirements().items())
    ]
    return _PAGE.format(
        own=OWN,
        bundled=markdown_table(("what", "files", "licence", "source"), bundled).rstrip(),
        needed=markdown_table(("package", "licence", "for the extra"), needed).rstrip(),
    )


def bill_text(*, installed: bool = False) -> str:
    """The CycloneDX document."""
    from cyclonedx.model.bom import Bom
    from cyclonedx.output.json import JsonV1Dot6

    own = _component("localrec", _own_version(), OWN, kind="application")
    parts = list(_installed() if installed else _wheel_parts())
    bill = Bom(serial_number=uuid5(_SPACE, f"{own.version} {sorted(map(_name, parts))}"))
    bill.metadata.component = own
    bill.components.update(parts)
    bill.register_dependency(own, [one for one in parts if one.purl])
    document = json.loads(JsonV1Dot6(bill).output_as_string())
    del document["metadata"]["timestamp"]  # the same each time
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _wheel_parts() -> Iterator[Any]:
    for name, (files, source) in BUNDLED.items():
        yield _component(name, None, OWN, kind="data", about=f"{files}: {source}")
    for name, extras in sorted(requirements().items()):
        needed = "required" if "" in extras else f"for the extras {', '.join(extras)}"
        yield _component(name, None, LICENCES[name], about=needed)


def _installed() -> Iterator[Any]:
    waiting, seen = ["localrec", *requirements()], set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = metadata(name)
        except PackageNotFoundError:
            continue
        if name != "localrec":
            licence = found["License-Expression"] or LICENCES.get(name)
            yield _component(name, found["Version"], licence)
        for one in found.get_all("Requires-Dist") or ():
            if "extra ==" not in one:
                waiting.append(re.split(r"[^\w.-]", one, maxsplit=1)[0])


def _component(
    name: str, release: str | None, licence: str | None, *, kind: str = "library", about: str = ""
) -> Any:
    from cyclonedx.contrib.license.factories import LicenseFactory
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    return Component(
        type=ComponentType(kind),
        name=name,
        version=release,
        description=about or None,
        licenses=[LicenseFactory().make_from_string(licence)] if licence else (),
        purl=PackageURL("pypi", name=name, version=release) if kind != "data" else None,
        bom_ref=f"{kind}:{name}",
    )


def _name(component: Any) -> str:
    return f"{component.name} {component.version}"


def _own_version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def main(arguments: list[str]) -> int:
    """Print a document."""
    sys.stdout.write(bill_text(installed="--installed" in arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
