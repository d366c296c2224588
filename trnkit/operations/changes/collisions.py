"""What AWS refuses beside the one that goes: CloudFormation makes the new one before it deletes.

That holds for a resource that is replaced, and for one that comes while another of its type goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from trnkit.operations.changes.normal_form import Form, Reference
from trnkit.operations.changes.pairs import value_at
from trnkit.report.change_results import Effect, Verdict

if TYPE_CHECKING:
    from trnkit.operations.changes.pairs import ResourcePair, Side
    from trnkit.operations.changes.registry import Path

_EC2 = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/"
_ERRORS = f"{_EC2}errors-overview.html"
_MOUNT_TARGET_PAGE = "https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html"
_LINK_PAGE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
# It says that a hosted zone for the service's name is associated with the VPC; a VPC has one of a
# name (https://repost.aws/knowledge-center/vpc-interface-endpoint-domain-conflict).
_ENDPOINT_PAGE = f"{_EC2}API_CreateVpcEndpoint.html"
_QUOTAS = "https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html"
_MULTI_ATTACH = "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes-multi.html"
_TWO_UPDATES = "remove the {} in one update, and add the new one in the next"
_OTHER_ADDRESS = "leave PrivateIpAddress out, or give another one in the same update"


@dataclass(frozen=True, slots=True)
class Beside:
    """One that goes and one of its type that is made while it is still there.

    Attributes:
        kind: Their type.
        old: Properties of the one that goes.
        new: Properties of the one that is made.
        after: The template of the latter.
        becomes_other: Whether a value with the same text has another one after the update.
    """

    kind: str
    old: Mapping[str, Form]
    new: Mapping[str, Form]
    after: Side
    becomes_other: Callable[[Path], bool]

    def keeps(self, *path: str | int) -> bool:
        """Whether both have the same value there, or none."""
        old, new = (value_at(form.get(str(path[0])), *path[1:]) for form in (self.old, self.new))
        return old == new and not self.becomes_other(path)

    def shares(self, *path: str | int) -> bool:
        """Whether both have a value there, and the same."""
        is_there = value_at(self.new.get(str(path[0])), *path[1:]) is not None
        return is_there and self.keeps(*path)


_Judge: TypeAlias = "Callable[[Beside], Iterator[Effect]]"


@dataclass(frozen=True, slots=True)
class _Single:
    """What there is one of: with the same values in some properties a second one is refused."""

    noun: str
    what: str
    shared: tuple[str, ...]
    kept: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    hint: str | None = None
    source: str = _ERRORS

    def refusal(self, pair: Beside) -> Effect | None:
        if not all(pair.shares(name) for name in self.shared):
            return None
        if not all(pair.keeps(name) for name in self.kept):
            return None
        if any(form.get(name) is None for name in self.given for form in (pair.old, pair.new)):
            return None
        return _refused(self.noun, f"EC2 refuses {self.what}", self.hint, self.source)


_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_RULE = ("FromPort", "ToPort", "CidrIp", "CidrIpv6")
_SINGLES: dict[str, tuple[_Single, ...]] = {
    "AWS::EC2::NatGateway": (
        _Single(
            "NAT gateway",
            "an Elastic IP address (AllocationId) that is associated already",
            ("AllocationId",),
            hint="give the new one another Elastic IP address (AWS::EC2::EIP) in the same update",
            source=f"{_EC2}API_NatGateway.html",
        ),
        _Single(
            "NAT gateway",
            "a PrivateIpAddress that is in use",
            ("SubnetId", "PrivateIpAddress"),
            hint=_OTHER_ADDRESS,
        ),
    ),
    "AWS::EC2::NetworkInterface": (
        _Single(
            "interface",
            "a PrivateIpAddress that is in use",
            ("SubnetId", "PrivateIpAddress"),
            hint=_OTHER_ADDRESS,
        ),
    ),
    "AWS::EC2::Instance": (
        _Single(
            "instance",
            "a PrivateIpAddress that is in use",
            ("SubnetId", "PrivateIpAddress"),
            hint=_OTHER_ADDRESS,
        ),
    ),
    "AWS::EC2::Route": tuple(
        _Single("route", "two routes of a table to one destination", ("RouteTableId", destination))
        for destination in _DESTINATIONS
    ),
    "AWS::EC2::SecurityGroupEgress": (
        _Single(
            "rule",
            "a rule that the group has already",
            ("GroupId", "IpProtocol"),
            (*_RULE, "DestinationSecurityGroupId", "DestinationPrefixListId"),
        ),
    ),
    "AWS::EC2::SecurityGroupIngress": (
        _Single(
            "rule",
            "a rule that the group has already",
            ("GroupId", "IpProtocol"),
            (
                *_RULE,
                "SourceSecurityGroupId",
                "SourceSecurityGroupName",
                "SourceSecurityGroupOwnerId",
                "SourcePrefixListId",
            ),
        ),
    ),
    "AWS::EC2::Subnet": (
        _Single(
            "subnet",
            "two subnets with one block",
            ("CidrBlock",),
            ("VpcId",),
            hint="give the new subnet another CidrBlock",
        ),
    ),
    "AWS::EC2::VPCGatewayAttachment": (
        _Single(
            "attachment",
            "to attach an internet gateway that is attached already",
            ("InternetGatewayId",),
            hint="give the VPC an internet gateway of its own (AWS::EC2::InternetGateway)",
        ),
        _Single(
            "attachment",
            "to attach a virtual private gateway that is attached already",
            ("VpnGatewayId",),
            source=f"{_EC2}API_AttachVpnGateway.html",
        ),
        _Single(
            "attachment",
            "a second internet gateway of a VPC",
            ("VpcId",),
            given=("InternetGatewayId",),
            source=_QUOTAS,
        ),
    ),
}
"""By type, what EC2 refuses for certain."""


def beside_replaced(pair: ResourcePair) -> Iterator[Effect]:
    """What keeps a resource from being made anew while the old one is there.

    Args:
        pair: A resource that is replaced.
    """
    yield from refusals(
        Beside(
            kind=pair.new.type,
            old=pair.old_form,
            new=pair.new_form,
            after=pair.after,
            becomes_other=pair.differs_at,
        ),
        are_one=True,
    )


def refusals(pair: Beside, *, are_one: bool = False) -> Iterator[Effect]:
    """What AWS refuses of the new one while the old one is there.

    Args:
        pair: Both.
        are_one: Whether it is one resource that is replaced.
    """
    for single in _SINGLES.get(pair.kind, ()):
        effect = single.refusal(pair)
        if effect is not None:
            yield effect
            return
    if pair.kind == "AWS::EFS::MountTarget":
        yield from _mount_target(pair, are_one=are_one)
    judge = _JUDGES.get(pair.kind)
    if judge is not None:
        yield from judge(pair)


def _refused(
    noun: str, what: str, hint: str | None, source: str, verdict: Verdict = Verdict.REFUSED
) -> Effect:
    return Effect(
        verdict=verdict,
        message=f"CloudFormation makes the new {noun} before it deletes the old one, and {what}: "
        "the update is rolled back",
        hint=hint or _TWO_UPDATES.format(noun),
        source=source,
    )


def _mount_target(pair: Beside, *, are_one: bool) -> Iterator[Effect]:
    """EFS has one mount target of a file system in a zone."""
    same = pair.keeps("SubnetId")
    # Mount targets under two ids are most often those of two zones.
    if not pair.keeps("FileSystemId") or not (same or are_one):
        return
    unless = "" if same else ", unless the subnets are in two zones"
    yield _refused(
        "mount target",
        f"EFS refuses two in one zone{unless}",
        None,
        _MOUNT_TARGET_PAGE,
        Verdict.REFUSED if same else Verdict.CANNOT_BE_TOLD,
    )


def _association(pair: Beside) -> Iterator[Effect]:
    """Two links must not lead to one place."""
    if not pair.keeps("FileSystemId"):
        return
    for name in ("FileSystemPath", "DataRepositoryPath"):
        paths = [form.get(name) for form in (pair.old, pair.new)]
        old, new = (f"{path.rstrip('/')}/" if isinstance(path, str) else "" for path in paths)
        overlaps = bool(old and new) and (old.startswith(new) or new.startswith(old))
        if overlaps or pair.shares(name):
            where = f" ({new[:-1] or '/'})" if new else ""
            yield _refused(
                "link", f"FSx refuses two whose {name} overlaps{where}", None, _LINK_PAGE
            )


def _endpoint(pair: Beside) -> Iterator[Effect]:
    """One endpoint for a service has its name in a VPC, or its route in a table."""
    if not pair.shares("VpcId") or not pair.shares("ServiceName"):
        return
    kinds = [form.get("VpcEndpointType", "Gateway") for form in (pair.old, pair.new)]
    if kinds == ["Interface", "Interface"] and pair.keeps("ServiceRegion"):
        if all(form.get("PrivateDnsEnabled") == "true" for form in (pair.old, pair.new)):
            yield _refused(
                "endpoint",
                "EC2 refuses two with private DNS for one service in a VPC",
                None,
                _ENDPOINT_PAGE,
            )
    elif kinds == ["Gateway", "Gateway"]:
        old, new = (form.get("RouteTableIds") for form in (pair.old, pair.new))
        if not isinstance(old, list) or not isinstance(new, list):
            return
        if any(
            table in old and not pair.becomes_other(("RouteTableIds", index))
            for index, table in enumerate(new)
        ):
            yield _refused(
                "endpoint", "EC2 refuses two for one service in a route table", None, _ERRORS
            )


def _volume_attachment(pair: Beside) -> Iterator[Effect]:
    """A volume is attached to one instance, and an instance has one volume at a device."""
    if pair.shares("InstanceId") and (pair.shares("VolumeId") or pair.shares("Device")):
        yield _refused(
            "attachment", "EC2 refuses a volume or a device that is attached already", None, _ERRORS
        )
    elif pair.shares("VolumeId"):
        several = _takes_several(pair.after, pair.new["VolumeId"])
        if several is not True:
            unless = "" if several is False else ", unless it has MultiAttachEnabled"
            yield _refused(
                "attachment",
                f"EC2 refuses to attach a volume to a second instance{unless}",
                None,
                _MULTI_ATTACH,
                Verdict.REFUSED if several is False else Verdict.CANNOT_BE_TOLD,
            )


def _takes_several(side: Side, volume: Form) -> bool | None:
    """Whether a volume may be attached to several instances; None when that cannot be told."""
    if not isinstance(volume, Reference) or volume.logical_id not in side.template.resources:
        return None
    value = side.properties(volume.logical_id).get("MultiAttachEnabled", "false")
    return {"true": True, "false": False}.get(value) if isinstance(value, str) else None


def _instance(pair: Beside) -> Iterator[Effect]:
    """An interface that exists already is of one instance."""
    interfaces = pair.new.get("NetworkInterfaces")
    for index in range(len(interfaces) if isinstance(interfaces, list) else 0):
        if pair.shares("NetworkInterfaces", index, "NetworkInterfaceId"):
            yield _refused(
                "instance",
                "EC2 refuses an interface (NetworkInterfaceId) that another instance has",
                "give the new instance another interface",
                _ERRORS,
            )
            return


_JUDGES: dict[str, _Judge] = {
    "AWS::EC2::Instance": _instance,
    "AWS::EC2::VPCEndpoint": _endpoint,
    "AWS::EC2::VolumeAttachment": _volume_attachment,
    "AWS::FSx::DataRepositoryAssociation": _association,
}
COLLIDING = frozenset({*_SINGLES, *_JUDGES, "AWS::EFS::MountTarget"})
"""Types of which something is known here."""
