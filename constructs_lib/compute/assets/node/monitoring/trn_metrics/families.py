"""The metrics there are. Names of Neuron metrics are those of AWS's exporter.

Sources:
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-monitor-user-guide.html
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-working-monitor.html
"""

from __future__ import annotations

from .exposition import Family


def _gauge(name: str, text: str) -> Family:
    return Family(name, "gauge", text)


def _counter(name: str, text: str) -> Family:
    return Family(name, "counter", text)


MONITOR_UP = _gauge("trn_neuron_monitor_up", "1 when neuron-monitor reported within 3 periods")
REPORT_AGE = _gauge("trn_neuron_report_age_seconds", "Seconds since the last report")
REPORTS = _counter("trn_neuron_reports_total", "Reports read since trn-metrics started")
DISCARDED = _counter("trn_neuron_lines_discarded_total", "Lines that were no report, by reason")
RESTARTS = _counter("trn_neuron_monitor_restarts_total", "Times neuron-monitor was started again")
DROPPED = _gauge(
    "trn_metrics_dropped_series", "Numbers of the last report beyond what a metric may have"
)
GROUP_ERRORS = _gauge("trn_neuron_report_errors", "Parts of the last report that are an error")

INSTANCE_INFO = _gauge("instance_info", "EC2 instance information")
HARDWARE_INFO = _gauge("neuron_hardware_info", "Neuron hardware information")
UTILIZATION = _gauge("neuroncore_utilization_ratio", "NeuronCore utilization ratio")
RUNTIME_MEMORY = _gauge("neuron_runtime_memory_used_bytes", "Runtime memory used bytes")
RUNTIME_VCPU = _gauge("neuron_runtime_vcpu_usage_ratio", "Runtime vCPU utilization ratio")
LATENCY = _gauge("execution_latency_seconds", "Execution latency in seconds")
CORE_MEMORY = {
    kind: _gauge(f"neuroncore_memory_usage_{kind}", f"NeuronCore memory in bytes for {kind}")
    for kind in (
        *("constants", "model_code", "model_shared_scratchpad"),
        *("runtime_memory", "tensors"),
    )
}
ERRORS = _counter("execution_errors_total", "Execution errors total")
STATUS = _counter("execution_status_total", "Execution status total")
ECC = _counter("hardware_ecc_events_total", "Hardware ECC events total")
SYSTEM_VCPUS = _gauge("system_vcpu_count", "System vCPU count")
SYSTEM_USAGE = _gauge("system_vcpu_usage_ratio", "System CPU utilization ratio")
SYSTEM_MEMORY = {
    key: _gauge(f"system_{key}", f"System {key.replace('_', ' ')}")
    for key in (
        *("memory_total_bytes", "memory_used_bytes"),
        *("swap_total_bytes", "swap_used_bytes"),
    )
}

EFA = {
    "rx_bytes": _counter("efa_rx_bytes", "Bytes received"),
    "tx_bytes": _counter("efa_tx_bytes", "Bytes sent"),
    "rx_drops": _counter("efa_rx_dropped", "Packets received and dropped"),
    "rdma_read_bytes": _counter("efa_rdma_read_bytes", "Bytes received by RDMA read"),
    "rdma_write_bytes": _counter("efa_rdma_write_bytes", "Bytes sent by RDMA write"),
    "rdma_write_recv_bytes": _counter("efa_rdma_write_recv_bytes", "Bytes received by RDMA write"),
    "retrans_bytes": _counter("efa_retrans_bytes", "SRD bytes sent again"),
    "retrans_pkts": _counter("efa_retrans_pkts", "SRD packets sent again"),
    "retrans_timeout_events": _counter(
        "efa_retrans_timeout_events", "Times SRD traffic timed out and took another path"
    ),
    "impaired_remote_conn_events": _counter(
        "efa_impaired_remote_conn_events", "Times an SRD connection was slowed down"
    ),
    "unresponsive_remote_events": _counter(
        "efa_unresponsive_remote_events", "Times the other end did not answer"
    ),
}
"""By the name of the driver's file under `hw_counters`."""

NODE_STATE = _gauge("trn_node_state", "1 for the state that the boot left the node in")
NODE_CHECK_TIME = _gauge("trn_node_check_timestamp_seconds", "When trn-node-check last ran")

# One number a node: what CloudWatch is sent.
NODE_READY = _gauge("trn_node_ready", "1 when the boot ended well")
NODE_CHECK_OK = _gauge("trn_node_check_ok", "1 when trn-node-check last passed")
NODE_DEVICES = _gauge("trn_node_neuron_devices", "Neuron devices that neuron-monitor sees")
NODE_UTILIZATION = _gauge(
    "trn_node_neuroncore_utilization_ratio", "Mean over all NeuronCores, idle ones too"
)
NODE_CORES_IN_USE = _gauge("trn_node_neuroncores_in_use", "NeuronCores that a runtime holds")
NODE_DEVICE_MEMORY = _gauge("trn_node_device_memory_used_bytes", "Device memory of all runtimes")
NODE_COMPLETED = _counter("trn_node_executions_completed_total", "Executions that completed")
NODE_FAILED = _counter("trn_node_executions_failed_total", "Executions that did not complete")
NODE_ERRORS = _counter("trn_node_execution_errors_total", "Execution errors of all kinds")
NODE_ECC = _counter("trn_node_ecc_uncorrected_total", "Uncorrected ECC events of all devices")
NODE_EFA = {
    "trn_node_efa_rx_bytes_total": ("rx_bytes",),
    "trn_node_efa_tx_bytes_total": ("tx_bytes",),
    "trn_node_efa_rdma_bytes_total": ("rdma_read_bytes", "rdma_write_bytes"),
    "trn_node_efa_rx_dropped_total": ("rx_drops",),
    "trn_node_efa_retrans_timeouts_total": ("retrans_timeout_events",),
    "trn_node_efa_remote_faults_total": (
        *("impaired_remote_conn_events", "unresponsive_remote_events"),
    ),
}
"""Sums over all EFA devices, of which counters."""
NODE_EFA_FAMILIES = {
    name: _counter(name, f"All EFA devices: {' and '.join(counters)}")
    for name, counters in NODE_EFA.items()
}
