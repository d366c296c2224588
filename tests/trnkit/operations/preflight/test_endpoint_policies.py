"""TRN915: policies of endpoints, judged carefully, and their security groups."""

from __future__ import annotations

import json

import pytest

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, DENIED, TABLE, VPC
from tests.trnkit.operations.preflight.networks import (
    COMPUTE_BLOCK,
    EVERYTHING,
    MORE,
    NODES,
    endpoint,
    endpoints,
    group,
    groups,
    network,
    permission,
)
from trnkit.config import ClusterConfig
from trnkit.operations.preflight.policy_judgement import PolicyRequest, Verdict, judge_policy

HTTPS = (443, 443)
ADMITTING = group(MORE, [permission(ports=HTTPS, cidrs=(COMPUTE_BLOCK,))], [])
ASSETS = f"arn:aws:s3:::cdk-hnb659fds-assets-{ACCOUNT}-us-east-2"
MIRROR = "arn:aws:s3:::al2023-repos-us-east-2-de612dc2"
AL2023 = {
    "image": {"ssm_parameter": "/aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id"}
}


def allow(*resources, action="s3:*", **more):
    return {"Effect": "Allow", "Principal": "*", "Action": action, "Resource": list(resources)} | (
        more
    )


def tagged(cluster):
    return [{"Key": "trnkit-cluster", "Value": cluster}]


def verdict_of(document, resource, action="s3:GetObject"):
    """Of a request of which nothing else is known."""
    asked = PolicyRequest(requester=None, action=action, resource=resource)
    return judge_policy(document, asked).verdict


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


@pytest.fixture
def judge(ask):
    """Ask the check about a cluster and the endpoints of its VPC."""

    def run(*there, node_group=None, of_groups=(ADMITTING,), existing=None, more=None, **keys):
        told = {
            name: keys.pop(name)
            for name in ("DescribeRouteTables", "DescribeSecurityGroups")
            if name in keys
        }
        cluster = make_cluster(
            node_group or {}, network=network(**(existing or {})) | (more or {}), **keys
        )
        told = {"DescribeSecurityGroups": groups(*of_groups)} | told
        return ask("endpoint-policies", cluster, DescribeVpcEndpoints=endpoints(*there), **told)

    return run


def problem(done):
    (found,) = [result for result in done.results if result.status != "ok"]
    return found


def test_a_vpc_of_the_cluster_s_own_asks_nothing(ask):
    assert ask("endpoint-policies").status == "ok"
    assert ask.sessions[0].asked == []


def test_without_endpoints_nothing_is_between(judge):
    done = judge()
    assert done.status == "ok"
    assert "none, so that nothing is between" in done.results[0].message


@pytest.mark.parametrize(
    ("document", "status", "words"),
    [
        (EVERYTHING, "ok", "let them through: s3"),
        (policy(allow(f"{ASSETS}/*")), "ok", "let them through"),
        (policy(allow("arn:aws:s3:::*")), "ok", "let them through"),
        (policy(allow("*", action=["s3:Get*", "s3:List*"])), "ok", "let them through"),
        (policy(allow("arn:aws:s3:::cdk-*-assets-*/*", action="S3:getobject")), "ok", "through"),
        (
            policy(allow("arn:aws:s3:::corp-data", "arn:aws:s3:::corp-data/*")),
            "fail",
            "refuses s3:GetObject to nodes, no statement allows it: nodes cannot fetch their boot",
        ),
        # The bucket, and not its objects.
        (policy(allow(ASSETS)), "fail", "no statement allows it"),
        (policy(allow("*", action="s3:PutObject")), "fail", "no statement allows it"),
        (policy(), "fail", "no statement allows it"),
        (
            policy(*EVERYTHING["Statement"], allow(f"{ASSETS}/*", Effect="Deny", Sid="NoAssets")),
            "fail",
            "statement NoAssets denies it",
        ),
        (
            policy(*EVERYTHING["Statement"], allow("arn:aws:s3:::other/*", Effect="Deny")),
            "ok",
            "let them through",
        ),
        # Conditions hang on the request.
        (
            policy(allow("*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-abcdefghij"}})),
            "unknown",
            "statement number 1 may allow it",
        ),
        (
            policy(
                *EVERYTHING["Statement"],
                allow(
                    "*",
                    Effect="Deny",
                    Condition={"StringNotEquals": {"aws:ResourceOrgID": "o-abcdefghij"}},
                ),
            ),
            "unknown",
            "statement number 2 may deny it",
        ),
        # An Allow without a condition does not ask what another one hangs on.
        (
            policy(
                allow("*", Condition={"Bool": {"aws:PrincipalIsAWSService": "true"}}),
                allow(f"{ASSETS}/*"),
            ),
            "ok",
            "let them through",
        ),
        (policy(allow("*", Principal={"AWS": "*"})), "ok", "let them through"),
        (policy(allow("*", Principal={"AWS": ACCOUNT})), "unknown", "may allow it"),
        (policy(allow("arn:aws:s3:::${aws:PrincipalTag/team}/*")), "unknown", "may allow it"),
        (policy(allow("arn:aws:s3:::team-${aws:username}/*")), "fail", "no statement allows it"),
        ("nonsense", "unknown", "it cannot be read"),
        (None, "unknown", "does not say what the policy of vpce-s3 (s3) lets through"),
    ],
)
def test_the_policy_of_the_gateway_endpoint_of_s3(document, status, words, judge):
    done = judge(endpoint("s3", policy=document))
    assert done.status == status, done.results
    assert words in done.results[0].message


