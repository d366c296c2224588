"""What the node is meant to be: /etc/trnkit/expected.json, read into frozen values.

None everywhere means: not judged. Keys that this program does not know are left alone, so that an
older program reads a newer file.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

PLACE = "/etc/trnkit/expected.json"
SCHEMA = 1
MOST_BYTES = 1024 * 1024
MOST_MOUNTS = 100


class ExpectedFileError(Exception):
    """There is no such file, or it is not what this program reads."""


class ExpectedNeuron(NamedTuple):
    """Chips; `cores_per_device` counts cores in silicon."""

    devices: int | None
    cores_per_device: int | None
    device_memory_gib: float | None
    logical_neuroncore_size: int | None


class ExpectedEfa(NamedTuple):
    """EFA devices."""

    devices: int | None
    rdma: bool


class ExpectedInstanceStore(NamedTuple):
    """NVMe disks of the instance, striped and mounted."""

    path: str
    disks: int | None
    total_gb: float | None


class ExpectedMount(NamedTuple):
    """A shared file system; `kind` is lustre, efs or s3."""

    kind: str
    path: str
    writable: bool
    efa: bool


class Expected(NamedTuple):
    """The whole file."""

    cluster: str
    node_group: str
    instance_type: str
    neuron: ExpectedNeuron | None
    efa: ExpectedEfa | None
    instance_store: ExpectedInstanceStore | None
    mounts: tuple[ExpectedMount, ...]
    huge_pages_2mib: int | None
    vcpus: int | None
    memory_gib: float | None
    compile_cache: str | None


def read_expected(path: str, text: str | None) -> Expected:
    """Read the text of an expected file.

    Args:
        path: Where it is, for messages.
        text: Its text; None when there is no such file.

    Raises:
        ExpectedFileError: No file, no JSON, or a value of another kind.
    """
    if text is None:
        raise ExpectedFileError(
            f"{path} does not exist; let the boot script write it, or name another file with "
            "--expected"
        )
    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ExpectedFileError(f"{path} is not JSON from {where} on") from error
    except ValueError as error:
        raise ExpectedFileError(
            f"{path} is not JSON that can be read: a number is too long"
        ) from error
    except RecursionError as error:
        raise ExpectedFileError(f"{path} is not JSON that can be read: {_TOO_DEEP}") from error
    if not isinstance(body, dict):
        raise ExpectedFileError(f"{path} must hold one JSON object")
    try:
        return _expected(_Section(body, ""))
    except _WrongValueError as error:
        raise ExpectedFileError(f"{path}: {error}") from error
    except RecursionError as error:
        raise ExpectedFileError(f"{path}: {_TOO_DEEP}") from error


_TOO_DEEP = "its lists and objects are nested too deeply"


class _WrongValueError(Exception):
    pass


class _Section:
    """An object of the file, which knows its name for messages."""

    def __init__(self, values: dict[str, Any], name: str) -> None:
        self._values = values
        self._name = name

    def wrong(self, key: str, wanted: str) -> _WrongValueError:
        return _WrongValueError(
            f"{self._name}{key} must be {wanted}, got {json.dumps(self._values.get(key))[:80]}"
        )

    def number(self, key: str) -> float | None:
        value = self._values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
            raise self.wrong(key, "a number or null")
        return value

    def whole(self, key: str) -> int | None:
        value = self.number(key)
        if value is not None and value != int(value):
            raise self.wrong(key, "a whole number or null")
        return None if value is None else int(value)

    def flag(self, key: str) -> bool:
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def text(self, key: str) -> str | None:
        value = self._values.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong(key, "a text or null")
        # No file name and no argument of a program can have these.
        if value is not None and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):
            raise self.wrong(key, "a text without NUL and halves of characters")
        return value

    def path(self, key: str) -> str:
        value = self.text(key)
        if value is None or not value.startswith("/"):
            raise self.wrong(key, "an absolute path")
        return value

    def section(self, key: str) -> _Section | None:
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(key, "an object or null")
        return _Section(value, f"{self._name}{key}.")

    def sections(self, key: str, most: int) -> list[_Section]:
        values = self._values.get(key)
        if values is None:
            return []
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.wrong(key, "a list of objects")
        if len(values) > most:
            raise _WrongValueError(f"{self._name}{key} must have at most {most}, got {len(values)}")
        return [_Section(value, f"{self._name}{key}[{n}].") for n, value in enumerate(values)]


def _expected(file: _Section) -> Expected:
    if file.number("schema") != SCHEMA:
        raise file.wrong("schema", f"{SCHEMA}, which is what this program reads")
    neuron, efa, store = (file.section(key) for key in ("neuron", "efa", "instance_store"))
    return Expected(
        cluster=file.text("cluster") or "",
        node_group=file.text("node_group") or "",
        instance_type=file.text("instance_type") or "",
        neuron=neuron
        and ExpectedNeuron(
            devices=neuron.whole("devices"),
            cores_per_device=neuron.whole("cores_per_device"),
            device_memory_gib=neuron.number("device_memory_gib"),
            logical_neuroncore_size=neuron.whole("logical_neuroncore_size"),
        ),
        efa=efa and ExpectedEfa(devices=efa.whole("devices"), rdma=efa.flag("rdma")),
        instance_store=store
        and ExpectedInstanceStore(
            path=store.path("path"), disks=store.whole("disks"), total_gb=store.number("total_gb")
        ),
        mounts=tuple(_mount(mount) for mount in file.sections("mounts", MOST_MOUNTS)),
        huge_pages_2mib=file.whole("huge_pages_2mib"),
        vcpus=file.whole("vcpus"),
        memory_gib=file.number("memory_gib"),
        compile_cache=file.text("compile_cache"),
    )


def _mount(mount: _Section) -> ExpectedMount:
    kind = mount.text("kind")
    if kind not in ("lustre", "efs", "s3"):
        raise mount.wrong("kind", "lustre, efs or s3")
    return ExpectedMount(kind, mount.path("path"), mount.flag("writable"), mount.flag("efa"))
