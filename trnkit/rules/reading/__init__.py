"""What templates say: one reader for each kind of resource, and the values they are made of."""
