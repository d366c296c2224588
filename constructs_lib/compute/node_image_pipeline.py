"""A pipeline that bakes images for Trainium nodes, and records their ids."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aws_cdk import Names, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_imagebuilder as imagebuilder
from constructs import Construct

from constructs_lib.arguments import entries, instance, same_region, text, text_list
from constructs_lib.compute.image_settings import ImageBuild, ImageDistribution, SourceImage
from constructs_lib.compute.image_version import content_version
from constructs_lib.compute.node_role import SSM_CORE
from trnkit.config.image_pipeline import ComponentArn
from trnkit.config.values import TagKey, TagValue
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import aws_ec2 as ec2

_SAYS = "description: "
_DOCUMENTS = Path(__file__).parent / "assets" / "image"
_INSTALLED = ("lustre-client", "efa", "cloudwatch-agent")
_FINISHED = ("hold-packages", "cleanup", "verify")
"""Components before and after those of the user: what is installed later would not be held."""

BUILDER_POLICY = "EC2InstanceProfileForImageBuilder"
LIFECYCLE_POLICY = "service-role/EC2ImageBuilderLifecycleExecutionPolicy"
IMAGE_TAG = "trnkit:image-pipeline"
_TEST_MINUTES = 90
_FAILURES_BEFORE_PAUSE = 3
_KEPT_AFTER_LAUNCH_DAYS = 180

_Distribution = imagebuilder.CfnDistributionConfiguration
_Infrastructure = imagebuilder.CfnInfrastructureConfiguration
_Lifecycle = imagebuilder.CfnLifecyclePolicy
_Pipeline = imagebuilder.CfnImagePipeline
_Recipe = imagebuilder.CfnImageRecipe


class NodeImagePipeline(Construct):
    """An EC2 Image Builder pipeline for images of Trainium nodes.

    Creates `AWS::ImageBuilder::Component` for each document of `assets/image`, an
    `AWS::ImageBuilder::ImageRecipe`, `InfrastructureConfiguration`, `DistributionConfiguration` and
    `ImagePipeline`, an `AWS::IAM::Role` with its profile for the machines that build, and, when
    images are to be deleted, an `AWS::ImageBuilder::LifecyclePolicy` with a role.

    The image is the Neuron base with the FSx for Lustre client for its kernel, EFA and the
    CloudWatch agent where it lacks them, and kernel, Neuron and Lustre packages held. Every build
    starts a test instance of the new image before it is handed out. Nothing is built by a
    deployment: start the pipeline, or give it a schedule.

    Components and recipes never change. Their versions are digests of their content, so that an
    update makes new ones beside the old and never meets its own name again.

    The subnet must be one that gives no public addresses, and from which package mirrors and AWS's
    APIs can be reached. Machines that build take IMDSv2 only, and end when a build fails.

    Sources:
        https://docs.aws.amazon.com/imagebuilder/latest/userguide/how-image-builder-works.html
        https://docs.aws.amazon.com/imagebuilder/latest/userguide/ibhow-semantic-versioning.html
        https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/AWS_ImageBuilder.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import ImageDistribution, NodeImagePipeline, SourceImage
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup
        >>> stack = Stack(App(), "Images")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")
        >>> pipeline = NodeImagePipeline(
        ...     stack, "Pipeline",
        ...     source=SourceImage(
        ...         image="/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"),
        ...     subnet=network.compute_subnet,
        ...     security_groups=[EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group],
        ...     distribution=ImageDistribution(parameter_name="/imagebuilder/trnkit/pretrain"))
    """

    pipeline_arn: str
    """ARN of the pipeline, to start it."""

    recipe_version: str
    """Version of the recipe: a digest of what the image is made from."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        source: SourceImage,
        subnet: ec2.ISubnet,
        security_groups: Sequence[ec2.ISecurityGroup],
        build: ImageBuild | None = None,
        distribution: ImageDistribution | None = None,
        component_arns: Sequence[str] = (),
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """Create the pipeline.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            source: What to begin with.
            subnet: Where machines build and test; a private one.
            security_groups: Of those machines: HTTPS and HTTP out, nothing in.
            build: How to build. None: on an m7i.2xlarge, when asked.
            distribution: Where images go. None: this Region, all kept, recorded nowhere.
            component_arns: Further components, installed before packages are held.
            tags: On images, snapshots and the machines that build, so that budgets see them.

        Raises:
            ConstructError: Something of another form, or a key of this Region for others.
        """
        super().__init__(scope, construct_id)
        self._source, self._build = source, build or ImageBuild()
        self._where = distribution or ImageDistribution()
        self._check(security_groups, component_arns)
        same_region(self, subnet=subnet)
        self._tags = _checked_tags(tags or {})
        self._name = Names.unique_resource_name(self, max_length=100, separator="-")
        self._labels = {**self._tags, IMAGE_TAG: self._name}
        components = [self._component(name) for name in _INSTALLED]
        finished = [self._component(name) for name in _FINISHED]
        recipe = self._recipe(components, component_arns, finished)
        self.recipe_version = recipe.version
        infrastructure = self._infrastructure(subnet, security_groups)
        pipeline = self._pipeline(recipe, infrastructure, self._distribution())
        self.pipeline_arn = pipeline.attr_arn
        if self._where.keep_images is not None:
            self._delete_older(self._where.keep_images)

    def _check(
        self, security_groups: Sequence[ec2.ISecurityGroup], component_arns: Sequence[str]
    ) -> None:
        instance("source", self._source, SourceImage)
        instance("build", self._build, ImageBuild)
        instance("distribution", self._where, ImageDistribution)
        entries("security_groups", security_groups)
        if not security_groups:
            raise ConstructError("security_groups must name at least one group")
        text_list("component_arns", component_arns, ComponentArn)
        here = Stack.of(self).region
        others = [region for region in self._where.regions if region != here]
        if self._source.kms_key_arn is not None and others:
            raise ConstructError(
                f"kms_key_arn must be left out with further regions ({', '.join(others)}): a key "
                "encrypts in its own Region only"
            )

    def _component(self, name: str) -> imagebuilder.CfnComponent:
        data = (_DOCUMENTS / f"{name}.yaml").read_text(encoding="utf-8")
        described = next(line[len(_SAYS) :] for line in data.splitlines() if line.startswith(_SAYS))
        content = {"data": data, "description": described, "platform": "Linux"}
        return imagebuilder.CfnComponent(
            self,
            "".join(word.capitalize() for word in name.split("-")),
            name=f"{self._name}-{name}",
            version=content_version(content),
            platform="Linux",
            description=described,
            data=data,
        )

    def _recipe(
        self,
        installed: list[imagebuilder.CfnComponent],
        further: Sequence[str],
        finished: list[imagebuilder.CfnComponent],
    ) -> imagebuilder.CfnImageRecipe:
        source, description = self._source, "Neuron base image for Trainium nodes"
        volume = {
            "DeviceName": source.root_device_name,
            "Size": source.root_volume_size_gib,
            "Key": Stack.of(self).resolve(source.kms_key_arn),
        }
        content = {
            "parent": Stack.of(self).resolve(source.parent_image),
            "volume": volume,
            "components": [
                *([entry.name, entry.version] for entry in installed),
                *Stack.of(self).resolve(list(further)),
                *([entry.name, entry.version] for entry in finished),
            ],
            "description": description,
        }
        arns = [
            *(entry.attr_arn for entry in installed),
            *further,
            *(entry.attr_arn for entry in finished),
        ]
        return _Recipe(
            self,
            "Recipe",
            name=self._name,
            version=content_version(content),
            description=description,
            parent_image=source.parent_image,
            components=[_Recipe.ComponentConfigurationProperty(component_arn=arn) for arn in arns],
            block_device_mappings=[self._root_volume()],
            additional_instance_configuration=_Recipe.AdditionalInstanceConfigurationProperty(
                # Session Manager is how people reach nodes.
                systems_manager_agent=_Recipe.SystemsManagerAgentProperty(
                    uninstall_after_build=False
                )
            ),
        )

    def _root_volume(self) -> imagebuilder.CfnImageRecipe.InstanceBlockDeviceMappingProperty:
        return _Recipe.InstanceBlockDeviceMappingProperty(
            device_name=self._source.root_device_name,
            ebs=_Recipe.EbsInstanceBlockDeviceSpecificationProperty(
                delete_on_termination=True,
                encrypted=True,
                kms_key_id=self._source.kms_key_arn,
                volume_size=self._source.root_volume_size_gib,
                volume_type="gp3",
            ),
        )

    def _infrastructure(
        self, subnet: ec2.ISubnet, security_groups: Sequence[ec2.ISecurityGroup]
    ) -> imagebuilder.CfnInfrastructureConfiguration:
        logging = None
        role = iam.Role(
            self,
            "BuilderRole",
            assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("ec2.amazonaws.com")),
            description="Machines that build images of a trnkit cluster",
            managed_policies=[
                iam.ManagedPolicy.from_aws_managed_policy_name(name)
                for name in (SSM_CORE, BUILDER_POLICY)
            ],
        )
        profile = iam.InstanceProfile(self, "BuilderProfile", role=cast("iam.IRole", role))
        bucket = self._build.log_bucket
        if bucket is not None:
            bucket.grant_put(role, f"{self._name}/*")
            logs = _Infrastructure.S3LogsProperty(
                s3_bucket_name=bucket.bucket_name, s3_key_prefix=self._name
            )
            logging = _Infrastructure.LoggingProperty(s3_logs=logs)
        return _Infrastructure(
            self,
            "Infrastructure",
            name=self._name,
            description="Where images of Trainium nodes are built and tested",
            instance_profile_name=profile.instance_profile_name,
            instance_types=[self._build.instance_type],
            subnet_id=subnet.subnet_id,
            security_group_ids=[group.security_group_id for group in security_groups],
            instance_metadata_options=_Infrastructure.InstanceMetadataOptionsProperty(
                http_tokens="required", http_put_response_hop_limit=1
            ),
            terminate_instance_on_failure=True,
            sns_topic_arn=self._build.topic_arn,
            logging=logging,
            resource_tags=self._labels,
        )

    def _distribution(self) -> imagebuilder.CfnDistributionConfiguration:
        parameter, here = self._where.parameter_name, Stack.of(self).region
        recorded = (
            [
                _Distribution.SsmParameterConfigurationProperty(
                    parameter_name=parameter, data_type="aws:ec2:image"
                )
            ]
            if parameter is not None
            else None
        )
        image = self._image_settings()
        return _Distribution(
            self,
            "Distribution",
            name=self._name,
            description="Where images of Trainium nodes go",
            distributions=[
                _Distribution.DistributionProperty(
                    region=region,
                    ami_distribution_configuration=image,
                    ssm_parameter_configurations=recorded,
                )
                for region in dict.fromkeys([here, *self._where.regions])
            ],
        )

    def _image_settings(self) -> dict[str, Any]:
        """As the template has it: the CDK passes it on as it is, and a struct in wrong letters."""
        # Image Builder fills in the date, so that names differ.
        settings = {
            "Name": f"{self._name}-{{{{ imagebuilder:buildDate }}}}",
            "Description": "Image for Trainium nodes, made by EC2 Image Builder",
            "AmiTags": self._labels,
        }
        key = self._source.kms_key_arn
        return settings if key is None else {**settings, "KmsKeyId": key}

    def _pipeline(
        self,
        recipe: imagebuilder.CfnImageRecipe,
        infrastructure: imagebuilder.CfnInfrastructureConfiguration,
        distribution: imagebuilder.CfnDistributionConfiguration,
    ) -> imagebuilder.CfnImagePipeline:
        when = self._build.schedule
        schedule = None
        if when is not None:
            schedule = _Pipeline.ScheduleProperty(
                schedule_expression=when,
                pipeline_execution_start_condition=(
                    "EXPRESSION_MATCH_AND_DEPENDENCY_UPDATES_AVAILABLE"
                ),
                # What fails again and again costs an hour of a machine each time.
                auto_disable_policy=_Pipeline.AutoDisablePolicyProperty(
                    failure_count=_FAILURES_BEFORE_PAUSE
                ),
            )
        return _Pipeline(
            self,
            "Resource",
            name=self._name,
            description="Images of Trainium nodes",
            image_recipe_arn=recipe.attr_arn,
            infrastructure_configuration_arn=infrastructure.attr_arn,
            distribution_configuration_arn=distribution.attr_arn,
            enhanced_image_metadata_enabled=True,
            image_tests_configuration=_Pipeline.ImageTestsConfigurationProperty(
                image_tests_enabled=True, timeout_minutes=_TEST_MINUTES
            ),
            image_scanning_configuration=_Pipeline.ImageScanningConfigurationProperty(
                image_scanning_enabled=self._build.image_scanning
            ),
            image_tags=self._labels,
            schedule=schedule,
            status="ENABLED",
        )

    def _delete_older(self, number: int) -> None:
        role = iam.Role(
            self,
            "LifecycleRole",
            assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("imagebuilder.amazonaws.com")),
            description="Deletes old images of a trnkit cluster",
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(LIFECYCLE_POLICY)],
        )
        own = {IMAGE_TAG: self._name}
        _Lifecycle(
            self,
            "Lifecycle",
            name=self._name,
            description=f"Keeps {number} images, and those in use",
            execution_role=role.role_arn,
            resource_type="AMI_IMAGE",
            status="ENABLED",
            resource_selection=_Lifecycle.ResourceSelectionProperty(tag_map=own),
            policy_details=[
                _Lifecycle.PolicyDetailProperty(
                    action=_Lifecycle.ActionProperty(
                        type="DELETE",
                        include_resources=_Lifecycle.IncludeResourcesProperty(
                            amis=True, snapshots=True
                        ),
                    ),
                    filter=_Lifecycle.FilterProperty(type="COUNT", value=number),
                    exclusion_rules=_Lifecycle.ExclusionRulesProperty(
                        amis=_Lifecycle.AmiExclusionRulesProperty(
                            last_launched=_Lifecycle.LastLaunchedProperty(
                                unit="DAYS", value=_KEPT_AFTER_LAUNCH_DAYS
                            )
                        )
                    ),
                )
            ],
        )


def _checked_tags(tags: Mapping[str, str]) -> dict[str, str]:
    plain: dict[str, Any] = dict(tags)
    for key, value in plain.items():
        text("each key of tags", key, TagKey)
        text(f"tag {key}", value, TagValue)
    return plain
