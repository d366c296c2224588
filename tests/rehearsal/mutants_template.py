"""Templates that CloudFormation itself refuses, before any service is asked."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.rehearsal.mutant import Mutant, Template, add, again, drop, find, put

_network = partial(Mutant, stack="Network")
_storage = partial(Mutant, stack="Storage")

_GUIDE = "https://docs.aws.amazon.com/AWSCloudFormation/latest"
_REFERENCE = f"{_GUIDE}/TemplateReference"
_TROUBLE = f"{_GUIDE}/UserGuide/troubleshooting.html"
_UNFIT = "Properties validation failed for resource of type"


def _circle(template: Template) -> None:
    vpc, gateway = (find(template, f"AWS::EC2::{kind}") for kind in ("VPC", "InternetGateway"))
    names = {id(resource): name for name, resource in template["Resources"].items()}
    vpc["DependsOn"] = [names[id(gateway)]]
    gateway["DependsOn"] = [names[id(vpc)]]


def _after_nothing(template: Template) -> None:
    find(template, "AWS::EC2::VPC")["DependsOn"] = ["Nothing"]


def _output(value: Any) -> Any:
    def change(template: Template) -> None:
        template.setdefault("Outputs", {})["More"] = {"Value": value}

    return change


MUTANTS = (
    _network(
        id="property-that-does-not-exist",
        change=put("AWS::EC2::Subnet", "AvailabilityZones", ["us-east-2a"]),
        says=f"{_UNFIT} AWS::EC2::Subnet",
    ),
    _network(
        id="property-that-only-the-service-sets",
        change=put("AWS::EC2::VPC", "VpcId", "vpc-0123456789abcdef0"),
        says=f"{_UNFIT} AWS::EC2::VPC",
        source="https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html",
    ),
    _network(
        id="property-that-is-missing",
        change=drop("AWS::EC2::SubnetRouteTableAssociation", "RouteTableId"),
        says=f"{_UNFIT} AWS::EC2::SubnetRouteTableAssociation",
    ),
    _network(
        id="list-that-is-text",
        change=put("AWS::EC2::VPCEndpoint", "RouteTableIds", "rtb-0123456789abcdef0"),
        says=f"{_UNFIT} AWS::EC2::VPCEndpoint",
    ),
    _network(
        id="truth-that-is-neither",
        change=put("AWS::EC2::VPC", "EnableDnsSupport", "maybe"),
        says=f"{_UNFIT} AWS::EC2::VPC",
    ),
    _storage(
        id="file-system-of-an-unknown-kind",
        change=put("AWS::FSx::FileSystem", "StorageType", "TAPE"),
        says="Value 'TAPE' at 'storageType' failed to satisfy constraint",
        source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    ),
    _storage(
        id="nested-property-that-does-not-exist",
        change=put("AWS::FSx::FileSystem", "LustreConfiguration.Compression", "LZ4"),
        says=f"{_UNFIT} AWS::FSx::FileSystem",
    ),
    _network(
        id="type-without-a-schema",
        change=add("More", "AWS::EC2::Trainium", {}),
        says="Template format error: Unrecognized resource types: [AWS::EC2::Trainium]",
        source=_TROUBLE,
        at_once=True,
    ),
    _network(
        id="ref-to-nothing",
        change=put("AWS::EC2::Subnet", "VpcId", {"Ref": "Nothing"}),
        says="Unresolved resource dependencies [Nothing] in the Resources block of the template",
        source=f"{_REFERENCE}/intrinsic-function-reference-ref.html",
        at_once=True,
    ),
    _network(
        id="attribute-of-nothing",
        change=put("AWS::EC2::Subnet", "VpcId", {"Fn::GetAtt": ["Nothing", "VpcId"]}),
        says="instance of Fn::GetAtt references undefined resource Nothing",
        source=f"{_REFERENCE}/intrinsic-function-reference-getatt.html",
        at_once=True,
    ),
    _network(
        id="attribute-that-does-not-exist",
        change=again(
            "AWS::EC2::Subnet", "VpcId", {"Fn::GetAtt": ["ClusterVpcA8CFF6E7", "Nothing"]}
        ),
        says="Requested attribute Nothing does not exist in schema for AWS::EC2::VPC",
        source=f"{_REFERENCE}/intrinsic-function-reference-getatt.html",
    ),
    _network(
        id="output-of-nothing",
        change=_output({"Ref": "Nothing"}),
        says="Unresolved resource dependencies [Nothing] in the Outputs block of the template",
        source=f"{_REFERENCE}/intrinsic-function-reference-ref.html",
        at_once=True,
    ),
    _network(
        id="circle",
        change=_circle,
        says="Circular dependency between resources: ",
        source=_TROUBLE,
        at_once=True,
    ),
    _network(
        id="resource-after-nothing",
        change=_after_nothing,
        says="Unresolved resource dependencies [Nothing] in the Resources block of the template",
        source=f"{_REFERENCE}/aws-attribute-dependson.html",
        at_once=True,
    ),
    _storage(
        id="export-that-does-not-exist",
        change=put("AWS::FSx::FileSystem", "SubnetIds", [{"Fn::ImportValue": "nobody:Nothing"}]),
        says="No export named nobody:Nothing found",
        source=f"{_REFERENCE}/intrinsic-function-reference-importvalue.html",
    ),
    _network(
        id="no-such-part-of-a-list",
        change=put("AWS::EC2::VPC", "CidrBlock", {"Fn::Select": [3, ["10.0.0.0/16"]]}),
        says="Fn::Select cannot select nonexistent value at index 3",
        source=f"{_REFERENCE}/intrinsic-function-reference-select.html",
    ),
)
