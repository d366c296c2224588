"""Names of instance types that the catalogue does not have."""

from __future__ import annotations

import re

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.findings import nearest
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import did_you_mean

_NEURON = re.compile(r"(ml\.)?(trn|inf)[0-9][a-z0-9-]*(\.\S{1,40})?")


def judge_sagemaker_name(name: str) -> Objection | None:
    """Say that a name is SageMaker's for a type that EC2 has under another."""
    without = name.removeprefix("ml.")
    if without == name or find_instance_type(without) is None:
        return None
    return Objection("a SageMaker name; EC2's has no `ml.`", f"write {without}")


def judge_neuron_name(name: str) -> Objection | None:
    """Say that a Neuron type, or a family, is not known; None for what is, and for other types."""
    if _NEURON.fullmatch(name) is None or find_instance_type(name):
        return None
    if "." in name:
        text = f"names the type {name}, which the catalogue does not know"
    else:
        text = f"names the family {name}, whose types differ"
    close = nearest(name.removeprefix("ml."), instance_type_names()) if "." in name else ()
    return Objection(
        f"{text}, so interfaces, zones and capacity of its instances are not judged",
        did_you_mean(close, "`trnkit catalog list` shows the types that are judged"),
        f"catalogue, {len(instance_type_names())} Neuron instance types",
    )
