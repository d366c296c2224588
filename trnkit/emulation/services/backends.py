"""moto's state of an account and region, for what reaches into it from beside a request."""

from __future__ import annotations

import os
from typing import Any


def ec2_backend(region: str, account: str | None = None) -> Any:
    """Moto's EC2 of a region.

    Args:
        region: The region's name.
        account: The account id; None for the emulated AWS's own.
    """
    from moto.ec2.models import ec2_backends

    return ec2_backends[account or _own_account()][region]


def autoscaling_backend(region: str, account: str | None = None) -> Any:
    """Moto's Auto Scaling of a region.

    Args:
        region: The region's name.
        account: The account id; None for the emulated AWS's own.
    """
    from moto.autoscaling.models import autoscaling_backends

    return autoscaling_backends[account or _own_account()][region]


def ce_backend(account: str | None = None) -> Any:
    """Moto's Cost Explorer, which is the same in every region.

    Args:
        account: The account id; None for the emulated AWS's own.
    """
    from moto.ce.models import ce_backends

    return ce_backends[account or _own_account()]["aws"]


def _own_account() -> str:
    from moto.core.models import DEFAULT_ACCOUNT_ID

    return os.environ.get("MOTO_ACCOUNT_ID", DEFAULT_ACCOUNT_ID)
