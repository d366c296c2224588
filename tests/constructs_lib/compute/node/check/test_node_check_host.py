"""trn-node-check where it concerns chips' drivers and health, settings, limits, clock, metadata."""

from __future__ import annotations

import json
import resource
import shutil

import pytest

from tests.constructs_lib.compute.node.check.node_machine import (
    CHRONY,
    HARDWARE_ERROR,
    NEURON_SYSFS,
    PACKAGES,
    boot_line,
    dpkg,
    fi_info,
    neuron_ls,
)

RUNTIME, DKMS = "aws-neuronx-runtime-lib", "aws-neuronx-dkms"
TOOLS = "aws-neuronx-tools"


# Two witnesses of the chips.


def test_a_chip_that_only_the_driver_still_shows_fails(node):
    node.neuron_ls(neuron_ls(node.expected["neuron"], logical=True)[:15])
    one = node.check("--only", "neuron-devices").one("neuron-devices")
    assert one["verdict"] == "failed"
    assert one["found"] == (
        "15 of 16 Neuron devices (/dev says 16, the driver says 16, neuron-ls says 15); missing: 15"
    )


def test_a_chip_without_its_device_file_fails(node):
    (node.root / "dev/neuron9").unlink()
    one = node.check("--only", "neuron-devices").one("neuron-devices")
    assert one["found"].startswith("15 of 16 Neuron devices (/dev says 15, the driver says 16")


def test_no_device_though_the_driver_is_loaded_asks_for_another_instance(node):
    for number in range(16):
        node.remove_chip(number)
    node.tool("neuron-ls", code=1, errors="error: no neuron device found\n")
    one = node.check("--only", "neuron-devices").one("neuron-devices")
    assert one["found"] == (
        "no Neuron device; the Neuron driver is loaded; "
        "neuron-ls ended with 1: error: no neuron device found"
    )
    assert one["remedy"].startswith("replace this instance")


def test_cores_may_be_counted_in_silicon_beside_a_logical_size(node):
    """As the table of the tools of SDK 2.21 does: 8 NeuronCores, 4 logical."""
    devices = neuron_ls(node.expected["neuron"], logical=True)
    for one in devices:
        one["nc_count"] = 8
    node.neuron_ls(devices)
    assert node.check("--only", "neuron-cores").verdict("neuron-cores") == "ok"


# Logical cores.


def test_a_file_that_sets_another_size_fails_and_is_named(node):
    node.file("/etc/profile.d/trnkit.sh", "export NEURON_LOGICAL_NC_CONFIG=1\n")
    one = node.check("--only", "logical-cores").one("logical-cores")
    assert (one["verdict"], one["expected"]) == ("failed", "LNC 2")
    assert one["found"] == "/etc/profile.d/trnkit.sh says 1"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/etc/environment", 'NEURON_RT_VIRTUAL_CORE_SIZE="1"\n'),
        (
            "/etc/systemd/system.conf.d/9.conf",
            "[Manager]\nDefaultEnvironment=A=b NEURON_LOGICAL_NC_CONFIG=1\n",
        ),
        ("/opt/aws/neuron/logical_nc_config", "1\n"),
        ("/opt/aws/neuron/logical_nc_config", "NEURON_LOGICAL_NC_CONFIG=1\n"),
        (
            "/opt/aws/neuron/logical_nc_config",
            "NEURON_LOGICAL_NC_CONFIG=2\nNEURON_LOGICAL_NC_CONFIG=1",
        ),
    ],
)
def test_every_file_that_sets_the_size_is_read(node, path, text):
    node.file(path, text)
    run = node.check("--only", "logical-cores", "--quick")
    assert run.one("logical-cores")["found"] == f"{path} says 1"


@pytest.mark.parametrize("text", ["2\n", "NEURON_LOGICAL_NC_CONFIG=2\n", "\n", ""])
def test_the_file_of_the_device_plugin_may_say_the_size_as_aws_documents_it(node, text):
    node.file("/opt/aws/neuron/logical_nc_config", text)
    assert node.check("--only", "logical-cores").verdict("logical-cores") == "ok"


