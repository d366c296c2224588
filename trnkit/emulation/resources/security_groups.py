"""Security groups, and rules that are resources of their own."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.ec2_calls import described, retag, tagged, told
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties

_PEERS = {
    "CidrIp": ("IpRanges", "CidrIp"),
    "CidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
    "SourceSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    "DestinationSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    "SourcePrefixListId": ("PrefixListIds", "PrefixListId"),
    "DestinationPrefixListId": ("PrefixListIds", "PrefixListId"),
}
_EVERYTHING = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}


class SecurityGroup:
    """``AWS::EC2::SecurityGroup`` with the rules that its template holds."""

    name = "AWS::EC2::SecurityGroup"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it; without egress rules of the template AWS lets everything out."""
        ec2 = place.clients("ec2")
        given = {"VpcId": properties["VpcId"]} if "VpcId" in properties else {}
        group_id = ec2.create_security_group(
            GroupName=properties.get("GroupName") or place.name(),
            Description=properties["GroupDescription"],
            **given,
            **tagged("security-group", properties),
        )["GroupId"]
        try:
            self._change(place, group_id, {}, properties)
        except Exception:
            self.delete(place, group_id, properties)
            raise
        return self._made(group_id, properties)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change rules and tags."""
        self._change(place, made.physical_id, old, new)
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return self._made(made.physical_id, new)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; refused while something uses it."""
        unless_gone(lambda: place.clients("ec2").delete_security_group(GroupId=physical_id))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeSecurityGroups; of the rules those that the template holds."""
        group = described(clients, "security_groups", GroupIds=[physical_id])
        if group is None:
            return None
        answer = told(group, "VpcId") | {"GroupDescription": group["Description"]}
        for key, members in _DIRECTIONS.items():
            wanted = properties.get(key)
            if wanted is not None:
                answer[key] = [rule for rule in wanted if holds(group[members], rule)]
        return answer

    def _change(self, place: Place, group_id: str, old: Properties, new: Properties) -> None:
        """Bring the rules from those of one template to those of another, all of them or none."""
        ec2 = place.clients("ec2")
        undo: list[tuple[str, Properties]] = []

        def call(operation: str, opposite: str, rule: Properties) -> None:
            getattr(ec2, operation)(GroupId=group_id, IpPermissions=[permission(rule)])
            undo.append((opposite, rule))

        try:
            for key, (allow, revoke) in _CALLS.items():
                default = [_EVERYTHING] if key == "SecurityGroupEgress" else []
                before = (old.get(key) or default) if old else default
                after = new.get(key) or default
                for rule in [rule for rule in before if rule not in after]:
                    call(revoke, allow, rule)
                for rule in [rule for rule in after if rule not in before]:
                    call(allow, revoke, rule)
        except Exception:
            for operation, rule in reversed(undo):
                getattr(ec2, operation)(GroupId=group_id, IpPermissions=[permission(rule)])
            raise

    def _made(self, group_id: str, properties: Properties) -> Made:
        return Made(
            group_id,
            {"GroupId": group_id, "Id": group_id, "VpcId": properties.get("VpcId", "")},
        )


_DIRECTIONS = {
    "SecurityGroupIngress": "IpPermissions",
    "SecurityGroupEgress": "IpPermissionsEgress",
}
_CALLS = {
    "SecurityGroupIngress": (
        "authorize_security_group_ingress",
        "revoke_security_group_ingress",
    ),
    "SecurityGroupEgress": ("authorize_security_group_egress", "revoke_security_group_egress"),
}


class _Rule:
    """A rule that is a resource: ``AWS::EC2::SecurityGroupIngress`` or ``-Egress``."""

    proof = Proof.SERVICE

    def __init__(self, direction: str) -> None:
        self.name = f"AWS::EC2::{direction}"
        self._members = _DIRECTIONS[direction]
        self._allow, self._revoke = _CALLS[direction]

    def create(self, place: Place, properties: Properties) -> Made:
        """Add the rule to its group."""
        ec2 = place.clients("ec2")
        answer = getattr(ec2, self._allow)(
            GroupId=properties["GroupId"], IpPermissions=[permission(properties)]
        )
        rule_id = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return Made(rule_id, {"Id": rule_id})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change the description."""
        ec2 = place.clients("ec2")
        way = self._allow.removeprefix("authorize_security_group_")
        getattr(ec2, f"update_security_group_rule_descriptions_{way}")(
            GroupId=new["GroupId"], IpPermissions=[permission(new)]
        )
        return Made(made.physical_id, {"Id": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Take the rule from its group."""
        ec2 = place.clients("ec2")
        unless_gone(
            lambda: getattr(ec2, self._revoke)(
                GroupId=properties["GroupId"], IpPermissions=[permission(properties)]
            )
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeSecurityGroups."""
        group = described(clients, "security_groups", GroupIds=[properties["GroupId"]])
        if group is None or not holds(group[self._members], properties):
            return None
        return dict(properties)


def permission(rule: Properties) -> dict[str, Any]:
    """A rule of a template as the API wants it."""
    given: dict[str, Any] = {"IpProtocol": str(rule["IpProtocol"])}
    for port in ("FromPort", "ToPort"):
        if port in rule:
            given[port] = int(rule[port])
    described_as = {"Description": rule["Description"]} if "Description" in rule else {}
    for key, (members, name) in _PEERS.items():
        if key in rule:
            given[members] = [{name: rule[key]} | described_as]
    return given


def holds(permissions: list[dict[str, Any]], rule: Properties) -> bool:
    """Whether a group's rules have one as the template wants it, with its description."""
    wanted = permission(rule)
    everything = wanted["IpProtocol"] == "-1"
    for given in permissions:
        if given["IpProtocol"] != wanted["IpProtocol"]:
            continue
        # A rule for all protocols has no ports, whatever the template says.
        ports = ("FromPort", "ToPort")
        if not everything and any(given.get(p) != wanted.get(p) for p in ports):
            continue
        for members in ("IpRanges", "Ipv6Ranges", "UserIdGroupPairs", "PrefixListIds"):
            for peer in wanted.get(members, ()):
                if any(peer.items() <= has.items() for has in given.get(members, ())):
                    return True
    return False


TYPES = (SecurityGroup(), _Rule("SecurityGroupIngress"), _Rule("SecurityGroupEgress"))
