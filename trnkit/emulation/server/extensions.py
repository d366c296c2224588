"""All that moto and MiniStack are extended by, and what they ask of each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.server import (
    application_refusals,
    engine_repairs,
    function_repairs,
    ministack_refusals,
    ministack_repairs,
    table_repairs,
    template_refusals,
)
from trnkit.emulation.services.auto_scaling import auto_scaling
from trnkit.emulation.services.cost import budgets_extension, cost_explorer_extension
from trnkit.emulation.services.ec2 import (
    capacity_reservation_api,
    images,
    instance_profiles,
    launch_templates,
    launching,
    network_refusals,
    placement_groups,
    subnets,
)
from trnkit.emulation.services.efs import efs_extension
from trnkit.emulation.services.fsx import fsx_extension
from trnkit.emulation.services.roles import Roles, set_roles
from trnkit.emulation.services.scheduler import schedule_refusals


def install() -> None:
    """Extend both, once, before the first request."""
    engine_repairs.install()
    template_refusals.install()
    ministack_repairs.install()
    table_repairs.install()
    function_repairs.install()
    ministack_refusals.install()
    application_refusals.install()
    launch_templates.install()
    placement_groups.install()
    capacity_reservation_api.install()
    subnets.install()
    network_refusals.install()
    launching.install()
    auto_scaling.install()
    fsx_extension.install(log_group_exists=_log_group_exists)
    efs_extension.install()
    budgets_extension.install()
    cost_explorer_extension.install()
    schedule_refusals.install()
    set_roles(Roles(let_assume=application_refusals.lets_assume, attach=_attach, detach=_detach))
    images.set_parameter_reader(_parameter)
    instance_profiles.set_profile_reader(_profile)


def _kept(service: str, store: str) -> Mapping[tuple[str, ...], Any]:
    """What a service of MiniStack keeps, by account, region and name."""
    return getattr(module(f"ministack.services.{service}"), store)._data


def _parameter(account: str, region: str, name: str) -> str | None:
    record = _kept("ssm", "_parameters").get((account, region, name))
    if record is not None:
        return str(record["Value"])
    return module("ministack.services.ssm")._PUBLIC_AMI_PARAMETERS.get(name)


def _log_group_exists(account: str, region: str, name: str) -> bool:
    return (account, region, name) in _kept("cloudwatch_logs", "_log_groups")


def _profile(account: str, name: str) -> Mapping[str, str] | None:
    record = _kept("iam", "_instance_profiles").get((account, name))
    return None if record is None else {"Arn": record["Arn"], "Id": record["InstanceProfileId"]}


def _attach(account: str, role: str, policy: str) -> bool:
    record = _kept("iam", "_roles").get((account, role))
    if record is None or (account, policy) not in _kept("iam", "_policies"):
        return False
    if policy not in record["AttachedPolicies"]:
        record["AttachedPolicies"].append(policy)
    return True


def _detach(account: str, role: str, policy: str) -> None:
    record = _kept("iam", "_roles").get((account, role))
    if record is not None and policy in record["AttachedPolicies"]:
        record["AttachedPolicies"].remove(policy)
