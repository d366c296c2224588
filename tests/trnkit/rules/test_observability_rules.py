"""Alarms on Neuron metrics and agents of nodes: what gets no data, and what keeps it for ever."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import template

UTILIZATION = "node_neuroncore_utilization"
ECC = "node_neurondevice_hw_ecc_events_total"
LATENCY = "node_neuron_execution_latency"
NODE = ("ClusterName", "InstanceId", "NodeName")
CORE = ("ClusterName", "InstanceType", "InstanceId", "NodeName", "NeuronDevice", "NeuronCore")
W, I = ["warning"], ["info"]  # noqa: E741 - as the other tables of rules have it


def dimensions(*names: Any) -> list[dict[str, Any]]:
    return [{"Name": name, "Value": {"Ref": "AWS::StackName"}} for name in names]


def alarm(name: Any, given: Any, **more: Any) -> dict[str, Any]:
    metric = {"Namespace": "ContainerInsights", "MetricName": name, "Dimensions": given, **more}
    present = {key: value for key, value in metric.items() if value is not None}
    return template(Alarm=("AWS::CloudWatch::Alarm", {**present, "TreatMissingData": "breaching"}))


def queried(name: Any, given: Any) -> dict[str, Any]:
    metric = {"Namespace": "ContainerInsights", "MetricName": name, "Dimensions": given}
    stat = {"Metric": metric, "Period": 60, "Stat": "Average"}
    queries = [{"Id": "m", "MetricStat": stat}, {"Id": "e", "Expression": "m * 100"}]
    return template(Alarm=("AWS::CloudWatch::Alarm", {"Metrics": queries}))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(alarm(UTILIZATION, dimensions("ClusterName")), [], id="of the cluster"),
        pytest.param(alarm(UTILIZATION, dimensions(*reversed(NODE))), [], id="of a node"),
        pytest.param(alarm(UTILIZATION, dimensions("ClusterName", "UltraServer")), [], id="ultra"),
        pytest.param(alarm(UTILIZATION, dimensions(*CORE)), [], id="of a core"),
        pytest.param(alarm(ECC, dimensions(*NODE, "NeuronDevice")), [], id="of a device"),
        pytest.param(alarm(UTILIZATION, dimensions("ClusterName", "NodeName")), W, id="no id"),
        pytest.param(alarm(UTILIZATION, dimensions("InstanceId")), W, id="HOST-12 as EC2 has it"),
        pytest.param(alarm(UTILIZATION, None), W, id="none"),
        pytest.param(alarm(UTILIZATION, []), W, id="an empty list"),
        pytest.param(alarm(UTILIZATION, dimensions("clustername")), W, id="lower case"),
        pytest.param(alarm(LATENCY, dimensions(*CORE)), W, id="latency of a core"),
        pytest.param(alarm(ECC, dimensions(*CORE)), W, id="ECC events of a core"),
        pytest.param(queried(UTILIZATION, dimensions("NodeName")), W, id="in a query"),
        pytest.param(queried(UTILIZATION, dimensions(*NODE)), [], id="a right query"),
        pytest.param(alarm(UTILIZATION, {"Ref": "Some"}), [], id="dimensions to come"),
        pytest.param(alarm(UTILIZATION, dimensions({"Ref": "N"})), [], id="a name to come"),
        pytest.param(
            alarm(UTILIZATION, {"Fn::If": ["C", dimensions("NodeName"), dimensions(*NODE)]}),
            [],
            id="one of two",
        ),
        pytest.param(alarm({"Ref": "M"}, dimensions("NodeName")), [], id="a metric to come"),
        pytest.param(alarm("pod_neuroncore_utilization", []), [], id="of a pod"),
        pytest.param(alarm("node_cpu_utilization", []), [], id="of other things"),
        pytest.param(alarm(UTILIZATION, [], Namespace="Ours"), [], id="in a namespace of ours"),
        pytest.param(alarm(UTILIZATION, [], Namespace={"Ref": "N"}), [], id="namespace to come"),
        pytest.param(alarm(UTILIZATION, [None, 7, "x", {}]), [], id="no dimensions at all"),
    ],
)
def test_an_alarm_has_the_dimensions_of_its_metric(body, expected):
    assert severities("TRN640", judge_template(body)) == expected


def test_it_says_what_was_given_and_what_is_nearest():
    body = alarm(UTILIZATION, dimensions("ClusterName", "NodeName"))
    (finding,) = of_rule("TRN640", judge_template(body))
    assert "with ClusterName and NodeName, which is not sent so" in finding.message
    assert finding.hint.startswith("take exactly ClusterName, InstanceId, NodeName;")


def agent(*files: Any, groups: tuple[dict[str, Any], ...] = (), text: Any = None) -> Any:
    document = {"logs": {"logs_collected": {"files": {"collect_list": list(files)}}}}
    value = json.dumps(document) if text is None else text
    parameter = {"Type": "String", "Name": "AmazonCloudWatch-nodes", "Value": value}
    made = {f"Group{n}": ("AWS::Logs::LogGroup", given) for n, given in enumerate(groups)}
    return template(Configuration=("AWS::SSM::Parameter", parameter), **made)


def file(group: Any = "nodes", **more: Any) -> dict[str, Any]:
    return {"file_path": "/var/log/messages", "log_group_name": group, **more}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(agent(file()), I, id="no retention"),
        pytest.param(agent(file(retention_in_days=-1)), I, id="never"),
        pytest.param(agent(file(retention_in_days=30)), [], id="a month"),
        pytest.param(agent(file(), file(retention_in_days=30)), [], id="once is enough"),
        pytest.param(agent(file(), groups=({"LogGroupName": "nodes"},)), [], id="a group of ours"),
        pytest.param(agent(file(), groups=({"LogGroupName": "other"},)), I, id="another group"),
        pytest.param(agent(file(), groups=({},)), I, id="a group that is named elsehow"),
        pytest.param(agent(file(), groups=({"LogGroupName": {"Ref": "N"}},)), [], id="unknown"),
        pytest.param(agent(file("{instance_id}")), [], id="named after the node"),
        pytest.param(agent({"file_path": "/var/log/x"}), [], id="no group"),
        pytest.param(agent(file(7), None, "x", []), [], id="values of other types"),
        pytest.param(agent(), [], id="no files"),
        pytest.param(agent(text="log_group_name: nodes"), [], id="not JSON"),
        pytest.param(agent(text='{"logs": ["log_group_name"]}'), [], id="another form"),
        pytest.param(agent(text="log_group_name" + "[" * 9_000), [], id="deep"),
        pytest.param(agent(text={"Ref": "Text"}), [], id="a text to come"),
    ],
)
def test_what_an_agent_keeps_has_an_end(body, expected):
    assert severities("TRN641", judge_template(body)) == expected


def test_it_names_the_groups():
    (finding,) = of_rule("TRN641", judge_template(agent(file("b"), file("a"), file("a"))))
    assert "makes the log groups a and b when missing" in finding.message
