"""Values in, strings out: the same findings as text, JSON or SARIF."""
