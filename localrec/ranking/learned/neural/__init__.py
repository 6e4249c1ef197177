"""Sequence networks: `training.py` trains them with torch, the others ask them with NumPy."""