def test_the_remedy_names_what_to_allow_and_no_account_that_only_aws_told(judge):
    closed = endpoint("s3", policy=policy())
    assert problem(judge(closed)).remedy == f"let the policy allow s3:GetObject on {ASSETS}/*.zip"
    unnamed = problem(judge(closed, account=None))
    assert unnamed.remedy.endswith("cdk-hnb659fds-assets-ACCOUNT-us-east-2/*.zip")
    assert not any(ACCOUNT in (text or "") for text in (unnamed.message, unnamed.command))


def test_an_endpoint_that_nodes_do_not_go_through_is_not_judged(judge):
    closed = policy()
    assert judge(endpoint("s3", policy=closed, RouteTableIds=["rtb-1"])).status == "ok"
    # Names do not lead to a gateway, whatever is said of them.
    elsewhere = {"RouteTableIds": ["rtb-1"], "PrivateDnsEnabled": True}
    assert judge(endpoint("s3", policy=closed, **elsewhere)).status == "ok"
    assert judge(endpoint("s3", policy=closed, State="pending")).status == "ok"
    assert judge(endpoint("autoscaling", policy=closed, PrivateDnsEnabled=False)).status == "ok"
    # Nobody calls it to boot.
    assert judge(endpoint("sagemaker.api", policy=closed)).status == "ok"


def test_nodes_that_fetch_no_boot_scripts_ask_nothing_of_s3(ask):
    inline = ClusterConfig(
        name="pretrain",
        region="us-east-2",
        account=ACCOUNT,
        network=network(),
        compute={
            "boot": {"delivery": "inline"},
            "node_groups": [{"name": "train", "instance_type": "trn2.48xlarge", "count": 4}],
        },
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
    )
    closed = endpoints(endpoint("s3", policy=policy()))
    assert ask("endpoint-policies", inline, DescribeVpcEndpoints=closed).status == "ok"


def test_what_the_deployment_makes_is_not_judged(judge):
    closed = endpoint("autoscaling", policy=policy(), Tags=tagged("pretrain"))
    assert judge(closed).status == "fail"
    assert judge(closed, more={"interface_endpoints": ["autoscaling"]}).status == "ok"


