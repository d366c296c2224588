"""The volumes of a node, beyond the size of its root volume."""

from __future__ import annotations

from trnkit.config.values import DeviceName, Int, KmsKeyArn, Section, setting


class RootVolumeConfig(Section):
    """Performance and key of the gp3 root volume; its size is `root_volume_size_gib`."""

    iops: Int | None = setting(
        None,
        ge=1,
        change="new nodes only",
        example=6000,
        description="Operations a second. Left out: gp3's 3000.",
    )
    throughput_mibps: Int | None = setting(
        None,
        ge=1,
        change="new nodes only",
        example=500,
        description="Throughput in MiB/s. Left out: gp3's 125.",
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        change="new nodes only",
        description="Your own key for this volume. Its policy must let Auto Scaling's "
        "service-linked role use it. Left out: as `compute.volume_key` says.",
    )


class AdditionalVolumeConfig(Section):
    """A further gp3 volume of every node."""

    device_name: DeviceName = setting(
        change="new nodes only", example="/dev/sdf", description="Name of the device."
    )
    size_gib: Int = setting(
        ge=1, le=65_536, change="new nodes only", example=1000, description="Size in GiB."
    )
    iops: Int | None = setting(
        None, ge=1, change="new nodes only", description="Operations a second. Left out: 3000."
    )
    throughput_mibps: Int | None = setting(
        None, ge=1, change="new nodes only", description="Throughput in MiB/s. Left out: 125."
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        change="new nodes only",
        description="Your own key for this volume. Left out: as `compute.volume_key` says.",
    )
