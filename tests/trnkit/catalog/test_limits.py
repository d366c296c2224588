"""How much AWS takes of a thing."""

from __future__ import annotations

import pytest

from trnkit import catalog
from trnkit.config import LustreConfig


def test_the_limits_of_networks_and_storage():
    network, storage = catalog.network_limits(), catalog.storage_limits()
    assert (network.shortest_block, network.longest_block) == (16, 28)
    assert network.ipv6_subnet_blocks == (44, 48, 52, 56, 60, 64)
    assert network.rules_per_security_group == 60
    assert network.ephemeral_ports == (32768, 60999)
    assert network.last_acl_entry == 32766
    assert storage.security_groups_per_mount_target == 5
    assert storage.days_before_infrequent_access == 30
    assert (storage.stream_hours, storage.queue_seconds) == (24, 4 * 24 * 3600)
    field = LustreConfig.model_fields["automatic_backup_retention_days"]
    assert storage.lustre_backup_days == next(m.le for m in field.metadata if hasattr(m, "le"))


def test_the_limits_of_templates_and_policies():
    template, policies = catalog.template_limits(), catalog.policy_limits()
    assert (template.resources, template.bytes) == (500, 1_000_000)
    assert (policies.inline_policies_of_a_role, policies.managed_policy) == (10_240, 6_144)


def test_log_groups_keep_events_for_some_numbers_of_days():
    days = catalog.storage_limits().log_retention_days
    assert len(days) == 22
    assert set(days) > {1, 30, 365, 731, 3653}
    assert list(days) == sorted(set(days))


@pytest.mark.parametrize(
    "limits",
    [
        catalog.network_limits(),
        catalog.storage_limits(),
        catalog.template_limits(),
        catalog.policy_limits(),
    ],
)
def test_each_says_from_where_and_when(limits):
    assert limits.date
    assert all(catalog.find_source(key) for key in limits.source)


def test_hosts_need_endpoints_that_the_catalogue_knows_for_them():
    known = {service.service for service in catalog.endpoint_services()} | {"s3"}
    for host in ("eks", "batch", "slurm"):
        found = catalog.find_host_endpoints(host)
        assert found is not None
        assert set(found.services) <= known
    assert catalog.find_host_endpoints("none") is None


def test_a_client_mounts_what_it_is_not_said_not_to():
    (client,) = catalog.lustre_clients_by_system()
    assert (client.os, client.version, client.cannot_mount) == (
        "amazon-linux-2023",
        "2.15",
        ("2.10",),
    )
    assert set(client.cannot_mount) < set(catalog.lustre_versions())
    assert client.os in {image.os for image in catalog.neuron_images()}


def test_budgets_know_the_filters_of_the_console():
    filters = catalog.budget_limits().cost_filters
    assert {"TagKeyValue", "LinkedAccount", "Service", "Region", "AZ"} < set(filters)
    assert list(filters) == sorted(filters)
