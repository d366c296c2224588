"""A system that gives few open files: the report is written all the same."""

from __future__ import annotations

import json
import resource
import sys

import pytest

FILE = "examples/trn2-pretrain.yaml"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are Linux's")
def test_a_report_is_written_after_connections_took_all_files(trnkit, tmp_path):
    report = tmp_path / "report.json"
    words = ("preflight", FILE, "--format", "json", "--output", str(report))
    with trnkit.start(*words) as process:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (12, 12))
        try:
            stdout, stderr = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode in (0, 1), stdout + stderr
    assert "Traceback" not in stderr
    told = json.loads(report.read_text(encoding="utf-8"))
    assert len(told["checks"]) > 20
    assert "broke, which is a mistake" not in json.dumps(told)
