"""TRN927: existing file systems are as the file says, and FSx is there for new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import DESCRIBE_SUBNETS
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.fsx import DESCRIBE_FILE_SYSTEMS, FsxGateway
from trnkit.aws.ssm import GET_PARAMETER
from trnkit.catalog import lustre_clients_by_system
from trnkit.layout.nodes import image_of
from trnkit.layout.storage import lustre_dns_name
from trnkit.layout.zones import compute_zone_id
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.fsx import FileSystemDescription
    from trnkit.config import ExistingLustreConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_USABLE = ("AVAILABLE", "UPDATING")
_KNOWS_REGIONS = "us-east-1"
"""Not every Region has the parameters that say which service is where."""


def _run(account: AccountView) -> Iterator[CheckResult]:
    storage = account.cluster.storage
    if storage.lustre_file_systems:
        path = ("storage", "lustre_file_systems")
        yield from answers_of(_service(account, path), path)
    for index, existing in enumerate(storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index)
        yield from answers_of(_one(account, existing, path), path)


def _service(account: AccountView, path: Path) -> Iterator[CheckResult]:
    region = account.cluster.region
    # Other partitions know of their own Regions only.
    asked = region if region.startswith(("cn-", "us-gov-")) else _KNOWS_REGIONS
    if account.ssm(asked).has_service(region, "fsx"):
        yield ok(f"FSx is in {region}", path=path)
        return
    yield fail(
        f"{region} has no FSx, as AWS's own list of services says",
        remedy="take another Region, or no Lustre file system",
        look=f"aws ssm get-parameters-by-path --region {asked} --path "
        "/aws/service/global-infrastructure/services/fsx/regions --query 'Parameters[].Value'",
        path=path,
    )


def _one(account: AccountView, existing: ExistingLustreConfig, path: Path) -> Iterator[CheckResult]:
    region, file_system_id = account.cluster.region, existing.file_system_id
    fsx = account.gateway(FsxGateway)
    found = None
    try:
        found = account.once(
            ("file system", file_system_id), lambda: fsx.file_system(file_system_id)
        )
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            raise
    if found is None:
        yield fail(
            f"this account has no file system {file_system_id} in {region}",
            remedy="name a Lustre file system of this account and Region",
            look=f"aws fsx describe-file-systems --region {region}",
            path=(*path, "file_system_id"),
        )
        return
    if found.kind != "LUSTRE":
        yield fail(
            f"{file_system_id} is a file system of FSx for {found.kind}, not for Lustre",
            remedy="name a Lustre file system",
            path=(*path, "file_system_id"),
        )
        return
    problems = [
        *_state(found, region, path),
        *_version(account, found, path),
        *_names(account, existing, found, path),
        *answers_of(_place(account, found, path), path),
    ]
    yield from problems
    if not problems:
        yield ok(f"{file_system_id} is {found.lifecycle}, and is mounted as it says", path=path)


def _state(found: FileSystemDescription, region: str, path: Path) -> Iterator[CheckResult]:
    told = f"{found.file_system_id} is {found.lifecycle}"
    look = (
        f"aws fsx describe-file-systems --region {region} --file-system-ids {found.file_system_id}"
    )
    if found.lifecycle is None:
        yield unknown(
            f"FSx does not say in what state {found.file_system_id} is",
            remedy="look at it in the console",
            path=path,
        )
    elif found.lifecycle == "MISCONFIGURED":
        yield warning(
            f"{told}: it has failed, and can be mended",
            remedy="see what its FailureDetails say",
            look=look,
            path=path,
        )
    elif found.lifecycle not in _USABLE:
        yield fail(
            f"{told}: nothing can mount it",
            remedy="wait until it is AVAILABLE, or name another",
            look=look,
            path=path,
        )


def _version(
    account: AccountView, found: FileSystemDescription, path: Path
) -> Iterator[CheckResult]:
    systems = {image_of(group).operating_system for group in account.cluster.compute.node_groups}
    for client in lustre_clients_by_system():
        if client.os in systems and found.lustre_version in client.cannot_mount:
            yield fail(
                f"{found.file_system_id} is of Lustre {found.lustre_version}, which the client "
                f"{client.version} of {client.os} does not mount",
                remedy="name a newer file system, or an image of another operating system",
                path=path,
            )


def _names(
    account: AccountView, existing: ExistingLustreConfig, found: FileSystemDescription, path: Path
) -> Iterator[CheckResult]:
    expected = lustre_dns_name(existing.file_system_id, account.cluster.region)
    if found.mount_name is None or found.dns_name is None:
        yield unknown(
            f"FSx does not say what the mount name and DNS name of {found.file_system_id} are",
            remedy="wait until it is AVAILABLE, and ask again",
            path=path,
        )
        return
    if found.mount_name != existing.mount_name:
        yield fail(
            f"the mount name of {found.file_system_id} is {found.mount_name}, and the file says "
            f"{existing.mount_name}",
            remedy=f"write `mount_name: {found.mount_name}`",
            path=(*path, "mount_name"),
        )
    if found.dns_name != expected:
        yield fail(
            f"the DNS name of {found.file_system_id} is {found.dns_name}, and the nodes mount "
            f"{expected}",
            remedy="name a file system of this Region's own names",
            path=(*path, "file_system_id"),
        )


def _place(account: AccountView, found: FileSystemDescription, path: Path) -> Iterator[CheckResult]:
    network = account.cluster.network.existing
    vpc_id = network.vpc_id if network else None
    if found.vpc_id is None or vpc_id is None or found.vpc_id != vpc_id:
        where = found.vpc_id or "a VPC that FSx does not name"
        yield unknown(
            f"{found.file_system_id} is in {where}, and the nodes in {vpc_id or 'a new VPC'}: "
            "whether they reach it is not told",
            remedy="see to a peering or a transit gateway with routes both ways, and leave the "
            "check out by name when it is there",
            path=path,
        )
        return
    wanted = compute_zone_id(account.cluster)
    zones = {
        subnet.zone_id
        for subnet_id in found.subnet_ids
        if (subnet := account.subnet(subnet_id)) is not None
    }
    if wanted is not None and zones and wanted not in zones:
        yield warning(
            f"{found.file_system_id} is in zone {', '.join(sorted(zones))}, and the nodes are in "
            f"{wanted}: all data crosses zones, slower and at a price",
            remedy="take nodes and file system in one zone",
            path=path,
        )


CHECK = PreflightCheck(
    id="TRN927",
    name="file-systems",
    title="Existing file systems are as the file says, and FSx is there for new ones",
    why="Nodes with a wrong mount name, or of a file system that is gone, hang or boot without "
    "their data, and only their logs tell. Which deployment types and throughputs a Region or a "
    "zone has, whether it has room for a file system, and whether the security group of the file "
    "admits clients no question here tells: the rules judge the first from AWS's pages, the last "
    "two are known when the file system is made or mounted.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-troubleshooting.html",
    needs=(GET_PARAMETER, DESCRIBE_FILE_SYSTEMS, DESCRIBE_SUBNETS),
    run=_run,
)
