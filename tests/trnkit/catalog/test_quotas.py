"""Which quota counts which type."""

import pytest

from trnkit import catalog


@pytest.mark.parametrize(
    ("name", "purchase", "code"),
    [
        ("trn2.48xlarge", "on-demand", "L-2C3B7624"),
        ("trn2u.48xlarge", "on-demand", "L-2C3B7624"),
        ("trn1n.32xlarge", "spot", "L-6B0D517C"),
        ("trn9.48xlarge", "on-demand", "L-2C3B7624"),
        ("inf2.xlarge", "on-demand", "L-1945791B"),
        ("inf2.xlarge", "spot", "L-B5D1601B"),
        ("t3.micro", "on-demand", "L-1216C47A"),
        ("m7i.large", "on-demand", "L-1216C47A"),
        ("p5.48xlarge", "on-demand", "L-417A185B"),
    ],
)
def test_quota_for(name, purchase, code):
    quota = catalog.quota_for(name, purchase)
    assert (quota.quota_code, quota.service_code, quota.unit) == (code, "ec2", "vCPU")
    assert quota.purchase == purchase
    assert catalog.find_quota(code) is quota


@pytest.mark.parametrize(
    ("name", "purchase"),
    [
        ("p5.48xlarge", "spot"),
        ("hpc7a.96xlarge", "on-demand"),
        ("ml.trn1.2xlarge", "on-demand"),
        ("", "spot"),
    ],
)
def test_an_unknown_quota_is_none(name, purchase):
    assert catalog.quota_for(name, purchase) is None


def test_on_demand_is_the_default_purchase():
    assert catalog.quota_for("trn1.2xlarge") is catalog.quota_for("trn1.2xlarge", "on-demand")


def test_every_type_of_the_catalogue_has_both_quotas():
    for name in catalog.instance_type_names():
        assert catalog.quota_for(name, "on-demand")
        assert catalog.quota_for(name, "spot")


def test_only_trn_quotas_have_a_documented_default():
    defaults = {quota.id: quota.documented_default for quota in catalog.service_quotas()}
    assert (defaults.pop("trn-on-demand"), defaults.pop("trn-spot")) == (0, 0)
    assert set(defaults.values()) == {None}


def test_network_interfaces():
    quota = catalog.network_interface_quota()
    assert (quota.quota_code, quota.service_code) == ("L-DF5E4CA3", "vpc")


def test_wrong_codes_are_known_as_wrong():
    codes = {quota.quota_code for quota in catalog.service_quotas()}
    assert len(codes) == len(catalog.service_quotas())
    assert catalog.wrong_quota_codes() == ("L-5480EFD2", "L-2C49D5F8")
    assert not codes & set(catalog.wrong_quota_codes())
    assert catalog.find_quota("L-5480EFD2") is None