def test_what_neuron_ls_sees_counts_too(node):
    neuron = {**node.expected["neuron"], "logical_neuroncore_size": 1}
    node.neuron_ls(neuron_ls(neuron, logical=True))
    one = node.check("--only", "logical-cores").one("logical-cores")
    assert (one["verdict"], one["found"]) == ("failed", "neuron-ls says 1")


def test_neuron_ls_is_asked_with_the_size_that_the_files_set(node):
    node.expected["neuron"]["logical_neuroncore_size"] = 1
    node.file("/etc/environment", "NEURON_LOGICAL_NC_CONFIG=1\n")
    one, two = (
        node.save(
            json.dumps(
                neuron_ls(
                    {**node.expected["neuron"], "logical_neuroncore_size": size}, logical=True
                )
            )
        )
        for size in (1, 2)
    )
    node.script(
        "neuron-ls", f'[ "$NEURON_LOGICAL_NC_CONFIG" = 1 ] && /bin/cat {one} || /bin/cat {two}'
    )
    assert node.check("--only", "logical-cores,neuron-cores").wrong() == {}


# Versions.


@pytest.mark.parametrize(
    ("driver", "runtime", "tools", "verdict", "words"),
    [
        ("2.27.4.0", "2.31.24.0-0b044f4ce", "2.29.22.0", "ok", "work together"),
        ("2.31.7.0", "2.35.30.0", "2.33.38.0", "ok", "work together"),
        ("2.29.0.0", "2.33.1.0", "", "ok", "work together"),
        ("2.29.0.0", "2.33", "", "ok", "work together"),
        ("2.29.0.0", "2.32.9.0", "", "failed", "driver 2.29 and later work with runtime 2.33"),
        ("2.31.7.0", "2.31.24.0", "", "failed", "driver 2.29 and later work with runtime 2.33"),
        ("2.26.5.0", "2.32.9.0", "", "failed", "runtime 2.32 does not work with driver 2.26"),
        ("2.27.4.0", "2.32.9.0", "", "warning", "came with driver 2.28.0.0 in Neuron SDK 2.30.0"),
        ("2.28.0.0", "2.32.31.0", "", "ok", "work together"),
        ("2.30.2.0", "2.35.30.0", "", "warning", "runtime 2.35.30.0 came with driver 2.31.7.0"),
        ("2.30.2.0", "2.34.10.0", "2.33.38.0", "warning", "tools 2.33.38.0 came with driver 2.31"),
        ("2.26.5.0", "2.31.24.0", "", "warning", "came with driver 2.27.4.0 in Neuron SDK 2.29.0"),
        ("2.99.0.0", "2.99.0.0", "", "ok", "work together"),
        ("2.31.7.0", "", "", "ok", "work together"),
    ],
)
def test_which_drivers_and_runtimes_work_together(node, driver, runtime, tools, verdict, words):
    node.file("/sys/module/neuron/version", f"{driver}\n")
    packages = {DKMS: driver, RUNTIME: runtime, TOOLS: tools}
    node.tool("dpkg-query", dpkg({name: version for name, version in packages.items() if version}))
    one = node.check("--only", "neuron-versions").one("neuron-versions")
    assert (one["verdict"], words in one["expected"]) == (verdict, True)
    assert one["found"].startswith(f"driver {driver}, ")


def test_a_driver_that_was_upgraded_and_not_loaded_is_worth_a_warning(node):
    node.tool("dpkg-query", dpkg({**PACKAGES, DKMS: "2.27.5.0"}))
    one = node.check("--only", "neuron-versions").one("neuron-versions")
    assert (one["verdict"], one["found"]) == (
        "warning",
        "driver 2.27.4.0 is loaded, 2.27.5.0 is installed",
    )


def test_packages_that_were_removed_do_not_count(node):
    node.tool("dpkg-query", f"{RUNTIME} 2.35.30.0 config-files\n{DKMS} 2.27.4.0 installed\n")
    found = node.check("--only", "neuron-versions").one("neuron-versions")["found"]
    assert found == "driver 2.27.4.0, no runtime on the host"


