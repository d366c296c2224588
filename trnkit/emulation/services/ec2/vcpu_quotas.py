"""Quotas in vCPU, for those accounts that are given one.

An account of the emulated AWS has no limits until one is set: what a real account has is between it
and AWS, and the default of zero would refuse every example.
Source: https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html
"""

from __future__ import annotations

import re
from typing import Any

from trnkit.emulation.services.backends import ec2_backend
from trnkit.emulation.services.ec2.instance_types import instance_type, vcpus
from trnkit.emulation.services.ec2.refusing import refuse

CODES = {
    # Families of a quota: its code for On-Demand, and for Spot.
    ("trn",): ("L-2C3B7624", "L-6B0D517C"),
    ("inf",): ("L-1945791B", "L-B5D1601B"),
    ("p",): ("L-417A185B", "L-7212CCBC"),
    ("g", "vt"): ("L-DB2E81BA", "L-3819A6DF"),
    ("dl",): ("L-6E869C2A", "L-85EED4F7"),
    ("f",): ("L-74FC7D96", "L-88CF9481"),
    ("x",): ("L-7295265B", "L-E3A00192"),
    ("hpc",): ("L-F7808C92", ""),
    ("a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z"): ("L-1216C47A", "L-34B43A08"),
}


def code_of(type_name: str, *, spot: bool) -> str | None:
    """The quota code that a type counts for, None when there is none."""
    family = re.match(r"[a-z]+", type_name)
    for families, codes in CODES.items():
        if family and family[0] in families:
            return codes[spot] or None
    return None


def set_vcpu_quota(code: str, limit: int | None, region: str, account: str | None = None) -> None:
    """Limit what an account can run in a region.

    Args:
        code: The quota's code, such as ``L-2C3B7624``.
        limit: vCPUs, None for no limit.
        region: The region's name.
        account: The account id; None for the emulated AWS's own.
    """
    limits = _limits(ec2_backend(region, account))
    limits.pop(code, None)
    if limit is not None:
        limits[code] = limit


def check(backend: Any, type_name: str, count: int, *, spot: bool) -> None:
    """Refuse what exceeds the quota.

    Raises:
        EC2ClientError: With the instances that run already, these are too many.
    """
    code = code_of(type_name, spot=spot)
    limit = _limits(backend).get(code)
    if limit is None or instance_type(type_name) is None:
        return
    if _used(backend, code) + count * vcpus(type_name) <= limit:
        return
    if spot:
        refuse("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
    refuse(
        "VcpuLimitExceeded",
        f"You have requested more vCPU capacity than your current vCPU limit of {limit} allows for "
        "the instance bucket that the specified instance type belongs to.",
    )


def _limits(backend: Any) -> dict[str | None, int]:
    return backend.__dict__.setdefault("vcpu_limits", {})


def _used(backend: Any, code: str | None) -> int:
    from trnkit.emulation.services.ec2.capacity_reservations import available, reservations_of

    # Capacity Blocks do not count:
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html
    running = sum(
        vcpus(instance.instance_type)
        for instance in backend.all_instances()
        if instance.state in ("pending", "running")
        and instance.lifecycle != "capacity-block"
        and code_of(instance.instance_type, spot=instance.lifecycle == "spot") == code
    )
    # Capacity Reservations count from their creation, used or not:
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-limits.html
    unused = sum(
        available(backend, reservation) * vcpus(reservation.instance_type)
        for reservation in reservations_of(backend).values()
        if reservation.state == "active"
        and not reservation.is_block
        and code_of(reservation.instance_type, spot=False) == code
    )
    return running + unused
