"""Kinds of mistakes with images, schedulers and the CDK itself."""

from __future__ import annotations

from tests.coverage.mistake import Mistake

_TEMPLATE = "constructs_lib/compute/test_trainium_launch_template.py"
_BOOT = "constructs_lib/compute/test_node_boot.py"
_NODE = "constructs_lib/compute/node"
_ASSEMBLY = "stacks/test_assembly.py"

IMAGES = (
    Mistake(
        id="AMI-01",
        what="the name of an image parameter is invented",
        rules=(
            "TRN204",
            "TRN243",
            "TRN269",
        ),
    ),
    Mistake(
        id="AMI-02",
        what="a retired image; a root volume smaller than its snapshot",
        rules=(
            "TRN204",
            "TRN205",
            "TRN269",
            "TRN272",
        ),
        tests=(f"{_TEMPLATE}::test_ami_02_one_encrypted_root_volume_under_the_images_own_name",),
    ),
    Mistake(
        id="AMI-03",
        what="the image changes under the user's feet",
        rules=(
            "TRN204",
            "TRN271",
            "TRN280",
            "TRN281",
        ),
        tests=("golden/test_templates.py::test_templates_are_as_frozen",),
    ),
    Mistake(
        id="AMI-05",
        what="a node group gets the image type of GPUs",
        rules=(
            "TRN243",
            "TRN270",
            "TRN553",
        ),
    ),
    Mistake(
        id="AMI-06",
        what="user data is longer than 16 KB",
        rules=("TRN255", "TRN326"),
        tests=(
            f"{_BOOT}::test_ami_06_the_largest_user_data_that_is_let_through",
            f"{_BOOT}::test_ami_06_the_smallest_that_is_not",
        ),
    ),
    Mistake(
        id="AMI-07",
        what="user data is no MIME document where it must be one",
        rules=("TRN554",),
        tests=(
            "constructs_lib/compute/test_example_user_data.py"
            "::test_ami_06_and_07_user_data_is_a_small_mime_archive_of_yaml_and_shell",
        ),
    ),
    Mistake(
        id="AMI-08",
        what="nodeadm's configuration lacks what an own image needs",
        rules=(
            "TRN245",
            "TRN555",
            "TRN556",
        ),
    ),
    Mistake(
        id="AMI-09",
        what="$Latest is no change that CloudFormation sees",
        rules=("TRN257",),
        tests=(
            f"{_TEMPLATE}"
            "::test_ami_09_the_group_follows_the_version_number_and_stays_in_one_subnet",
        ),
    ),
    Mistake(id="AMI-10", what="a Kubernetes version together with an own image", rules=("TRN552",)),
    Mistake(
        id="AMI-11",
        what="instance type or disk size in two places",
        rules=(
            "TRN246",
            "TRN551",
        ),
    ),
    Mistake(
        id="AMI-12",
        what="metadata is one hop away, and containers are two",
        rules=(
            "TRN244",
            "TRN254",
        ),
        tests=(f"{_TEMPLATE}::test_ami_12_tokens_are_required_and_reach_containers",),
    ),
    Mistake(
        id="AMI-13",
        what="huge pages without a unit, or too few for EFA",
        rules=(
            "TRN249",
            "TRN533",
            "TRN565",
        ),
        tests=(
            f"{_NODE}/test_boot_kernel.py::test_huge_pages",
            f"{_NODE}/test_boot_kernel.py"
            "::test_ami_13_containers_may_lock_memory_and_other_settings_stay",
        ),
    ),
    Mistake(
        id="AMI-14",
        what="an instance profile in a managed node group's template",
        rules=(
            "TRN550",
            "TRN564",
        ),
    ),
)

