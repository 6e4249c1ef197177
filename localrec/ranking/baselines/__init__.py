"""Baselines: well-known recommenders behind one interface."""
