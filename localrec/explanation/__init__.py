"""Explanations: evidence paths, sentences about them, and the check that no sentence says more."""
