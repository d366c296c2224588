"""What EC2 does and refuses beyond moto: launches, placement groups, capacity reservations."""
