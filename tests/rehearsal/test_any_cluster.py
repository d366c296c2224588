"""Whatever `trnkit check` accepts can be deployed, and is what its templates say.

A few random files with every run; TRNKIT_SLOW=1 takes thousands.
"""

from __future__ import annotations

import os
import shutil

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from tests.properties.cluster_files import cluster_files
from tests.rehearsal.deployments import ACCOUNT, Example
from tests.synthesis import synthesize_cluster
from trnkit.config import read_cluster
from trnkit.emulation.process import emulated_aws
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import has_errors
from trnkit.operations.rehearsal.assumptions import seeds_of, told
from trnkit.operations.rehearsal.proof import prove
from trnkit.operations.rehearsal.proof_words import complaints
from trnkit.rules import check_cluster

SLOW = os.environ.get("TRNKIT_SLOW") == "1"
GROUPS_OF_ANOTHER_VPC = "TRN122"


def deployable(text):
    """A file without errors that the first deployment can succeed with, or None."""
    try:
        read = read_cluster(text, "cluster.yaml")
    except (ConfigurationError, UnreadableInputError):
        return None
    findings = check_cluster(read)
    if has_errors(findings) or any(f.rule_id == GROUPS_OF_ANOTHER_VPC for f in findings):
        return None
    return read


def wrong_of(read):
    """Deploy a cluster to an emulated AWS of its own, and say what is not as it should be."""
    built = synthesize_cluster(read.config)
    try:
        with emulated_aws(read.config.account or ACCOUNT, seeds=seeds_of(read)) as aws:
            Example(aws, read, built)  # asserts that each stack is made
            return complaints(prove(aws))
    finally:
        shutil.rmtree(built.directory)


@settings(
    deadline=None,
    max_examples=3000 if SLOW else 80,
    derandomize=not SLOW,
    suppress_health_check=list(HealthCheck),
)
@given(cluster_files())
def test_what_check_accepts_can_be_deployed(data):
    read = deployable(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    assert read is None or wrong_of(read) == ()


EXISTING = """\
version: 1
name: theirs
region: us-west-2
network:
  ip_address_type: dualstack
  existing:
    vpc_id: vpc-0123456789abcdef0
    compute_subnet_id: subnet-0123456789abcdef0
    availability_zone_id: usw2-az4
    compute_subnet_cidr: 10.3.64.0/20
    storage_subnet_id: subnet-0fedcba9876543210
compute:
  node_role:
    managed_policy_arns: [arn:aws:iam::111122223333:policy/team/read-secrets]
  node_groups:
    - name: train
      instance_type: trn1.32xlarge
      count: 2
      additional_security_group_ids: [sg-0aaaaaaaaaaaaaaa0]
      placement: {group_name: side-by-side}
      image: {ssm_parameter: /team/images/training, operating_system: ubuntu-24.04}
storage:
  existing_lustre_file_systems:
    - name: corpus
      file_system_id: fs-0123456789abcdef0
      mount_name: abcdefgh
      mount_path: /corpus
      security_group_id: sg-0bbbbbbbbbbbbbbb0
  s3_mountpoints:
    - {bucket_name: their-corpus, mount_path: /data}
  lustre_file_systems:
    - name: scratch
      deployment_type: PERSISTENT_2
      storage_capacity_gib: 1200
      per_unit_storage_throughput: 125
      mount_path: /scratch
      log_configuration:
        log_group_arn: arn:aws:logs:us-west-2:111122223333:log-group:/aws/fsx/theirs
budget:
  limit_usd: 1000
  emails: [ml-platform@example.com]
  topic_arn: arn:aws:sns:us-west-2:111122223333:their-alerts
  anomaly_detection:
    monitor: existing
    monitor_arn: arn:aws:ce::111122223333:anomalymonitor/01234567-89ab-cdef-0123-456789abcdef
    threshold_usd: 100
    emails: [ml-platform@example.com]
"""


def test_everything_that_a_file_takes_to_exist_is_made_first_and_told():
    read = deployable(EXISTING)
    assert read is not None
    assert wrong_of(read) == ()
    assert set(told(read)) == {
        "vpc vpc-0123456789abcdef0",
        "subnet subnet-0123456789abcdef0",
        "subnet subnet-0fedcba9876543210",
        "security group sg-0aaaaaaaaaaaaaaa0",
        "security group sg-0bbbbbbbbbbbbbbb0",
        "placement group side-by-side",
        "anomaly monitor "
        "arn:aws:ce::111122223333:anomalymonitor/01234567-89ab-cdef-0123-456789abcdef",
        "Lustre file system fs-0123456789abcdef0, of which only the security group is asked for",
        "log group arn:aws:logs:us-west-2:111122223333:log-group:/aws/fsx/theirs",
        "managed policy arn:aws:iam::111122223333:policy/team/read-secrets",
        "bucket their-corpus",
        "image of /team/images/training",
        "topic arn:aws:sns:us-west-2:111122223333:their-alerts",
    }


def test_groups_of_another_vpc_are_warned_of_and_refused():
    text = """\
version: 1
name: strange
region: us-east-2
compute:
  node_groups:
    - {name: train, instance_type: trn1.2xlarge, count: 1,
       additional_security_group_ids: [sg-0aaaaaaaaaaaaaaa0]}
budget: {limit_usd: 100, emails: [ml-platform@example.com]}
"""
    read = read_cluster(text, "cluster.yaml")
    assert GROUPS_OF_ANOTHER_VPC in {finding.rule_id for finding in check_cluster(read)}
    with pytest.raises(AssertionError, match="belong to different networks"):
        wrong_of(read)
