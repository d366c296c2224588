"""What a cluster costs by the hour and the month, from its file and a price book alone."""
