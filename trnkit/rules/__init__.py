"""Is it sensible: one rule a file, over cluster files, templates and documents of other tools.

from trnkit.rules import check_cluster, check_documents, check_templates
"""

from trnkit.rules.document_engine import check_documents
from trnkit.rules.engine import check_cluster, check_templates
from trnkit.rules.listing import list_rules
from trnkit.rules.reading_documents.document_set import DocumentSet
from trnkit.rules.reading_documents.document_value import Document
from trnkit.rules.rule import ConfigRule, DocumentRule, Rule, TemplateRule, Violation
from trnkit.rules.stack_set import UNKNOWN, Reference, Resource, StackSet, Template

__all__ = [
    "UNKNOWN",
    "ConfigRule",
    "Document",
    "DocumentRule",
    "DocumentSet",
    "Reference",
    "Resource",
    "Rule",
    "StackSet",
    "Template",
    "TemplateRule",
    "Violation",
    "check_cluster",
    "check_documents",
    "check_templates",
    "list_rules",
]