def test_rpm_tells_where_there_is_no_dpkg(node):
    (node.tools / "dpkg-query").unlink()
    node.tool("rpm", f"{RUNTIME} 2.32.9.0\n{DKMS} 2.29.0.0\n")
    node.file("/sys/module/neuron/version", "2.29.0.0\n")
    assert node.check("--only", "neuron-versions").verdict("neuron-versions") == "failed"


def test_a_driver_that_is_not_loaded_is_asked_of_modinfo(node):
    (node.root / "sys/module/neuron/version").unlink()
    assert node.check("--only", "neuron-versions").verdict("neuron-versions") == "unknown"
    node.script("modinfo", f'[ "$*" = "-F version neuron" ] && echo {PACKAGES[DKMS]}')
    assert node.check("--only", "neuron-versions").verdict("neuron-versions") == "ok"


# Health.


@pytest.mark.parametrize(
    ("path", "text", "verdict", "words"),
    [
        ("stats/hardware/mem_ecc_uncorrected", "2\n", "failed", "device 4: 2 mem_ecc_uncorrected"),
        ("stats/hardware/sram_ecc_uncorrected", "1\n", "failed", "device 4: 1 sram_ecc"),
        (
            "stats/hardware/mem_ecc_repairable_uncorrected",
            "3\n",
            "warning",
            "device 4: 3 mem_ecc_r",
        ),
        ("hardware/mem_ecc_uncorrected/total", "7\n", "failed", "device 4: 7 mem_ecc_uncorrected"),
        ("info/health_status", "UNHEALTHY\n", "failed", "device 4 is unhealthy"),
        ("health_status", "healthy\n", "ok", "16 devices"),
        ("health_status", "2\n", "unknown", "device 4 says '2'"),
    ],
)
def test_what_the_driver_keeps_of_health(node, path, text, verdict, words):
    if path.startswith("hardware"):
        (node.root / f"{NEURON_SYSFS}/neuron4/stats/hardware/mem_ecc_uncorrected"[1:]).unlink()
    node.file(f"{NEURON_SYSFS}/neuron4/{path}", text)
    one = node.check("--only", "neuron-health", "--quick").one("neuron-health")
    assert (one["verdict"], one["found"].startswith(words)) == (verdict, True), one


def test_unhealthy_parts_are_named(node):
    node.file(f"{NEURON_SYSFS}/neuron4/health/health_status", "unhealthy\n")
    node.file(f"{NEURON_SYSFS}/neuron4/health/unhealthy_components", "HBM\nNC3\n")
    found = node.check("--only", "neuron-health").one("neuron-health")["found"]
    assert found == "device 4 is unhealthy (HBM NC3)"


def test_a_driver_that_shows_no_health_is_not_judged(node):
    for number in range(16):
        shutil.rmtree(node.root / f"{NEURON_SYSFS}/neuron{number}/stats"[1:])
    assert node.check("--only", "neuron-health").verdict("neuron-health") == "skipped"


def test_hardware_errors_in_the_kernels_log_fail_with_what_the_log_asks_for(node):
    node.tool("dmesg", "x\n" + HARDWARE_ERROR + HARDWARE_ERROR.replace("nd-id=5", "nd-id=11"))
    one = node.check("--only", "kernel-log").one("kernel-log")
    assert one["verdict"] == "failed"
    assert one["found"] == "2 in the kernel log: SRAM_UNCORRECTABLE_ERROR on device 11, 5"
    assert one["remedy"] == "replace this instance"
    node.tool("dmesg", HARDWARE_ERROR.replace("TERMINATE_INSTANCE", "RESET_DEVICE"))
    assert node.check("--only", "kernel-log").one("kernel-log")["remedy"] == (
        "follow the log: RESET_DEVICE"
    )


