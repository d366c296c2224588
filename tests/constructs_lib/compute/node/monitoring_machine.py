"""trn-metrics as a process, a neuron-monitor that says what a test wants, and a strict reader."""

from __future__ import annotations

import copy
import http.client
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import constructs_lib.compute

NODE = Path(constructs_lib.compute.__file__).parent / "assets" / "node"
MONITORING = NODE / "monitoring"

INSTANCE = {
    "instance_name": "My_Instance",
    "instance_id": "i-0011223344556677a",
    "instance_type": "trn2.48xlarge",
    "instance_availability_zone": "us-west-2b",
    "instance_availability_zone_id": "usw2-az2",
    "instance_region": "us-west-2",
    "ami_id": "ami-0011223344556677b",
    "subnet_id": "subnet-112233ee",
    "error": "",
}
HARDWARE = {
    "neuron_device_type": "trainium2",
    "neuron_device_version": "v4",
    "neuroncore_version": "v3d",
    "neuron_device_count": 16,
    "neuron_device_memory_size": 96 << 30,
    "neuroncore_per_device_count": 4,
    "logical_neuroncore_config": 2,
    "error": "",
}
_CORE_MEMORY = {
    "constants": 193986816,
    "model_code": 176285056,
    "model_shared_scratchpad": 0,
    "runtime_memory": 0,
    "tensors": 20971520,
}
# The parts of a report as AWS's guide documents them.
RUNTIME = {
    "pid": 4711,
    "address": "",
    "neuron_runtime_tag": "my_app_1",
    "error": "",
    "report": {
        "neuroncore_counters": {
            "period": 1.000113182,
            "neuroncores_in_use": {
                "0": {
                    "neuroncore_utilization": 42.0,
                    "flops": 1234567891011,
                    "v3d": {
                        "nc_v3.0": {"neuroncore_utilization": 21.01},
                        "nc_v3.1": {"neuroncore_utilization": 63.01},
                    },
                },
                "1": {"neuroncore_utilization": 22.0, "flops": 1234567891021},
            },
            "error": "",
        },
        "execution_stats": {
            "period": 1.030613214,
            "error_summary": {
                "generic": 0,
                "numerical": 1,
                "transient": 0,
                "model": 0,
                "runtime": 0,
                "hardware": 2,
            },
            "execution_summary": {
                "completed": 123,
                "completed_with_err": 2,
                "completed_with_num_err": 1,
                "timed_out": 0,
                "incorrect_input": 0,
                "failed_to_queue": 0,
            },
            "latency_stats": {
                "total_latency": {"p0": 0.01100001, "p50": 0.01100008, "p100": 0.01100013},
                "device_latency": {"p0": 0.01000001, "p50": 0.01000008, "p100": 0.01000013},
            },
            "error": "",
        },
        "memory_used": {
            "period": 1.00001,
            "neuron_runtime_used_bytes": {
                "host": 6997643264,
                "neuron_device": 12519788544,
                "usage_breakdown": {
                    "host": {
                        "application_memory": 6996594688,
                        "constants": 0,
                        "dma_buffers": 1048576,
                        "tensors": 0,
                    },
                    "neuroncore_memory_usage": {"0": _CORE_MEMORY, "1": _CORE_MEMORY},
                },
            },
            "loaded_models": [],
            "error": "",
        },
        "neuron_runtime_vcpu_usage": {
            "period": 1.030604818,
            "vcpu_usage": {"user": 42.0, "system": 12.5},
            "error": "",
        },
    },
}
SYSTEM = {
    "neuron_hw_counters": {
        "period": 1.030359284,
        "neuron_devices": [
            {
                "neuron_device_index": 0,
                "mem_ecc_corrected": 3,
                "mem_ecc_uncorrected": 0,
                "sram_ecc_uncorrected": 0,
                "sram_ecc_corrected": 0,
            }
        ],
        "error": "",
    },
    "vcpu_usage": {
        "period": 0.999974868,
        "average_usage": {
            "user": 32.0,
            "nice": 0,
            "system": 22.0,
            "idle": 39.36,
            "io_wait": 1.0,
            "irq": 0,
            "soft_irq": 0,
        },
        "usage_data": {"0": {"user": 34.41}, "1": {"user": 56.84}},
        "context_switch_count": 123456,
        "error": "",
    },
    "memory_info": {
        "period": 5.346411129,
        "memory_total_bytes": 49345835008,
        "memory_used_bytes": 16042344448,
        "swap_total_bytes": 0,
        "swap_used_bytes": 0,
        "error": "",
    },
}


def runtime(tag="my_app_1", **counts):
    """A runtime with a tag; `counts` replace how its executions ended."""
    made = copy.deepcopy(RUNTIME)
    made["neuron_runtime_tag"] = tag
    made["report"]["execution_stats"]["execution_summary"].update(counts)
    return made


