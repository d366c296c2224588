"""A VPC that is there already, with the same face as one of our own."""

from __future__ import annotations

from collections.abc import Sequence

import jsii
from aws_cdk import Annotations, Fn, IStableStringProducer, Lazy, Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import text, text_list
from trnkit.config.values import RouteTableId, SubnetId, VpcId
from trnkit.errors import ConstructError

_NO_ROUTE_TABLE = "@aws-cdk/aws-ec2:noSubnetRouteTableId"


class ImportedNetwork(Construct):
    """An existing VPC and subnets by their ids, without any look-up.

    Creates nothing, but for a gateway `AWS::EC2::VPCEndpoint` for S3 when route tables are given.
    Zone names and routes of the subnets are not known: a construct that asks for them fails, which
    is better than a guess. Whether the subnets are private, in the right zone and large enough is
    for whoever names them.

    Source: https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-s3.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.network import EfaSecurityGroup, ImportedNetwork
        >>> stack = Stack(App(), "Network", env=Environment(region="us-west-2"))
        >>> network = ImportedNetwork(stack, "ImportedNetwork", vpc_id="vpc-0123456789abcdef0",
        ...     compute_subnet_id="subnet-0123456789abcdef0")
        >>> fabric = EfaSecurityGroup(stack, "Efa", vpc=network.vpc)
        >>> network.storage_subnet.subnet_id
        'subnet-0123456789abcdef0'
    """

    vpc: ec2.IVpc
    """The VPC. It knows no zone names and no subnets: name the ones below."""

    compute_subnet: ec2.ISubnet
    """Subnet of the accelerated nodes."""

    storage_subnet: ec2.ISubnet
    """Subnet of the file systems; the compute subnet unless another was given."""

    control_plane_subnets: tuple[ec2.ISubnet, ...]
    """Subnets for an orchestrator's control plane, in the order given."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc_id: str,
        compute_subnet_id: str,
        storage_subnet_id: str | None = None,
        control_plane_subnet_ids: Sequence[str] = (),
        s3_gateway_route_table_ids: Sequence[str] = (),
    ) -> None:
        """Refer to the VPC.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            vpc_id: Id of the VPC.
            compute_subnet_id: Id of the one subnet of all nodes.
            storage_subnet_id: Id of the file systems' subnet. None takes the compute subnet.
            control_plane_subnet_ids: Ids of two or more subnets in different zones. None by
                default.
            s3_gateway_route_table_ids: Route tables that get a gateway endpoint for S3. None makes
                no endpoint; a route table takes only one.

        Raises:
            ConstructError: A single control-plane subnet, one twice, or an id of another shape.
        """
        super().__init__(scope, construct_id)
        text("vpc_id", vpc_id, VpcId)
        text("compute_subnet_id", compute_subnet_id, SubnetId)
        text("storage_subnet_id", storage_subnet_id, SubnetId, optional=True)
        text_list("control_plane_subnet_ids", control_plane_subnet_ids, SubnetId)
        text_list("s3_gateway_route_table_ids", s3_gateway_route_table_ids, RouteTableId)
        if control_plane_subnet_ids and len(set(control_plane_subnet_ids)) < max(
            2, len(control_plane_subnet_ids)
        ):
            raise ConstructError(
                "control_plane_subnet_ids must be two or more different subnets, got "
                f"{list(control_plane_subnet_ids)}"
            )
        self.vpc = ec2.Vpc.from_vpc_attributes(
            self, "Vpc", vpc_id=vpc_id, availability_zones=[Lazy.string(_NoZoneName())]
        )
        self.compute_subnet = self._subnet("ComputeSubnet", compute_subnet_id)
        self.storage_subnet = (
            self.compute_subnet
            if storage_subnet_id in (None, compute_subnet_id)
            else self._subnet("StorageSubnet", storage_subnet_id or "")
        )
        self.control_plane_subnets = tuple(
            self._subnet(f"ControlPlaneSubnet{number}", subnet_id)
            for number, subnet_id in enumerate(control_plane_subnet_ids)
        )
        if s3_gateway_route_table_ids:
            ec2.CfnVPCEndpoint(
                self,
                "S3Endpoint",
                vpc_id=vpc_id,
                vpc_endpoint_type="Gateway",
                service_name=Fn.join("", ["com.amazonaws.", Stack.of(self).region, ".s3"]),
                route_table_ids=list(s3_gateway_route_table_ids),
            )

    def _subnet(self, construct_id: str, subnet_id: str) -> ec2.ISubnet:
        subnet = ec2.Subnet.from_subnet_attributes(self, construct_id, subnet_id=subnet_id)
        # CDK warns that the route table is not known; nothing here asks for it.
        Annotations.of(subnet).acknowledge_warning(_NO_ROUTE_TABLE)
        return subnet


@jsii.implements(IStableStringProducer)
class _NoZoneName:
    """Stands for a zone name that only the account could tell; CDK wants at least one."""

    def produce(self) -> str:
        raise ConstructError("the zone names of an imported VPC are not known; name its subnets")
