"""Baselines: well-known recommenders behind one interface, to be compared with."""
