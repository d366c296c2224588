"""Facts about AWS that a Trainium cluster depends on, each with its source and date.

The facts are JSON files in `data/`; the modules read them into frozen values. Three rules hold:
None means unknown, never zero; a number without a source does not exist; where sources differ, the
entry says so in its `disagreements`. `source` is a tuple of keys that `find_source` explains.

Every name below is loaded with its module when it is first used, so that a command pays only for
the facts it needs; `__init__.pyi` names the same for type checkers.
"""

from __future__ import annotations

from importlib import import_module

_NAMES_BY_HOME = {
    "account_quotas": "ResourceQuota resource_quota resource_quotas",
    "added_types": (
        "InstanceTypeConflictError add_described_types add_instance_types conflict_of "
        "only_described_types refreshed_instance_type"
    ),
    "bootstrap": "BootstrapFacts bootstrap_facts",
    "budgets": (
        "AlertTopicFacts AnomalyLimits BillingService BudgetLimits CostExplorerFacts "
        "alert_topic_facts anomaly_limits billing_services budget_limits cost_explorer_facts "
        "find_billing_service nearest_billing_services"
    ),
    "capacity": (
        "CapacityBlockFacts Gp3Limits SpotFacts capacity_block_facts capacity_block_hours "
        "capacity_block_sold gp3_limits scale_in_margin_minutes spot_facts"
    ),
    "chips": "Chip chip",
    "claims": "PriceClaim price_claims",
    "collectives": (
        "BandwidthFloor find_bandwidth_floor multi_node_chips xla_neuron_core_versions"
    ),
    "descriptions": "instance_type_from_description",
    "disagreements": "Disagreement",
    "eks": (
        "ContainerInsightsFacts EfaHugePages EksAmiType container_insights_facts "
        "efa_huge_pages eks_ami_types find_eks_ami_type neuron_metric_names"
    ),
    "endpoints": (
        "EndpointService HostEndpoints PackageBucket endpoint_services "
        "find_endpoint_service find_host_endpoints find_package_bucket"
    ),
    "gpus": "GpuInstance find_gpu_instance gpu_instances gpu_prices",
    "images": (
        "HostImageParameter ImageParameterFamily NeuronImage RootVolumeGuidance default_user "
        "host_image_parameters image_parameter_families neuron_image "
        "neuron_image_parameter_pattern neuron_images operating_systems root_device_name "
        "root_volume_guidance"
    ),
    "instance_types": (
        "EbsLimits InstanceType NetworkCard UltraServerMembership UnknownInstanceTypeError "
        "find_instance_type instance_type instance_type_names"
    ),
    "launching": (
        "AutoScalingLimits MetadataLimits PlacementFacts VolumeLimits auto_scaling_limits "
        "metadata_limits placement_facts volume_limits"
    ),
    "limits": (
        "NetworkLimits PolicyLimits StorageLimits TemplateLimits network_limits policy_limits "
        "storage_limits template_limits"
    ),
    "lustre": (
        "CapacityRule LustreClient LustreTier MetadataRule ThroughputCapacityRule "
        "lustre_clients_by_system lustre_efa_client lustre_port_ranges lustre_tier "
        "lustre_tiers lustre_versions recommended_lustre_version"
    ),
    "mountpoint": (
        "MountpointDownload MountpointRepository MountpointUse S3BucketNames "
        "mountpoint_download mountpoint_repository mountpoint_use s3_bucket_names"
    ),
    "nodes": "NodeFacts node_facts",
    "prices": "InstancePrice find_instance_price hourly_price instance_prices",
    "quotas": "Quota find_quota quota_for service_quotas wrong_quota_codes",
    "references": "Source find_source sources",
    "regions": (
        "Region UnknownRegionError budgets_resource_type_available capacity_block_regions "
        "find_region neuron_image_parameters_available offerings_described_on "
        "persistent_2_available region "
        "region_names region_of_zone_id regions_offering resource_type_available "
        "zone_ids_offering"
    ),
    "schedulers": (
        "BatchFacts HyperPodFacts PcsFacts PcsSettings batch_facts hyperpod_facts pcs_facts "
        "pcs_settings"
    ),
    "service_prices": (
        "FreeItem ServiceItem ServicePrice UnknownServiceItemError "
        "find_service_price free_items service_item service_items"
    ),
    "service_roles": "ServiceLinkedRole service_linked_role service_linked_roles",
}
_HOMES = {name: home for home, names in _NAMES_BY_HOME.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load the module that a name lives in."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOMES)
