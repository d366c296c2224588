"""EC2 Image Builder: which names of pipelines and their parts are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

Part = Literal[
    "pipeline",
    "infrastructure configuration",
    "distribution configuration",
    "lifecycle policy",
    "image recipe",
]
"""What has a name that is unique in account and Region; a recipe has a version as well."""


def _listing(name: str, what: str) -> ReadOperation:
    return ReadOperation(
        service="imagebuilder",
        name=name,
        permission=f"imagebuilder:{name}",
        purpose=f"whether the name of {what} of the image stack is taken",
    )


LIST_IMAGE_PIPELINES = _listing("ListImagePipelines", "the pipeline")
LIST_INFRASTRUCTURE_CONFIGURATIONS = _listing(
    "ListInfrastructureConfigurations", "the infrastructure configuration"
)
LIST_DISTRIBUTION_CONFIGURATIONS = _listing(
    "ListDistributionConfigurations", "the distribution configuration"
)
LIST_LIFECYCLE_POLICIES = _listing("ListLifecyclePolicies", "the lifecycle policy")
LIST_IMAGE_RECIPES = _listing("ListImageRecipes", "the recipe")

_LISTS: Mapping[Part, tuple[ReadOperation, str]] = {
    "pipeline": (LIST_IMAGE_PIPELINES, "imagePipelineList"),
    "infrastructure configuration": (
        LIST_INFRASTRUCTURE_CONFIGURATIONS,
        "infrastructureConfigurationSummaryList",
    ),
    "distribution configuration": (
        LIST_DISTRIBUTION_CONFIGURATIONS,
        "distributionConfigurationSummaryList",
    ),
    "lifecycle policy": (LIST_LIFECYCLE_POLICIES, "lifecyclePolicySummaryList"),
    "image recipe": (LIST_IMAGE_RECIPES, "imageRecipeSummaryList"),
}


class ImageBuilderGateway(Gateway):
    """Lists what an account has of Image Builder in one Region."""

    service = "imagebuilder"
    operations = tuple(operation for operation, _ in _LISTS.values())

    def is_taken(self, part: Part, name: str) -> bool:
        """Whether something of a kind has a name.

        Args:
            part: The kind.
            name: The name; ARNs have it in lower case, so that case makes no other name.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        operation, member = _LISTS[part]
        # AWS's page spells the filters of lifecycle policies otherwise; there are few of them.
        by_name = {"filters": [{"name": "name", "values": [name]}]}
        filters = {} if part == "lifecycle policy" else by_name
        found = self._ask_all(operation, member, about=name, **filters)
        return any(str(entry.get("name", "")).lower() == name.lower() for entry in found)
