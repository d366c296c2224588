"""EKS: AMI types, huge pages of EFA, Neuron metrics, and the shapes of image parameters."""

import pytest

from trnkit.catalog import (
    container_insights_facts,
    efa_huge_pages,
    eks_ami_types,
    find_eks_ami_type,
    host_image_parameters,
    image_parameter_families,
    neuron_images,
    neuron_metric_names,
)


@pytest.mark.parametrize(
    ("name", "os", "architecture", "drivers"),
    [
        ("AL2023_x86_64_NEURON", "amazon-linux-2023", "x86_64", ("neuron",)),
        ("AL2023_x86_64_NVIDIA", "amazon-linux-2023", "x86_64", ("nvidia",)),
        ("AL2023_x86_64_STANDARD", "amazon-linux-2023", "x86_64", ()),
        ("AL2023_ARM_64_STANDARD", "amazon-linux-2023", "arm64", ()),
        ("AL2_x86_64_GPU", "amazon-linux-2", "x86_64", ("nvidia", "neuron")),
        ("BOTTLEROCKET_x86_64", "bottlerocket", "x86_64", ("neuron",)),
        ("BOTTLEROCKET_x86_64_NVIDIA", "bottlerocket", "x86_64", ("nvidia",)),
        ("WINDOWS_CORE_2022_x86_64", "windows", "x86_64", ()),
    ],
)
def test_an_ami_type_says_what_is_on_its_image(name, os, architecture, drivers):
    found = find_eks_ami_type(name)
    assert (found.os, found.architecture, found.drivers) == (os, architecture, drivers)


def test_custom_and_unknown_ami_types_say_nothing():
    assert find_eks_ami_type("CUSTOM") is None
    assert find_eks_ami_type("AL2027_x86_64_NEURON") is None


def test_only_images_of_amazon_linux_2_have_ended():
    ended = {found.os for found in eks_ami_types() if found.last_kubernetes_version}
    assert ended == {"amazon-linux-2"}
    assert find_eks_ami_type("AL2_x86_64_GPU").last_kubernetes_version == "1.32"


def test_the_huge_pages_of_efa_are_ten_gib():
    facts = efa_huge_pages()
    assert (facts.pages, facts.pages * facts.page_size_mib // 1024) == (5128, 10)


def test_neuron_metrics_have_a_scope():
    names = neuron_metric_names()
    assert len(set(names)) == len(names) == 27
    assert all(name.startswith(("container_", "pod_", "node_")) for name in names)
    assert container_insights_facts().metric_namespace == "ContainerInsights"


def test_neuron_metrics_of_nodes_have_sets_of_dimensions():
    of = container_insights_facts().dimensions_of
    node = ("ClusterName", "InstanceId", "NodeName")
    shared = (("ClusterName",), ("ClusterName", "UltraServer"), node)
    core = ("ClusterName", "InstanceType", *node[1:], "NeuronDevice", "NeuronCore")
    assert of("node_neuroncore_utilization") == (*shared, core)
    ecc = of("node_neurondevice_hw_ecc_events_total")
    assert ecc == (*shared, (*node, "NeuronDevice"))
    assert of("node_neuron_execution_latency") == shared
    assert of("node_neurondevice_runtime_memory_used_bytes") == shared
    assert of("pod_neuroncore_utilization") is None
    assert of("node_cpu_utilization") is None
    of_nodes = [name for name in neuron_metric_names() if name.startswith("node_")]
    assert all(of(name) for name in of_nodes)


def test_every_known_image_parameter_is_of_a_family():
    names = [image.parameter_name for image in neuron_images()]
    names += [
        found.pattern.replace("<kubernetes_version>", "1.33") for found in host_image_parameters()
    ]
    for name in names:
        family = next(kind for kind in image_parameter_families() if kind.shape.fullmatch(name))
        assert "neuron" in (family.drivers or ()), name


@pytest.mark.parametrize(
    ("name", "host", "segments"),
    [
        (
            "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/nvidia/recommended/image_id",
            "eks",
            {"kubernetes_version": "1.33", "architecture": "arm64", "release": "recommended"},
        ),
        (
            "/aws/service/bottlerocket/aws-k8s-1.33-nvidia/x86_64/1.40.0/image_id",
            "bottlerocket",
            {"variant": "aws-k8s-1.33-nvidia", "architecture": "x86_64", "release": "1.40.0"},
        ),
        (
            "/aws/service/ecs/optimized-ami/amazon-linux-2023/recommended/image_id",
            "ecs",
            {"os": "amazon-linux-2023", "release": "recommended"},
        ),
        ("/ours/image_id", None, None),
    ],
)
def test_the_parts_of_an_image_parameter_are_told(name, host, segments):
    found = [kind for kind in image_parameter_families() if kind.shape.fullmatch(name)]
    assert [kind.host for kind in found[:1]] == ([host] if host else [])
    assert [kind.shape.fullmatch(name).groupdict() for kind in found[:1]] == (
        [segments] if segments else []
    )
