"""What documents of other tools describe, in one model: one reader a format."""
