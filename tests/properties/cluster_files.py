"""Random cluster files, made from the model itself, so that a new key is covered when it appears.

What a type alone cannot tell (text, and sizes that AWS offers) is in `WORDS` and `SIZES`, by path;
`test_cluster_properties.py` fails when a key of text has no entry.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from pydantic import BaseModel

from trnkit.catalog import instance_type_names, region, region_names, zone_ids_offering
from trnkit.config import ClusterConfig


@dataclass(frozen=True)
class Place:
    """A region, a zone of it, and the instance types offered there."""

    region: str
    zone_id: str
    instance_types: tuple[str, ...]


def _places() -> list[Place]:
    offered: dict[tuple[str, str], list[str]] = {}
    for place in region_names():
        for name in instance_type_names():
            for zone in zone_ids_offering(name, place) or ():
                offered.setdefault((place, zone), []).append(name)
    return [Place(where, zone, tuple(names)) for (where, zone), names in offered.items()]


PLACES = _places()

_NAMES = st.from_regex(r"[a-z][a-z0-9-]{1,10}[a-z0-9]", fullmatch=True)
_EMAILS = st.integers(0, 30).map(lambda number: f"person{number}@example.com")

_SUBNETS = st.integers(0, 9).map(lambda number: f"subnet-0123456789abcdef{number}")
_GROUPS = st.integers(0, 3).map(lambda number: f"sg-0123456789abcdef{number}")
_KEY = "arn:aws:kms:{region}:111122223333:key/12345678-1234-1234-1234-123456789012"
_RESOURCE_GROUP = "arn:aws:resource-groups:{region}:111122223333:group/reservations"

Words = Callable[[Place], st.SearchStrategy[Any]]


def _one_of(*values: Any) -> Words:
    return lambda _: st.sampled_from(values)


def _in_region(text: str) -> Words:
    return lambda place: st.just(text.format(region=place.region))


def _always(strategy: st.SearchStrategy[Any]) -> Words:
    return lambda _: strategy


_NODE = "compute.node_groups."
_PIPELINE = "compute.image_pipeline."

NOT_GENERATED = {
    "instance_types_file": "names another file; examples/custom-type.yaml covers it",
    "budget.prices_file": "names another file; tests of the file of prices cover it",
    f"{_NODE}image.lock_file": "names another file; examples/locked-image.yaml covers it",
}

_LUSTRE = "storage.lustre_file_systems."
_THEIRS = "storage.existing_lustre_file_systems."
_LINK = f"{_LUSTRE}data_repository_associations."
_GUARD = "budget.watchdog."
_UUID = "01234567-89ab-4000-8000-0123456789ab"

WORDS: dict[str, Words] = {
    "name": _always(_NAMES),
    "account": _one_of("111122223333", "123456789012"),
    "region": lambda place: st.just(place.region),
    "suppress.rule_id": _one_of("TRN204", "TRN406", "TRN205"),
    "suppress.reason": _one_of("a reason that is long enough"),
    "network.vpc_cidr": _one_of("10.0.0.0/16", "10.20.0.0/20", "172.16.0.0/18", "192.168.0.0/22"),
    "network.availability_zone_id": lambda place: st.just(place.zone_id),
    "network.existing.vpc_id": _one_of("vpc-0123456789abcdef0"),
    "network.existing.compute_subnet_id": _always(_SUBNETS),
    "network.existing.availability_zone_id": lambda place: st.just(place.zone_id),
    "network.existing.storage_subnet_id": _always(_SUBNETS),
    "network.existing.storage_availability_zone_id": lambda place: st.just(place.zone_id),
    "network.existing.control_plane_subnet_ids": _always(_SUBNETS),
    "network.existing.vpc_cidr": _one_of("10.0.0.0/16"),
    "network.existing.compute_subnet_cidr": _one_of("10.0.64.0/18", "10.0.0.0/24"),
    "network.existing.route_table_ids": _one_of("rtb-0123456789abcdef0", "rtb-0123456789abcdef1"),
    "network.existing.security_group_id": _always(_GROUPS),
    "network.interface_endpoints": _one_of("ecr.api", "ecr.dkr", "logs", "sts", "ssm", "kms"),
    "network.control_plane_zone_ids": lambda place: st.sampled_from(
        sorted(region(place.region).zone_ids) or [place.zone_id]
    ),
    "network.secondary_cidr": _one_of("10.1.0.0/16", "100.64.0.0/16"),
    f"{_PIPELINE}parent_ami_id": _one_of("ami-0123456789abcdef0"),
    f"{_PIPELINE}parent_ssm_parameter": _one_of(
        "/aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id", "/my/own/image"
    ),
    f"{_PIPELINE}parameter_name": _one_of("/imagebuilder/trnkit/pretrain", "/imagebuilder/ours"),
    f"{_PIPELINE}instance_type": _one_of("m7i.2xlarge", "c6a.xlarge", "trn1.2xlarge"),
    f"{_PIPELINE}kms_key_arn": _in_region(_KEY),
    f"{_PIPELINE}component_arns": _in_region(
        "arn:aws:imagebuilder:{region}:aws:component/amazon-corretto-21-headless/1.0.0"
    ),
    f"{_PIPELINE}schedule": _one_of("cron(0 6 ? * MON *)", "rate(7 days)"),
    f"{_PIPELINE}topic_arn": _in_region("arn:aws:sns:{region}:111122223333:images"),
    f"{_PIPELINE}regions": _one_of("us-west-2", "eu-north-1"),
    f"{_NODE}name": _always(_NAMES),
    f"{_NODE}instance_type": lambda place: st.sampled_from(place.instance_types),
    f"{_NODE}image.ami_id": _one_of("ami-0123456789abcdef0"),
    f"{_NODE}image.ssm_parameter": _one_of(
        "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id", "/my/own/image", "my-image"
    ),
    f"{_NODE}capacity.capacity_reservation_id": _one_of("cr-0123456789abcdef0"),
    f"{_NODE}capacity.capacity_reservation_resource_group_arn": _in_region(_RESOURCE_GROUP),
    f"{_NODE}capacity.start": _one_of("2027-03-01T11:30:00Z", "2027-03-01T00:00:00Z"),
    f"{_NODE}capacity.end": _one_of("2027-03-08T11:30:00Z", "2027-03-02T11:30:00Z"),
    f"{_NODE}capacity.create.end_date": _one_of("2027-06-01T00:00:00Z"),
    f"{_NODE}placement.group_name": _one_of("their-group"),
    f"{_NODE}root_volume.kms_key_arn": _in_region(_KEY),
    f"{_NODE}additional_volumes.device_name": _one_of("/dev/sdf", "/dev/sdg", "/dev/sdh"),
    f"{_NODE}additional_volumes.kms_key_arn": _in_region(_KEY),
    f"{_NODE}additional_security_group_ids": _always(_GROUPS),
    f"{_LUSTRE}name": _always(_NAMES),
    f"{_LUSTRE}file_system_type_version": _one_of("2.15", "2.15", "2.12"),
    f"{_LUSTRE}mount_path": _always(_NAMES.map(lambda name: f"/mnt/{name}")),
    f"{_LINK}file_system_path": _always(_NAMES.map(lambda name: f"/{name}")),
    f"{_LINK}data_repository_path": _always(_NAMES.map(lambda name: f"s3://example-bucket/{name}")),
    f"{_LUSTRE}daily_automatic_backup_start_time": _one_of("05:00"),
    f"{_LUSTRE}weekly_maintenance_start_time": _one_of("2:05:00", "7:23:30"),
    f"{_LUSTRE}log_configuration.log_group_arn": _in_region(
        "arn:aws:logs:{region}:111122223333:log-group:/aws/fsx/lustre"
    ),
    f"{_LUSTRE}kms_key_arn": _in_region(_KEY),
    f"{_THEIRS}name": _always(_NAMES),
    f"{_THEIRS}file_system_id": _one_of("fs-0123456789abcdef0", "fs-0123456789abcdef1"),
    f"{_THEIRS}mount_name": _one_of("abcdefgh"),
    f"{_THEIRS}mount_path": _always(_NAMES.map(lambda name: f"/mnt/{name}")),
    f"{_THEIRS}security_group_id": _always(_GROUPS),
    "storage.checkpoint_bucket.kms_key_arn": _in_region(_KEY),
    "storage.checkpoint_bucket.lifecycle.prefix": _one_of("runs/", "old/"),
    "storage.checkpoint_bucket.data_repository_association.file_system": _always(_NAMES),
    "storage.checkpoint_bucket.data_repository_association.file_system_path": _one_of("/ckpt"),
    "storage.checkpoint_bucket.data_repository_association.prefix": _one_of("runs/"),
    "storage.home_file_system.mount_path": _one_of("/home/shared", "/mnt/home"),
    "storage.home_file_system.kms_key_arn": _in_region(_KEY),
    "storage.s3_mountpoints.bucket_name": _one_of("our-corpus", "our-results"),
    "storage.s3_mountpoints.prefix": _one_of("raw/", "tokenized/v2"),
    "storage.s3_mountpoints.mount_path": _always(_NAMES.map(lambda name: f"/mnt/{name}")),
    "storage.s3_mountpoints.kms_key_arn": _in_region(_KEY),
    "compute.node_role.managed_policy_arns": _one_of(
        "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
        "arn:aws:iam::111122223333:policy/teams/Training",
    ),
    "compute.boot.instance_store_path": _one_of("/local", "/scratch"),
    "compute.boot.compile_cache": _one_of("/fsx/cache", "/mnt/a/cache", "s3://our-cache/neuron"),
    "observability.metrics_namespace": _one_of("trnkit", "Team/Training"),
    "observability.prometheus.allowed_cidrs": _one_of("10.0.0.0/16", "100.64.0.0/10"),
    "budget.region": _one_of("us-east-1"),
    "budget.services": _one_of("Amazon FSx"),
    "budget.emails": _always(_EMAILS),
    "budget.currency": _one_of("USD", "USD", "EUR"),
    "budget.thresholds.emails": _always(_EMAILS),
    "budget.topic_arn": _in_region("arn:aws:sns:{region}:111122223333:alerts"),
    "budget.topic_subscribers": _one_of("https://example.com/alerts"),
    "budget.further_budgets.name": _always(_NAMES),
    "budget.further_budgets.tag.key": _one_of("team", "trnkit-cluster"),
    "budget.further_budgets.tag.value": _one_of("ml-platform"),
    "budget.further_budgets.services": _one_of("Amazon FSx", "EC2-Instances"),
    "budget.further_budgets.linked_accounts": _one_of("111122223333", "123456789012"),
    "budget.further_budgets.thresholds.emails": _always(_EMAILS),
    "budget.further_budgets.emails": _always(_EMAILS),
    "budget.anomaly_detection.monitor_arn": _one_of(
        "arn:aws:ce::111122223333:anomalymonitor/12345678-1234-1234-1234-123456789012"
    ),
    "budget.anomaly_detection.emails": _always(_EMAILS),
    f"{_GUARD}enforcement.protected_node_groups": _always(_NAMES),
    f"{_GUARD}enforcement.deny_role_names": _one_of("ml-engineers", "pipelines", "a+b=c,d.e@f-g"),
    f"{_GUARD}idle_shutdown.protected_node_groups": _always(_NAMES),
    "budget.chat.slack.workspace_id": _one_of("T0123ABCD"),
    "budget.chat.slack.channel_id": _one_of("C0123ABCD", "C4567EFGH"),
    "budget.chat.teams.tenant_id": _one_of(_UUID),
    "budget.chat.teams.team_id": _one_of(_UUID),
    "budget.chat.teams.channel_id": _one_of("@".join(("19:a0b1c2-d3", "thread.tacv2"))),
}

ONCE = {
    "compute.node_role.managed_policy_arns",
    f"{_GUARD}alert_percent",
    f"{_GUARD}enforcement.protected_node_groups",
    f"{_GUARD}enforcement.deny_role_names",
    f"{_GUARD}idle_shutdown.protected_node_groups",
}

SIZES: dict[str, st.SearchStrategy[Any]] = {
    f"{_NODE}count": st.sampled_from([0, 1, 2, 4, 64, 500]),
    f"{_NODE}efa.interfaces": st.sampled_from([0, 1, 8, 16]),
    f"{_NODE}logical_neuroncore_size": st.sampled_from([1, 2]),
    f"{_NODE}root_volume_size_gib": st.sampled_from([512, 600, 2000]),
    f"{_NODE}threads_per_core": st.sampled_from([1, 2]),
    f"{_LUSTRE}storage_capacity_gib": st.sampled_from([1200, 2400, 4800, 96000]),
    f"{_LUSTRE}per_unit_storage_throughput": st.sampled_from([125, 250, 1000]),
    "compute.boot.timeout_minutes": st.integers(10, 120),
    "compute.boot.huge_pages": st.sampled_from([5128, 8192, 60000]),
    "observability.prometheus.port": st.sampled_from([9400, 1024, 65535]),
    "budget.thresholds.percent": st.integers(1, 1000),
    "budget.further_budgets.thresholds.percent": st.integers(1, 1000),
    f"{_GUARD}alert_percent": st.integers(1, 1000),
}

COHERENT: dict[str, Words] = {
    f"{_NODE}capacity": lambda place: st.sampled_from(
        [
            {"type": "on-demand"},
            {"type": "spot"},
            {
                "type": "capacity-block",
                "capacity_reservation_id": "cr-0123456789abcdef0",
                "start": "2027-03-01T11:30:00Z",
                "end": "2027-03-08T11:30:00Z",
            },
            {
                "type": "on-demand-reservation",
                "capacity_reservation_resource_group_arn": _RESOURCE_GROUP.format(
                    region=place.region
                ),
            },
            {"type": "on-demand-reservation", "create": {"end_date": "2027-06-01T00:00:00Z"}},
            {"type": "on-demand-reservation", "create": {"unlimited": True}},
        ]
    ),
    "budget.watchdog": lambda _: st.sampled_from(
        [
            _ABSENT,
            _ABSENT,
            {"month_limit_usd": 100},
            {
                "month_limit_usd": 9000,
                "enforcement": {"mode": "automatic"},
                "idle_alert_minutes": 60,
            },
            {
                "month_limit_usd": 1e9,
                "poll_minutes": 1,
                "alert_percent": [0.5, 99.9],
                "enforcement": {"mode": "approval", "deny_role_names": ["ml-engineers"]},
                "idle_shutdown": {"mode": "automatic", "minutes": 10},
                "retain_ledger": False,
            },
        ]
    ),
    "network": lambda place: st.sampled_from(
        [
            {"availability_zone_id": place.zone_id},
            {"availability_zone_id": place.zone_id, "nat_gateway": False},
            {"availability_zone_id": place.zone_id, "flow_logs": {"retention_days": 30}},
            {
                "existing": {
                    "vpc_id": "vpc-0123456789abcdef0",
                    "compute_subnet_id": "subnet-0123456789abcdef0",
                    "availability_zone_id": place.zone_id,
                }
            },
        ]
    ),
}
"""Whole sections that make sense, taken more often than sections put together key by key."""


def cluster_files() -> st.SearchStrategy[dict[str, Any]]:
    """A cluster file as plain values: every key may be there, most are sensible, some clash."""
    return st.sampled_from(PLACES).flatmap(lambda place: _section(ClusterConfig, place, ()))


def text_keys(model: type[BaseModel] = ClusterConfig, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key of the model whose value is free text."""
    for name, field in model.model_fields.items():
        for kind in _leaves(field.annotation):
            here = (*path, name)
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from text_keys(kind, here)
            elif kind is str:
                yield ".".join(here)


