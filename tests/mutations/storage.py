"""Mistakes in file systems, their ports, links and buckets."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.mutations.kind import (
    FILE_SYSTEM,
    Kind,
    Properties,
    attribute,
    each,
    put,
    remove,
    resources,
)

_storage = partial(Kind, stack="Storage")
_GROUP = "AWS::EC2::SecurityGroup"
_IN = f"{_GROUP}Ingress"
_LINK = "AWS::FSx::DataRepositoryAssociation"
_HOME = "AWS::EFS::FileSystem"


def _lustre(change: Any, *, deployment: str = "PERSISTENT_2", tiering: bool = False) -> Any:
    def of_kind(properties: Properties) -> bool | None:
        lustre = properties["LustreConfiguration"]
        is_tiering = properties.get("StorageType") == "INTELLIGENT_TIERING"
        if lustre["DeploymentType"] != deployment or is_tiering is not tiering:
            return False
        return change(properties)

    return each(FILE_SYSTEM, of_kind)


def _set(path: str, value: Any) -> Any:
    def change(properties: Properties) -> None:
        *way, last = path.split(".")
        place: Any = properties
        for step in way:
            place = place[step]
        place[last] = value

    return change


def _no_throughput(properties: Properties) -> bool:
    return properties["LustreConfiguration"].pop("PerUnitStorageThroughput", None) is not None


def _two_subnets(properties: Properties) -> None:
    properties["SubnetIds"] = [*properties["SubnetIds"], "subnet-0123456789abcdef0"]


def _efa(change: Any) -> Any:
    def of_efa(properties: Properties) -> bool | None:
        if not properties["LustreConfiguration"].get("EfaEnabled"):
            return False
        return change(properties)

    return each(FILE_SYSTEM, of_efa)


def _no_metadata(properties: Properties) -> bool:
    return properties["LustreConfiguration"].pop("MetadataConfiguration", None) is not None


def _backups_of_a_linked_one(template: dict[str, Any]) -> bool:
    if not any(resources(template, _LINK)):
        return False
    return put(FILE_SYSTEM, "LustreConfiguration.AutomaticBackupRetentionDays", 0)(template)


def _import_path(properties: Properties) -> None:
    properties["LustreConfiguration"]["ImportPath"] = "s3://example-training-corpus"


def _made_before_the_rules(template: dict[str, Any]) -> bool:
    found = list(resources(template, FILE_SYSTEM))
    for resource in found:
        resource["DependsOn"] = []
    return bool(found)


def _only_988(template: dict[str, Any]) -> bool:
    gone = [
        logical_id
        for logical_id, resource in template["Resources"].items()
        if resource["Properties"].get("FromPort") == 1018
    ]
    for logical_id in gone:
        del template["Resources"][logical_id]
    for resource in resources(template, FILE_SYSTEM):
        resource["DependsOn"] = [n for n in resource["DependsOn"] if n not in gone]
    return bool(gone)


STORAGE = (
    _storage(
        id="a capacity of 3600 GiB", change=_lustre(_set("StorageCapacity", 3600)), rule="TRN351"
    ),
    _storage(
        id="the throughput of the first generation",
        change=_lustre(_set("LustreConfiguration.PerUnitStorageThroughput", 200)),
        rule="TRN351",
    ),
    _storage(id="no throughput", change=_lustre(_no_throughput), rule="TRN351"),
    _storage(
        id="throughput of scratch",
        change=_lustre(
            _set("LustreConfiguration.PerUnitStorageThroughput", 200), deployment="SCRATCH_2"
        ),
        rule="TRN351",
    ),
    _storage(
        id="Lustre 2.10",
        change=_lustre(_set("FileSystemTypeVersion", "2.10")),
        rule="TRN351",
    ),
    _storage(id="two subnets", change=each(FILE_SYSTEM, _two_subnets), rule="TRN352"),
    _storage(
        id="no UpdateReplacePolicy",
        change=attribute(FILE_SYSTEM, "UpdateReplacePolicy"),
        rule="TRN353",
    ),
    _storage(
        id="no DeletionPolicy", change=attribute(FILE_SYSTEM, "DeletionPolicy"), rule="TRN353"
    ),
    _storage(
        id="deleted when replaced",
        change=attribute(FILE_SYSTEM, "UpdateReplacePolicy", "Delete"),
        rule="TRN353",
    ),
    _storage(
        id="the group of a retained file system deleted",
        change=attribute(_GROUP, "DeletionPolicy"),
        rule="TRN353",
    ),
    _storage(id="port 988 alone", change=_only_988, rule="TRN354"),
    _storage(id="no ports in", change=remove(_IN, "Lustre"), rule="TRN354"),
    _storage(id="no ports among the servers", change=remove(_IN, "LustrefsxSelf"), rule="TRN354"),
    _storage(id="made before its rules", change=_made_before_the_rules, rule="TRN354"),
    _storage(
        id="an import path of the first generation",
        change=_lustre(_import_path),
        rule="TRN355",
    ),
    _storage(id="a retention of 0 beside a link", change=_backups_of_a_linked_one, rule="TRN355"),
    _storage(
        id="a link without a leading slash",
        change=put(_LINK, "FileSystemPath", "data"),
        rule="TRN355",
    ),
    _storage(
        id="a link that is no address of S3",
        change=put(_LINK, "DataRepositoryPath", "example-training-corpus/pretrain"),
        rule="TRN355",
    ),
    _storage(id="disks", change=_lustre(_set("StorageType", "HDD")), rule="TRN360"),
    _storage(
        id="metadata operations between the steps",
        change=put(FILE_SYSTEM, "LustreConfiguration.MetadataConfiguration.Iops", 13000),
        rule="TRN361",
    ),
    _storage(
        id="a capacity of Intelligent-Tiering",
        change=_lustre(_set("StorageCapacity", 1200), tiering=True),
        rule="TRN362",
    ),
    _storage(
        id="a drive cache without disks",
        change=_lustre(_set("LustreConfiguration.DriveCacheType", "READ")),
        rule="TRN363",
    ),
    _storage(id="EFA without metadata", change=_efa(_no_metadata), rule="TRN364"),
    _storage(id="EFA on a small one", change=_efa(_set("StorageCapacity", 1200)), rule="TRN351"),
    _storage(
        id="EFA of scratch",
        change=_lustre(_set("LustreConfiguration.EfaEnabled", True), deployment="SCRATCH_2"),
        rule="TRN364",
    ),
    _storage(
        id="backups of scratch",
        change=_lustre(
            _set("LustreConfiguration.AutomaticBackupRetentionDays", 7), deployment="SCRATCH_2"
        ),
        rule="TRN366",
    ),
    _storage(
        id="a log group of another name",
        change=put(
            FILE_SYSTEM,
            "LustreConfiguration.LogConfiguration.Destination",
            "arn:aws:logs:us-east-2:111122223333:log-group:lustre",
            only_over=True,
        ),
        rule="TRN368",
    ),
    _storage(id="homes in the clear", change=put(_HOME, "Encrypted", False), rule="TRN371"),
    _storage(id="homes deleted", change=attribute(_HOME, "DeletionPolicy"), rule="TRN371"),
    _storage(id="a mount target that admits nobody", change=remove(_IN, "Home"), rule="TRN372"),
    _storage(
        id="dual-stack Lustre",
        change=put(FILE_SYSTEM, "NetworkType", "DUAL"),
        rule="TRN194",
    ),
)
