"""Every number of the instance type table against EC2's answers; each difference has a name."""

import pytest

from trnkit import catalog
from trnkit.catalog import UnknownInstanceTypeError

NAMES = catalog.instance_type_names()

# What the catalogue says otherwise than DescribeInstanceTypes, on purpose: (here, there).
KNOWN_DIFFERENCES = {
    ("trn2.3xlarge", "device_memory_gib_per_chip"): (96, 512),
    ("trn2.48xlarge", "device_memory_gib_per_chip"): (96, 512),
    ("trn2u.48xlarge", "device_memory_gib_per_chip"): (96, None),
    ("trn2u.48xlarge", "chip_name"): ("Trainium2", None),
    ("trn2u.48xlarge", "chips"): (16, None),
    ("trn2u.48xlarge", "neuron_cores_per_chip"): (8, None),
    ("trn2u.48xlarge", "neuron_core_version"): (3, None),
}


def observed(entry):
    """The same facts, read from a DescribeInstanceTypes entry by other code than the toolkit's."""
    network = entry["NetworkInfo"]
    ebs = entry["EbsInfo"]
    optimized = ebs["EbsOptimizedInfo"]
    devices = entry.get("NeuronInfo", {}).get("NeuronDevices", [{}])[0]
    disks = entry.get("InstanceStorageInfo", {}).get("Disks", [])
    memory = devices.get("MemoryInfo", {}).get("SizeInMiB")
    return {
        "vcpus": entry["VCpuInfo"]["DefaultVCpus"],
        "default_cores": entry["VCpuInfo"]["DefaultCores"],
        "threads_per_core": entry["VCpuInfo"]["DefaultThreadsPerCore"],
        "memory_mib": entry["MemoryInfo"]["SizeInMiB"],
        "chip_name": devices.get("Name"),
        "chips": devices.get("Count"),
        "neuron_cores_per_chip": devices.get("CoreInfo", {}).get("Count"),
        "neuron_core_version": devices.get("CoreInfo", {}).get("Version"),
        "device_memory_gib_per_chip": memory and memory / 1024,
        "network_cards": tuple(
            catalog.NetworkCard(
                card["NetworkCardIndex"],
                card["MaximumNetworkInterfaces"],
                "efa" in card["InterfaceTypes"],
                card["BaselineBandwidthInGbps"],
                card["PeakBandwidthInGbps"],
            )
            for card in network["NetworkCards"]
        ),
        "maximum_network_interfaces": network["MaximumNetworkInterfaces"],
        "ipv4_per_interface": network["Ipv4AddressesPerInterface"],
        "maximum_efa_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "network_performance": network["NetworkPerformance"],
        "nvme_disks": sum(disk["Count"] for disk in disks),
        "nvme_disk_gb": max((disk["SizeInGB"] for disk in disks), default=0),
        "ebs": catalog.EbsLimits(
            optimized["BaselineBandwidthInMbps"],
            optimized["MaximumBandwidthInMbps"],
            optimized["BaselineIops"],
            optimized["MaximumIops"],
            ebs["MaximumEbsAttachments"],
        ),
        "usage_classes": tuple(entry["SupportedUsageClasses"]),
        "placement_strategies": tuple(entry["PlacementGroupInfo"]["SupportedStrategies"]),
        "boot_modes": tuple(entry["SupportedBootModes"]),
        "architecture": entry["ProcessorInfo"]["SupportedArchitectures"][0],
        "dedicated_hosts": entry["DedicatedHostsSupported"],
    }


def test_only_the_known_differences_from_ec2_exist(descriptions):
    differences = {}
    for name in NAMES:
        here = catalog.instance_type(name)
        for field, there in observed(descriptions[name]).items():
            if getattr(here, field) != there:
                differences[name, field] = (getattr(here, field), there)
    assert differences == KNOWN_DIFFERENCES


def test_the_catalogue_declares_every_known_difference_and_no_other():
    declared = {
        (name, entry.field): (entry.value_here, entry.other_value)
        for name in NAMES
        for entry in catalog.instance_type(name).disagreements
        if entry.other_source == "ec2-api" and entry.field != "network_performance"
    }
    assert declared == KNOWN_DIFFERENCES


def test_disagreements_quote_the_value_of_their_own_entry():
    for name in NAMES:
        kind = catalog.instance_type(name)
        for entry in kind.disagreements:
            assert getattr(kind, entry.field) == entry.value_here, (name, entry.field)


def test_disagreements_that_no_emulator_knows_are_kept():
    fields = {
        (name, entry.field, entry.other_source)
        for name in NAMES
        for entry in catalog.instance_type(name).disagreements
        if entry.other_source != "ec2-api"
    }
    assert fields == {
        ("trn2.3xlarge", "maximum_efa_interfaces", "neuron-arch-newer"),
        ("trn2u.48xlarge", "usage_classes", "live-probe"),
    }


