"""Prometheus text of samples.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

MOST_SAMPLES = 20_000
"""A node of 128 NeuronCores, each with six gauges, has fewer than 1,000."""

MOST_LABEL_CHARACTERS = 256
"""NEURON_PROCESS_TAG has 255 at most."""

Labels = tuple[tuple[str, str], ...]

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")


class Family(NamedTuple):
    """What all samples of one name have in common."""

    name: str
    kind: str
    help: str


class Sample(NamedTuple):
    """One number, and what tells it from others of its family."""

    family: Family
    labels: Labels
    value: float


def labels_of(values: Mapping[str, object]) -> Labels:
    """Labels in order of name, cut to a length that cannot fill the memory."""
    return tuple(sorted((key, str(value)[:MOST_LABEL_CHARACTERS]) for key, value in values.items()))


def render(samples: Iterable[Sample]) -> str:
    """The text of samples: one group of lines a family, no series twice, no more than the limit.

    Raises:
        ValueError: A name that Prometheus would refuse, or one name of two kinds.
    """
    families: dict[str, Family] = {}
    series: dict[str, dict[Labels, float]] = {}
    count = 0
    for family, labels, value in samples:
        if not _NAME.match(family.name) or families.setdefault(family.name, family) != family:
            raise ValueError(f"not one family: {family.name!r}")
        if math.isnan(value) or count >= MOST_SAMPLES:
            continue
        of_family = series.setdefault(family.name, {})
        count += labels not in of_family
        of_family[labels] = value
    lines: list[str] = []
    for name, of_family in series.items():
        lines.append(f"# HELP {name} {_escaped(families[name].help, quote=False)}")
        lines.append(f"# TYPE {name} {families[name].kind}")
        lines += [f"{name}{_braces(labels)} {_number(v)}" for labels, v in of_family.items()]
    return "".join(line + "\n" for line in lines)


def _braces(labels: Labels) -> str:
    inside = ",".join(f'{key}="{_escaped(value, quote=True)}"' for key, value in labels)
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str, *, quote: bool) -> str:
    # A lone surrogate, which JSON may spell, cannot be written as UTF-8.
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quote else text


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**63 else repr(value)