def report(*runtimes, **parts):
    """A report of these runtimes on a trn2.48xlarge."""
    return copy.deepcopy(
        {
            "neuron_runtime_data": list(runtimes),
            "system_data": SYSTEM,
            "instance_info": INSTANCE,
            "neuron_hardware_info": HARDWARE,
            **parts,
        }
    )


_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_UNESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def parse(text):
    """Samples by (name, labels) of Prometheus text; asserts what the format demands."""
    assert text.endswith("\n")
    samples, kinds, helps, closed, current = {}, {}, {}, set(), None
    for line in text.split("\n")[:-1]:
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            assert word in ("HELP", "TYPE")
            store = helps if word == "HELP" else kinds
            assert name not in store, f"{word} of {name} twice"
            store[name] = rest
            if name != current:
                assert name not in closed, f"the lines of {name} are not together"
                closed.add(current)
                current = name
            continue
        match = _SAMPLE.fullmatch(line)
        assert match, f"no sample: {line!r}"
        name, inside, value = match.groups()
        assert name == current
        assert kinds[name] in ("gauge", "counter")
        labels, at = {}, 0
        while inside and at < len(inside):
            label = _LABEL.match(inside, at)
            assert label, f"no labels: {line!r}"
            assert label.group(1) not in labels
            value_text = re.sub(r'\\["\\n]', lambda m: _UNESCAPED[m.group()], label.group(2))
            labels[label.group(1)] = value_text
            at = label.end()
        key = (name, frozenset(labels.items()))
        assert key not in samples, f"twice: {line!r}"
        samples[key] = float(value)
    assert kinds.keys() == helps.keys()
    return samples


def find(samples, name, **labels):
    """The one value of a name whose labels include these; None when there is none."""
    found = [
        value for (n, have), value in samples.items() if n == name and have >= set(labels.items())
    ]
    assert len(found) <= 1, f"{len(found)} samples of {name}{labels}"
    return found[0] if found else None


# Says the lines of a file, one after the other, then waits; behaves as a file beside it says.
STUB = """#!{python}
import os, pathlib, signal, sys, time
folder = pathlib.Path({folder!r})
with (folder / "starts").open("a") as starts:
    starts.write(f"{{os.getpid()}} {{' '.join(sys.argv[1:])}}\\n")
with (folder / "times").open("a") as times:
    times.write(f"{{time.monotonic()}}\\n")
if (folder / "deaf").exists():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
lines = (folder / "lines").read_bytes().splitlines(keepends=True)
for line in lines:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
while not (folder / "dies").exists():
    if (folder / "repeats").exists() and lines:
        sys.stdout.buffer.write(lines[-1])
        sys.stdout.buffer.flush()
    time.sleep(0.05)
sys.exit(3)
"""


class Machine:
    """A folder for `/`, a stub of neuron-monitor, and trn-metrics over both."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        self.root.mkdir()
        self.stub = folder / "neuron-monitor"
        self.stub.write_text(STUB.format(python=sys.executable, folder=str(folder)))
        self.stub.chmod(0o755)
        self.config = folder / "config.json"
        self.period("5s")
        self.says()
        self.process, self.port = None, 0

    def period(self, text):
        document = json.loads((MONITORING / "neuron-monitor.json").read_text())
        self.config.write_text(json.dumps({**document, "period": text}))

    def says(self, *lines):
        """What neuron-monitor writes from its next start on: reports, or bytes as they are."""
        raw = [x if isinstance(x, bytes) else json.dumps(x).encode() + b"\n" for x in lines]
        (self.folder / "lines").write_bytes(b"".join(raw))

    def does(self, what, on=True):
        """`dies`, `repeats` or `deaf`."""
        file = self.folder / what
        file.touch() if on else file.unlink()

    def file(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    @property
    def start_times(self):
        return (self.folder / "times").read_text().splitlines()

    @property
    def starts(self):
        file = self.folder / "starts"
        return file.read_text().splitlines() if file.exists() else []

    def start(self, *arguments, stub=None, program=MONITORING / "trn-metrics"):
        """Start trn-metrics with the program's own entry, and read where it listens."""
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-I", str(program), "--port", "0"),
                *("--config", str(self.config), "--root", str(self.root)),
                *("--neuron-monitor", str(stub or self.stub), *arguments),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.spoken = []
        for line in self.process.stderr:
            self.spoken.append(line)
            if match := re.search(r"listens at (\S+):(\d+)$", line):
                self.address, self.port = match.group(1), int(match.group(2))
                break
        return self

    def get(self, path="/metrics"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def scrape(self, path="/metrics"):
        status, text = self.get(path)
        assert status == 200
        return parse(text)

    def until(self, condition, path="/metrics", seconds=15.0):
        """Scrape until the condition holds; returns that scrape."""
        end = time.monotonic() + seconds
        while True:
            samples = self.scrape(path)
            if condition(samples):
                return samples
            assert time.monotonic() < end, f"never so: {samples}"
            time.sleep(0.05)

    def until_reports(self, count):
        return self.until(lambda s: (find(s, "trn_neuron_reports_total") or 0) >= count)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(15)
        if self.process is not None:
            self.process.stderr.close()
