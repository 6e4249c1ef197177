"""The bench of roles: a model against the rules or the measured evidence, role by role."""
