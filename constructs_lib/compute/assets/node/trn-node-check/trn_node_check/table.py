"""All checks, in the order in which people would look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, NamedTuple

from . import boot_log, disks, efa, host, kernel_log, lustre, metadata, mounts, neuron, versions

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine
    from .outcome import Outcome


class Check(NamedTuple):
    """One check.

    Attributes:
        name: What --only and --skip call it.
        run: Looks at the machine; several outcomes when it is about several things.
        quick: Whether --quick runs it.
        about: A line for --list.
    """

    name: str
    run: Callable[[Machine, Expected], list[Outcome]]
    quick: bool
    about: str


CHECKS = (
    Check("boot-log", boot_log.check_boot_log, True, "no step of the last boot failed"),
    Check("instance-metadata", metadata.check_metadata, False, "IMDSv2 answers; instance type"),
    Check("processors", host.check_processors, True, "number of vCPUs"),
    Check("memory", host.check_memory, True, "host memory"),
    Check("neuron-devices", neuron.check_devices, True, "number of chips, by two witnesses"),
    Check("neuron-cores", neuron.check_cores, False, "NeuronCores of each chip"),
    Check("neuron-memory", neuron.check_memory, False, "memory of each chip"),
    Check("logical-cores", neuron.check_logical_cores, True, "logical NeuronCore size (LNC)"),
    Check("neuron-versions", versions.check_versions, False, "driver against runtime and tools"),
    Check("neuron-health", neuron.check_health, True, "health and memory errors of each chip"),
    Check("kernel-log", kernel_log.check_kernel_log, True, "no NEURON_HW_ERR since boot"),
    Check("efa-devices", efa.check_devices, True, "number of EFA devices"),
    Check("efa-driver", efa.check_driver, True, "the efa kernel module"),
    Check("efa-provider", efa.check_provider, False, "libfabric's efa provider, not TCP"),
    Check("efa-environment", efa.check_environment, True, "FI_PROVIDER in the node's files"),
    Check("efa-rdma", efa.check_rdma, True, "RDMA switched on and known to the driver"),
    Check("lustre", mounts.check_lustre, True, "Lustre mounted, answering, writable"),
    Check("lustre-servers", lustre.check_servers, False, "connections to all Lustre servers"),
    Check("lustre-network", lustre.check_network, False, "LNet over EFA where it should be"),
    Check("efs", mounts.check_efs, True, "EFS mounted, answering, writable"),
    Check("s3", mounts.check_s3, True, "S3 buckets mounted, answering"),
    Check("compile-cache", mounts.check_compile_cache, True, "the compile cache's folder"),
    Check("instance-store", disks.check_instance_store, True, "NVMe disks striped and mounted"),
    Check("root-disk", disks.check_root_disk, True, "room on the root volume"),
    Check("huge-pages", host.check_huge_pages, True, "huge pages of 2 MiB"),
    Check("limits", host.check_limits, True, "open files and locked memory"),
    Check("clock", host.check_clock, False, "the clock follows a time server"),
)
