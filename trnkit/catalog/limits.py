"""How much AWS takes of a thing: sizes of blocks, rules, templates and policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkLimits:
    """Limits of a VPC.

    Attributes:
        shortest_block: Prefix length of the largest IPv4 block of a VPC or subnet.
        longest_block: Prefix length of the smallest.
        ipv6_subnet_blocks: Prefix lengths of a subnet's IPv6 block.
        rules_per_security_group: Rules of a security group in one direction, of IPv4 and of IPv6
            each, unless the account's quota was raised.
        ephemeral_ports: First and last port that Linux gives to calls of its own unless told
            otherwise, so where the answers arrive. AWS's page says 61000, the kernel 60999.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    shortest_block: int
    longest_block: int
    ipv6_subnet_blocks: tuple[int, ...]
    rules_per_security_group: int
    ephemeral_ports: tuple[int, int]
    last_acl_entry: int
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageLimits:
    """Limits of EFS, S3 and FSx, and how long streams, queues and log groups keep what they hold.

    Attributes:
        security_groups_per_mount_target: Security groups of one EFS mount target.
        days_before_infrequent_access: Days that an object of S3 stays where it is before a
            lifecycle rule may move it to STANDARD_IA or ONEZONE_IA.
        lustre_backup_days: Days that FSx keeps automatic backups at most.
        stream_hours: Hours that Kinesis keeps records when nothing is set.
        queue_seconds: Seconds that SQS keeps messages when nothing is set.
        log_retention_days: The numbers of days that a log group of CloudWatch can keep events.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    security_groups_per_mount_target: int
    days_before_infrequent_access: int
    lustre_backup_days: int
    stream_hours: int
    queue_seconds: int
    log_retention_days: tuple[int, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateLimits:
    """Limits of a CloudFormation template.

    Attributes:
        resources: Resources of one template.
        bytes: Size of a template that is read from S3.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    resources: int
    bytes: int
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLimits:
    """Limits of IAM policies, in characters; white space does not count.

    Attributes:
        inline_policies_of_a_role: All inline policies of a role together.
        managed_policy: One managed policy.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    inline_policies_of_a_role: int
    managed_policy: int
    source: tuple[str, ...]
    date: str


@cache
def network_limits() -> NetworkLimits:
    """Return the limits of a VPC."""
    return NetworkLimits(**table("limits")["network"])


@cache
def storage_limits() -> StorageLimits:
    """Return the limits of EFS, S3 and FSx, and the retentions of streams, queues and logs."""
    return StorageLimits(**table("limits")["storage"])


@cache
def template_limits() -> TemplateLimits:
    """Return the limits of a CloudFormation template."""
    return TemplateLimits(**table("limits")["template"])


@cache
def policy_limits() -> PolicyLimits:
    """Return the limits of IAM policies."""
    return PolicyLimits(**table("limits")["policies"])
