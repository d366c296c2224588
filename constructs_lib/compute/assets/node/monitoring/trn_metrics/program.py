"""trn-metrics: runs neuron-monitor, serves what it says."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import families
from .exposition import Sample, labels_of, render
from .listening import METADATA, ListenError, MetricsServer, address_of
from .neuron_monitor import NeuronMonitor, say
from .neuron_report import NeuronReports
from .node_files import NodeFiles

PERIODS_TO_STALE = 3
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


class Collector:
    """Brings reports and scrapes together, each of which has threads of its own."""

    def __init__(self, period: float, files: NodeFiles) -> None:
        """Args: period: seconds between reports; files: what the node says of itself."""
        self.monitor: NeuronMonitor | None = None
        self._period = period
        self._files = files
        self._reports = NeuronReports()
        self._taken = 0
        self._heard: float | None = None
        self._lock = threading.Lock()

    def take(self, report: Mapping[str, Any]) -> None:
        """Take a report."""
        with self._lock:
            self._reports.take(report)
            self._heard = time.monotonic()
            self._taken += 1

    def metrics(self) -> tuple[int, str]:
        """Everything."""
        with self._lock:
            return 200, render(self._everything())

    def node_metrics(self) -> tuple[int, str]:
        """One number a node for each thing: few enough for CloudWatch."""
        with self._lock:
            fresh = self._is_fresh()
            up = Sample(families.MONITOR_UP, (), float(fresh))
            neuron = self._reports.node_samples() if fresh else []
            return 200, render([up, *neuron, *self._files.node_samples()])

    def health(self) -> tuple[int, str]:
        """Whether reports come."""
        with self._lock:
            if self._is_fresh():
                return 200, "ok\n"
            return 503, f"no report of neuron-monitor within {PERIODS_TO_STALE} periods\n"

    def _is_fresh(self) -> bool:
        return (
            self._heard is not None
            and time.monotonic() - self._heard <= PERIODS_TO_STALE * self._period
        )

    def _everything(self) -> Iterator[Sample]:
        fresh = self._is_fresh()
        yield Sample(families.MONITOR_UP, (), float(fresh))
        if self._heard is not None:
            yield Sample(families.REPORT_AGE, (), time.monotonic() - self._heard)
        yield Sample(families.REPORTS, (), self._taken)
        if self.monitor is not None:
            yield Sample(families.RESTARTS, (), self.monitor.restarts)
            for reason, count in self.monitor.discarded.items():
                yield Sample(families.DISCARDED, labels_of({"reason": reason}), count)
        if fresh:
            yield from self._reports.samples()
            yield from self._reports.node_samples()
        yield from self._files.samples()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM; returns the exit code."""
    given = _parser().parse_args(arguments)
    try:
        period = _period_of(given.config)
        address = address_of(given.listen, given.metadata)
        collector = Collector(period, NodeFiles(given.root))
        pages = {
            "/metrics": collector.metrics,
            "/metrics/node": collector.node_metrics,
            "/healthz": collector.health,
        }
        server = MetricsServer(address, given.port, pages)
    except (ListenError, OSError, ValueError) as error:
        say(f"trn-metrics: {error}")
        return 1
    command = [given.neuron_monitor or _neuron_monitor(given.root), "-c", str(given.config)]
    monitor = NeuronMonitor(command, collector.take, patience=max(12 * period, given.patience))
    collector.monitor = monitor
    return _serve(server, monitor)


def _serve(server: MetricsServer, monitor: NeuronMonitor) -> int:
    # A pipe, since a handler of signals may not take locks that the main thread may hold.
    woken, wake = os.pipe()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: os.write(wake, b"asked"))

    def watch() -> None:
        try:
            monitor.run()
        finally:
            os.write(wake, b"ended")

    watching = threading.Thread(target=watch, name="neuron-monitor")
    serving = threading.Thread(target=server.serve_forever, name="http", daemon=True)
    watching.start()
    serving.start()
    say(f"trn-metrics: listens at {server.server_name}:{server.server_port}")
    reason = os.read(woken, 5)
    monitor.stop()
    server.shutdown()
    server.server_close()
    watching.join()
    return 0 if reason == b"asked" else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trn-metrics", description=__doc__)
    parser.add_argument(
        "--listen",
        choices=("loopback", "private"),
        default="loopback",
        help="at 127.0.0.1, or at the private address of the node",
    )
    parser.add_argument("--port", type=_port, default=9400, help="1 to 65535, or 0 for any")
    parser.add_argument("--config", type=Path, required=True, help="of neuron-monitor")
    parser.add_argument("--neuron-monitor", help="the program, when it is not where AWS puts it")
    parser.add_argument("--root", type=Path, default=Path("/"), help="folder that stands for /")
    parser.add_argument("--metadata", default=METADATA, help="instance metadata, host:port")
    parser.add_argument(
        "--patience",
        type=float,
        default=60.0,
        help="seconds of silence, at least 12 periods, before neuron-monitor is started again",
    )
    return parser


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"no port: {text[:20]!r}")
    return int(text)


def _neuron_monitor(root: Path) -> str:
    name = "neuron-monitor"
    return shutil.which(name, path=str(root / "opt/aws/neuron/bin")) or name


def _period_of(config: Path) -> float:
    """Seconds between two reports: the longest period that the configuration has.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no JSON, or has a period that is none.
    """
    text = config.read_text(encoding="utf-8")
    try:
        written = list(_periods(json.loads(text)))
    except RecursionError:
        raise ValueError(f"{config}: objects or lists are too deep in each other") from None
    periods: list[float] = []
    for text in written:
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m)", text)
        seconds = float(match.group(1)) * _SECONDS[match.group(2)] if match else 0.0
        if not seconds:
            raise ValueError(f"{config}: no period: {text!r}")
        periods.append(seconds)
    return max(periods, default=5.0)


def _periods(document: object) -> Iterator[str]:
    if isinstance(document, dict):
        if "period" in document:
            yield str(document["period"])
        for value in document.values():
            yield from _periods(value)
    elif isinstance(document, list):
        for value in document:
            yield from _periods(value)
