"""`compute`: the node groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import PrivateAttr

from trnkit.config.boot import BootConfig
from trnkit.config.capacity import CapacityConfig, PlacementConfig
from trnkit.config.image_pipeline import ImagePipelineConfig
from trnkit.config.values import (
    AmiId,
    EachOnce,
    GroupName,
    Int,
    ManagedPolicyArn,
    Section,
    SecurityGroupId,
    SsmParameter,
    Text,
    setting,
)
from trnkit.config.volumes import AdditionalVolumeConfig, RootVolumeConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.config.image_lock import LockedImage

EfaLayout = Literal["ena-primary", "efa-primary", "all-efa"]


class EfaConfig(Section):
    """How a node's Elastic Fabric Adapters are attached."""

    layout: EfaLayout = setting(
        "ena-primary",
        change="new nodes only",
        description="`ena-primary`: plain ENA at card 0 device 0, `efa-only` at card 0 device 1 "
        "and device 0 of every other card (AWS's advice; one IP address a node). `efa-primary`: "
        "`efa` on card 0, `efa-only` elsewhere. `all-efa`: `efa` on every card (the older layout; "
        "one IP address a card).",
    )
    interfaces: Int | None = setting(
        None,
        ge=0,
        le=512,
        change="new nodes only",
        description="Number of EFA interfaces. Left out: all that the instance type has. 0 turns "
        "EFA off.",
    )


class ImageConfig(Section):
    """The machine image: an id, or a parameter with or without a lock."""

    ami_id: AmiId | None = setting(
        None,
        change="new nodes only",
        example="ami-0123456789abcdef0",
        description="A fixed image. Nodes change only when this line changes.",
    )
    ssm_parameter: SsmParameter | None = setting(
        None,
        change="new nodes only",
        example="/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id",
        description="A parameter, of AWS or your own, that EC2 resolves at every launch: nodes "
        "started later may run a newer image than their neighbours. Its name alone, or with a "
        "version or a label after a colon.",
    )
    operating_system: Literal["ubuntu-24.04", "ubuntu-22.04", "amazon-linux-2023"] | None = setting(
        None,
        change="new nodes only",
        example="ubuntu-24.04",
        description="What the image runs; it names the root device. Left out: what the parameter's "
        "name says, else ubuntu-24.04.",
    )
    lock_file: Text | None = setting(
        None,
        change="new nodes only",
        example="images.lock",
        description="A file that says which image the parameter means, relative to this file. "
        "`trnkit images refresh` writes it and you commit it; the nodes get the image that stands "
        "there, and change only when that line changes. Without `ssm_parameter` it is the Neuron "
        "base image's.",
    )
    _locked: Mapping[str, LockedImage] | None = PrivateAttr(default=None)

    @property
    def locked_images(self) -> Mapping[str, LockedImage] | None:
        """What the lock holds for the cluster's region, by parameter; None: no lock was read."""
        return self._locked

    def with_lock(self, images: Mapping[str, LockedImage]) -> Self:
        """The same image, with what its lock holds for the cluster's region, by parameter."""
        copy = self.model_copy()
        copy._locked = images
        return copy


class NodeGroupConfig(Section):
    """A group of equal nodes in one zone, run by an Auto Scaling group."""

    name: GroupName = setting(
        change="replaces nodes", example="train", description="Name, unique within the cluster."
    )
    instance_type: Text = setting(
        change="new nodes only",
        example="trn2.48xlarge",
        description="EC2 instance type; `trnkit catalog list` shows the known ones.",
    )
    count: Int = setting(
        ge=0, le=1024, example=4, description="Number of nodes. 0 keeps the group and no nodes."
    )
    capacity: CapacityConfig = setting(
        CapacityConfig(), change="new nodes only", description="Where the instances come from."
    )
    placement: PlacementConfig = setting(
        PlacementConfig(),
        change="new nodes only",
        description="Placement group. Left out: a new cluster placement group for EFA nodes, and "
        "none with a Capacity Block or a reservation.",
    )
    efa: EfaConfig = setting(
        EfaConfig(),
        change="new nodes only",
        description="Elastic Fabric Adapters. Left out: all that the type has.",
    )
    logical_neuroncore_size: Int | None = setting(
        None,
        ge=1,
        le=8,
        change="new nodes only",
        description="LNC: physical NeuronCores per logical one. Left out: the type's own default "
        "(2 on Trainium2, 1 before).",
    )
    image: ImageConfig | None = setting(
        None,
        change="new nodes only",
        description="Machine image. Left out: the newest Neuron base image at each launch, with a "
        "warning, because it changes under a running cluster.",
    )
    root_volume_size_gib: Int = setting(
        512,
        ge=8,
        le=16384,
        change="new nodes only",
        description="Size of the encrypted gp3 root volume in GiB.",
    )
    root_volume: RootVolumeConfig = setting(
        RootVolumeConfig(),
        change="new nodes only",
        description="Performance and key of the root volume.",
    )
    additional_volumes: tuple[AdditionalVolumeConfig, ...] = setting(
        (),
        max_length=20,
        change="new nodes only",
        description="Further encrypted gp3 volumes, empty and deleted with their node. The boot "
        "script does not format them.",
    )
    additional_security_group_ids: tuple[SecurityGroupId, ...] = setting(
        (),
        max_length=15,
        change="new nodes only",
        description="Security groups of the VPC that every interface gets beside the cluster's "
        "own. AWS's default quota is 5 on an interface, the cluster's included.",
    )
    threads_per_core: Int | None = setting(
        None,
        ge=1,
        le=2,
        change="new nodes only",
        description="1 turns simultaneous multithreading off. Left out: the type's own default.",
    )


class NodeRoleConfig(Section):
    """The IAM role of all nodes."""

    managed_policy_arns: Annotated[tuple[ManagedPolicyArn, ...], EachOnce] = setting(
        (),
        max_length=9,
        example=["arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"],
        description="Managed policies, of AWS or of the account, that the role gets beside "
        "AmazonSSMManagedInstanceCore: what jobs read and write outside the cluster. A role takes "
        "10 unless AWS has raised the quota.",
    )


class ComputeConfig(Section):
    """The accelerated nodes."""

    node_groups: tuple[NodeGroupConfig, ...] = setting(
        min_length=1, max_length=40, description="One or more groups of nodes."
    )
    image_pipeline: ImagePipelineConfig | None = setting(
        None,
        description="A pipeline that bakes images of your own for these nodes. Left out: none.",
    )
    volume_key: Literal["aws-managed", "customer-managed"] = setting(
        "aws-managed",
        change="new nodes only",
        description="What encrypts the nodes' volumes. `aws-managed`: the account's default EBS "
        "key. `customer-managed`: a KMS key that the cluster makes, with the grants that Auto "
        "Scaling needs.",
    )
    node_role: NodeRoleConfig = setting(
        NodeRoleConfig(),
        description="What the nodes may do. Left out: be reached through Session Manager, and use "
        "the cluster's own checkpoint bucket.",
    )
    boot: BootConfig = setting(
        BootConfig(), description="How nodes are made ready before they take work."
    )
