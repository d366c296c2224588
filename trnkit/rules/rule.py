"""What a rule is. Each carries its own documentation and examples; docs/rules.md is made of them.

To add one, write a file in a folder of `rules/config`, `rules/template` or `rules/document`, the
one of its subject, that assigns `RULE`. Nothing else lists it: the folders are scanned, and a
contract test fires its `bad` and keeps its `good` quiet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.findings import Severity
    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.stack_set import Resource, StackSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What a rule's check found; the engine adds the rule's id and the place in the file.

    Attributes:
        message: What is wrong: the place in the user's terms, the value got, the values allowed.
            Lower case, no full stop.
        hint: What to do, in the imperative.
        path: Config rules: the YAML path as a tuple. Template rules: the path below the resource,
            e.g. `("Properties", "LaunchTemplateData")`.
        resource: Template rules: the resource at fault.
        value: Document rules: the value at fault, which knows its place.
        evidence: The fact the judgement rests on, e.g. a catalogue entry and its date.
        severity: Only when it differs from the rule's own.
    """

    message: str
    hint: str | None = None
    path: Path = ()
    resource: Resource | None = None
    value: DocumentValue | None = None
    evidence: str | None = None
    severity: Severity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The documentation every rule carries.

    Attributes:
        id: `TRNnnn`, never reused.
        title: What must hold, in one line.
        severity: Of its findings, unless a violation says otherwise.
        why: What happens otherwise, in a sentence or two.
        source: Page on which the rule rests.
        good: An input that must stay quiet. Config rules: YAML laid over the smallest cluster.
            Template rules: a whole CloudFormation template in YAML. Document rules: YAML documents
            in one of the formats.
        bad: An input that must fire.
    """

    id: str
    title: str
    severity: Severity
    why: str
    source: str
    good: str
    bad: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRule(Rule):
    """A rule over a cluster file that fits the model."""

    check: Callable[[ClusterConfig], Iterable[Violation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRule(Rule):
    """A rule over CloudFormation templates, ours or anybody's.

    A value that cannot be known without deploying is `UNKNOWN`, and about it a rule says nothing.

    Attributes:
        check: Finds the violations.
        judges_absence: Whether it may find that a resource is missing. It is not heard where a
            macro may make resources that are not seen.
    """

    check: Callable[[StackSet], Iterable[Violation]]
    judges_absence: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRule(Rule):
    """A rule over documents of other tools: Karpenter, eksctl, ParallelCluster, Kubernetes.

    A value that the document leaves open is absent, and about it a rule says nothing.
    """

    check: Callable[[DocumentSet], Iterable[Violation]]
