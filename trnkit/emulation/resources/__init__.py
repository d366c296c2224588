"""How each resource type is made in the emulated AWS, and how it is read back."""
