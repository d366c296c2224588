"""`trnkit plan`: regions, zones and ways to buy compared."""
