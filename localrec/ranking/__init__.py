"""Judging and improving a candidate set before it becomes an answer."""
