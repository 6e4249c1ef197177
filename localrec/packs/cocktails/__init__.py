"""Knowledge of drinks: recipes and measures, glass outlines, colours and garnishes."""

from pathlib import Path

from localrec.data.domain_pack import DomainPack

PACK = DomainPack(
    folder=Path(__file__).parent,
    measure_image="localrec.packs.cocktails.image_analysis:measure_image",
    describe_image="localrec.packs.cocktails.image_description:describe_image",
)
