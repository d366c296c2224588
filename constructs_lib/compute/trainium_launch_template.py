"""The launch template of a Trainium node: interfaces, image, disk, metadata service and tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import jsii
from aws_cdk import Fn, ITaggable, TagManager, TagType
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import (
    entries,
    instance,
    is_text,
    is_unresolved,
    one_of,
    same_region,
    text,
    whole_number,
)
from constructs_lib.compute.launch_tags import tag_specifications
from constructs_lib.compute.machine_image import MachineImage
from constructs_lib.compute.node_boot import NodeBoot
from constructs_lib.compute.node_capacity import NodeCapacity
from constructs_lib.compute.node_volumes import NodeVolumes
from trnkit.catalog import InstanceType, UnknownInstanceTypeError, instance_type
from trnkit.config.values import IpAddressType
from trnkit.errors import ConstructError
from trnkit.layout.efa import EfaLayout, EfaPlanError, InterfacePlan, plan_interfaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import aws_iam as iam

_Data = ec2.CfnLaunchTemplate
_PATH_PART = re.compile(r"[A-Z][A-Za-z0-9]*|[0-9]+")
_TAGGED_AT_LAUNCH = ("instance", "volume", "network-interface")


@jsii.implements(ITaggable)
class TrainiumLaunchTemplate(Construct):
    """A launch template complete in itself, with every EFA interface the type has.

    Creates `AWS::EC2::LaunchTemplate`. Security groups stand on each interface, never at the top;
    no interface has a public address; the metadata service wants tokens and allows two hops (for
    containers), on IPv4 alone; the root volume is encrypted gp3 under the image's own device name.

    An IPv6 address is asked for by the primary interface, which has addresses in every layout, and
    not left to the subnet: `efa-only` interfaces take none, and what EC2 does with them in a subnet
    that gives one to each is not documented.

    Tags given to this construct or to any of its parents with `Tags.of(...)` are also put on the
    instances, volumes and interfaces it launches, so that a budget that filters on them sees the
    machines and not only the stack.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
        https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-launchtemplate.html

    Example:
        >>> from aws_cdk import App, Stack, aws_ec2 as ec2
        >>> from constructs_lib.compute import (
        ...     MachineImage, NodeAutoScalingGroup, NodeRole, TrainiumLaunchTemplate)
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup
        >>> stack = Stack(App(), "Compute")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")
        >>> template = TrainiumLaunchTemplate(
        ...     stack, "LaunchTemplate",
        ...     instance_type="trn2.48xlarge",
        ...     image=MachineImage(image_id="ami-0123456789abcdef0"),
        ...     security_groups=[EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group],
        ...     instance_profile=NodeRole(stack, "NodeRole").instance_profile)
        >>> sum(interface.is_efa for interface in template.interfaces)
        16
        >>> group = NodeAutoScalingGroup(
        ...     stack, "Nodes", launch_template=template, subnet=network.compute_subnet,
        ...     desired_capacity=4)
    """

    interfaces: tuple[InterfacePlan, ...]
    """The interfaces of each node, as plain values."""

    launch_template_id: str
    """Id of the template."""

    latest_version_number: str
    """Number of its newest version, as an attribute that changes with it."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        instance_type: str | InstanceType,
        image: MachineImage,
        security_groups: Sequence[ec2.ISecurityGroup],
        instance_profile: iam.IInstanceProfile | None,
        efa_layout: EfaLayout = "ena-primary",
        efa_interfaces: int | None = None,
        root_volume_size_gib: int = 512,
        boot: NodeBoot | None = None,
        placement_group: ec2.IPlacementGroup | None = None,
        capacity: NodeCapacity | None = None,
        volumes: NodeVolumes | None = None,
        threads_per_core: int | None = None,
        ip_address_type: IpAddressType = "ipv4",
    ) -> None:
        """Create the template.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            instance_type: A name of the catalogue, or an `InstanceType` of your own.
            image: What to boot.
            security_groups: Put on every interface. With EFA one of them needs rules from and to
                itself, as `EfaSecurityGroup` has.
            instance_profile: The nodes' profile; None only for hosts that bring their own.
            efa_layout: `ena-primary`, `efa-primary` or `all-efa`.
            efa_interfaces: EFA devices; None takes all that the type has, 0 none.
            root_volume_size_gib: Size of the root volume.
            boot: What the node does when it first boots. None gives no user data.
            placement_group: Where to place the nodes. None places them anywhere in the zone.
            capacity: A Capacity Block, a reservation or Spot. None starts On-Demand instances,
                which use open reservations that match.
            volumes: Speed and key of the root volume, and further volumes. None has neither.
            threads_per_core: 1 turns simultaneous multithreading off. None leaves the default.
            ip_address_type: `ipv4`, or `dualstack`, which asks for one IPv6 address on the primary
                interface; the nodes' subnet must have an IPv6 block.

        Raises:
            ConstructError: Unknown type, more interfaces than it has, no security group, user data
                beyond EC2's limit, a placement group with a Capacity Block, threads that the type
                does not have, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        known = _look_up(instance_type)
        instance("image", image, MachineImage)
        instance("boot", boot, NodeBoot, optional=True)
        instance("capacity", capacity, NodeCapacity, optional=True)
        instance("volumes", volumes, NodeVolumes, optional=True)
        _check_groups(self, security_groups)
        one_of("efa_layout", efa_layout, get_args(EfaLayout))
        one_of("ip_address_type", ip_address_type, get_args(IpAddressType))
        whole_number("efa_interfaces", efa_interfaces, least=0, optional=True)
        whole_number("root_volume_size_gib", root_volume_size_gib, least=1)
        self.interfaces = _plan(known, efa_layout, efa_interfaces)
        user_data = boot.render() if boot else None
        cpu_options = _cpu_options(known, threads_per_core)
        mappings = (volumes or NodeVolumes()).mappings(image.root_device_name, root_volume_size_gib)
        placement = _placement(placement_group, capacity)
        self._tag_manager = TagManager(TagType.KEY_VALUE, "AWS::EC2::LaunchTemplate")
        self._template = _Data(
            self,
            "Resource",
            launch_template_data=_Data.LaunchTemplateDataProperty(
                instance_type=known.name,
                image_id=image.image_id,
                iam_instance_profile=_profile(instance_profile),
                network_interfaces=_interfaces(self.interfaces, security_groups, ip_address_type),
                block_device_mappings=mappings,
                cpu_options=cpu_options,
                instance_market_options=capacity.market_options() if capacity else None,
                capacity_reservation_specification=capacity.reservation_specification()
                if capacity
                else None,
                metadata_options=_metadata_options(),
                monitoring=_Data.MonitoringProperty(enabled=True),
                placement=placement,
                user_data=Fn.base64(user_data) if user_data else None,
                tag_specifications=tag_specifications(self._tag_manager, _TAGGED_AT_LAUNCH),
            ),
            tag_specifications=tag_specifications(self._tag_manager, ("launch-template",)),
        )
        self.launch_template_id = self._template.ref
        self.latest_version_number = self._template.attr_latest_version_number

    @property
    def tags(self) -> TagManager:
        """Where `Tags.of(...)` collects; CDK calls it."""
        return self._tag_manager

    def add_override(self, path: str, value: Any) -> None:
        """Set anything that `LaunchTemplateData` has and this construct does not offer.

        The template rules judge the result at synthesis as they judge everything else, so a wrong
        interface or a lost security group is found. `interfaces` does not follow an override.

        Args:
            path: Below `LaunchTemplateData`, in CloudFormation's spelling, list items by number:
                `HibernationOptions.Configured`, `NetworkInterfaces.0.Description`.
            value: The new value, also in CloudFormation's spelling; None removes what is there.

        Raises:
            ConstructError: A part of the path is neither a CloudFormation name nor a number.
        """
        parts = path.split(".") if is_text(path) else [""]
        wrong = [part for part in parts if _PATH_PART.fullmatch(part) is None]
        if wrong or parts[0].isdecimal():
            raise ConstructError(
                f"path must be CloudFormation names and list positions like "
                f"NetworkInterfaces.0.Description, got {path!r}"
            )
        full = f"LaunchTemplateData.{path}"
        if value is None:
            self._template.add_property_deletion_override(full)
        else:
            self._template.add_property_override(full, value)


def _check_groups(scope: Construct, groups: Sequence[ec2.ISecurityGroup]) -> None:
    entries("security_groups", groups)
    if not groups:
        raise ConstructError("security_groups must name at least one group, got none")
    for group in groups:
        if not hasattr(group, "security_group_id"):
            raise ConstructError(
                f"each of security_groups must be an ec2.ISecurityGroup, got {group!r}"
            )
        same_region(scope, security_groups=group)


def _look_up(name: str | InstanceType) -> InstanceType:
    if isinstance(name, InstanceType):
        return name
    text("instance_type", name)
    try:
        return instance_type(name)
    except UnknownInstanceTypeError as error:
        close = " or ".join(error.nearest) or "a name that `trnkit catalog list` shows"
        raise ConstructError(
            f"instance_type must be in the catalogue, got {name!r}; use {close}, or pass an "
            "InstanceType"
        ) from None


def _plan(
    known: InstanceType, layout: EfaLayout, efa_interfaces: int | None
) -> tuple[InterfacePlan, ...]:
    try:
        return plan_interfaces(known, layout=layout, efa_interfaces=efa_interfaces)
    except EfaPlanError as error:
        raise ConstructError(f"efa_interfaces: {error}") from None


def _profile(instance_profile: iam.IInstanceProfile | None) -> Any:
    if instance_profile is None:
        return None
    return _Data.IamInstanceProfileProperty(arn=instance_profile.instance_profile_arn)


def _metadata_options() -> Any:
    """Tokens are required; the second hop is that into a container."""
    return _Data.MetadataOptionsProperty(
        http_tokens="required",
        http_put_response_hop_limit=2,
        http_endpoint="enabled",
        instance_metadata_tags="disabled",
    )


def _placement(group: ec2.IPlacementGroup | None, capacity: NodeCapacity | None) -> Any:
    if group is None:
        return None
    if capacity and capacity.market_type == "capacity-block":
        raise ConstructError(
            "placement_group must be left out with a Capacity Block, which places its instances "
            "together itself"
        )
    return _Data.PlacementProperty(group_name=group.placement_group_name)


def _interfaces(
    plans: Sequence[InterfacePlan],
    security_groups: Sequence[ec2.ISecurityGroup],
    ip_address_type: IpAddressType,
) -> list[Any]:
    groups = [group.security_group_id for group in security_groups]
    return [_interface(plan, groups, ipv6=ip_address_type == "dualstack") for plan in plans]


def _interface(plan: InterfacePlan, groups: list[str], *, ipv6: bool) -> Any:
    """One entry; address settings only where there is an address (EC2 refuses them elsewhere)."""
    return _Data.NetworkInterfaceProperty(
        network_card_index=plan.network_card_index,
        device_index=plan.device_index,
        interface_type=plan.interface_type,
        groups=groups,
        delete_on_termination=True,
        associate_public_ip_address=False if plan.has_ip_address else None,
        ipv6_address_count=1 if ipv6 and plan.is_primary else None,
        description=f"card {plan.network_card_index} device {plan.device_index}",
    )


def _cpu_options(known: InstanceType, threads_per_core: int | None) -> Any:
    """EC2 wants both numbers, or neither."""
    if threads_per_core is None:
        return None
    whole_number("threads_per_core", threads_per_core)
    if known.default_cores is None or known.threads_per_core is None:
        raise ConstructError(f"threads_per_core: the cores of {known.name} are not known")
    if is_unresolved(threads_per_core):
        raise ConstructError("threads_per_core must be known before deploying")
    if not 1 <= threads_per_core <= known.threads_per_core:
        raise ConstructError(
            f"threads_per_core must be 1 to {known.threads_per_core} on {known.name}, got "
            f"{threads_per_core}"
        )
    return _Data.CpuOptionsProperty(
        core_count=known.default_cores, threads_per_core=threads_per_core
    )
