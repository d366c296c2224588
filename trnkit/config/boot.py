"""`compute.boot`: what happens on a node before it takes work."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import Bool, CompileCache, Int, MountPath, Section, setting


class BootConfig(Section):
    """How nodes are made ready, and what becomes of one that is not."""

    delivery: Literal["s3-asset", "inline"] = setting(
        "s3-asset",
        change="new nodes only",
        description="How the boot scripts reach a node. `s3-asset`: `cdk deploy` publishes them to "
        "the bootstrap bucket, and nodes fetch them from S3 and prove all files by one digest. "
        "`inline`: they "
        "stand in the user data, for templates that are deployed without the CDK; without node "
        "check and monitoring, which have no room there.",
    )
    failure: Literal["replace", "keep"] = setting(
        "replace",
        change="new nodes only",
        description="What becomes of a node whose boot fails. `replace`: it never enters service, "
        "and Auto Scaling replaces it after `timeout_minutes`, in which you can look at it. "
        "`keep`: it enters service, marked as failed, and stays.",
    )
    timeout_minutes: Int = setting(
        30,
        ge=10,
        le=120,
        description="Minutes in which a new node must report that it is ready. While its steps "
        "run (a slow package mirror), it reports every five minutes that it goes on, for two hours "
        "at most.",
    )
    instance_store_path: MountPath | None = setting(
        "/local",
        change="new nodes only",
        description="Where the instance store is mounted, all its disks as one (RAID 0). What is "
        "there is lost when the node stops. `null` leaves the disks alone; types without disks "
        "have nothing there.",
    )
    hold_packages: Bool = setting(
        True,
        change="new nodes only",
        description="Whether kernel and Neuron packages stay at the image's versions, and nothing "
        "is upgraded unasked: the Lustre client and the Neuron driver are made for one kernel.",
    )
    huge_pages: Int | None = setting(
        None,
        ge=0,
        le=1_000_000,
        change="new nodes only",
        example=8192,
        description="Huge pages of 2 MiB. Left out: those that the EFA driver's installation "
        "reserves, also where the image has forgotten them.",
    )
    compile_cache: CompileCache | None = setting(
        None,
        change="new nodes only",
        example="/fsx/neuron-compile-cache",
        description="Where compiled Neuron programs are kept for all nodes: a folder of a shared "
        "file system, or an `s3://` address that the node role may write. Each SDK version has a "
        "folder of its own below. Left out: each node compiles for itself, in "
        "/var/tmp/neuron-compile-cache.",
    )
    node_check: Bool = setting(
        True,
        change="new nodes only",
        description="Whether a node checks chips, EFA devices, mounts and more against what its "
        "type must have, before it takes work.",
    )
