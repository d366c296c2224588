"""Lustre tiers against the FSx API's model, its documentation, and sizes people got wrong."""

import re
from importlib.metadata import version

import pytest

from trnkit import catalog

SSD_TIERS = [("SCRATCH_2", "SSD"), ("PERSISTENT_1", "SSD"), ("PERSISTENT_2", "SSD")]


@pytest.fixture(scope="module")
def fsx():
    import botocore.session

    return botocore.session.get_session().get_service_model("fsx")


# The emulated AWS asks for botocore 1.43, whose texts are older than its successors'.
_SPEAKS_OF_INTELLIGENT_TIERING = tuple(map(int, version("botocore").split(".")[:2])) >= (1, 44)


def text(fsx, shape, member):
    """The documentation of one member of the API, without markup."""
    documentation = fsx.shape_for(shape).members[member].documentation
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", documentation))
    return re.sub(r" ([,.:)])", r"\1", words)


def tier(deployment_type, storage_type="SSD"):
    found = catalog.lustre_tier(deployment_type, storage_type)
    assert found is not None
    return found


def test_every_deployment_and_storage_type_of_the_api_has_a_tier(fsx):
    tiers = catalog.lustre_tiers()
    assert {t.deployment_type for t in tiers} == set(fsx.shape_for("LustreDeploymentType").enum)
    assert {t.storage_type for t in tiers} == set(fsx.shape_for("StorageType").enum)


def test_pairs_that_do_not_exist():
    assert catalog.lustre_tier("SCRATCH_2", "HDD") is None
    assert catalog.lustre_tier("PERSISTENT_1", "INTELLIGENT_TIERING") is None
    assert catalog.lustre_tier("PERSISTENT_3") is None


def test_throughputs_are_the_api_s(fsx):
    documented = text(fsx, "CreateFileSystemLustreConfiguration", "PerUnitStorageThroughput")
    for deployment, storage in [
        ("PERSISTENT_1", "SSD"),
        ("PERSISTENT_1", "HDD"),
        ("PERSISTENT_2", "SSD"),
    ]:
        values = re.search(rf"For {deployment} {storage} storage: ([\d, ]+) MB", documented)[1]
        expected = tuple(int(value) for value in values.split(","))
        assert tier(deployment, storage).allowed_throughputs == expected
    limits = fsx.shape_for("PerUnitStorageThroughput").metadata
    every = [x for t in catalog.lustre_tiers() for x in t.allowed_throughputs or ()]
    assert (min(every), max(every)) == (limits["min"], limits["max"])


@pytest.mark.parametrize(
    ("deployment", "storage"),
    [("SCRATCH_1", "SSD"), ("SCRATCH_2", "SSD"), ("PERSISTENT_2", "INTELLIGENT_TIERING")],
)
def test_throughput_must_be_absent(deployment, storage):
    assert tier(deployment, storage).allowed_throughputs is None


def test_capacity_rules_are_the_api_s(fsx):
    documented = text(fsx, "CreateFileSystemRequest", "StorageCapacity")
    ssd = "valid values are 1200 GiB, 2400 GiB, and increments of"
    assert f"SSD storage type, the {ssd} 2400 GiB" in documented
    assert f"For SCRATCH_1 deployment type, {ssd} 3600 GiB" in documented
    assert "increments of 6000 GiB for 12 MB/s/TiB" in documented
    assert "increments of 1800 GiB for 40 MB/s/TiB" in documented


@pytest.mark.parametrize(("deployment", "storage"), SSD_TIERS)
@pytest.mark.parametrize(
    ("gib", "valid"),
    [
        (1200, True),
        (2400, True),
        (3600, False),
        (4800, True),
        (7200, True),
        (96000, True),
        (1000, False),
        (3599, False),
        (0, False),
        (-2400, False),
    ],
)
def test_ssd_capacities(deployment, storage, gib, valid):
    assert tier(deployment, storage).capacity_is_valid(gib) is valid


@pytest.mark.parametrize(
    ("gib", "valid"), [(1200, True), (2400, True), (3600, True), (4800, False), (7200, True)]
)
def test_scratch_1_grows_in_other_steps(gib, valid):
    assert tier("SCRATCH_1").capacity_is_valid(gib) is valid


@pytest.mark.parametrize(
    ("gib", "throughput", "valid"),
    [
        (6000, 12, True),
        (1800, 12, False),
        (1800, 40, True),
        (6000, 40, False),
        (18000, 40, True),
        (6000, None, True),
        (1800, None, True),
        (1200, None, False),
        (6000, 125, False),
    ],
)
def test_hdd_capacity_depends_on_throughput(gib, throughput, valid):
    assert tier("PERSISTENT_1", "HDD").capacity_is_valid(gib, throughput) is valid