def test_the_journal_is_read_by_who_may_not_read_dmesg(node):
    refused = "dmesg: read kernel buffer failed: Operation not permitted\n"
    node.tool("dmesg", code=1, errors=refused)
    one = node.check("--only", "kernel-log").one("kernel-log")
    assert one["verdict"] == "unknown"
    assert "Operation not permitted" in one["found"]
    assert "as root" in one["remedy"]
    node.tool("journalctl", HARDWARE_ERROR)
    assert node.check("--only", "kernel-log").verdict("kernel-log") == "failed"


# EFA.


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("efa", "ok"),
        ("efa;ofi_rxd", "ok"),
        ("shm,efa", "ok"),
        ("^tcp", "ok"),
        ("tcp", "failed"),
        ("sockets", "failed"),
        ("^efa", "failed"),
        ("tcp;ofi_rxm", "failed"),
    ],
)
@pytest.mark.parametrize("place", ["/etc/environment", "/etc/profile.d/site.sh", "here"])
def test_settings_that_send_traffic_over_tcp(node, value, verdict, place):
    here = {"FI_PROVIDER": value} if place == "here" else {}
    if place != "here":
        export = "export " if place.endswith(".sh") else ""
        node.file(place, f"{export}FI_PROVIDER='{value}'\n")
    one = node.check("--only", "efa-environment", environment=here).one("efa-environment")
    assert one["verdict"] == verdict
    if verdict == "failed":
        where = "this process" if place == "here" else place
        assert one["found"] == f"{where} sets FI_PROVIDER={value}: traffic goes over TCP"


def test_settings_that_nobody_makes_are_worth_a_warning(node):
    node.file("/etc/environment", "# FI_PROVIDER=efa\nunbalanced='\n")
    run = node.check("--only", "efa-environment,efa-rdma")
    assert run.wrong() == {"efa-environment": "warning", "efa-rdma": "warning"}


@pytest.mark.parametrize("quick", [(), ("--quick",)])
def test_rdma_switched_off_fails(node, quick):
    node.file("/etc/profile.d/z.sh", "FI_EFA_USE_DEVICE_RDMA=0\n")
    one = node.check("--only", "efa-rdma", *quick).one("efa-rdma")
    assert one["verdict"] == "failed"
    assert one["found"] == "/etc/profile.d/z.sh sets FI_EFA_USE_DEVICE_RDMA=0"


def test_a_driver_without_rdma_is_worth_a_warning(node):
    counters = node.root / "sys/class/infiniband/rdmap0s0/ports/1/hw_counters"
    for counter in counters.glob("rdma_*"):
        counter.unlink()
    one = node.check("--only", "efa-rdma").one("efa-rdma")
    assert (one["verdict"], one["found"]) == (
        "warning",
        "the driver of rdmap0s0 has no RDMA counters",
    )


def test_efa_direct_does_not_count_a_device_twice(node):
    node.tool(
        "fi_info", fi_info(8) + fi_info(8, "efa-direct") + fi_info(8).replace("-rdm", "-dgrm")
    )
    one = node.check("--only", "efa-provider").one("efa-provider")
    assert (one["verdict"], one["found"]) == ("failed", "8 of 16 domains of the efa provider")


def test_fi_info_is_asked_without_the_users_own_provider(node):
    good = node.save(fi_info(16))
    node.script("fi_info", f'[ -z "${{FI_PROVIDER+set}}" ] && /bin/cat {good} || exit 61')
    environment = {"FI_PROVIDER": "tcp"}
    run = node.check("--only", "efa-provider", environment=environment)
    assert run.verdict("efa-provider") == "ok"


def test_a_host_without_libfabric_is_warned_of_and_one_without_fi_info_is_unknown(node):
    (node.tools / "fi_info").unlink()
    assert node.check("--only", "efa-provider").verdict("efa-provider") == "warning"
    node.file("/opt/amazon/efa/lib64/libfabric.so.1", "")
    assert node.check("--only", "efa-provider").verdict("efa-provider") == "unknown"


def test_devices_of_another_maker_do_not_count_and_names_do_without_a_vendor(node):
    for number in range(8):
        node.file(f"/sys/class/infiniband/rdmap{number}s0/device/vendor", "0x15b3\n")
    (node.root / "sys/class/infiniband/rdmap9s0/device/vendor").unlink()
    found = node.check("--only", "efa-devices").one("efa-devices")["found"]
    assert found == "8 of 16 EFA devices (/sys/class/infiniband)"


