"""EFS beyond moto."""
