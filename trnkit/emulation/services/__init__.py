"""Services of moto, extended by what moto leaves out and by what AWS refuses."""
