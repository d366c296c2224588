"""What the AWS Price List says now, against the catalogue's prices."""
