"""The nodes of a cluster: disposable, everything in it can be made again."""

from __future__ import annotations

import re

from aws_cdk import Arn, ArnComponents, CfnOutput, Environment, Stack, Tags
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.compute import (
    CapacityReservation,
    ClusterPlacementGroup,
    DrainSchedule,
    MachineImage,
    NodeAutoScalingGroup,
    NodeBoot,
    NodeBundle,
    NodeCapacity,
    NodeReports,
    NodeRole,
    NodeVolume,
    NodeVolumeKey,
    NodeVolumes,
    S3Mount,
    S3Mountpoint,
    TrainiumLaunchTemplate,
)
from constructs_lib.observability import NodeLogGroup
from stacks.network_stack import NetworkStack
from stacks.storage_stack import StorageStack
from trnkit.catalog import instance_type
from trnkit.config import ClusterConfig, NewReservationConfig, NodeGroupConfig, S3MountpointConfig
from trnkit.errors import ConstructError
from trnkit.layout.capacity import existing_placement_group, scaling_schedule, ultraservers
from trnkit.layout.draining import drain_plan
from trnkit.layout.node_expectations import expected_node
from trnkit.layout.node_settings import node_settings
from trnkit.layout.nodes import image_of, neuron_cores, uses_efa, uses_placement_group
from trnkit.layout.storage import mounts_over_efa
from trnkit.layout.tags import CLUSTER_TAG, NODE_GROUP_TAG
from trnkit.layout.zones import compute_zone_id


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

        Raises:
            ConstructError: A lock file is named, and no image of it is known.
        """
        super().__init__(
            scope, construct_id, env=env, description=f"trnkit cluster {cluster.name}: nodes"
        )
        _refuse_unlocked(cluster)
        self._cluster, self._network, self._storage = cluster, network, storage
        self._role = NodeRole(
            self,
            "NodeRole",
            managed_policies=[
                iam.ManagedPolicy.from_managed_policy_arn(self, f"NodePolicy{number}", arn)
                for number, arn in enumerate(cluster.compute.node_role.managed_policy_arns)
            ],
        )
        self._volume_key_arn: str | None = None
        if cluster.compute.volume_key == "customer-managed":
            self._volume_key_arn = NodeVolumeKey(self, "NodeVolumeKey").key.key_arn
        for bucket in storage.buckets if storage else ():
            bucket.grant_read_write(self._role.role)
        self._s3_mounts = tuple(
            self._s3_mount(f"S3Mountpoint{number}", config)
            for number, config in enumerate(cluster.storage.s3_mountpoints)
        )
        self._bundle = self._prepare_boot()
        self._logs = self._prepare_logs()
        self._admit_prometheus()
        for group in cluster.compute.node_groups:
            self._node_group(group)

    def _prepare_boot(self) -> NodeBundle | None:
        """What all nodes boot with; None where their user data brings it along."""
        reports = NodeReports(
            self, "NodeReports", tag_key=CLUSTER_TAG, tag_value=self._cluster.name
        )
        reports.grant(self._role.role)
        if self._cluster.compute.boot.delivery == "inline":
            return None
        bundle = NodeBundle(self, "NodeBundle")
        bundle.grant_read(self._role.role)
        return bundle

    def _admit_prometheus(self) -> None:
        """Let the blocks of the file reach the port at which nodes serve their metrics."""
        served = self._cluster.observability.prometheus
        if served is None or self._bundle is None:
            return
        for block in served.allowed_cidrs:
            ec2.CfnSecurityGroupIngress(
                self,
                f"PrometheusFrom{re.sub('[^0-9]', '-', block)}",
                group_id=self._network.node_security_group.security_group_id,
                ip_protocol="tcp",
                from_port=served.port,
                to_port=served.port,
                cidr_ip=block,
                description="Prometheus",
            )

    def _prepare_logs(self) -> NodeLogGroup | None:
        """Where all nodes write; None where they bring no agent, or shall not use it."""
        observed = self._cluster.observability
        if not observed.cloudwatch_agent or self._bundle is None:
            return None
        made = NodeLogGroup(self, "NodeLogs", retention_days=observed.log_retention_days)
        made.grant_write(self._role.role)
        made.grant_metrics(self._role.role, observed.metrics_namespace)
        CfnOutput(self, "NodeLogGroupName", value=made.log_group_name)
        return made

    def _s3_mount(self, construct_id: str, config: S3MountpointConfig) -> S3Mount:
        mountpoint = S3Mountpoint(
            self,
            construct_id,
            bucket_name=config.bucket_name,
            mount_path=config.mount_path,
            prefix=config.prefix,
            read_only=config.read_only,
            kms_key_arn=config.kms_key_arn,
        )
        mountpoint.grant(self._role.role)
        return mountpoint.mount

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
            schedule=scaling_schedule(group),
            ready_within_minutes=self._cluster.compute.boot.timeout_minutes,
        )
        Tags.of(nodes).add(NODE_GROUP_TAG, group.name)
        # A node that boots before its permissions are there cannot fetch its scripts.
        nodes.node.add_dependency(self._role)
        drain = drain_plan(group)
        if drain is not None:
            DrainSchedule(
                scope,
                "DrainSchedule",
                cluster_name=self._cluster.name,
                node_group=group.name,
                plan=drain,
            )
        outputs = {
            "AutoScalingGroupName": nodes.auto_scaling_group_name,
            "LaunchTemplateId": template.launch_template_id,
            **_neuron_outputs(group),
            **self._ultraserver_outputs(group, nodes.auto_scaling_group_name),
        }
        for name, value in outputs.items():
            CfnOutput(self, f"{name}-{group.name}", value=value)

    def _launch_template(self, scope: Construct, group: NodeGroupConfig) -> TrainiumLaunchTemplate:
        image = image_of(group)
        cores = neuron_cores(instance_type(group.instance_type), group.logical_neuroncore_size)
        placement = _placement_group(scope, group)
        return TrainiumLaunchTemplate(
            scope,
            "LaunchTemplate",
            instance_type=group.instance_type,
            image=MachineImage(
                image_id=image.ami_id or f"resolve:ssm:{image.ssm_parameter}",
                root_device_name=image.root_device_name,
            ),
            security_groups=[self._network.node_security_group, *_further_groups(scope, group)],
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
                s3_mounts=self._s3_mounts,
                bundle=self._bundle,
                node=node_settings(
                    self._cluster,
                    group,
                    log_group_name=self._logs.log_group_name if self._logs else None,
                ),
                expected=expected_node(self._cluster, group),
            ),
            placement_group=placement,
            capacity=self._capacity(scope, group, placement),
            volumes=_volumes(group, self._volume_key_arn),
            threads_per_core=group.threads_per_core,
            ip_address_type=self._cluster.network.ip_address_type,
        )

    def _capacity(
        self, scope: Construct, group: NodeGroupConfig, placement: ec2.IPlacementGroup | None
    ) -> NodeCapacity | None:
        capacity = group.capacity
        if capacity.type == "spot":
            return NodeCapacity.spot(max_price_usd=capacity.max_price_usd)
        if capacity.type == "on-demand":
            preference = capacity.capacity_reservation_preference
            return NodeCapacity(preference=preference) if preference else None
        if capacity.type == "on-demand-reservation" and capacity.create:
            return self._new_reservation(scope, group, capacity.create, placement)
        make = (
            NodeCapacity.capacity_block
            if capacity.type == "capacity-block"
            else NodeCapacity.on_demand_reservation
        )
        return make(
            capacity_reservation_id=capacity.capacity_reservation_id,
            resource_group_arn=capacity.capacity_reservation_resource_group_arn,
        )

    def _new_reservation(
        self,
        scope: Construct,
        group: NodeGroupConfig,
        new: NewReservationConfig,
        placement: ec2.IPlacementGroup | None,
    ) -> NodeCapacity:
        zone_id = compute_zone_id(self._cluster)
        if zone_id is None:
            raise ConstructError("network.availability_zone_id is needed to reserve capacity in")
        reservation = CapacityReservation(
            scope,
            "CapacityReservation",
            instance_type=group.instance_type,
            instance_count=group.count,
            availability_zone_id=zone_id,
            end_date=new.end_date,
            unlimited=new.unlimited,
            instance_match_criteria=new.instance_match_criteria,
            placement_group_arn=self._placement_group_arn(group, placement),
        )
        reserved = reservation.capacity_reservation_id
        CfnOutput(self, f"CapacityReservationId-{group.name}", value=reserved)
        targeted = new.instance_match_criteria == "targeted"
        return NodeCapacity.on_demand_reservation(
            capacity_reservation_id=reserved if targeted else None
        )

    def _placement_group_arn(
        self, group: NodeGroupConfig, placement: ec2.IPlacementGroup | None
    ) -> str | None:
        given = group.placement.group_name or ""
        if placement is None or given.startswith("arn:"):
            return given or None
        name = placement.placement_group_name
        parts = ArnComponents(service="ec2", resource="placement-group", resource_name=name)
        return Arn.format(parts, self)

    def _ultraserver_outputs(self, group: NodeGroupConfig, name: str) -> dict[str, str]:
        """How many UltraServers a group makes up, and how to see which nodes belong together."""
        together = ultraservers(group)
        if together is None:
            return {}
        region = self._cluster.region
        nodes = (
            f"$(aws autoscaling describe-auto-scaling-groups --region {region} "
            f"--auto-scaling-group-names {name} --output text "
            "--query 'AutoScalingGroups[].Instances[].InstanceId')"
        )
        return {
            "UltraServers": f"{together.count} x {together.type_name} "
            f"({together.instances_each} nodes each)",
            "UltraServerTopologyCommand": "aws ec2 describe-instance-topology "
            f"--region {region} --instance-ids {nodes} --output table "
            "--query 'Instances[].[CapacityBlockId,InstanceId,NetworkNodes[2]]'",
        }


def _refuse_unlocked(cluster: ClusterConfig) -> None:
    """What a lock does not hold must not become what EC2 finds at launch."""
    for group in cluster.compute.node_groups:
        if group.image and group.image.lock_file and image_of(group).ami_id is None:
            raise ConstructError(
                f"the lock of node group {group.name}, {group.image.lock_file}, holds no image of "
                "its parameter and region, or was not read: load_cluster and with_image_locks read "
                "it, `trnkit images refresh` writes it"
            )


def _neuron_outputs(group: NodeGroupConfig) -> dict[str, str]:
    """What schedulers count on each node; cores are logical ones."""
    cores = neuron_cores(instance_type(group.instance_type), group.logical_neuroncore_size)
    if cores is None:
        return {}
    return {
        "NeuronDevicesPerNode": str(cores.devices),
        "NeuronCoresPerNode": str(cores.logical),
    }


def _placement_group(scope: Construct, group: NodeGroupConfig) -> ec2.IPlacementGroup | None:
    existing = existing_placement_group(group)
    if existing:
        return ec2.PlacementGroup.from_placement_group_name(scope, "ExistingPlacement", existing)
    if uses_placement_group(group):
        return ClusterPlacementGroup(scope, "Placement").placement_group
    return None


def _further_groups(scope: Construct, group: NodeGroupConfig) -> list[ec2.ISecurityGroup]:
    return [
        ec2.SecurityGroup.from_security_group_id(scope, f"SecurityGroup-{group_id}", group_id)
        for group_id in dict.fromkeys(group.additional_security_group_ids)
    ]


def _volumes(group: NodeGroupConfig, key_arn: str | None) -> NodeVolumes:
    root = group.root_volume
    return NodeVolumes(
        root_iops=root.iops,
        root_throughput_mibps=root.throughput_mibps,
        root_kms_key_arn=root.kms_key_arn or key_arn,
        additional=tuple(
            NodeVolume(
                device_name=volume.device_name,
                size_gib=volume.size_gib,
                iops=volume.iops,
                throughput_mibps=volume.throughput_mibps,
                kms_key_arn=volume.kms_key_arn or key_arn,
            )
            for volume in group.additional_volumes
        ),
    )
