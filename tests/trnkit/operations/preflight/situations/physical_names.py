"""What check physical-names is asked with."""

from __future__ import annotations

from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.situations import Situation
from trnkit.config import ClusterConfig, ImagePipelineConfig


def with_pipeline(**changes: Any) -> ClusterConfig:
    """A cluster with a pipeline of images."""
    cluster = make_cluster()
    pipeline = ImagePipelineConfig(**changes)
    compute = cluster.compute.model_copy(update={"image_pipeline": pipeline})
    return cluster.model_copy(update={"compute": compute})


SITUATION = Situation(
    empty=("ok", "nothing of Image Builder is named pretrainImages-ImagePipeline-"),
    cluster=with_pipeline(keep_images=3),
    well={
        "ListImagePipelines": {"imagePipelineList": []},
        "ListInfrastructureConfigurations": {"infrastructureConfigurationSummaryList": []},
        "ListDistributionConfigurations": {"distributionConfigurationSummaryList": []},
        "ListLifecyclePolicies": {"lifecyclePolicySummaryList": []},
        "ListImageRecipes": {"imageRecipeSummaryList": []},
    },
)
