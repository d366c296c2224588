"""Storage settings as users write them: times that YAML could take for numbers, ids, ARNs."""

import pytest

from trnkit.config import ClusterConfig

KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
LOG = "arn:aws:logs:us-east-2:111122223333:log-group:/aws/fsx/shared"
LUSTRE = "lustre_file_systems: [{name: fsx, %s: %s}]"
OLD = (
    "existing_lustre_file_systems: [{{name: old, file_system_id: {id}, mount_name: {mount}, "
    "mount_path: /old, security_group_id: {group}}}]"
)


def old(**words):
    right = {"id": "fs-0123456789abcdef0", "mount": "abcd", "group": "sg-0123456789abcdef0"}
    return OLD.format(**(right | words))


def bucket(text):
    return f"checkpoint_bucket: {text}"


RIGHT = [
    *[LUSTRE % ("daily_automatic_backup_start_time", v) for v in ("05:00", "'23:59'", "00:00")],
    *[LUSTRE % ("weekly_maintenance_start_time", v) for v in ("7:03:00", "'1:00:00'")],
    LUSTRE % ("storage_type", "INTELLIGENT_TIERING"),
    LUSTRE % ("metadata_configuration", "{mode: AUTOMATIC}"),
    LUSTRE % ("metadata_configuration", "{mode: USER_PROVISIONED, iops: 1500}"),
    LUSTRE % ("data_read_cache", "{}"),
    LUSTRE % ("log_configuration", "{}"),
    LUSTRE % ("log_configuration", f"{{log_group_arn: '{LOG}'}}"),
    LUSTRE % ("kms_key_arn", KEY),
    LUSTRE % ("throughput_capacity_mbps", "2000000"),
    old(),
    old(id="fs-01234567", group="sg-01234567", mount="fsx"),
    bucket("{}"),
    bucket("{lifecycle: [{prefix: runs/}, {prefix: runs/a-b_c.d}]}"),
    bucket("{data_repository_association: {file_system: fsx}}"),
    "home_file_system: {}",
    "home_file_system: {transition_to_ia_days: null, encryption_in_transit: required}",
]

WRONG = [
    *[
        LUSTRE % ("daily_automatic_backup_start_time", v)
        for v in ("24:00", "5:00", "'05:00:00'", "300", "''")
    ],
    *[
        LUSTRE % ("weekly_maintenance_start_time", v)
        for v in ("0:03:00", "8:03:00", "7:24:00", "'07:03:00'", "sunday")
    ],
    LUSTRE % ("storage_type", "ssd"),
    LUSTRE % ("metadata_configuration", "{mode: OWN}"),
    LUSTRE % ("metadata_configuration", "{mode: USER_PROVISIONED, iops: 1499}"),
    LUSTRE % ("metadata_configuration", "{mode: USER_PROVISIONED, iops: 192001}"),
    LUSTRE % ("efa_enabled", "yes"),
    LUSTRE % ("log_configuration", f"{{log_group_arn: '{LOG}:*'}}"),
    LUSTRE % ("log_configuration", "{level: DISABLED}"),
    LUSTRE % ("kms_key_arn", "alias/mine"),
    LUSTRE % ("kms_key_arn", KEY.replace("key/", "alias/")),
    LUSTRE % ("throughput_capacity_mbps", "2000001"),
    LUSTRE % ("drive_cache_type", "WRITE"),
    old(id="fs-xyz"),
    old(mount="abcdefghi"),
    old(mount="'a b'"),
    old(group="vpc-01234567"),
    bucket("{lifecycle: [{prefix: /runs}]}"),
    bucket("{lifecycle: [{prefix: runs//a}]}"),
    bucket("{lifecycle: [{prefix: ''}]}"),
    bucket("{lifecycle: [{prefix: runs/, expiration_days: 0}]}"),
    bucket("{abort_incomplete_multipart_upload_days: 0}"),
    "home_file_system: {transition_to_ia_days: 31}",
    "home_file_system: {mount_path: home}",
    "home_file_system: {encryption_in_transit: yes}",
]


@pytest.mark.parametrize("storage", RIGHT)
def test_right(minimal, problems, storage):
    assert problems(f"{minimal}storage: {{{storage}}}\n") == ()


@pytest.mark.parametrize("storage", WRONG)
def test_wrong(minimal, problems, storage):
    (finding,) = problems(f"{minimal}storage: {{{storage}}}\n")
    assert finding.rule_id in ("TRN001", "TRN005")
    assert finding.path.startswith("storage.")


def test_times_keep_their_digits_without_quotes(minimal, read):
    text = "lustre_file_systems: [{name: fsx, daily_automatic_backup_start_time: 05:00, "
    config = read(f"{minimal}storage: {{{text}weekly_maintenance_start_time: 7:03:00}}]}}\n")
    (found,) = config.storage.lustre_file_systems
    assert found.daily_automatic_backup_start_time == "05:00"
    assert found.weekly_maintenance_start_time == "7:03:00"


def test_what_cloudformation_cannot_do_is_said_and_not_offered():
    fields = ClusterConfig.model_fields["storage"].annotation.model_fields
    (lustre, _) = fields["lustre_file_systems"].annotation.__args__
    assert "root squash" in lustre.__doc__
    assert "update-file-system" in lustre.__doc__
    offered = {name for name in lustre.model_fields if "squash" in name or "import_path" in name}
    assert not offered
