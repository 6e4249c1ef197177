"""Evaluation: rankings, answers to gold questions and explanations, measured and reported."""
