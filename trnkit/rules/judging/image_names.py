"""Names of machine images, and the families they belong to, against what Neuron nodes need."""

from __future__ import annotations

import re

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection

_AMAZON_LINUX_2 = re.compile(
    r"al2@.*|al2|amazonlinux2|.*/amazon-linux-2(-[a-z0-9]+)?/.*|amazon-eks-(gpu-)?node-1.*"
)
_WINDOWS = re.compile(r"windows.*|.*/windows[-_].*")
_GPU = re.compile(r"(?:^|[^a-z0-9])(?:nvidia|gpu|cuda)(?:[^a-z0-9]|$)")
_ARM = re.compile(r"(?:^|[^a-z0-9])(?:arm64|aarch64)(?:[^a-z0-9]|$)")
_STANDARD = re.compile(r"(?:al2023|amazon-linux-2023)[-/](?:x86_64[-/])?standard(?:[^a-z]|$)")
_PUBLISHED = re.compile(
    r"(?:/aws)?/service/.*|amazon-eks-.*|bottlerocket-aws-.*|bottlerocket@.*|al2023@.*"
)
"""What AWS publishes; anybody else's image may have more in it than its name says."""
_LONGEST = 400


def judge_image_name(name: str) -> tuple[Severity, Objection] | None:
    """Judge the name, alias, parameter or family of an image for Neuron nodes of EKS.

    Returns:
        What is wrong; None for what is right or says nothing.
    """
    text = name.strip().lower()[:_LONGEST]
    likely = Severity.ERROR if _PUBLISHED.fullmatch(text) else Severity.WARNING
    if _WINDOWS.fullmatch(text):
        wrong = "is a Windows image; Neuron's driver is for Linux"
        return Severity.ERROR, Objection(wrong, "take Amazon Linux 2023 or Bottlerocket")
    if _AMAZON_LINUX_2.fullmatch(text):
        wrong = "is Amazon Linux 2, for which EKS publishes no new images"
        return Severity.WARNING, Objection(wrong, "take Amazon Linux 2023 or Bottlerocket")
    if _ARM.search(text):
        wrong = "is an image for Arm; Trainium and Inferentia instances are x86_64"
        return likely, Objection(wrong, "take the x86_64 image for Neuron")
    if "neuron" not in text and _GPU.search(text):
        wrong = "is an image for GPUs, without Neuron's driver"
        return likely, Objection(wrong, "take the image for Neuron")
    if _STANDARD.search(text):
        wrong = "is the standard image, without Neuron's driver"
        return Severity.WARNING, Objection(wrong, "take the image for Neuron")
    return None
