"""One file a verb: it holds `app`, a Typer of its own. Nothing else lists the verbs.

A verb imports what it needs inside its function, so that no verb pays for another.
"""