def test_ibv_devices_tells_where_the_kernels_folder_is_hidden(node):
    shutil.rmtree(node.root / "sys/class/infiniband")
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html; ibv_devices(1)
    rows = "".join(f"    rdmap{n}s0\t06f2a1fffe1b2c3d\n" for n in range(16))
    node.tool("ibv_devices", "    device          \t   node GUID\n    ------  \t-----\n" + rows)
    assert node.check("--only", "efa-devices").verdict("efa-devices") == "ok"


# Host.


def test_fewer_processors_less_memory_and_fewer_huge_pages_are_worth_a_warning(node):
    node.file("/sys/devices/system/cpu/online", "0-95\n")
    node.file("/proc/meminfo", "MemTotal: 1000000000 kB\n")
    node.file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "5127\n")
    run = node.check("--only", "processors,memory,huge-pages")
    assert run.wrong() == dict.fromkeys(("processors", "memory", "huge-pages"), "warning")
    assert [one["found"] for one in run.body["checks"]] == [
        "96 vCPUs",
        "953.7 GiB of memory",
        "5127 huge pages of 2 MiB",
    ]


@pytest.mark.parametrize(
    ("size", "verdict"), [("2048 kB", "ok"), ("1048576 kB", "unknown"), ("", "unknown")]
)
def test_meminfo_tells_huge_pages_where_sys_does_not(node, size, verdict):
    (node.root / "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").unlink()
    node.file("/proc/meminfo", f"HugePages_Total:    5128\nHugepagesize:       {size}\n")
    assert node.check("--only", "huge-pages").verdict("huge-pages") == verdict


@pytest.mark.parametrize("text", ["", "x", "0-", "0-3,", "0-99999999999"])
def test_a_list_of_processors_that_is_none_is_unknown(node, text):
    node.file("/sys/devices/system/cpu/online", text)
    assert node.check("--only", "processors").verdict("processors") == "unknown"


GOOD = "* - nofile 65536\n* - memlock unlimited\n"


@pytest.mark.parametrize(
    ("files", "verdict", "words"),
    [
        ({"99-trnkit.conf": GOOD}, "ok", "high enough"),
        ({"01_efa.conf": "* soft nofile 8192\n", "99-trnkit.conf": GOOD}, "ok", "high enough"),
        ({"01_efa.conf": GOOD, "99-site.conf": "* soft nofile 8192\n"}, "failed", "nofile 8192"),
        ({"01_efa.conf": GOOD, "a.conf": "* hard memlock 64\n"}, "failed", "memlock 64 (/etc/secu"),
        ({"01_efa.conf": GOOD, "a.conf": "root hard nofile 64\n#* - nofile 1\n"}, "ok", "high"),
        ({"01_efa.conf": GOOD, "a.conf.bak": "* - nofile 64\n"}, "ok", "high enough"),
        ({"01_efa.conf": "* - nofile 65536\n"}, "warning", "no file sets memlock for *"),
        ({}, "warning", "no file sets nofile and memlock for *"),
    ],
)
def test_limits_of_logins_as_pam_reads_them(node, files, verdict, words):
    (node.root / "etc/security/limits.d/99-trnkit.conf").unlink()
    for name, text in files.items():
        node.file(f"/etc/security/limits.d/{name}", text)
    one = node.check("--only", "limits").one("limits")
    assert (one["verdict"], words in one["found"]) == (verdict, True), one


def test_in_a_prolog_slurmds_own_limits_count(node):
    job = {"SLURM_JOB_ID": "7"}

    def low():
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))

    one = node.check("--only", "limits", environment=job, preexec_fn=low).one("limits")
    assert (one["verdict"], one["found"]) == (
        "failed",
        "slurmd has nofile 1024, memlock 65536 bytes",
    )
    assert "LimitMEMLOCK=infinity" in one["remedy"]