@pytest.mark.parametrize(
    ("there", "status", "words"),
    [
        ((), "ok", ""),
        ((endpoint("autoscaling"),), "fail", f"{VPC} has an endpoint of autoscaling with private"),
        ((endpoint("autoscaling", State="pending"),), "fail", "EC2 refuses the one that the file"),
        ((endpoint("autoscaling", State="deleting"),), "ok", ""),
        ((endpoint("autoscaling", PrivateDnsEnabled=False),), "ok", ""),
        ((endpoint("autoscaling-plans"),), "ok", ""),
        # The cluster's own, once it is deployed, and another cluster's.
        ((endpoint("autoscaling", Tags=tagged("pretrain")),), "ok", ""),
        ((endpoint("autoscaling", Tags=tagged("other")),), "fail", "take autoscaling out of"),
        ((endpoint("s3"),), "fail", f"{TABLE} has the routes of a gateway endpoint for S3 already"),
        ((endpoint("s3", Tags=tagged("pretrain")),), "ok", ""),
        ((endpoint("s3", RouteTableIds=["rtb-00000000000000001"]),), "ok", ""),
    ],
)
def test_endpoints_that_ec2_refuses_to_make_twice(there, status, words, judge):
    made = {"create_s3_gateway_endpoint": True, "route_table_ids": [TABLE]}
    done = judge(*there, existing=made, more={"interface_endpoints": ["autoscaling"]})
    assert done.status == status, done.results
    if status == "fail":
        found = problem(done)
        assert words in f"{found.message}; {found.remedy}"


def test_a_file_that_makes_no_endpoint_clashes_with_none(judge):
    assert judge(endpoint("autoscaling"), endpoint("s3")).status == "ok"


def test_a_clash_is_told_where_nobody_sees_the_routes(judge):
    none = {"DescribeRouteTables": {"RouteTables": []}}
    done = judge(endpoint("ecr.api"), more={"interface_endpoints": ["ecr.api"]}, **none)
    assert [result.status for result in done.results] == ["fail", "unknown"]


MOUNTS = {"s3_mountpoints": [{"bucket_name": "our-corpus", "mount_path": "/data"}]}
WRITTEN = {
    "s3_mountpoints": [
        {"bucket_name": "our-corpus", "mount_path": "/data", "prefix": "v2/", "read_only": False}
    ]
}
CORPUS = "arn:aws:s3:::our-corpus"
BOOT = allow(f"{ASSETS}/*")


@pytest.mark.parametrize(
    ("storage", "statements", "status", "words"),
    [
        (MOUNTS, [allow(CORPUS, f"{CORPUS}/*")], "ok", ""),
        (MOUNTS, [allow(f"{CORPUS}/*")], "fail", "refuses s3:ListBucket to nodes"),
        (MOUNTS, [allow(CORPUS)], "fail", "nodes cannot mount /data"),
        (WRITTEN, [allow(CORPUS, f"{CORPUS}/*")], "ok", ""),
        (WRITTEN, [allow(CORPUS, f"{CORPUS}/v2/*")], "ok", ""),
        (WRITTEN, [allow(CORPUS, f"{CORPUS}/v1/*")], "fail", "s3:GetObject"),
        (
            WRITTEN,
            [allow(CORPUS, f"{CORPUS}/*", action=["s3:Get*", "s3:List*"])],
            "fail",
            "s3:PutObject",
        ),
        # A part of the prefix: nobody knows whether it is all that is read.
        (WRITTEN, [allow(CORPUS, f"{CORPUS}/v2/en/*")], "unknown", "may allow it"),
        # The bucket gets its name when it is made; it begins with the cluster's.
        ({"checkpoint_bucket": {}}, [allow("arn:aws:s3:::*/*")], "ok", ""),
        ({"checkpoint_bucket": {}}, [allow("arn:aws:s3:::pretrain*/*")], "ok", ""),
        (
            {"checkpoint_bucket": {}},
            [allow("arn:aws:s3:::pretrain-storage-checkpointbucketdfe4871a-0a1b2c3d4e5f/*")],
            "unknown",
            "may allow it",
        ),
        (
            {"checkpoint_bucket": {}},
            [],
            "fail",
            "jobs cannot keep checkpoints in the cluster's bucket",
        ),
    ],
)
def test_buckets_of_the_file(storage, statements, status, words, judge):
    done = judge(endpoint("s3", policy=policy(BOOT, *statements)), storage=storage)
    assert done.status == status, done.results
    if status != "ok":
        assert words in problem(done).message


