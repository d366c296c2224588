"""`trnkit preflight`: what an account would refuse, or lack, minutes into a deployment."""
