"""Measure explanations: blind samples, model judges, human raters and their agreement."""
