"""What AWS Batch, AWS PCS and SageMaker HyperPod take."""

from trnkit import catalog


def test_no_multi_node_jobs_run_on_spot_or_fargate_but_on_ec2():
    without = catalog.batch_facts().types_without_multinode
    assert {"SPOT", "FARGATE"} <= set(without)
    assert "EC2" not in without
    assert catalog.batch_facts().maximum_environments_per_queue == 3


def test_pcs_wants_its_name_or_path_on_the_nodes_role():
    facts = catalog.pcs_facts()
    assert facts.role_name_prefix == "AWSPCS"
    assert facts.role_path_part == "/aws-pcs/"
    assert "AWSPCSComputeNodePolicy" not in facts.managed_policies_without_role_action


def test_slurm_settings_belong_to_levels():
    settings = catalog.pcs_settings()
    assert "Gres" in settings.compute_node_group
    assert "Prolog" in settings.cluster
    assert "Prolog" not in settings.compute_node_group
    assert "MaxTime" in settings.queue
    for names in (settings.cluster, settings.compute_node_group, settings.queue):
        assert list(names) == sorted(names, key=str.lower)
    assert set(settings.minimum_versions) <= {
        *settings.compute_node_group,
        *settings.gres_attributes,
    }


def test_training_plans_are_for_types_of_the_catalogue():
    types = catalog.hyperpod_facts().training_plan_types
    assert all(catalog.find_instance_type(name.removeprefix("ml.")) for name in types)
