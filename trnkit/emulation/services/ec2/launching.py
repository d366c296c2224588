"""RunInstances, for requests and for Auto Scaling groups."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from trnkit.emulation.services.ec2.capacity_refusals import reserved_for
from trnkit.emulation.services.ec2.launch_refusals import check_request
from trnkit.emulation.services.ec2.launch_request import Launch, launch_of
from trnkit.emulation.services.ec2.launch_templates import version_of
from trnkit.emulation.services.ec2.refusing import missing, refuse, tags_for


def launch(asked: Launch, most: int, least: int | None = None, tags: Any = None) -> Any:
    """Launch instances.

    Args:
        asked: What to launch.
        most: How many.
        least: How many are enough; None: all of them.
        tags: Further tags of the instances.

    Returns:
        moto's reservation of the instances (nothing to do with capacity).

    Raises:
        EC2ClientError: EC2 would refuse it.
    """
    from moto.ec2.models.instances import Reservation
    from moto.ec2.utils import random_reservation_id

    check_request(asked)
    places = _places(asked, most, most if least is None else least)
    made: Any = Reservation(random_reservation_id(), owner_id=asked.backend.account_id)
    asked.backend.reservations[made.id] = made
    try:
        for index, place in enumerate(places):
            made.instances.append(_instance(asked, index, place, made, tags or {}))
    except Exception:
        _undo(asked.backend, made)
        raise
    made.groups = []
    return made


def _places(asked: Launch, most: int, least: int) -> list[Any]:
    """Reservations for as many instances as there is capacity for."""
    from moto.ec2.exceptions import EC2ClientError

    for count in range(most, least, -1):
        with contextlib.suppress(EC2ClientError):
            return reserved_for(asked, count)
    return reserved_for(asked, least)


def _instance(asked: Launch, index: int, place: Any, made: Any, tags: Mapping[str, str]) -> Any:
    from trnkit.emulation.services.ec2.launched import Instance, give_volumes

    instance: Any = Instance(asked, index, place)
    # moto looks for instances in its reservations when it attaches a volume.
    made.instances.append(instance)
    try:
        give_volumes(instance)
    finally:
        made.instances.remove(instance)
    named = tags_for(asked.asked.get("TagSpecifications"), "instance")
    if asked.version is not None:
        named["aws:ec2launchtemplate:id"] = asked.version.template.id
        named["aws:ec2launchtemplate:version"] = str(asked.version.number)
    instance.add_tags({**named, **tags})
    return instance


def _undo(backend: Any, made: Any) -> None:
    for instance in made.instances:
        instance.terminate()
    del backend.reservations[made.id]


def _run_instances(self: Any) -> Any:
    """Launch what template and request ask for.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
    """
    from moto.core.responses import ActionResult

    params: Mapping[str, Any] = self.params
    for parameter in ("MinCount", "MaxCount"):
        if params.get(parameter) is None:
            missing(parameter)
    least, most = int(params["MinCount"]), int(params["MaxCount"])
    if not 1 <= least <= most:
        refuse("InvalidParameterValue", f"Invalid value '{most}' for maxCount.")
    named = params.get("LaunchTemplate")
    version = version_of(self.ec2_backend, named) if named else None
    asked = launch_of(self.ec2_backend, params, version=version)
    if params.get("DryRun"):
        check_request(asked)
        reserved_for(asked, least)
    self.error_on_dryrun()
    return ActionResult(launch(asked, most, least))


def install() -> None:
    """Let moto's EC2 launch what is asked for."""
    from moto.ec2.responses import EC2Response

    response: Any = EC2Response
    response.run_instances = _run_instances
