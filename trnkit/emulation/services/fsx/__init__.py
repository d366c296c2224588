"""FSx for Lustre beyond moto: changes, refusals, repository associations."""
