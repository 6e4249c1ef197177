"""What the documentation says is so: blocks run, links lead somewhere, names exist."""
