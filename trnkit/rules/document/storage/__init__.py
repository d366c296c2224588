"""Document rules about storage."""
