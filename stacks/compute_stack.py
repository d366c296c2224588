"""The nodes of a cluster: disposable, everything in it can be made again."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack, Tags
from constructs import Construct

from constructs_lib.compute import (
    ClusterPlacementGroup,
    MachineImage,
    NodeAutoScalingGroup,
    NodeBoot,
    NodeRole,
    TrainiumLaunchTemplate,
)
from stacks.network_stack import NetworkStack
from stacks.storage_stack import StorageStack
from trnkit.catalog import instance_type
from trnkit.config import ClusterConfig, NodeGroupConfig
from trnkit.layout.nodes import image_of, neuron_cores, uses_efa, uses_placement_group
from trnkit.layout.storage import mounts_over_efa
from trnkit.layout.tags import NODE_GROUP_TAG


class ComputeStack(Stack):
    """One launch template and Auto Scaling group per node group, and the role of all nodes."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster: ClusterConfig,
        network: NetworkStack,
        storage: StorageStack | None,
        env: Environment,
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Compute`.
            cluster: What to build.
            network: Where to build it.
            storage: What every node mounts and may read and write; None for nothing.
            env: Account and region.
        """
        super().__init__(
            scope, construct_id, env=env, description=f"trnkit cluster {cluster.name}: nodes"
        )
        self._cluster, self._network, self._storage = cluster, network, storage
        self._role = NodeRole(self, "NodeRole")
        for bucket in storage.buckets if storage else ():
            bucket.grant_read_write(self._role.role)
        for group in cluster.compute.node_groups:
            self._node_group(group)

    def _node_group(self, group: NodeGroupConfig) -> None:
        scope = Construct(self, f"NodeGroup-{group.name}")
        template = self._launch_template(scope, group)
        Tags.of(template).add(NODE_GROUP_TAG, group.name)
        Tags.of(template).add("Name", f"{self._cluster.name}-{group.name}")
        nodes = NodeAutoScalingGroup(
            scope,
            "AutoScalingGroup",
            launch_template=template,
            subnet=self._network.compute_subnet,
            desired_capacity=group.count,
        )
        outputs = {
            "AutoScalingGroupName": nodes.auto_scaling_group_name,
            "LaunchTemplateId": template.launch_template_id,
        }
        for name, value in outputs.items():
            CfnOutput(self, f"{name}-{group.name}", value=value)

    def _launch_template(self, scope: Construct, group: NodeGroupConfig) -> TrainiumLaunchTemplate:
        image = image_of(group)
        cores = neuron_cores(instance_type(group.instance_type), group.logical_neuroncore_size)
        placement = (
            ClusterPlacementGroup(scope, "Placement") if uses_placement_group(group) else None
        )
        return TrainiumLaunchTemplate(
            scope,
            "LaunchTemplate",
            instance_type=group.instance_type,
            image=MachineImage(
                image_id=image.ami_id or f"resolve:ssm:{image.ssm_parameter}",
                root_device_name=image.root_device_name,
            ),
            security_groups=[self._network.node_security_group],
            instance_profile=self._role.instance_profile,
            efa_layout=group.efa.layout,
            efa_interfaces=group.efa.interfaces,
            root_volume_size_gib=group.root_volume_size_gib,
            boot=NodeBoot(
                lustre_mounts=self._storage.mounts if self._storage else (),
                logical_neuroncore_size=cores.logical_size if cores else None,
                efa=uses_efa(group),
                lustre_over_efa=mounts_over_efa(self._cluster, group),
                home=self._storage.home if self._storage else None,
            ),
            placement_group=placement.placement_group if placement else None,
        )
