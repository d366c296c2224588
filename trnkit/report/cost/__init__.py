"""What a cluster costs and what else could do its work, as text, JSON and a section of a page."""
