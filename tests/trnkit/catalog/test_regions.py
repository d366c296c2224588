"""Regions against EC2's offerings and the CloudFormation registry."""

import pytest

from trnkit import catalog
from trnkit.catalog import UnknownRegionError

TYPES = catalog.instance_type_names()
REGIONS = catalog.region_names()


def test_the_regions_are_those_that_offer_a_neuron_type(offerings):
    offering = {region for region, types in offerings.items() if set(types) & set(TYPES)}
    assert set(REGIONS) == offering
    assert {"us-east-1", "eu-north-1"} <= set(REGIONS)


def test_every_zone_list_is_the_api_s(offerings):
    for region in REGIONS:
        for name in TYPES:
            expected = tuple(sorted(offerings[region].get(name, ())))
            assert catalog.zone_ids_offering(name, region) == expected, (region, name)


def test_all_zones_of_a_region(offerings):
    for region in REGIONS:
        zones = set().union(*offerings[region].values())
        assert catalog.region(region).zone_ids == tuple(sorted(zones))


def test_every_zone_id_of_aws_finds_its_region(offerings):
    for region, types in offerings.items():
        for zone_id in set().union(*types.values()):
            assert catalog.region_of_zone_id(zone_id) == region


@pytest.mark.parametrize(
    ("zone_id", "region"),
    [
        ("use2-az3", "us-east-2"),
        ("usw2-lax1-az1", "us-west-2"),
        ("us-east-2c", None),
        ("use9-az1", None),
        ("use2-az", None),
        ("use2-azx", None),
        ("use2", None),
        ("", None),
    ],
)
def test_region_of_zone_id(zone_id, region):
    assert catalog.region_of_zone_id(zone_id) == region


@pytest.mark.parametrize(
    ("name", "region", "zones"),
    [
        ("trn1.32xlarge", "us-west-2", ("usw2-az1", "usw2-az4")),
        ("trn1n.32xlarge", "us-west-2", ("usw2-az4",)),
        ("trn1.32xlarge", "us-east-2", ("use2-az3",)),
        ("trn2.48xlarge", "us-east-2", ("use2-az1", "use2-az2", "use2-az3")),
        ("trn2.48xlarge", "us-east-1", ()),
        ("trn2.3xlarge", "us-west-2", ()),
        ("trn2.3xlarge", "ap-southeast-4", ("apse4-az3",)),
        ("trn9.48xlarge", "us-east-2", None),
        ("trn2.48xlarge", "us-west-1", None),
    ],
)
def test_zone_ids_offering_tells_unknown_from_none(name, region, zones):
    assert catalog.zone_ids_offering(name, region) == zones


def test_regions_offering():
    assert catalog.regions_offering("trn2u.48xlarge") == ("ap-south-2",)
    assert catalog.regions_offering("trn2.48xlarge") == ("ap-south-2", "us-east-2")
    assert catalog.regions_offering("trn9.48xlarge") == ()


def test_capacity_blocks_are_sold_where_the_offerings_are_silent():
    assert "eu-north-1" in catalog.capacity_block_regions("trn1.32xlarge")
    assert catalog.zone_ids_offering("trn1.32xlarge", "eu-north-1") == ()
    assert catalog.capacity_block_regions("trn1n.32xlarge") == ()
    assert catalog.capacity_block_regions("trn2.48xlarge") == ("ap-south-2", "us-east-2")
    assert catalog.region("us-east-2").capacity_block_ultraserver_types == ("u-trn2x64",)


def test_capacity_block_types_have_the_usage_class():
    for region in REGIONS:
        for name in catalog.region(region).capacity_block_types:
            assert "capacity-block" in catalog.instance_type(name).usage_classes


def test_resource_types_are_those_of_the_cloudformation_registry():
    from cfnlint.schema import ResourceNotFoundError
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    from trnkit.catalog.tables import table

    def registered(resource_type, region):
        try:
            PROVIDER_SCHEMA_MANAGER.get_resource_schema(region, resource_type)
        except ResourceNotFoundError:
            return False
        return True

    for region in REGIONS:
        budgets = registered("AWS::Budgets::Budget", region)
        assert catalog.budgets_resource_type_available(region) is budgets, region
        for resource_type in ("AWS::Budgets::Budget", *table("regions")["resource_types"]):
            available = catalog.resource_type_available(resource_type, region)
            assert available is registered(resource_type, region), (resource_type, region)


def test_what_is_missing_where():
    lacking = {r for r in REGIONS if catalog.budgets_resource_type_available(r) is False}
    assert lacking == {"ap-south-2", "ap-southeast-4", "eu-north-1"}
    without_p2 = {r for r in REGIONS if catalog.persistent_2_available(r) is False}
    assert without_p2 == {"ap-south-2", "ap-southeast-4", "sa-east-1", "eu-west-3"}
    without_images = {r for r in REGIONS if catalog.neuron_image_parameters_available(r) is False}
    assert without_images == {"ap-south-2"}


def test_an_unknown_region_is_unknown_not_lacking():
    assert catalog.find_region("us-west-1") is None
    assert catalog.budgets_resource_type_available("us-west-1") is None
    assert catalog.persistent_2_available("us-west-1") is None
    assert catalog.neuron_image_parameters_available("us-west-1") is None
    assert catalog.resource_type_available("AWS::PCS::Cluster", "us-west-1") is None
    assert catalog.resource_type_available("AWS::S3::Bucket", "us-east-1") is None
    with pytest.raises(UnknownRegionError) as caught:
        catalog.region("us-east-22")
    assert caught.value.nearest[0] == "us-east-2"
    assert len(caught.value.nearest) <= 3


def test_disagreements_between_documentation_and_api_are_named():
    named = {
        (region, entry.field, entry.other_source)
        for region in REGIONS
        for entry in catalog.region(region).disagreements
    }
    assert named == {
        ("ap-south-2", "offerings", "ec2-types-by-region"),
        ("ap-south-2", "neuron_image_parameters", "neuron-dlami"),
        ("ap-south-2", "capacity_block_types", "block-prices"),
        ("us-east-2", "offerings", "ec2-capacity-blocks"),
        ("eu-north-1", "offerings", "ec2-capacity-blocks"),
    }
