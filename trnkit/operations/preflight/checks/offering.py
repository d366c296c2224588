"""TRN905: the zone offers the instance types of the file."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.aws.instance_types import DESCRIBE_INSTANCE_TYPE_OFFERINGS
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.zones import compute_zone_id, zone_key
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    zone_id = compute_zone_id(cluster)
    blocks: dict[str, bool] = {}
    places: dict[str, Path] = {}
    for index, group in enumerate(cluster.compute.node_groups):
        kind = group.instance_type
        blocks[kind] = blocks.get(kind, True) and uses_capacity_block(group)
        places.setdefault(kind, ("compute", "node_groups", index, "instance_type"))
    for kind, path in places.items():
        try:
            offered = account.instance_types.offerings([kind], "availability-zone-id")
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
            continue
        zone_ids = offered.get(kind, ())
        yield _judge(account, kind, zone_ids, zone_id, only_blocks=blocks[kind], path=path)


def _judge(
    account: AccountView,
    kind: str,
    zone_ids: tuple[str, ...],
    zone_id: str | None,
    *,
    only_blocks: bool,
    path: Path,
) -> CheckResult:
    region = account.cluster.region
    if zone_id in zone_ids:
        return ok(f"{zone_id} offers {kind}", path=path)
    look = (
        f"aws ec2 describe-instance-type-offerings --region {region} --location-type "
        f"availability-zone-id --filters Name=instance-type,Values={kind}"
    )
    named, verb = ", ".join(zone_ids[:3]), "does" if len(zone_ids) == 1 else "do"
    others = f"{named} {verb}" if named else f"no zone of {region} does"
    if zone_id is None and zone_ids:
        return unknown(
            f"the file names no zone, and not every zone may offer {kind}: {others}",
            remedy=f"name the zone's id in {'.'.join(zone_key(account.cluster))}",
            look=look,
            path=path,
        )
    message = f"{zone_id or 'the zone'} does not offer {kind}; {others}"
    if only_blocks:
        return warning(
            message,
            remedy="compare with the Capacity Block's zone: blocks are also sold where the "
            "offerings list nothing",
            look=look,
            path=path,
        )
    if not zone_ids:
        # The Region has been asked; the plan asks the others.
        look = f"trnkit plan {shlex.quote(account.file)}"
    return fail(
        message,
        remedy="name a zone that offers it" if zone_ids else "choose another Region",
        look=look,
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN905",
    name="offering",
    title="The zone of the nodes offers the instance types of the file",
    why="Auto Scaling cannot launch a type that the zone does not offer; the deployment succeeds "
    "and no node ever comes. For Capacity Blocks alone it is a warning: they are sold in places "
    "that the offerings do not list.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    needs=(DESCRIBE_INSTANCE_TYPE_OFFERINGS,),
    run=_run,
)
