"""Types beyond the catalogue: found like its own, never instead of its own."""

from dataclasses import replace

import pytest

from trnkit import catalog
from trnkit.catalog import (
    InstanceTypeConflictError,
    add_described_types,
    add_instance_types,
    added_types,
    conflict_of,
    find_instance_type,
    instance_type,
    instance_type_from_description,
    instance_type_names,
    only_described_types,
)

pytestmark = pytest.mark.usefixtures("no_added_types")


def new(name="trn9.96xlarge", **facts):
    return replace(instance_type("trn2.48xlarge"), name=name, date=None, **facts)


def test_an_added_type_is_found_and_not_listed():
    names = instance_type_names()
    assert find_instance_type("trn9.96xlarge") is None
    add_instance_types([new()])
    assert instance_type("trn9.96xlarge") == new()
    assert instance_type_names() == names
    assert catalog.zone_ids_offering("trn9.96xlarge", "us-east-2") is None


def test_adding_the_same_again_does_nothing():
    add_instance_types([new(), new()])
    add_instance_types(iter([new()]))
    add_described_types([new()])
    assert list(added_types.further_types) == ["trn9.96xlarge"]


@pytest.mark.parametrize("add", [add_instance_types, add_described_types])
def test_another_content_under_the_same_name_is_an_error_and_nothing_is_added(add):
    add([new()])
    with pytest.raises(InstanceTypeConflictError, match=r"before: vcpus 200, not 192") as caught:
        add([new("trn8.96xlarge"), new(vcpus=200)])
    assert caught.value.name == "trn9.96xlarge"
    assert find_instance_type("trn8.96xlarge") is None
    assert instance_type("trn9.96xlarge").vcpus == 192


def test_leaving_out_a_fact_that_was_there_before_differs_too():
    add_instance_types([new()])
    with pytest.raises(InstanceTypeConflictError, match="what it leaves open"):
        add_instance_types([new(vcpus=None)])


def test_two_contents_in_one_call_are_an_error():
    with pytest.raises(InstanceTypeConflictError, match="not in the same way"):
        add_instance_types([new(), new(vcpus=200)])
    assert find_instance_type("trn9.96xlarge") is None


@pytest.mark.parametrize("name", instance_type_names())
def test_ec2_s_own_answer_about_a_known_type_conflicts_with_nothing(descriptions, name):
    entry = instance_type_from_description(descriptions[name])
    assert conflict_of(entry) is None
    add_instance_types([entry])
    assert instance_type(name).date is not None, "the catalogue's own entry stays"


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"vcpus": 200}, "vcpus 200, not 192"),
        ({"network_cards": ()}, None),
        ({"chips": None, "logical_neuroncore_sizes": ()}, None),
        ({"logical_neuroncore_sizes": (1,)}, "logical_neuroncore_sizes"),
        ({"maximum_efa_interfaces": 0}, "maximum_efa_interfaces 0, not 16"),
        ({"source": ("mine",), "date": None, "disagreements": ()}, None),
    ],
)
def test_what_contradicts_the_catalogue(facts, words):
    conflict = conflict_of(replace(instance_type("trn2.48xlarge"), **facts))
    assert conflict == (f"otherwise than the catalogue: {words}" if words else None)


def test_cards_are_compared_one_by_one_by_what_is_stated():
    known = instance_type("trn2.48xlarge")
    silent = tuple(replace(c, baseline_gbps=None, efa_supported=None) for c in known.network_cards)
    assert conflict_of(replace(known, network_cards=silent)) is None
    wrong = (*known.network_cards[:-1], replace(known.network_cards[-1], baseline_gbps=1.0))
    assert conflict_of(replace(known, network_cards=wrong)) is not None
    assert conflict_of(replace(known, network_cards=wrong[:3])) is not None


def test_a_cluster_sees_its_own_file_and_what_programs_added():
    add_instance_types([new("trn7.96xlarge")])
    add_described_types([new("trn8.96xlarge"), new("trn9.96xlarge")])
    with only_described_types([new("trn9.96xlarge")]):
        assert find_instance_type("trn7.96xlarge")
        assert find_instance_type("trn8.96xlarge") is None
        assert find_instance_type("trn9.96xlarge")
    assert find_instance_type("trn8.96xlarge")


def test_what_a_program_adds_as_well_is_everybody_s():
    add_described_types([new()])
    add_instance_types([new()])
    with only_described_types([]):
        assert find_instance_type("trn9.96xlarge")


def test_what_was_hidden_comes_back_after_an_error():
    add_described_types([new()])
    with pytest.raises(ZeroDivisionError), only_described_types([]):
        _ = 1 / 0
    assert find_instance_type("trn9.96xlarge")


def refreshed(name="trn2.48xlarge", date="2030-01-01", zones=(), **facts):
    described = replace(
        instance_type(name), date=date, described_offerings=(("us-east-2", zones),), **facts
    )
    return catalog.refreshed_instance_type(described)


def test_what_was_refreshed_counts_instead_of_the_catalogue():
    add_instance_types([refreshed(vcpus=200, zones=("use2-az1",))])
    kind = instance_type("trn2.48xlarge")
    assert (kind.vcpus, kind.date, kind.source[0]) == (200, "2030-01-01", "catalog-refresh")
    assert catalog.zone_ids_offering("trn2.48xlarge", "us-east-2") == ("use2-az1",)
    assert catalog.offerings_described_on("trn2.48xlarge", "us-east-2") == "2030-01-01"
    assert catalog.offerings_described_on("trn2.48xlarge", "ap-south-2") is None
    assert catalog.offerings_described_on("trn1.32xlarge", "us-east-2") is None
    assert "us-east-2" in catalog.regions_offering("trn2.48xlarge")


def test_a_region_without_zones_offers_a_refreshed_type_no_more():
    add_instance_types([refreshed()])
    assert catalog.zone_ids_offering("trn2.48xlarge", "us-east-2") == ()
    assert catalog.regions_offering("trn2.48xlarge") == ("ap-south-2",)


def test_what_a_refresh_leaves_open_or_sources_dispute_stays():
    kind = refreshed(device_memory_gib_per_chip=512, rdma_read=None, usage_classes=("rental",))
    assert (kind.device_memory_gib_per_chip, kind.rdma_read) == (96, True)
    assert kind.usage_classes == ("capacity-block", "on-demand", "rental", "spot")


def test_two_refreshed_contents_in_one_process_are_an_error():
    add_described_types([refreshed(vcpus=200)])
    with pytest.raises(InstanceTypeConflictError, match=r"before: vcpus 201, not 200"):
        add_described_types([refreshed(vcpus=201)])


def test_what_another_file_refreshed_is_hidden_even_from_one_that_describes_the_type():
    add_described_types([refreshed(vcpus=200)])
    plain = instance_type_from_description({"InstanceType": "trn2.48xlarge"})
    with only_described_types([plain]):
        assert instance_type("trn2.48xlarge").vcpus == 192
    with only_described_types([refreshed(vcpus=200)]):
        assert instance_type("trn2.48xlarge").vcpus == 200


def test_only_inf1_is_left_out_on_purpose(descriptions):
    from trnkit.catalog.instance_types import left_out_on_purpose

    missing = {n for n, e in descriptions.items() if "NeuronInfo" in e} - set(instance_type_names())
    assert missing == {n for n in descriptions if n.startswith("inf1.")}
    assert all(map(left_out_on_purpose, missing))
    assert not any(map(left_out_on_purpose, [*instance_type_names(), "trn9.96xlarge"]))
