"""EC2 Image Builder: kept by its schema, under the ARNs and with the refusal that the service has.

No emulator has this service, so nothing is built. What its resources say of each other must fit all
the same, and two things of one name and version there are not.

Sources:
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/ibhow-semantic-versioning.html
    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2imagebuilder.html
"""

from __future__ import annotations

from trnkit.emulation.resources.resource import Made, Place, Properties, Refused
from trnkit.emulation.resources.schema_only import SchemaOnly

_KINDS = {
    "Component": "component",
    "ImageRecipe": "image-recipe",
    "InfrastructureConfiguration": "infrastructure-configuration",
    "DistributionConfiguration": "distribution-configuration",
    "ImagePipeline": "image-pipeline",
    "LifecyclePolicy": "lifecycle-policy",
}
_BUILT = "Component"
"""It has a build number behind its version."""


class ImageBuilderResource(SchemaOnly):
    """``AWS::ImageBuilder::*`` by name and version."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"AWS::ImageBuilder::{kind}")
        self._kind = kind
        self._made: set[str] = set()

    def create(self, place: Place, properties: Properties) -> Made:
        """Keep it, or refuse what there is already."""
        name = str(properties["Name"])
        parts = [_KINDS[self._kind], name.lower().replace(" ", "-")]
        version = properties.get("Version")
        if version is not None:
            parts.append(str(version))
        if self._kind == _BUILT:
            parts.append("1")
        arn = place.arn("imagebuilder", "/".join(parts))
        if arn in self._made:
            raise Refused(
                f"Resource of type '{self.name}' with identifier '{arn}' already exists.",
                code="AlreadyExists",
            )
        self._made.add(arn)
        made = super().create(place, properties)
        attributes = {**made.attributes, "Arn": arn, "Name": name}
        self._kept[arn] = self._kept.pop(made.physical_id)
        return Made(arn, attributes)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Keep the new properties, under the same ARN."""
        super().update(place, made, old, new)
        return made

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Forget it, so that its name and version are free again."""
        super().delete(place, physical_id, properties)
        self._made.discard(physical_id)


TYPES = tuple(ImageBuilderResource(kind) for kind in _KINDS)
