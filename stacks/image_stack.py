"""The pipeline that bakes images for the nodes of a cluster; it changes no node by itself."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack
from constructs import Construct

from constructs_lib.compute import ImageBuild, ImageDistribution, NodeImagePipeline, SourceImage
from stacks.network_stack import NetworkStack
from trnkit.config import ClusterConfig, ImagePipelineConfig
from trnkit.errors import ConstructError
from trnkit.layout.image_pipeline import ImagePipelinePlan
from trnkit.layout.tags import cluster_tags


class ImageStack(Stack):
    """An EC2 Image Builder pipeline in the cluster's private subnet."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster: ClusterConfig,
        plan: ImagePipelinePlan,
        network: NetworkStack,
        env: Environment,
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Images`.
            cluster: What to build.
            plan: The pipeline that it asks for.
            network: Where to build images.
            env: Account and region.

        Raises:
            ConstructError: The cluster asks for no pipeline.
        """
        super().__init__(
            scope, construct_id, env=env, description=f"trnkit cluster {cluster.name}: images"
        )
        config = cluster.compute.image_pipeline
        if config is None:
            raise ConstructError("compute.image_pipeline is needed to build images")
        pipeline = NodeImagePipeline(
            self,
            "ImagePipeline",
            source=SourceImage(
                image=plan.parent,
                root_device_name=plan.root_device_name,
                root_volume_size_gib=config.root_volume_size_gib,
                kms_key_arn=config.kms_key_arn,
            ),
            subnet=network.compute_subnet,
            security_groups=[network.node_security_group],
            build=_build(config),
            distribution=ImageDistribution(
                parameter_name=plan.parameter_name,
                regions=config.regions,
                keep_images=config.keep_images,
            ),
            component_arns=config.component_arns,
            tags=cluster_tags(cluster),
        )
        CfnOutput(self, "ImageParameterName", value=plan.parameter_name)
        CfnOutput(
            self,
            "StartImageBuild",
            value="aws imagebuilder start-image-pipeline-execution "
            f"--region {cluster.region} --image-pipeline-arn {pipeline.pipeline_arn}",
        )


def _build(config: ImagePipelineConfig) -> ImageBuild:
    return ImageBuild(
        instance_type=config.instance_type,
        schedule=config.schedule,
        image_scanning=config.image_scanning,
        topic_arn=config.topic_arn,
    )
