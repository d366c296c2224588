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