HOSTS = (
    Mistake(
        id="HOST-01",
        what="Auto Scaling may not use the key of the volumes",
        rules=("TRN225", "TRN266"),
    ),
    Mistake(id="HOST-02", what="AWS Batch gets a role for an instance profile", rules=("TRN293",)),
    Mistake(
        id="HOST-03",
        what="security groups on the environment and in its template",
        rules=("TRN570",),
    ),
    Mistake(
        id="HOST-05",
        what="multi-node jobs where they cannot run",
        rules=(
            "TRN274",
            "TRN571",
            "TRN572",
            "TRN573",
            "TRN574",
            "TRN578",
        ),
    ),
    Mistake(
        id="HOST-06",
        what="a job lists EFA devices and loses the Neuron devices",
        rules=(
            "TRN575",
            "TRN576",
        ),
    ),
    Mistake(id="HOST-07", what="AWS PCS refuses the name of the nodes' role", rules=("TRN580",)),
    Mistake(
        id="HOST-08",
        what="an AWS PCS node group on a Capacity Block",
        rules=(
            "TRN581",
            "TRN582",
            "TRN583",
            "TRN584",
        ),
    ),
    Mistake(id="HOST-09", what="a placeholder in user data stays as it is", rules=("TRN273",)),
    Mistake(
        id="HOST-10",
        what="NeuronCores are counted as devices, or physical ones as logical",
        rules=(
            "TRN203",
            "TRN241",
            "TRN531",
            "TRN576",
            "TRN577",
            "TRN584",
        ),
        tests=("trnkit/layout/test_nodes.py::test_cores",),
    ),
    Mistake(
        id="HOST-11",
        what="S3 actions on the wrong kind of ARN",
        rules=(
            "TRN370",
            "TRN379",
            "TRN593",
            "TRN865",
        ),
        tests=(
            "stacks/test_storage_stack.py::test_host_11_the_nodes_may_use_the_bucket_and_no_other",
        ),
    ),
    Mistake(
        id="HOST-12",
        what="Neuron metrics do not appear",
        rules=(
            "TRN535",
            "TRN640",
            "TRN650",
            "TRN651",
            "TRN652",
            "TRN653",
            "TRN654",
        ),
        tests=(
            f"{_NODE}/test_monitoring_configuration.py"
            "::test_all_that_is_scraped_becomes_a_metric_and_nothing_else_is_scraped",
        ),
    ),
    Mistake(
        id="HOST-13",
        what="an image without Neuron on Trainium nodes; a driver that containers do not fit, or "
        "that a script takes back",
        rules=(
            "TRN208",
            "TRN243",
            "TRN270",
            "TRN540",
            "TRN553",
            "TRN579",
            "TRN595",
            "TRN597",
        ),
        tests=(
            f"{_NODE}/test_boot_packages.py::test_host_13_nothing_is_installed_upgraded_or_downgraded",
            f"{_NODE}/check/test_node_check_host.py::test_which_drivers_and_runtimes_work_together",
        ),
        note="Lifecycle scripts in a bucket are not seen; on the node `trn-node-check` compares "
        "driver and runtime.",
    ),
    Mistake(
        id="HOST-14",
        what="a list of instance types lacks released ones; ml. where it must not be",
        rules=(
            "TRN201",
            "TRN268",
            "TRN590",
        ),
        tests=(
            "trnkit/catalog/test_instance_types.py::test_a_sagemaker_name_is_unknown_with_the_ec2_name_nearest",
        ),
    ),
    Mistake(id="HOST-15", what="one training plan for all groups", rules=("TRN594",)),
    Mistake(
        id="HOST-16",
        what="0 nodes are refused",
        tests=(
            f"{_TEMPLATE}"
            "::test_ami_09_the_group_follows_the_version_number_and_stays_in_one_subnet",
        ),
        note="A mistake of validators; ours take 0 for a number.",
    ),
    Mistake(
        id="HOST-17",
        what="a resource name that the device plug-in no longer has",
        rules=("TRN530",),
    ),
    Mistake(
        id="HOST-18",
        what="EC2's API tells another memory of the devices",
        tests=("trnkit/catalog/test_cases.py::test_host_18_device_memory_is_the_real_one",),
    ),
)

CDK = (
    Mistake(
        id="CDK-01",
        what="an export that is in use cannot change",
        rules=("TRN851",),
        tests=(
            f"{_ASSEMBLY}::test_cdk_01_the_network_exports_the_same_with_and_without_consumers",
            "stacks/test_network_stack.py::test_cdk_01_exports_do_not_follow_the_consumers",
        ),
    ),
    Mistake(
        id="CDK-02",
        what="look-ups without a region leave invented ids",
        rules=("TRN852",),
        tests=(
            "stacks/test_network_stack.py::test_cdk_02_nothing_of_an_existing_vpc_is_looked_up",
        ),
    ),
    Mistake(
        id="CDK-04",
        what="a template grows beyond 500 resources",
        rules=("TRN850",),
        tests=(f"{_ASSEMBLY}::test_cdk_04_template_size_does_not_grow_with_nodes",),
    ),
    Mistake(
        id="CDK-05",
        what="the same file gives other bytes",
        tests=(
            "golden/test_hermetic.py::test_cdk_05_another_folder_locale_zone_and_hash_seed",
            f"{_BOOT}::test_cdk_05_the_same_settings_give_the_same_bytes",
        ),
    ),
    Mistake(id="CDK-06", what="an edit of user data replaces the machine", rules=("TRN290",)),
    Mistake(
        id="CDK-07",
        what="stacks refer across regions",
        rules=(
            "TRN851",
            "TRN853",
        ),
        tests=(f"{_ASSEMBLY}::test_bud_13_cdk_07_the_budget_goes_where_budgets_exist",),
    ),
)
