"""Networks that EC2 refuses."""

from __future__ import annotations

from functools import partial

from tests.rehearsal.mutant import CREATE, Mutant, add, again, all_of, drop, put

_network = partial(Mutant, stack="Network")

_SUBNET = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html"
_ERRORS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html"
_RULES = "https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html"

MUTANTS = (
    _network(
        id="vpc-block-larger-than-16",
        change=put("AWS::EC2::VPC", "CidrBlock", "10.0.0.0/8"),
        says="InvalidVpc.Range",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpc.html",
    ),
    _network(
        id="subnet-outside-of-its-vpc",
        change=put("ClusterVpcComputeSubnet", "CidrBlock", "10.1.0.0/18"),
        says="InvalidSubnet.Range",
        source=_SUBNET,
    ),
    _network(
        id="subnet-overlaps-another",
        change=put("ClusterVpcComputeSubnet", "CidrBlock", "10.0.0.0/18"),
        says="InvalidSubnet.Conflict",
        source=_SUBNET,
    ),
    _network(
        id="subnet-smaller-than-28",
        change=put("ClusterVpcComputeSubnet", "CidrBlock", "10.0.64.0/29"),
        says="InvalidSubnet.Range",
        source=_SUBNET,
    ),
    _network(
        id="subnet-in-a-zone-of-another-region",
        change=put("ClusterVpcComputeSubnet", "AvailabilityZoneId", "usw2-az4"),
        says="Value (usw2-az4) for parameter availabilityZoneId is invalid",
        source=_SUBNET,
    ),
    _network(
        id="subnet-in-two-route-tables",
        change=again(
            "ClusterVpcComputeSubnetRoutes",
            "RouteTableId",
            {"Ref": "ClusterVpcPublicRouteTable5612A699"},
        ),
        says="Resource.AlreadyAssociated",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateRouteTable.html",
    ),
    _network(
        id="two-default-routes-in-a-table",
        change=again("ClusterVpcPublicDefaultRoute"),
        says="RouteAlreadyExists",
        source=_ERRORS,
    ),
    _network(
        id="route-through-no-gateway",
        change=put("ClusterVpcPrivateDefaultRoute", "NatGatewayId", "nat-0123456789abcdef0"),
        says="InvalidNatGatewayID.NotFound",
        source=_ERRORS,
    ),
    _network(
        id="endpoint-of-no-service",
        change=put("ClusterVpcS3Endpoint", "ServiceName", "com.amazonaws.us-east-2.s4"),
        says="InvalidServiceName",
        source=_ERRORS,
    ),
    _network(
        id="endpoint-of-another-regions-service",
        change=put("ClusterVpcS3Endpoint", "ServiceName", "com.amazonaws.us-west-2.s3"),
        says="InvalidServiceName",
        source=_ERRORS,
    ),
    _network(
        id="private-names-of-endpoints-without-host-names",
        example="isolated-subnets",
        change=put("AWS::EC2::VPC", "EnableDnsHostnames", False),
        says="Enabling private DNS requires both enableDnsSupport and enableDnsHostnames",
        source="https://docs.aws.amazon.com/vpc/latest/privatelink/interface-endpoints.html",
        by=CREATE,
    ),
    _network(
        id="rule-from-an-unknown-group",
        change=put("EfaSecurityGroupFromItself", "SourceSecurityGroupId", "sg-0123456789abcdef0"),
        says="InvalidGroup.NotFound",
        source=_ERRORS,
    ),
    _network(
        id="rule-twice",
        change=again("EfaSecurityGroupFromItself"),
        says="InvalidPermission.Duplicate",
        source=_ERRORS,
    ),
    _network(
        id="rule-with-ports-upside-down",
        change=all_of(
            put("EfaSecurityGroupFromItself", "IpProtocol", "tcp"),
            put("EfaSecurityGroupFromItself", "FromPort", 1023),
            put("EfaSecurityGroupFromItself", "ToPort", 1018),
        ),
        says="Invalid TCP port range",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html",
    ),
    _network(
        id="more-rules-than-a-group-holds",
        change=put(
            "AWS::EC2::SecurityGroup",
            "SecurityGroupEgress",
            [
                {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": f"192.0.2.{n}/32"}
                for n in range(61)
            ],
        ),
        says="RulesPerSecurityGroupLimitExceeded",
        source=_RULES,
    ),
    _network(
        id="group-description-with-a-line-break",
        change=put("AWS::EC2::SecurityGroup", "GroupDescription", "EFA\nnodes"),
        says="#/GroupDescription",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html",
    ),
    _network(
        id="flow-log-of-an-unknown-kind-of-traffic",
        example="isolated-subnets",
        change=put("AWS::EC2::FlowLog", "TrafficType", "SOME"),
        says="Properties validation failed for resource of type AWS::EC2::FlowLog",
    ),
    _network(
        id="flow-log-to-cloudwatch-without-a-role",
        example="isolated-subnets",
        change=drop("AWS::EC2::FlowLog", "DeliverLogsPermissionArn"),
        says="DeliverLogsPermissionArn can't be empty if LogDestinationType is cloud-watch-logs",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html",
    ),
    _network(
        id="second-internet-gateway-of-a-vpc",
        change=all_of(
            add("MoreGateway", "AWS::EC2::InternetGateway", {}),
            again(
                "ClusterVpcInternetGatewayAttachment", "InternetGatewayId", {"Ref": "MoreGateway"}
            ),
        ),
        says="already has an internet gateway attached",
        source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html",
    ),
)
