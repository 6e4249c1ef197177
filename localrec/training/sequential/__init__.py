"""Training of the sequence encoder that ranks by what comes next."""