def all_keys(model: type[BaseModel] = ClusterConfig, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key of the model, nested ones too."""
    for name, field in model.model_fields.items():
        yield ".".join((*path, name))
        for kind in _leaves(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from all_keys(kind, (*path, name))


def _leaves(annotation: Any) -> Iterator[Any]:
    """The types inside unions, lists and annotations; mappings and literals are leaves."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _leaves(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType, tuple):
        for part in typing.get_args(annotation):
            if part not in (type(None), Ellipsis):
                yield from _leaves(part)
    else:
        yield annotation


_ABSENT = object()


def _section(model: type[BaseModel], place: Place, path: tuple[str, ...]) -> Any:
    """A section: required keys always, each other key in one of four files."""
    keys: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        bounds = {
            key: getattr(item, key)
            for item in field.metadata
            for key in ("ge", "gt", "le", "min_length", "max_length")
            if getattr(item, key, None) is not None
        }
        if ".".join((*path, name)) in NOT_GENERATED:
            continue
        strategy = _value(field.annotation, place, (*path, name), bounds)
        coherent = COHERENT.get(".".join((*path, name)))
        if coherent:
            strategy = _mostly(coherent(place), strategy, 4)
        elif not field.is_required():
            strategy = _mostly(st.just(_ABSENT), strategy, 3)
        keys[name] = strategy
    return st.fixed_dictionaries(keys).map(
        lambda values: {key: value for key, value in values.items() if value is not _ABSENT}
    )


def _mostly(usual: Any, other: Any, times: int) -> Any:
    return st.integers(0, times).flatmap(lambda number: other if number == times else usual)


def _value(annotation: Any, place: Place, path: tuple[str, ...], bounds: dict[str, Any]) -> Any:
    key = ".".join(path)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _value(arguments[0], place, path, bounds)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (part for part in arguments if part is not type(None))
        return _value(inner, place, path, bounds)
    if origin is tuple:
        fewest = bounds.get("min_length", 0)
        return st.lists(
            _value(arguments[0], place, path, {}),
            min_size=fewest,
            max_size=max(fewest, 3),
            # What is chosen from a few may stand in a list once.
            unique=typing.get_origin(arguments[0]) is typing.Literal or key in ONCE,
        )
    if key in SIZES:
        return SIZES[key]
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is dict:
        return st.dictionaries(_NAMES, _NAMES, max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _section(annotation, place, path)
    if annotation is bool:
        return st.booleans()
    if annotation in (int, float):
        low = int(bounds.get("ge", bounds.get("gt", 0) + 1))
        return st.integers(low, int(min(bounds.get("le", 100_000), 100_000)))
    return WORDS[key](place)


_WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**13),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)


@st.composite
def spoilt_cluster_files(draw: st.DrawFn) -> dict[str, Any]:
    """A cluster file with one value replaced, one key renamed or one removed."""
    data = draw(cluster_files())
    spots: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            spots.append((node, key))
            if isinstance(value, dict | list):
                collect(value)

    collect(data)
    container, key = draw(st.sampled_from(spots))
    how = draw(st.sampled_from(["replace", "rename", "remove"]))
    if how == "replace" or isinstance(container, list):
        container[key] = draw(_WRONG)
    elif how == "rename":
        container[draw(st.text(max_size=12))] = container.pop(key)
    else:
        del container[key]
    return data
