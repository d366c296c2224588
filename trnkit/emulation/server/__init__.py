"""The process of the emulated AWS."""