# Clock.


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        (CHRONY, "ok", "synchronised, 0.005 ms fast"),
        (
            CHRONY.replace("0.000004709 seconds fast", "0.250000000 seconds slow"),
            "warning",
            "0.250",
        ),
        (CHRONY.replace("0.000004709 seconds fast", "4.117300000 seconds slow"), "failed", "4.1 s"),
        (CHRONY.replace("Normal", "Not synchronised"), "warning", "follows no time server"),
        ("506 Cannot talk to daemon\n", "unknown", "chronyc"),
    ],
)
def test_the_clock_by_chrony(node, text, verdict, words):
    node.tool("chronyc", text, code=1 if text.startswith("506") else 0)
    one = node.check("--only", "clock").one("clock")
    assert (one["verdict"], words in one["found"]) == (verdict, True), one


@pytest.mark.parametrize(("said", "verdict"), [("yes", "ok"), ("no", "warning"), ("", "unknown")])
def test_timedatectl_tells_where_there_is_no_chrony(node, said, verdict):
    (node.tools / "chronyc").unlink()
    node.tool("timedatectl", f"{said}\n")
    assert node.check("--only", "clock").verdict("clock") == verdict


# Metadata.


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_metadata_service_that_refuses_fails(node, metadata, status):
    metadata.status = status
    one = node.check("--only", "instance-metadata").one("instance-metadata")
    assert one["verdict"] == "failed"
    assert one["found"].endswith(f"PUT /latest/api/token was answered with {status}")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://127.0.0.1:x", "http://", "nonsense"])
def test_a_metadata_service_that_is_not_there_fails(node, url):
    node.environment["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = url
    one = node.check("--only", "instance-metadata").one("instance-metadata")
    assert (one["verdict"], one["found"].startswith(f"{url}: ")) == ("failed", True)


def test_a_metadata_service_that_does_not_answer_fails_in_time(node, metadata):
    metadata.delay = 3
    run = node.check("--only", "instance-metadata", "--timeout", "0.5")
    metadata.delay = 0
    assert run.one("instance-metadata")["found"].endswith("timed out")
    assert run.body["seconds"] < 2.5


# The boot's log.


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        (boot_line("a") + boot_line("boot"), "ok", "1 steps of the last boot are ok"),
        (boot_line("a"), "ok", "1 steps"),
        (
            boot_line("a", "failed", "no route") + boot_line("boot", "failed"),
            "failed",
            "a: no route",
        ),
        (
            boot_line("a", "failed")
            + boot_line("boot", "failed")
            + boot_line("a")
            + boot_line("boot"),
            "ok",
            "1 steps",
        ),
        (boot_line("boot") + boot_line("a", "failed"), "failed", "a: failed"),
        (
            boot_line("a") + boot_line("node-check", "failed") + boot_line("boot", "failed"),
            "ok",
            "1 steps",
        ),
        ("garbage\n[1]\n{}\n" + boot_line("a"), "ok", "1 steps"),
        (boot_line("a") + boot_line("b", "warning", "late"), "warning", "b: late"),
        (boot_line("a") + boot_line("b", "skipped", "no disk"), "ok", "2 steps"),
        (
            boot_line("a", "failed", attempt=1)
            + boot_line("a", attempt=2)
            + boot_line("b", attempt=2),
            "ok",
            "2 steps",
        ),
        ("", "unknown", "holds no step"),
        (None, "unknown", "does not exist"),
    ],
)
def test_the_last_boot_counts_and_this_check_itself_does_not(node, text, verdict, words):
    if text is None:
        (node.root / "var/log/trnkit-boot.log").unlink()
    else:
        node.file("/var/log/trnkit-boot.log", text)
    one = node.check("--only", "boot-log", "--quick").one("boot-log")
    assert (one["verdict"], words in one["found"]) == (verdict, True), one


def test_the_end_of_a_very_long_log_is_read(node):
    long = boot_line("a", "failed", "x" * 200) * 30_000 + boot_line("boot") + boot_line("a")
    node.file("/var/log/trnkit-boot.log", long)
    assert node.check("--only", "boot-log").verdict("boot-log") == "ok"