def test_the_headline_of_trn2_3xlarge_contradicts_its_only_card(descriptions):
    network = descriptions["trn2.3xlarge"]["NetworkInfo"]
    (entry,) = (
        entry
        for entry in catalog.instance_type("trn2.3xlarge").disagreements
        if entry.field == "network_performance"
    )
    assert entry.value_here == network["NetworkPerformance"]
    assert entry.other_value == network["NetworkCards"][0]["NetworkPerformance"]


def test_every_trn_and_inf2_type_of_ec2_is_in_the_catalogue(descriptions):
    assert {name for name in descriptions if name.startswith(("trn", "inf2."))} == set(NAMES)


@pytest.mark.parametrize(
    ("name", "chips", "cores", "memory_gib", "sizes", "default"),
    [
        ("trn1.2xlarge", 1, 2, 32, (1,), 1),
        ("trn1.32xlarge", 16, 32, 512, (1,), 1),
        ("trn1n.32xlarge", 16, 32, 512, (1,), 1),
        ("trn2.3xlarge", 1, 8, 96, (1, 2), 2),
        ("trn2.48xlarge", 16, 128, 1536, (1, 2), 2),
        ("trn2u.48xlarge", 16, 128, 1536, (1, 2), 2),
        ("inf2.xlarge", 1, 2, 32, (1,), 1),
        ("inf2.8xlarge", 1, 2, 32, (1,), 1),
        ("inf2.24xlarge", 6, 12, 192, (1,), 1),
        ("inf2.48xlarge", 12, 24, 384, (1,), 1),
    ],
)
def test_neuron_facts(name, chips, cores, memory_gib, sizes, default):
    kind = catalog.instance_type(name)
    assert (kind.chips, kind.neuron_cores, kind.device_memory_gib) == (chips, cores, memory_gib)
    assert kind.logical_neuroncore_sizes == sizes
    assert kind.default_logical_neuroncore_size == default


@pytest.mark.parametrize("name", NAMES)
def test_facts_no_api_tells(name):
    kind = catalog.instance_type(name)
    has_efa = kind.maximum_efa_interfaces > 0
    assert (kind.rdma_read, kind.rdma_write) == (has_efa, has_efa)
    assert kind.nitro_version == (5 if kind.family in {"trn2", "trn2u"} else 4)
    unlisted = {"trn2.3xlarge": False}
    topology = unlisted.get(name, None if kind.family == "inf2" else True)
    assert kind.instance_topology is topology


def test_only_trn2u_is_part_of_an_ultraserver():
    members = {name: catalog.instance_type(name).ultraserver for name in NAMES}
    assert members.pop("trn2u.48xlarge") == catalog.UltraServerMembership("u-trn2x64", 4)
    assert set(members.values()) == {None}


def test_an_entry_agrees_with_its_chip():
    for name in NAMES:
        kind = catalog.instance_type(name)
        chip = catalog.chip(kind.chip_name)
        assert (
            kind.neuron_cores_per_chip,
            kind.neuron_core_version,
            kind.logical_neuroncore_sizes,
            kind.default_logical_neuroncore_size,
            kind.device_memory_gib_per_chip,
        ) == (
            chip.neuron_cores,
            chip.neuron_core_version,
            chip.logical_neuroncore_sizes,
            chip.default_logical_neuroncore_size,
            chip.device_memory_gib,
        )


def test_a_chip_that_is_not_sold_yet_has_gaps_not_zeros():
    chip = catalog.chip("Trainium3")
    assert (chip.device_memory_gib, chip.neuron_cores) == (144, None)
    assert catalog.chip("Trainium9") is None


def test_an_unknown_type_is_none_or_an_error_that_names_the_nearest():
    assert catalog.find_instance_type("trn3.48xlarge") is None
    with pytest.raises(UnknownInstanceTypeError) as caught:
        catalog.instance_type("trn2.48xlarg")
    assert caught.value.name == "trn2.48xlarg"
    assert caught.value.nearest[0] == "trn2.48xlarge"
    assert len(caught.value.nearest) <= 3
    assert "trn2.48xlarge" in str(caught.value)
    assert "inf2.xlarge" not in str(caught.value)


def test_a_sagemaker_name_is_unknown_with_the_ec2_name_nearest():
    with pytest.raises(LookupError) as caught:
        catalog.instance_type("ml.trn1.32xlarge")
    assert caught.value.nearest[0] == "trn1.32xlarge"


def test_nothing_near_a_name_gives_no_suggestion():
    with pytest.raises(UnknownInstanceTypeError) as caught:
        catalog.instance_type("")
    assert caught.value.nearest == ()
