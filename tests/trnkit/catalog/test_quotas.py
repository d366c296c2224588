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


@pytest.mark.parametrize(
    ("quota_id", "service", "code", "unit", "default"),
    [
        ("vpcs", "vpc", "L-F678F1CE", "VPC", 5),
        ("elastic-ips", "ec2", "L-0263D0A3", "Elastic IP address", 5),
        ("nat-gateways", "vpc", "L-FE5A380F", "NAT gateway", 5),
        ("network-interfaces", "vpc", "L-DF5E4CA3", "network interface", 5000),
        ("security-groups", "vpc", "L-E79EC296", "security group", 2500),
        ("gateway-endpoints", "vpc", "L-1B52E74A", "gateway endpoint", 20),
        ("interface-endpoints", "vpc", "L-29B6F2EB", "interface endpoint", 50),
        ("lustre-persistent-1-file-systems", "fsx", "L-9AFA1F09", "file system", 100),
        ("lustre-persistent-2-file-systems", "fsx", "L-FD6F2F22", "file system", 100),
        ("lustre-scratch-file-systems", "fsx", "L-C48231E5", "file system", 100),
        ("lustre-persistent-1-storage", "fsx", "L-C8640C82", "GiB", 100_800),
        ("lustre-persistent-2-storage", "fsx", "L-8F1B9C74", "GiB", 100_800),
        ("lustre-scratch-storage", "fsx", "L-AD2FC696", "GiB", 100_800),
        ("lustre-hdd-storage", "fsx", "L-736F3D6F", "GiB", 102_000),
        ("lustre-intelligent-tiering-throughput", "fsx", "L-0CD18A5D", "MBps", 100_000),
        ("lustre-intelligent-tiering-read-cache", "fsx", "L-B7391FCE", "GiB", 100_800),
        ("efs-file-systems", "elasticfilesystem", "L-848C634D", "file system", 1000),
        ("auto-scaling-groups", "autoscaling", "L-CDE20ADC", "Auto Scaling group", 500),
        ("gp3-storage", "ebs", "L-7A658B76", "TiB", 50),
    ],
)
def test_quotas_of_other_things(quota_id, service, code, unit, default):
    quota = catalog.resource_quota(quota_id)
    assert (quota.service_code, quota.quota_code, quota.unit) == (service, code, unit)
    assert quota.documented_default == default


def test_no_quota_is_listed_twice():
    ids = [quota.id for quota in catalog.resource_quotas()]
    codes = [q.quota_code for q in (*catalog.resource_quotas(), *catalog.service_quotas())]
    assert len(ids) == len(set(ids)) == 19
    assert len(codes) == len(set(codes))
    with pytest.raises(KeyError):
        catalog.resource_quota("no-such-quota")


def test_wrong_codes_are_known_as_wrong():
    codes = {quota.quota_code for quota in catalog.service_quotas()}
    assert len(codes) == len(catalog.service_quotas())
    assert catalog.wrong_quota_codes() == ("L-5480EFD2", "L-2C49D5F8")
    assert not codes & set(catalog.wrong_quota_codes())
    assert catalog.find_quota("L-5480EFD2") is None
