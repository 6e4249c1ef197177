"""Find the image functions that domain packs register for a domain.

A function serves every domain that has the roles it describes, also a user's own domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from localrec.data.domain_pack import DomainPack
from localrec.data.domains import Domain
from localrec.foundation.errors import ModelError
from localrec.foundation.plugins import DOMAINS, list_plugins, load_reference
from localrec.images.attributes import ImageAttributes
from localrec.images.opening import DecodedImage
from localrec.llm.chat_model import Generation, VisionModel


class ImageDescriptionError(ModelError):
    """A model's answer describes no image."""


class ImageAnalyzer(Protocol):
    """Measure an image without a model."""

    def __call__(self, picture: DecodedImage) -> ImageAttributes:
        """Return the attributes found; uncertain ones are left out."""
        ...


class VisionAnalyzer(Protocol):
    """Describe an image by a vision model."""

    def __call__(
        self, model: VisionModel, picture: DecodedImage, singular: str
    ) -> tuple[ImageAttributes, Generation]:
        """Return what a model sees in an image of a `singular`, and the model's text.

        Raises:
            ModelError: the model cannot be asked.
            ImageDescriptionError: it wrote something else.
        """
        ...


def image_analyzer(domain: Domain) -> ImageAnalyzer | None:
    """Return the function that measures images of a domain; None if no pack has one."""
    named = (pack.measure_image for pack in _serving(domain))
    reference = next(filter(None, named), None)
    return None if reference is None else load_reference(reference)


def vision_analyzer(domain: Domain) -> VisionAnalyzer | None:
    """Return the function that lets a vision model describe images; None if no pack has one."""
    named = (pack.describe_image for pack in _serving(domain))
    reference = next(filter(None, named), None)
    return None if reference is None else load_reference(reference)


def _serving(domain: Domain) -> Iterator[DomainPack]:
    """Yield the packs whose image functions fit the roles of a domain, its own pack first."""
    roles = {spec.role for spec in domain.attributes.values()}
    plugins = list_plugins(DOMAINS)
    for plugin in sorted(plugins.values(), key=lambda one: one.name != domain.name):
        pack = plugin.load()
        if pack.image_roles <= roles:
            yield pack
