"""A domain pack: the folder of a domain's files and the functions that read its images."""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.data.domains import AttributeRole


class DomainPack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One domain, registered under the entry-point group `localrec.domains` by its name.

    Functions are named as "package.module:function", so that they are imported on first use.

    Example: `PACK = DomainPack(folder=Path(__file__).parent)` beside a `domain.toml`.

    Args:
        folder: Holds `domain.toml` and, if there is one, `taxonomy.toml`.
        image_roles: Roles that a domain must have before the image functions can serve it; they
            serve every such domain, not this one alone.
        measure_image: An `ImageAnalyzer`: what can be measured in an image without a model.
        describe_image: A `VisionAnalyzer`: what a vision model sees in an image.
    """

    folder: Path
    image_roles: frozenset[AttributeRole] = frozenset({"colour"})
    measure_image: str | None = None
    describe_image: str | None = None
