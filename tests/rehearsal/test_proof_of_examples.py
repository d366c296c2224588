"""Every example, deployed: each property is what its template says, as far as services tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.doc_pages.rehearsal_page import NOT_TOLD
from tests.synthesis import EXAMPLES
from trnkit.operations.rehearsal.proof import prove
from trnkit.operations.rehearsal.proof_words import complaints

if TYPE_CHECKING:
    from tests.rehearsal.deployments import Cloud

NO_SERVICE = ("AWS::Chatbot::", "AWS::ImageBuilder::")
"""Types that no emulator has a service for, and of which each report says so."""


def test_all_examples_are_proved_and_the_page_says_what_no_service_tells(cloud: Cloud) -> None:
    for path in EXAMPLES:
        cloud.example(path.stem)
    proof = prove(cloud.aws)
    assert complaints(proof) == ()
    assert [kind for kind in proof.schema_only if not kind.startswith(NO_SERVICE)] == []
    not_told: dict[str, set[str]] = {}
    for resource in proof.resources:
        for name in resource.not_told:
            not_told.setdefault(resource.type_name, set()).add(name)
    assert {kind: tuple(sorted(names)) for kind, names in not_told.items()} == NOT_TOLD
