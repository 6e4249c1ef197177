"""Measure answers to questions against gold labels and the store."""
