"""Document rules about compute."""