@pytest.mark.parametrize(
    ("statements", "node_group", "status"),
    [
        ([allow(f"{MIRROR}/*")], AL2023, "ok"),
        ([], AL2023, "warning"),
        # Ubuntu has its packages elsewhere.
        ([], {}, "ok"),
    ],
)
def test_the_mirror_of_amazon_linux(statements, node_group, status, judge):
    storage = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}
    there = endpoint("s3", policy=policy(BOOT, *statements))
    done = judge(there, node_group=node_group, storage=storage)
    assert done.status == status, done.results
    if status == "warning":
        assert "cannot install what the image of amazon-linux-2023 lacks" in problem(done).message
    # Nothing is installed for a cluster that mounts nothing.
    assert judge(endpoint("s3", policy=policy(BOOT)), node_group=node_group).status == "ok"


@pytest.mark.parametrize(
    ("service", "action", "status"),
    [
        ("autoscaling", "autoscaling:CompleteLifecycleAction", "fail"),
        ("ec2", "ec2:CreateTags", "warning"),
        ("ssm", "ssm:UpdateInstanceInformation", "warning"),
        ("ssmmessages", "ssmmessages:CreateControlChannel", "warning"),
        ("logs", "logs:PutLogEvents", "warning"),
        ("monitoring", "cloudwatch:PutMetricData", "warning"),
    ],
)
def test_endpoints_with_interfaces(service, action, status, judge):
    others = allow("*", action="sqs:*")
    done = judge(endpoint(service, policy=policy(others)))
    assert problem(done).status == status
    assert f"refuses {action} to nodes" in problem(done).message
    assert judge(endpoint(service, policy=policy(allow("*", action=action)))).status == "ok"
    # Of one group alone, of which nobody knows whether it is the nodes'.
    narrow = allow("arn:aws:autoscaling:*:*:autoScalingGroup:*", action=action)
    assert judge(endpoint(service, policy=policy(narrow))).status == "unknown"


@pytest.mark.parametrize(
    ("ingress", "status", "words"),
    [
        ([permission(ports=HTTPS, cidrs=("10.0.0.0/16",))], "ok", ""),
        ([permission(cidrs=("0.0.0.0/0",))], "ok", ""),
        ([permission(ports=HTTPS, cidrs=("10.0.64.0/21",))], "warning", "only from part of"),
        ([permission(ports=HTTPS, cidrs=("10.0.0.0/20",))], "fail", "in from no node"),
        ([permission(ports=(80, 80), cidrs=("10.0.0.0/16",))], "fail", "in from no node"),
        ([permission(MORE, ports=HTTPS)], "fail", "are replaced forever"),
        # The list holds nothing.
        ([permission(ports=HTTPS, prefix_lists=("pl-1",))], "fail", "in from no node"),
        ([], "fail", f"{MORE} of vpce-autoscaling (autoscaling) let TCP 443 in from no node"),
    ],
)
def test_security_groups_of_endpoints(ingress, status, words, judge):
    done = judge(endpoint("autoscaling"), of_groups=[group(MORE, ingress, [])])
    assert done.status == status, done.results
    if status != "ok":
        assert words in problem(done).message


def test_what_is_less_needed_is_a_warning(judge):
    done = judge(endpoint("logs"), of_groups=[group(MORE, [], [])])
    assert problem(done).status == "warning"
    assert problem(done).command == (
        f"aws ec2 authorize-security-group-ingress --region us-east-2 --group-id {MORE} "
        f"--protocol tcp --port 443 --cidr {COMPUTE_BLOCK}"
    )


def test_the_nodes_groups_may_be_let_in(judge):
    by_group = group(MORE, [permission(NODES, ports=HTTPS)], [])
    there = endpoint("autoscaling")
    assert judge(there, of_groups=[by_group]).status == "fail"
    mine = {"security_group_id": NODES}
    assert judge(there, of_groups=[by_group], existing=mine).status == "ok"
    # The cluster's own, once it is deployed.
    made = group(NODES, [], [], tags={"trnkit-cluster": "pretrain"})
    assert judge(there, of_groups=[by_group, made]).status == "ok"
    # In one of the endpoint's groups is enough.
    both = endpoint("autoscaling", Groups=[{"GroupId": NODES}, {"GroupId": MORE}])
    assert judge(both, of_groups=[ADMITTING, group(NODES, [], [])]).status == "ok"


