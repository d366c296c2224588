"""Types behind which there is more than the template says: code, other templates, macros."""

from __future__ import annotations

from trnkit.operations.changes.registry import find_schema
from trnkit.report.change_results import Effect, Verdict

_HOLDS_OTHERS = (
    "Custom::",
    "AWS::CloudFormation::CustomResource",
    "AWS::CloudFormation::Stack",  # also StackSet
    "AWS::ServiceCatalog::CloudFormationProvisionedProduct",
)
_PAGES = "https://docs.aws.amazon.com/"
_MACRO_PAGE = f"{_PAGES}AWSCloudFormation/latest/TemplateReference/transform-aws-serverless.html"
_MODULE_PAGE = f"{_PAGES}AWSCloudFormation/latest/UserGuide/modules.html"


def is_opaque(kind: str) -> bool:
    """Whether what is behind a type is not in the template: code, another template, a provider."""
    # Of a provider that is not AWS a schema may be known: it does not say what is stored.
    from_elsewhere = not kind.startswith("AWS::")
    return (
        kind.startswith(_HOLDS_OTHERS)
        or is_made_by_macro(kind)
        or from_elsewhere
        or find_schema(kind, None) is None
    )


def is_made_by_macro(kind: str) -> bool:
    """Whether other resources take the place of one: of the serverless macro, or of a module."""
    return kind.startswith("AWS::Serverless::") or kind.endswith("::MODULE")


def what_becomes_of_macros(kind: str) -> Effect:
    """The verdict about a resource in whose place CloudFormation puts others."""
    is_module = kind.endswith("::MODULE")
    maker = "a module" if is_module else "the macro AWS::Serverless-2016-10-31"
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message=f"{maker} makes the resources of it, and what becomes of them cannot be told",
        hint="make a change set, which expands the template",
        source=_MODULE_PAGE if is_module else _MACRO_PAGE,
    )
