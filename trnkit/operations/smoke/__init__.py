"""`trnkit smoke`: job files that test nodes, and the verdict on what they found."""