def test_a_warning_hides_nothing_of_what_is_needed(judge):
    storage = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}
    maybe = allow(f"{ASSETS}/*", Condition={"StringEquals": {"aws:PrincipalOrgID": "o-a"}})
    done = judge(endpoint("s3", policy=policy(maybe)), node_group=AL2023, storage=storage)
    assert [result.status for result in done.results] == ["unknown", "warning"]


def test_groups_that_are_not_seen_are_unknown(judge):
    assert problem(judge(endpoint("autoscaling"), of_groups=[])).status == "unknown"


def test_s3_through_interfaces_is_judged_where_no_gateway_is(judge):
    interfaces = endpoint(
        "s3",
        policy=policy(),
        VpcEndpointType="Interface",
        PrivateDnsEnabled=True,
        Groups=[{"GroupId": MORE}],
        RouteTableIds=[],
        VpcEndpointId="vpce-i",
    )
    assert "vpce-i (s3)" in problem(judge(interfaces)).message
    assert judge(endpoint("s3"), interfaces).status == "ok"


def test_what_the_account_cannot_see_is_unknown(judge):
    assert problem(judge(endpoint("s3"), existing={"shared": True})).status == "unknown"
    none = {"DescribeRouteTables": {"RouteTables": []}}
    assert problem(judge(endpoint("s3"), **none)).status == "unknown"


@pytest.mark.parametrize(
    ("pattern", "resource", "verdict"),
    [
        ("arn:aws:s3:::a?c/*", "arn:aws:s3:::abc/k", Verdict.ALLOWED),
        ("arn:aws:s3:::a?c/*", "arn:aws:s3:::abbc/k", Verdict.DENIED),
        ("arn:aws:s3:::abc/*.zip", "arn:aws:s3:::abc/*.zip", Verdict.ALLOWED),
        ("arn:aws:s3:::abc/k.zip", "arn:aws:s3:::abc/*.zip", Verdict.UNKNOWN),
        ("arn:aws:s3:::abc/*.gz", "arn:aws:s3:::abc/*.zip", Verdict.DENIED),
        ("arn:aws:s3:::abc/?", "arn:aws:s3:::abc/*", Verdict.UNKNOWN),
        ("*", "*", Verdict.ALLOWED),
        ("", "*", Verdict.UNKNOWN),
        ("arn:aws:s3:::abc/*", "arn:aws:s3:::abc", Verdict.DENIED),
    ],
)
def test_patterns(pattern, resource, verdict):
    document = json.dumps(policy(allow(pattern)))
    assert verdict_of(document, resource) is verdict


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ({"NotAction": "s3:Put*", "Resource": "*"}, Verdict.ALLOWED),
        ({"NotAction": "s3:Get*", "Resource": "*"}, Verdict.DENIED),
        ({"Action": "*", "NotResource": "arn:aws:s3:::other/*"}, Verdict.ALLOWED),
        ({"Action": "*", "NotResource": "arn:aws:s3:::abc/*"}, Verdict.DENIED),
        ({"Action": "*", "NotResource": "arn:aws:s3:::abc/${aws:userid}/*"}, Verdict.UNKNOWN),
        ({"Action": "*"}, Verdict.UNKNOWN),
        ({"Action": [], "Resource": "*"}, Verdict.DENIED),
    ],
)
def test_what_a_statement_leaves_out(statement, verdict):
    document = json.dumps({"Statement": {"Effect": "Allow", "Principal": "*"} | statement})
    assert verdict_of(document, "arn:aws:s3:::abc/k") is verdict


@pytest.mark.parametrize("text", ["", "[]", "null", '{"Statement": ["x"]}', '{"Statement": 3}'])
def test_a_policy_that_is_none_is_unknown(text):
    assert verdict_of(text, "*") is Verdict.UNKNOWN


def test_a_long_pattern_is_read_like_a_short_one():
    long = "arn:aws:s3:::" + "a*" * 3000
    assert verdict_of(json.dumps(policy(allow(long))), "*") is Verdict.UNKNOWN


def test_what_is_certain_stays_beside_what_nobody_says(judge):
    refused = endpoint("autoscaling", policy=policy())
    done = judge(refused, DescribeSecurityGroups=DENIED)
    assert [result.status for result in done.results] == ["fail", "unknown"]
