"""trn-metrics as a process: what it serves, where, and how it lives with neuron-monitor."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path

import pytest

from tests.constructs_lib.compute.node.monitoring_machine import (
    MONITORING,
    Machine,
    find,
    report,
    runtime,
)

sys.path.insert(0, str(MONITORING))
try:
    from trn_metrics.listening import address_of
finally:
    sys.path.remove(str(MONITORING))


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.stop()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def listening_addresses(pid):
    """Local addresses of the listening TCP sockets of a process, IPv4 and IPv6."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except FileNotFoundError:
            continue  # Closed since the folder was read.
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        path = Path(f"/proc/{pid}/net/{table}")
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                found.append(fields[1].rpartition(":")[0])
    return found


def test_a_scrape_shows_the_last_report_under_the_names_of_awss_exporter(machine):
    machine.says(report(runtime()))
    machine.start()
    samples = machine.until_reports(1)
    labels = {
        "instance_id": "i-0011223344556677a",
        "instance_type": "trn2.48xlarge",
        "availability_zone": "us-west-2b",
        "region": "us-west-2",
        "subnet_id": "subnet-112233ee",
        "instance_name": "My_Instance",
    }
    of_runtime = {**labels, "runtime_tag": "my_app_1"}
    assert find(samples, "neuroncore_utilization_ratio", neuroncore="0", **of_runtime) == 0.42
    assert (
        find(samples, "neuroncore_memory_usage_tensors", neuroncore="1", memory_location="None")
        == 20971520
    )
    assert find(samples, "execution_status_total", status_type="completed", **of_runtime) == 123
    assert find(samples, "execution_errors_total", error_type="hardware", **of_runtime) == 2
    assert find(samples, "neuron_runtime_memory_used_bytes", memory_location="host") == 6997643264
    assert find(samples, "execution_latency_seconds", percentile="p50") == 0.01100008
    assert find(samples, "neuron_runtime_vcpu_usage_ratio", usage_type="system") == 0.125
    assert find(samples, "neuron_hardware_info", neuron_device_count="16", **labels) == 1
    assert find(samples, "instance_info", **labels) == 1
    ecc = {"event_type": "mem_ecc_corrected", "neuron_device_index": "0"}
    assert find(samples, "hardware_ecc_events_total", **ecc) == 3
    assert find(samples, "system_vcpu_usage_ratio", usage_type="system") == 0.23
    assert find(samples, "system_memory_used_bytes") == 16042344448
    assert machine.starts[0].split(" ", 1)[1] == f"-c {machine.config}"


def test_it_listens_at_loopback_and_nowhere_else(machine):
    machine.start()
    assert machine.address == "127.0.0.1"
    assert listening_addresses(machine.process.pid) == ["0100007F"]


