"""Is it sensible: one rule a file, over the cluster file (`config`) or any template (`template`).

from trnkit.rules import check_cluster, check_templates
"""

from trnkit.rules.engine import check_cluster, check_templates
from trnkit.rules.listing import list_rules
from trnkit.rules.rule import ConfigRule, Rule, TemplateRule, Violation
from trnkit.rules.stack_set import UNKNOWN, Reference, Resource, StackSet, Template

__all__ = [
    "UNKNOWN",
    "ConfigRule",
    "Reference",
    "Resource",
    "Rule",
    "StackSet",
    "Template",
    "TemplateRule",
    "Violation",
    "check_cluster",
    "check_templates",
    "list_rules",
]
