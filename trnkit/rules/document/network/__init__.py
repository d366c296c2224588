"""Document rules about network."""
