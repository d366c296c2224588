"""What reports of neuron-monitor say, one after the other.

Gauges are those of the last report alone. Executions and errors are counted in each report for its
own period, so they are added up. Whether ECC events are counted for the period or since the driver
started, AWS's guide does not say: only growth is added, which never counts an event twice.

Names in reports are text that others chose, so none may fill the memory: a metric has so many
series at most, and a runtime so many names of outcomes or errors; further ones are named `other`.

Source:
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-monitor-user-guide.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from . import families
from .exposition import MOST_LABEL_CHARACTERS, Family, Labels, Sample, labels_of
from .growth import Growth
from .values import entries, mapping, number, numbers

MOST_RUNTIMES = 256
MOST_CORES = 512
MOST_DEVICES = 64
MOST_SERIES = 2048
"""Of one gauge. Each of 256 runtimes has seven percentiles of latency; nothing else is as much."""
MOST_NAMES = 16
"""Of one counter and runtime. AWS's guide has six outcomes, and six kinds of errors."""
OTHER = "other"

_INSTANCE = {
    "instance_name": "instance_name",
    "instance_id": "instance_id",
    "instance_type": "instance_type",
    "availability_zone": "instance_availability_zone",
    "region": "instance_region",
    "subnet_id": "subnet_id",
}
_HARDWARE = (
    *("neuron_device_count", "neuroncore_per_device_count", "neuron_device_type"),
    *("neuroncore_version", "logical_neuroncore_config"),
)
_VCPU_SHARES = {
    "user": ("user", "nice"),
    "system": ("system", "io_wait", "irq", "soft_irq"),
}
_UNCORRECTED = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")
_ECC = ("mem_ecc_corrected", "sram_ecc_corrected", *_UNCORRECTED)
_LOCATIONS = ("host", "neuron_device")
_NAMED_BY = {families.ERRORS: "error_type", families.STATUS: "status_type"}

Key = tuple[Family, Labels]