@pytest.mark.parametrize(
    ("deployment", "gib", "nearest"),
    [
        ("PERSISTENT_2", 3600, (2400, 4800)),
        ("PERSISTENT_2", 4800, (4800,)),
        ("PERSISTENT_2", 1000, (1200,)),
        ("PERSISTENT_2", 1300, (1200, 2400)),
        ("PERSISTENT_2", 0, (1200,)),
        ("PERSISTENT_2", -5, (1200,)),
        ("PERSISTENT_2", 96001, (96000, 98400)),
        ("SCRATCH_1", 4800, (3600, 7200)),
        ("SCRATCH_1", 2500, (2400, 3600)),
    ],
)
def test_nearest_capacities(deployment, gib, nearest):
    assert tier(deployment).nearest_capacities(gib) == nearest


def test_nearest_capacities_of_hdd_and_of_an_unknown_throughput():
    hdd = tier("PERSISTENT_1", "HDD")
    assert hdd.nearest_capacities(7000, 12) == (6000, 12000)
    assert hdd.nearest_capacities(7000, 40) == (5400, 7200)
    assert hdd.nearest_capacities(7000) == (6000, 7200)
    assert hdd.nearest_capacities(7000, 99) == ()


@pytest.mark.parametrize(
    ("throughput", "multiple"), [(125, 38400), (250, 19200), (500, 9600), (1000, 4800)]
)
def test_efa_needs_whole_servers(throughput, multiple):
    ssd = tier("PERSISTENT_2")
    assert ssd.minimum_efa_capacity_gib(throughput) == multiple
    assert ssd.storage_gib_behind_one_server(throughput, efa_enabled=True) == multiple
    for gib in (multiple, 3 * multiple):
        assert ssd.capacity_is_valid(gib, throughput, efa_enabled=True)
    for gib in (1200, 2400, multiple + 2400):
        assert not ssd.capacity_is_valid(gib, throughput, efa_enabled=True)
    assert ssd.nearest_capacities(1200, throughput, efa_enabled=True) == (multiple,)


@pytest.mark.parametrize(
    ("deployment", "storage"), [("PERSISTENT_1", "SSD"), ("SCRATCH_2", "SSD"), ("SCRATCH_1", "SSD")]
)
def test_efa_is_an_error_elsewhere(deployment, storage):
    other = tier(deployment, storage)
    assert not other.capacity_is_valid(38400, efa_enabled=True)
    assert other.minimum_efa_capacity_gib(125) is None


def test_no_upper_bound_but_a_quota():
    ssd = tier("PERSISTENT_2")
    assert ssd.capacity_is_valid(240_000, 250)
    assert ssd.account_quota_gib == 100_800


def test_intelligent_tiering_has_throughput_instead_of_capacity(fsx):
    elastic = tier("PERSISTENT_2", "INTELLIGENT_TIERING")
    assert not elastic.capacity_is_valid(1200)
    assert elastic.nearest_capacities(1200) == ()
    rule = elastic.throughput_capacity
    limits = fsx.shape_for("ThroughputCapacityMbps").metadata
    assert (rule.minimum_mbps, rule.maximum_mbps) == (limits["min"], limits["max"])
    assert [mbps for mbps in (1000, 2000, 4000, 6000, 8000) if rule.allows(mbps)] == [4000, 8000]
    assert not rule.allows(2_004_000)
    assert rule.mbps_per_server == 4000
    assert elastic.metadata.required
    # The API's text still differs from its model; without this the disagreement is to be removed.
    documented = text(fsx, "CreateFileSystemLustreConfiguration", "ThroughputCapacity")
    # botocore up to 1.43 says what its own limits say, later versions say otherwise.
    assert ("1000 MBps, 2000 MBps" in documented) or ("4000 MBps or multiples" in documented)
    differing = {entry.field for entry in elastic.disagreements}
    assert differing == {"throughput_capacity", "metadata", "supports_efa"}


def test_versions(fsx):
    documented = text(fsx, "CreateFileSystemRequest", "FileSystemTypeVersion")
    assert "Valid values are 2.10, 2.12, and 2.15" in documented
    assert catalog.lustre_versions() == ("2.10", "2.12", "2.15")
    assert catalog.recommended_lustre_version() == "2.15"
    for entry in catalog.lustre_tiers():
        assert ("2.10" in entry.supported_versions) is (entry.deployment_type != "PERSISTENT_2")
        assert entry.default_version in entry.supported_versions
    ssd = tier("PERSISTENT_2")
    assert (ssd.default_version, ssd.default_version_with_metadata) == ("2.12", "2.15")
    assert tier("SCRATCH_2").default_version == "2.10"


