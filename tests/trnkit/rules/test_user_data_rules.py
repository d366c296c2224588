"""Rules about user data, huge pages and metrics; and how user data are read."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.growth import LARGER, PROPORTIONAL, growth
from tests.trnkit.rules.eks_templates import (
    HEAD,
    NODE_CONFIG,
    config,
    encoded,
    managed,
    mime,
    plain,
    shell,
    subbed,
    with_template,
)
from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, nodes, older, template
from trnkit.rules.reading.node_config import (
    GAP,
    kubelet_setting,
    mime_fault,
    mime_parts,
    node_configs,
    setting,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN2 = "trn2.48xlarge"
Row = tuple[str, str, Body, list[str]]


def script(data: Any, kind: str = TRN2, **names: str) -> Body:
    """A launch template with user data, and parameters of these names and types."""
    body = template(Nodes=nodes(kind, UserData=data))
    return {**body, "Parameters": {name: {"Type": of} for name, of in names.items()}}


def named(text: str, make: Any = plain) -> Body:
    return script(make(text), ClusterName="String", Size="Number")


PLACEHOLDERS: list[Row] = [
    ("HOST-09 outside Sub", "TRN273", named("#!/bin/bash\necho ${ClusterName}\n"), W),
    ("HOST-09 outside Sub, encoded", "TRN273", named("echo ${ClusterName}\n", encoded), W),
    ("HOST-09 inside Sub", "TRN273", named("echo ${ClusterName}\n", subbed), []),
    ("HOST-09 in a MIME part", "TRN273", named(shell("echo ${ClusterName}")), W),
    (
        "HOST-09 in a NodeConfig",
        "TRN273",
        named(config(NODE_CONFIG.replace("training", "${ClusterName}"))),
        W,
    ),
    (
        "HOST-09 joined",
        "TRN273",
        script(
            {"Fn::Base64": {"Fn::Join": ["\n", ["#!/bin/bash", "echo ${ClusterName}"]]}},
            ClusterName="String",
        ),
        W,
    ),
    (
        "HOST-09 joined, in Sub",
        "TRN273",
        script(
            {
                "Fn::Base64": {
                    "Fn::Join": ["\n", ["#!/bin/bash", {"Fn::Sub": "echo ${ClusterName}"}]]
                }
            },
            ClusterName="String",
        ),
        [],
    ),
    (
        "HOST-09 joined, set in Sub",
        "TRN273",
        script(
            {
                "Fn::Base64": {
                    "Fn::Join": [
                        "\n",
                        [{"Fn::Sub": "ClusterName=${ClusterName}"}, "echo ${ClusterName}"],
                    ]
                }
            },
            ClusterName="String",
        ),
        [],
    ),
    (
        "HOST-09 in a branch",
        "TRN273",
        script({"Fn::Base64": {"Fn::If": ["C", "echo ${ClusterName}", ""]}}, ClusterName="String"),
        W,
    ),
    ("HOST-09 a pseudo parameter", "TRN273", named("aws --region ${AWS::Region} s3 ls\n"), E),
    (
        "HOST-09 a pseudo parameter in Sub",
        "TRN273",
        named("aws --region ${AWS::Region} s3 ls\n", subbed),
        [],
    ),
    (
        "HOST-09 an attribute of a resource",
        "TRN273",
        named("echo ${Nodes.LatestVersionNumber}\n"),
        W,
    ),
    (
        "HOST-09 a variable of the shell",
        "TRN273",
        named("REGION=us-east-2\necho ${REGION} ${HOME} ${1:-x} ${x%y}\n"),
        [],
    ),
    ("HOST-09 a variable that nobody declares", "TRN273", named("echo ${ClusterNames}\n"), []),
    (
        "HOST-09 set in the script",
        "TRN273",
        named("ClusterName=$(cat /etc/name)\necho ${ClusterName}\n"),
        [],
    ),
    ("HOST-09 exported", "TRN273", named("export ClusterName Size\necho ${ClusterName}\n"), []),
    ("HOST-09 read", "TRN273", named("read -r ClusterName < /etc/name\necho ${ClusterName}\n"), []),
    ("HOST-09 from a file", "TRN273", named("source /etc/environment\necho ${ClusterName}\n"), []),
    (
        "HOST-09 from a file, by a dot",
        "TRN273",
        named(". /etc/environment\necho ${ClusterName}\n"),
        [],
    ),
    ("HOST-09 with a default", "TRN273", named("echo ${ClusterName:-none}\n"), []),
    ("HOST-09 in a comment", "TRN273", named("# ${ClusterName} comes later\necho\n"), []),
    (
        "HOST-09 filled in by sed",
        "TRN273",
        named("sed -i 's|${ClusterName}|a|' /etc/a\n"),
        [],
    ),
    ("HOST-09 escaped", "TRN273", named('echo "\\${ClusterName}"\n'), []),
    (
        "HOST-09 set in another language",
        "TRN273",
        named("const ClusterName = 'a'; console.log(`${ClusterName}`)\n"),
        [],
    ),
    ("HOST-09 without braces", "TRN273", named("echo $ClusterName\n"), []),
    ("HOST-09 doubled, outside Sub", "TRN273", named("echo $${ClusterName}\n"), W),
    ("HOST-09 doubled, inside Sub", "TRN273", named("echo $${ClusterName}\n", subbed), W),
    ("HOST-09 kept for the shell in Sub", "TRN273", named("NAME=x\necho ${!NAME}\n", subbed), []),
    ("HOST-09 agents have their own", "TRN273", named('{"InstanceId": "${aws:InstanceId}"}'), []),
    (
        "HOST-09 of another type",
        "TRN273",
        script(plain("echo ${ClusterName}"), "m5.large", ClusterName="String"),
        W,
    ),
    (
        "HOST-09 an instance",
        "TRN273",
        {
            **template(Node=("AWS::EC2::Instance", {"UserData": plain("echo ${ClusterName}")})),
            "Parameters": {"ClusterName": {"Type": "String"}},
        },
        W,
    ),
    (
        "HOST-09 to come",
        "TRN273",
        script({"Fn::Base64": {"Ref": "ClusterName"}}, ClusterName="String"),
        [],
    ),
]

EFA = "https://efa-installer.amazonaws.com/aws-efa-installer"
DOWNLOADS: list[Row] = [
    ("HOST-05 latest", "TRN274", named(f"curl -O {EFA}-latest.tar.gz\n"), W),
    (
        "HOST-05 latest, in Sub",
        "TRN274",
        named(f"cd ${{Size}}; curl -O {EFA}-latest.tar.gz\n", subbed),
        W,
    ),
    (
        "HOST-05 latest, in a part",
        "TRN274",
        named(mime(("text/cloud-boothook", f"wget -q {EFA}-latest.tar.gz"))),
        W,
    ),
    ("HOST-05 a version", "TRN274", named(f"curl -O {EFA}-1.45.1.tar.gz\n"), []),
    (
        "HOST-05 a version that is a variable",
        "TRN274",
        named(f"curl -O {EFA}-$VERSION.tar.gz\n"),
        [],
    ),
    ("HOST-05 in a comment", "TRN274", named(f"# not {EFA}-latest.tar.gz\n"), []),
    (
        "HOST-05 another latest",
        "TRN274",
        named("curl -LO https://example.com/a/releases/latest/download/tool.tar.gz\n"),
        I,
    ),
    (
        "HOST-05 another latest by name",
        "TRN274",
        named("curl -O https://example.com/aws-pcs-agent-v1-latest.tar.gz\n"),
        I,
    ),
    (
        "HOST-05 the folder of an agent",
        "TRN274",
        named("curl -O https://example.com/amd64/latest/amazon-cloudwatch-agent.deb\n"),
        [],
    ),
]


def job(amount: Any, key: str = "hugepages-2Mi", part: str = "Limits") -> Body:
    container = {"Image": "i", "Resources": {part: {key: amount}}}
    pod = {"PodProperties": {"Containers": [container]}}
    return template(Job=("AWS::Batch::JobDefinition", {"Type": "container", "EksProperties": pod}))


def manifest(amount: str) -> Body:
    pods = [{"spec": {"containers": [{"resources": {"limits": {"hugepages-2Mi": amount}}}]}}]
    text = {"Fn::Join": ["", [json.dumps(pods)[:-1], "]"]]}
    return template(Pod=("Custom::AWSCDK-EKS-KubernetesResource", {"Manifest": text}))


def reserved(line: str, interfaces: Any = None) -> Body:
    data = nodes(
        TRN2,
        older(16) if interfaces is None else interfaces,
        UserData=plain(f"#!/bin/sh\n{line}\n"),
    )
    return template(Nodes=data)


PAGES: list[Row] = [
    *[
        (f"AMI-13 {amount}", "TRN565", job(amount), E)
        for amount in ("256", 256, "5120", "5120M", "1Mi", "3Mi", "1.5Mi")
    ],
    *[
        (f"AMI-13 {amount}", "TRN565", job(amount), [])
        for amount in ("5120Mi", "2Mi", "10Gi", 0, "2097152", 2097152, "lots", {"Ref": "Pages"})
    ],
    ("AMI-13 requests", "TRN565", job("256", part="Requests"), E),
    ("AMI-13 pages of 1 GiB", "TRN565", job("512Mi", "hugepages-1Gi"), E),
    ("AMI-13 pages of 1 GiB, whole", "TRN565", job("2Gi", "hugepages-1Gi"), []),
    ("AMI-13 a manifest", "TRN565", manifest("256"), E),
    ("AMI-13 a right manifest", "TRN565", manifest("5120Mi"), []),
    (
        "AMI-13 a manifest in user data",
        "TRN565",
        named("kubectl apply -f - <<EOF\n  hugepages-2Mi: 256\nEOF\n"),
        E,
    ),
    (
        "AMI-13 a right manifest in user data",
        "TRN565",
        named('kubectl apply -f - <<EOF\n  hugepages-2Mi: "5120Mi"\nEOF\n'),
        [],
    ),
    (
        "AMI-13 reserved by the kubelet",
        "TRN565",
        named("kubelet --system-reserved=hugepages-2Mi=256\n"),
        E,
    ),
    ("AMI-13 fewer pages than EFA's", "TRN565", reserved("sysctl -w vm.nr_hugepages=1024"), W),
    (
        "AMI-13 fewer pages, by echo",
        "TRN565",
        reserved("echo 128 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"),
        W,
    ),
    (
        "AMI-13 fewer pages, by tee",
        "TRN565",
        reserved("echo 128 | sudo tee /proc/sys/vm/nr_hugepages"),
        W,
    ),
    ("AMI-13 as many pages as EFA's", "TRN565", reserved("sysctl -w vm.nr_hugepages=5128"), []),
    (
        "AMI-13 more pages",
        "TRN565",
        reserved("echo vm.nr_hugepages = 8192 >> /etc/sysctl.conf"),
        [],
    ),
    ("AMI-13 pages without EFA", "TRN565", reserved("sysctl -w vm.nr_hugepages=1024", []), []),
    ("AMI-13 pages to come", "TRN565", reserved("sysctl -w vm.nr_hugepages=$PAGES"), []),
]


def observed(values: Any, kind: str = TRN2, **more: Any) -> Body:
    properties = {"ClusterName": "training", "AddonName": "amazon-cloudwatch-observability", **more}
    if values is not None:
        properties["ConfigurationValues"] = values
    body = with_template(managed(), kind)
    return {
        "Resources": {
            **body["Resources"],
            "Add": {"Type": "AWS::EKS::Addon", "Properties": properties},
        }
    }


def agent(**kubernetes: Any) -> str:
    return json.dumps(
        {"agent": {"config": {"logs": {"metrics_collected": {"kubernetes": kubernetes}}}}}
    )


def alarm(metric: str = "node_neuron_execution_errors_total", **more: Any) -> Body:
    base = {
        "Namespace": "ContainerInsights",
        "MetricName": metric,
        "ComparisonOperator": "GreaterThanThreshold",
        "EvaluationPeriods": 1,
    }
    return template(Alarm=("AWS::CloudWatch::Alarm", {**base, **more}))


QUERY = {
    "Id": "m",
    "MetricStat": {
        "Metric": {"Namespace": "ContainerInsights", "MetricName": "node_neuroncore_utilization"},
        "Period": 60,
        "Stat": "Average",
    },
}
METRICS: list[Row] = [
    ("HOST-12 as it comes", "TRN650", observed(None), []),
    ("HOST-12 enhanced", "TRN650", observed(agent(enhanced_container_insights=True)), []),
    (
        "HOST-12 enhanced, as a text",
        "TRN650",
        observed(agent(enhanced_container_insights="true")),
        [],
    ),
    (
        "HOST-12 enhanced, as YAML",
        "TRN650",
        observed(
            "agent:\n  config: {logs: {metrics_collected: {kubernetes: "
            "{enhanced_container_insights: true}}}}\n"
        ),
        [],
    ),
    ("HOST-12 not enhanced", "TRN650", observed(agent()), W),
    (
        "HOST-12 not enhanced on purpose",
        "TRN650",
        observed(agent(enhanced_container_insights=False)),
        I,
    ),
    (
        "HOST-12 without accelerators on purpose",
        "TRN650",
        observed(agent(enhanced_container_insights=True, accelerated_compute_metrics=False)),
        I,
    ),
    ("HOST-12 logs alone", "TRN650", observed('{"containerLogs": {"enabled": true}}'), []),
    (
        "HOST-12 an agent for other things",
        "TRN650",
        observed('{"agent": {"config": {"traces": {"traces_collected": {}}}}}'),
        W,
    ),
    (
        "HOST-12 by OpenTelemetry",
        "TRN650",
        observed('{"otelContainerInsights": {"enabled": true}, "agent": {"config": {"logs": {}}}}'),
        [],
    ),
    ("HOST-12 to come", "TRN650", observed({"Ref": "Values"}), []),
    ("HOST-12 neither JSON nor YAML", "TRN650", observed("{a: ["), []),
    ("HOST-12 nodes of another type", "TRN650", observed(agent(), "p5.48xlarge"), []),
    ("HOST-12 another add-on", "TRN650", observed(agent(), AddonName="coredns"), []),
    ("HOST-12 an alarm", "TRN651", alarm(), W),
    ("HOST-12 an alarm that says it", "TRN651", alarm(TreatMissingData="breaching"), []),
    (
        "HOST-12 an alarm that says it later",
        "TRN651",
        alarm(TreatMissingData={"Ref": "Missing"}),
        [],
    ),
    (
        "HOST-12 an alarm on a query",
        "TRN651",
        template(Alarm=("AWS::CloudWatch::Alarm", {"Metrics": [QUERY]})),
        W,
    ),
    ("HOST-12 an alarm on something else", "TRN651", alarm("node_cpu_utilization"), []),
    ("HOST-12 an alarm of another namespace", "TRN651", alarm(Namespace="AWS/EC2"), []),
]
AWS = {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/CloudWatchAgentServerPolicy"}
WORKER = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"


def with_role(*policies: Any, add_on: Body | None = None, **resources: Any) -> Body:
    role = resources.pop("role", {"ManagedPolicyArns": list(policies)})
    found = observed(None, **(add_on or {}))["Resources"]
    found["Group"] = managed(NodeRole={"Fn::GetAtt": ["Role", "Arn"]})
    more = template(Role=("AWS::IAM::Role", role), **resources)["Resources"]
    return {"Resources": {**found, **more}}


def attached(*roles: Any) -> tuple[str, Body]:
    return "AWS::IAM::Policy", {"PolicyName": "p", "PolicyDocument": {}, "Roles": list(roles)}


RIGHTS: list[Row] = [
    ("HOST-12 no right to send", "TRN652", with_role(WORKER), W),
    ("HOST-12 the right to send", "TRN652", with_role(WORKER, AWS), []),
    ("HOST-12 a policy of one's own", "TRN652", with_role(WORKER, {"Ref": "Own"}), []),
    ("HOST-12 policies to come", "TRN652", with_role(role={"ManagedPolicyArns": {"Ref": "P"}}), []),
    ("HOST-12 inline", "TRN652", with_role(role={"Policies": [{"PolicyName": "p"}]}), []),
    ("HOST-12 attached", "TRN652", with_role(WORKER, More=attached({"Ref": "Role"})), []),
    ("HOST-12 attached to another", "TRN652", with_role(WORKER, More=attached("other")), W),
    (
        "HOST-12 attached to one to come",
        "TRN652",
        with_role(WORKER, More=attached({"Ref": "R"})),
        [],
    ),
    (
        "HOST-12 a role of its own",
        "TRN652",
        with_role(WORKER, add_on={"ServiceAccountRoleArn": "r"}),
        [],
    ),
    (
        "HOST-12 a pod identity",
        "TRN652",
        with_role(WORKER, Identity=("AWS::EKS::PodIdentityAssociation", {})),
        [],
    ),
    ("HOST-12 a role elsewhere", "TRN652", observed(None), []),
]


def monitor(types: Any, name: str = "neuron-monitor", kind: str = "DaemonSet") -> Body:
    key = "node.kubernetes.io/instance-type"
    listed = [{"key": key, "operator": "In", "values": types}]
    terms = [{"matchExpressions": [] if types is None else listed}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    pod = {"spec": {"affinity": {"nodeAffinity": required}}}
    document = {"kind": kind, "metadata": {"name": name}, "spec": {"template": pod}}
    found = with_template(managed())["Resources"]
    manifest = {"Manifest": json.dumps([document])}
    more = template(Pods=("Custom::AWSCDK-EKS-KubernetesResource", manifest))["Resources"]
    return {"Resources": {**found, **more}}


SELECTED: list[Row] = [
    ("HOST-12 types of yesterday", "TRN653", monitor(["trn1.32xlarge", "inf2.xlarge"]), W),
    ("HOST-12 types of today", "TRN653", monitor(["trn1.32xlarge", TRN2]), []),
    ("HOST-12 any node", "TRN653", monitor(None), []),
    ("HOST-12 another DaemonSet", "TRN653", monitor(["trn1.32xlarge"], "efa"), []),
    ("HOST-12 no DaemonSet", "TRN653", monitor(["trn1.32xlarge"], kind="Job"), []),
    ("HOST-12 for other nodes", "TRN653", monitor(["p5.48xlarge"]), []),
    ("HOST-12 values of other types", "TRN653", monitor([1, None, {}]), []),
    ("HOST-12 a metric that there is", "TRN654", alarm(TreatMissingData="breaching"), []),
    ("HOST-12 a metric that is spelt so", "TRN654", alarm("node_neuroncore_utilisation"), I),
    ("HOST-12 a metric without its scope", "TRN654", alarm("neuroncore_utilization"), I),
    ("HOST-12 a metric of other things", "TRN654", alarm("node_cpu_utilization"), []),
    ("HOST-12 a metric to come", "TRN654", alarm({"Ref": "M"}), []),
]
ROWS = [*RIGHTS, *SELECTED, *PLACEHOLDERS, *DOWNLOADS, *PAGES, *METRICS]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_a_template_is_judged(rule_id: str, body: Body, expected: list[str]):
    assert severities(rule_id, judge_template(body)) == expected


def test_every_placeholder_is_named_once():
    text = "echo ${ClusterName} ${Size} ${ClusterName}"
    (found,) = of_rule("TRN273", judge_template(named(text)))
    assert "user data holds ${ClusterName} and ${Size} outside Fn::Sub" in found.message


def test_the_parts_of_an_archive_are_read():
    text = mime(
        ("application/node.eks.aws", NODE_CONFIG), ('text/x-shellscript; charset="utf-8"', "echo ä")
    )
    assert [part.content_type for part in mime_parts(text)] == [
        "application/node.eks.aws",
        "text/x-shellscript",
    ]
    assert "echo ä" in mime_parts(text)[1].text
    assert mime_parts("#!/bin/bash\n") == ()


def test_an_encoded_part_is_decoded():
    coded = encoded("echo ready")
    text = mime(("text/x-shellscript\nContent-Transfer-Encoding: base64", coded))
    assert mime_parts(text)[0].text == "echo ready"


def test_a_part_that_cannot_be_decoded_is_read_as_it_is():
    text = mime(("text/x-shellscript\nContent-Transfer-Encoding: base64", "\u20ac"))
    assert len(mime_parts(text)) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (shell(), None),
        ("", None),
        ("\0", None),
        ("\0#!/bin/bash", None),
        ("#!/bin/bash\n\0", "is a script"),
        ("#cloud-config\n", "is a cloud-config"),
        ("#cloud-boothook\n", "is a boothook"),
        ("apiVersion: node.eks.aws/v1alpha1\n", "is a bare NodeConfig"),
        ("---\napiVersion: a\n", "is a bare YAML document"),
        ("echo\n", "is a text without MIME header"),
        ("\n" + shell(), "begins with white space, so that its MIME header is not read"),
        ("MIME-Version: 1.0\n\necho", "has a MIME header without Content-Type: multipart"),
        (
            "MIME-Version: 1.0\nContent-Type: multipart/mixed\n\necho",
            "names no boundary in its MIME header",
        ),
        (
            shell().replace("--//\n", "-- //\n", 1),
            "has no line --//, the boundary of its MIME header",
        ),
        (
            shell().replace("--//--", ""),
            "does not end with --//--, the boundary of its MIME header",
        ),
    ],
)
def test_a_fault_of_an_archive_is_told(text: str, fault: str | None):
    assert mime_fault(text) == fault


def test_settings_of_node_configs_are_merged_in_their_order():
    second = HEAD + "spec: {cluster: {name: second}, kubelet: {flags: [--max-pods=40]}}\n"
    configs = node_configs(
        mime(("application/node.eks.aws", NODE_CONFIG), ("application/node.eks.aws", second))
    )
    assert setting(configs, "cluster", "name") == "second"
    assert setting(configs, "cluster", "cidr") == "10.100.0.0/16"
    assert kubelet_setting(configs, "maxPods", "--max-pods") == "40"
    assert kubelet_setting(configs, "registryQPS", "--registry-qps") is None


def test_what_is_filled_in_later_is_a_gap():
    (found,) = node_configs(
        config(NODE_CONFIG.replace("training", "\0").replace("https://example.com", "https://\0"))
    )
    assert found.setting("cluster", "name") == GAP
    assert found.setting("cluster", "apiServerEndpoint") == f"https://{GAP}"
    assert not found.is_partial


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]\nspec: *a\n",
        "[" * 5000,
        "spec: {cluster: " + "{a: " * 2000,
        "? [a]\n: b\n",
        "spec: \x07\n",
        "x: &x ["
        + ",".join(["a"] * 9)
        + "]\n"
        + "".join(f"y{n}: &y{n} [*x, *x]\n" for n in range(50)),
    ],
)
def test_hostile_node_configs_are_answered(text: str):
    begun = time.process_time()
    configs = node_configs(config(HEAD + text))
    assert setting(configs, "cluster", "name") is None
    # What multiplies or is compared each with each would take hours.
    assert time.process_time() - begun < 120


@pytest.mark.parametrize(
    ("head", "piece", "number"),
    [
        *(("", "a", 40_000), ("", "\n", 40_000), ("", " ", 40_000), ("", "http://", 6_000)),
        *(("", "#\n", 20_000), ("", "MIME-Version: 1.0\n", 2_000), ("", "read a ", 6_000)),
        *(("", "hugepages-2Mi: 1\n", 2_000), ("", "${Name}", 6_000), ("", "$", 40_000)),
        *(("", "max-pods ", 4_000), ("", "echo 1 | tee ", 3_000)),
        (
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n",
            "--a\n\n",
            6_000,
        ),
    ],
)
@pytest.mark.parametrize("make", [plain, subbed])
def test_endless_user_data_are_judged_in_time_that_grows_with_them(
    head: str, piece: str, number: int, make: Any
):
    def judge(times: int) -> None:
        text = head + piece * times
        body = with_template(managed(), interfaces=older(16), UserData=make(text))
        judge_template({**body, "Parameters": {"Name": {"Type": "String"}}})

    assert growth(judge, small=number, large=number * LARGER) < PROPORTIONAL
