"""What `benchmarks.runaway_evening` is made of."""
