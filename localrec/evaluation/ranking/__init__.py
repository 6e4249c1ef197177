"""Measure rankings: protocols, cases, systems under test, metrics and the run itself."""
