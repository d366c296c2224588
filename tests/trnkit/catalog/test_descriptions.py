"""DescribeInstanceTypes answers become instance types, whatever the type is."""

import pytest

from trnkit import catalog
from trnkit.catalog import instance_type_from_description


def without_provenance(kind):
    fields = set(kind.__dataclass_fields__) - {"source", "date"}
    return {field: getattr(kind, field) for field in fields}


def seventeen_cards(**network):
    """A type of 17 cards and 16 EFA interfaces whose card 0 takes no EFA."""
    cards = [
        {
            "NetworkCardIndex": index,
            "MaximumNetworkInterfaces": 4,
            "InterfaceTypes": ["interface"] if index == 0 else ["interface", "efa", "efa-only"],
        }
        for index in range(17)
    ]
    return {
        "InstanceType": "trn9.96xlarge",
        "VCpuInfo": {"DefaultVCpus": 384, "DefaultCores": 192, "DefaultThreadsPerCore": 2},
        "NetworkInfo": {
            "EfaSupported": True,
            "EfaInfo": {"MaximumEfaInterfaces": 16},
            "NetworkCards": cards,
            **network,
        },
    }


@pytest.mark.parametrize("name", catalog.instance_type_names())
def test_a_known_type_comes_back_as_the_catalogue_has_it(descriptions, name):
    kind = instance_type_from_description(descriptions[name], date="2026-11-30")
    assert without_provenance(kind) == without_provenance(catalog.instance_type(name))
    assert kind.source[0] == "ec2-api"
    assert kind.date == "2026-11-30"


def test_memory_is_never_taken_from_neuron_info(descriptions):
    kind = instance_type_from_description(descriptions["trn2.48xlarge"])
    assert (kind.device_memory_gib_per_chip, kind.device_memory_gib) == (96, 1536)
    assert kind.date is None


def test_missing_neuron_info_of_trn2u_does_not_crash(descriptions):
    assert "NeuronInfo" not in descriptions["trn2u.48xlarge"]
    for variant in ({}, {"NeuronInfo": None}, {"NeuronInfo": {}}):
        kind = instance_type_from_description({**descriptions["trn2u.48xlarge"], **variant})
        assert (kind.chips, kind.neuron_cores, kind.device_memory_gib) == (16, 128, 1536)


def test_what_the_answer_states_wins_over_the_catalogue(descriptions):
    entry = descriptions["trn2u.48xlarge"] | {"SupportedUsageClasses": ["on-demand", "spot"]}
    assert instance_type_from_description(entry).usage_classes == ("on-demand", "spot")


def test_every_type_of_ec2_can_be_read(descriptions):
    for name, entry in descriptions.items():
        kind = instance_type_from_description(entry)
        assert kind.vcpus == entry["VCpuInfo"]["DefaultVCpus"], name
        assert kind.maximum_network_interfaces == entry["NetworkInfo"]["MaximumNetworkInterfaces"]


def test_efa_count_is_not_the_card_count():
    kind = instance_type_from_description(seventeen_cards())
    assert (len(kind.network_cards), kind.maximum_efa_interfaces) == (17, 16)
    assert [card.efa_supported for card in kind.network_cards] == [False] + [True] * 16


def test_a_real_type_whose_card_0_takes_no_efa(descriptions):
    kind = instance_type_from_description(descriptions["p6-b300.48xlarge"])
    assert (len(kind.network_cards), kind.maximum_efa_interfaces) == (17, 16)
    assert kind.network_cards[0].efa_supported is False
    assert all(card.efa_supported for card in kind.network_cards[1:])


def test_which_cards_take_efa_is_unknown_when_nothing_tells():
    cards = [{"NetworkCardIndex": i, "MaximumNetworkInterfaces": 4} for i in (1, 0, 2)]
    fewer = instance_type_from_description(
        seventeen_cards(NetworkCards=cards, EfaInfo={"MaximumEfaInterfaces": 2})
    )
    assert [card.index for card in fewer.network_cards] == [0, 1, 2]
    assert {card.efa_supported for card in fewer.network_cards} == {None}
    equal = instance_type_from_description(
        seventeen_cards(NetworkCards=cards, EfaInfo={"MaximumEfaInterfaces": 3})
    )
    assert {card.efa_supported for card in equal.network_cards} == {True}
    none = instance_type_from_description(seventeen_cards(NetworkCards=cards, EfaSupported=False))
    assert none.maximum_efa_interfaces == 0
    assert {card.efa_supported for card in none.network_cards} == {False}


def test_an_unknown_type_keeps_unknown_as_none():
    kind = instance_type_from_description({"InstanceType": "trn9.96xlarge"})
    facts = without_provenance(kind)
    assert facts.pop("name") == "trn9.96xlarge"
    assert facts.pop("ebs") == catalog.EbsLimits(None, None, None, None, None)
    assert set(facts.values()) == {None, ()}
    assert (kind.neuron_cores, kind.device_memory_gib) == (None, None)
    assert kind.maximum_network_interfaces is None


def test_a_new_type_with_a_known_chip_gets_the_real_memory():
    device = {
        "Name": "Trainium2",
        "Count": 4,
        "CoreInfo": {"Count": 8, "Version": 3},
        "MemoryInfo": {"SizeInMiB": 524288},
    }
    entry = seventeen_cards() | {"NeuronInfo": {"NeuronDevices": [device]}}
    kind = instance_type_from_description(entry)
    assert (kind.chips, kind.neuron_cores, kind.device_memory_gib) == (4, 32, 384)
    assert kind.logical_neuroncore_sizes == (1, 2)
    assert kind.disagreements == ()


def test_the_memory_of_an_unknown_chip_is_shown_and_not_believed():
    device = {"Name": "Trainium9", "Count": 4, "MemoryInfo": {"SizeInMiB": 262144}}
    entry = seventeen_cards() | {"NeuronInfo": {"NeuronDevices": [device]}}
    kind = instance_type_from_description(entry)
    assert (kind.chip_name, kind.chips, kind.device_memory_gib) == ("Trainium9", 4, None)
    (disagreement,) = kind.disagreements
    assert (disagreement.value_here, disagreement.other_value) == (None, 256)


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ({"InstanceStorageSupported": False}, (0, 0)),
        ({}, (None, None)),
        (
            {"InstanceStorageInfo": {"Disks": [{"Count": 4, "SizeInGB": 1900}]}},
            (4, 1900),
        ),
        (
            {
                "InstanceStorageInfo": {
                    "Disks": [{"Count": 1, "SizeInGB": 10}, {"Count": 2, "SizeInGB": 20}]
                }
            },
            (3, None),
        ),
        (
            {
                "InstanceStorageInfo": {
                    "NvmeSupport": "unsupported",
                    "Disks": [{"Count": 4, "SizeInGB": 1900}],
                }
            },
            (None, None),
        ),
    ],
)
def test_instance_store(storage, expected):
    kind = instance_type_from_description({"InstanceType": "trn9.96xlarge", **storage})
    assert (kind.nvme_disks, kind.nvme_disk_gb) == expected