def test_no_choice_makes_it_listen_everywhere(machine):
    for address in ("0.0.0.0", "::", "public", "10.0.0.1"):
        run = subprocess.run(
            [
                *(sys.executable, "-I", str(MONITORING / "trn-metrics")),
                *("--config", str(machine.config), "--listen", address),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 2
        assert "invalid choice" in run.stderr


class Metadata:
    """An instance metadata service (IMDSv2) on a port of this machine."""

    def __init__(self, answers, status=200):
        asked = self.asked = []

        class Handler(BaseHTTPRequestHandler):
            def answer(self, text, code=status):
                self.send_response(code)
                self.end_headers()
                self.wfile.write(text.encode())

            def do_PUT(self):
                asked.append(("PUT", self.path))
                assert self.headers["X-aws-ec2-metadata-token-ttl-seconds"]
                self.answer("the-token")

            def do_GET(self):
                asked.append(("GET", self.path))
                known = self.headers["X-aws-ec2-metadata-token"] == "the-token"
                self.answer(answers.get(self.path, ""), status if known else 401)

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.where = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


PRIVATE = "/latest/meta-data/local-ipv4"


def refused(machine, metadata):
    run = subprocess.run(
        [
            *(sys.executable, "-I", str(MONITORING / "trn-metrics"), "--port", "0"),
            *("--config", str(machine.config), "--listen", "private", "--metadata", metadata),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert run.returncode == 1
    return run.stderr


PUBLIC = ["8.8.8.8", "52.95.110.1", "100.63.255.255", "100.128.0.0", "172.32.0.1"]


@pytest.mark.parametrize(
    "said",
    [
        *("0.0.0.0", "127.0.0.1", "224.0.0.1", "169.254.1.1", "240.0.0.1", "255.255.255.255"),
        *("::", "fd00::1", "", "here"),
        *PUBLIC,
    ],
)
def test_what_the_metadata_says_must_be_an_address_of_the_node(machine, said):
    metadata = Metadata({PRIVATE: said})
    assert "has no private address" in refused(machine, metadata.where)
    assert metadata.asked == [("PUT", "/latest/api/token"), ("GET", PRIVATE)]


@pytest.mark.parametrize(
    "said", ["10.0.0.7", "172.16.0.9", "172.31.255.254", "192.168.1.1", "100.64.0.1", "100.127.9.9"]
)
def test_private_and_shared_ranges_are_those_that_vpcs_have(said):
    assert address_of("private", Metadata({PRIVATE: said}).where) == said


def test_without_metadata_it_ends_and_leaves_the_next_try_to_systemd(machine):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{closed.getsockname()[1]}"
    assert "has no private address" in refused(machine, where)
    assert "has no private address" in refused(machine, Metadata({}, status=500).where)


def test_an_address_that_is_not_the_nodes_is_not_listened_at(machine):
    # A network for documentation (RFC 5737): no machine has it.
    assert "Cannot assign" in refused(machine, Metadata({PRIVATE: "192.0.2.7"}).where)


def own_address():
    """An address of this machine other than loopback; None when it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(asked.fileno(), 0x8915, request)  # SIOCGIFADDR
            except OSError:
                continue  # An interface without an IPv4 address.
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                return address
    return None


def test_private_listens_at_the_primary_private_address_alone(machine):
    address = own_address()
    if address is None:
        pytest.skip("this machine has no address besides loopback")
    machine.start("--listen", "private", "--metadata", Metadata({PRIVATE: address}).where)
    assert machine.address == address
    (bound,) = listening_addresses(machine.process.pid)
    assert bound == "".join(f"{int(part):02X}" for part in reversed(address.split(".")))


def test_a_node_without_runtime_is_healthy_and_shows_no_core(machine):
    machine.says(report())
    machine.start()
    samples = machine.until_reports(1)
    assert not [name for name, _ in samples if name.startswith("neuroncore_")]
    assert find(samples, "trn_node_neuroncores_in_use") == 0
    assert find(samples, "trn_node_neuroncore_utilization_ratio") == 0
    assert find(samples, "trn_neuron_monitor_up") == 1
    assert machine.get("/healthz") == (200, "ok\n")


def test_stale_numbers_go_and_come_back_with_the_next_report(machine):
    machine.period("200ms")
    machine.says(report(runtime()))
    machine.start("--patience", "3")
    machine.until_reports(1)
    stale = machine.until(lambda s: find(s, "trn_neuron_monitor_up") == 0)
    left = {name for name, _ in stale}
    assert not left & {"neuroncore_utilization_ratio", "execution_status_total", "instance_info"}
    assert not [n for n in left if n.startswith("trn_node_neuron")]
    status, words = machine.get("/healthz")
    assert (status, words) == (503, "no report of neuron-monitor within 3 periods\n")
    assert find(machine.scrape("/metrics/node"), "trn_neuron_monitor_up") == 0
    # Silence ends with a new start, which reports again.
    fresh = machine.until(lambda s: find(s, "trn_neuron_monitor_up") == 1)
    assert find(fresh, "trn_neuron_monitor_restarts_total") >= 1
    assert find(fresh, "neuroncore_utilization_ratio", neuroncore="1") == 0.22


def test_a_monitor_that_dies_is_started_again_and_counters_go_on(machine):
    machine.says(report(runtime(completed=10)))
    machine.does("dies")
    machine.start()
    samples = machine.until_reports(3)
    assert len(machine.starts) >= 3
    assert find(samples, "trn_neuron_monitor_restarts_total") >= 2
    reports = find(samples, "trn_neuron_reports_total")
    assert find(samples, "execution_status_total", status_type="completed") == 10 * reports
    assert find(samples, "trn_node_executions_completed_total") == 10 * reports
    # Each report says 3 events: the same ones.
    assert find(samples, "hardware_ecc_events_total", event_type="mem_ecc_corrected") == 3


def test_between_starts_without_a_report_the_wait_doubles(machine):
    machine.says()
    machine.does("dies")
    machine.start()
    end = time.monotonic() + 60
    while len(machine.starts) < 4:
        assert time.monotonic() < end
        time.sleep(0.1)
    at = [float(line) for line in machine.start_times]
    first, second, third = (b - a for a, b in pairwise(at))
    assert (first >= 1, second >= 2, third >= 4) == (True, True, True)


def test_a_node_without_neuron_monitor_serves_what_else_there_is(machine):
    machine.file("run/trnkit/node-state", "ready\n")
    machine.start(stub="/nowhere/neuron-monitor")
    samples = machine.scrape("/metrics/node")
    assert find(samples, "trn_neuron_monitor_up") == 0
    assert find(samples, "trn_node_ready") == 1
    assert machine.get("/healthz")[0] == 503


def test_lines_that_are_no_report_are_counted_and_harm_nothing(machine):
    machine.says(
        b"not json\n",
        b"[1, 2]\n",
        b'{"something": "else"}\n',
        b"[" * 100_000 + b"\n",
        b"\xff\xfe\n",
        b"\n",
        b'{"neuron_runtime_data": "' + b"x" * (5 << 20) + b'"}\n',
        report(runtime()),
    )
    machine.start()
    samples = machine.until_reports(1)
    assert find(samples, "trn_neuron_lines_discarded_total", reason="malformed") == 5
    assert find(samples, "trn_neuron_lines_discarded_total", reason="too_long") == 1
    assert find(samples, "neuroncore_utilization_ratio", neuroncore="0") == 0.42


def test_an_endless_line_does_not_fill_the_memory(machine):
    machine.says(b"x" * (64 << 20))
    machine.start()
    machine.until(lambda s: find(s, "trn_neuron_lines_discarded_total", reason="too_long") == 1)
    time.sleep(0.5)
    status = Path(f"/proc/{machine.process.pid}/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0])
    assert peak < 64 << 10, f"{peak} KiB at most"


def test_half_a_line_of_a_dead_monitor_is_not_joined_with_the_next_one(machine):
    whole = json.dumps(report(runtime())).encode() + b"\n"
    machine.says(whole, whole[:100])
    machine.does("dies")
    machine.start()
    samples = machine.until_reports(2)
    assert find(samples, "trn_neuron_lines_discarded_total", reason="malformed") == 0


@pytest.mark.parametrize("deaf", [False, True])
def test_sigterm_ends_both_and_the_exit_code_is_zero(machine, deaf):
    if deaf:
        machine.does("deaf")
    machine.says(report())
    machine.start()
    machine.until_reports(1)
    child = int(machine.starts[0].split()[0])
    assert is_alive(child)
    machine.process.send_signal(signal.SIGTERM)
    assert machine.process.wait(15) == 0
    assert not is_alive(child)


def test_the_node_page_has_one_number_a_name_and_no_labels(machine):
    machine.says(report(runtime("a"), runtime("b")))
    for index in range(16):
        for counter in ("rx_bytes", "tx_bytes", "rdma_read_bytes", "rx_drops"):
            machine.file(f"sys/class/infiniband/efa_{index}/ports/1/hw_counters/{counter}", "7\n")
    machine.start()
    machine.until_reports(1)
    samples = machine.scrape("/metrics/node")
    assert all(not labels for _, labels in samples)
    assert len(samples) <= 20
    assert find(samples, "trn_node_efa_rx_bytes_total") == 16 * 7
    assert find(samples, "trn_node_device_memory_used_bytes") == 2 * 12519788544
    # Two of 64 logical cores are in use, by 42 and 22 percent.
    assert find(samples, "trn_node_neuroncore_utilization_ratio") == pytest.approx(0.64 / 64)


def test_other_paths_and_methods_are_refused(machine):
    machine.start()
    assert machine.get("/")[0] == 404
    assert machine.get("/metrics/../etc/passwd")[0] == 404
    assert machine.get("/metrics?x=1")[0] == 200
    with socket.create_connection(("127.0.0.1", machine.port), timeout=5) as connection:
        connection.sendall(b"POST /metrics HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
        assert b" 501 " in connection.recv(200)


def test_clients_that_say_nothing_keep_nobody_else_out_for_long(machine):
    machine.start()
    silent = [socket.create_connection(("127.0.0.1", machine.port)) for _ in range(12)]
    try:
        end = time.monotonic() + 15
        while True:
            try:
                assert machine.get("/metrics")[0] == 200
                break
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.2)
    finally:
        for connection in silent:
            connection.close()


def test_a_client_that_hangs_up_is_not_a_fault(machine):
    machine.start()
    connection = socket.create_connection(("127.0.0.1", machine.port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.sendall(b"GET /met")
    connection.close()
    time.sleep(0.2)
    assert machine.get("/metrics")[0] == 200
    machine.process.send_signal(signal.SIGTERM)
    machine.process.wait(15)
    assert "Traceback" not in machine.process.stderr.read()


@pytest.mark.parametrize(
    "config", ["not json", '{"period": "soon"}', '{"period": "0s"}', '{"period": 5}']
)
def test_a_configuration_without_a_period_is_refused(machine, config):
    machine.config.write_text(config)
    machine.start()
    assert machine.process.wait(10) == 1
    assert machine.spoken[0].startswith("trn-metrics: ")


@pytest.mark.parametrize("config", ["[" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000])
def test_a_configuration_that_is_too_deep_is_refused_in_one_line(machine, config):
    machine.config.write_text(config)
    machine.start()
    assert machine.process.wait(10) == 1
    assert machine.spoken[0].startswith("trn-metrics: ")
    assert "too deep" in machine.spoken[0]
    assert len(machine.spoken) == 1


def test_a_port_that_is_taken_is_told(machine):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        machine.start("--port", str(taken.getsockname()[1]))
        assert machine.process.wait(10) == 1
    assert "in use" in machine.spoken[0]
