"""Facts about AWS that a Trainium cluster depends on, each with its source and date.

The facts are JSON files in `data/`; the modules read them into frozen values. Three rules hold:
None means unknown, never zero; a number without a source does not exist; where sources differ, the
entry says so in its `disagreements`. `source` is a tuple of keys that `find_source` explains.

Every name below is loaded with its module when it is first used, so that a command pays only for
the facts it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog.added_types import (
        InstanceTypeConflictError,
        add_described_types,
        add_instance_types,
        conflict_of,
        only_described_types,
    )
    from trnkit.catalog.budgets import (
        AnomalyLimits,
        BillingService,
        BudgetLimits,
        anomaly_limits,
        billing_services,
        budget_limits,
        find_billing_service,
        nearest_billing_services,
    )
    from trnkit.catalog.capacity import (
        CapacityBlockFacts,
        Gp3Limits,
        SpotFacts,
        capacity_block_facts,
        capacity_block_sold,
        gp3_limits,
        scale_in_margin_minutes,
        spot_facts,
    )
    from trnkit.catalog.chips import (
        Chip,
        chip,
    )
    from trnkit.catalog.descriptions import (
        instance_type_from_description,
    )
    from trnkit.catalog.disagreements import (
        Disagreement,
    )
    from trnkit.catalog.endpoints import (
        EndpointPrice,
        EndpointService,
        endpoint_services,
        find_endpoint_price,
        find_endpoint_service,
    )
    from trnkit.catalog.images import (
        HostImageParameter,
        NeuronImage,
        RootVolumeGuidance,
        default_user,
        host_image_parameters,
        neuron_image,
        neuron_image_parameter_pattern,
        neuron_images,
        operating_systems,
        root_device_name,
        root_volume_guidance,
    )
    from trnkit.catalog.instance_types import (
        EbsLimits,
        InstanceType,
        NetworkCard,
        UltraServerMembership,
        UnknownInstanceTypeError,
        find_instance_type,
        instance_type,
        instance_type_names,
    )
    from trnkit.catalog.lustre import (
        CapacityRule,
        LustreTier,
        MetadataRule,
        ThroughputCapacityRule,
        lustre_efa_client,
        lustre_port_ranges,
        lustre_tier,
        lustre_tiers,
        lustre_versions,
        recommended_lustre_version,
    )
    from trnkit.catalog.prices import (
        InstancePrice,
        find_instance_price,
        hourly_price,
        instance_prices,
    )
    from trnkit.catalog.quotas import (
        Quota,
        find_quota,
        network_interface_quota,
        quota_for,
        service_quotas,
        wrong_quota_codes,
    )
    from trnkit.catalog.references import (
        Source,
        find_source,
        sources,
    )
    from trnkit.catalog.regions import (
        Region,
        UnknownRegionError,
        budgets_resource_type_available,
        capacity_block_regions,
        find_region,
        neuron_image_parameters_available,
        persistent_2_available,
        region,
        region_names,
        region_of_zone_id,
        regions_offering,
        resource_type_available,
        zone_ids_offering,
    )

__all__ = [
    "AnomalyLimits",
    "BillingService",
    "BudgetLimits",
    "CapacityBlockFacts",
    "CapacityRule",
    "Chip",
    "Disagreement",
    "EbsLimits",
    "EndpointPrice",
    "EndpointService",
    "Gp3Limits",
    "HostImageParameter",
    "InstancePrice",
    "InstanceType",
    "InstanceTypeConflictError",
    "LustreTier",
    "MetadataRule",
    "NetworkCard",
    "NeuronImage",
    "Quota",
    "Region",
    "RootVolumeGuidance",
    "Source",
    "SpotFacts",
    "ThroughputCapacityRule",
    "UltraServerMembership",
    "UnknownInstanceTypeError",
    "UnknownRegionError",
    "add_described_types",
    "add_instance_types",
    "anomaly_limits",
    "billing_services",
    "budget_limits",
    "budgets_resource_type_available",
    "capacity_block_facts",
    "capacity_block_regions",
    "capacity_block_sold",
    "chip",
    "conflict_of",
    "default_user",
    "endpoint_services",
    "find_billing_service",
    "find_endpoint_price",
    "find_endpoint_service",
    "find_instance_price",
    "find_instance_type",
    "find_quota",
    "find_region",
    "find_source",
    "gp3_limits",
    "host_image_parameters",
    "hourly_price",
    "instance_prices",
    "instance_type",
    "instance_type_from_description",
    "instance_type_names",
    "lustre_efa_client",
    "lustre_port_ranges",
    "lustre_tier",
    "lustre_tiers",
    "lustre_versions",
    "nearest_billing_services",
    "network_interface_quota",
    "neuron_image",
    "neuron_image_parameter_pattern",
    "neuron_image_parameters_available",
    "neuron_images",
    "only_described_types",
    "operating_systems",
    "persistent_2_available",
    "quota_for",
    "recommended_lustre_version",
    "region",
    "region_names",
    "region_of_zone_id",
    "regions_offering",
    "resource_type_available",
    "root_device_name",
    "root_volume_guidance",
    "scale_in_margin_minutes",
    "service_quotas",
    "sources",
    "spot_facts",
    "wrong_quota_codes",
    "zone_ids_offering",
]

_HOMES = {
    "AnomalyLimits": "budgets",
    "anomaly_limits": "budgets",
    "InstanceTypeConflictError": "added_types",
    "add_described_types": "added_types",
    "add_instance_types": "added_types",
    "conflict_of": "added_types",
    "only_described_types": "added_types",
    "BillingService": "budgets",
    "BudgetLimits": "budgets",
    "billing_services": "budgets",
    "budget_limits": "budgets",
    "find_billing_service": "budgets",
    "nearest_billing_services": "budgets",
    "CapacityBlockFacts": "capacity",
    "Gp3Limits": "capacity",
    "SpotFacts": "capacity",
    "capacity_block_facts": "capacity",
    "capacity_block_sold": "capacity",
    "gp3_limits": "capacity",
    "scale_in_margin_minutes": "capacity",
    "spot_facts": "capacity",
    "Chip": "chips",
    "chip": "chips",
    "instance_type_from_description": "descriptions",
    "Disagreement": "disagreements",
    "EndpointPrice": "endpoints",
    "EndpointService": "endpoints",
    "endpoint_services": "endpoints",
    "find_endpoint_price": "endpoints",
    "find_endpoint_service": "endpoints",
    "HostImageParameter": "images",
    "NeuronImage": "images",
    "RootVolumeGuidance": "images",
    "default_user": "images",
    "host_image_parameters": "images",
    "neuron_image": "images",
    "neuron_image_parameter_pattern": "images",
    "neuron_images": "images",
    "operating_systems": "images",
    "root_device_name": "images",
    "root_volume_guidance": "images",
    "EbsLimits": "instance_types",
    "InstanceType": "instance_types",
    "NetworkCard": "instance_types",
    "UltraServerMembership": "instance_types",
    "UnknownInstanceTypeError": "instance_types",
    "find_instance_type": "instance_types",
    "instance_type": "instance_types",
    "instance_type_names": "instance_types",
    "CapacityRule": "lustre",
    "LustreTier": "lustre",
    "MetadataRule": "lustre",
    "ThroughputCapacityRule": "lustre",
    "lustre_efa_client": "lustre",
    "lustre_port_ranges": "lustre",
    "lustre_tier": "lustre",
    "lustre_tiers": "lustre",
    "lustre_versions": "lustre",
    "recommended_lustre_version": "lustre",
    "InstancePrice": "prices",
    "find_instance_price": "prices",
    "hourly_price": "prices",
    "instance_prices": "prices",
    "Quota": "quotas",
    "find_quota": "quotas",
    "network_interface_quota": "quotas",
    "quota_for": "quotas",
    "service_quotas": "quotas",
    "wrong_quota_codes": "quotas",
    "Source": "references",
    "find_source": "references",
    "sources": "references",
    "Region": "regions",
    "UnknownRegionError": "regions",
    "budgets_resource_type_available": "regions",
    "capacity_block_regions": "regions",
    "find_region": "regions",
    "neuron_image_parameters_available": "regions",
    "persistent_2_available": "regions",
    "region": "regions",
    "region_names": "regions",
    "region_of_zone_id": "regions",
    "regions_offering": "regions",
    "resource_type_available": "regions",
    "zone_ids_offering": "regions",
}


def __getattr__(name: str) -> object:
    """Load the module that a name lives in."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
