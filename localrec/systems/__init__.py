"""Short files that compose the stages; each has a name for ask, rank and evaluate."""