class NeuronReports:
    """Takes reports, and tells what they amount to. Not for several threads at once."""

    def __init__(self) -> None:
        self._gauges: dict[Key, float] = {}
        self._series: dict[str, int] = {}
        self._dropped = 0
        # By family and tag, then by name: labels of the instance are those of the last report.
        self._counters: dict[tuple[Family, str], dict[str, float]] = {}
        self._ecc_events: dict[tuple[str, int], float] = {}
        self._ecc = Growth(MOST_DEVICES * len(_ECC))
        self._instance: dict[str, object] = {}
        self._errors = 0
        self._completed = self._failed = self._execution_errors = self._uncorrected = 0.0
        self._node: list[Sample] = []

    def take(self, report: Mapping[str, Any]) -> None:
        """Replace what was known by one report, and add what it counts."""
        self._gauges, self._series, self._dropped, self._errors = {}, {}, 0, 0
        self._instance = _instance_labels(mapping(report.get("instance_info")))
        self._gauges[families.INSTANCE_INFO, labels_of(self._instance)] = 1.0
        runtimes = [mapping(r) for r in entries(report.get("neuron_runtime_data"))][:MOST_RUNTIMES]
        tags = {_tag(runtime) for runtime in runtimes}
        self._forget_counters_of_others(tags)
        for runtime in runtimes:
            if runtime.get("error"):
                self._errors += 1
                continue
            self._take_runtime(mapping(runtime.get("report")), _tag(runtime))
        self._take_system(mapping(report.get("system_data")))
        self._summarize(mapping(report.get("neuron_hardware_info")))

    def samples(self) -> Iterator[Sample]:
        """All of the last report."""
        for (family, labels), value in self._gauges.items():
            yield Sample(family, labels, value)
        for (family, tag), counts in self._counters.items():
            of_runtime = {**self._instance, "runtime_tag": tag}
            for name, value in counts.items():
                yield Sample(family, labels_of({**of_runtime, _NAMED_BY[family]: name}), value)
        for (event, index), value in self._ecc_events.items():
            where = {"event_type": event, "neuron_device_index": index}
            yield Sample(families.ECC, labels_of({**self._instance, **where}), value)
        yield Sample(families.GROUP_ERRORS, (), self._errors)
        yield Sample(families.DROPPED, (), self._dropped)

    def node_samples(self) -> list[Sample]:
        """One number a node for each thing."""
        return self._node

    def _forget_counters_of_others(self, tags: set[str]) -> None:
        """Runtimes come and go, each with a tag of its own; their counters must not pile up."""
        for key in [key for key in self._counters if key[1] not in tags]:
            del self._counters[key]

    def _take_runtime(self, report: Mapping[str, Any], tag: str) -> None:
        labels: dict[str, object] = {**self._instance, "runtime_tag": tag}
        takers: dict[str, Callable[[Mapping[str, Any], dict[str, object]], None]] = {
            "neuroncore_counters": self._take_cores,
            "memory_used": self._take_memory,
            "neuron_runtime_vcpu_usage": self._take_vcpu,
            "execution_stats": self._take_executions,
        }
        for group, take in takers.items():
            take(self._group(report, group), labels)

    def _group(self, parts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """A metric group; empty when it holds an error in place of numbers."""
        group = mapping(parts.get(name))
        if not group.get("error"):
            return group
        self._errors += 1
        return {}

    def _set(self, family: Family, labels: Mapping[str, object], value: float) -> None:
        self._gauges[family, labels_of(labels)] = value

    def _has_room(self, key: Key) -> bool:
        """Whether a gauge may have this series too; counts it when it is new."""
        if key in self._gauges:
            return True
        name = key[0].name
        if self._series.get(name, 0) >= MOST_SERIES:
            self._dropped += 1
            return False
        self._series[name] = self._series.get(name, 0) + 1
        return True

    def _add_gauge(self, family: Family, labels: Mapping[str, object], value: float) -> None:
        """Two processes may have the same tag: what they use is theirs together."""
        key = (family, labels_of(labels))
        if self._has_room(key):
            self._gauges[key] = self._gauges.get(key, 0.0) + value

    def _keep_highest(self, family: Family, labels: Mapping[str, object], value: float) -> None:
        key = (family, labels_of(labels))
        if self._has_room(key):
            self._gauges[key] = max(self._gauges.get(key, value), value)

    def _count(self, family: Family, tag: str, name: str, value: float) -> None:
        counts = self._counters.setdefault((family, tag), {})
        name = name[:MOST_LABEL_CHARACTERS]
        if name not in counts and len(counts) >= MOST_NAMES:
            self._dropped += 1
            name = OTHER
        counts[name] = counts.get(name, 0.0) + max(value, 0.0)

    def _take_cores(self, group: Mapping[str, Any], labels: dict[str, object]) -> None:
        cores = mapping(group.get("neuroncores_in_use"))
        for core, data in list(cores.items())[:MOST_CORES]:
            used = number(mapping(data).get("neuroncore_utilization"))
            if used is not None:
                self._keep_highest(
                    families.UTILIZATION, {**labels, "neuroncore": core}, used / 100.0
                )

    def _take_memory(self, group: Mapping[str, Any], labels: dict[str, object]) -> None:
        used = mapping(group.get("neuron_runtime_used_bytes"))
        for location, value in numbers(used).items():
            if location in _LOCATIONS:
                self._add_gauge(
                    families.RUNTIME_MEMORY, {**labels, "memory_location": location}, value
                )
        cores = mapping(mapping(used.get("usage_breakdown")).get("neuroncore_memory_usage"))
        for core, usage in list(cores.items())[:MOST_CORES]:
            for kind, value in numbers(usage).items():
                family = families.CORE_MEMORY.get(kind)
                if family is not None:
                    # AWS's exporter has this label here, always so.
                    of_core = {**labels, "neuroncore": core, "memory_location": "None"}
                    self._add_gauge(family, of_core, value)

    def _take_vcpu(self, group: Mapping[str, Any], labels: dict[str, object]) -> None:
        for usage, value in numbers(group.get("vcpu_usage")).items():
            if usage in ("user", "system"):
                self._add_gauge(
                    families.RUNTIME_VCPU, {**labels, "usage_type": usage}, value / 100.0
                )

    def _take_executions(self, group: Mapping[str, Any], labels: dict[str, object]) -> None:
        tag = str(labels["runtime_tag"])
        for kind, value in list(numbers(group.get("error_summary")).items())[:32]:
            self._count(families.ERRORS, tag, kind, value)
            self._execution_errors += max(value, 0.0)
        for outcome, value in list(numbers(group.get("execution_summary")).items())[:32]:
            self._count(families.STATUS, tag, outcome, value)
            if outcome == "completed":
                self._completed += max(value, 0.0)
            else:
                self._failed += max(value, 0.0)
        latency = mapping(group.get("latency_stats")).get("total_latency")
        for percentile, value in list(numbers(latency).items())[:32]:
            self._keep_highest(families.LATENCY, {**labels, "percentile": percentile}, value)

    def _take_system(self, system: Mapping[str, Any]) -> None:
        self._take_ecc(self._group(system, "neuron_hw_counters"))
        vcpu = self._group(system, "vcpu_usage")
        average = numbers(vcpu.get("average_usage"))
        if average:
            self._set(families.SYSTEM_VCPUS, self._instance, len(mapping(vcpu.get("usage_data"))))
            for usage, parts in _VCPU_SHARES.items():
                share = min(sum(average.get(part, 0.0) for part in parts), 100.0) / 100.0
                self._set(families.SYSTEM_USAGE, {**self._instance, "usage_type": usage}, share)
        for key, value in numbers(self._group(system, "memory_info")).items():
            family = families.SYSTEM_MEMORY.get(key)
            if family is not None:
                self._set(family, self._instance, value)

    def _take_ecc(self, group: Mapping[str, Any]) -> None:
        shown: set[tuple[str, int]] = set()
        for device in entries(group.get("neuron_devices"))[:MOST_DEVICES]:
            counts = numbers(device)
            index = counts.get("neuron_device_index")
            for event in _ECC if index is not None else ():
                if event not in counts:
                    continue
                key = (event, int(index or 0))
                grown = self._ecc.see((event, index), counts[event])
                self._ecc_events[key] = self._ecc_events.get(key, 0.0) + grown
                self._uncorrected += grown if event in _UNCORRECTED else 0.0
                shown.add(key)
        for key in [key for key in self._ecc_events if key not in shown]:
            del self._ecc_events[key]

    def _summarize(self, hardware: Mapping[str, Any]) -> None:
        devices = number(hardware.get("neuron_device_count")) or 0.0
        cores = devices * (number(hardware.get("neuroncore_per_device_count")) or 0.0)
        known = {key: hardware[key] for key in _HARDWARE if key in hardware}
        if hardware.get("error"):
            self._errors += 1
        elif known:
            self._set(families.HARDWARE_INFO, {**self._instance, **known}, 1.0)
        used: dict[str, float] = {}
        for (family, labels), value in self._gauges.items():
            if family is families.UTILIZATION:
                core = dict(labels)["neuroncore"]
                used[core] = max(used.get(core, 0.0), value)
        memory = sum(
            value
            for (family, labels), value in self._gauges.items()
            if family is families.RUNTIME_MEMORY and ("memory_location", "neuron_device") in labels
        )
        self._node = [
            Sample(families.NODE_DEVICES, (), devices),
            Sample(families.NODE_CORES_IN_USE, (), len(used)),
            Sample(families.NODE_DEVICE_MEMORY, (), memory),
            Sample(families.NODE_COMPLETED, (), self._completed),
            Sample(families.NODE_FAILED, (), self._failed),
            Sample(families.NODE_ERRORS, (), self._execution_errors),
            Sample(families.NODE_ECC, (), self._uncorrected),
        ]
        if cores:
            busy = min(sum(used.values()) / cores, 1.0)
            self._node.append(Sample(families.NODE_UTILIZATION, (), busy))


def _instance_labels(info: Mapping[str, Any]) -> dict[str, object]:
    labels: dict[str, object] = {label: info.get(key) or "" for label, key in _INSTANCE.items()}
    if info.get("ultraserver_id"):
        labels["ultraserver_id"] = info["ultraserver_id"]
    return labels


def _tag(runtime: Mapping[str, Any]) -> str:
    tag = runtime.get("neuron_runtime_tag")
    # Cut as labels are, so that one can be found by the other.
    return dict(labels_of({"tag": tag if tag not in (None, "") else runtime.get("pid", "")}))["tag"]
