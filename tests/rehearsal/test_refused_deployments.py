"""Wrong templates: refused as AWS refuses them, rolled back, and nothing of them is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rehearsal.mutants import MUTANTS

if TYPE_CHECKING:
    from tests.rehearsal.deployments import Cloud, Deployed, Example, Template
    from tests.rehearsal.mutant import Mutant

_TWIN = "-twin"


def wrong(example: Example, mutant: Mutant) -> Template:
    template = example.template(mutant.stack)
    mutant.change(template)
    assert template != example.template(mutant.stack)
    return template


def must_be_refused(mutant: Mutant, deployed: Deployed, rolled_back: str) -> None:
    assert deployed.status == ("" if mutant.at_once else rolled_back), deployed.reasons
    assert mutant.says in deployed.reasons
    if mutant.at_once:
        assert "ValidationError" in deployed.reasons


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_wrong_template_is_refused_and_leaves_nothing(cloud: Cloud, mutant: Mutant) -> None:
    example = cloud.example(mutant.example)
    before = example.census_when_good(mutant.stack)
    template = wrong(example, mutant)
    created = None
    try:
        if "create" in mutant.by:
            created = example.create(mutant.stack, template, _TWIN)
            must_be_refused(mutant, created, "ROLLBACK_COMPLETE")
        if "update" in mutant.by:
            updated = example.update(mutant.stack, template)
            must_be_refused(mutant, updated, "UPDATE_ROLLBACK_COMPLETE")
        after = example.census(mutant.stack)
        assert after == before, f"left: {after - before}; gone: {before - after}"
    finally:
        if created is not None and not created.refused_at_once:
            assert example.delete(mutant.stack, _TWIN) == "DELETE_COMPLETE"
    assert example.update_as_it_was(mutant.stack).status == "UPDATE_COMPLETE"


def test_there_are_many_mutants_and_each_has_a_name() -> None:
    names = [mutant.id for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 45


def test_every_refusal_that_no_schema_tells_has_a_source() -> None:
    unsourced = [
        mutant.id
        for mutant in MUTANTS
        if not mutant.source
        and "Properties validation failed" not in mutant.says
        and "is not one of" not in mutant.says
        and not mutant.says.startswith("#/")
    ]
    assert not unsourced


def test_a_good_twin_of_each_stack_is_taken(cloud: Cloud) -> None:
    """What the mutants are compared with: it is their change alone that is refused."""
    for name, stack in sorted({(mutant.example, mutant.stack) for mutant in MUTANTS}):
        example = cloud.example(name)
        if name == "trn2-capacity-block" and stack == "Compute":
            continue  # Its reservation holds one group only.
        made = example.create(stack, example.template(stack), _TWIN)
        assert made.status == "CREATE_COMPLETE", (name, stack, made.reasons)
        assert example.delete(stack, _TWIN) == "DELETE_COMPLETE"


def test_no_network_interface_is_left_of_what_was_refused(cloud: Cloud) -> None:
    """Those that no instance has belong to gateways, endpoints and file systems that stand."""
    for region in sorted({cloud.example(mutant.example).region for mutant in MUTANTS}):
        clients = cloud.aws.clients(region)
        ec2, efs = clients("ec2"), clients("efs")
        found = ec2.describe_network_interfaces()["NetworkInterfaces"]
        unused = {one["NetworkInterfaceId"] for one in found if one["Status"] == "available"}
        standing = {
            address["NetworkInterfaceId"]
            for gateway in ec2.describe_nat_gateways()["NatGateways"]
            if gateway["State"] == "available"
            for address in gateway["NatGatewayAddresses"]
        }
        for endpoint in ec2.describe_vpc_endpoints()["VpcEndpoints"]:
            standing |= {*endpoint.get("NetworkInterfaceIds", ())}
        for system in efs.describe_file_systems()["FileSystems"]:
            told = efs.describe_mount_targets(FileSystemId=system["FileSystemId"])
            standing |= {target["NetworkInterfaceId"] for target in told["MountTargets"]}
        for system in clients("fsx").describe_file_systems()["FileSystems"]:
            standing |= {*system["NetworkInterfaceIds"]}
        left = [one for one in found if one["NetworkInterfaceId"] in unused - standing]
        assert left == []
