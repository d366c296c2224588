"""Names of instance types that the catalogue does not have."""

from __future__ import annotations

import re

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.findings import nearest
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import did_you_mean

_SIZE = re.compile(r"nano|micro|small|medium|large|[0-9]*xlarge|metal(-[0-9]+xl)?")
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


def judge_priced_name(name: str) -> Objection | None:
    """Say that no instance type has a name: none has such a size, or no Neuron type is known so.

    Every type of EC2 may have a price, so that a name which could be a type's is let pass.
    """
    # Imported here: only who has a file of prices needs it.
    from trnkit.catalog import find_gpu_instance, gpu_instances

    if find_instance_type(name) is not None or find_gpu_instance(name) is not None:
        return None
    if _SIZE.fullmatch(name.partition(".")[2]) and not _NEURON.fullmatch(name):
        return None
    close = nearest(name, (*instance_type_names(), *(gpu.name for gpu in gpu_instances())))
    return Objection(
        f"is {name}, and no instance type is known by that name",
        did_you_mean(close, "write the name as EC2 has it, such as trn2.48xlarge"),
    )
