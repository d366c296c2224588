"""Document rules about orchestration."""
