"""Policy: our template rules as a CDK plugin, and what we acknowledge of others' rules."""

from constructs_lib.policy.nag_acknowledgements import acknowledge_nag_rules
from constructs_lib.policy.template_rules_plugin import (
    TemplateRulesPlugin,
    acknowledge_template_rules,
)

__all__ = ["TemplateRulesPlugin", "acknowledge_nag_rules", "acknowledge_template_rules"]
