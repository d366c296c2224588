"""Groups of moto's Auto Scaling by their names, and how its API answers and refuses."""

from __future__ import annotations

from typing import Any, NoReturn


def refuse(message: str, code: str = "ValidationError") -> NoReturn:
    """Answer with one of Auto Scaling's errors.

    Source: https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html
    """
    from moto.autoscaling.exceptions import AutoscalingClientError

    raise AutoscalingClientError(code, message)


def find(backend: Any, name: str | None) -> Any:
    """Moto's group by its name.

    Raises:
        AutoscalingClientError: There is no such group.
    """
    if name not in backend.autoscaling_groups:
        refuse(f"AutoScalingGroup name not found - AutoScalingGroup '{name}' not found")
    return backend.autoscaling_groups[name]


def answer(members: dict[str, Any]) -> Any:
    """An answer with members."""
    from moto.core.responses import ActionResult

    return ActionResult(members)


def empty() -> Any:
    """An answer without any."""
    from moto.core.responses import EmptyResult

    return EmptyResult()
