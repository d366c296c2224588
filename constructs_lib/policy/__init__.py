"""Policy: our template rules as a CDK plugin, cdk-nag's packs, and what we acknowledge of them."""

from constructs_lib.policy.nag_acknowledgements import acknowledge_nag_rules
from constructs_lib.policy.rule_packs import add_rule_packs
from constructs_lib.policy.template_rules_plugin import (
    TemplateRulesPlugin,
    acknowledge_template_rules,
)

__all__ = [
    "TemplateRulesPlugin",
    "acknowledge_nag_rules",
    "acknowledge_template_rules",
    "add_rule_packs",
]