def test_metadata(fsx):
    rule = tier("PERSISTENT_2").metadata
    elastic = tier("PERSISTENT_2", "INTELLIGENT_TIERING").metadata
    assert (elastic.iops, elastic.iops_per_server) == (rule.iops, rule.iops_per_server)
    limits = fsx.shape_for("MetadataIops").metadata
    assert (rule.iops[0], rule.iops[-1]) == (limits["min"], limits["max"])
    assert rule.iops[:4] == (1500, 3000, 6000, 12000)
    assert all(iops % 12000 == 0 for iops in rule.iops[3:])
    assert len(rule.iops) == 3 + 16
    assert rule.iops_per_server == 12000
    assert rule.requires_version == "2.15"
    assert [e.deployment_type for e in catalog.lustre_tiers() if e.metadata] == ["PERSISTENT_2"] * 2


@pytest.mark.parametrize(
    ("gib", "iops"),
    [
        (1200, 1500),
        (2400, 3000),
        (4800, 6000),
        (9600, 6000),
        (12000, 12000),
        (45600, 12000),
        (48000, 24000),
        (72000, 36000),
        (600, None),
    ],
)
def test_automatic_metadata_iops(gib, iops):
    assert tier("PERSISTENT_2").metadata.automatic(gib) == iops


def test_automatic_metadata_iops_of_intelligent_tiering_are_unknown():
    assert tier("PERSISTENT_2", "INTELLIGENT_TIERING").metadata.automatic(48000) is None


def test_data_repository_associations(fsx):
    without = [t for t in catalog.lustre_tiers() if not t.supports_data_repository_associations]
    found = [(t.deployment_type, t.storage_type) for t in without]
    assert found == [("SCRATCH_1", "SSD"), ("PERSISTENT_2", "INTELLIGENT_TIERING")]
    documented = re.sub(
        r"<[^>]+>|\s+", " ", fsx.shape_for("DataRepositoryAssociation").documentation
    )
    assert re.search(r"excluding Intelligent-Tiering and +scratch_1 +file systems", documented)


# The user guide's tables: GiB behind one server by throughput, default quota, console.
@pytest.mark.parametrize(
    ("deployment", "storage", "servers", "quota", "console"),
    [
        ("SCRATCH_1", "SSD", {None: 3600}, 100_800, True),
        ("SCRATCH_2", "SSD", {None: 2400}, 100_800, True),
        ("PERSISTENT_1", "SSD", {50: 2400, 200: 2400}, 100_800, False),
        ("PERSISTENT_1", "HDD", {12: 6000, 40: 1800, 125: None}, None, False),
        ("PERSISTENT_2", "SSD", {125: 2400, 1000: 2400}, 100_800, True),
        ("PERSISTENT_2", "INTELLIGENT_TIERING", {None: None}, None, True),
    ],
)
def test_servers_quota_and_console(deployment, storage, servers, quota, console):
    found = tier(deployment, storage)
    for throughput, gib in servers.items():
        assert found.storage_gib_behind_one_server(throughput) == gib
        assert found.storage_gib_behind_one_server(None, efa_enabled=True) is None
    assert (found.account_quota_gib, found.creatable_in_console) == (quota, console)


def test_ports():
    assert catalog.lustre_port_ranges() == ((988, 988), (1018, 1023))


def test_efa_is_for_persistent_2_and_the_api_says_so_of_intelligent_tiering_too(fsx):
    with_efa = {
        (t.deployment_type, t.storage_type) for t in catalog.lustre_tiers() if t.supports_efa
    }
    assert with_efa == {("PERSISTENT_2", "SSD"), ("PERSISTENT_2", "INTELLIGENT_TIERING")}
    documented = text(fsx, "CreateFileSystemLustreConfiguration", "EfaEnabled")
    if _SPEAKS_OF_INTELLIGENT_TIERING:
        assert "4000 MBps or a multiple of 4000 MBps" in documented


def test_the_read_cache_is_bounded_per_throughput_as_in_the_api(fsx):
    documented = text(fsx, "LustreReadCacheConfiguration", "SizeGiB")
    if _SPEAKS_OF_INTELLIGENT_TIERING:
        assert "minimum of 8 GiB and maximum of 32768 GiB" in documented
        assert "every 1000 MBps" in documented
    else:  # The same four times as large, for four times the throughput.
        assert "minimum of 32 GiB and maximum of 131072 GiB" in documented
        assert "every 4,000 MB" in documented
    rule = tier("PERSISTENT_2", "INTELLIGENT_TIERING").throughput_capacity
    assert rule.read_cache_gib(4000) == (32, 131_072)
    assert rule.read_cache_gib(8000) == (64, 262_144)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("trn1.32xlarge", True),
        ("trn1n.32xlarge", True),
        ("trn2.48xlarge", False),
        ("trn2.3xlarge", False),
        ("trn2u.48xlarge", False),
        ("trn3.48xlarge", None),
        ("p5.48xlarge", None),
        ("", None),
    ],
)
def test_fsx_12_which_clients_reach_a_file_system_over_efa(name, expected):
    assert catalog.lustre_efa_client(name) is expected
